"""Bootstrap over test documents, paired: one draw of documents serves all systems and all their seeds.

For the noise of documents only: a percentile bootstrap over a few *seeds* lies within [min, max] of them, and
covers the median with probability 1 - 2^(1-n) at most, 75 % for three seeds. Over test documents: Koehn 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_CELLS = 2**21
"""Counts held at a time: 16 MiB, whatever the number of documents or replicates."""


def replicated_means(
    systems: Sequence[ArrayLike],
    *,
    rng: np.random.Generator,
    replicates: int = 2000,
    clusters: ArrayLike | None = None,
) -> Floats:
    """Means (replicates, k) of k systems, each a (seeds, N) array of one metric on the same N documents.

    Each replicate draws N documents with replacement, once, for all systems and seeds; with `clusters` (one
    id a document: versions of a text, near-duplicates) it draws clusters, and the mean is over the documents
    that it got. Equal `rng`, equal result.
    Raises ValueError for arrays of other shapes, nan or infinity, or no replicate.
    """
    import numpy as np  # not at the top, as scipy in `student`

    arrays = _checked(systems, replicates)
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
        means[:, k] = runs.mean(axis=1)
        first += len(array)
    return means


def _checked(systems: Sequence[ArrayLike], replicates: int) -> list[Floats]:
    import numpy as np

    arrays = [np.asarray(system, dtype=float) for system in systems]
    shapes = [array.shape for array in arrays]
    if not arrays or any(len(s) != 2 or 0 in s for s in shapes) or len({s[-1] for s in shapes}) != 1:
        raise ValueError(f"needs arrays of seeds x the same documents, got shapes {shapes}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError("needs a finite value for every seed and document")
    if replicates < 1:
        raise ValueError(f"needs at least one replicate, got {replicates!r}")
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
