"""The true labels of a test set: CSR, checked, and searched for many (document, label) pairs at once.

The labels of document i are `labels[offsets[i]:offsets[i + 1]]`, sorted. Nothing here is ever as large as
documents times labels, and no loop runs over documents.

Legend: N documents, L labels, M true labels of all documents together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import DataError

IntArray = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Truth:
    """The true labels of N documents. Raises `DataError` naming the document that breaks the form.

    >>> Truth(np.array([0, 2, 2]), np.array([1, 5]), n_labels=6).counts.tolist()
    [2, 0]
    """

    offsets: IntArray
    """(N + 1,), from 0 to M, never falling."""
    labels: IntArray
    """(M,) label ids from 0, as the file has them: never shifted; rising within a document."""
    n_labels: int | None = None
    """L, when known: then an id from L on is an error, in the truth and in a list."""

    def __post_init__(self) -> None:
        for name in ("offsets", "labels"):
            object.__setattr__(self, name, integers(getattr(self, name), f"true {name}"))
        if self.offsets.ndim != 1 or self.labels.ndim != 1 or len(self.offsets) < 1:
            raise DataError(
                f"true labels: offsets {self.offsets.shape} and labels {self.labels.shape} must be "
                "two rows of numbers, offsets one longer than there are documents"
            )
        self._check_offsets()
        self._check_labels()

    def _check_offsets(self) -> None:
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.labels) or (np.diff(self.offsets) < 0).any():
            raise DataError(
                f"true labels: offsets must rise from 0 to the number of labels {len(self.labels)}, "
                f"these go from {int(self.offsets[0])} to {int(self.offsets[-1])}"
            )

    def _check_labels(self) -> None:
        if not len(self.labels):
            return
        low, high = int(self.labels.min()), int(self.labels.max())
        if low < 0 or (self.n_labels is not None and high >= self.n_labels):
            bad = low if low < 0 else high
            document = int(self.rows[np.flatnonzero(self.labels == bad)[0]])
            raise DataError(
                f"true labels: label id {bad} of document {document} is outside 0 to "
                f"{'...' if self.n_labels is None else self.n_labels - 1}; give ids of the label list"
            )
        wrong = (np.diff(self.labels) <= 0) & (np.diff(self.rows) == 0)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"true labels: document {int(self.rows[at])} has label {int(self.labels[at + 1])} after "
                f"{int(self.labels[at])}; labels must be sorted, each at most once"
            )

    @classmethod
    def from_csr(cls, matrix: Any) -> Truth:
        """From a scipy sparse matrix (N, L) of zeros and ones; graded relevance is refused (`DataError`)."""
        csr = matrix.tocsr().copy()
        csr.sum_duplicates()  # also sorts the ids of a row
        csr.eliminate_zeros()  # a stored zero is no label
        graded = csr.data[csr.data != 1]
        if len(graded):
            # The metrics here are of binary relevance by definition; taking 3 for "relevant" would report
            # the value of another problem without a word (recommenders-team/recommenders #1749).
            raise DataError(f"true labels: found {graded[0].item()!r}, a label is there (1) or not (0)")
        return cls(csr.indptr, csr.indices, n_labels=int(csr.shape[1]))

    @classmethod
    def from_lists(cls, documents: Iterable[Iterable[int]], n_labels: int | None = None) -> Truth:
        """From one set of label ids per document; for small inputs (a loop over documents)."""
        rows = [sorted(document) for document in documents]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(offsets, np.array([label for row in rows for label in row], dtype=np.int64), n_labels)

    @property
    def size(self) -> int:
        """N."""
        return len(self.offsets) - 1

    @cached_property
    def counts(self) -> IntArray:
        """(N,) number of labels of each document."""
        return np.diff(self.offsets)

    @cached_property
    def rows(self) -> IntArray:
        """(M,) the document of each label."""
        return np.repeat(np.arange(self.size), self.counts)

    def find(self, rows: IntArray, ids: IntArray) -> IntArray:
        """Place in `labels` of each (document, label) pair, -1 where the pair is not true. Any shape."""
        base = 1 + max(int(self.labels.max(initial=-1)), int(ids.max(initial=-1)))
        keys = self.rows * base + self.labels  # rises, since documents and labels within them do
        wanted = rows.astype(np.int64) * base + ids
        places = np.searchsorted(keys, wanted.ravel()).reshape(wanted.shape)
        if not len(keys):
            return np.full(wanted.shape, -1)
        true = keys[np.minimum(places, len(keys) - 1)] == wanted
        return np.where(true & (ids >= 0), places, -1)  # an ended list would alias the document before


#: What the metrics accept as truth: `Truth`, a scipy sparse matrix, or (offsets, sorted labels).
TruthLike = Truth | tuple[ArrayLike, ArrayLike] | Any


def as_truth(truth: TruthLike, n_labels: int | None = None) -> Truth:
    """`truth` as a `Truth`. Raises `DataError` for anything else."""
    if isinstance(truth, Truth):
        return truth
    if hasattr(truth, "tocsr"):
        return Truth.from_csr(truth)
    if isinstance(truth, tuple) and len(truth) == 2:
        return Truth(np.asarray(truth[0]), np.asarray(truth[1]), n_labels)
    raise DataError(
        f"true labels of type {type(truth).__name__}: give a Truth, a scipy sparse matrix or "
        "the pair (offsets, labels)"
    )


def integers(values: ArrayLike, what: str) -> IntArray:
    """`values` as whole numbers; an empty array may have any type. Raises `DataError` for others."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what}: numbers of type {array.dtype}, give whole numbers (label ids from 0)")
    return array.astype(np.int64, copy=False) if array.dtype.kind != "i" else array
