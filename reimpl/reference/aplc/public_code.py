"""The layer against stored numbers of the public code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

import numpy as np
import torch
from torch import Tensor

from reimpl.cluster_options import ClusterOptions
from reimpl.fidelity import Array, MismatchError, arrays, close, close_after_step, group
from reimpl.label_clusters import LabelClusters
from reimpl.optim import OPTIMISERS
from reimpl.reference.stored_case import Part, agreement

#: Names of a tail's tensors in the cases, and in the toys.
_NAMES = ("project_weight", "layernorm_scale", "layernorm_shift", "label_weight")
_TOY_NAMES = ("0_weight", "1_weight", "1_bias", "3_weight")

#: From the stored input, before the clusters: documents' vectors, and further tensors by name.
Body = Callable[[Mapping[str, Tensor]], tuple[Tensor, dict[str, Tensor]]]


def case(package: str, case: Mapping[str, Any], body: Callable[..., Any] | None = None) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`.

    `body(weights)` makes of the weights that are not the clusters' a module with `parts(part)`, and of the
    stored input the documents' vectors; without one the vectors are the input.
    """
    stored = arrays(package, case["file"])
    results = {name for name in stored if name.startswith(("output.", "loss.", "step.", "f64.", "grad."))}
    gaps: dict[str, float] = {}
    for dtype, tolerance in case["tolerance"].items():
        prefix = "f64." if dtype == "float64" else ""
        for name, value in _computed(stored, case, getattr(torch, dtype), body).items():
            if prefix + name in results:
                gaps[prefix + name] = close(prefix + name, value, stored[prefix + name], tolerance=tolerance)
    gaps |= _steps(stored, case, body)
    return agreement(gaps, results, case["source"])


def _computed(
    stored: Mapping[str, Array], case: Mapping[str, Any], dtype: torch.dtype, body: Callable[..., Any] | None
) -> dict[str, Array]:
    run = _Run(stored, case, dtype, body)
    found = {"output.probabilities": run.clusters.probabilities(run.features), "loss.aplc": run.backward()}
    if body is not None:
        found["output.features"] = run.features
    gradients = {name: p.grad for name, p in run.parameters(lambda p: p).items()}
    gradients |= {f"input.{name}": value.grad for name, value in run.inputs.items()}
    found |= {f"grad.aplc.{name}": grad for name, grad in gradients.items() if grad is not None}
    return {name: value.detach().numpy() for name, value in found.items()}


def _steps(
    stored: Mapping[str, Array], case: Mapping[str, Any], body: Callable[..., Any] | None
) -> dict[str, float]:
    run = _Run(stored, case, torch.float32, body)
    owners = [run.clusters] if run.body is None else [run.body, run.clusters]
    # The repository's AdamW adds epsilon before the correction, as Lasagne does; its decay is 0.
    optimiser = OPTIMISERS["lasagne_adam"]([p for owner in owners for p in owner.parameters()], lr=1e-3)
    run.backward()
    gradients = {name: p.grad for name, p in run.parameters(lambda p: p).items()}
    optimiser.step()
    gaps = {}
    for name, weight in run.parameters(lambda p: p.detach()).items():
        key = f"step.aplc.{name}"
        if gradients[name] is None or key not in stored:
            if not np.array_equal(weight.numpy(), stored[f"weight.{name}"]):
                raise MismatchError(f"{name} moves, and has no gradient")
            continue
        prefix = "f64." if f"f64.grad.aplc.{name}" in stored else ""
        gaps[key] = close_after_step(
            key,
            weight.numpy(),
            stored[key],
            before=stored[f"weight.{name}"],
            gradient=stored[f"{prefix}grad.aplc.{name}"],
        )
    return gaps


class _Run:
    """The layer of a case, with its weights and its input."""

    def __init__(
        self,
        stored: Mapping[str, Array],
        case: Mapping[str, Any],
        dtype: torch.dtype,
        body: Callable[..., Any] | None,
    ) -> None:
        weights = {n: torch.from_numpy(a).to(dtype) for n, a in group(stored, "weight.").items()}
        self.clusters = clusters_of(
            weights, features=case["features"], labels=case["labels"], cutoffs=case["cutoffs"]
        ).to(dtype)
        self.rows, self.cols = positives(stored["input.label_ids"])
        self.inputs = {
            name: torch.from_numpy(a).to(dtype).requires_grad_()
            for name, a in group(stored, "input.").items()
            if name != "label_ids"
        }
        self.body = None if body is None else body(weights).to(dtype).eval()
        (given,) = self.inputs.values()
        self.features = given if self.body is None else self.body(given)

    def backward(self) -> Tensor:
        value = self.clusters.loss(self.features, self.rows, self.cols)
        value.backward()  # type: ignore[no-untyped-call]
        return value.detach()

    def parameters(self, part: Part) -> dict[str, Any]:
        """A tensor of each parameter under the names of the stored weights."""
        found: dict[str, Any] = {} if self.body is None else self.body.parts(part)
        # Of the labels and of the root's units, which are one weight in the code.
        halves = [layer.weight for layer in (self.clusters.head, self.clusters.roots) if layer is not None]
        found["head_weight"] = torch.cat([it.detach() for it in halves])
        found["head_weight"].grad = torch.cat([gradient_of(it) for it in halves])
        for i, parameters in enumerate(tail_parameters(self.clusters)):
            found |= {f"tail{i}_{n}": part(p) for n, p in zip(_NAMES, parameters, strict=True)}
        return found


