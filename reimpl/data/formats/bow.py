"""Corpora without text: documents as weighted features and as label ids, in CSR form.

Shapes: N documents, D features, L labels. Ids count from 0 here, whatever the file did.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from reimpl.data.dataset import FloatArray, IntArray
from reimpl.data.source import corpus_digest, partition_digest
from reimpl.errors import DataError

_MODULUS = 1 << 256

#: No corpus of the field has more than some millions of labels, and models have weights for each.
MOST_LABELS = 100_000_000
#: Ids are int32.
MOST_FEATURES = 1 << 31


@dataclass(frozen=True, eq=False)
class BowSplit:
    """N documents in file order. Within a document ids rise without duplicates and no value is zero.

    Raises `DataError` when the arrays do not describe N documents.
    """

    indices: IntArray
    """int32 (n,): feature ids of all documents, one after another."""
    values: FloatArray
    """float32 (n,): the features' values."""
    offsets: IntArray
    """int64 (N+1,): document i has the features `indices[offsets[i]:offsets[i+1]]`."""
    label_ids: IntArray
    """int32 (n_positives,)"""
    label_offsets: IntArray
    """int64 (N+1,): document i has the labels `label_ids[label_offsets[i]:label_offsets[i+1]]`."""

    def __post_init__(self) -> None:
        for what, ids, offsets in (
            ("features", self.indices, self.offsets),
            ("labels", self.label_ids, self.label_offsets),
        ):
            if (
                len(offsets) == 0
                or offsets[0] != 0
                or offsets[-1] != len(ids)
                or np.any(np.diff(offsets) < 0)
            ):
                raise DataError(f"split: the offsets of the {what} do not rise from 0 to {len(ids)}")
            if not _rising(ids, offsets):
                raise DataError(f"split: the {what} of a document must rise without duplicates")
        if len(self.offsets) != len(self.label_offsets) or len(self.values) != len(self.indices):
            raise DataError("split: features, values and labels are not of the same documents")

    @property
    def size(self) -> int:
        """N"""
        return len(self.offsets) - 1

    def features(self, n_features: int) -> sparse.csr_matrix:
        """float32 (N, D) matrix, without a copy of the arrays."""
        return sparse.csr_matrix((self.values, self.indices, self.offsets), shape=(self.size, n_features))

    def labels(self, n_labels: int) -> sparse.csr_matrix:
        """float32 (N, L) matrix with 1 where a document has a label."""
        ones = np.ones(len(self.label_ids), dtype=np.float32)
        return sparse.csr_matrix((ones, self.label_ids, self.label_offsets), shape=(self.size, n_labels))

    def rows(self, chosen: IntArray) -> BowSplit:
        """The documents of these numbers (from 0), in this order."""
        at, offsets = _taken(self.offsets, chosen)
        label_at, label_offsets = _taken(self.label_offsets, chosen)
        return BowSplit(self.indices[at], self.values[at], offsets, self.label_ids[label_at], label_offsets)

    @cached_property
    def digests(self) -> tuple[str, int]:
        """SHA-256 of the documents in this order, and the sum of the documents' SHA-256 modulo 2^256.

        A document is its number of labels (8 bytes), label ids, feature ids and values (4 bytes each, all
        little-endian).
        """
        digest, total = hashlib.sha256(), 0
        for document in self._documents():
            one = hashlib.sha256(document).digest()
            digest.update(one)
            total = (total + int.from_bytes(one, "big")) % _MODULUS
        return digest.hexdigest(), total

    def _documents(self) -> Iterator[bytes]:
        labels, ids = _bytes(self.label_ids, "<i4"), _bytes(self.indices, "<i4")
        values = _bytes(self.values, "<f4")
        ends = zip(self.label_offsets.tolist(), self.offsets.tolist(), strict=True)
        start, first = next(ends)
        for stop, last in ends:
            own = labels[4 * start : 4 * stop]
            count = (stop - start).to_bytes(8, "little")
            yield b"".join((count, own, ids[4 * first : 4 * last], values[4 * first : 4 * last]))
            start, first = stop, last


