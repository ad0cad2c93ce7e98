"""Noise of the test documents: it counts when two numbers come from different documents.

The binomial error of a score over documents: Dietterich 1998; sums of variances: Satterthwaite 1946.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class OtherSplit:
    """Sizes of the two test sets, when ours is not the paper's."""

    documents_paper: int
    documents_ours: int


def instance_se(percent: float, *, documents: int) -> float:
    """Standard error, in points, of a mean over `documents` documents: 100 sqrt(p (1 - p) / N).

    The binomial formula is exact for P@1. A document's P@k or nDCG@k lies in [0, 1] too, where p (1 - p) is
    the largest variance that a mean of p permits: for them the formula is an upper bound, and decides less.
    Raises ValueError for a percentage outside 0..100 or no documents.
    """
    if not 0.0 <= percent <= 100.0:
        raise ValueError(f"the binomial error needs a percentage from 0 to 100, got {percent!r}")
    if documents < 1:
        raise ValueError(f"the binomial error needs at least one document, got {documents!r}")
    p = percent / 100.0
    return 100.0 * math.sqrt(p * (1.0 - p) / documents)


def satterthwaite(parts: tuple[tuple[float, float], ...]) -> float:
    """Degrees of freedom of a sum of variances, given as (variance, degrees of freedom) pairs.

    (sum v_i)^2 / sum (v_i^2 / df_i); Satterthwaite 1946, Welch 1947. A part whose df is infinite is known
    exactly; when no part is estimated the result is infinite.
    """
    total = math.fsum(v for v, _ in parts)
    if total == 0.0:
        return math.inf
    # shares instead of variances: their squares cannot underflow together
    inverse = math.fsum((v / total) ** 2 / df for v, df in parts if v > 0.0 and not math.isinf(df))
    return 1.0 / inverse if inverse > 0.0 else math.inf
