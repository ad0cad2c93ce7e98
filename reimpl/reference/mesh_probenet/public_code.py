"""The named variants against what the public code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl.fidelity import Array, group
from reimpl.mesh_probenet import VARIANTS, MeSHProbeNet
from reimpl.reference import plain_lstm
from reimpl.reference.stored_case import Part, Subject, compare, fill


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    return compare(Subject(_load, _outputs, parts, optimiser=case["optimiser"]), package, case, tolerance)


def _load(case: Mapping[str, Any], stored: Mapping[str, Array]) -> MeSHProbeNet:
    """The named variant at the case's sizes with the stored weights."""
    weights = group(stored, "weight.")
    network = MeSHProbeNet(
        replace(VARIANTS[case["variant"]], **case["config"]),
        vectors=torch.from_numpy(weights["word_embedding"]),
        labels=len(weights["output_bias"]),
    )
    fill(parts(network, lambda p: p.data), weights)
    return network


def _outputs(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(MeSHProbeNet, network)
    ids = torch.from_numpy(stored["input.token_ids"])
    features = network.features(ids)
    found = {"encoder_states": network.states(ids)[0], "feature": features, "logits": network(ids)}
    if network.bottleneck is not None:
        found["bottleneck_output"] = F.elu(network.bottleneck(features))
        found["raw_logits"] = found["logits"]
    return found


def parts(network: nn.Module, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter, under the names of the stored arrays."""
    network = cast(MeSHProbeNet, network)
    found = {
        "word_embedding": part(cast(nn.Parameter, network.embedding.weight)),
        "probe_weight": part(cast(nn.Parameter, network.probes.weight)),
        "output_weight": part(cast(nn.Parameter, network.output.weight)),
        "output_bias": part(network.output.bias),
    }
    if network.bottleneck is not None:
        found["bottleneck_weight"] = part(cast(nn.Parameter, network.bottleneck.weight))
        found["bottleneck_bias"] = part(network.bottleneck.bias)
    return found | plain_lstm.parts(network.lstm, part)
