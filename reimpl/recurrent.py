"""A bidirectional LSTM over documents of unequal length, without packing and without asking the device. Both
directions read a document's own words only, and beyond its end the outputs are zero. Packing needs the
lengths on the host, and its backward pass on a CPU takes ten times as long. Here the words of each document
are put in reverse order, and the backward direction is one more LSTM that reads from the left. On a CPU
documents are taken by falling length, in stretches of time, each with the documents that reach into it. B
documents, T positions, E components of a word vector, h units each way."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl.layers import dropout

Start = Literal["learned", "zero"]

#: Stretches of time among which a CPU chooses, and what one more call of the library costs, in multiply-adds:
#: a tenth of a millisecond. For 40 documents of 50 to 500 words and 256 units, 8 stretches take two thirds of
#: the time of one; for 32 of 10 to 96 words and 16 units, one and a half times as long.
_STRETCHES = (1, 2, 4, 8, 16)
_CALL = 10**7


def places(lengths: Tensor, width: int) -> Tensor:
    """bool (B, T): the places of a batch that hold a word of the document."""
    return torch.arange(width, device=lengths.device) < lengths[:, None]


class BiLSTM(nn.Module):
    """Several bidirectional layers; a layer reads both halves of the one below. No dropout anywhere. States
    start at `zero`, or at `learned` vectors for each layer and direction, zero before training
    (yourh/AttentionXML e2bbbec, deepxml/modules.py:49-59)."""

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
        width = x.shape[1]
        inside = places(lengths, width)
        order, cuts = None, [(0, width, len(x))]
        if _free_to_look(x):
            lengths, order = lengths.sort(descending=True, stable=True)
            x, inside, cuts = x[order], inside[order], _stretches(lengths.tolist(), self.work)
        mirror = _mirror(lengths, width)
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
        """(B, T) -> LSTM outputs (B, T, 2h) with dropout, zero beyond a document's end, and lengths (B,). A
        document without words is one padding vector long, so that its attention has a place to go."""
        lengths = (token_ids != self.padding_id).sum(dim=1).clamp(min=1)
        if _free_to_look(token_ids) and len(lengths):
            token_ids = token_ids[:, : int(lengths.max())]  # without what lies beyond the longest document
        x = dropout(self.embedding(token_ids), self.config.dropout_embedding, self.training)
        return dropout(self.lstm(x, lengths), self.config.dropout_states, self.training), lengths


def _free_to_look(tensor: Tensor) -> bool:
    """Whether reading lengths does not make the host wait for a device."""
    return tensor.device.type == "cpu"


def _mirror(lengths: Tensor, width: int) -> Tensor:
    """int64 (B T,): where to read, in the flat batch, so that the words of each document stand reversed."""
    place = torch.arange(width, device=lengths.device)
    from_end = lengths[:, None] - 1 - place
    place = torch.where(from_end >= 0, from_end, place)
    row = torch.arange(len(lengths), device=lengths.device)[:, None] * width
    return (row + place).flatten()


def _take(x: Tensor, index: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[2]).index_select(0, index).view(x.shape)


def _stretches(lengths: Sequence[int], work: int) -> list[tuple[int, int, int]]:
    """Stretches of time (first, last, documents that reach into it) for lengths in falling order. As many
    documents end in each; `work` is what one place of one document costs, and there are as many stretches as
    make all work and calls cheapest."""
    rising, size = list(reversed(lengths)), len(lengths)
    choices = []
    for count in _STRETCHES:
        ends = sorted({rising[size * i // count - 1] for i in range(1, count + 1) if size * i >= count})
        cuts = [(a, b, size - bisect_right(rising, a)) for a, b in pairwise([0, *ends])]
        choices.append((work * sum((b - a) * n for a, b, n in cuts) + _CALL * len(cuts), cuts))
    return min(choices, key=itemgetter(0))[1]
