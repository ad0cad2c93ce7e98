"""Mean and standard deviation of the runs of one experiment, and the SD pooled over several experiments.

An SD pooled over groups of one variance, as in the analysis of variance (Fisher 1925).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Values that differ by less (in points, or as a share of their size if that is over 1) are equal: summation
#: order moved them, not a seed.
SAME = 1e-9


@dataclass(frozen=True)
class Sample:
    n: int
    mean: float
    sd: float | None
    """SD with n - 1 in the denominator; None for one value, exactly 0.0 when all values are equal."""

    @property
    def df(self) -> int:
        return self.n - 1

    @property
    def variance(self) -> float:
        """Of one value; 0.0 where it cannot be estimated (callers refuse that case by its n)."""
        return self.sd * self.sd if self.sd is not None else 0.0


def sample(values: Sequence[float]) -> Sample:
    """Summary of `values`, which must be finite and at least one.

    Equal values get their own value as the mean and 0.0 as the SD, not the dust that rounding leaves
    (the SD of three times 0.1 is 1.7e-17 in floating point).
    Raises ValueError for no values, nan or infinity.
    """
    if not values:
        raise ValueError("a sample needs at least one value, got none")
    if not all(map(math.isfinite, values)):
        raise ValueError(f"a sample needs finite values, got {list(values)!r}")
    n = len(values)
    low, high = min(values), max(values)
    if high - low <= SAME * max(1.0, abs(low), abs(high)):
        return Sample(n, float(values[0]), 0.0 if n > 1 else None)
    mean = math.fsum(values) / n
    return Sample(n, mean, math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (n - 1)))


def small_sample_cap(n: int, *, still: bool) -> str | None:
    """Reason code why `n` runs (an arm's, or pairs) decide nothing by their own SD, or None when they may."""
    if n == 1:
        return "no_variance_estimate"
    if n == 2:
        return "too_few_seeds"
    return "no_spread" if still else None


@dataclass(frozen=True)
class PooledSD:
    """An SD over experiments of one model family, dataset and metric, for those with too few seeds."""

    sd: float
    df: int
    ratio: float = 1.0
    """Largest over smallest SD of the experiments."""

    @property
    def usable(self) -> bool:
        """At least 3 degrees of freedom, some spread, and SDs alike enough (ratio at most 3) to be one."""
        return self.df >= 3 and self.sd > 0.0 and self.ratio <= 3.0


def pool(groups: Sequence[Sequence[float]]) -> PooledSD:
    """sqrt(sum (n_i - 1) s_i^2 / sum (n_i - 1)) over the groups; those of one run contribute nothing.

    Raises ValueError when no group has two runs.
    """
    samples = [s for s in map(sample, groups) if s.n > 1]
    df = sum(s.df for s in samples)
    if df == 0:
        raise ValueError("a pooled SD needs an experiment with at least two runs")
    sds = [s.sd or 0.0 for s in samples]
    ratio = max(sds) / min(sds) if min(sds) > 0.0 else math.inf
    return PooledSD(math.sqrt(math.fsum(s.df * s.variance for s in samples) / df), df, ratio)
