"""Weights of words in whole documents: tf-idf as scikit-learn's `TfidfVectorizer` has it.

    tf-idf(d, w) = times(d, w) * (ln((1 + n) / (1 + n_w)) + 1), then each document divided by its length (L2)

with n training documents, of which n_w hold w (the defaults `smooth_idf`, `norm="l2"`; scikit-learn 1.x,
`TfidfTransformer`). Words without a column do not count, also not for the length.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from reimpl.data.dataset import FloatArray, IntArray
from reimpl.data.encode import SplitNumbers
from reimpl.data.spool import Arrays, steps

#: Words of documents that are weighed at once.
_BLOCK = 4_000_000


def idf(documents_with: IntArray, documents: int) -> FloatArray:
    """float64 (W,): the weight of each word, from the number of training documents that hold it."""
    weights: FloatArray = np.log((1 + documents) / (1 + documents_with)) + 1
    return weights


def weigh(
    part: SplitNumbers, columns: IntArray, weights: FloatArray, n_columns: int, arrays: Arrays, name: str
) -> tuple[sparse.csr_matrix, int]:
    """float32 (N, D) features of a split, and how many of its words (repeated ones too) have a column.

    `columns` (W,) is the column of each numbered word, negative for none; `weights` (W,) are those of `idf`.
    """
    data, indices = arrays.new(f"{name}.data", np.float32), arrays.new(f"{name}.indices", np.int32)
    lengths, known = [np.zeros(1, dtype=np.int64)], 0
    for n, rows, words, times in _blocks(part):
        at = columns[words]
        in_columns = at >= 0
        rows, at, times = rows[in_columns], at[in_columns], times[in_columns]
        values = times * weights[words[in_columns]]
        known += int(times.sum(dtype=np.int64))
        norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=n))
        count = np.bincount(rows, minlength=n)
        block = sparse.csr_matrix((values / norms[rows], at, np.append(0, np.cumsum(count))), (n, n_columns))
        block.sort_indices()
        data.append(block.data)
        indices.append(block.indices)
        lengths.append(count)
    offsets = arrays.new(f"{name}.indptr", np.int64)
    offsets.append(np.cumsum(np.concatenate(lengths)))
    return csr(data.done(), indices.done(), offsets.done(), n_columns), known


def csr(data: FloatArray, indices: IntArray, offsets: IntArray, n_columns: int) -> sparse.csr_matrix:
    """float32 (N, D), without a copy of the values; columns rise within a row."""
    matrix = sparse.csr_matrix((data, indices, offsets), shape=(len(offsets) - 1, n_columns))
    # known, and else looked for in all values
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def _blocks(part: SplitNumbers) -> Iterator[tuple[int, IntArray, IntArray, IntArray]]:
    """How many documents, then document (from 0 in the block), word and times of each of their words."""
    assert part.counted is not None
    words, times = (spool.reader() for spool in part.counted)
    distinct = part.distinct
    for first, last in steps(distinct, _BLOCK):
        lengths = distinct[first:last]
        count = int(lengths.sum(dtype=np.int64))
        yield last - first, np.repeat(np.arange(last - first), lengths), words(count), times(count)
