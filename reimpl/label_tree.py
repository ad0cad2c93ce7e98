"""Label trees of AttentionXML: labels clustered by balanced 2-means (Parabel's, Prabhu et al. 2018), the
binary tree made shallow and wide (You et al. 2019, section 2.2; yourh/AttentionXML e2bbbec,
deepxml/cluster.py). That code draws its starts without a seed and refuses numbers of labels at which a depth
holds groups to be split and groups that are small enough; here starts are seeded, and such a depth is split
as a whole. L labels, N documents, D features, n labels of a node."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from torch import Tensor

from reimpl.data.dataset import IntArray
from reimpl.errors import ConfigError

#: A split goes on while the mean similarity to the own centre rises by this much (cluster.py: eps).
EPS = 1e-4
#: Nodes of at most so many labels are clustered on the similarities of all their pairs: the matrix of a node
#: serves all splits below it, and none of them touches the features again.
PAIRWISE = 512
#: Numbers of such matrices that are looked at together.
_PAIRS = 1 << 22

Similarities = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class LabelTree:
    """A tree over L labels: its inner levels from the top, root left out, and the labels as leaves. Nodes of
    a level are numbered from left to right, so that the children of a node are a range of numbers."""

    order: IntArray  # int64 (L,): labels from left to right
    starts: tuple[IntArray, ...]
    """A level each, int64 (nodes + 1,): the labels below node i are `order[starts[i]:starts[i + 1]]`."""

    @property
    def height(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Nodes of each level from the top, the labels last."""
        return (*(len(starts) - 1 for starts in self.starts), len(self.order))

    def parents(self, level: int) -> IntArray:
        """int64 (L,): the node of inner level `level` (0 is the top one) above each label id."""
        parents = np.empty(len(self.order), dtype=np.int64)
        parents[self.order] = np.repeat(np.arange(self.sizes[level]), np.diff(self.starts[level]))
        return parents

    def children(self, level: int) -> tuple[IntArray, IntArray]:
        """Ids (all children,) and offsets (nodes + 1,) of what is below each node of inner level `level`:
        nodes of the next level, or label ids below the last one."""
        if level == self.height - 1:
            return self.order, self.starts[level]
        below = self.starts[level + 1]
        return np.arange(len(below) - 1), np.searchsorted(below[:-1], self.starts[level])


