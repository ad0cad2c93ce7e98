"""Split noise and seed noise of one number, apart.

From runs of several splits with one seed each, and of one split with several seeds.

Variance components of a nested design: Searle, Casella and McCulloch 1992.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.sample import sample
from audit.stats.student import interval


@dataclass(frozen=True)
class SplitComponents:
    """Points of the metric. x = mean + split + seed: both scatter between splits, the second within one."""

    mean: float
    """Over the splits."""
    sd_splits: float | None
    """Between runs of different splits: both noises. None with one split."""
    sd_seeds: float | None
    """Between seeds on one split. None with one seed."""
    sd_split_alone: float | None
    """sqrt(max(0, sd_splits^2 - sd_seeds^2)). None where either is unknown."""
    pi95: tuple[float, float] | None
    """For one run on one more random split, 95 %: mean -+ t s sqrt(1 + 1/n), n - 1 df."""
    ci95: tuple[float, float] | None
    """For the mean over these very splits, 95 %: the only noise is that of the seeds, s_seeds / sqrt(n). None
    with one split, too: that is no mean."""
    pi95_mean: tuple[float, float] | None
    """For the mean of one other run on each of these splits: both have that noise, s_seeds sqrt(2 / n)."""


def split_components(splits: Sequence[float], seeds: Sequence[float]) -> SplitComponents:
    """`splits`: one run of each of n random splits of one corpus, of one seed; `seeds`: runs of one of them.

    The splits are draws given the corpus; they share documents, so that none of this is about new documents.
    That seeds scatter on every split as on that one is assumed. Raises ValueError for no splits, nan or
    infinity.
    """
    over_splits, n = sample(splits), len(splits)
    a, b = over_splits.sd, sample(seeds).sd if seeds else None
    of_mean = b if len(splits) > 1 else None
    alone = None if a is None or b is None else math.sqrt(max(0.0, a * a - b * b))
    return SplitComponents(
        mean=over_splits.mean,
        sd_splits=a,
        sd_seeds=b,
        sd_split_alone=alone,
        pi95=None if a is None else _around(over_splits.mean, a * math.sqrt(1 + 1 / n), n - 1),
        ci95=None if of_mean is None else _around(over_splits.mean, of_mean / math.sqrt(n), len(seeds) - 1),
        pi95_mean=None
        if of_mean is None
        else _around(over_splits.mean, of_mean * math.sqrt(2 / n), len(seeds) - 1),
    )


def _around(mean: float, se: float, df: int) -> tuple[float, float]:
    return interval(mean, se, df, level=0.95)