def tail_parameters(clusters: LabelClusters) -> list[list[Any]]:
    """The tensors of each tail, as they follow each other."""
    return [list(tail.parameters()) for tail in clusters.tails]


def clusters_of(
    weights: Mapping[str, Tensor], *, features: int, labels: int, cutoffs: list[int], **changes: Any
) -> LabelClusters:
    """The code's layer with stored weights, for labels that are sorted already."""
    options = ClusterOptions(clusters=len(cutoffs) + 1, cutoffs=tuple(cutoffs), **changes)
    made = LabelClusters(options, features=features, order=np.arange(labels))
    assert made.head is not None and made.roots is not None
    head = weights["head_weight"]
    fill = [(made.head.weight, head[: cutoffs[0]]), (made.roots.weight, head[cutoffs[0] :])]
    for i, parameters in enumerate(tail_parameters(made)):
        names = (f"tail{i}_{name}" for name in _NAMES)
        fill += [(p, weights[name]) for p, name in zip(parameters, names, strict=True)]
    for parameter, value in fill:
        if parameter.shape != value.shape:
            raise MismatchError(f"a layer has shape {tuple(parameter.shape)}, not {tuple(value.shape)}")
        parameter.data = value.clone()
    return made


def positives(label_ids: Array) -> tuple[Tensor, Tensor]:
    """Documents and labels of ids (B, n) that are padded by repetition, or by -1."""
    rows = np.broadcast_to(np.arange(len(label_ids))[:, None], label_ids.shape)
    pairs = np.unique(np.stack((rows[label_ids >= 0], label_ids[label_ids >= 0])), axis=1)
    return torch.from_numpy(pairs[0]), torch.from_numpy(pairs[1].astype(np.int64))


def toys(package: str) -> str:
    """Losses by both normalisers, probabilities, and gradients of three toys."""
    text = (resources.files(package) / "formulas.json").read_text("utf-8")
    stored, farthest, compared = arrays(package, "toys.npz"), 0.0, 0
    for toy in json.loads(text)["loss_toys"]:
        mine = group(stored, toy["prefix"])
        for name, ours, theirs in _of_toy(toy, mine):
            gap = close(f"{toy['prefix']}{name}", ours, theirs, tolerance=1e-6)
            farthest, compared = max(farthest, gap), compared + 1
    return f"{compared} results of three toys agree within {farthest:.0e}"


def _of_toy(toy: Mapping[str, Any], stored: Mapping[str, Array]) -> list[tuple[str, Any, Any]]:
    weights = {n: torch.from_numpy(a) for n, a in group(stored, "param_").items()}
    names = {
        f"tail_{i}_{b}": f"tail{i}_{a}" for i in range(9) for a, b in zip(_NAMES, _TOY_NAMES, strict=True)
    }
    named = {names.get(name, name): value for name, value in weights.items()}
    sizes = {"features": toy["d"], "labels": toy["L"], "cutoffs": toy["cutoffs"]}
    rows, cols = positives(stored["targets"])
    x = torch.from_numpy(stored["x"]).requires_grad_()
    by_batch = clusters_of(named, normalise="batch", **sizes).loss(x, rows, cols).item()
    code = clusters_of(named, **sizes)
    value = code.loss(x, rows, cols)
    value.backward()  # type: ignore[no-untyped-call]
    found = [
        ("loss", value.item(), toy["loss"]),
        ("loss by one divisor", by_batch, toy["global_normaliser_variant"]),
        ("probabilities", code.probabilities(x).detach(), stored["predict"]),
        ("gradient of the input", x.grad, stored["grad_x"]),
    ]
    assert code.head is not None and code.roots is not None
    head = torch.cat([gradient_of(code.head.weight), gradient_of(code.roots.weight)])
    found.append(("gradient of the head", head, stored["grad_head_weight"]))
    for i, parameters in enumerate(tail_parameters(code)):
        for name, p in zip(_TOY_NAMES, parameters, strict=True):
            found.append((f"gradient of tail {i}", gradient_of(p), stored[f"grad_tail_{i}_{name}"]))
    return found


def gradient_of(parameter: Tensor) -> Tensor:
    """The gradient of a parameter, zero where it has none."""
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