@dataclass(frozen=True, eq=False)
class BowDataset:
    """A corpus of features, for the models that take no text.

    Raises `DataError` when an id lies outside D or L, the names are of another number, or as `check_sizes`.
    """

    name: str
    parts: Mapping[str, BowSplit]
    """`train`, `test` and maybe `dev`."""
    n_features: int
    n_labels: int
    label_names: tuple[str, ...] | None = None
    """(L,) by id; None where the source has none."""
    feature_names: tuple[str, ...] | None = None
    """(D,)"""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What reading did: repeated labels, zero values left out, ..."""
    notes: tuple[str, ...] = ()
    """A sentence for each thing that a reader of the results must know."""

    def __post_init__(self) -> None:
        check_sizes(self.name, self.n_features, self.n_labels)
        for split, part in self.parts.items():
            _check_ids(f"{self.name}, {split}: feature", part.indices, self.n_features)
            _check_ids(f"{self.name}, {split}: label", part.label_ids, self.n_labels)
        for what, names, size in (
            ("labels", self.label_names, self.n_labels),
            ("features", self.feature_names, self.n_features),
        ):
            if names is not None and len(names) != size:
                raise DataError(
                    f"{self.name}: {len(names)} names for {size} {what}; give one a line for each"
                )

    @property
    def train(self) -> BowSplit:
        """The training documents."""
        return self._part("train")

    @property
    def test(self) -> BowSplit:
        """The test documents."""
        return self._part("test")

    @property
    def dev(self) -> BowSplit | None:
        """The validation documents, if the source has some of its own."""
        return self.parts.get("dev")

    def _part(self, split: str) -> BowSplit:
        if split not in self.parts:
            raise DataError(f"{self.name}: no split {split!r}; there are {', '.join(self.parts)}")
        return self.parts[split]

    @cached_property
    def content(self) -> str:
        """SHA-256: these documents in these splits and this order, whatever file they came from."""
        lines = [f"{split} {part.size} {part.digests[0]}" for split, part in self.parts.items()]
        return hashlib.sha256("\n".join(["bow", *lines]).encode()).hexdigest()

    @cached_property
    def partition(self) -> str:
        """SHA-256 of the same documents in the same splits, in any order within each."""
        return partition_digest(self._sums, "bow partition")

    @cached_property
    def corpus(self) -> str:
        """SHA-256 of the same documents in any order and split: equal for two splits of one corpus."""
        return corpus_digest(self._sums.values(), "bow corpus")

    @cached_property
    def _sums(self) -> dict[str, tuple[int, int]]:
        return {name: (part.size, part.digests[1]) for name, part in self.parts.items()}


def check_sizes(where: str, n_features: int, n_labels: int) -> None:
    """Raises `DataError` for more features than there are ids, or more labels than a corpus can have.

    What says so is damaged or lies, and whoever believed it would fill the memory.
    """
    for what, size, most in (("features", n_features, MOST_FEATURES), ("labels", n_labels, MOST_LABELS)):
        if size > most:
            raise DataError(
                f"{where}: {size:,} {what}, and more than {most:,} are not read; is it the right number?"
            )


def _bytes(array: IntArray | FloatArray, dtype: str) -> bytes:
    return np.ascontiguousarray(array, dtype=dtype).tobytes()


def _rising(ids: IntArray, offsets: IntArray) -> bool:
    """Whether ids rise strictly within each row."""
    up = np.diff(ids) > 0
    starts = offsets[1:-1]
    up[starts[(starts > 0) & (starts < len(ids))] - 1] = True
    return bool(up.all())


def _taken(offsets: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Places in the flat array of the chosen rows, and the offsets of what they give."""
    lengths = (offsets[1:] - offsets[:-1])[rows]
    new = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=new[1:])
    return np.arange(new[-1]) + np.repeat(offsets[:-1][rows] - new[:-1], lengths), new


def _check_ids(what: str, ids: IntArray, size: int) -> None:
    if len(ids) and not (ids.min() >= 0 and ids.max() < size):
        raise DataError(f"{what} id {int(ids.max())} or {int(ids.min())} lies outside 0..{size - 1}")
