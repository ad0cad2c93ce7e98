"""Values, words and sentences by hand: what functions give, what words allow, what cells say."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.interval import Interval, logarithm, point
from audit.expression.meaning import Number
from audit.stats.printed import printed
from tests.expression.tables import outcome, value

# --- functions


def span(number: Number) -> tuple[Fraction, Fraction]:
    (reading,) = number
    return reading.span.low, reading.span.high


NUMBERS = {"a": "44.4", "b": "39.7", "c": "41.0"}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("gain(t.a.P@1, t.b.P@1)", "4.6", "4.8"),
        ("relative_gain(t.a.P@1, 40)", "10.875", "11.125"),  # 4.35 / 40, 4.45 / 40
        ("mean(t.a.P@1, t.b.P@1, t.c.P@1)", "2499/60", "2505/60"),  # 124.95 / 3, 125.25 / 3
        ("sum(t.*.P@1)", "124.95", "125.25"),
        ("best(others(t.a.P@1))", "40.95", "41.05"),
        ("second_best(5, 5, 4)", "5", "5"),
        ("span(t.a.P@1, 44.42)", "0", "7/100"),
        ("log2(1 / 8)", "-3", "-3"),
        ("t.a.P@1^2", "19669225/10000", "19758025/10000"),
    ],
)
def test_values_by_hand(text: str, low: str, high: str) -> None:
    assert span(value(text, NUMBERS)) == (Fraction(low), Fraction(high))


# --- intervals


def interval(low: float | str | Fraction, high: float | str | Fraction) -> Interval:
    return Interval(Fraction(low), Fraction(high))


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**9, max_denominator=10**6))
def test_a_logarithm_is_bounded_on_both_sides(x: Fraction) -> None:
    """Against the libm logarithm, and against powers of two in whole numbers: 2^(8 log x) around x^8."""
    log = logarithm(point(x))
    assert log.high - log.low <= Fraction(1, 2**60)
    assert math.isclose(log.low, math.log2(x), rel_tol=1e-13, abs_tol=1e-13)
    assert Fraction(2) ** math.floor(8 * log.low) <= x**8 <= Fraction(2) ** math.ceil(8 * log.high)


# --- sentences

SOME = {"a": "44.41", "b": "39.68", "tie": "44.41", "near": "44.40", "coarse": "44.4", "zero": "0.0"}


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
    ("t.a.P@1 > t.b.P@1", "consistent"),
    ("t.b.P@1 > t.a.P@1", "inconsistent"),
    ("t.a.P@1 > t.tie.P@1", "untestable"),
    ("t.a.P@1 >= t.tie.P@1", "consistent"),
    ("t.near.P@1 >= t.a.P@1", "untestable"),  # both may be 44.405
    ("not t.a.P@1 > t.b.P@1", "inconsistent"),
    ("t.a.P@1 > t.b.P@1 and t.a.P@1 > t.tie.P@1", "untestable"),
    ("t.a.P@1 > t.b.P@1 or t.a.P@1 > t.tie.P@1", "consistent"),
    ("improvement(t.a.P@1, t.b.P@1) about 12%", "consistent"),
    ("improvement(t.a.P@1, t.b.P@1) more than 11.93", "untestable"),
    ("rank(t.a.P@1) = 1", "consistent"),
    ("rank(t.coarse.P@1) = 1", "untestable"),
    ("count(t.a.P@1 > t.b.P@1, t.b.P@1 > t.a.P@1, t.a.P@1 > t.tie.P@1) = 1", "consistent"),
    ("overlap(t.a.P@1, t.b.P@1)", "inconsistent"),
    ("t.a.P@1 - t.a.P@1 > 0.01", "inconsistent"),
],
)  # fmt: skip
def test_a_sentence_and_its_result(sentence: str, result: str) -> None:
    got = outcome(sentence, SOME)
    assert got.result == result
    assert bool(got.reason) == (result == "untestable")


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
    ("t.a.P@1 / t.zero.P@1 > 1", "division by -0.05 to 0.05, which contains 0"),
    ("best(t.none.*) > 1", "there are no numbers in the set"),
    ("((((9^64)^64)^64)^64)^64 > 1", "a power grows beyond 8192 bits"),
    ("t.a.P@1 > t.tie.P@1", "not true of the numbers as printed, but their rounding could make it so"),
],
)  # fmt: skip
def test_what_cannot_be_told_says_why(sentence: str, reason: str) -> None:
    got = outcome(sentence, {**SOME, "lone.a.P@1": "50.0"})
    assert (got.result, got.reason) == ("untestable", reason)
    assert got.filled_in


# --- filled in

PRINTED = {"a": "44.41", "b": "39.68", "zero": "0.0", "n.train.size": "15,449"}


@pytest.mark.parametrize(
    ("sentence", "filled"),
    [
        (
            "gain(t.a.P@1, t.b.P@1) about 5",
            "gain(44.41, 39.68) = 4.72 to 4.74, claimed: about 5 "
            "(10% or one unit of the last digit away at most)",
        ),
        (
            "improvement(t.a.P@1, t.b.P@1) more than 17%",
            "improvement(44.41, 39.68) = 4.72 to 4.74 (points) or 11.894 to 11.947 (percent), "
            "claimed: more than 17%",
        ),
        ("min(n.train.size, 3) = N", "min(15449, 3) = 3, claimed: 3865"),
        ("rank(t.b.P@1) = 2", "rank(39.68 among 44.41, 0.0) = 2, claimed: 2"),
    ],
)
def test_the_numbers_are_filled_in(sentence: str, filled: str) -> None:
    assert outcome(sentence, PRINTED, N=printed("3,865"), M=Fraction(7730)).filled_in == filled
