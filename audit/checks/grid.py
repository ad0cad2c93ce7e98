"""Granularity: P@1 over N documents is a multiple of 1/N, so not every printed number can be one.

Brown and Heathers (2017), The GRIM test, Social Psychological and Personality Science 8(4), for means of
whole numbers; here the whole number is the documents whose first label is right. Of all P@1 of a table
together: which number of test documents they can have come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from typing import Literal

from audit.stats.printed import Printed

Rounding = Literal["nearest", "truncate", "ceil"]
"""`nearest`: it is not known where ties go."""

#: In the order in which they are thought of: other ways of rounding only where the usual one does not do.
PLAUSIBLE: tuple[Rounding, ...] = ("nearest", "truncate", "ceil")
#: Zeros at the end of this share of a column or more are taken for padding.
PADDED = Fraction(4, 5)


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
        least += not self.with_low and least == low
        greatest -= not self.with_high and greatest == high
        return least, greatest


def pre_image(number: Printed, rounding: Rounding = "nearest") -> PreImage:
    """All values that round to `number`, which is not negative: metrics, ranks and sizes are not.

    76.38 comes from 76.375..76.385 by rounding to the nearest, and from 76.38..76.39 (without that end) if
    the rest was cut off.
    """
    v, h = number.value, number.half_unit
    if rounding == "truncate":
        return PreImage(v, v + 2 * h, with_high=False)
    if rounding == "ceil":
        return PreImage(v - 2 * h, v, with_low=False)
    return PreImage(v - h, v + h)


@dataclass(frozen=True)
class Hits:
    """The numbers of right documents that would be printed as one number."""

    least: int
    """Greater than `most` where no whole number of hits gives the printed number."""
    most: int
    power: Fraction
    """Chance that a number which has nothing to do with this test set is found out; 0: it cannot be."""

    @property
    def feasible(self) -> bool:
        return self.least <= self.most


def hits(number: Printed, documents: int, rounding: Rounding = "nearest") -> Hits:
    """The whole numbers m of 0..N for which 100 m / N is printed as `number`.

    Raises ValueError unless there are documents.
    """
    if documents < 1:
        raise ValueError(f"needs documents, got {documents!r}")
    least, greatest = pre_image(number, rounding).multiples(Fraction(documents, 100))
    return Hits(max(least, 0), min(greatest, documents), max(Fraction(0), 1 - _density(number, documents)))


def _density(number: Printed, documents: int) -> Fraction:
    """Possible metric values for each printed one, counted over the whole range."""
    return Fraction(documents, 100) / Fraction(10) ** number.decimals


@dataclass(frozen=True)
class Granularity:
    """What can be said of a number and a test set."""

    outcome: Literal["feasible", "infeasible", "untestable"]
    rounding: Rounding | None
    """How it must have been rounded: `nearest` unless only another way gives it; None if none does."""
    nearest_power: Fraction
    """As `Hits.power`, of rounding to the nearest or as `rounding` says."""
    power: Fraction
    """Chance that a number which has nothing to do with this test set is called infeasible."""


def granularity(number: Printed, documents: int) -> Granularity:
    """Whether `number` can come from so many documents; untestable where every number can (power 0).

    Rounding to the nearest is tried first, then cutting off, then rounding up: the first that does is named.
    Together they allow for twice as many numbers as the nearest alone, which is said by `power`.
    """
    way = next((way for way in PLAUSIBLE if hits(number, documents, way).feasible), None)
    nearest_power = hits(number, documents, way or "nearest").power
    power = max(Fraction(0), 1 - 2 * _density(number, documents))
    outcome: Literal["feasible", "infeasible"] = "feasible" if way else "infeasible"
    return Granularity(outcome if nearest_power else "untestable", way, nearest_power, power)


def without_padding(column: Sequence[Printed]) -> tuple[Printed, ...]:
    """The numbers without the zeros that pad a whole column: 82.40, 68.50, 57.70 are 82.4, 68.5, 57.7.

    As many zeros are dropped as at least four fifths of the numbers end in. The others keep their digits, as
    they show that they have them.
    """
    ended = [number.zeros_at_end for number in column]
    shared = (z for z in set(ended) if sum(end >= z for end in ended) >= PADDED * len(ended))
    padding = max(shared, default=0)
    return tuple(
        number.without_zeros(padding) if end >= padding else number
        for number, end in zip(column, ended, strict=True)
    )


@dataclass(frozen=True)
class Fingerprint:
    """One candidate number of test documents against all numbers."""

    documents: int
    feasible: int
    """Numbers that so many documents can give."""
    of: int
    infeasible: tuple[str, ...]
    """The other numbers, as printed."""
    chance_p: float
    """Chance that a wrong number of documents does as well or better."""
    adjusted_p: float
    """The same for the best of all candidates at most (Bonferroni)."""


def fingerprint(numbers: Iterable[Printed], candidates: Sequence[int]) -> tuple[Fingerprint, ...]:
    """Each candidate number of documents against all `numbers`, P@1 of several systems on one test set.

    What is printed twice counts once: a copy tells no more than the number. A wrong test size N meets a
    number with d decimals by chance with probability N/(100 10^d), so that chance_p is the binomial tail
    P[Bin(R, N/(100 10^d)) >= feasible] where all R numbers have the same d.
    Raises ValueError for a candidate below 1.
    """
    distinct = list({(number.value, number.decimals): number for number in numbers}.values())
    found = []
    for documents in candidates:
        each = [hits(number, documents) for number in distinct]
        feasible = sum(it.feasible for it in each)
        chance = tail([1 - it.power for it in each], feasible)
        infeasible = (number.text for number, it in zip(distinct, each, strict=True) if not it.feasible)
        adjusted = min(Fraction(1), len(candidates) * chance)
        found.append(
            Fingerprint(documents, feasible, len(each), tuple(infeasible), float(chance), float(adjusted))
        )
    return tuple(found)


def tail(chances: Sequence[Fraction], at_least: int) -> Fraction:
    """P[at least so many of independent events happen], exactly; the binomial tail where all chances are one.

    The number of events has the generating function prod (1 - p + p x), multiplied out in whole numbers.
    """
    ways = [1]
    for p in chances:
        miss, hit = p.denominator - p.numerator, p.numerator
        ways = [miss * same + hit * one_less for same, one_less in zip([*ways, 0], [0, *ways], strict=True)]
    return Fraction(sum(ways[at_least:]), prod(p.denominator for p in chances))
