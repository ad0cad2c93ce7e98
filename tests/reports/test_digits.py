"""Numbers as text: never rounded across what they are read against. Expected texts are worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import digits

PERCENTS = st.floats(min_value=-100, max_value=100, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "beside", "expected"),
    [
        (75.8796, (), "75.88"),
        (75.8796, (75.88,), "75.8796"),  # below the edge of the margin, and stays below it
        (75.8804, (75.88,), "75.8804"),
        (75.88, (75.88,), "75.88"),
        (0.004, (), "0.004"),
        (-0.0049, (), "−0.005"),
        (0.0, (), "0.00"),
        (-0.0, (), "0.00"),
        (76.38 - 75.63 - 0.75, (), "0.00"),  # floating-point dust is no difference
        (99.996, (100,), "99.996"),
        (math.inf, (), "inf"),
        (1e12, (), "1e+12"),
        (None, (), "–"),
    ],
)
def test_points(value: float | None, beside: tuple[float, ...], expected: str) -> None:
    """Two decimals, and more where two would move the number across zero or an edge."""
    assert digits.points(value, beside=beside) == expected


@given(PERCENTS, PERCENTS)
def test_shown_number_is_on_its_side(value: float, edge: float) -> None:
    """A shown number is above, on or below an edge exactly as the number itself is (to a billionth)."""
    shown = float(digits.points(value, beside=[edge]).replace("−", "-"))
    value, edge = round(value, 9), round(edge, 9)
    assert (shown > edge) == (value > edge)
    assert (shown < edge) == (value < edge)
    assert (shown == 0) == (value == 0)


@pytest.mark.parametrize(
    ("difference", "margin", "expected"),
    [
        (0.5004, 0.5, "0.5004"),  # a miss is never rounded into the margin
        (-0.5004, 0.5, "0.5004"),
        (0.4996, 0.5, "0.4996"),
        (0.5, 0.5, "0.50"),
        (2.2512, 0.5, "2.25"),
        (2.2512, None, "2.25"),
    ],
)
def test_distance(difference: float, margin: float | None, expected: str) -> None:
    """The size of a difference stays on its side of the margin."""
    assert digits.distance(difference, margin=margin) == expected


def test_interval_does_not_touch_zero_by_rounding() -> None:
    """An interval that ends just above zero is not shown as ending at zero."""
    assert digits.interval((0.003, 0.42)) == "0.003 to 0.42"
    assert digits.interval((-0.4996, 0.2), beside=(-0.5, 0.5)) == "−0.4996 to 0.20"
    assert digits.interval(None) == "–"


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.0, "< 0.001"),
        (0.0009999, "< 0.001"),
        (0.001, "0.001"),
        (0.0496, "0.0496"),  # three decimals would say 0.050, which is the level itself
        (0.0504, "0.0504"),
        (0.05, "0.050"),
        (0.023, "0.023"),
        (0.7234, "0.723"),
        (0.9995, "> 0.999"),
        (1.0, "1.000"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_p_value(p: float | None, expected: str) -> None:
    """A p-value is never shown as 0.000, nor on the other side of the level."""
    assert digits.p_value(p) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, "0.50"), (0.195, "0.195"), (1.0, "1.00"), (0.1 + 0.2, "0.30"), (None, "–"), (2.0, "2.00")],
)
def test_margin_size(value: float | None, expected: str) -> None:
    """A margin is shown as it was fixed, with all its digits."""
    assert digits.margin_size(value) == expected


@pytest.mark.parametrize(
    ("bound", "margin", "expected"),
    [
        (1.0214, 0.5, "1.03"),  # up: at 1.02 it would not be reproduced
        (0.5004, 0.5, "0.51"),
        (0.5, 0.5, "0.50"),
        (0.4996, 0.5, "0.50"),
        (0.502, 0.505, "0.502"),  # reproduced at 0.505, so 0.51 would be a lie
        (None, 0.5, "–"),
    ],
)
def test_smallest_reproducing(bound: float | None, margin: float, expected: str) -> None:
    """The bound of reproduction is rounded up, and agrees with the verdict at the margin."""
    assert digits.smallest_reproducing(bound, margin=margin) == expected


@pytest.mark.parametrize(
    ("bound", "margin", "expected"),
    [
        (1.729, 0.5, "1.72"),  # down: at 1.73 it would not be contradicted
        (0.4999, 0.5, "0.49"),
        (0.509, 0.505, "0.509"),  # contradicted at 0.505, so 0.50 would be a lie
        (0.0, 0.5, "0.00"),
    ],
)
def test_largest_contradicting(bound: float, margin: float, expected: str) -> None:
    """The bound of contradiction is rounded down, and agrees with the verdict at the margin."""
    assert digits.largest_contradicting(bound, margin=margin) == expected


@given(st.floats(0, 5), st.floats(0.01, 5))
def test_bounds_say_what_is_true(bound: float, margin: float) -> None:
    """At a shown bound the verdict does hold, and the bound is on its side of the margin."""
    bound, margin = round(bound, 9), round(margin, 9)
    start = float(digits.smallest_reproducing(bound, margin=margin))
    end = float(digits.largest_contradicting(bound, margin=margin))
    assert end <= bound <= start
    assert (start <= margin) == (bound <= margin)
    assert (end >= margin) == (bound >= margin)
