"""Rank-AE a second time in numpy as the equations stand, every word a place; losses and sizes by hand. One
document and one word after the other, absent words too: that the network never makes those is thereby
checked. Pairs of labels are compared one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from reimpl import rank_ae
from reimpl.baselines import c2ae
from reimpl.batching import WordBatch
from reimpl.fidelity import Array, MismatchError, close
from reimpl.rank_ae import VARIANTS, Config, RankAE, build

#: The last: means, a margin within [0, 1], and biases without batch normalisation.
_MIXED = replace(
    VARIANTS["paper"],
    attention_bias=True,
    pooling="slots",
    feature_activation="tanh",
    label_activation="sigmoid",
    decoder_activation="tanh",
    hidden_loss="sum",
    label_loss="mean",
    margin=0.3,
    balance=2.0,
)

VARIANTS_IN_NUMPY: Mapping[str, Config] = {
    **{name: VARIANTS[name] for name in ("paper", "bce", "no-attention", "third-party")},
    "mixed": _MIXED,
    "c2ae": replace(c2ae.VARIANTS["paper"], feature_layers=(4,)),
    "five units, F(x) decoded": replace(VARIANTS["paper"], attention_units=5, decoded="text"),
}

_ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}
_V, _C = 7, 8


@pytest.mark.parametrize("variant", VARIANTS_IN_NUMPY)
def test_numpy_computes_the_same(variant: str) -> None:
    """Six documents: one without words, one without labels and one with all."""
    config = replace(VARIANTS_IN_NUMPY[variant], encoder=6, hidden=3)
    rng = np.random.default_rng(20190602)
    torch.manual_seed(6)
    net = RankAE(config, vectors=torch.from_numpy(rng.normal(size=(_V, _C))), labels=5).double()
    x = rng.random((6, _V)) * (rng.random((6, _V)) < 0.6)
    x[2] = 0
    y = rng.random((6, 5)) < 0.4
    y[0], y[1] = False, True
    weights = {name: p.detach().numpy() for name, p in net.named_parameters()}
    documents, words = (torch.from_numpy(it) for it in x.nonzero())
    batch = WordBatch(documents, words, torch.from_numpy(x[x != 0]), len(x))
    rows, cols = torch.from_numpy(y).nonzero(as_tuple=True)
    learned = net.train().learn(batch, rows, cols)
    ours: list[Array] = [n.detach().numpy() for n in (*learned, *rank_ae.losses(config, learned, rows, cols))]
    text, label = _text(config, weights, x), _label(config, weights, y)
    logits = _decode(config, weights, text if config.decoded == "text" else label)
    theirs: list[Any] = [text, label, logits, *_losses(config, text, label, logits, y)]
    names = ("F(x)", "E(y)", "D(E(y))", "Lh", "Lae")
    gaps = [close(*it, tolerance=1e-10) for it in zip(names, ours, theirs, strict=True)]
    gaps.append(
        close("D(F(x))", net.eval()(batch).detach(), _predicted(config, weights, net, x), tolerance=1e-10)
    )


def _text(
    config: Config, w: Mapping[str, Array], x: Array, running: tuple[Array, Array] | None = None
) -> Array:
    """F of all documents; `running` (mean, variance) of each place stands in for those of the batch."""
    weighted = np.array([[v * e for v, e in zip(row, w["embedding"], strict=True)] for row in x])
    if config.attention == "channel":
        z = weighted @ w["attention.reduce.weight"].T + w.get("attention.reduce.bias", 0)
        if config.attention_norm:  # of each place, over documents and units
            mean, var = running or (z.mean(axis=(0, 2)), z.var(axis=(0, 2)))
            z = (z - mean[:, None]) / np.sqrt(var[:, None] + 1e-5)
            z = z * w["attention.norm.scale"][:, None] + w["attention.norm.shift"][:, None]
        z = np.maximum(z, 0) @ w["attention.expand.weight"].T + w.get("attention.expand.bias", 0)
        weighted = weighted / (1 + np.exp(-z))
    divisor = np.full(len(x), _V) if config.pooling == "slots" else np.maximum((x != 0).sum(axis=1), 1)
    pooled = weighted.sum(axis=1) / (1 if config.pooling == "sum" else divisor[:, None])
    for number in range(len(config.feature_layers)):
        pooled = (
            _ACTIVATIONS["leaky_relu"](pooled) @ w[f"before.{number}.weight"].T + w[f"before.{number}.bias"]
        )
    pooled = _ACTIVATIONS["leaky_relu"](pooled) if config.feature_layers else pooled
    return _ACTIVATIONS[config.feature_activation](pooled @ w["feature.weight"].T + w["feature.bias"])


def _label(config: Config, w: Mapping[str, Array], y: Array) -> Array:
    z = y @ w["label_vectors"] + w["label_bias"]
    z = _ACTIVATIONS[config.encoder_activation](_normed(config, z, w, "encoder"))
    return _ACTIVATIONS[config.label_activation](z @ w["encoder.weight"].T + w["encoder.bias"])


def _decode(config: Config, w: Mapping[str, Array], hidden: Array) -> Array:
    z = _normed(config, hidden @ w["decoder.weight"].T + w["decoder.bias"], w, "decoder")
    logits: Array = _ACTIVATIONS[config.decoder_activation](z) @ w["output.weight"].T + w["output.bias"]
    return logits


def _normed(config: Config, z: Array, w: Mapping[str, Array], name: str) -> Array:
    if not config.layer_norm:
        return z
    z = (z - z.mean(axis=0)) / np.sqrt(z.var(axis=0) + 1e-5)
    scaled: Array = z * w[f"{name}_norm.weight"] + w[f"{name}_norm.bias"]
    return scaled


def _predicted(config: Config, w: Mapping[str, Array], net: RankAE, x: Array) -> Array:
    """In evaluation mode, after one batch was seen."""
    norm = net.attention.norm if net.attention is not None else None
    running = None if norm is None else (norm.running_mean.numpy(), norm.running_var.numpy())
    hidden = _text(config, w, x, running)
    if net.decoder_norm is None or net.decoder_norm.running_mean is None:
        return _decode(config, w, hidden)
    assert net.decoder_norm.running_var is not None
    z = hidden @ w["decoder.weight"].T + w["decoder.bias"]
    z = (z - net.decoder_norm.running_mean.numpy()) / np.sqrt(net.decoder_norm.running_var.numpy() + 1e-5)
    z = z * w["decoder_norm.weight"] + w["decoder_norm.bias"]
    logits: Array = _ACTIVATIONS[config.decoder_activation](z) @ w["output.weight"].T + w["output.bias"]
    return logits


def _losses(config: Config, text: Array, label: Array, logits: Array, y: Array) -> Iterator[float]:
    """Lh and Lae: means over the documents."""
    apart = [sum((a - b) ** 2 for a, b in zip(*it, strict=True)) for it in zip(text, label, strict=True)]
    penalty = sum(((z.T @ z / len(z) - np.eye(z.shape[1])) ** 2).sum() for z in (text, label))
    divisor = text.shape[1] if config.hidden_loss == "mean" else 1
    yield float(np.mean(apart)) / divisor + config.orthogonality * float(penalty)
    probabilities = 1 / (1 + np.exp(-logits))
    if config.loss == "bce":
        terms = -np.where(y, np.log(probabilities), np.log(1 - probabilities)).sum(axis=1)
        yield float(terms.mean()) / (5 if config.label_loss == "mean" else 1)
        return
    scores = probabilities if config.output == "sigmoid" else logits
    yield float(np.mean([_ranking(config, s, t) for s, t in zip(scores, y, strict=True)]))


def _ranking(config: Config, scores: Array, truth: Array) -> float:
    """Eq. (3) and (4) of one document; 0 where a side is missing."""
    P, N = scores[truth], scores[~truth]
    if not len(P) or not len(N):
        return 0.0
    if config.loss == "exponential":
        return float(sum(np.exp(n - p) for p in P for n in N) / (len(P) * len(N)))
    LP = sum(max(max(config.margin + n - p, 0) for p in P) for n in N)
    LN = sum(max(max(config.margin + n - p, 0) for n in N) for p in P)
    return float(LP / len(N) + LN / len(P) if config.label_loss == "mean" else LP + LN)


def test_parameter_counts_by_hand() -> None:
    """EUR-Lex as the third party has it, 7,082,918, and what biases and normalisation are of that."""
    # V C + (2 C U + C + U) + 2 V + (C + 1) h + (L + 1) e + (e + 1) h + (h + 1) e + (e + 1) L + 4 e
    expected = {
        ("third-party", 800): 7_082_918,
        ("binary-ids", 800): 7_082_918,
        # without 125 biases, 10,000 and 3,200 of normalisation
        ("paper", 800): 7_069_593,
        # and without 2 x 100 x 25 of the attention
        ("no-attention", 800): 7_064_593,
    }
    for (variant, e), count in expected.items():
        config = replace(VARIANTS[variant], encoder=e, hidden=100)
        with torch.device("meta"):  # shapes without memory
            net = build(config, vectors=torch.empty(5_000, 100), labels=3_993)
        assert sum(p.numel() for p in net.parameters()) == count, variant


def test_first_weights_are_spread_by_the_inputs() -> None:
    """Third party: normal with variance 2 / inputs. Paper's reading: torch's own bound, 1 / sqrt(inputs)."""
    inputs = {"feature": 64, "encoder": 300, "decoder": 80, "output": 300}
    for variant in ("third-party", "paper"):
        torch.manual_seed(3)
        config = replace(VARIANTS[variant], encoder=300, hidden=80)
        net = build(config, vectors=torch.zeros(3, 64), labels=200)
        weights = {name: getattr(net, name).weight for name in inputs} | {"labels": net.label_vectors}
        for name, weight in weights.items():
            n = inputs.get(name, 200)
            spread = weight.std().item() * (n / 2) ** 0.5 if variant == "third-party" else None
            largest = weight.abs().max().item() * n**0.5
            if not (0.97 < spread < 1.03 if spread else 0.97 < largest <= 1.000001):
                raise MismatchError(f"{variant}: the first weights of {name} are spread otherwise")
