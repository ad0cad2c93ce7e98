"""Cost claims, "A needs less time (or memory, or parameters) than B", "is at least r times as fast".

Welch's t (Welch 1947) on logarithms, as ratios are compared in bioequivalence (Schuirmann 1987).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.decision import ALPHA, Decidable, Decision, Route
from audit.stats.difference import paired, welch
from audit.stats.sample import SAME


@dataclass(frozen=True, kw_only=True)
class CostTest(Decidable):
    """Cost of the dearer arm over that of the cheaper one; 2.0 says that the cheaper needs half."""

    ratio: float
    """Of the geometric means."""
    at_least: float
    ci90: tuple[float, float] | None = None
    ci95: tuple[float, float] | None = None
    df: float | None = None


def cost(
    cheaper: Sequence[float],
    dearer: Sequence[float],
    *,
    at_least: float = 1.0,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> CostTest:
    """Welch's t on the logarithms: d = mean log dearer - mean log cheaper, against log r.

        reproduced      iff P[t >= (d - log r) / se] <= alpha        (`cheaper`)
        contradicted    iff 2 P[t <= (d - log r) / se] <= alpha      (`reversed`)

    Logarithms because times err by shares and not by seconds; the result is a ratio with its interval. r = 1
    asks for the direction only. Costs must come from one machine. Fewer than 3 runs in an arm never decide,
    nor do equal ones, unless declared `deterministic`, as counts of parameters are: then exact.
    Raises ValueError for an empty arm, a cost that is not finite and above 0, or an r that is not.
    """
    if not all(math.isfinite(x) and x > 0.0 for x in (*cheaper, *dearer, at_least)):
        raise ValueError(f"costs and their ratio are above 0, got {cheaper!r}, {dearer!r} and {at_least!r}")
    low, high = [math.log(x) for x in cheaper], [math.log(x) for x in dearer]
    d, bound = paired(high, low) if pair else welch(high, low), math.log(at_least)
    ratio = math.exp(d.value)
    if deterministic and d.still:
        return CostTest(ratio=ratio, at_least=at_least, exact=_exact(d.value - bound, strict=at_least == 1.0))
    if not d.estimated:
        return CostTest(ratio=ratio, at_least=at_least, cap=d.cap)
    return CostTest(
        ratio=ratio,
        at_least=at_least,
        ci90=_exponents(d.interval(1.0 - 2.0 * alpha)),
        ci95=_exponents(d.interval(1.0 - alpha)),
        df=d.df,
        p_reproduced=d.above(bound),
        contradictions=(Route(reason="reversed", p=min(1.0, 2.0 * d.below(bound))),),
        cap=d.cap,
        if_reproduced="cheaper",
    )


def _exact(distance: float, *, strict: bool) -> Decision:
    """Equal costs are not "less", but twice is "at least twice"."""
    if distance > SAME or (distance > -SAME and not strict):
        return Decision("reproduced", "cheaper")
    return Decision("contradicted", "reversed") if distance < -SAME else Decision("inconclusive", "undecided")


def _exponents(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ends is None else (math.exp(ends[0]), math.exp(ends[1]))
