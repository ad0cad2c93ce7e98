"""Forward pass, gradients of the fused convolution and Lasagne's Adam, computed a second time in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from numpy.lib.stride_tricks import sliding_window_view

from reimpl import layers, optim, xml_cnn
from reimpl.fidelity import Array, close
from reimpl.reference.xml_cnn.public_code import named


def forward(sweep: str, pooling: str, padding: str = "none") -> str:
    """A random network with both dropouts on, against numpy given the same dropout masks."""
    config = xml_cnn.Config(sweep=sweep, pooling=pooling, padding=padding, maps=5, hidden=6)  # type: ignore[arg-type]
    if pooling in ("overlapping", "none"):
        config = replace(config, stride=2)
    rng = np.random.default_rng(20220710)
    vectors, ids = rng.normal(size=(30, 140)), rng.integers(0, 30, size=(3, 150))
    network = xml_cnn.XMLCNN(config, vectors=torch.from_numpy(vectors), labels=7, length=150).double()
    torch.manual_seed(7)
    ours = network.train()(torch.from_numpy(ids)).detach().numpy()
    torch.manual_seed(7)  # the same draws: first the mask of the words, then that of the hidden units
    masks = [
        F.dropout(torch.ones(size, dtype=torch.float64), p).numpy()
        for size, p in (((3, 150, 140), config.dropout_embedding), ((3, 6), config.dropout_output))
    ]
    weights = {name: p.detach().numpy() for name, p in named(network)}
    gap = close("logits", ours, _forward(config, weights, ids, *masks), tolerance=1e-10)
    return f"3 x 7 scores of a network over 150 words of 140 components agree within {gap:.0e}"


def _forward(
    config: xml_cnn.Config, weights: Mapping[str, Array], ids: Array, words: Array, units: Array
) -> Array:
    x = weights["word_embedding"][ids] * words  # (B, T, E)
    if config.sweep == "embeddings":
        x = np.moveaxis(x, 1, 2)  # (B, E, T): the axis swept stands second
    features = []
    for k in config.windows:
        border = k - 1 if config.padding == "full" else 0
        swept = np.pad(x, ((0, 0), (border, border), (0, 0)))
        regions = sliding_window_view(swept, k, axis=1)[:, :: config.stride]  # (B, n, channels, k)
        convolved = np.einsum("bnck,fck->bfn", regions, weights[f"conv_window{k}_kernel"])
        convolved = np.maximum(convolved + weights[f"conv_window{k}_bias"][:, None], 0)
        features.append(_pool(config, convolved).reshape(len(ids), -1))
    z = np.concatenate(features, axis=1) @ weights["hidden_weight"].T + weights["hidden_bias"]
    z = np.maximum(z, 0) * units
    scores: Array = z @ weights["output_weight"].T + weights["output_bias"]
    return scores


def _pool(config: xml_cnn.Config, c: Array) -> Array:
    """(B, F, n) -> (B, F, p)"""
    n = c.shape[2]
    if config.pooling == "none":
        return c
    if config.pooling == "overlapping":
        bins = [(i, i + 2) for i in range(n - 1)]
    else:
        p = 1 if config.pooling == "max" else config.pools
        bins = [(int(np.floor(i * n / p)), int(np.ceil((i + 1) * n / p))) for i in range(p)]
    return np.stack([c[:, :, start:end].max(axis=2) for start, end in bins], axis=2)


def convolution_gradients(stride: int) -> str:
    """The gradient of a weighted sum of pooled values, by following each maximum to its words.

    149 positions in 4 pools: enough for the backward pass that long documents take.
    """
    rng = np.random.default_rng(2017)
    x, w = rng.normal(size=(2, 148 * stride + 2, 4)), rng.normal(size=(3, 4, 2))
    slope = rng.normal(size=(2, 3, 4))
    inputs = [torch.from_numpy(a).requires_grad_() for a in (x, w, np.zeros(3))]
    pooled = layers.conv_max_pool(inputs[0], inputs[1], inputs[2], pools=4, stride=stride)
    (pooled * torch.from_numpy(slope)).sum().backward()  # type: ignore[no-untyped-call]
    expected = np.zeros_like(x), np.zeros_like(w), slope.sum((0, 2))
    convolved = np.einsum("bnck,fck->bfn", sliding_window_view(x, 2, axis=1)[:, ::stride], w)
    for b, f, i in np.ndindex(2, 3, 4):
        start, end = i * 149 // 4, -(-(i + 1) * 149 // 4)
        at = stride * (start + int(convolved[b, f, start:end].argmax()))
        expected[0][b, at : at + 2] += slope[b, f, i] * w[f].T
        expected[1][f] += slope[b, f, i] * x[b, at : at + 2].T
    for name, ours, theirs in zip(("input", "kernel", "bias"), inputs, expected, strict=True):
        close(f"gradient of the {name}", np.asarray(ours.grad), theirs, tolerance=1e-10)
    return "gradients of input, kernel and bias over 149 positions in 4 pools agree with numpy"


def lasagne_adam() -> str:
    """Twelve steps by the formula of Lasagne/Lasagne 5d3c63c, lasagne/updates.py.

    Gradients near 1e-6, where the place of the epsilon shifts a weight by as much as the learning rate.
    """
    gradients = np.random.default_rng(5).normal(size=(12, 6)) * 1e-6
    weights = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimiser = optim.OPTIMISERS["lasagne_adam"]([weights], lr=1e-3)
    x, m, v = np.zeros(6), np.zeros(6), np.zeros(6)
    for t, g in enumerate(gradients, start=1):
        weights.grad = torch.from_numpy(g)
        optimiser.step()
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 1e-3 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
        close(f"weights after step {t}", weights.detach().numpy(), x, tolerance=1e-12)
    return "12 steps agree with Lasagne's formula"