def depth_of(n_labels: int, max_leaf: int) -> int:
    """Depth of the binary tree at which no node has more than `max_leaf` labels, and none is empty."""
    splits = (-(-n_labels // max_leaf) - 1).bit_length()  # smallest d with ceil(L / 2^d) <= max_leaf
    return min(splits, n_labels.bit_length() - 1)


def kept_depths(depth: int, height: int, ways: int) -> tuple[int, ...]:
    """Depths of the binary tree that stay as inner levels, from the top (section 2.2): the parents of the
    labels, then every c-th level above, 2^c = `ways`, `height` in all. Fig. 1b: 10, 3, 8 -> 4, 7, 10."""
    c = ways.bit_length() - 1
    if ways < 2 or 2**c != ways:
        raise ConfigError(f"ways must be a power of 2 from 2, not {ways!r}")
    return tuple(depth - c * up for up in range(height))[::-1]


def fitting_height(n_labels: int, max_leaf: int, height: int, ways: int) -> int:
    """Inner levels below the root for which that many labels have room: `height` or fewer, 0 for no tree."""
    c = ways.bit_length() - 1
    depth = depth_of(n_labels, max_leaf)
    return 0 if depth == 0 else min(height, (depth - 1) // max(c, 1) + 1)


def node_starts(n_labels: int, depth: int) -> IntArray:
    """int64 (2^depth + 1,): where each node of a depth begins; splits give floor(n / 2) to the left."""
    sizes = np.array([n_labels])
    for _ in range(depth):
        sizes = np.column_stack([sizes // 2, sizes - sizes // 2]).ravel()
    return np.append(0, np.cumsum(sizes))


def label_features(features: sparse.csr_matrix, labels: sparse.csr_matrix) -> sparse.csr_matrix:
    """(N, D) word weights, (N, L) labels -> (L, D): normalised sum of each label's normalised rows."""
    return normalize(sparse.csr_matrix(labels.T @ normalize(sparse.csr_matrix(features))))


def build_tree(
    features: sparse.csr_matrix,
    *,
    max_leaf: int,
    height: int,
    ways: int,
    seed: int,
    threads: int | None = None,
) -> LabelTree:
    """Cluster labels by their `features` (L, D; rows of length 1 or 0, see `label_features`): all nodes of a
    depth, then those of the next, and small nodes at once down to their leaves. The same seed gives the same
    tree, whatever the number of `threads`."""
    L = features.shape[0]
    depth = depth_of(L, max_leaf)
    depths = kept_depths(depth, height, ways)
    starts = [node_starts(L, d) for d in range(depth + 1)]
    first, order = [], np.arange(L)
    for d in range(depth):  # two different labels of each node, drawn a depth at a time
        rng, of_depth = np.random.default_rng([seed, d]), np.diff(starts[d])
        one, other = rng.integers(0, of_depth), rng.integers(0, of_depth - 1)
        first.append(np.column_stack([one, other + (other >= one)]))

    def split(d: int, number: int, lo: int, hi: int) -> None:
        labels = order[lo:hi]
        rows = features if hi - lo == L else features[labels]
        left, right = split_in_two(rows, tuple(first[d][number]))
        order[lo:hi] = np.concatenate([labels[left], labels[right]])

    def split_below(d: int, begin: int, end: int) -> None:
        """All splits below nodes `begin` to `end` of depth d, whose pairs are looked at together."""
        sizes = np.diff(starts[d])[begin:end]
        pairs = np.zeros((len(sizes), sizes.max(), sizes.max()), dtype=features.dtype)
        for i, n in enumerate(sizes):
            rows = features[order[starts[d][begin + i] :][:n]]
            pairs[i, :n, :n] = (rows @ rows.T).toarray()
        node, places = np.arange(len(sizes)), np.tile(np.arange(sizes.max()), (len(sizes), 1))
        for below in range(d, depth):
            numbers = slice(begin << (below - d), end << (below - d))
            inner = pairs[node[:, None, None], places[:, :, None], places[:, None, :]]
            nearest = split_pairs(inner, sizes, first[below][numbers])
            places = np.take_along_axis(places, nearest, axis=1)
            # floor(n / 2) to the left; what is cut off or repeated at the right end is beyond a node's size
            width, left = -(-places.shape[1] // 2), sizes // 2
            right = np.minimum(left[:, None] + np.arange(width), places.shape[1] - 1)
            halves = places[:, :width], np.take_along_axis(places, right, axis=1)
            places, node = np.stack(halves, axis=1).reshape(-1, width), np.repeat(node, 2)
            sizes = np.column_stack([left, sizes - left]).ravel()
        held = np.arange(places.shape[1]) < sizes[:, None]
        base = np.repeat(starts[d][begin:end], 1 << (depth - d))
        order[starts[d][begin] : starts[d][end]] = order[(places + base[:, None])[held]]

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        # the matrix products release the lock that Python threads share
        for d in range(depth):
            nodes, widest = len(starts[d]) - 1, int(np.diff(starts[d]).max())
            if widest <= PAIRWISE:
                begins = range(0, nodes, max(1, _PAIRS // widest**2))
                list(pool.map(partial(split_below, d), begins, [*begins[1:], nodes]))
                break
            list(pool.map(partial(split, d), range(nodes), starts[d][:-1].tolist(), starts[d][1:].tolist()))
    return LabelTree(order, tuple(node_starts(L, d) for d in depths))


def split_in_two(
    features: sparse.csr_matrix, first: tuple[int, int], *, eps: float = EPS
) -> tuple[IntArray, IntArray]:
    """Balanced 2-means of the rows (n, D) that starts from the rows `first`: places of left and right, in
    falling nearness to the left centre, floor(n / 2) of them left; ties in the order of the rows."""
    n = features.shape[0]
    centres, lengths = features[list(first)].toarray().T, np.ones(2, dtype=features.dtype)  # (D, 2), (2,)
    before, now = -10_000.0, -1.0  # as the public code starts: there are two rounds at least
    while now - before >= eps:
        s = np.asarray(features @ centres) / lengths
        order = np.argsort(s[:, 1] - s[:, 0], kind="stable")
        left, right = order[: n // 2], order[n // 2 :]
        before, now = now, float(s[left, 0].sum() + s[right, 1].sum()) / n
        members = np.zeros((n, 2), dtype=features.dtype)
        members[left, 0] = members[right, 1] = 1
        centres = features.T @ members
        squares = [column @ column for column in centres.T]
        lengths = np.array([math.sqrt(square) or 1 for square in squares], dtype=features.dtype)
    return left, right


def split_pairs(pairs: Similarities, sizes: IntArray, first: IntArray, *, eps: float = EPS) -> IntArray:
    """As `split_in_two` of m nodes at once, by inner products alone. pairs (m, n, n), of which a node has as
    many rows as `sizes` (m,) says; first (m, 2) -> places in falling nearness to the left centre, (m, n),
    those beyond its size last. Row i has similarity sum_j pairs[i, j] / sqrt(sum_jk pairs[j, k]) to a centre
    of members j and k."""
    m, n = pairs.shape[:2]
    place = np.arange(n)
    found = np.empty((m, n), dtype=np.int64)
    s = np.take_along_axis(pairs, first[:, None, :], axis=2)  # (m, n, 2)
    before, going = np.full(m, -1.0), np.arange(m)
    begun = False
    while True:
        size, left = sizes[going], sizes[going] // 2
        beyond = place >= size[:, None]
        order = np.argsort(np.where(beyond, np.inf, s[..., 1] - s[..., 0]), axis=1, kind="stable")
        found[going] = order
        on_left = place < left[:, None]
        near = np.take_along_axis(s, order[..., None], axis=1)
        now = np.where(on_left, near[..., 0], np.where(beyond, 0, near[..., 1])).sum(axis=1) / size
        # there are two rounds at least, as in the public code
        goes_on = (now - before[going] >= eps) | (not begun)
        before[going], begun = now, True
        if not goes_on.any():
            return found
        pairs, going, order, on_left = (x[goes_on] for x in (pairs, going, order, on_left))
        members = np.zeros((*order.shape, 2), dtype=pairs.dtype)
        np.put_along_axis(members[..., 0], order, on_left, axis=1)
        np.put_along_axis(members[..., 1], order, ~on_left & ~beyond[goes_on], axis=1)
        to_sums = pairs @ members
        lengths = np.sqrt(np.einsum("mnk,mnk->mk", members, to_sums).clip(0))
        s = to_sums / np.where(lengths > 0, lengths, 1)[:, None, :]


# ----------------------------------------------------------------------------------------------- candidates
# Which nodes of a level a document is asked about: the children of the C best nodes of the level above, in
# training those with a positive first (section 2.3 and Appendix; deepxml/tree.py 88-110, dataset.py 66-75). P
# predicted nodes, C parents, W children of the largest node.


def choose_parents(predicted: IntArray, positives: tuple[IntArray, IntArray], places: int) -> IntArray:
    """int32 (N, C = `places`): the parents whose children a training document is asked about; -1 where none.
    predicted (N, P): nodes of the level above, best first. positives: flat ids and offsets of those with a
    positive below. Positives come first, of more than C those predicted; then the best."""
    ids, offsets = positives
    chosen = np.full((len(predicted), places), -1, dtype=np.int32)
    for i, row in enumerate(predicted.tolist()):
        own = ids[offsets[i] : offsets[i + 1]].tolist()
        both = set(own).intersection(row)
        ordered = dict.fromkeys([*(node for node in row if node in both), *own, *row])  # each once
        parents = [node for node in ordered if node >= 0][:places]
        chosen[i, : len(parents)] = parents
    return chosen


@dataclass(frozen=True, eq=False)
class Children:
    """The children of each node of one level, on the device."""

    ids: Tensor  # int64 (all children,)
    starts: Tensor  # int64 (nodes + 1,): the last entry is for "no parent" (-1), which has no children
    sizes: Tensor  # int64 (nodes + 1,)
    widest: int  # W

    @classmethod
    def of(cls, tree: LabelTree, level: int, device: torch.device) -> Children:
        ids, starts = tree.children(level)
        sizes = np.diff(starts)
        return cls(
            torch.from_numpy(ids.astype(np.int64)).to(device),
            torch.from_numpy(starts.astype(np.int64)).to(device),
            torch.from_numpy(np.append(sizes, 0).astype(np.int64)).to(device),
            int(sizes.max(initial=0)),
        )

    def below(self, parents: Tensor) -> tuple[Tensor, Tensor]:
        """(B, C) parents, -1 where none -> (B, C * W) child ids, 0 where none, and whether there is one."""
        place = torch.arange(self.widest, device=parents.device)
        valid = place < self.sizes[parents][:, :, None]
        source = torch.where(valid, self.starts[parents][:, :, None] + place, 0)
        ids = torch.where(valid, self.ids[source], 0)
        return ids.flatten(1), valid.flatten(1)


def are_positive(ids: Tensor, rows: Tensor, cols: Tensor, n: int) -> Tensor:
    """float32 (B, M): 1 where node ids[b, m] is a positive of document b, as `rows` and `cols` list them."""
    if len(cols) == 0:
        return torch.zeros(ids.shape, device=ids.device)
    keys = (rows * n + cols).sort().values
    asked = torch.arange(len(ids), device=ids.device)[:, None] * n + ids
    place = torch.searchsorted(keys, asked).clamp_(max=len(keys) - 1)
    return (keys[place] == asked).float()
