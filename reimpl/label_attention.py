"""One attention a label over the words of a document, and a score from what it sees.

Shapes: B documents, T positions, D components of a word's state, L labels, C candidates of a document, c
labels of a chunk, F units of a fully connected layer.

    a_j = softmax over the words of (h_t . w_j),   m_j = sum over t of a_jt h_t,   score_j = f(m_j)

with one query w_j a label, no bias, and an f that all labels share: linear layers with ReLU between them. You
et al. 2019, Eq. (2) and section 2.4.4; yourh/AttentionXML e2bbbec, deepxml/modules.py:63-144.

`label_scores` computes this for a chunk of labels at a time, forward and, once more, backward: what it keeps
for the backward pass is its input. Of the tensors of B L T, B L D and B L F numbers no more than a chunk is
ever there. On a CPU, documents that are much shorter than the longest of their batch are computed apart from
it, over their own words: a batch of titles with one abstract among them costs what the titles cost. The
numbers are those of `attend` followed by the layers; a test holds them against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor
from torch.autograd.function import once_differentiable

#: Numbers of a chunk's largest tensors together: 32 MiB in float32 on a CPU, where more takes memory and no
#: less time, and half a GiB elsewhere.
CHUNK = {"cpu": 1 << 23, "other": 1 << 27}
#: Multiplications, of B L T D, that a group of shorter documents has to save: its calls of the library cost a
#: quarter of a millisecond.
SAVING = 1 << 19


def attend(states: Tensor, words: Tensor | None, queries: Tensor) -> Tensor:
    """states (B, T, D), words bool (B, T), queries (L, D) or (B, C, D) -> (B, L, D): what each query sees.

    Places that are no words get no weight; without `words` all places count. For a few queries: everything is
    kept for the backward pass.
    """
    scores = queries @ states.transpose(1, 2)  # (B, L, T)
    if words is not None:
        scores = scores.masked_fill(~words[:, None], -math.inf)
    return torch.softmax(scores, dim=2) @ states


def label_scores(
    states: Tensor,
    words: Tensor | None,
    queries: Tensor,
    layers: Sequence[tuple[Tensor, Tensor]],
    *,
    candidates: Tensor | None = None,
    sparse: bool = False,
) -> Tensor:
    """Scores before the sigmoid: (B, L) for all rows of `queries` (L, D), or (B, C) for candidates.

    states (B, T, D) and words bool (B, T) as in `attend`; layers: weight and bias of linear layers with ReLU
    between them, the last with a single output. candidates int64 (B, C): rows of `queries` for each document,
    with repetitions as they come. `sparse`: the gradient of `queries` holds the rows of the candidates only,
    each once. Works under autograd to first order.
    """
    kind = states.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else states.dtype
    flat = [tensor.to(dtype) for layer in layers for tensor in layer]
    count = len(queries) if candidates is None else candidates.shape[1]
    groups, order = [_Group(slice(None), states.shape[1])], None
    if words is not None and kind == "cpu":  # elsewhere the host would have to wait for the lengths
        # of each document the places up to its last word, 1 at least
        lengths = (words * torch.arange(1, words.shape[1] + 1)).amax(dim=1).clamp(min=1)
        lengths, by_length = lengths.sort(descending=True, stable=True)
        groups = of_like_length(lengths.tolist(), saving=SAVING // max(1, count * states.shape[2]))
        if len(groups) > 1:
            order = by_length
            states, words = states[order], words[order]
            candidates = None if candidates is None else candidates[order]
    mask = None
    if words is not None:  # (B, 1, T): what is added to the scores of the words
        mask = torch.zeros(words.shape, dtype=dtype, device=words.device)
        mask = mask.masked_fill_(~words, -math.inf)[:, None]
    with torch.autocast(kind, enabled=False):
        scores = _LabelScores.apply(  # type: ignore[no-untyped-call]
            states.to(dtype), queries.to(dtype), mask, candidates, groups, sparse, *flat
        )
    return cast(Tensor, scores if order is None else scores[order.argsort()])


@dataclass(frozen=True)
class _Group:
    """Documents that stand next to each other, and how many places they need."""

    documents: slice
    width: int


def of_like_length(lengths: Sequence[int], saving: int) -> list[_Group]:
    """Groups of documents that are sorted by length, longest first.

    A group begins at a document that is a quarter shorter than the longest of the group before, where that
    saves `saving` places at least.
    """
    groups, start = [], 0
    for i, length in enumerate(lengths):
        width = lengths[start]
        if 4 * length <= 3 * width and (len(lengths) - i) * (width - length) >= saving:
            groups.append(_Group(slice(start, i), width))
            start = i
    return [*groups, _Group(slice(start, len(lengths)), lengths[start])] if lengths else groups


@dataclass(frozen=True)
class _Inputs:
    states: Tensor
    queries: Tensor
    mask: Tensor | None
    candidates: Tensor | None
    layers: list[tuple[Tensor, Tensor]]

    @property
    def count(self) -> int:
        """Scores a document."""
        return len(self.queries) if self.candidates is None else self.candidates.shape[1]

    def chunks(self) -> Iterator[slice]:
        """Labels, or candidates, in parts of bounded size."""
        B, T, D = self.states.shape
        numbers = B * (T + D + sum(len(bias) for _, bias in self.layers))
        if self.candidates is not None:
            numbers += B * D
        size = max(1, CHUNK["cpu" if self.states.device.type == "cpu" else "other"] // max(1, numbers))
        size = math.ceil(self.count / max(1, math.ceil(self.count / size)))  # parts alike in size
        return (slice(lo, lo + size) for lo in range(0, self.count, size))

    def of(self, group: _Group) -> _Inputs:
        """Views of a group's documents, over the places that they need."""
        rows, places = group.documents, slice(group.width)
        return replace(
            self,
            states=self.states[rows, places],
            mask=None if self.mask is None else self.mask[rows, :, places],
            candidates=None if self.candidates is None else self.candidates[rows],
        )

    def chosen(self, part: slice) -> Tensor:
        """(B, c, D): the queries of a chunk."""
        if self.candidates is not None:
            return F.embedding(self.candidates[:, part], self.queries)
        return self.queries[part].expand(len(self.states), -1, -1)

    def seen(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        """Attention weights (B, c, T) and what they see (B, c, D)."""
        keys = self.states.transpose(1, 2)
        mask = self.mask
        weights = torch.bmm(queries, keys) if mask is None else torch.baddbmm(mask, queries, keys)
        torch.softmax(weights, dim=-1, out=weights)  # in half precision the library computes in float32
        return weights, torch.bmm(weights, self.states)

    def activations(self, seen: Tensor) -> list[Tensor]:
        """What enters each of the shared layers, then the scores (B, c, 1)."""
        values = [seen]
        for weight, bias in self.layers[:-1]:
            values.append(F.linear(values[-1], weight, bias).relu_())
        return [*values, F.linear(values[-1], *self.layers[-1])]


class _LabelScores(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        queries: Tensor,
        mask: Tensor | None,
        candidates: Tensor | None,
        groups: list[_Group],
        sparse: bool,
        *flat: Tensor,
    ) -> Tensor:
        ctx.save_for_backward(states, queries, mask, candidates, *flat)
        ctx.groups, ctx.sparse = groups, sparse
        inputs = _Inputs(states, queries, mask, candidates, list(zip(flat[::2], flat[1::2], strict=True)))
        scores = states.new_empty(len(states), inputs.count)
        for group in groups:
            mine = inputs.of(group)
            for part in mine.chunks():
                _, seen = mine.seen(mine.chosen(part))
                scores[group.documents, part] = mine.activations(seen)[-1].squeeze(-1)
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        states, queries, mask, candidates, *flat = ctx.saved_tensors
        inputs = _Inputs(states, queries, mask, candidates, list(zip(flat[::2], flat[1::2], strict=True)))
        grads = _Gradients(inputs, sparse=ctx.sparse)
        for group in ctx.groups:
            for part in inputs.of(group).chunks():
                grads.add(group, part, grad[group.documents, part, None])
        return grads.states, grads.queries(), None, None, None, None, *grads.layers


class _Gradients:
    """The sums of the gradients of all groups' chunks."""

    def __init__(self, inputs: _Inputs, *, sparse: bool) -> None:
        self.inputs = inputs
        self.states = torch.zeros_like(inputs.states)
        self.layers = [torch.zeros_like(tensor) for layer in inputs.layers for tensor in layer]
        self.rows: Tensor | None = None  # ids of the queries that have a gradient; None: all
        self.places = inputs.candidates  # where in `self.summed` the gradient of a candidate goes
        if sparse and inputs.candidates is not None:
            self.rows, self.places = torch.unique(inputs.candidates, return_inverse=True)
        rows = len(inputs.queries) if self.rows is None else len(self.rows)
        self.summed = inputs.queries.new_zeros(rows, inputs.queries.shape[1])

    def queries(self) -> Tensor:
        if self.rows is None:
            return self.summed
        options: Any = {"is_coalesced": True, "check_invariants": False}
        shape = self.inputs.queries.shape
        return torch.sparse_coo_tensor(self.rows[None], self.summed, shape, **options)

    def add(self, group: _Group, part: slice, grad: Tensor) -> None:
        """The chunk of labels `part` of a group, whose scores have the gradient `grad` (B, c, 1)."""
        inputs = self.inputs.of(group)
        states, of_states = inputs.states, self.states[group.documents, : group.width]
        queries = inputs.chosen(part)
        weights, seen = inputs.seen(queries)
        values = inputs.activations(seen)
        for i in reversed(range(len(inputs.layers))):
            if i < len(inputs.layers) - 1:
                grad = grad.masked_fill(values[i + 1] <= 0, 0)  # the slope of ReLU at 0 is 0
            self.layers[2 * i].addmm_(grad.flatten(0, 1).t(), values[i].flatten(0, 1))
            self.layers[2 * i + 1] += grad.sum((0, 1))
            grad = grad @ inputs.layers[i][0]  # at last (B, c, D), of what was seen
        of_states.baddbmm_(weights.transpose(1, 2), grad)
        grad = torch._softmax_backward_data(
            torch.bmm(grad, states.transpose(1, 2)), weights, -1, weights.dtype
        )  # (B, c, T), of the scores before the softmax
        of_states.baddbmm_(grad.transpose(1, 2), queries)
        if self.places is not None:
            each = torch.bmm(grad, states)  # (B, c, D)
            self.summed.index_add_(0, self.places[group.documents, part].flatten(), each.flatten(0, 1))
        else:
            grad = grad.transpose(0, 1).flatten(1)  # (c, B T): one product instead of one a document
            self.summed[part].addmm_(grad, states.flatten(0, 1))
