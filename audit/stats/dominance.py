"""Dominance claims, "best on every data set", "second best on at least 4 of 6": order claims counted.

Counts of data sets by partial conjunctions: Benjamini and Heller 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.conjunction import sides
from audit.stats.decision import Decidable, Route
from audit.stats.multiplicity import partial_conjunction
from audit.stats.order import OrderTest


@dataclass(frozen=True, kw_only=True)
class DominanceTest(Decidable):
    p_each: tuple[float, ...]
    """Of each data set: the winner is at the place or above."""
    p_broken: tuple[float, ...]
    """Of each data set, two-sided: it is below the place."""


def dominance(
    datasets: Sequence[Sequence[OrderTest]], *, place: int = 1, at_least: int | None = None
) -> DominanceTest:
    """`datasets` holds, for each data set, the order claims "the winner is better than this method".

    On one data set with k other methods the winner is at `place` or above iff it beats k - place + 1 of them;
    it is not iff `place` of them beat it. The claim asks for that on `at_least` of the data sets (all, when
    left out). Each count is a partial conjunction (Benjamini and Heller 2008), valid under any dependence,
    so that no further correction is needed inside; for "the best everywhere" p is the largest of all.
    Orders with too few seeds count as not shown. Raises ValueError for no data set or method, a place beyond
    the methods, or a number of data sets that there are not.
    """
    every = [sides(orders) for orders in datasets]
    count = len(every) if at_least is None else at_least
    if not 1 <= count <= len(every) or not all(1 <= place <= len(it.holds) for it in every):
        raise ValueError(f"cannot hold {count!r} of {len(every)} data sets to place {place!r}")
    p_each = tuple(partial_conjunction(it.holds, at_least=len(it.holds) - place + 1) for it in every)
    p_broken = tuple(partial_conjunction(it.reversed, at_least=place) for it in every)
    together = sides([order for orders in datasets for order in orders])
    holds = partial_conjunction(p_each, at_least=count)
    broken = partial_conjunction(p_broken, at_least=len(every) - count + 1)
    return DominanceTest(
        p_each=p_each,
        p_broken=p_broken,
        p_reproduced=holds,
        contradictions=(Route(reason="reversed", p=broken),),
        cap=together.cap,
        exact=together.decision(holds=holds, broken=broken, reason="dominates"),
        if_reproduced="dominates",
        if_undecided=together.undecided,
    )
