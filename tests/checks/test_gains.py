"""Gains in points and percent, with the rounding of both numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.checks.gains import gain
from audit.expression import UndefinedError
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("relative_improvement")
def test_reference_cases(case: dict[str, Any]) -> None:
    found = gain(printed(case["inputs"]["new"]), printed(case["inputs"]["old"]))
    golden.check(
        case,
        relative_percent=[float(found.percent.low), float(found.percent.high)],
        absolute_points=[float(found.printed_points)],
    )


def test_the_intervals_hold_all_that_can_be_rounded_so_and_no_more() -> None:
    """By hand: 2.0 against 1.0 is from 1.95/1.05 to 2.05/0.95, and 0.9..1.1 points."""
    found = gain(printed("2.0"), printed("1.0"))
    assert (found.points.low, found.points.high) == (Fraction("0.9"), Fraction("1.1"))
    assert found.percent.low == 100 * (Fraction("1.95") / Fraction("1.05") - 1)
    assert found.percent.high == 100 * (Fraction("2.05") / Fraction("0.95") - 1)


@pytest.mark.parametrize(
    ("low", "high", "fits"),
    [
        (1, 10, False),  # "1 % to 10 %" of 83.6 against 83.03: 0.57 points, 0.62..0.75 %
        (0, 1, True),
        (Fraction("0.62"), Fraction("0.63"), True),
        (Fraction("0.52"), Fraction("0.53"), True),  # 83.55 - 83.025 points
        (Fraction("0.76"), 1, False),
    ],
)
def test_a_sentence_fits_in_either_reading(low: int, high: int, fits: bool) -> None:
    assert gain(printed("83.6"), printed("83.03")).fits(low, high) == fits


def test_there_is_no_relative_gain_over_what_may_be_nothing() -> None:
    with pytest.raises(UndefinedError, match="contains 0"):
        gain(printed("1.0"), printed("0.0"))
