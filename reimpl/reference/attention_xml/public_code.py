"""The named variants against what the public code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, nn

from reimpl.attention_xml import VARIANTS, AttentionXML
from reimpl.fidelity import Array, group
from reimpl.label_attention import attend
from reimpl.reference import plain_lstm
from reimpl.reference.stored_case import Part, Subject, compare, fill


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    subject = Subject(_load, _outputs, parts, optimiser=case["optimiser"])
    return compare(subject, package, case, tolerance)


def _load(case: Mapping[str, Any], stored: Mapping[str, Array]) -> AttentionXML:
    """The named variant at the case's sizes, in evaluation mode, with the stored weights."""
    weights, with_candidates = group(stored, "weight."), "input.candidates" in stored
    network = AttentionXML(
        replace(VARIANTS[case["variant"]], **case["config"]),
        vectors=torch.from_numpy(weights["word_embedding"]),
        labels=len(weights["attention_weight"]) - with_candidates,
        filler=with_candidates,
    )
    fill(parts(network, lambda p: p.data), weights)
    return network


def _outputs(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(AttentionXML, network)
    assert network.queries is not None
    ids, chosen = torch.from_numpy(stored["input.token_ids"]), None
    queries = network.queries.weight
    if "input.candidates" in stored:
        chosen = torch.from_numpy(stored["input.candidates"])
        queries = queries[chosen]
    states, lengths = network.states(ids)
    return {
        "encoder_states": states,
        "label_vectors": attend(states, network.attended(lengths, states.shape[1]), queries),
        "logits": network(ids, chosen),
    }


def parts(network: nn.Module, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter, under the names of the stored arrays."""
    network = cast(AttentionXML, network)
    found = {"word_embedding": part(cast(nn.Parameter, network.embedding.weight))} | plain_lstm.parts(
        network.lstm, part
    )
    if network.queries is not None:
        found["attention_weight"] = part(cast(nn.Parameter, network.queries.weight))
    names = [f"label_fc{i}" for i in range(len(network.layers) - 1)] + ["label_score"]
    for name, layer in zip(names, network.layers, strict=True):
        layer = cast(nn.Linear, layer)
        found |= {
            f"{name}_weight": part(cast(nn.Parameter, layer.weight)),
            f"{name}_bias": part(layer.bias),
        }
    return found
