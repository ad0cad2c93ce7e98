"""CV*, a degree of reproducibility without a unit: a description of a table, never a verdict.

Belz 2022 ("A metrological perspective on reproducibility in NLP", Computational Linguistics 48(4)) over the
printed value and ours together. It is blind to direction, has no threshold, and depends on the scale: 95 -+
0.5 gives 0.64 and the same runs as errors, 5 -+ 0.5, give 12.2. Near the top of the scale show both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.sample import sample
from audit.stats.student import quantile


@dataclass(frozen=True)
class CvStar:
    n: int
    mean: float
    sd: float
    c4: float
    """Expected SD of n normal values, as a share of sigma."""
    sd_unbiased: float
    """s / c4."""
    sd_ci95: tuple[float, float]
    """Symmetric and approximate: with two values it reaches far below zero, and means nothing."""
    cv: float
    cv_star: float


def cv_star(values: Sequence[float]) -> CvStar:
    """CV* = (1 + 1/4n) 100 (s / c4) / mean;  c4 = sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2).

    The interval is s / c4 -+ t_.975,n-1 s c4 / sqrt(2 (n - 1)), as in Belz's published figures.
    Raises ValueError for fewer than two values, nan or infinity, or a mean that is not above 0.
    """
    got = sample(values)
    if got.sd is None or got.mean <= 0.0:
        raise ValueError(f"CV* needs two values or more with a mean above 0, got {list(values)!r}")
    n, df = got.n, got.df
    c4 = math.sqrt(2.0 / df) * math.exp(math.lgamma(n / 2.0) - math.lgamma(df / 2.0))
    unbiased = got.sd / c4
    half = quantile(0.975, df) * got.sd * c4 / math.sqrt(2.0 * df)
    cv = 100.0 * unbiased / got.mean
    interval = (unbiased - half, unbiased + half)
    return CvStar(n, got.mean, got.sd, c4, unbiased, interval, cv, (1.0 + 1.0 / (4.0 * n)) * cv)


def cv_star_of_errors(percentages: Sequence[float]) -> CvStar:
    """CV* of 100 - v: shown beside the other where values are above 90. Raises as `cv_star`."""
    return cv_star([100.0 - v for v in percentages])
