"""A bidirectional LSTM, word after word and document after document in numpy, for models that have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from torch import Tensor, nn

from reimpl import recurrent
from reimpl.fidelity import Array
from reimpl.recurrent import BiLSTM
from reimpl.reference.stored_case import Part

_PARAMETERS = {
    "input_weight": "weight_ih_l0",
    "recurrent_weight": "weight_hh_l0",
    "input_bias": "bias_ih_l0",
    "recurrent_bias": "bias_hh_l0",
}


def parts(lstm: BiLSTM, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter of the LSTM, under the names of the stored arrays."""
    found: dict[str, nn.Parameter] = {}
    for way, layers in (("forward", lstm.forwards), ("backward", lstm.backwards)):
        for i, layer in enumerate(layers):
            found |= {f"lstm_layer{i}_{way}_{n}": getattr(layer, ours) for n, ours in _PARAMETERS.items()}
    if lstm.initial_cell is not None and lstm.initial_hidden is not None:
        found |= {"lstm_initial_cell": lstm.initial_cell, "lstm_initial_hidden": lstm.initial_hidden}
    return {name: part(parameter) for name, parameter in found.items()}


@contextmanager
def without_looking() -> Iterator[None]:
    """The way of devices on which reading lengths costs: batches keep their width and order."""
    before = recurrent._free_to_look
    recurrent._free_to_look = lambda tensor: False
    try:
        yield
    finally:
        recurrent._free_to_look = before


def outputs(weights: Mapping[str, Array], words: Array, layers: int = 1) -> Array:
    """words (n, E) of one document without padding -> (n, 2h); weights by the names of the stored arrays."""
    x = words
    for layer in range(layers):
        halves = [_direction(weights, f"lstm_layer{layer}_forward", 2 * layer, x)]
        halves.append(_direction(weights, f"lstm_layer{layer}_backward", 2 * layer + 1, x[::-1])[::-1])
        x = np.concatenate(halves, axis=1)
    return x


def _direction(weights: Mapping[str, Array], name: str, row: int, words: Array) -> Array:
    """One direction from its first word on. Gates in the order input, forget, candidate, output."""
    W, U = weights[f"{name}_input_weight"], weights[f"{name}_recurrent_weight"]
    bias = weights[f"{name}_input_bias"] + weights[f"{name}_recurrent_bias"]
    h = c = np.zeros(U.shape[1])
    if "lstm_initial_cell" in weights:
        c, h = weights["lstm_initial_cell"][row], weights["lstm_initial_hidden"][row]
    out = []
    for word in words:
        i, f, g, o = np.split(W @ word + U @ h + bias, 4)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.stack(out)


def _sigmoid(z: Array) -> Array:
    value: Array = 1 / (1 + np.exp(-z))
    return value


def softmax(scores: Array) -> Array:
    """Over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    value: Array = powers / powers.sum(axis=-1, keepdims=True)
    return value
