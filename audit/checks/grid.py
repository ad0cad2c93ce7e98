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
    with_low: bool = True  # Whether `low` itself is one of them.
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


def hits(number: Printed, documents: int, rounding: Rounding = "nearest") -> range:
    """The whole numbers m of 0..N for which 100 m / N is printed as `number`; empty where there is none.

    Raises ValueError unless there are documents.
    """
    if documents < 1:
        raise ValueError(f"needs documents, got {documents!r}")
    least, greatest = pre_image(number, rounding).multiples(Fraction(documents, 100))
    return range(max(least, 0), min(greatest, documents) + 1)


def power(number: Printed, documents: int, *, roundings: int = 1) -> Fraction:
    """Chance that a number which has nothing to do with this test set is found out; 0: it cannot be.

    By the possible metric values for each printed one, which may have been made by so many `roundings`.
    """
    density = Fraction(documents, 100) / Fraction(10) ** number.decimals
    return max(Fraction(0), 1 - roundings * density)


def rounding_of(number: Printed, documents: int) -> Rounding | None:
    """The first rounding of `PLAUSIBLE` by which `number` can come from so many documents, if one does."""
    return next((rounding for rounding in PLAUSIBLE if hits(number, documents, rounding)), None)


def without_padding(column: Sequence[Printed]) -> tuple[Printed, ...]:
    """The numbers without the zeros that pad a whole column: 82.40, 68.50, 57.70 are 82.4, 68.5, 57.7.

    As many zeros are dropped as at least four fifths of the numbers end in. The others keep their digits, as
    they show that they have them.
    """
    zeros = [number.zeros_at_end for number in column]
    padding = max((z for z in zeros if sum(end >= z for end in zeros) >= PADDED * len(zeros)), default=0)
    return tuple(
        number.without_zeros(padding) if number.zeros_at_end >= padding else number for number in column
    )


@dataclass(frozen=True)
class Fingerprint:
    """One candidate number of test documents against all numbers."""

    documents: int
    feasible: int  # Numbers that so many documents can give.
    of: int
    infeasible: tuple[str, ...]  # The other numbers, as printed.
    chance_p: float  # Chance that a wrong number of documents does as well or better.
    adjusted_p: float  # The same for the best of all candidates at most (Bonferroni).


def fingerprint(numbers: Iterable[Printed], candidates: Sequence[int]) -> tuple[Fingerprint, ...]:
    """Each candidate number of documents against all `numbers`, P@1 of several systems on one test set.

    What is printed twice counts once: a copy tells no more than the number. A wrong test size N meets a
    number with d decimals by chance with probability N/(100 10^d), so that chance_p is the binomial tail
    P[Bin(R, N/(100 10^d)) >= feasible] where all R numbers have the same d.
    Raises ValueError for a candidate below 1.
    """
    distinct = list({(number.value, number.decimals): number for number in numbers}.values())
    fingerprints = []
    for documents in candidates:
        infeasible = tuple(number.text for number in distinct if not hits(number, documents))
        feasible = len(distinct) - len(infeasible)
        chance = tail([1 - power(number, documents) for number in distinct], feasible)
        adjusted = float(min(Fraction(1), len(candidates) * chance))
        fingerprints.append(
            Fingerprint(documents, feasible, len(distinct), infeasible, float(chance), adjusted)
        )
    return tuple(fingerprints)


def tail(chances: Sequence[Fraction], at_least: int) -> Fraction:
    """P[at least so many of independent events happen], exactly; the binomial tail where all chances are one.

    The number of events has the generating function prod (1 - p + p x), multiplied out in whole numbers.
    """
    counts = [1]
    for p in chances:
        miss, hit = p.denominator - p.numerator, p.numerator
        shifted = zip([*counts, 0], [0, *counts], strict=True)
        counts = [miss * same + hit * one_less for same, one_less in shifted]
    return Fraction(sum(counts[at_least:]), prod(p.denominator for p in chances))
