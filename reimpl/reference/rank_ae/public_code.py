"""The third party's network and losses against what its code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from reimpl.fidelity import Array, MismatchError, arrays, close, group
from reimpl.protocol import PROTOCOLS
from reimpl.rank_ae import VARIANTS, Config, Learned, RankAE, losses
from reimpl.reference.stored_case import agreement, fill
from reimpl.slot_norm import BatchNorm, SlotBatchNorm
from reimpl.word_batches import WordBatch

_LOSSES = ("hidden", "ranking", "total")
#: Adam's first step is the rate times the gradient's sign where the gradient is more than noise.
_STEP = 2e-6

Part = Callable[[Tensor], Tensor]


class Input(NamedTuple):
    """What a stored case feeds the network."""

    words: WordBatch
    rows: Tensor
    cols: Tensor


def network(package: str, case: Mapping[str, Any]) -> str:
    """Every stored output, loss, gradient, running value and step of a case of the whole network."""
    stored = arrays(package, case["file"])
    found: dict[str, Array] = {}
    for dtype, prefix in ((torch.float64, "f64."), (torch.float32, "")):
        for name, value in _computed(case, stored, dtype).items():
            found |= {prefix + name: value} if prefix + name in stored else {}
    gaps = _gaps(found, stored, case)
    for name in _LOSSES:
        gaps |= _step(case, stored, name)
    return _sentence(gaps, stored, case)


def losses_alone(package: str, case: Mapping[str, Any]) -> str:
    """Losses of given scores and of given points of the common space, with their gradients."""
    stored = arrays(package, case["file"])
    found: dict[str, Array] = {}
    for dtype, prefix in ((torch.float64, "f64."), (torch.float32, "")):
        given = [
            torch.from_numpy(stored[f"input.{name}"]).to(dtype).requires_grad_()
            for name in ("text_hidden", "label_hidden", "scores")
        ]
        rows, cols = torch.from_numpy(stored["input.labels"]).nonzero(as_tuple=True)
        values = _values(_config(case), Learned(*given), rows, cols)
        for name, value in values.items():
            found[f"{prefix}loss.{name}"] = value.detach().numpy()
            gradients = torch.autograd.grad(value, given, retain_graph=True, allow_unused=True)
            for leaf, gradient in zip(("text_hidden", "label_hidden", "scores"), gradients, strict=True):
                if gradient is not None:
                    found[f"{prefix}grad.{name}.input.{leaf}"] = gradient.numpy()
    return _sentence(_gaps({k: v for k, v in found.items() if k in stored}, stored, case), stored, case)


def _config(case: Mapping[str, Any]) -> Config:
    return replace(VARIANTS[case["variant"]], **case["config"])


def _gaps(
    found: Mapping[str, Array], stored: Mapping[str, Array], case: Mapping[str, Any]
) -> dict[str, float]:
    tolerance = case["tolerance"]
    return {
        name: close(
            name,
            value,
            stored[name],
            tolerance=tolerance["float64" if name.startswith("f64.") else "float32"],
        )
        for name, value in found.items()
    }


def _sentence(gaps: Mapping[str, float], stored: Mapping[str, Array], case: Mapping[str, Any]) -> str:
    results = {name for name in stored if not name.startswith(("weight.", "state.", "input."))}
    # how many batches were seen is of no use with a fixed momentum; both parts are checked in their sum
    results = {name for name in results if not name.endswith(("batches_tracked", "tive_part"))}
    return agreement(gaps, results, case["source"])


# ------------------------------------------------------------------------------------------ the network


def _load(case: Mapping[str, Any], stored: Mapping[str, Array], dtype: torch.dtype) -> RankAE:
    weights = group(stored, "weight.")
    labels = len(weights["decoder2_bias"])
    net = RankAE(_config(case), vectors=torch.from_numpy(weights["word_embedding"]), labels=labels)
    fill(parts(net, lambda p: p.data), weights)
    state = group(stored, "state.")
    fill(running(net), {name: it for name, it in state.items() if not name.endswith("batches_tracked")})
    return net.to(dtype).train(case["mode"] == "train")


def _input(case: Mapping[str, Any], stored: Mapping[str, Array]) -> Input:
    weights = stored["input.tfidf"][:, :, 0]
    ids = stored["input.word_ids"]
    slots = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
    expected = weights != 0 if _config(case).ids == "presence" else slots
    if not np.array_equal(ids, expected):
        raise MismatchError("the stored ids are not those of the variant")
    documents, words = (torch.from_numpy(it) for it in weights.nonzero())
    there = torch.from_numpy(weights[weights != 0])
    rows, cols = torch.from_numpy(stored["input.labels"]).nonzero(as_tuple=True)
    return Input(WordBatch(documents, words, there, len(ids)), rows, cols)


def _computed(case: Mapping[str, Any], stored: Mapping[str, Array], dtype: torch.dtype) -> dict[str, Array]:
    net, given = _load(case, stored, dtype), _input(case, stored)
    learned = net.learn(*given)
    found = {f"output.{name}": value for name, value in learned._asdict().items()}
    found |= {f"after_forward.{name}": value.clone() for name, value in running(net).items()}
    if not net.training:
        found["output.predicted_scores"] = net(given.words)
    for name, value in _values(_config(case), learned, given.rows, given.cols).items():
        net.zero_grad()
        value.backward(retain_graph=True)  # type: ignore[no-untyped-call]
        found[f"loss.{name}"] = value
        found |= {f"grad.{name}.{key}": it.clone() for key, it in parts(net, _gradient).items()}
    return {name: value.detach().numpy() for name, value in found.items()}


def _gradient(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def _values(config: Config, learned: Learned, rows: Tensor, cols: Tensor) -> dict[str, Tensor]:
    hidden, ranking = losses(config, learned, rows, cols)
    return {"hidden": hidden, "ranking": ranking, "total": hidden + config.balance * ranking}


def _step(case: Mapping[str, Any], stored: Mapping[str, Array], loss: str) -> dict[str, float]:
    """One step at 1e-3 with the protocol's decay, which moves also what has no gradient."""
    net, given = _load(case, stored, torch.float32), _input(case, stored)
    decay = PROTOCOLS["rank-ae-third-party"].weight_decay
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=decay)
    _values(_config(case), net.learn(*given), given.rows, given.cols)[loss].backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    gaps: dict[str, float] = {}
    for key, value in parts(net, lambda p: p.detach()).items():
        name = f"step.{loss}.{key}"
        if name in stored:
            gradient = stored[f"f64.grad.{loss}.{key}"]
            clear = (np.abs(gradient) >= 1e-6) | (gradient == 0)
            gap = float(np.max(np.abs(value.numpy() - stored[name]), where=clear, initial=0.0))
            if not gap <= _STEP:
                raise MismatchError(f"{name} departs by {gap:.1e} after one step, more than {_STEP:.0e}")
            gaps[name] = gap
    return gaps


