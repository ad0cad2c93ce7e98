"""A bidirectional LSTM, word after word and document after document in numpy, for models that have one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import nn

from reimpl.fidelity import Array


def arrays_of(network: nn.Module, rename: Any) -> dict[str, Array]:
    """The parameters of a network under the names of the stored arrays."""
    return {rename(network, name): p.detach().numpy() for name, p in network.named_parameters()}


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
