"""One attention a label over the words of a document, and a score from what it sees: a_j = softmax over the
words of (h_t . w_j), m_j = sum over t of a_jt h_t, score_j = f(m_j), with one query w_j a label and an f that
all labels share, linear layers with ReLU between them (You et al. 2019, Eq. 2 and section 2.4.4;
yourh/AttentionXML e2bbbec, deepxml/modules.py:63-144). B documents, T positions, D components of a word's
state, L labels, C candidates of a document, c labels of a chunk, F units of a fully connected layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor
from torch.utils.checkpoint import checkpoint

#: Numbers of a chunk's largest tensors together: 32 MiB in float32 on a CPU, where more takes memory and no
#: less time, and half a GiB elsewhere.
CHUNK = {"cpu": 1 << 23, "other": 1 << 27}
#: Multiplications, of B L T D, that a group of shorter documents has to save: its calls of the library cost a
#: quarter of a millisecond.
SAVING = 1 << 19


def attend(states: Tensor, words: Tensor | None, queries: Tensor) -> Tensor:
    """states (B, T, D), words bool (B, T), queries (L, D) or (B, C, D) -> (B, L, D): what each query sees.
    Places that are no words get no weight; without `words` all count. Everything is kept for the backward
    pass."""
    queries = queries.expand(len(states), -1, -1)
    scores = torch.bmm(queries, states.transpose(1, 2))  # (B, L, T)
    if words is not None:
        scores = scores.masked_fill_(~words[:, None], -math.inf)
    return torch.bmm(torch.softmax(scores, dim=2), states)


def label_scores(
    states: Tensor,
    words: Tensor | None,
    queries: Tensor,
    layers: Sequence[tuple[Tensor, Tensor]],
    *,
    candidates: Tensor | None = None,
    sparse: bool = False,
) -> Tensor:
    """Scores before the sigmoid: (B, L) for all rows of `queries` (L, D), or (B, C) for candidates, int64 (B,
    C). layers: weight and bias of each, the last with a single output. `sparse`: the gradient of `queries`
    holds the rows of the candidates only. Computed a chunk of labels at a time, forward and, once more,
    backward: of the tensors of B L T, B L D and B L F numbers no more is ever there. On a CPU, documents much
    shorter than the longest of their batch are computed apart, over their own words. The numbers are those of
    `attend` and the layers."""
    kind, (_, T, D) = states.device.type, states.shape
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else states.dtype
    states, queries = states.to(dtype), queries.to(dtype)
    flat = [tensor.to(dtype) for layer in layers for tensor in layer]
    count = len(queries) if candidates is None else candidates.shape[1]
    if candidates is not None:
        rows, candidates = torch.unique(candidates, return_inverse=True)
        queries = F.embedding(rows, queries, sparse=sparse)
    groups, order = [(slice(None), T)], None
    if words is not None and kind == "cpu":  # elsewhere the host would have to wait for the lengths
        # of each document the places up to its last word, 1 at least
        lengths = (words * torch.arange(1, T + 1)).amax(dim=1).clamp(min=1)
        lengths, by_length = lengths.sort(descending=True, stable=True)
        groups = of_like_length(lengths.tolist(), saving=SAVING // max(1, count * D))
        if len(groups) > 1:
            order = by_length
            states, words = states[order], words[order]
            candidates = None if candidates is None else candidates[order]
    parts = []
    with torch.autocast(kind, enabled=False):
        for documents, width in groups:
            mine = states[documents, :width], None if words is None else words[documents, :width]
            numbers = len(mine[0]) * (width + D + sum(map(len, flat[1::2])) + D * (candidates is not None))
            size = max(1, CHUNK["cpu" if kind == "cpu" else "other"] // max(1, numbers))
            size = math.ceil(count / max(1, math.ceil(count / size)))  # chunks alike in size
            chunks = [
                checkpoint(_chunk_scores, *mine, *chunk, *flat, use_reentrant=False, preserve_rng_state=False)
                for chunk in (
                    [(part, None) for part in torch.split(queries, size)]
                    if candidates is None
                    else [(queries, part) for part in torch.split(candidates[documents], size, dim=1)]
                )
            ]
            parts.append(torch.cat(chunks, dim=1))
    scores = torch.cat(parts)
    return scores if order is None else scores[order.argsort()]


def _chunk_scores(
    states: Tensor, words: Tensor | None, queries: Tensor, candidates: Tensor | None, *layers: Tensor
) -> Tensor:
    """(B, c), for all `queries`, or the rows of them that `candidates` (B, c) names."""
    x = attend(states, words, queries if candidates is None else F.embedding(candidates, queries))
    for weight, bias in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        x = F.linear(x, weight, bias).relu_()
    return F.linear(x, *layers[-2:]).squeeze(-1)


def of_like_length(lengths: Sequence[int], saving: int) -> list[tuple[slice, int]]:
    """Groups of documents that are sorted by length, longest first, and the width that each needs. One begins
    at a document a quarter shorter than the longest of the group before, where that saves `saving` places."""
    groups, start = [], 0
    for i, length in enumerate(lengths):
        width = lengths[start]
        if 4 * length <= 3 * width and (len(lengths) - i) * (width - length) >= saving:
            groups.append((slice(start, i), width))
            start = i
    return [*groups, (slice(start, len(lengths)), lengths[start])] if lengths else groups
