"""Mean and standard deviation of the runs of one experiment: by themselves, or moderated (Smyth 2004)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.moderated import Moderated

#: Values that differ by less (in points, or as a share of their size if that is over 1) are equal: summation
#: order moved them, not a seed.
SAME = 1e-9


@dataclass(frozen=True)
class Sample:
    n: int
    mean: float
    sd: float | None
    """The SD to judge by: with n - 1 in the denominator, or moderated; None for one value, exactly 0.0 when
    all values are equal."""
    df: float
    """n - 1, and those of the prior where the SD is moderated."""

    @property
    def variance(self) -> float:
        """Of one value; 0.0 where it cannot be estimated (callers refuse that case by its n)."""
        return self.sd * self.sd if self.sd is not None else 0.0


def sample(values: Sequence[float]) -> Sample:
    """Summary of `values`, which must be finite and at least one.

    Equal values get their own value as the mean and 0.0 as the SD, not the dust that rounding leaves
    (the SD of three times 0.1 is 1.7e-17 in floating point). The variance of `Moderated` values is moderated.
    Raises ValueError for no values, nan or infinity.
    """
    if not values:
        raise ValueError("a sample needs at least one value, got none")
    if not all(map(math.isfinite, values)):
        raise ValueError(f"a sample needs finite values, got {list(values)!r}")
    n = len(values)
    low, high = min(values), max(values)
    if high - low <= SAME * max(1.0, abs(low), abs(high)):
        return Sample(n, float(values[0]), 0.0 if n > 1 else None, n - 1)
    mean = math.fsum(values) / n
    variance, df = math.fsum((x - mean) ** 2 for x in values) / (n - 1), float(n - 1)
    if isinstance(values, Moderated):
        prior = values.prior
        variance, df = prior.shrunk(variance, n - 1, mean=mean), df + prior.df
    return Sample(n, mean, math.sqrt(variance), df)


def small_sample_cap(n: int, *, still: bool) -> str | None:
    """Reason code why `n` runs (an arm's, or pairs) decide nothing by their own SD, or None when they may."""
    if n == 1:
        return "no_variance_estimate"
    if n == 2:
        return "too_few_seeds"
    return "no_spread" if still else None
