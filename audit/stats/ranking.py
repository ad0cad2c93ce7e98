"""Ranking claims, "A is better than B, B than C": adjacent orders, and how well two rankings agree.

Holm 1979 over the neighbours; agreement by Kendall's tau (Kendall 1938).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, permutations

from audit.stats.conjunction import sides
from audit.stats.decision import Decidable, Route
from audit.stats.multiplicity import holm
from audit.stats.order import OrderTest, order

#: 8! = 40,320 orders of tied values are enumerated; more than that get no p-value.
MOST_WITH_TIES = 8


@dataclass(frozen=True, kw_only=True)
class RankingTest(Decidable):
    """k - 1 adjacent order claims, from best to worst."""

    adjacent: tuple[OrderTest, ...]
    p_orders: tuple[float, ...]
    """Of each adjacent order, adjusted within the ranking."""
    p_reversed: tuple[float, ...]
    """Two-sided, of each reversed order, adjusted within the ranking."""


def ranking(
    systems: Sequence[Sequence[float]], *, pair: bool = False, deterministic: bool = False
) -> RankingTest:
    """Reproduced iff every adjacent order is, contradicted iff one is reversed; Holm inside, both ways.

    `systems` are the runs of each system, from the claimed best to the claimed worst. Systems with too few
    runs to decide stay in the family, and keep the ranking from being reproduced, not from being contradicted
    elsewhere. Raises ValueError for fewer than two systems, and as `order`.
    """
    if len(systems) < 2:
        raise ValueError(f"a ranking needs at least two systems, got {len(systems)}")
    adjacent = tuple(
        order(better, worse, negligible=0.0, pair=pair, deterministic=deterministic)
        for better, worse in pairwise(systems)
    )
    both = sides(adjacent)
    p_orders, p_reversed = holm(both.holds), holm(both.reversed)
    return RankingTest(
        adjacent=adjacent,
        p_orders=p_orders,
        p_reversed=p_reversed,
        p_reproduced=max(p_orders),
        contradictions=(Route(reason="reversed", p=min(p_reversed)),),
        cap=both.cap,
        exact=both.decision(holds=max(both.holds), broken=min(both.reversed), reason="in_order"),
        if_reproduced="in_order",
        if_undecided=both.undecided,
    )


# --------------------------------------------------------------------------- agreement, a description


@dataclass(frozen=True)
class Agreement:
    """How well two rankings of the same k systems agree; None where one of them ranks nothing."""

    kendall_tau: float | None
    """tau-b, which allows for ties."""
    kendall_p: float | None
    """Exact two-sided p of tau; None for more than 8 systems with ties."""
    spearman: float | None
    discordant: int
    """Pairs of systems that the two rankings order differently; ties are no difference."""


def agreement(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Kendall's tau-b and Spearman's rho of two lists of ranks or scores, both in the same direction.

        tau_b = (C - D) / sqrt((P - T1) (P - T2))     of the P = k (k - 1) / 2 pairs, T tied in one list
        p     = share of the k! orders with |C - D| at least as large (Kendall 1938)

    A description: with few systems even perfect agreement proves little, and it says nothing of sizes.
    Raises ValueError for lists of different length, fewer than two systems, or nan.
    """
    if len(first) != len(second) or len(first) < 2 or any(map(math.isnan, (*first, *second))):
        raise ValueError(f"needs two rankings of at least two systems, got {first!r} and {second!r}")
    signs = [
        (_sign(first[i] - first[j]), _sign(second[i] - second[j]))
        for i, j in combinations(range(len(first)), 2)
    ]
    score, discordant = sum(a * b for a, b in signs), sum(a * b < 0 for a, b in signs)
    untied_first, untied_second = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    if untied_first == 0 or untied_second == 0:
        return Agreement(None, None, None, discordant)
    if untied_first == untied_second == len(signs):
        p: float | None = _untied_p(len(first), abs(score))
    else:
        p = _tied_p(first, second, abs(score))
    return Agreement(
        score / math.sqrt(untied_first * untied_second), p, _correlation(first, second), discordant
    )


def midranks(values: Sequence[float]) -> list[float]:
    """1 for the smallest; tied values share the mean of their places."""
    return [sum(y < x for y in values) + (sum(y == x for y in values) + 1) / 2.0 for x in values]


def _correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Of the midranks: Spearman's rho."""
    mean = (len(first) + 1) / 2.0
    a, b = ([rank - mean for rank in midranks(values)] for values in (first, second))
    cross = math.fsum(x * y for x, y in zip(a, b, strict=True))
    return cross / math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))


@lru_cache(maxsize=64)
def _inversions(k: int) -> tuple[int, ...]:
    """How many orders of k things have 0, 1, ... inversions (Mahonian numbers)."""
    counts = [1]
    for size in range(2, k + 1):
        longer = [0] * (len(counts) + size - 1)
        for i, count in enumerate(counts):
            for shift in range(size):
                longer[i + shift] += count
        counts = longer
    return tuple(counts)


def _untied_p(k: int, score: int) -> float:
    pairs = k * (k - 1) // 2
    extreme = sum(n for d, n in enumerate(_inversions(k)) if abs(pairs - 2 * d) >= score)
    return extreme / math.factorial(k)


def _tied_p(first: Sequence[float], second: Sequence[float], score: int) -> float | None:
    if len(first) > MOST_WITH_TIES:
        return None
    pairs = [(i, j, _sign(first[i] - first[j])) for i, j in combinations(range(len(first)), 2)]
    pairs = [(i, j, sign) for i, j, sign in pairs if sign]
    orders = list(permutations(midranks(second)))
    extreme = sum(abs(sum(s * _sign(o[i] - o[j]) for i, j, s in pairs)) >= score for o in orders)
    return extreme / len(orders)


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)