def parts(net: RankAE, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter, under the names and in the layout of the stored arrays."""
    found = {
        "word_embedding": part(net.embedding),
        "encoder1_weight": part(net.label_vectors).t(),
        "encoder1_bias": part(net.label_bias),
    }
    linear: dict[str, nn.Linear] = {
        "feature": net.feature,
        "encoder2": net.encoder,
        "decoder1": net.decoder,
        "decoder2": net.output,
    }
    if net.attention is not None:
        linear |= {"attention_reduce": net.attention.reduce, "attention_expand": net.attention.expand}
    for name, layer in linear.items():
        found |= {f"{name}_{key}": part(it) for key, it in layer.named_parameters()}
    for name, norm in _norms(net).items():
        scale, shift = norm.parameters()
        found |= {f"{name}_scale": part(scale), f"{name}_shift": part(shift)}
    return found


def running(net: RankAE) -> dict[str, Tensor]:
    """Running values under the names of the stored arrays."""
    values = ("running_mean", "running_var")
    return {f"{name}_{it}": getattr(norm, it) for name, norm in _norms(net).items() for it in values}


def _norms(net: RankAE) -> dict[str, SlotBatchNorm | BatchNorm]:
    norms = {
        "attention_batchnorm": net.attention.norm if net.attention else None,
        "encoder_batchnorm": net.encoder_norm,
        "decoder_batchnorm": net.decoder_norm,
    }
    return {name: norm for name, norm in norms.items() if norm is not None}
