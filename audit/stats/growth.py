"""Complexity claims, "grows as n^e": the slope of log time on log size.

Least squares on logarithms of measured costs, as in Goldsmith, Aiken and Wilkerson 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from audit.stats.band import Within
from audit.stats.decision import ALPHA, Decidable, Route
from audit.stats.student import interval, upper_tail

#: A logarithmic factor adds 0.1 to 0.15 to the slope over 1.2 decades: n and n log n are not told apart.
MARGIN = 0.15
FEWEST_SIZES = 5
FEWEST_DECADES = 1.2
FEWEST_REPEATS = 3


@dataclass(frozen=True, kw_only=True)
class GrowthTest(Decidable):
    slope: float
    claimed: float
    margin: float
    se: float
    df: int
    decades: float
    local_slopes: tuple[float, ...]
    """Between neighbouring sizes: a curve that bends shows here."""
    ci90: tuple[float, float]
    ci95: tuple[float, float]
    reproduced_from: float
    contradicted_up_to: float


def growth(
    sizes: Sequence[float],
    costs: Sequence[float],
    *,
    exponent: float,
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> GrowthTest:
    """Least squares of log cost on log size, df = n - 2, and the two tests on its slope b.

        p_rep = max(P[t >= (D + b - e) / se], P[t >= (D - b + e) / se])
        p_con = min(1, 2 P[t >= (|b - e| - D) / se])

    `costs` are times (the fastest of several repeats, see `fastest`), bytes, or counts of operations, which
    are exact and to be preferred. Assumes errors of the logs that are independent and of one size. Fewer than
    5 sizes (`too_few_sizes`) or less than 1.2 decades (`too_narrow`) decide nothing.
    Raises ValueError for lists of different length, fewer than 3 different sizes, what is not above 0 or
    finite, or a negative margin.
    """
    if not (math.isfinite(margin) and margin >= 0.0):
        raise ValueError(f"a margin of an exponent is a finite number, at least 0, got {margin!r}")
    points = sorted(zip(sizes, costs, strict=False))
    positive = all(math.isfinite(v) and v > 0.0 for point in points for v in point)
    if len(sizes) != len(costs) or not positive or len(set(sizes)) != len(sizes) or len(sizes) < 3:
        raise ValueError(
            f"growth needs 3 different sizes or more, each with a cost above 0, got {sizes!r} and {costs!r}"
        )
    x, y = [math.log(size) for size, _ in points], [math.log(cost) for _, cost in points]
    slope, se = _line(x, y)
    df, decades = len(x) - 2, (x[-1] - x[0]) / math.log(10.0)
    off = slope - exponent
    p_contradicted = min(1.0, 2.0 * upper_tail(abs(off) - margin, se, df))
    margins = Within(abs(off), (se, df), ((se, df),))
    band = margins.band(alpha, alpha)
    return GrowthTest(
        slope=slope,
        claimed=exponent,
        margin=margin,
        se=se,
        df=df,
        decades=decades,
        local_slopes=tuple((d - b) / (c - a) for (a, b), (c, d) in pairwise(zip(x, y, strict=True))),
        ci90=interval(slope, se, df, level=1.0 - 2.0 * alpha),
        ci95=interval(slope, se, df, level=1.0 - alpha),
        reproduced_from=band.reproduced_from or 0.0,
        contradicted_up_to=band.contradicted_up_to or 0.0,
        margins=margins,
        p_reproduced=max(upper_tail(margin + off, se, df), upper_tail(margin - off, se, df)),
        contradictions=(Route(reason="minimum_effect", p=p_contradicted),),
        cap=_cap(len(x), decades),
        if_undecided="straddles_margin",
    )


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Slope of y on x and its standard error."""
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    spread = math.fsum((a - mean_x) ** 2 for a in x)
    slope = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    left = math.fsum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    return slope, math.sqrt(left / (len(x) - 2) / spread)


def _cap(sizes: int, decades: float) -> str | None:
    if sizes < FEWEST_SIZES:
        return "too_few_sizes"
    # 1,000 to 15,849 are 1.2 decades but for rounding
    return "too_narrow" if decades < FEWEST_DECADES - 1e-6 else None
