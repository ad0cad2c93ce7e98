"""Building blocks of networks: convolution and pooling over tokens, dropout, attention, an LSTM. B documents,
T positions, C channels, F filters, k window, p pools, n = (T - k) // stride + 1 outputs."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """As `F.dropout`, a third of its time on a CPU: masks are 16 bits of a draw, so `p` is exact to 2^-16."""
    if not training or p == 0 or x.device.type != "cpu":
        return F.dropout(x, p, training)
    draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[: x.numel()].view(x.shape)
    return x * (bits >= round(p * 2**16) - 2**15).to(x.dtype).mul_(1 / (1 - p))


def without_autocast(x: Tensor) -> torch.autocast:
    """No autocast inside; a module that computes there has `in_float32`, its name for the record."""
    return torch.autocast(x.device.type, enabled=False)


def convolve(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, stride: int = 1) -> Tensor:
    """Convolution along T: x (B, T, C), weight (F, C, k), bias (F,) -> (B, F, n)."""
    if x.device.type != "cpu":
        return F.conv1d(x.transpose(1, 2), weight, bias, stride)
    # conv1d would copy x into channel-major order, for each window anew. As an image one pixel high, x is
    # in torch's channels-last order as it is, and the library takes that: 1.2 to 2 times faster.
    image = x.contiguous().unsqueeze(1).permute(0, 3, 1, 2)  # (B, C, 1, T)
    kernel = weight.unsqueeze(2).contiguous(memory_format=torch.channels_last)
    return F.conv2d(image, kernel, bias, (1, stride)).squeeze(2)


#: Positions per pool from which the bookkeeping of the sparse backward pass pays, with few channels. On a GPU
#: the dense one is faster nearly everywhere.
_SPARSE_FROM = 32


def conv_max_pool(x: Tensor, weight: Tensor, bias: Tensor | None, *, pools: int, stride: int = 1) -> Tensor:
    """Convolve along T, then take the maximum in each of `pools` adaptive bins: x (B, T, C), weight (F, C,
    k), bias (F,) -> (B, F, pools), as `adaptive_max_pool1d(conv1d(x))`. Only the p winners of each filter
    have a gradient, so that the backward pass sums B F p patches in place of two dense convolutions."""
    n = (x.shape[1] - weight.shape[2]) // stride + 1
    least = _SPARSE_FROM if x.shape[2] < 48 else 0.375 * _SPARSE_FROM  # the more channels, the less it weighs
    if x.device.type == "cpu" and n >= pools * least:
        out = cast(Tensor, _ConvMaxPool.apply(x, weight, pools, stride))  # type: ignore[no-untyped-call]
    else:
        out = F.adaptive_max_pool1d(convolve(x, weight, stride=stride), pools)
    return out if bias is None else out + bias[:, None]


class _ConvMaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, pools: int, stride: int) -> Tensor:
        convolved = convolve(x, weight, stride=stride)  # (B, F, n)
        pooled, winners = F.adaptive_max_pool1d(convolved, pools, return_indices=True)  # (B, F, p) each
        ctx.save_for_backward(x, weight, winners)
        ctx.stride = stride
        return pooled

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        x, weight, winners = ctx.saved_tensors
        grad = grad.to(x.dtype)  # under autocast the output has another type than the operands
        B, T, C = x.shape
        Fs, _, k = weight.shape
        # S (F k, B T) is the sparse matrix of the gradient: entry (f, j), (b, t + j) holds the
        # gradient of the winner at t. Then dW = S x and dx = S^T W.
        start = winners * ctx.stride + torch.arange(B, device=x.device)[:, None, None] * T  # (B, F, p)
        word = start.permute(1, 0, 2).reshape(Fs, 1, -1) + torch.arange(k, device=x.device)[None, :, None]
        value = grad.permute(1, 0, 2).reshape(Fs, 1, -1).expand(-1, k, -1)  # (F, k, B p)
        word, value = word.reshape(Fs * k, -1), value.reshape(Fs * k, -1)  # (F k, B p)
        grad_x = grad_w = None
        if ctx.needs_input_grad[1]:
            summed = F.embedding_bag(word, x.reshape(B * T, C), mode="sum", per_sample_weights=value)
            grad_w = summed.view(Fs, k, C).transpose(1, 2)
        if ctx.needs_input_grad[0]:
            flat = weight.transpose(1, 2).reshape(Fs * k, C)
            # int32 has half the bytes to move, and stable means a radix sort
            order = torch.argsort(word.reshape(-1).int(), stable=True)
            filters = torch.div(order, word.shape[1], rounding_mode="floor")
            first = torch.cumsum(torch.bincount(word.reshape(-1), minlength=B * T), 0)
            offsets = F.pad(first, (1, -1)) if B * T > 1 else torch.zeros_like(first)
            grad_x = F.embedding_bag(
                filters, flat, offsets, mode="sum", per_sample_weights=value.reshape(-1)[order]
            ).view(B, T, C)
        return grad_x, grad_w, None, None


# -------------------------------------------------------------------------------------- one attention a label
# a_j = softmax over the words of (h_t . w_j), m_j = sum over t of a_jt h_t, score_j = f(m_j), with one query
# w_j a label and an f that all labels share: linear layers with ReLU between them (You et al. 2019, Eq. 2 and
# section 2.4.4; yourh/AttentionXML e2bbbec, deepxml/modules.py:63-144). D components of a word's state, L
# labels, C candidates of a document, c labels of a chunk, F units of a fully connected layer.


#: Numbers of a chunk's largest tensors together: 32 MiB in float32 on a CPU, where more takes memory and no
#: less time, and half a GiB elsewhere.
CHUNK = {"cpu": 1 << 23, "other": 1 << 27}
#: Multiplications, of B L T D, that a group of shorter documents has to save: its calls of the library cost a
#: quarter of a millisecond.
SAVING = 1 << 19


def attend(states: Tensor, words: Tensor | None, queries: Tensor) -> Tensor:
    """states (B, T, D), words bool (B, T), queries (L, D) or (B, C, D) -> (B, L, D): what each query sees.
    Places that are no words get no weight; without `words` all count. Keeps all for the backward pass."""
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
    shorter than the longest of their batch are computed apart, over their own words. It equals `attend`."""
    kind, (_, T, D) = states.device.type, states.shape
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else states.dtype
    states = states.to(dtype)
    flat = [tensor.to(dtype) for layer in layers for tensor in layer]
    count = len(queries) if candidates is None else candidates.shape[1]
    if candidates is not None:
        rows, candidates = torch.unique(candidates, return_inverse=True)
        queries = F.embedding(rows, queries, sparse=sparse)
    queries = queries.to(dtype)  # of those rows: a sparse gradient cannot be of another type
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
    """Groups of documents sorted by length, longest first, and the width of each. One begins at a document a
    quarter shorter than the longest of the group before, where that saves `saving` places."""
    groups, start = [], 0
    for i, length in enumerate(lengths):
        width = lengths[start]
        if 4 * length <= 3 * width and (len(lengths) - i) * (width - length) >= saving:
            groups.append((slice(start, i), width))
            start = i
    return [*groups, (slice(start, len(lengths)), lengths[start])] if lengths else groups


