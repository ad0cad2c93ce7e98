"""Tests of audit.stats.margin."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.stats.margin import default, digits, field, half_gap, paper_yardstick
from audit.stats.printed import printed

GAIN = (printed("78.60"), printed("76.81"))
SMALL_GAIN = (printed("83.50"), printed("83.47"))


def test_digits_are_half_a_unit() -> None:
    assert digits(printed("83.6")) == Fraction(5, 100)
    assert digits(printed("15,449")) == Fraction(1, 2)


def test_half_of_the_smallest_improvement() -> None:
    assert half_gap([GAIN]) == Fraction(895, 1000)
    assert half_gap([GAIN, SMALL_GAIN]) == Fraction(15, 1000)


@pytest.mark.parametrize(
    ("documents", "points"),
    [(3865, "1/2"), (9999, "1/2"), (99_999, "1/2"), (100_000, "1/5"), (769_421, "1/5")],
)
def test_the_margin_of_the_field(documents: int, points: str) -> None:
    assert field(documents) == Fraction(points)


def test_the_default_is_the_smaller_rule_but_a_unit_at_least() -> None:
    assert default(printed("76.38"), documents=3865) == ("field", Fraction(1, 2))
    assert default(printed("76.38"), documents=3865, improvements=[GAIN]) == ("field", Fraction(1, 2))
    small = (printed("77.00"), printed("76.60"))
    assert default(printed("76.38"), documents=3865, improvements=[GAIN, small]) == (
        "half_gap",
        Fraction(1, 5),
    )
    assert default(printed("83.50"), documents=3865, improvements=[SMALL_GAIN]) == (
        "half_gap",
        Fraction(15, 1000),
    )
    assert default(printed("83.5"), documents=3865, improvements=[SMALL_GAIN]) == (
        "half_gap",
        Fraction(1, 10),
    )


def test_the_yardstick_is_the_largest_difference_called_similar() -> None:
    pairs = [(printed("53.9"), printed("54.2")), (printed("60.0"), printed("59.9"))]
    assert paper_yardstick(pairs) == Fraction(3, 10)
    with pytest.raises(ValueError, match="two different numbers"):
        paper_yardstick([(printed("1.0"), printed("1.00"))])
