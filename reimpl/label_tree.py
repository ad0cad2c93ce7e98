"""Label trees of AttentionXML: labels clustered by balanced 2-means, the binary tree made shallow and wide.

Paper
    You, Zhang, Wang, Dai, Mamitsuka, Zhu (2019), AttentionXML, NeurIPS, section 2.2 and Appendix; the
    clustering is that of Parabel (Prabhu et al. 2018).
Public code
    yourh/AttentionXML e2bbbec, deepxml/cluster.py. It draws its starts without a seed and refuses numbers of
    labels at which a depth holds both groups to be split and groups that are small enough (17 labels in
    groups of at most 8). Here starts are seeded, and such a depth is split as a whole.

Shapes: L labels, N documents, D features, n labels of a node.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from sklearn.preprocessing import normalize
from torch import Tensor

from reimpl.data.dataset import IntArray
from reimpl.errors import ConfigError

#: A split goes on while the mean similarity to the own centre rises by this much (cluster.py: eps).
EPS = 1e-4


@dataclass(frozen=True, eq=False)
class LabelTree:
    """A tree over L labels: its inner levels from the top, root left out, and the labels as leaves.

    Nodes of a level are numbered from left to right, so that the children of a node are a range of numbers.
    """

    order: IntArray  # int64 (L,): labels from left to right
    starts: tuple[IntArray, ...]
    """A level each, int64 (nodes + 1,): the labels below node i are `order[starts[i]:starts[i + 1]]`."""

    @property
    def height(self) -> int:
        """H, the inner levels without the root."""
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
        """Ids (all children,) and offsets (nodes + 1,) of what is below each node of inner level `level`.

        They are nodes of the next level, or label ids below the last one.
        """
        if level == self.height - 1:
            return self.order, self.starts[level]
        below = self.starts[level + 1]
        return np.arange(len(below) - 1), np.searchsorted(below[:-1], self.starts[level])


def depth_of(n_labels: int, max_leaf: int) -> int:
    """Depth of the binary tree at which no node has more than `max_leaf` labels, and none is without any.

    Where the public code goes through, its depth; where it refuses (see the module), one more split.
    """
    if n_labels < 1 or max_leaf < 1:
        raise ConfigError(f"a tree needs labels and leaves of 1 or more, not {n_labels!r} and {max_leaf!r}")
    splits = (-(-n_labels // max_leaf) - 1).bit_length()  # smallest d with ceil(L / 2^d) <= max_leaf
    return min(splits, n_labels.bit_length() - 1)


def kept_depths(depth: int, height: int, ways: int) -> tuple[int, ...]:
    """Depths of the binary tree that stay as inner levels, from the top: compression of section 2.2.

    The parents of the labels stay, then every c-th level above, 2^c = `ways`, `height` in all; the root is
    none of them. Fig. 1b: depth 10, height 3, 8 ways -> 4, 7, 10.
    """
    c = ways.bit_length() - 1
    if ways < 2 or 2**c != ways:
        raise ConfigError(f"ways must be a power of 2 from 2, not {ways!r}")
    depths = tuple(depth - c * up for up in range(height))[::-1]
    if height < 1 or depths[0] < 1:
        raise ConfigError(
            f"a binary tree of depth {depth} has no {height!r} levels of {ways} ways below the root; "
            "use a lower tree_height, fewer ways or smaller clusters"
        )
    return depths


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
    """(N, D) word weights, (N, L) labels -> (L, D): normalised sums of the normalised rows of each label.

    Rows of labels without documents, or without words, are zero.
    """
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
    """Cluster labels by their `features` (L, D; rows of length 1 or 0, see `label_features`).

    All nodes of a depth are split, then those of the next. The same seed gives the same tree, whatever the
    number of `threads` (all cores by default).
    """
    L = features.shape[0]
    depth = depth_of(L, max_leaf)
    depths = kept_depths(depth, height, ways)
    order = np.arange(L)

    def split(lo: int, hi: int, first: tuple[int, int]) -> None:
        labels = order[lo:hi]
        left, right = split_in_two(features[labels], first)
        order[lo:hi] = np.concatenate([labels[left], labels[right]])

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        # the matrix products release the lock that Python threads share
        for d in range(depth):
            starts = node_starts(L, d)
            # places of two different labels of each node, drawn a depth at a time
            rng, sizes = np.random.default_rng([seed, d]), np.diff(starts)
            one, other = rng.integers(0, sizes), rng.integers(0, sizes - 1)
            first = zip(one.tolist(), (other + (other >= one)).tolist(), strict=True)
            list(pool.map(split, starts[:-1].tolist(), starts[1:].tolist(), first))
    return LabelTree(order, tuple(node_starts(L, d) for d in depths))


def split_in_two(
    features: sparse.csr_matrix, first: tuple[int, int], *, eps: float = EPS
) -> tuple[IntArray, IntArray]:
    """Balanced 2-means of the rows (n, D) that starts from the rows `first`: places of left and right.

    Both in falling nearness to the left centre, floor(n / 2) of them left; ties in the order of the rows.
    """
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


# ----------------------------------------------------------------------------------------------- candidates
# Which nodes of a level a document is asked about: the children of the C best nodes of the level above, in
# training those with a positive first (section 2.3 and Appendix; deepxml/tree.py 88-110, dataset.py 66-75).
#
# Shapes: N documents, B documents of a batch, P predicted nodes, C parents, W children of the largest node.


def choose_parents(predicted: IntArray, positives: tuple[IntArray, IntArray], places: int) -> IntArray:
    """int32 (N, C): the parents whose children a training document is asked about; -1 where none.

    predicted (N, P): nodes of the level above, best first, -1 where none. positives: flat ids, rising within
    a document, and offsets (N + 1,) of the nodes of that level which have a positive below. C is `places`.
    Positives come first; when they are more than C, those that were predicted too; then the best predictions.
    """
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
    """What is below each node of one level, on the device."""

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
    """float32 (B, M): 1 where node ids[b, m] is a positive of document b.

    The positives of the batch are `rows` and `cols` (positives,): document and node of `n` nodes.
    """
    if len(cols) == 0:
        return torch.zeros(ids.shape, device=ids.device)
    keys = (rows * n + cols).sort().values
    asked = torch.arange(len(ids), device=ids.device)[:, None] * n + ids
    place = torch.searchsorted(keys, asked).clamp_(max=len(keys) - 1)
    return (keys[place] == asked).float()
