"""Tests of audit.expression.functions: each by hand, and exact however the rounding falls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.functions import FUNCTIONS
from audit.expression.interval import Interval, point
from audit.expression.meaning import Number
from tests.expression.tables import value


def span(number: Number) -> tuple[Fraction, Fraction]:
    (reading,) = number
    return reading.span.low, reading.span.high


CELLS = {"a": "44.4", "b": "39.7", "c": "41.0"}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        # 44.35..44.45, 39.65..39.75, 40.95..41.05
        ("gain(t.a.P@1, t.b.P@1)", "4.6", "4.8"),
        ("relative_gain(t.a.P@1, 40)", "10.875", "11.125"),  # 4.35 / 40, 4.45 / 40
        ("relative_gain(40, t.a.P@1 - 4.4)", "-100/801", "100/799"),  # 40.05 and 39.95 below
        ("relative_gain(-3, -2)", "50", "50"),
        ("mean(t.a.P@1, t.b.P@1, t.c.P@1)", "2499/60", "2505/60"),  # 124.95 / 3, 125.25 / 3
        ("mean(t.*.P@1)", "2499/60", "2505/60"),
        ("mean(t.*.P@1, 40, 1 + 1)", "3339/100", "3345/100"),
        ("sum(t.*.P@1)", "124.95", "125.25"),
        ("min(t.*.P@1)", "39.65", "39.75"),
        ("min(t.*.P@1, 39.7)", "39.65", "39.7"),
        ("max(t.*.P@1)", "44.35", "44.45"),
        ("best(t.*.P@1)", "44.35", "44.45"),
        ("best(others(t.a.P@1))", "40.95", "41.05"),
        ("best(group(t.a.P@1))", "44.35", "44.45"),
        ("second_best(t.*.P@1)", "40.95", "41.05"),
        ("second_best(others(t.a.P@1))", "39.65", "39.75"),
        ("second_best(5, 5, 4)", "5", "5"),
        ("second_best(1, 5, 4)", "4", "4"),
        ("span(t.*.P@1)", "4.6", "4.8"),
        ("span(t.a.P@1)", "0", "0"),
        ("span(t.a.P@1, 44.42)", "0", "7/100"),
        ("abs(t.b.P@1 - t.a.P@1)", "4.6", "4.8"),
        ("sqrt(2.25)", "3/2", "3/2"),
        ("log2(1 / 8)", "-3", "-3"),
        ("rank(t.a.P@1)", "1", "1"),
        ("rank(t.b.P@1)", "3", "3"),
        ("cornet_parameters(3956, 1000, 2)", "15833912", "15833912"),
        ("cornet_parameters(2, 3, 1)", "17", "17"),  # two matrices of 6, biases of 3 and 2
        ("cornet_parameters(2, t.b.P@1 - 36.7, 10)", "167.5", "172.5"),  # R in 2.95..3.05: 10 (5 R + 2)
        ("t.a.P@1^2", "19669225/10000", "19758025/10000"),
        ("-t.a.P@1 + 1", "-43.45", "-43.35"),
        ("2 - 3 + 4", "3", "3"),
        ("8 / 2 * 4", "16", "16"),
        ("8 / 2 / 4", "1", "1"),
        ("-2^2", "-4", "-4"),
        ("12%", "12", "12"),
    ],
)
def test_values_by_hand(text: str, low: str, high: str) -> None:
    assert span(value(text, CELLS)) == (Fraction(low), Fraction(high))


def test_an_improvement_is_read_in_two_ways() -> None:
    points, percent = value("improvement(t.a.P@1, 40)", CELLS)
    assert (points.name, points.span) == ("points", Interval(Fraction("4.35"), Fraction("4.45")))
    assert (percent.name, percent.span) == ("percent", Interval(Fraction("10.875"), Fraction("11.125")))


def test_the_bottleneck_is_that_of_the_formula() -> None:
    """R = 1000 and V = 3956 in 2 blocks of 4 bytes a parameter: 63,335,648 bytes more, read back."""
    gb, gib = value("bottleneck(63335648 / 1000000000, 0, 3956, 2)")
    assert (gb.name, gb.span) == ("GB", point(1000))
    assert gib.name == "GiB"
    (gb, gib) = value("bottleneck(1 + 63335648 / 2^30, 1, 3956, 2)")
    assert gib.span == point(1000)


PLAIN: dict[str, Callable[..., Fraction]] = {
    "gain": lambda a, b: a - b,
    "relative_gain": lambda a, b: 100 * (a - b) / b,
    "mean": lambda *x: sum(x, Fraction(0)) / len(x),
    "sum": lambda *x: sum(x, Fraction(0)),
    "min": min,
    "max": max,
    "best": max,
    "second_best": lambda *x: sorted(x)[-2],
    "abs": abs,
    "cornet_parameters": lambda V, R, blocks: blocks * (2 * V * R + R + V),
}
POSITIVE = st.integers(1, 400).map(lambda n: Fraction(n, 8))
INTERVALS = st.tuples(POSITIVE, POSITIVE).map(lambda ends: Interval(min(ends), max(ends)))


@pytest.mark.parametrize("name", sorted(PLAIN))
@given(data=st.data())
def test_an_interval_is_as_narrow_as_may_be(name: str, data: st.DataObject) -> None:
    """Monotone in each positive argument: its ends are the least and greatest at the arguments' ends."""
    takes = len(FUNCTIONS[name].takes)
    count = takes if not FUNCTIONS[name].repeats else data.draw(st.integers(2, 4))
    arguments = data.draw(st.lists(INTERVALS, min_size=count, max_size=count))
    corners = [PLAIN[name](*ends) for ends in product(*((x.low, x.high) for x in arguments))]
    (function,) = FUNCTIONS[name].readings.values()
    assert function(*arguments) == Interval(min(corners), max(corners))


@given(st.lists(INTERVALS, min_size=1, max_size=4))
def test_the_span_goes_from_the_narrowest_choice_to_the_widest(arguments: list[Interval]) -> None:
    """By trying in each interval its ends, and what is nearest to the others' ends."""
    ends = [end for x in arguments for end in (x.low, x.high)]
    tried = product(*({min(max(end, x.low), x.high) for end in ends} for x in arguments))
    widths = [max(values) - min(values) for values in tried]
    (function,) = FUNCTIONS["span"].readings.values()
    assert function(*arguments) == Interval(min(widths), max(widths))
