"""The variant `code` against what the public code computes from the same weights and input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from reimpl.bert_xml import VARIANTS, BertXML
from reimpl.fidelity import Array, group
from reimpl.reference.stored_case import Part, Subject, compare, fill


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    return compare(Subject(_load, _outputs, parts), package, case, tolerance)


def _load(case: Mapping[str, Any], stored: Mapping[str, Array]) -> nn.Module:
    weights = group(stored, "weight.")
    config = replace(VARIANTS[case["variant"]], **case["config"])
    ids = stored["input.token_ids"]
    words = torch.from_numpy(weights["word_embedding"][: -config.cls_tokens])
    network = BertXML(config, vectors=words, labels=len(weights["output_bias"]), length=ids.shape[1])
    fill_in(network, weights)
    return network


def _outputs(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(BertXML, network)
    ids = torch.from_numpy(stored["input.token_ids"])
    features = network.features(ids)
    return {
        "probe_vectors": network.document_vectors(ids),
        "feature": features,
        "logits": network.output(features),
    }


def parts(network: nn.Module, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter, under the stored names: [CLS] symbols are the last rows of the words."""
    found = {name: part(parameter) for name, parameter in named(cast(BertXML, network)).items()}
    found["word_embedding"] = torch.cat((found["word_embedding"], found.pop("cls_embedding")))
    return found


def fill_in(network: BertXML, weights: Mapping[str, Array]) -> None:
    """Copies stored weights into the network."""
    table = weights["word_embedding"]
    words, cls = np.split(table, [len(table) - len(network.cls)])
    fill(named(network), {**weights, "word_embedding": words, "cls_embedding": cls})


def named(network: BertXML) -> dict[str, nn.Parameter]:
    """The parameters under the names of the stored arrays."""
    words = {
        "words.weight": "word_embedding",
        "cls": "cls_embedding",
        "positions": "position_embedding",
    }
    found = {}
    for name, parameter in network.named_parameters():
        found[words.get(name) or _layer_name(name, len(network.encoder))] = parameter
    return found


def _layer_name(name: str, layers: int) -> str:
    name = name.replace(f"encoder.{layers - 1}.", "probe_layer_").replace("encoder.", "layer")
    for ours, theirs in (
        ("attention.output", "attention_output"),
        ("attention.", ""),
        ("inner.", "feedforward_in_"),
        ("outer.", "feedforward_out_"),
    ):
        name = name.replace(ours, theirs)
    return name.replace(".", "_")
