"""The true labels of a test set (those of document i are `labels[offsets[i]:offsets[i + 1]]`, sorted), and
the ranked lists, best first, -1 where one ended, that are held against them. No loop runs over documents. N
documents, L labels, M true labels of all documents together, K list length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError

IntArray = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Truth:
    """The true labels of N documents. Raises `DataError` naming the document that breaks the form."""

    offsets: IntArray  # (N + 1,), from 0 to M, never falling
    labels: IntArray  # (M,) label ids from 0, as the file has them: never shifted; rising within a document
    n_labels: int | None = None  # L, when known: then an id from L on is an error, here and in a list

    def __post_init__(self) -> None:
        for name in ("offsets", "labels"):
            object.__setattr__(self, name, integers(getattr(self, name), f"true {name}"))
        offsets, labels = self.offsets, self.labels
        if offsets.ndim != 1 or labels.ndim != 1 or len(offsets) < 1:
            shapes = f"{offsets.shape} and labels {labels.shape}"
            raise DataError(f"true labels: offsets {shapes} must be two rows of numbers")
        if offsets[0] != 0 or offsets[-1] != len(labels) or (np.diff(offsets) < 0).any():
            raise DataError(
                f"true labels: offsets must rise from 0 to the number of labels {len(labels)}, "
                f"these go from {int(offsets[0])} to {int(offsets[-1])}"
            )
        outside = (labels < 0) | (labels >= (np.inf if self.n_labels is None else self.n_labels))
        if outside.any():
            at = int(outside.argmax())
            where = f"label id {int(labels[at])} of document {int(self.rows[at])}"
            last = "..." if self.n_labels is None else self.n_labels - 1
            raise DataError(f"true labels: {where} is outside 0 to {last}; give ids of the label list")
        wrong = (np.diff(labels) <= 0) & (np.diff(self.rows) == 0)
        if wrong.any():
            at = int(wrong.argmax())
            has = f"document {int(self.rows[at])} has label {int(labels[at + 1])} after {int(labels[at])}"
            raise DataError(f"true labels: {has}; labels must be sorted, each at most once")

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

    def places(self, lists: IntArray) -> IntArray:
        """(N, K) place in `labels` of each id of the lists, -1 where it is not true. A label twice in a list
        is at its first rank only: a hit at each would make metrics exceed 1."""
        places = self.find(np.broadcast_to(np.arange(len(lists))[:, None], lists.shape), lists)
        seen = np.zeros(len(self.labels), dtype=bool)
        for at_rank in places.T:  # a document has one label at a rank, so no place comes twice here
            true = at_rank >= 0
            at_rank[true] = np.where(seen[at_rank[true]], -1, at_rank[true])
            seen[at_rank[at_rank >= 0]] = True
        return places


#: What the metrics accept as truth: `Truth`, a scipy sparse matrix, or (offsets, sorted labels).
TruthLike = Truth | tuple[ArrayLike, ArrayLike] | Any


def as_truth(truth: TruthLike) -> Truth:
    if isinstance(truth, tuple):
        return Truth(np.asarray(truth[0]), np.asarray(truth[1]))
    return truth if isinstance(truth, Truth) else Truth.from_csr(truth)


def integers(values: ArrayLike, what: str) -> IntArray:
    """`values` as whole numbers; an empty array may have any type. Raises `DataError` for others."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what}: numbers of type {array.dtype}, give whole numbers (label ids from 0)")
    return array.astype(np.int64, copy=False) if array.dtype.kind != "i" else array


def check_lists(top_ids: ArrayLike, truth: Truth, ks: Sequence[int]) -> IntArray:
    """The first max(ks) ids of each list as int64 (N, K), checked. Raises `DataError` or `ConfigError`."""
    ids, L = integers(top_ids, "ranked lists"), truth.n_labels
    if ids.ndim != 2 or len(ids) != truth.size or not truth.size:
        raise DataError(
            f"ranked lists of shape {ids.shape} for {truth.size} documents with true labels; "
            "give one list for every document, all -1 where nothing was predicted"
        )
    most = min(ids.shape[1], ids.shape[1] if L is None else L)
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= most:
            # A list cut at K says nothing about rank K + 1: that is not "wrong", it is unknown.
            of = f"lists of length {ids.shape[1]}" + ("" if L is None else f" and {L} labels")
            raise ConfigError(f"metric at k={k!r} of {of}: k must be a whole number from 1 to {most}")
    ids = ids[:, : max(ks)].astype(np.int64, copy=False)
    if L is not None and (high := int(ids.max())) >= L:
        row = int(np.flatnonzero((ids == high).any(axis=1))[0])
        raise DataError(
            f"ranked list of document {row}: label id {high} is outside the {L} labels; "
            "the list and the truth must use the same label ids"
        )
    if int(ids.min()) < -1 or ((ids[:, :-1] < 0) & (ids[:, 1:] >= 0)).any():
        raise DataError("ranked lists: ids are 0 or above, and after the first -1 (list ended) only -1")
    return ids
