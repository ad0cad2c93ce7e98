"""Tests of audit.expression.interval."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.interval import Interval, logarithm, point, square_root


def interval(low: float | str | Fraction, high: float | str | Fraction) -> Interval:
    return Interval(Fraction(low), Fraction(high))


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (interval(1, 2) + interval(10, 20), interval(11, 22)),
        (interval(1, 2) - interval(10, 20), interval(-19, -8)),
        (-interval(1, 2), interval(-2, -1)),
        (interval(-1, 2) * interval(-3, 5), interval(-6, 10)),  # -1*5, 2*-3, 2*5, -1*-3
        (interval(-2, -1) * interval(-3, -2), interval(2, 6)),
        (interval(1, 2) / interval(4, 5), interval("1/5", "1/2")),
        (interval(1, 2) / interval(-4, -2), interval(-1, "-1/4")),
        (interval(-2, 3) ** 2, interval(0, 9)),  # not -6..9, as the product would be
        (interval(-2, 1) ** 3, interval(-8, 1)),
        (interval(-3, -2) ** 2, interval(4, 9)),
        (interval(-2, 3) ** 0, interval(1, 1)),
        (abs(interval(-2, 3)), interval(0, 3)),
        (abs(interval(-4, 3)), interval(0, 4)),
        (abs(interval(-3, -2)), interval(2, 3)),
        (abs(interval(2, 3)), interval(2, 3)),
        (square_root(interval("9/4", 4)), interval("3/2", 2)),
        (logarithm(interval("1/8", 4)), interval(-3, 2)),
        (logarithm(point(1)), point(0)),
    ],
)
def test_operations_by_hand(got: Interval, expected: Interval) -> None:
    assert got == expected


@given(st.fractions(min_value=0, max_value=10**9, max_denominator=10**6))
def test_a_square_root_is_bounded_on_both_sides(x: Fraction) -> None:
    root = square_root(point(x))
    assert root.low**2 <= x <= root.high**2
    assert root.high - root.low <= Fraction(1, 2**60)


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**9, max_denominator=10**6))
def test_a_logarithm_is_bounded_on_both_sides(x: Fraction) -> None:
    """Against the libm logarithm, and against powers of two in whole numbers: 2^(8 log x) around x^8."""
    log = logarithm(point(x))
    assert log.high - log.low <= Fraction(1, 2**60)
    assert math.isclose(log.low, math.log2(x), rel_tol=1e-13, abs_tol=1e-13)
    assert Fraction(2) ** math.floor(8 * log.low) <= x**8 <= Fraction(2) ** math.ceil(8 * log.high)


def test_a_logarithm_is_rounded_outwards() -> None:
    """log2(3) = 1.584962500721156181453738943947816508... (OEIS A020857)."""
    log, known = logarithm(point(3)), Fraction("1.584962500721156181453738943947")
    assert log.low < known < log.high
