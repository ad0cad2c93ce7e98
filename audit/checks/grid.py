"""Granularity: P@k over N documents is a multiple of 1/(kN), so not every printed number can be one.

Brown and Heathers (2017), The GRIM test, Social Psychological and Personality Science 8(4), for means of
whole numbers; here the whole number is the hits among the first k labels of all documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.checks.rounding import PLAUSIBLE, Rounding, pre_image
from audit.stats.printed import Printed

#: Zeros at the end of this share of a column or more are taken for padding.
PADDED = Fraction(4, 5)


@dataclass(frozen=True)
class Hits:
    """The hits that would be printed as one number, all runs together."""

    m_min: int | None
    """None where no whole number of hits gives the printed number."""
    m_max: int | None
    power: Fraction
    """Chance that a number which has nothing to do with this test set is found out; 0: it cannot be."""

    @property
    def feasible(self) -> bool:
        return self.m_min is not None

    @property
    def count(self) -> int:
        return 0 if self.m_min is None or self.m_max is None else self.m_max - self.m_min + 1


@dataclass(frozen=True)
class Granularity:
    """What can be said of a number and a test set."""

    outcome: Literal["feasible", "infeasible", "untestable"]
    rounding: Rounding | None
    """How it must have been rounded: `nearest` unless only another way gives it; None if none does."""
    hits: Hits
    """By that rounding; by `nearest` if none does."""
    power: Fraction
    """Chance that a number which has nothing to do with this test set is called infeasible."""


def hits(
    number: Printed,
    *,
    documents: int,
    k: int = 1,
    runs: int = 1,
    rounding: Rounding = "nearest",
    scale: int = 100,
) -> Hits:
    """The whole numbers m of 0..kNS for which `scale` m/(kNS) is printed as `number`.

    P@k of N `documents` averaged over S `runs`, in percent (`scale` 100) or as a fraction (1). nDCG@1 is P@1;
    nDCG@k for k > 1, recall and macro F1 have no such grid.
    Raises ValueError unless documents, k and runs are positive.
    """
    if min(documents, k, runs) < 1:
        raise ValueError(f"needs documents, k and runs of at least 1, got {documents!r}, {k!r} and {runs!r}")
    total = documents * k * runs
    least, greatest = pre_image(number, rounding).multiples(Fraction(total, scale))
    least, greatest = max(least, 0), min(greatest, total)
    power = max(Fraction(0), 1 - _density(number, total, scale))
    return Hits(least, greatest, power) if least <= greatest else Hits(None, None, power)


def granularity(
    number: Printed, *, documents: int, k: int = 1, runs: int = 1, scale: int = 100
) -> Granularity:
    """Whether `number` can come from so many documents; untestable where every number can (power 0).

    Rounding to the nearest is tried first, then cutting off, then rounding up: the first that does is named.
    Together they allow for twice as many numbers as the nearest alone, which is said by `power`.
    """
    tried = {
        way: hits(number, documents=documents, k=k, runs=runs, rounding=way, scale=scale) for way in PLAUSIBLE
    }
    way = next((way for way, found in tried.items() if found.feasible), None)
    found = tried[way or "nearest"]
    power = max(Fraction(0), 1 - 2 * _density(number, documents * k * runs, scale))
    if found.power == 0:
        return Granularity("untestable", way, found, power)
    return Granularity("feasible" if way else "infeasible", way, found, power)


def without_padding(column: Sequence[Printed]) -> tuple[Printed, ...]:
    """The numbers without the zeros that pad a whole column: 82.40, 68.50, 57.70 are 82.4, 68.5, 57.7.

    As many zeros are dropped as at least four fifths of the numbers end in. The others keep their digits, as
    they show that they have them.
    """
    ended = [number.zeros_at_end for number in column]
    padding = max(
        (z for z in set(ended) if sum(end >= z for end in ended) >= PADDED * len(ended)),
        default=0,
    )
    return tuple(
        number.without_zeros(padding) if end >= padding else number
        for number, end in zip(column, ended, strict=True)
    )


def _density(number: Printed, total: int, scale: int) -> Fraction:
    """Possible metric values for each printed one, counted over the whole range."""
    return Fraction(total, scale) / Fraction(10) ** number.decimals
