"""Optimum claims, "h* is best": multiple comparison with the claimed best.

Multiple comparison with the best, after Hsu 1984.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.stats.conjunction import Sides, sides
from audit.stats.decision import ALPHA, Decidable, Route
from audit.stats.multiplicity import holm
from audit.stats.order import OrderTest, order
from audit.stats.sample import SAME
from audit.stats.student import upper_tail

Strength = Literal["unique", "among_best"]


@dataclass(frozen=True, kw_only=True)
class OptimumTest(Decidable):
    """The claimed best level against each of the others."""

    best: str
    p_beats: Mapping[str, float]
    """One-sided, of "the best beats this level", adjusted within the sweep."""
    p_beaten_by: Mapping[str, float]
    """One-sided, of "this level beats the best", adjusted within the sweep."""
    tied: tuple[str, ...]
    """The best, and the levels that it is not shown to beat, in the order of the sweep."""
    excluded: bool
    """Some level beats it."""


def optimum(
    levels: Mapping[str, Sequence[float]],
    *,
    best: str,
    strength: Strength = "unique",
    margin: float | None = None,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> OptimumTest:
    """One-sided Welch of `best` against each other level, Holm within the sweep (after Hsu 1984).

        unique       reproduced iff it beats all others; contradicted iff some level beats it
        among_best   reproduced iff no level is better by the margin D or more, and one at least is beaten;
                     contradicted iff some level is better by more than D

    else inconclusive: the data name the levels that are tied. That no level is better by D must be shown for
    each (P[t >= (d + D) / se] <= alpha; all must hold, so the largest p counts). That none is shown to be
    better would not do: three seeds of SD 0.3 overlook a level that is 0.5 better in 3 of 4 sweeps.
    Against a single other level the claim is an order claim, and a contradiction is two-sided as there.
    Levels with too few runs stay in the family.
    Raises ValueError for fewer than two levels, a best that is none of them, `among_best` without a margin
    above 0, and as `order`.
    """
    if best not in levels or len(levels) < 2:
        raise ValueError(f"the best of a sweep is one of two levels or more, got {best!r} of {list(levels)}")
    if strength == "among_best" and not (margin and margin > 0.0):
        raise ValueError(f"among the best by what margin? It is above 0, got {margin!r}")
    others = [name for name in levels if name != best]
    tests = [
        order(levels[best], levels[name], negligible=0.0, pair=pair, deterministic=deterministic)
        for name in others
    ]
    both = sides(tests)
    beats, beaten = holm(both.holds), holm(both.worse)
    excluded = (min(beaten) if len(others) > 1 else min(both.reversed)) <= alpha
    if strength == "unique":
        p_reproduced, far = max(beats), both.worse
    else:
        within, far = zip(*(_margins(test, margin or 0.0) for test in tests), strict=True)
        p_reproduced = max(min(beats), *within)
    p_beaten = min(holm(far)) if len(others) > 1 else min(1.0, 2.0 * far[0])
    p_beats = dict(zip(others, beats, strict=True))
    return OptimumTest(
        best=best,
        p_beats=p_beats,
        p_beaten_by=dict(zip(others, beaten, strict=True)),
        tied=tuple(name for name in levels if name == best or p_beats[name] > alpha),
        excluded=excluded,
        p_reproduced=p_reproduced,
        contradictions=(Route(reason="reversed", p=p_beaten),),
        cap=both.cap,
        exact=both.decision(holds=p_reproduced, broken=p_beaten, reason=strength),
        if_reproduced=strength,
        if_undecided=_undecided(both),
    )


def _margins(test: OrderTest, margin: float) -> tuple[float, float]:
    """One-sided p of "the level is better by the margin or more", and of "by the margin or less"."""
    if test.exact is not None:
        far = test.difference < -margin - SAME
        return float(far), float(not far)
    if test.cap is not None or test.se is None or test.df is None:
        return 1.0, 1.0
    distance = test.difference + margin
    return upper_tail(distance, test.se, test.df), upper_tail(-distance, test.se, test.df)


def _undecided(both: Sides) -> str:
    return both.undecided if both.undecided != "undecided" else "tied"
