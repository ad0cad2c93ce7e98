"""Which exact values may have been printed as a number, by each way of rounding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Literal

from audit.stats.printed import Printed

Rounding = Literal["nearest", "half_up", "half_down", "half_even", "truncate", "ceil"]
"""`nearest`: it is not known where ties go. `half_up`, `half_down`: away from zero and towards it."""

#: In the order in which they are thought of: other ways of rounding only where the usual one does not do.
PLAUSIBLE: tuple[Rounding, ...] = ("nearest", "truncate", "ceil")


@dataclass(frozen=True)
class PreImage:
    """The values that are printed as one number."""

    low: Fraction
    high: Fraction
    with_low: bool = True
    """Whether `low` itself is one of them."""
    with_high: bool = True

    def __contains__(self, value: Fraction | int) -> bool:
        above = self.low <= value if self.with_low else self.low < value
        below = value <= self.high if self.with_high else value < self.high
        return above and below

    def multiples(self, units: Fraction) -> tuple[int, int]:
        """The least and greatest whole m with m / units within; the least is greater where there is none."""
        low, high = self.low * units, self.high * units
        least, greatest = ceil(low), floor(high)
        if not self.with_low and least == low:
            least += 1
        if not self.with_high and greatest == high:
            greatest -= 1
        return least, greatest


def pre_image(number: Printed, rounding: Rounding = "nearest") -> PreImage:
    """All values that round to `number`, which is not negative: metrics, ranks and sizes are not.

    76.38 comes from 76.375..76.385 by rounding to the nearest, and from 76.38..76.39 (without that end) if
    the rest was cut off. With ties to even, both ends belong to a number whose last digit is even, and else
    neither.
    """
    v, h = number.value, number.half_unit
    if rounding == "truncate":
        return PreImage(v, v + 2 * h, with_high=False)
    if rounding == "ceil":
        return PreImage(v - 2 * h, v, with_low=False)
    if rounding == "half_even":
        even = int(v * 10**number.decimals) % 2 == 0
        return PreImage(v - h, v + h, with_low=even, with_high=even)
    return PreImage(v - h, v + h, with_low=rounding != "half_down", with_high=rounding != "half_up")
