"""Tests of audit.stats.margin."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.stats.decision import Outcome
from audit.stats.margin import LENIENT, SHOWN, default, digits, field, half_gap, outcome_at, paper_yardstick
from audit.stats.printed import Printed, printed
from audit.stats.value import value

GAIN = (printed("78.60"), printed("76.81"))
SMALL_GAIN = (printed("83.50"), printed("83.47"))


def test_digits_are_half_a_unit() -> None:
    assert digits(printed("83.6")) == Fraction(5, 100)
    assert digits(printed("15,449")) == Fraction(1, 2)


def test_half_of_the_smallest_improvement() -> None:
    assert half_gap([GAIN]) == Fraction(895, 1000)
    assert half_gap([GAIN, SMALL_GAIN]) == Fraction(15, 1000)


@pytest.mark.parametrize(
    "gaps", [[], [(printed("1.0"), printed("1.0"))], [GAIN, (printed("1.0"), printed("2.0"))]]
)
def test_no_improvement_gives_no_half_gap(gaps: list[tuple[Printed, Printed]]) -> None:
    with pytest.raises(ValueError, match="improvements above 0"):
        half_gap(gaps)


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


@pytest.mark.parametrize(
    ("margin", "outcome"),
    [(0.5, "inconclusive"), (1.02, "inconclusive"), (1.02144292, "reproduced"), (1.1, "reproduced")],
)
def test_the_outcome_at_another_margin(margin: float, outcome: Outcome) -> None:
    """The band of the worked example, 76.38 against [75.50, 75.83, 75.96]."""
    assert outcome_at(margin, reproduced_from=1.02144292, contradicted_up_to=0.0) == outcome


def test_a_margin_up_to_which_it_is_contradicted() -> None:
    assert outcome_at(1.7, reproduced_from=2.4, contradicted_up_to=1.72891512) == "contradicted"
    assert outcome_at(1.73, reproduced_from=2.4, contradicted_up_to=1.72891512) == "inconclusive"


def test_without_a_band_nothing_is_decided_at_any_margin() -> None:
    assert outcome_at(0.0, reproduced_from=1.0, contradicted_up_to=0.0) == "inconclusive"
    assert outcome_at(9.0, reproduced_from=None, contradicted_up_to=None) == "inconclusive"


@pytest.mark.parametrize("margin", [*map(float, SHOWN), float(LENIENT), 1.6, 1.8, 2.5])
def test_the_band_says_what_the_test_at_that_margin_says(margin: float) -> None:
    runs = [73.9, 74.28, 74.05, 74.31, 74.12]
    band = value(runs, reported=printed("76.38"), margin=0.5)
    there = value(runs, reported=printed("76.38"), margin=margin)
    at = outcome_at(margin, reproduced_from=band.reproduced_from, contradicted_up_to=band.contradicted_up_to)
    assert at == there.decide().outcome
