"""BertXML a second time in numpy, one document, head and query after the other; sizes by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from reimpl.bert_xml import VARIANTS, BertXML, Config
from reimpl.fidelity import Array, MismatchError, close

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


@pytest.mark.parametrize("variant", ["code", "paper"])
def test_numpy_computes_the_same_scores(variant: str) -> None:
    """Three documents of 9, 1 and 5 words; the [CLS] symbols of the second attend to one word."""
    config = replace(VARIANTS[variant], hidden=12, heads=3, inner=8, cls_tokens=4)
    network, ids = _network(config)
    ours = network(torch.from_numpy(ids)).detach().numpy()
    weights = {name: p.detach().numpy() for name, p in network.named_parameters()}
    close("scores", ours, [_document(config, weights, row) for row in ids], tolerance=1e-10)


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


def test_parameter_counts_by_hand() -> None:
    """300 components, 2 heads, 600 inner units, 3 layers, 5 [CLS] symbols, 500 positions, 3,956 labels."""
    # Tables (7 + 5 + 505) x 300 = 155,100; a layer 4 x 301 x 300 + 301 x 600 + 601 x 300 = 722,100, three of
    # them 2,166,300; output 1,501 x 3,956 = 5,937,956.
    bare = 155_100 + 2_166_300
    expected = {
        VARIANTS["code"]: bare + 2_251_500 + 5_937_956,  # pooler 1,501 x 1,500
        VARIANTS["paper"]: bare + 4_200 + 5_937_956,  # seven norms of 2 x 300
        # Wiki-500K: 1,501 x 512, then 513 a label
        replace(VARIANTS["code"], bottleneck=512): bare + 768_512 + 513 * 3_956,
    }
    for config, count in expected.items():
        assert sum(p.numel() for p in _on_meta(config).parameters()) == count, config


def _on_meta(config: Config) -> BertXML:
    with torch.device("meta"):  # shapes without memory
        return BertXML(config, vectors=torch.empty(7, 300), labels=3_956, length=500)


def test_first_weights_follow_their_rule() -> None:
    """Word vectors lost or kept, matrices by their rule, biases zero."""
    torch.manual_seed(2020)
    vectors = torch.randn(400, 60)
    for name, config in VARIANTS.items():
        network = BertXML(replace(config, hidden=60), vectors=vectors, labels=90, length=40)
        table = network.words.weight.detach()
        if config.vectors == "kept":
            close(f"{name}: word vectors", table, vectors, tolerance=0)
        elif torch.equal(table, vectors) or not table[0].any():
            raise MismatchError(f"{name}: word vectors are kept, or the row of padding is zero")
        _check_matrices(name, network, rows=400 + config.cls_tokens)


def _check_matrices(variant: str, network: BertXML, *, rows: int) -> None:
    for name, p in network.named_parameters():
        if name.endswith("bias"):
            close(f"{variant}: {name}", p.detach(), torch.zeros_like(p), tolerance=0)
        elif p.dim() == 1:
            close(f"{variant}: {name}", p.detach(), torch.ones_like(p), tolerance=0)
        elif not (name == "words.weight" and network.config.vectors == "kept"):
            height = rows if name in ("words.weight", "cls") else p.shape[0]
            # The deviation of a uniform draw is its bound over the root of 3.
            xavier = (2 / (height + p.shape[1])) ** 0.5
            deviation = 0.02 if network.config.init == "bert" else xavier
            ratio = p.std().item() / deviation
            if not 0.85 <= ratio <= 1.15:
                raise MismatchError(f"{variant}: deviation of {name} is {ratio:.2f} times {deviation:.4g}")
            if network.config.init != "bert" and p.abs().max().item() > 3**0.5 * xavier * 1.000001:
                raise MismatchError(f"{variant}: {name} exceeds Xavier's bound")
