"""A tree of FastXML: halves of documents that rank their labels well, and separators that learn the halves.

All nodes of a level are one problem, because they share no document, no label's rank and no weight: the
halves are found together, and one call of LIBLINEAR learns all separators. Documents to be ranked go along,
unseen by all that learns. N documents to learn from, M to rank, D features, L labels, n nodes of a level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from reimpl.data.dataset import BoolArray, FloatArray, IntArray

#: Differences of gains below it are rounding, and so are the digits behind it.
_DIGITS = 9
_EPS = 10.0**-_DIGITS


def grow(
    X: sparse.csr_matrix, gains: sparse.csr_matrix, rng: np.random.Generator, *, leaf: int, **of_solver: float
) -> tuple[IntArray, int]:
    """Leaf of each row of X, int32 (N + M,), and how many weights are not 0. gains (N, L): what a label of
    one of the first N rows adds to its nDCG at rank r, times log(1 + r)."""
    rows, leaves = np.arange(X.shape[0]), np.zeros(X.shape[0], dtype=np.int64)
    node, n, before, weights = leaves.copy(), 1, 0, 0
    while len(rows) and gains.shape[0] > leaf:
        known = rows < gains.shape[0]
        side = halves(gains[rows[known]], node[known], n, rng)
        right, more = separated(X[rows], node, n, known, side, **of_solver)
        sizes = np.bincount((2 * node + right)[known], minlength=2 * n)
        whole = (sizes.reshape(n, 2).min(axis=1) == 0)[node]  # the separator leaves the node undivided
        child = 2 * node + (right & ~whole)
        ended = whole | (sizes[child] <= leaf)
        leaves[rows[ended]] = before + child[ended]
        rows, before, weights = rows[~ended], before + 2 * n, weights + more
        ids, node = np.unique(child[~ended], return_inverse=True)
        n = len(ids)
    return np.unique(leaves, return_inverse=True)[1].astype(np.int32), weights


def halves(gains: sparse.csr_matrix, node: IntArray, n: int, rng: np.random.Generator) -> BoolArray:
    """Half of each document, (N,): drawn, then moved until none gains by it. In a half labels rank by the sum
    of their gains there, equals by id; those of the node that the half does not have come last."""
    (N, L), counts = gains.shape, np.diff(gains.indptr)
    pairs, pair = numbered(np.repeat(node, counts) * L + gains.indices, n * L)
    node_of = (pairs // L).astype(np.min_scalar_type(n))  # small numbers are sorted faster
    of_documents = sparse.csr_matrix((gains.data, pair, gains.indptr), shape=(N, len(pairs)))
    of_pairs = of_documents.T.tocsr()
    discount = 1 / np.log(2 + np.arange(len(pairs)) - np.searchsorted(node_of, node_of))
    both = of_pairs @ np.ones(N)
    side: BoolArray = rng.random(N) < 0.5
    better, live = np.zeros(len(pairs)), np.arange(len(pairs))
    while len(live):  # the pairs of nodes in which a document has moved
        there, at = (of_pairs @ side.astype(np.float64))[live], node_of[live]
        here = (both[live] - there).round(_DIGITS)
        better[live] = 0
        for score, sign in ((here, -1), (there.round(_DIGITS), 1)):
            better[live[falling(score, at)]] += sign * discount[live]
        gain = of_documents @ better
        moves = np.where(side, gain < -_EPS, gain > _EPS)
        side ^= moves
        live = np.flatnonzero((np.bincount(node[moves], minlength=n) > 0)[node_of])
    return side


def falling(score: FloatArray, group: IntArray) -> IntArray:
    """lexsort((-score, group)) of groups that rise, in a third of its time: numpy sorts fast where equals
    may come in any order, so their places become part of what is sorted."""
    order, bits = np.argsort(-score), len(score).bit_length()
    rank = np.cumsum(np.diff(score[order], prepend=np.inf) != 0)
    order = np.sort(rank << bits | order) & ((1 << bits) - 1)
    return np.asarray(order[np.argsort(group[order], kind="stable")])


def separated(
    X: sparse.csr_matrix, node: IntArray, n: int, known: BoolArray, side: BoolArray, **of_solver: float
) -> tuple[BoolArray, int]:
    """Side of each row, learned from the `known` rows by min |w|_1 + C sum ln(1 + e^-m); non-zero weights."""
    if side.all() or not side.any():
        return np.zeros(len(node), dtype=bool), 0
    D = X.shape[1]  # a column for each feature of each node
    columns, column = numbered(np.repeat(node, np.diff(X.indptr)) * D + X.indices, n * D)
    Z = sparse.csr_matrix((X.data, column.astype(np.int32), X.indptr), shape=(len(node), len(columns)))
    solver: Any = LogisticRegression(l1_ratio=1, solver="liblinear", fit_intercept=False, random_state=0)
    weights = solver.set_params(max_iter=1000, **of_solver).fit(Z[known], side).coef_[0]
    return np.asarray(Z @ weights > 0), int(np.count_nonzero(weights))


def numbered(keys: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """The keys there are, rising, and the place of each key among them; all are below `most`."""
    if most > 4 * len(keys):
        distinct, places = np.unique(keys, return_inverse=True)
        return distinct, places
    there = np.zeros(most, dtype=bool)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]
