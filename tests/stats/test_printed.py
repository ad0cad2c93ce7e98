"""Tests of audit.stats.printed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.stats.printed import gap, printed, printed_count


@pytest.mark.parametrize(
    ("text", "value", "decimals", "half_unit"),
    [
        ("76.38", Fraction(7638, 100), 2, Fraction(1, 200)),
        ("83.5", Fraction(835, 10), 1, Fraction(1, 20)),
        ("0", Fraction(0), 0, Fraction(1, 2)),
        ("15,449", Fraction(15449), 0, Fraction(1, 2)),
        ("15449", Fraction(15449), 0, Fraction(1, 2)),
        ("0.0638", Fraction(638, 10000), 4, Fraction(1, 20000)),
        ("+1.2", Fraction(12, 10), 1, Fraction(1, 20)),
        (" 76.38 ", Fraction(7638, 100), 2, Fraction(1, 200)),
    ],
)
def test_a_printed_number_is_read_exactly(
    text: str, value: Fraction, decimals: int, half_unit: Fraction
) -> None:
    got = printed(text)
    assert (got.value, got.decimals, got.half_unit) == (value, decimals, half_unit)
    assert got.interval == (value - half_unit, value + half_unit)
    assert got.percent == ("%" in text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "-", "--", "\N{EN DASH}", "n/a", "nan", "inf", "%"),
        "83.",  # digits lost in transcription
        *("76,38", "1,2345", "0,123", "12,34,567", ",5"),  # decimal comma, groups that are not of three
        *(
            "1e-3",
            "76.38 +- 0.2",
            "76.38\N{PLUS-MINUS SIGN}0.2",
            "76.38*",
            "1 234",
            "7 6.38",
            "12%%",
            "1.2.3",
        ),
        "\N{ARABIC-INDIC DIGIT SEVEN}",
    ],
)
def test_anything_but_one_plain_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a printed decimal number"):
        printed(text)


def test_a_gap_is_exact() -> None:
    """78.60 - 76.81 is 1.789999999999992 in floating point."""
    assert gap(printed("78.60"), printed("76.81")) == Fraction(179, 100)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3,865", "3864.5", "3865.5"),
        ("3,200", "3150", "3250"),
        ("about 3,200", "3150", "3250"),
        ("~3,865", "3860", "3870"),
        ("5.30", "5.295", "5.305"),
    ],
)
def test_a_count_that_may_be_rounded_stands_for_all_that_rounds_to_it(text: str, low: str, high: str) -> None:
    assert printed_count(text).interval == (Fraction(low), Fraction(high))
    assert printed_count(text).text == text
