"""Which nodes of a label tree's level a document is asked about, in training and in the beam of prediction.

Paper
    You et al. (2019), AttentionXML, NeurIPS, section 2.3 and Appendix: the children of the C best nodes of
    the level above, in training those with a positive first.
Public code
    yourh/AttentionXML e2bbbec, deepxml/tree.py 88-110 and deepxml/dataset.py 66-75.

Cost and memory grow with the candidates of a document, not with the nodes of a level.

Shapes: N documents, B documents of a batch, P predicted nodes, C parents, W children of the largest node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from reimpl.data.dataset import IntArray
from reimpl.label_tree import LabelTree

#: Numbers looked at in one go while parents are chosen.
_BLOCK = 1 << 22


def choose_parents(predicted: IntArray, positives: tuple[IntArray, IntArray], places: int) -> IntArray:
    """int32 (N, C): the parents whose children a training document is asked about; -1 where none.

    predicted (N, P): nodes of the level above, best first, -1 where none. positives: flat ids, rising within
    a document, and offsets (N + 1,) of the nodes of that level which have a positive below. C is `places`.
    Positives come first; when they are more than C, those that were predicted too; then the best predictions.
    """
    ids, offsets = positives
    N, P = predicted.shape
    chosen = np.full((N, places), -1, dtype=np.int32)
    counts = np.diff(offsets)
    rows_at_once = max(1, _BLOCK // (P + int(counts.max(initial=0)) + 1))
    for lo in range(0, N, rows_at_once):
        hi = min(N, lo + rows_at_once)
        mine = ids[offsets[lo] : offsets[hi]]
        part = _chosen(predicted[lo:hi], mine, counts[lo:hi])
        chosen[lo:hi, : part.shape[1]] = part[:, :places]
    return chosen


def _chosen(predicted: IntArray, positives: IntArray, counts: IntArray) -> IntArray:
    """int64 (rows, P + most positives): all parents in the order of choice, then -1."""
    rows = len(predicted)
    most = int(counts.max(initial=0))
    row = np.repeat(np.arange(rows), counts)
    positive = np.full((rows, most), -1, dtype=np.int64)
    positive[row, np.arange(len(positives)) - np.repeat(np.cumsum(counts) - counts, counts)] = positives
    # the same node of the same document as a prediction and as a positive has the same key
    width = int(max(predicted.max(initial=0), positives.max(initial=0))) + 1
    keys_predicted = np.where(predicted >= 0, predicted + np.arange(rows)[:, None] * width, -1)
    keys_positive = np.where(positive >= 0, positive + np.arange(rows)[:, None] * width, -2)
    predicted_too = np.isin(keys_positive, keys_predicted)
    is_positive = np.isin(keys_predicted, keys_positive)
    nodes = np.concatenate([predicted, positive], axis=1)
    ranks = np.concatenate(
        [
            np.where(predicted < 0, 3, np.where(is_positive, 0, 2)),
            np.where((positive < 0) | predicted_too, 3, 1),  # those predicted stand there already
        ],
        axis=1,
    )
    order = np.argsort(ranks, axis=1, kind="stable")
    return np.where(np.take_along_axis(ranks, order, 1) < 3, np.take_along_axis(nodes, order, 1), -1)


@dataclass(frozen=True, eq=False)
class Children:
    """What is below each node of one level, on the device."""

    ids: Tensor
    """int64 (all children,)."""
    starts: Tensor
    """int64 (nodes + 1,): the last entry is for "no parent" (-1), which has no children."""
    sizes: Tensor
    """int64 (nodes + 1,)."""
    widest: int
    """W."""

    @classmethod
    def of(cls, tree: LabelTree, level: int, device: torch.device) -> Children:
        """The children of inner level `level` (0 is the top one)."""
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


def fill_at_random(ids: Tensor, valid: Tensor, n: int, generator: torch.Generator | None = None) -> Tensor:
    """Ids with a random node of the level (0..n-1) where there is no candidate: the public code's rule.

    Repetitions are possible, also of candidates and of positives. dataset.py 66-75; not in the paper.
    """
    drawn = torch.randint(n, ids.shape, generator=generator, device=ids.device)
    return torch.where(valid, ids, drawn)


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
