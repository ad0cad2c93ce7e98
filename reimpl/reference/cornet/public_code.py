"""Blocks, alone and on the four networks of the paper, against the public code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from reimpl import cornet
from reimpl.cornet import Block, CorNet, cornet_blocks
from reimpl.fidelity import Array, group
from reimpl.models import find_config
from reimpl.reference.attention_xml.public_code import parts as attention_xml_parts
from reimpl.reference.bert_xml.public_code import fill_in as fill_in_bert_xml
from reimpl.reference.bert_xml.public_code import parts as bert_xml_parts
from reimpl.reference.mesh_probenet.public_code import parts as mesh_probenet_parts
from reimpl.reference.stored_case import Part, Subject, compare, fill
from reimpl.reference.xml_cnn.public_code import as_conv1d
from reimpl.reference.xml_cnn.public_code import parts as xml_cnn_parts

_PARTS: Mapping[str, Callable[[nn.Module, Part], dict[str, Tensor]]] = {
    "attention_xml": attention_xml_parts,
    "bert_xml": bert_xml_parts,
    "mesh_probenet": mesh_probenet_parts,
    "xml_cnn": xml_cnn_parts,
}
_BLOCK = "cornet_block"


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    if "base" not in case["config"]:
        return compare(Subject(_load_blocks, _of_blocks, _parts_of_blocks), package, case, tolerance)
    base = case["config"]["base"]

    def parts(network: nn.Module, part: Part) -> dict[str, Tensor]:
        network = cast(CorNet, network)
        return _PARTS[base](network.base, part) | block_parts(network.blocks, part)

    subject = Subject(_load, _outputs, parts, layout=as_conv1d)
    return compare(subject, package, case, tolerance)


# --------------------------------------------------------------------------------------------- blocks alone


class _Alone(nn.Module):
    """Blocks on raw scores that are given."""

    def __init__(self, raw_logits: Tensor, blocks: nn.ModuleList) -> None:
        super().__init__()
        self.raw_logits, self.blocks = nn.Parameter(raw_logits), blocks


def _load_blocks(case: Mapping[str, Any], stored: Mapping[str, Array]) -> nn.Module:
    raw = torch.from_numpy(stored["input.raw_logits"])
    network = _Alone(raw.clone(), cornet_blocks(raw.shape[1], **case["config"]))
    fill(block_parts(network.blocks, lambda p: p.data), group(stored, "weight."))
    return network


def _of_blocks(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(_Alone, network)
    x: Tensor = network.raw_logits
    for block in network.blocks:
        x = block(x)
    return {"logits": x}


def _parts_of_blocks(network: nn.Module, part: Part) -> dict[str, Tensor]:
    network = cast(_Alone, network)
    return {"input.raw_logits": part(network.raw_logits), **block_parts(network.blocks, part)}


def block_parts(blocks: nn.ModuleList, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter of the blocks, under the names of the stored arrays."""
    return {
        f"{_BLOCK}{i}_{name.replace('.', '_')}": part(parameter)
        for i, block in enumerate(blocks)
        for name, parameter in cast(Block, block).named_parameters()
    }


# ------------------------------------------------------------------------------------------- whole networks


def _load(case: Mapping[str, Any], stored: Mapping[str, Array]) -> CorNet:
    weights = group(stored, "weight.")
    config = find_config(cornet, case["variant"], case["config"])
    words = torch.from_numpy(weights["word_embedding"])
    if config.base == "bert_xml":
        words = words[: -config.base_config["cls_tokens"]]
    network = cornet.build(
        config,
        vectors=words,
        labels=stored["input.labels"].shape[1],
        length=stored["input.token_ids"].shape[1],
        padding_id=0,
        freeze_padding=True,
    )
    of_blocks = {name: a for name, a in weights.items() if name.startswith(_BLOCK)}
    fill(block_parts(network.blocks, lambda p: p.data), of_blocks)
    own = {name: a for name, a in weights.items() if name not in of_blocks}
    if config.base == "bert_xml":
        fill_in_bert_xml(cast(Any, network.base), own)
    else:
        fill(_PARTS[config.base](network.base, lambda p: p.data), own)
    return network


def _outputs(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network, ids = cast(CorNet, network), torch.from_numpy(stored["input.token_ids"])
    return {"raw_logits": network.base(ids), "logits": network(ids)}
