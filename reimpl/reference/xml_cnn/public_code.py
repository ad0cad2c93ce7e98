"""The named variants against what the public code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from reimpl import losses, optim, xml_cnn
from reimpl.fidelity import Array, MismatchError, arrays, close, close_after_step, group


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Outputs, losses and gradients in float64; outputs, losses and one step of Adam in float32.

    `case` is an entry of the manifest of `package`. Every stored result is compared.
    """
    stored = arrays(package, case["file"])
    results = {name for name in stored if name.startswith(("output.", "loss.", "step.", "f64."))}
    gaps: dict[str, float] = {}
    for dtype, prefix in ((torch.float64, "f64."), (torch.float32, "")):
        for name, value in _computed(case, stored, dtype).items():
            if prefix + name in results:
                allowed = tolerance[str(dtype).removeprefix("torch.")]
                gaps[prefix + name] = close(prefix + name, value, stored[prefix + name], tolerance=allowed)
    for loss in case["losses"]:
        gaps |= _step(case, stored, loss)
    if gaps.keys() != results:
        raise MismatchError(f"nothing of ours answers to {', '.join(sorted(results - gaps.keys()))}")
    source = case["source"]
    return (
        f"{len(gaps)} stored results of {source['repository']} {source['commit'][:7]} agree, "
        f"the farthest within {max(gaps.values()):.0e}"
    )


def _computed(case: Mapping[str, Any], stored: Mapping[str, Array], dtype: torch.dtype) -> dict[str, Array]:
    """What our network makes of the case, under the names of the stored arrays."""
    network, ids = _loaded(case, stored, dtype), torch.from_numpy(stored["input.token_ids"])
    out = {"output.feature": network.features(ids).detach().numpy()}
    for loss in case["losses"]:
        value = _backward(network, case, stored, loss)
        out[f"loss.{loss}"] = value.numpy()
        out |= {f"grad.{loss}.{n}": p.grad.numpy() for n, p in named(network) if p.grad is not None}
    return out | {"output.logits": network(ids).detach().numpy()}


def _step(case: Mapping[str, Any], stored: Mapping[str, Array], loss: str) -> dict[str, float]:
    network = _loaded(case, stored, torch.float32)
    optimiser = optim.OPTIMISERS["adam"](network.parameters(), lr=1e-3)
    _backward(network, case, stored, loss)
    optimiser.step()
    return {
        f"step.{loss}.{name}": close_after_step(
            f"step.{loss}.{name}",
            parameter.detach().numpy(),
            stored[f"step.{loss}.{name}"],
            before=stored[f"weight.{name}"],
            gradient=stored[f"f64.grad.{loss}.{name}"],
        )
        for name, parameter in named(network)
    }


def _backward(
    network: xml_cnn.XMLCNN, case: Mapping[str, Any], stored: Mapping[str, Array], loss: str
) -> torch.Tensor:
    network.zero_grad()
    rows, cols = torch.from_numpy(stored["input.labels"]).nonzero(as_tuple=True)
    logits = network(torch.from_numpy(stored["input.token_ids"]))
    value = losses.loss(case["losses"][loss])(logits, rows, cols)
    value.backward()  # type: ignore[no-untyped-call]
    return value.detach()


def _loaded(case: Mapping[str, Any], stored: Mapping[str, Array], dtype: torch.dtype) -> xml_cnn.XMLCNN:
    """The named variant at the case's sizes, in evaluation mode, with the stored weights."""
    config = replace(xml_cnn.VARIANTS[case["variant"]], **case["config"])
    weights = group(stored, "weight.")
    if "hidden_weight" in weights and "hidden_bias" not in weights:
        weights = _from_lasagne(weights)
    network = xml_cnn.XMLCNN(
        config,
        vectors=torch.from_numpy(weights["word_embedding"]),
        labels=len(weights["output_bias"]),
        length=stored["input.token_ids"].shape[1],
    )
    _load(network, weights)
    return network.to(dtype).eval()


def _from_lasagne(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Torch's layout from Lasagne's: matrices (inputs, outputs), true convolution, biases zero."""
    out: dict[str, Array] = {"word_embedding": weights["word_embedding"]}
    for name in ("hidden", "output"):
        out[f"{name}_weight"] = weights[f"{name}_weight"].T
        out[f"{name}_bias"] = np.zeros(weights[f"{name}_weight"].shape[1], np.float32)
    for name in weights:
        if name.endswith("_kernel_lasagne"):
            kernel = weights[name]
            # A true convolution reads its kernel backwards; torch computes a cross-correlation.
            out[name.removesuffix("_lasagne")] = kernel[:, :, ::-1].copy()
            out[name.replace("_kernel_lasagne", "_bias")] = np.zeros(len(kernel), np.float32)
    return out


def named(network: xml_cnn.XMLCNN) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """The parameters under the names of the stored arrays; a layer unknown here keeps its own name."""
    words = {"embedding.weight": "word_embedding"}
    for i, k in enumerate(network.config.windows):
        words[f"convolutions.{i}.weight"] = f"conv_window{k}_kernel"
        words[f"convolutions.{i}.bias"] = f"conv_window{k}_bias"
    for name, parameter in network.named_parameters():
        yield words.get(name, name.replace(".", "_")), parameter


def _load(network: xml_cnn.XMLCNN, weights: Mapping[str, Array]) -> None:
    parameters = dict(named(network))
    if parameters.keys() != weights.keys():
        differing = ", ".join(sorted(parameters.keys() ^ weights.keys()))
        raise MismatchError(f"the network and the public code's do not have the same weights: {differing}")
    for name, parameter in parameters.items():
        if parameter.shape != weights[name].shape:
            raise MismatchError(f"{name} has shape {tuple(parameter.shape)}, not {weights[name].shape}")
        parameter.data.copy_(torch.from_numpy(weights[name]))
