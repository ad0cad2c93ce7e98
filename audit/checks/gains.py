"""Gains between printed numbers, in points and in percent, with their rounding; by interval arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from audit.expression import functions
from audit.expression.interval import Interval
from audit.stats.printed import Printed, gap


@dataclass(frozen=True)
class Gain:
    """A gain in both readings; a sentence that gives a number holds if either fits."""

    printed_points: Fraction
    """The difference of the printed values."""
    points: Interval
    """new - old, given the rounding of both."""
    percent: Interval
    """100 (new - old) / old, given the rounding of both."""

    def fits(self, low: Fraction | int, high: Fraction | int) -> bool:
        """Whether the gain can be of `low`..`high`, in points or in percent."""
        return any(low <= it.high and it.low <= high for it in (self.points, self.percent))


def gain(new: Printed, old: Printed) -> Gain:
    """What is gained from `old` to `new`. Raises `UndefinedError` where `old` can be 0 before rounding."""
    a, b = Interval(*new.interval), Interval(*old.interval)
    return Gain(gap(new, old), functions.gain(a, b), functions.relative_gain(a, b))
