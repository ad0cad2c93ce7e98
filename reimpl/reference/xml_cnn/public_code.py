"""The named variants against what the public code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from reimpl import xml_cnn
from reimpl.fidelity import Array, group
from reimpl.reference.stored_case import Part, Subject, compare, fill


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    optimiser = case.get("optimiser", "adam")
    return compare(Subject(_loaded, _outputs, parts, optimiser, as_conv1d), package, case, tolerance)


def _outputs(network: torch.nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(xml_cnn.XMLCNN, network)
    ids = torch.from_numpy(stored["input.token_ids"])
    return {"feature": network.features(ids), "logits": network(ids)}


def parts(network: torch.nn.Module, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter, under the names of the stored arrays."""
    return {name: part(parameter) for name, parameter in named(cast(xml_cnn.XMLCNN, network))}


def _loaded(case: Mapping[str, Any], stored: Mapping[str, Array]) -> xml_cnn.XMLCNN:
    """The named variant at the case's sizes, with the stored weights."""
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
    fill(dict(named(network)), weights)
    return network


def as_conv1d(stored: Mapping[str, Array]) -> dict[str, Array]:
    """Kernels (F, C, k), where CorNet's program has them as (F, 1, k, C) of an image of words."""
    return {
        name: a[:, 0].swapaxes(1, 2) if "_kernel" in name and a.ndim == 4 else a for name, a in stored.items()
    }


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
