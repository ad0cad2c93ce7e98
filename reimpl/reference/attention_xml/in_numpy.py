"""The forward pass a second time in numpy, one document, word and label after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name

from reimpl.attention_xml import VARIANTS, AttentionXML, Config
from reimpl.fidelity import Array, close
from reimpl.reference import plain_lstm
from reimpl.reference.attention_xml.public_code import parts

_LENGTHS = (5, 11, 1, 8)


def forward(variant: str) -> str:
    """A random network of two LSTM layers with its dropouts on, against numpy given the same masks."""
    config = replace(VARIANTS[variant], hidden=4, layers=2, fully_connected=(6, 5))
    network, ids = _made(config, labels=7)
    torch.manual_seed(7)
    ours = network.train()(ids).detach().numpy()
    torch.manual_seed(7)  # the same draws: the mask of the words, that of the LSTM outputs, that of the units
    masks = [
        F.dropout(torch.ones(size, dtype=torch.float64), p).numpy()
        for size, p in (
            ((4, 11, 10), config.dropout_embedding),
            ((4, 11, 8), config.dropout_states),
            ((4, 5), config.dropout_output),
        )
    ]
    weights = {name: p.numpy() for name, p in parts(network, lambda p: p.data).items()}
    expected = [_scores(config, weights, *it) for it in zip(ids.numpy(), _LENGTHS, *masks, strict=True)]
    gap = close("scores", ours, np.stack(expected), tolerance=1e-10)
    return f"4 x 7 scores of documents of {', '.join(map(str, _LENGTHS))} words agree within {gap:.0e}"


def candidates() -> str:
    """Candidates with repetitions, and one that is no label, against the scores of all."""
    config = replace(VARIANTS["code"], hidden=4, fully_connected=(6,))
    network, ids = _made(config, labels=7, filler=True)
    weights = {name: p.numpy() for name, p in parts(network, lambda p: p.data).items()}
    chosen = np.array([[3, 0, 3, 7], [1, 2, 3, 4], [6, 6, 6, 6], [7, 5, 0, 1]])
    ours = network.eval()(ids, torch.from_numpy(chosen)).detach().numpy()
    alike = np.ones((11, 10)), np.ones((11, 8)), np.ones(6)
    each = [_scores(config, weights, *it, *alike) for it in zip(ids.numpy(), _LENGTHS, strict=True)]
    gap = close("scores", ours, np.take_along_axis(np.stack(each), chosen, axis=1), tolerance=1e-10)
    return f"4 x 4 scores of candidates agree within {gap:.0e}"


def _made(config: Config, *, labels: int, filler: bool = False) -> tuple[AttentionXML, torch.Tensor]:
    """A network in float64, with starts that are not zero, and ids (4, 14) padded with 2."""
    rng = np.random.default_rng(20191208)
    torch.manual_seed(3)
    vectors = torch.from_numpy(rng.normal(size=(30, 10)))
    network = AttentionXML(config, vectors=vectors, labels=labels, padding_id=2, filler=filler).double()
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        if start is not None:
            start.data.normal_()
    ids = np.full((4, 14), 2)
    for row, length in zip(ids, _LENGTHS, strict=True):
        row[:length] = rng.integers(3, 30, size=length)
    return network, torch.from_numpy(ids)


def _scores(config: Config, weights: Mapping[str, Array], ids: Array, length: int, *masks: Array) -> Array:
    """Of one document, all labels; `masks` of its words, LSTM outputs and hidden units."""
    words, states, units = masks
    seen = np.zeros_like(states)
    x = weights["word_embedding"][ids[:length]] * words[:length]
    seen[:length] = plain_lstm.outputs(weights, x, config.layers) * states[:length]
    if config.mask:
        seen = seen[:length]  # else zero states as far as the longest document go in
    if config.head == "max_pooling":
        return _layers(config, weights, seen.max(axis=0), units)
    return np.concatenate(
        [
            _layers(config, weights, plain_lstm.softmax(seen @ query) @ seen, units)
            for query in weights["attention_weight"]
        ]
    )


def _layers(config: Config, weights: Mapping[str, Array], x: Array, units: Array) -> Array:
    for i in range(len(config.fully_connected)):
        x = np.maximum(weights[f"label_fc{i}_weight"] @ x + weights[f"label_fc{i}_bias"], 0)
    if config.head == "max_pooling":
        x = x * units
    scores: Array = weights["label_score_weight"] @ x + weights["label_score_bias"]
    return scores
