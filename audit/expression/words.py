"""What the comparisons and the words of a sentence mean: one table, which a report can print.

`more than 17` leaves a half line of values, `about 12` a stretch around 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from audit.expression.interval import Interval

#: The end of what fits, from the number named and the unit of its last digit. Rises with the number.
Bound = Callable[[Fraction, Fraction], Fraction]


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Which values stand in this relation to a number n; without a bound, all on that side do."""

    meaning: str
    lower: Bound | None = None
    upper: Bound | None = None
    strict: bool = False
    """Whether the bounds themselves do not fit."""
    near: bool = False
    """Whether the bounds are a tenth or a unit of the last digit away, which no text says."""
    both_rounded: bool = False
    """Whether the unit is that of either side, not of n alone."""

    def can_hold(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` fits some value of `n`.

        As the bounds rise with n, what fits some n at all is one stretch, from the bound of the least n to
        that of the greatest.
        """
        above = self.lower is None or self._beyond(x.high, self.lower(n.low, unit))
        below = self.upper is None or self._beyond(self.upper(n.high, unit), x.low)
        return above and below

    def can_fail(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` does not fit some value of `n`."""
        above = self.lower is None or self._beyond(x.low, self.lower(n.high, unit))
        below = self.upper is None or self._beyond(self.upper(n.low, unit), x.high)
        return not (above and below)

    def _beyond(self, greater: Fraction, less: Fraction) -> bool:
        return greater > less if self.strict else greater >= less

    def width(self, n: Fraction, unit: Fraction) -> str:
        """How far from n still fits, in words; empty where the word itself says it."""
        if not self.near:
            return ""
        return ", 10 % away at most" if abs(n) / 10 >= unit else ", one unit of the last digit away at most"

    def fitting(self, n: Interval, unit: Fraction) -> Interval | None:
        """What fits, where that is a stretch with two ends: 10.8..13.2 for `about 12`."""
        if self.lower is None or self.upper is None:
            return None
        return Interval(self.lower(n.low, unit), self.upper(n.high, unit))


def _tenth(n: Fraction, unit: Fraction) -> Fraction:
    return max(abs(n) / 10, unit)


_ABOVE = Relation(meaning="above n", lower=lambda n, unit: n, strict=True)
_FROM = Relation(meaning="n or above", lower=lambda n, unit: n)
_BELOW = Relation(meaning="below n", upper=lambda n, unit: n, strict=True)
_UP_TO = Relation(meaning="n or below", upper=lambda n, unit: n)

#: The table. "Last digit" is that of a number in the expression or of a printed cell; computed numbers and
#: names have none.
RELATIONS: Mapping[str, Relation] = {
    ">": _ABOVE,
    ">=": _FROM,
    "<": _BELOW,
    "<=": _UP_TO,
    "=": Relation(
        meaning="the same number, once both are rounded to as many digits as the coarser one shows",
        lower=lambda n, unit: n - unit / 2,
        upper=lambda n, unit: n + unit / 2,
        both_rounded=True,
    ),
    "more than": _ABOVE,
    "at least": _FROM,
    "less than": _BELOW,
    "at most": _UP_TO,
    "about": Relation(
        meaning="within 10 % of n or one unit of its last digit, whichever is more",
        lower=lambda n, unit: n - _tenth(n, unit),
        upper=lambda n, unit: n + _tenth(n, unit),
        near=True,
    ),
    "nearly": Relation(
        meaning="from 10 % below n, or one unit of its last digit if that is more, up to what rounds to n",
        lower=lambda n, unit: n - _tenth(n, unit),
        upper=lambda n, unit: n + unit / 2,
        near=True,
    ),
}
