"""Prepared corpora: token ids and label ids of all documents, flat, with offsets; cut to a length, never
padded. N documents, L labels, V words of the vocabulary, E dimensions of a word vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.floating[Any]]


def ragged(rows: Iterable[Sequence[int] | IntArray]) -> tuple[IntArray, IntArray]:
    """Values int32 (n,) and offsets int64 (N+1,) of N lists of ids."""
    parts = [np.asarray(row, dtype=np.int32) for row in rows]
    values = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    return values, offsets_of([len(part) for part in parts])


def offsets_of(lengths: Sequence[int] | IntArray) -> IntArray:
    """Offsets int64 (N+1,): row i of a flat array is `values[offsets[i]:offsets[i+1]]`."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def csr(data: FloatArray, indices: IntArray, offsets: IntArray, n_columns: int) -> sparse.csr_matrix:
    """float32 (N, D), without a copy of the values; columns rise within a row."""
    matrix = sparse.csr_matrix((data, indices, offsets), shape=(len(offsets) - 1, n_columns))
    # known, and else looked for in all values
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


@dataclass(frozen=True, eq=False)
class Split:
    """The documents of one split, in file order."""

    tokens: IntArray  # int32 (n_tokens,): token ids of all documents, one after another
    offsets: IntArray  # int64 (N+1,): document i is `tokens[offsets[i]:offsets[i+1]]`
    label_ids: IntArray  # int32 (n_positives,): label ids, rising and without duplicates within a document
    label_offsets: IntArray  # int64 (N+1,): the same of `label_ids`
    #: float32 (N, D): weights of words (tf-idf, or as the corpus gives them) in the whole, uncut documents.
    features: sparse.csr_matrix | None = None  # A corpus of features alone has documents of no tokens

    @classmethod
    def from_lists(cls, documents: Iterable[Sequence[int]], labels: Iterable[Iterable[int]]) -> Split:
        tokens, offsets = ragged(documents)
        label_ids, label_offsets = ragged([sorted(set(ids)) for ids in labels])
        return cls(tokens, offsets, label_ids, label_offsets)

    @property
    def size(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        return np.asarray(np.diff(self.offsets))

    @property
    def longest(self) -> int:
        return int(self.lengths.max(initial=0))

    def labels(self, n_labels: int | None = None) -> sparse.csr_matrix:
        """float32 (N, L) matrix with 1 where a document has a label; L is the largest id + 1 by default."""
        if n_labels is None:
            n_labels = int(self.label_ids.max(initial=-1)) + 1
        ones = np.ones(len(self.label_ids), dtype=np.float32)
        return sparse.csr_matrix((ones, self.label_ids, self.label_offsets), shape=(self.size, n_labels))


@dataclass(frozen=True, eq=False)
class Dataset:
    """A corpus prepared by one preprocessing: what a model is trained and tested on."""

    name: str
    preprocessing: str  # Name of it
    fingerprint: str  # SHA-256 of the source's content, the preprocessing and its options, in hex
    train: Split
    test: Split
    labels: tuple[str, ...]  # (L,) label names by id
    vocabulary: tuple[str, ...]  # (V,) words by token id
    vectors: FloatArray  # float32 (V, E): the initial word vectors, row = token id
    padding_id: int  # Token id that fills up a batch
    padding_trainable: bool  # Whether its row is that of an ordinary word (Liu's code), else zero (study)
    dev: Split | None = None
    content: str = ""  # SHA-256 of the decoded (labels, text) pairs, whatever their packing
    corpus: str = ""  # SHA-256 of the same pairs in any order and split: equal for two splits of one corpus
    partition: str = ""  # SHA-256 of the same pairs in these splits, in any order within each
    counts: Mapping[str, float] = field(default_factory=dict)  # What preparation counted
    notes: tuple[str, ...] = ()  # One sentence for each rule that acted on this corpus

    @property
    def splits(self) -> dict[str, Split]:
        splits = {"train": self.train, "test": self.test}
        return splits if self.dev is None else {**splits, "dev": self.dev}

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])


def has_words(data: Dataset) -> bool:
    """Whether there are texts to read, however short; False for a corpus of features."""
    return bool(len(data.train.tokens)) or data.train.features is None


def words_as_features(split: Split, vocabulary: int) -> sparse.csr_matrix:
    """float32 (N, V): how often each document has each of its kept words."""
    ones = np.ones(len(split.tokens), dtype=np.float32)
    shape = (split.size, vocabulary)
    counted = sparse.csr_matrix((ones, split.tokens, split.offsets), shape=shape, copy=True)
    counted.sum_duplicates()
    return counted
