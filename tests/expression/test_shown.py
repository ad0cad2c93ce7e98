"""Tests of audit.expression.shown."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.shown import decimal, shown


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("11.8936627", "11.9470703", "11.894..11.947"),
        ("10.8", "13.2", "10.8..13.2"),
        ("4.72", "4.74", "4.72..4.74"),
        ("-10.67173", "-10.62915", "-10.672..-10.629"),
        ("15448.5", "15449.5", "15448.5..15449.5"),
        ("15833911.5", "15833912.5", "15833911.5..15833912.5"),
        ("3", "3", "3"),
        ("1/3", "1/3", "0.333333"),
        ("200/3", "200/3", "66.6667"),
        ("0", "0", "0"),
        ("-1/3000", "-1/3000", "-0.000333333"),
        ("1.41421356237309504876", "1.41421356237309504882", "1.4142135624"),  # one number, to a reader
        (str(10**30), str(10**30), "1.00000e+30"),
        ("1e20", "1e20", "100000000000000000000"),
    ],
)
def test_ranges_have_two_digits_or_more_of_their_width(low: str, high: str, text: str) -> None:
    assert shown(Fraction(low), Fraction(high)) == text


@pytest.mark.parametrize(
    ("low", "high", "against", "text"),
    [
        ("3.5", "3.99996", "4", "3.5..3.99996"),
        ("3.5", "3.99996", "5", "3.5..4.00"),
        ("4.0004", "6", "4", "4.0004..6"),
        ("4", "6", "4", "4..6"),
    ],
)
def test_rounding_does_not_move_an_end_onto_a_bound(low: str, high: str, against: str, text: str) -> None:
    assert shown(Fraction(low), Fraction(high), against=[Fraction(against)]) == text


def test_zeros_are_dropped_only_where_nothing_is_lost() -> None:
    assert decimal(Fraction("11.9"), 3) == "11.9"
    assert decimal(Fraction("11.9003"), 3) == "11.900"
    assert decimal(Fraction("-0.0003"), 3) == "0.000"
    assert decimal(Fraction(120), 0) == "120"
    assert decimal(Fraction(120), 2) == "120"


@given(st.fractions(min_value=-(10**6), max_value=10**6), st.fractions(min_value=0, max_value=1000))
def test_the_text_is_within_a_hundredth_of_the_width(low: Fraction, width: Fraction) -> None:
    ends = shown(low, low + width).split("..")
    tolerance = max(width / 10, abs(low) * Fraction(1, 10**5), Fraction(1, 10**5))
    assert abs(Fraction(ends[0]) - low) <= tolerance
    assert abs(Fraction(ends[-1]) - low - width) <= tolerance
