"""Granularity: which printed values of P@k can come from N documents at all.

The mean of N documents times k ranks, over S runs, is 100 m / (k N S) percent with a whole m: a grid. A
printed value stands for an interval of numbers; it is feasible if a grid point lies in it. The idea is that
of the GRIM test (Brown and Heathers 2017), for ranking metrics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.stats.printed import Printed, printed

Rounding = Literal["nearest", "half_up", "half_down", "half_even", "truncate", "ceil"]


@dataclass(frozen=True)
class Grid:
    """Whether a printed value lies on the grid, and where."""

    feasible: bool
    m_min: int | None
    m_max: int | None
    power: float
    """Chance that a value with random last digits is seen to be off: no grid point rounds to it."""

    @property
    def count(self) -> int:
        """How many grid points print like this."""
        return 0 if self.m_min is None or self.m_max is None else self.m_max - self.m_min + 1


def on_grid(
    number: Printed,
    *,
    documents: int,
    k: int = 1,
    runs: int = 1,
    rounding: Rounding = "nearest",
    scale: int = 100,
) -> Grid:
    """The hits m with 100 m / (k documents runs) printed as `number`, in exact fractions of the string.

    `scale` is 100 for percent, 1 for shares; `nearest` is the rule where nobody knows how ties are rounded.
    """
    points = documents * k * runs
    low, high, low_closed, high_closed = _preimage(number, rounding)
    first = _first_at_least(low * points / scale, closed=low_closed)
    last = _last_at_most(high * points / scale, closed=high_closed)
    first, last = max(first, 0), min(last, points)
    power = max(0.0, 1 - points / (scale * 10**number.decimals))
    if first > last:
        return Grid(False, None, None, power)
    return Grid(True, first, last, power)


def _preimage(number: Printed, rounding: Rounding) -> tuple[Fraction, Fraction, bool, bool]:
    """The numbers that print so: lower and upper end, and whether each belongs to them."""
    value, half, unit = number.value, number.half_unit, 2 * number.half_unit
    if rounding == "truncate":
        return value, value + unit, True, False
    if rounding == "ceil":
        return value - unit, value, False, True
    even = (value / unit) % 2 == 0
    closed = {
        "nearest": (True, True),
        "half_up": (True, False),
        "half_down": (False, True),
        "half_even": (even, even),
    }
    return value - half, value + half, *closed[rounding]


def _first_at_least(bound: Fraction, *, closed: bool) -> int:
    return math.ceil(bound) if closed else math.floor(bound) + 1


def _last_at_most(bound: Fraction, *, closed: bool) -> int:
    return math.floor(bound) if closed else math.ceil(bound) - 1


Fit = Literal["nearest", "truncate", "ceil"]
FITS: tuple[Fit, ...] = ("nearest", "truncate", "ceil")


def fit(number: Printed, *, documents: int, k: int = 1, runs: int = 1) -> Fit | None:
    """How the value comes from so many documents: by rounding, else by cutting, else not at all."""
    for rounding in FITS:
        if on_grid(number, documents=documents, k=k, runs=runs, rounding=rounding).feasible:
            return rounding
    return None


def without_padding(numbers: Sequence[Printed]) -> Sequence[Printed]:
    """The numbers less one decimal where at least four in five of them end in 0: a source with fewer digits.

    Few numbers that all end in 0 by chance are rare: 1 in 10 000 for four, so from four numbers on.
    """
    ending = sum(_ends_in_zero(number) for number in numbers)
    if len(numbers) < 4 or ending < 0.8 * len(numbers):
        return numbers
    return [
        printed(number.text.rstrip("% ")[:-1].rstrip(".")) if _ends_in_zero(number) else number
        for number in numbers
    ]


def _ends_in_zero(number: Printed) -> bool:
    return number.decimals > 0 and number.text.rstrip("% ").endswith("0")


@dataclass(frozen=True)
class Candidate:
    """How a set of printed P@1 values goes with one number of test documents."""

    documents: int
    feasible: int
    of: int
    infeasible: tuple[str, ...]
    """The values that cannot come from so many documents by rounding, as printed."""
    chance: float
    """Chance that a wrong number of documents does as well: P(Binomial(R, N / 10^d) >= feasible)."""
    chance_adjusted: float
    """The same, times the number of candidates (Bonferroni)."""


def fingerprint(numbers: Sequence[Printed], candidates: Sequence[int]) -> Mapping[int, Candidate]:
    """Each candidate number of test documents against the same P@1 values."""
    return {documents: _candidate(numbers, documents, len(candidates)) for documents in candidates}


def _candidate(numbers: Sequence[Printed], documents: int, candidates: int) -> Candidate:
    grids = [(number, on_grid(number, documents=documents)) for number in numbers]
    infeasible = tuple(number.text for number, grid in grids if not grid.feasible)
    feasible = len(numbers) - len(infeasible)
    chance = _at_least(feasible, [1 - grid.power for _, grid in grids])
    return Candidate(documents, feasible, len(numbers), infeasible, chance, min(1.0, candidates * chance))


def _at_least(count: int, chances: Sequence[float]) -> float:
    """P(at least `count` of independent events), each with its chance: the Poisson binomial tail."""
    exactly = [1.0]
    for p in chances:
        padded = [0.0, *exactly, 0.0]
        exactly = [(1 - p) * padded[i + 1] + p * padded[i] for i in range(len(exactly) + 1)]
    return min(1.0, math.fsum(exactly[count:]))
