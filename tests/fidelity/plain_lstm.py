"""A bidirectional LSTM, word after word and document after document in numpy, for models that have one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import nn

from reimpl.fidelity import Array


def arrays_of(network: nn.Module) -> dict[str, Array]:
    return {name: p.detach().numpy() for name, p in network.named_parameters()}


def outputs(weights: Mapping[str, Array], words: Array, layers: int = 1) -> Array:
    """words (n, E) of one document without padding -> (n, 2h); weights by their names."""
    x = words
    for layer in range(layers):
        halves = [_direction(weights, "forwards", layer, x)]
        halves.append(_direction(weights, "backwards", layer, x[::-1])[::-1])
        x = np.concatenate(halves, axis=1)
    return x


def _direction(weights: Mapping[str, Array], way: str, layer: int, words: Array) -> Array:
    """One direction from its first word on. Gates in the order input, forget, candidate, output."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    W, U, b, d = (weights[f"lstm.{way}.{layer}.{name}_l0"] for name in names)
    h = c = np.zeros(U.shape[1])
    if "lstm.initial_cell" in weights:
        row = 2 * layer + (way == "backwards")
        c, h = weights["lstm.initial_cell"][row], weights["lstm.initial_hidden"][row]
    out = []
    for word in words:
        i, f, g, o = np.split(W @ word + U @ h + b + d, 4)
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