# --------------------------------------------------------------------------------------- a bidirectional LSTM
# Over documents of unequal length, without packing and without asking the device. Both directions read a
# document's own words only, and beyond its end the outputs are zero. Packing needs the lengths on the host,
# and its backward pass on a CPU takes ten times as long. Here the words of each document are put in reverse
# order, and the backward direction is one more LSTM that reads from the left, since that of a bidirectional
# call would begin in the padding. On a CPU documents are taken by falling length, in stretches of time, each
# with the documents that reach into it. h units each way.


Start = Literal["learned", "zero"]

#: Stretches of time among which a CPU chooses, and what one more call of the library costs, in multiply-adds:
#: a tenth of a millisecond. For 40 documents of 50 to 500 words 8 take two thirds of the time of one.
_STRETCHES = (1, 2, 4, 8, 16)
_CALL = 10**7


def places(lengths: Tensor, width: int) -> Tensor:
    """bool (B, T): the places of a batch that hold a word of the document."""
    return torch.arange(width, device=lengths.device) < lengths[:, None]


class BiLSTM(nn.Module):
    """Several bidirectional layers; a layer reads both halves of the one below. No dropout anywhere. States
    start at `zero`, or at `learned` vectors for each layer and direction, zero before training
    (yourh/AttentionXML e2bbbec, deepxml/modules.py:49-59)."""

    #: Under autocast cuDNN's LSTM would take float16, whatever type is asked for, and lose small gradients.
    in_float32 = "the LSTM"

    def __init__(self, inputs: int, hidden: int, *, layers: int = 1, start: Start = "learned") -> None:
        super().__init__()
        sizes = [inputs] + [2 * hidden] * (layers - 1)
        self.hidden = hidden
        self.work = max(4 * hidden * (size + hidden) for size in sizes)
        # Weights as torch draws them: uniform within 1 / sqrt(h).
        self.forwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.initial_cell: nn.Parameter | None = None
        self.initial_hidden: nn.Parameter | None = None
        if start == "learned":
            # Rows: layer 0 forward, layer 0 backward, layer 1 forward, ...
            self.initial_cell = nn.Parameter(torch.zeros(2 * layers, hidden))
            self.initial_hidden = nn.Parameter(torch.zeros(2 * layers, hidden))

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, E), lengths int64 (B,), 1 to T -> (B, T, 2h), forward half first, zero beyond the end."""
        with without_autocast(x):
            return self._states(x if x.dtype == torch.float64 else x.float(), lengths)

    def _states(self, x: Tensor, lengths: Tensor) -> Tensor:
        width = x.shape[1]
        inside = places(lengths, width)
        order, cuts = None, [(0, width, len(x))]
        if _free_to_look(x):
            lengths, order = lengths.sort(descending=True, stable=True)
            x, inside, cuts = x[order], inside[order], _stretches(lengths.tolist(), self.work)
        # int64 (B T,): where to read, in the flat batch, so that the words of each document stand reversed
        place = torch.arange(width, device=lengths.device)
        from_end = lengths[:, None] - 1 - place
        row = torch.arange(len(lengths), device=lengths.device)[:, None] * width
        mirror = (row + torch.where(from_end >= 0, from_end, place)).flatten()
        for layer, (forwards, backwards) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            ahead = self._read(cast(nn.LSTM, forwards), x, 2 * layer, cuts)
            back = self._read(cast(nn.LSTM, backwards), _take(x, mirror), 2 * layer + 1, cuts)
            x = torch.cat([ahead, _take(back, mirror)], dim=2) * inside[:, :, None]
        return x if order is None else x[order.argsort()]

    def _read(self, lstm: nn.LSTM, x: Tensor, row: int, cuts: Sequence[tuple[int, int, int]]) -> Tensor:
        """One direction of one layer: (B, T, inputs) -> (B, T, h), stretch after stretch."""
        cell = hidden = x.new_zeros(1, len(x), self.hidden)  # before the first word
        if self.initial_cell is not None and self.initial_hidden is not None:
            cell = self.initial_cell[row].expand(1, len(x), -1)
            hidden = self.initial_hidden[row].expand(1, len(x), -1)
        parts = []
        for first, last, active in cuts:
            # Documents stand by falling length: those that still have words are the first ones.
            state = hidden[:, :active].contiguous(), cell[:, :active].contiguous()
            out, (hidden, cell) = lstm(x[:active, first:last].contiguous(), state)
            parts.append(F.pad(out, (0, 0, 0, 0, 0, len(x) - active)) if active < len(x) else out)
        read = parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)
        return F.pad(read, (0, 0, 0, x.shape[1] - read.shape[1]))


class WordStates(nn.Module):
    """Word vectors and the LSTM over them: what `attention_xml` and `mesh_probenet` begin with."""

    #: Narrowest batch.
    minimum_width = 1

    def __init__(self, config: Any, vectors: Tensor, padding_id: int, freeze_padding: bool) -> None:
        """vectors (V, E): initial word vectors; `freeze_padding` keeps the row of `padding_id` as it is."""
        super().__init__()
        self.config, self.padding_id = config, padding_id
        self.embedding: nn.Embedding = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            vectors.clone(),
            freeze=not config.train_vectors,
            padding_idx=padding_id if freeze_padding else None,
        )
        self.lstm = BiLSTM(vectors.shape[1], config.hidden, layers=config.layers, start=config.start)

    def states(self, token_ids: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T) -> LSTM outputs (B, T, 2h) with dropout, and lengths (B,), 1 for an empty document."""
        lengths = (token_ids != self.padding_id).sum(dim=1).clamp(min=1)
        if _free_to_look(token_ids) and len(lengths):
            token_ids = token_ids[:, : int(lengths.max())]  # without what lies beyond the longest document
        x = dropout(self.embedding(token_ids), self.config.dropout_embedding, self.training)
        return dropout(self.lstm(x, lengths), self.config.dropout_states, self.training), lengths


def _free_to_look(tensor: Tensor) -> bool:
    """Whether lengths can be read without the host waiting for a device."""
    return tensor.device.type == "cpu"


def _take(x: Tensor, index: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[2]).index_select(0, index).view(x.shape)


def _stretches(lengths: Sequence[int], work: int) -> list[tuple[int, int, int]]:
    """Stretches of time (first, last, documents that reach into it) for lengths in falling order. As many
    documents end in each; `work` is what one place of one document costs, and the cheapest number is
    taken."""
    rising, size = list(reversed(lengths)), len(lengths)
    choices = []
    for count in _STRETCHES:
        ends = sorted({rising[size * i // count - 1] for i in range(1, count + 1) if size * i >= count})
        cuts = [(a, b, size - bisect_right(rising, a)) for a, b in pairwise([0, *ends])]
        choices.append((work * sum((b - a) * n for a, b, n in cuts) + _CALL * len(cuts), cuts))
    return min(choices, key=itemgetter(0))[1]
