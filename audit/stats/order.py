"""Order claims, "A is better than B": Welch's t (Welch 1947), or Student's of the pairs (Student 1908)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.decision import ALPHA, Decidable, Decision, Route
from audit.stats.difference import paired, welch
from audit.stats.sample import SAME


@dataclass(frozen=True, kw_only=True)
class OrderTest(Decidable):
    """The comparison of two arms, better minus worse; None where an arm gives no variance."""

    difference: float
    se: float | None = None
    df: float | None = None
    ci90: tuple[float, float] | None = None
    ci95: tuple[float, float] | None = None
    p_reversed: float | None = None
    """Two-sided p of the reversed order."""
    p_worse: float | None = None
    """One-sided p of the reversed order: of "the first is at least as good"."""
    p_negligible: float | None = None
    """TOST p of a difference within `negligible`."""


#: Stands in a family for a comparison that was claimed and not made: neither side of it is shown.
UNTRIED = OrderTest(difference=0.0, cap="not_run")


def order(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    printed_gap: float | None = None,
    negligible: float = 0.1,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> OrderTest:
    """The direction of a difference, by Welch's t or, with `pair`, by the t of the pairs.

        p_rep = P[t >= d / se]                       small iff better at all
        p_con = min(1, 2 P[t >= (d0 - d) / se])      small iff better by less than d0, or worse

        reproduced (direction)               p_rep is small, and p_con is not
        inconclusive (negligible_gain)       both are small: better, by a size that hardly matters
        contradicted (reversed, negligible)  p_con is small, and p_rep is not; reversed where worse than 0
        inconclusive                         neither

    d0 = `negligible` points, or 0 where the paper itself prints a gap of no more than twice that. Confirming
    is one-sided, contradicting two-sided: accusing is harder.
    Fewer than 3 runs in an arm (or pairs) never decide, nor do two arms without any spread, unless they are
    declared `deterministic`: then the difference is exact.
    Raises ValueError for an empty arm, nan or infinity, pairs of unequal arms, or a negative `negligible`.
    """
    if not (math.isfinite(negligible) and negligible >= 0.0):
        raise ValueError(f"a negligible difference is a number of points, at least 0, got {negligible!r}")
    d = paired(better, worse) if pair else welch(better, worse)
    least = 0.0 if printed_gap is not None and printed_gap <= 2.0 * negligible else negligible
    if deterministic and d.still:
        return OrderTest(difference=d.value, se=0.0, exact=_exact(d.value, least=least))
    if not d.estimated:
        return OrderTest(difference=d.value, se=d.se, df=d.df, cap=d.cap)
    p_worse = d.below(0.0)
    p_reversed = min(1.0, 2.0 * p_worse)
    p_negligible = max(d.above(-negligible), d.below(negligible))
    routes = [Route(reason="reversed", p=p_reversed)]
    if least:
        routes.append(Route(reason="negligible", p=min(1.0, 2.0 * d.below(least))))
    return OrderTest(
        difference=d.value,
        se=d.se,
        df=d.df,
        ci90=d.interval(1.0 - 2.0 * alpha),
        ci95=d.interval(1.0 - alpha),
        p_reversed=p_reversed,
        p_worse=p_worse,
        p_negligible=p_negligible,
        p_reproduced=d.above(0.0),
        contradictions=tuple(routes),
        cap=d.cap,
        if_reproduced="direction",
        if_both="negligible_gain",
    )


def _exact(d: float, *, least: float) -> Decision:
    if d > SAME:
        small = d < least - SAME
        return Decision("inconclusive", "negligible_gain") if small else Decision("reproduced", "direction")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    # no difference at all does not contradict a paper that prints a negligible one
    return Decision("contradicted", "negligible") if least else Decision("inconclusive", "undecided")
