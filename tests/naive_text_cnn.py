"""Kim-CNN and XML-CNN written as their formulas stand, in loops over single numbers.

Shapes as in `reimpl.layers`. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def convolve(x: np.ndarray, kernel: np.ndarray, bias: np.ndarray, stride: int) -> np.ndarray:
    """x (T, C), kernel (F, C, k), bias (F,) -> (F, n), at f, t: b[f] + sum of w[f, c, j] x[t s + j, c]."""
    T, C = x.shape
    filters, _, k = kernel.shape
    n = len(range(0, T - k + 1, stride))
    out = np.zeros((filters, n))
    for f in range(filters):
        for t in range(n):
            total = bias[f]
            for c in range(C):
                for j in range(k):
                    total += kernel[f, c, j] * x[t * stride + j, c]
            out[f, t] = total
    return out


def bins(n: int, p: int) -> list[tuple[int, int]]:
    """Adaptive rule: bin i holds floor(i n / p) up to, not including, ceil((i + 1) n / p)."""
    return [(math.floor(i * n / p), math.ceil((i + 1) * n / p)) for i in range(p)]


def dynamic_pool(row: Sequence[float], p: int) -> list[float]:
    """Eq. (6) by the adaptive rule."""
    return [max(row[start:end]) for start, end in bins(len(row), p)]


def overlapping_pool(row: Sequence[float]) -> list[float]:
    """Eq. (7): the larger of each two neighbours."""
    return [max(row[i], row[i + 1]) for i in range(len(row) - 1)]


def relu(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 0.0)


def features(config: Any, weights: dict[str, np.ndarray], document: np.ndarray) -> np.ndarray:
    """What leaves the pooling for one document of word vectors (T, E): window by window, filter by filter."""
    x = document if config.sweep == "words" else document.T
    values: list[float] = []
    for i in range(len(config.windows)):
        kernel, bias = weights[f"convolutions.{i}.weight"], weights[f"convolutions.{i}.bias"]
        border = np.zeros((kernel.shape[2] - 1 if config.padding == "full" else 0, x.shape[1]))
        maps = convolve(np.concatenate([border, x, border]), kernel, bias, config.stride)
        if config.relu == "before_pooling":
            maps = relu(maps)
        for row in maps.tolist():
            if config.pooling == "max":
                values.append(max(row))
            elif config.pooling == "dynamic":
                values.extend(dynamic_pool(row, config.pools))
            elif config.pooling == "overlapping":
                values.extend(overlapping_pool(row))
            else:
                values.extend(row)
    pooled = np.array(values)
    return relu(pooled) if config.relu == "after_pooling" else pooled


def forward(config: Any, weights: dict[str, np.ndarray], document: np.ndarray) -> np.ndarray:
    """Scores (L,) of one document of word vectors (T, E), no dropout."""
    z = features(config, weights, document)
    if config.hidden is not None:
        z = relu(weights["hidden.weight"] @ z + weights["hidden.bias"])
    return weights["output.weight"] @ z + weights["output.bias"]
