"""Bootstrap over test documents, paired: one draw of documents serves all systems and all their seeds.

For the noise of documents only. A percentile bootstrap over a few *seeds* lies within [min, max] of them,
which covers the median with probability 1 - 2^(1-n) at most: 75 % for three seeds (`ceiling`). Seeds are
drawn too only where every system has 8 or more.

Percentile and BCa intervals: Efron 1987; over test documents: Koehn 2004; of crossed factors: Owen 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

FEWEST_SEEDS = 8
_CELLS = 2**21
"""Counts held at a time: 16 MiB, whatever the number of documents or replicates."""
_MOST_EXACT = 8


@dataclass(frozen=True)
class BootstrapInterval:
    estimate: float
    se: float
    """SD of the replicates."""
    low: float
    high: float
    p_not_greater: float
    """Share of replicates (the estimate counted as one) at 0 or below: descriptive, no gate."""
    replicates: int
    method: Literal["percentile", "bca"]


def replicated_means(
    systems: Sequence[ArrayLike],
    *,
    rng: np.random.Generator,
    replicates: int = 2000,
    clusters: ArrayLike | None = None,
    resample_seeds: bool = False,
) -> Floats:
    """Means (replicates, k) of k systems, each a (seeds, N) array of one metric on the same N documents.

    Each replicate draws N documents with replacement, once, for all systems and seeds; with `clusters` (one
    id a document: versions of a text, near-duplicates) it draws clusters, and the mean is over the documents
    that it got. With `resample_seeds` it draws the seeds of each system as well (the pigeonhole bootstrap of
    crossed factors, Owen 2007). Equal `rng`, equal result.
    Raises ValueError for arrays of other shapes, nan or infinity, no replicate, or too few seeds.
    """
    import numpy as np  # not at the top, as scipy in `student`

    arrays = _checked(systems, replicates, resample_seeds=resample_seeds)
    sums, sizes = _grouped(np.concatenate(arrays), clusters)
    per_run = np.empty((replicates, sums.shape[1]))
    rows = max(1, _CELLS // len(sizes))
    for start in range(0, replicates, rows):
        counts = np.empty((min(rows, replicates - start), len(sizes)))
        for row in counts:
            row[:] = np.bincount(rng.integers(len(sizes), size=len(sizes)), minlength=len(sizes))
        per_run[start : start + len(counts)] = (counts @ sums) / (counts @ sizes)[:, None]
    means = np.empty((replicates, len(arrays)))
    first = 0
    for k, array in enumerate(arrays):
        runs = per_run[:, first : first + len(array)]
        if resample_seeds:
            runs = np.take_along_axis(runs, rng.integers(len(array), size=runs.shape), axis=1)
        means[:, k] = runs.mean(axis=1)
        first += len(array)
    return means


def bootstrap_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator,
    replicates: int = 2000,
    clusters: ArrayLike | None = None,
    resample_seeds: bool = False,
    level: float = 0.95,
    method: Literal["percentile", "bca"] = "percentile",
) -> BootstrapInterval:
    """Interval for the mean of `first` minus that of `second`, (seeds, N) arrays of the same N documents.

        percentile    the (1 -+ level) / 2 quantiles of the replicates
        bca           those quantiles corrected for bias and skewness (Efron 1987): Phi(z0 + w / (1 - a w)),
                      w = z0 + z, z0 from the share of replicates below the estimate (half of those equal),
                      a = sum l^3 / 6 (sum l^2)^(3/2) of the influence l of each document (and seed, if drawn)

    Arguments and errors as `replicated_means`.
    """
    import numpy as np

    means = replicated_means(
        [first, second], rng=rng, replicates=replicates, clusters=clusters, resample_seeds=resample_seeds
    )
    draws = means[:, 0] - means[:, 1]
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    estimate = float(a.mean() - b.mean())
    ends = np.array([0.5 - level / 2.0, 0.5 + level / 2.0])
    if method == "bca":
        influences = [_document_influence(a.mean(axis=0) - b.mean(axis=0), clusters)]
        if resample_seeds:
            influences += [_influence(a.mean(axis=1)), -_influence(b.mean(axis=1))]
        ends = _bca(ends, draws, estimate, influences)
    low, high = np.quantile(draws, ends)
    return BootstrapInterval(
        estimate=estimate,
        se=float(draws.std(ddof=1)) if replicates > 1 else 0.0,
        low=float(low),
        high=float(high),
        p_not_greater=(1.0 + float(np.sum(draws <= 0.0))) / (replicates + 1.0),
        replicates=replicates,
        method=method,
    )


def _checked(systems: Sequence[ArrayLike], replicates: int, *, resample_seeds: bool) -> list[Floats]:
    import numpy as np

    arrays = [np.asarray(system, dtype=float) for system in systems]
    shapes = [array.shape for array in arrays]
    if not arrays or any(len(s) != 2 or 0 in s for s in shapes) or len({s[-1] for s in shapes}) != 1:
        raise ValueError(f"needs arrays of seeds x the same documents, got shapes {shapes}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError("needs a finite value for every seed and document")
    if replicates < 1:
        raise ValueError(f"needs at least one replicate, got {replicates!r}")
    if resample_seeds and min(len(array) for array in arrays) < FEWEST_SEEDS:
        raise ValueError(
            f"fewer than {FEWEST_SEEDS} seeds are not resampled (got {[len(a) for a in arrays]}): their "
            "noise is judged by t intervals"
        )
    return arrays


def _grouped(runs: Floats, clusters: ArrayLike | None) -> tuple[Floats, Floats]:
    """Sums (C, runs) over the documents of each cluster, and how many documents (C,) it has."""
    import numpy as np

    if clusters is None:
        return np.ascontiguousarray(runs.T), np.ones(runs.shape[1])
    ids = np.asarray(clusters)
    if ids.shape != (runs.shape[1],):
        raise ValueError(f"needs a cluster for each of {runs.shape[1]} documents, got shape {ids.shape}")
    _, place, sizes = np.unique(ids, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), len(runs)))
    np.add.at(sums, place, runs.T)
    return sums, sizes.astype(float)


def _document_influence(gaps: Floats, clusters: ArrayLike | None) -> Floats:
    """Jackknife influence of each document or cluster on the mean gap, divided by their number."""
    sums, sizes = _grouped(gaps[None, :], clusters)
    if len(sizes) < 2:
        return sizes * 0.0
    without = (gaps.sum() - sums[:, 0]) / (gaps.size - sizes)
    influence: Floats = (len(sizes) - 1) * (without.mean() - without) / len(sizes)
    return influence


def _influence(means: Floats) -> Floats:
    """The same for the seeds of one system."""
    influence: Floats = (means - means.mean()) / len(means)
    return influence


def _bca(ends: Floats, draws: Floats, estimate: float, influences: Sequence[Floats]) -> Floats:
    """The quantiles that the BCa interval takes instead of `ends`; `ends` where nothing varies."""
    import numpy as np
    from scipy import special

    influence = np.concatenate(influences)
    spread = float(np.sum(influence**2))
    off = draws - estimate
    off[np.abs(off) <= 1e-9 * max(1.0, abs(estimate))] = 0.0  # moved by the order of summation only
    below = float(np.mean(off < 0.0) + np.mean(off == 0.0) / 2.0)
    if spread == 0.0 or not 0.0 < below < 1.0:
        return ends
    z0 = float(special.ndtri(below))
    skew = float(np.sum(influence**3)) / (6.0 * spread**1.5)
    w = z0 + special.ndtri(ends)
    corrected: Floats = special.ndtr(z0 + w / (1.0 - skew * w))
    return corrected


# --------------------------------------------------------------------------- why not over seeds


@dataclass(frozen=True)
class ExactBootstrap:
    """All n^n resamples of n values."""

    resamples: int
    mean: float
    sd: float
    """Of the resampled means: SD with n in the denominator, over sqrt(n)."""
    low: float
    high: float
    p_low: float
    """Share of resamples whose mean is the smallest."""


def exact_bootstrap(values: Sequence[float]) -> ExactBootstrap:
    """The law of the mean of n draws from n values, by enumeration of the C(2n-1, n) multisets.

    Raises ValueError for no value, more than 8, nan or infinity.
    """
    n = len(values)
    if not 1 <= n <= _MOST_EXACT or not all(map(math.isfinite, values)):
        raise ValueError(f"enumerates resamples of 1 to {_MOST_EXACT} finite values, got {list(values)!r}")
    ways: dict[float, int] = {}
    for places in combinations_with_replacement(range(n), n):
        orders = math.factorial(n)
        for i in set(places):
            orders //= math.factorial(places.count(i))
        mean = math.fsum(values[i] for i in places) / n
        ways[mean] = ways.get(mean, 0) + orders
    total = n**n
    mean = math.fsum(x * w for x, w in ways.items()) / total
    variance = math.fsum((x - mean) ** 2 * w for x, w in ways.items()) / total
    low = min(ways)
    return ExactBootstrap(total, mean, math.sqrt(variance), low, max(ways), ways[low] / total)


def ceiling(n: int) -> float:
    """1 - 2^(1-n): the most that an interval within [min, max] of n runs covers of a law's median."""
    if n < 1:
        raise ValueError(f"needs at least one run, got {n!r}")
    return 1.0 - 2.0 ** (1 - n)
