"""One stored case of public code against a network of ours, whatever the model.

A case is an entry of the manifest of a package of reference numbers and an .npz file beside it, with arrays
`weight.*`, `input.*`; in float32 `output.*`, `loss.*` and `step.LOSS.*` (weights after one step of the
optimiser at 1e-3); in float64 `f64.output.*`, `f64.loss.*`, `f64.grad.LOSS.*`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from reimpl import losses
from reimpl.fidelity import Array, MismatchError, arrays, close, close_after_step
from reimpl.optim import OPTIMISERS, with_sparse_gradients

#: A tensor of a parameter: itself, or its gradient.
Part = Callable[[nn.Parameter], Tensor]


@dataclass(frozen=True)
class Subject:
    """What is held against the stored numbers."""

    load: Callable[[Mapping[str, Any], Mapping[str, Array]], nn.Module]
    """The network of a case with its stored weights."""
    outputs: Callable[[nn.Module, Mapping[str, Array]], Mapping[str, Tensor]]
    """From the stored input, under the names of the arrays `output.*`; `logits` are among them."""
    parts: Callable[[nn.Module, Part], Mapping[str, Tensor]]
    """A tensor of each parameter, under the names of the stored weights."""
    optimiser: str = "dense_sparse_adam"
    layout: Callable[[Mapping[str, Array]], Mapping[str, Array]] = lambda stored: stored
    """Brings the stored arrays into our layout."""


def compare(subject: Subject, package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step; raises `MismatchError` where one departs."""
    stored = subject.layout(arrays(package, case["file"]))
    results = {name for name in stored if name.startswith(("output.", "loss.", "step.", "f64."))}
    gaps: dict[str, float] = {}
    for dtype, prefix in (("float64", "f64."), ("float32", "")):
        for name, value in _computed(subject, case, stored, getattr(torch, dtype)).items():
            if prefix + name in results:
                reference = stored[prefix + name]
                gaps[prefix + name] = close(prefix + name, value, reference, tolerance=tolerance[dtype])
    for loss in case["losses"]:
        gaps |= _step(subject, case, stored, loss)
    return agreement(gaps, results, case["source"])


def agreement(gaps: Mapping[str, float], results: Set[str], source: Mapping[str, str]) -> str:
    """What was compared and how close it came; raises `MismatchError` where a stored result was not."""
    if gaps.keys() != results:
        raise MismatchError(f"nothing of ours answers to {', '.join(sorted(results ^ gaps.keys()))}")
    return (
        f"{len(gaps)} stored results of {source['repository']} {source['commit'][:7]} agree, "
        f"the farthest within {max(gaps.values()):.0e}"
    )


def _computed(
    subject: Subject, case: Mapping[str, Any], stored: Mapping[str, Array], dtype: torch.dtype
) -> dict[str, Array]:
    network = subject.load(case, stored).to(dtype).eval()
    found = {f"output.{name}": out for name, out in subject.outputs(network, stored).items()}
    for loss in case["losses"]:
        found[f"loss.{loss}"] = _backward(subject, network, case, stored, loss)
        gradients = subject.parts(network, _gradient)
        found |= {f"grad.{loss}.{name}": gradient for name, gradient in gradients.items()}
    return {name: value.detach().numpy() for name, value in found.items()}


def _gradient(parameter: nn.Parameter) -> Tensor:
    if parameter.grad is None:
        return torch.zeros_like(parameter)
    return parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad


def _step(
    subject: Subject, case: Mapping[str, Any], stored: Mapping[str, Array], loss: str
) -> dict[str, float]:
    network = subject.load(case, stored).float().eval()
    if subject.optimiser == "dense_sparse_adam":
        with_sparse_gradients(network)
    optimiser = OPTIMISERS[subject.optimiser](network.parameters(), lr=1e-3)
    _backward(subject, network, case, stored, loss)
    optimiser.step()
    moved = subject.parts(network, lambda parameter: parameter.detach())
    return {
        f"step.{loss}.{name}": close_after_step(
            f"step.{loss}.{name}",
            weight.numpy(),
            stored[f"step.{loss}.{name}"],
            before=stored[f"weight.{name}"],
            gradient=stored[f"f64.grad.{loss}.{name}"],
        )
        for name, weight in moved.items()
        if f"step.{loss}.{name}" in stored
    }


def _backward(
    subject: Subject, network: nn.Module, case: Mapping[str, Any], stored: Mapping[str, Array], loss: str
) -> Tensor:
    network.zero_grad()
    rows, cols = torch.from_numpy(stored["input.labels"]).nonzero(as_tuple=True)
    logits = subject.outputs(network, stored)["logits"]
    value = losses.loss(case["losses"][loss])(logits, rows, cols)
    value.backward()  # type: ignore[no-untyped-call]
    return value.detach()


def fill(parameters: Mapping[str, Tensor], weights: Mapping[str, Array]) -> None:
    """Copies stored weights into parameters of the same names; raises `MismatchError` for any difference."""
    if parameters.keys() != weights.keys():
        differing = ", ".join(sorted(parameters.keys() ^ weights.keys()))
        raise MismatchError(f"the network and the public code's do not have the same weights: {differing}")
    for name, parameter in parameters.items():
        if parameter.shape != weights[name].shape:
            raise MismatchError(f"{name} has shape {tuple(parameter.shape)}, not {weights[name].shape}")
        parameter.detach().copy_(torch.from_numpy(weights[name]))
