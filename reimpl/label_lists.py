"""Ranked label lists: how scores become lists, and what makes a list fit to be measured.

A ranked list is a row of label ids, best first; -1 says that the list ended.

Legend: N documents, L labels, K list length, P pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.truth import IntArray, Truth, integers

FloatArray = NDArray[np.float64]

#: Scores looked at in one go by `top_k`: 262,144, so that its working memory is a few MB at any L below that.
_BLOCK = 1 << 18


def top_k(scores: NDArray[Any], k: int) -> tuple[NDArray[Any], IntArray]:
    """The k best labels of each document and their scores: score falling, ties by lower label id.

    scores (N, L) -> values (N, k) and ids (N, k) int64. A score of -inf means "never predict": such places
    have id -1, since letting them through would count labels that nobody predicted. Raises `ConfigError` for
    k outside 1..L and `DataError` for NaN. `reimpl.topk.top_k` gives the same for torch tensors.

    >>> top_k(np.array([[.5, .5, .5]]), 1)[1].tolist()
    [[0]]
    """
    scores = np.asarray(scores)
    check_top_k(scores.shape, k)
    step = max(1, _BLOCK // scores.shape[1])
    blocks = [_top_k_block(scores[i : i + step], k, i) for i in range(0, max(len(scores), 1), step)]
    return np.concatenate([values for values, _ in blocks]), np.concatenate([ids for _, ids in blocks])


def _top_k_block(scores: NDArray[Any], k: int, first_row: int) -> tuple[NDArray[Any], IntArray]:
    rows, ids = _candidates(scores, k, first_row)
    values = scores[rows, ids]
    order = np.lexsort((ids, _falling(values), rows))
    start = np.searchsorted(rows, np.arange(len(scores)))
    chosen = order[start[:, None] + np.arange(k)]
    return values[chosen], np.where(values[chosen] == -np.inf, -1, ids[chosen])


def _candidates(scores: NDArray[Any], k: int, first_row: int) -> tuple[IntArray, IntArray]:
    """Rows, rising, and ids of labels that hold the k best and all that tie with them.

    One pass takes the best of each of m groups of labels (every m-th label is in one group). At least k
    labels reach the k-th best of these, so whatever is below it is out, and so are nearly all groups.
    """
    L = scores.shape[1]
    size = max(1, int((L / k) ** 0.5))
    m = -(-L // size)
    best = scores
    if size > 1:
        best = scores[:, : (size - 1) * m].reshape(len(scores), size - 1, m).max(axis=1)
        rest = scores[:, (size - 1) * m :]
        np.maximum(best[:, : rest.shape[1]], rest, out=best[:, : rest.shape[1]])
    if (nan := np.isnan(best)).any():  # a group with NaN has the maximum NaN
        raise DataError(nan_message(first_row + int(nan.any(axis=1).argmax())))
    floor = np.partition(best, best.shape[1] - k, axis=1)[:, -k]
    rows, groups = np.nonzero(best >= floor[:, None])
    ids = (groups[:, None] + m * np.arange(size)).ravel()
    rows = np.repeat(rows, size)
    known = ids < L
    rows, ids = rows[known], ids[known]
    high = scores[rows, ids] >= floor[rows]
    return rows[high], ids[high]


def check_lists(top_ids: ArrayLike, truth: Truth, ks: Sequence[int]) -> IntArray:
    """The first max(ks) ids of each list as int64 (N, K), checked. Raises `DataError` or `ConfigError`."""
    ids = integers(top_ids, "ranked lists")
    if ids.ndim != 2 or len(ids) != truth.size or not truth.size:
        raise DataError(
            f"ranked lists of shape {ids.shape} for {truth.size} documents with true labels; "
            "give one list for every document, all -1 where nothing was predicted"
        )
    _check_ks(ks, ids.shape[1], truth.n_labels)
    ids = ids[:, : max(ks)].astype(np.int64, copy=False)
    if truth.n_labels is not None and (high := int(ids.max())) >= truth.n_labels:
        row = int(np.flatnonzero((ids == high).any(axis=1))[0])
        raise DataError(
            f"ranked list of document {row}: label id {high} is outside the {truth.n_labels} labels; "
            "the list and the truth must use the same label ids"
        )
    if int(ids.min()) < -1 or ((ids[:, :-1] < 0) & (ids[:, 1:] >= 0)).any():
        raise DataError("ranked lists: ids are 0 or above, and after the first -1 (list ended) only -1")
    return ids


def check_top_k(shape: tuple[int, ...], k: int) -> None:
    """Raises `ConfigError` unless scores of this shape are (N, L) with 1 <= k <= L."""
    if len(shape) != 2:
        raise ConfigError(f"top-k of scores of shape {tuple(shape)}: give documents x labels")
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= shape[1]:
        raise ConfigError(f"top-k with k={k!r} of {shape[1]} labels: k must be a whole number from 1 to that")


def nan_message(row: int) -> str:
    """The sentence for a NaN score."""
    return f"scores of document {row} hold NaN, which has no rank: look for a diverged run"


def _check_ks(ks: Sequence[int], length: int, n_labels: int | None) -> None:
    if not len(ks):
        raise ConfigError("no k given: ask for at least one, such as ks=(1, 3, 5)")
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ConfigError(f"metric at k={k!r}: k must be a whole number from 1")
        if k > length:
            # A list cut at K says nothing about rank K + 1: that is not "wrong", it is unknown.
            raise ConfigError(f"metric at k={k} of lists of length {length}: predict at least {k} labels")
        if n_labels is not None and k > n_labels:
            raise ConfigError(f"metric at k={k} of {n_labels} labels: k cannot exceed the number of labels")


def _falling(values: NDArray[Any]) -> NDArray[Any]:
    """A key that rises where `values` fall (negation would overflow or wrap for whole numbers)."""
    return -values if values.dtype.kind == "f" else ~values
