"""Equivalence claims: "similar", "comparable", and, one-sided, "no loss".

Two one-sided tests: Schuirmann 1987; the minimum-effect test is their mirror (Murphy and Myors 1999).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.band import NoLoss, Within
from audit.stats.decision import ALPHA, Decidable, Decision, Route
from audit.stats.difference import Difference, paired, welch
from audit.stats.sample import SAME


@dataclass(frozen=True, kw_only=True)
class EquivalenceTest(Decidable):
    """The comparison of two arms, left minus right; None where an arm gives no variance."""

    difference: float
    margin: float
    se: float | None = None
    df: float | None = None
    ci90: tuple[float, float] | None = None
    ci95: tuple[float, float] | None = None
    p_lower: float | None = None
    """One-sided p of "left is lower by the margin or more"."""
    p_upper: float | None = None
    """One-sided p of "left is higher by the margin or more"; None for "no loss", which does not ask."""
    reproduced_from: float | None = None
    contradicted_up_to: float | None = None


def equivalence(
    left: Sequence[float],
    right: Sequence[float],
    *,
    margin: float,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> EquivalenceTest:
    """Two one-sided tests (Schuirmann 1987) within -+ D, by Welch's t or, with `pair`, by the t of the pairs.

        p_rep = max(P[t >= (D + d) / se], P[t >= (D - d) / se])    small iff the inner interval is inside -+ D
        p_con = min(1, 2 P[t >= (|d| - D) / se])                   small iff the outer one is outside -+ D

    The inner interval has the coverage 1 - 2 alpha, the outer one 1 - alpha.

    "Not significantly different" is not "similar": the former is what few seeds give for anything.
    Fewer than 3 runs in an arm (or pairs) never decide, nor do two arms without any spread, unless they are
    declared `deterministic`: then |d| <= D is exact, the margin itself included.
    Raises ValueError for an empty arm, nan or infinity, pairs of unequal arms, or a negative margin.
    """
    d = _compared(left, right, margin=margin, pair=pair)
    if deterministic and d.still:
        within = abs(d.value) <= margin + SAME  # 64.4 - 63.9 is 0.5000000000000071 in floating point
        exact = Decision("reproduced" if within else "contradicted", "deterministic")
        return EquivalenceTest(difference=d.value, margin=margin, se=0.0, exact=exact)
    if not d.estimated or d.se is None or d.df is None:
        return EquivalenceTest(difference=d.value, margin=margin, se=d.se, df=d.df, cap=d.cap)
    p_lower, p_upper = d.above(-margin), d.below(margin)
    p_contradicted = min(1.0, 2.0 * min(d.above(margin), d.below(-margin)))
    own = (d.se, d.df)
    margins = Within(abs(d.value), own, (own,))
    band = margins.band(alpha, alpha)
    return EquivalenceTest(
        difference=d.value,
        margin=margin,
        se=d.se,
        df=d.df,
        ci90=d.interval(1.0 - 2.0 * alpha),
        ci95=d.interval(1.0 - alpha),
        p_lower=p_lower,
        p_upper=p_upper,
        reproduced_from=band.reproduced_from,
        contradicted_up_to=band.contradicted_up_to,
        margins=margins,
        p_reproduced=max(p_lower, p_upper),
        contradictions=(Route(reason="minimum_effect", p=p_contradicted),),
        cap=d.cap,
        if_undecided="straddles_margin",
    )


def no_loss(
    left: Sequence[float],
    right: Sequence[float],
    *,
    margin: float,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> EquivalenceTest:
    """Left is not worse than right by the margin or more; it may be better by any amount (non-inferiority).

        p_rep = P[t >= (D + d) / se]              one of the two tests of `equivalence`
        p_con = min(1, 2 P[t >= (-d - D) / se])   small iff the 1 - alpha interval lies below -D

    Caps, `deterministic` and errors as in `equivalence`.
    """
    d = _compared(left, right, margin=margin, pair=pair)
    if deterministic and d.still:
        kept = d.value >= -margin - SAME
        exact = Decision("reproduced" if kept else "contradicted", "deterministic")
        return EquivalenceTest(difference=d.value, margin=margin, se=0.0, exact=exact)
    if not d.estimated or d.se is None or d.df is None:
        return EquivalenceTest(difference=d.value, margin=margin, se=d.se, df=d.df, cap=d.cap)
    p_lower = d.above(-margin)
    margins = NoLoss(d.value, d.se, d.df)
    band = margins.band(alpha, alpha)
    return EquivalenceTest(
        difference=d.value,
        margin=margin,
        se=d.se,
        df=d.df,
        ci90=d.interval(1.0 - 2.0 * alpha),
        ci95=d.interval(1.0 - alpha),
        p_lower=p_lower,
        reproduced_from=band.reproduced_from,
        contradicted_up_to=band.contradicted_up_to,
        margins=margins,
        p_reproduced=p_lower,
        contradictions=(Route(reason="loss", p=min(1.0, 2.0 * d.below(-margin))),),
        cap=d.cap,
        if_reproduced="no_loss",
        if_undecided="straddles_margin",
    )


def _compared(left: Sequence[float], right: Sequence[float], *, margin: float, pair: bool) -> Difference:
    if not (math.isfinite(margin) and margin >= 0.0):
        raise ValueError(f"a margin is a finite number of points, at least 0, got {margin!r}")
    return paired(left, right) if pair else welch(left, right)
