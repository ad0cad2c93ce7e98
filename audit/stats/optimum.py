"""Optimum claims, "h* is best": multiple comparison with the claimed best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.stats.conjunction import Sides, sides
from audit.stats.decision import ALPHA, Decidable, Route
from audit.stats.multiplicity import holm
from audit.stats.order import order

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
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> OptimumTest:
    """One-sided Welch of `best` against each other level, Holm within the sweep (after Hsu 1984).

        contradicted             iff some level beats it
        reproduced, unique       iff it beats all others
        reproduced, among_best   iff it is not excluded at `alpha` and beats one level at least

    else inconclusive: the data name the levels that are tied. Against a single other level the claim is an
    order claim, and a contradiction is two-sided as there. Levels with too few runs stay in the family.
    Raises ValueError for fewer than two levels or a best that is none of them, and as `order`.
    """
    if best not in levels or len(levels) < 2:
        raise ValueError(f"the best of a sweep is one of two levels or more, got {best!r} of {list(levels)}")
    others = [name for name in levels if name != best]
    tests = [order(levels[best], levels[name], pair=pair, deterministic=deterministic) for name in others]
    both = sides(tests)
    beats, beaten = holm(both.holds), holm(both.worse)
    p_excluded = min(beaten) if len(others) > 1 else min(both.reversed)
    excluded = p_excluded <= alpha
    if strength == "unique":
        p_reproduced = max(beats)
    else:
        p_reproduced = 1.0 if excluded else min(beats)
    p_beats = dict(zip(others, beats, strict=True))
    return OptimumTest(
        best=best,
        p_beats=p_beats,
        p_beaten_by=dict(zip(others, beaten, strict=True)),
        tied=tuple(name for name in levels if name == best or p_beats[name] > alpha),
        excluded=excluded,
        p_reproduced=p_reproduced,
        contradictions=(Route(reason="reversed", p=p_excluded),),
        cap=both.cap,
        exact=both.decision(holds=p_reproduced, broken=p_excluded, reason=strength),
        if_reproduced=strength,
        if_undecided=_undecided(both),
    )


def _undecided(both: Sides) -> str:
    return both.undecided if both.undecided != "undecided" else "tied"
