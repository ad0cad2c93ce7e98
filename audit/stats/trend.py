"""Trend claims, "the metric rises along the sweep": Page's exact test, and no step clearly back.

Page 1963.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from audit.stats.conjunction import sides
from audit.stats.decision import ALPHA, Decidable, Route
from audit.stats.multiplicity import holm
from audit.stats.order import OrderTest, order
from audit.stats.ranking import midranks
from audit.stats.sample import small_sample_cap

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The exact law of one block visits 2^m sets of levels.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Page:
    L: float
    p: float
    """Exact one-sided p of "no rising trend"."""


def page(blocks: Sequence[Sequence[float]]) -> Page:
    """Page's L of `blocks` (seeds x levels), the levels in the order in which they are claimed to rise.

        L = sum over blocks of sum_j j r_j       r_j the rank of level j within its block (Page 1963)

    The p-value is exact: all orders of each block's ranks are equally likely under the null, and blocks are
    independent. Ties get midranks, and the law is that of the midranks. A block need not be a real pairing:
    under the null any one run of each level can make one.
    Raises ValueError for no block, blocks of different length, fewer than 2 or more than 12 levels, or nan.
    """
    levels = {len(block) for block in blocks}
    if len(levels) != 1 or not 2 <= max(levels) <= MOST_LEVELS:
        raise ValueError(
            f"Page's test needs blocks of 2 to {MOST_LEVELS} levels, got lengths {sorted(levels)}"
        )
    if any(math.isnan(x) for block in blocks for x in block):
        raise ValueError("Page's test needs numbers, got nan")
    import numpy as np  # not at the top, as scipy in `student`

    doubled = [tuple(round(2.0 * rank) for rank in midranks(block)) for block in blocks]
    total = sum(j * r for ranks in doubled for j, r in enumerate(ranks, start=1))
    law: NDArray[Any] = np.ones(1)
    for ranks in doubled:
        law = np.convolve(law, _law(tuple(sorted(ranks))))
    return Page(L=total / 2.0, p=min(1.0, float(law[total:].sum())))


@lru_cache(maxsize=64)
def _law(ranks: tuple[int, ...]) -> NDArray[Any]:
    """P[sum_j j r_j = s] for s = 0, 1, ..., when the ranks (integers) come in random order.

    By sets of ranks already placed: 2^m of them instead of m! orders.
    """
    import numpy as np

    m, most = len(ranks), sum(j * r for j, r in enumerate(ranks, start=1))
    ways: list[NDArray[Any]] = [np.zeros(most + 1) for _ in range(2**m)]
    ways[0][0] = 1.0
    for chosen in range(2**m):
        position = chosen.bit_count() + 1
        for i, rank in enumerate(ranks):
            if not chosen >> i & 1:
                step = position * rank
                ways[chosen | 1 << i][step:] += ways[chosen][: most + 1 - step]
    law: NDArray[Any] = ways[-1] / math.factorial(m)
    return law


@dataclass(frozen=True, kw_only=True)
class TrendTest(Decidable):
    """A sweep of m levels, in the order in which they are claimed to rise."""

    L: float
    p_trend: float
    p_opposite: float
    """One-sided p of Page's test for the opposite trend."""
    adjacent: tuple[OrderTest, ...]
    p_steps_back: tuple[float, ...]
    """Two-sided, of each step backwards, adjusted within the sweep."""


def trend(
    levels: Sequence[Sequence[float]],
    *,
    rising: bool = True,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> TrendTest:
    """`levels` (levels x seeds, the same seeds in the same order in each) along the sweep.

        reproduced     iff Page's p <= alpha and no adjacent pair is significantly reversed (Holm)
        contradicted   iff 2 p of the opposite trend <= alpha (`reversed`), or an adjacent pair is
                       significantly reversed (Holm, two-sided; `step_back`)

    A flat sweep gives either route with alpha / 2 at most. Fewer than 3 seeds never decide: the chance of the
    claimed order of one run a level is 1 / m!. `pair` says whether the adjacent levels are compared by pairs.
    Raises ValueError for levels of different length, as `page`, and as `order`.
    """
    if len({len(runs) for runs in levels}) != 1:
        raise ValueError(f"a trend needs the same seeds at every level, got {[len(x) for x in levels]} runs")
    climb = list(levels) if rising else list(reversed(levels))
    blocks = list(zip(*climb, strict=True))
    up, down = page(blocks), page([block[::-1] for block in blocks])
    adjacent = tuple(
        order(after, before, negligible=0.0, pair=pair, deterministic=deterministic)
        for before, after in pairwise(climb)
    )
    both = sides(adjacent)
    back = holm(both.reversed)
    still = all(cap == "no_spread" for cap in both.caps)
    return TrendTest(
        L=up.L,
        p_trend=up.p,
        p_opposite=down.p,
        adjacent=adjacent,
        p_steps_back=back,
        p_reproduced=1.0 if min(back) <= alpha else up.p,
        contradictions=(
            Route(reason="reversed", p=min(1.0, 2.0 * down.p)),
            Route(reason="step_back", p=min(back)),
        ),
        cap=None if both.exact else small_sample_cap(len(blocks), still=still),
        exact=both.decision(holds=max(both.holds), broken=min(both.reversed), reason="trend"),
        if_reproduced="trend",
    )
