"""The bidirectional LSTM against packed sequences, on every way through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from reimpl import layers as our_layers
from reimpl.layers import BiLSTM

Patch = pytest.MonkeyPatch
LENGTHS = [3, 9, 1, 9, 6, 2]
WIDTH = 12


@pytest.fixture(params=["as it chooses", "one stretch", "many stretches", "without looking"])
def way(request: pytest.FixtureRequest, monkeypatch: Patch) -> str:
    """The ways that a CPU takes, and the one that does not look at lengths."""
    if request.param == "one stretch":
        monkeypatch.setattr(our_layers, "_STRETCHES", (1,))
    elif request.param == "many stretches":
        monkeypatch.setattr(our_layers, "_STRETCHES", (16,))
    elif request.param == "without looking":
        monkeypatch.setattr(our_layers, "_free_to_look", lambda tensor: False)
    return str(request.param)


def made(layers: int = 1, start: Any = "learned", hidden: int = 4) -> BiLSTM:
    """In float64, with starts that are not zero."""
    torch.manual_seed(layers)
    lstm = BiLSTM(5, hidden, layers=layers, start=start).double()
    for state in (lstm.initial_cell, lstm.initial_hidden):
        if state is not None:
            state.data.normal_()
    return lstm


def words(lengths: list[int] = LENGTHS, width: int = WIDTH) -> Tensor:
    """Random, also where there are none: whatever lies there must not matter."""
    x = np.random.default_rng(len(lengths)).normal(size=(len(lengths), width, 5))
    return torch.from_numpy(x).requires_grad_()


def packed(lstm: BiLSTM, x: Tensor, lengths: list[int]) -> Tensor:
    """The same network as torch's, over packed sequences."""
    layers, hidden = len(lstm.forwards), lstm.hidden
    theirs = nn.LSTM(5, hidden, layers, batch_first=True, bidirectional=True).double()
    for name in theirs._all_weights[0] + [n for names in theirs._all_weights[1:] for n in names]:
        kind, layer = name.removesuffix("_reverse").rsplit("_l", 1)
        ours: Any = (lstm.backwards if name.endswith("_reverse") else lstm.forwards)[int(layer)]
        del theirs._parameters[name]
        setattr(theirs, name, getattr(ours, f"{kind}_l0"))
    theirs._flat_weights = [getattr(theirs, name) for name in theirs._flat_weights_names]
    state = None
    if lstm.initial_hidden is not None and lstm.initial_cell is not None:
        both = (lstm.initial_hidden, lstm.initial_cell)
        state = tuple(it[:, None].expand(-1, len(x), -1).contiguous() for it in both)
    sequences = pack_padded_sequence(x, torch.tensor(lengths), batch_first=True, enforce_sorted=False)
    out, _ = theirs(sequences, state)
    return pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])[0]


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("start", ["learned", "zero"])
def test_outputs_and_gradients_are_those_of_packed_sequences(way: str, layers: int, start: str) -> None:
    """Forward half first, zero beyond a document's end; starts, weights and words have their gradients."""
    lstm = made(layers, start)
    slope = torch.from_numpy(np.random.default_rng(9).normal(size=(len(LENGTHS), WIDTH, 8)))
    results = []
    for run in (lambda x: lstm(x, torch.tensor(LENGTHS)), lambda x: packed(lstm, x, LENGTHS)):
        lstm.zero_grad()
        x = words()
        out = run(x)
        (out * slope).sum().backward()
        results.append([out.detach(), x.grad, *(p.grad for p in lstm.parameters())])
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    for row, length in zip(results[0][0], LENGTHS, strict=True):
        assert not row[length:].any()


def test_under_autocast_it_computes_in_float32(way: str) -> None:
    """Where cuDNN would take float16: the same bits as without."""
    lstm, x, lengths = made().float(), words().detach().float(), torch.tensor(LENGTHS)
    with torch.autocast("cpu", torch.bfloat16):
        out = lstm(x.bfloat16(), lengths)
    assert out.dtype == torch.float32 and torch.equal(out, lstm(x.bfloat16().float(), lengths))
