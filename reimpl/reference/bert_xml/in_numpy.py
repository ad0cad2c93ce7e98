"""The forward pass a second time, in numpy, one document, head and query after the other."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch

from reimpl.bert_xml import VARIANTS, BertXML, Config
from reimpl.fidelity import Array, close

_LENGTHS = (9, 1, 5)


def _network(config: Config) -> tuple[BertXML, Array]:
    """A network in float64 with weights far from their start, and ids of documents padded with 0."""
    rng = np.random.default_rng(2020)
    torch.manual_seed(2020)
    vectors = torch.from_numpy(rng.normal(size=(30, 12)))
    network = BertXML(config, vectors=vectors, labels=7, length=11).double().eval()
    for parameter in network.parameters():
        parameter.data = torch.from_numpy(rng.normal(size=parameter.shape) * 0.4)
    ids = np.zeros((3, 9), dtype=np.int64)
    for row, n in zip(ids, _LENGTHS, strict=True):
        row[:n] = rng.integers(1, 30, size=n)
    return network, ids


def forward(variant: str) -> str:
    """Three documents of 9, 1 and 5 words; the [CLS] symbols of the second attend to one word."""
    config = replace(VARIANTS[variant], hidden=12, heads=3, inner=8, cls_tokens=4)
    network, ids = _network(config)
    ours = network(torch.from_numpy(ids)).detach().numpy()
    weights = {name: p.detach().numpy() for name, p in network.named_parameters()}
    gap = close("scores", ours, [_document(config, weights, row) for row in ids], tolerance=1e-10)
    return f"3 x 7 scores of the variant {variant} agree within {gap:.0e}"


def _document(config: Config, w: dict[str, Array], ids: Array) -> Array:
    states = np.concatenate((w["cls"], w["words.weight"][ids])) + w["positions"][: len(w["cls"]) + len(ids)]
    states = _norm(config, w, "norm", states)
    is_key = [True] * len(w["cls"]) + [token != 0 for token in ids]
    for layer in range(config.layers):
        states = _layer(config, w, f"encoder.{layer}.", states, is_key)
    z = states[: len(w["cls"])].reshape(-1)
    if config.pooler:
        z = _elu(w["pooler.weight"] @ _elu(z) + w["pooler.bias"])
    scores: Array = w["output.weight"] @ z + w["output.bias"]
    return scores


def _layer(config: Config, w: dict[str, Array], at: str, states: Array, is_key: list[bool]) -> Array:
    """All states, those of padding too, as if each were read."""
    out = []
    for x in states:
        x = _norm(
            config, w, f"{at}norm_attention", x + _attention(config, w, f"{at}attention.", x, states, is_key)
        )
        inner = w[f"{at}inner.weight"] @ x + w[f"{at}inner.bias"]
        inner = np.maximum(inner, 0) if config.activation == "relu" else np.array([_gelu(z) for z in inner])
        out.append(_norm(config, w, f"{at}norm", x + w[f"{at}outer.weight"] @ inner + w[f"{at}outer.bias"]))
    return np.stack(out)


def _attention(
    config: Config, w: dict[str, Array], at: str, x: Array, states: Array, is_key: list[bool]
) -> Array:
    def linear(name: str, z: Array) -> Array:
        y: Array = z @ w[f"{at}{name}.weight"].T + w[f"{at}{name}.bias"]
        return y

    query, keys, values = linear("query", x), linear("key", states), linear("value", states)
    size = len(x) // config.heads
    seen = []
    for head in range(config.heads):
        part = slice(head * size, (head + 1) * size)
        scores = keys[:, part] @ query[part] / math.sqrt(size) + np.where(is_key, 0.0, -10_000.0)
        weights = np.exp(scores - scores.max())
        seen.append((weights / weights.sum()) @ values[:, part])
    return linear("output", np.concatenate(seen))


def _norm(config: Config, w: dict[str, Array], at: str, x: Array) -> Array:
    if config.norm == "none":
        return x
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    scaled: Array = centred / np.sqrt(variance + 1e-12) * w[f"{at}.weight"] + w[f"{at}.bias"]
    return scaled


def _elu(z: Array) -> Array:
    return np.where(z > 0, z, np.expm1(np.minimum(z, 0)))


def _gelu(z: float) -> float:
    return z * (1 + math.erf(z / math.sqrt(2))) / 2


def padding() -> str:
    """A document's scores alone and beside longer ones."""
    network, ids = _network(replace(VARIANTS["code"], hidden=12))
    together = network(torch.from_numpy(ids)).detach().numpy()
    for i, n in enumerate(_LENGTHS):
        alone = network(torch.from_numpy(ids[i : i + 1, :n])).detach().numpy()[0]
        close(f"scores of a document of {n} words", together[i], alone, tolerance=1e-12)
    return "padding a document changes no score"
