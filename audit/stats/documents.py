"""Noise of test documents, and shares of claims: shown beside verdicts, never deciding one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_CELLS = 2**21  # Counts held at a time: 16 MiB, whatever the number of documents or replicates.


def replicated_means(
    systems: Sequence[ArrayLike],
    *,
    rng: np.random.Generator,
    replicates: int = 2000,
    clusters: ArrayLike | None = None,
) -> Floats:
    """Means (replicates, k) of k systems, each a (seeds, N) array of one metric on the same N documents.

    A paired bootstrap over documents (Koehn 2004), not over seeds: over a few seeds a percentile interval
    lies within [min, max] of them, and covers the median with probability 1 - 2^(1-n) at most. Each replicate
    draws N documents with replacement, once, for all systems and seeds; with `clusters` (one id a document:
    versions of a text) it draws clusters, and the mean is over the documents that it got. Equal `rng`, equal
    result.
    """
    import numpy as np

    arrays = [np.asarray(system, dtype=float) for system in systems]
    runs = np.concatenate(arrays)
    sums, sizes = np.ascontiguousarray(runs.T), np.ones(runs.shape[1])
    if clusters is not None:  # sums over the documents of each cluster, and how many it has
        _, place, numbers = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)
        sums, sizes = np.zeros((len(numbers), len(runs))), numbers.astype(float)
        np.add.at(sums, place, runs.T)
    per_run = np.empty((replicates, sums.shape[1]))
    rows = max(1, _CELLS // len(sizes))
    for start in range(0, replicates, rows):
        counts = np.empty((min(rows, replicates - start), len(sizes)))
        for row in counts:
            row[:] = np.bincount(rng.integers(len(sizes), size=len(sizes)), minlength=len(sizes))
        per_run[start : start + len(counts)] = (counts @ sums) / (counts @ sizes)[:, None]
    ends = np.cumsum([len(array) for array in arrays])[:-1]
    return np.stack([of.mean(axis=1) for of in np.split(per_run, ends, axis=1)], axis=1)


def mcnemar(first_only: int, second_only: int) -> float:
    """Two-sided p, min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)]), of documents that one system alone gets right.

    McNemar 1947, exact. Documents on which both agree say nothing. Assumes one run of each system and
    documents that are independent; it is about noise of documents, not of seeds. 1 for b + c = 0.
    """
    from scipy import special  # `scipy.stats` takes most of a second to load

    fewer, both = min(first_only, second_only), first_only + second_only
    return min(1.0, 2.0 * float(special.bdtr(fewer, both, 0.5)))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95 % score interval of a share (Wilson 1927); 0 of 5 gives [0, 0.434], which has a width."""
    from scipy import special

    z, share = float(special.ndtri(0.975)), successes / trials
    width = 2.0 * (trials + z**2)
    middle = (2.0 * successes + z**2) / width
    half = z / width * math.sqrt(4.0 * successes * (1.0 - share) + z**2)
    return (0.0 if successes == 0 else middle - half, 1.0 if successes == trials else middle + half)
