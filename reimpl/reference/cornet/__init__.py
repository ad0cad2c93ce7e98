"""CorNet's blocks, alone and on four networks, against XunGuangxu/CorNet ecc0996, for `reimpl.fidelity`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from torch import nn

from reimpl import cornet
from reimpl.models import find_config
from reimpl.reference import xml_cnn


class _Blocks(nn.Module):
    """Blocks alone, on raw scores that are given."""

    def __init__(self, blocks: nn.ModuleList) -> None:
        super().__init__()
        self.blocks = blocks


def build(case: Any, weights: Any, inputs: Any) -> nn.Module:
    """The blocks of a case, on its base where it has one."""
    if "base" not in case["config"]:
        return _Blocks(cornet.cornet_blocks(inputs["raw_logits"].shape[1], **case["config"]))
    config = find_config(cornet, case["variant"], case["config"])
    words = weights["word_embedding"]
    if config.base == "bert_xml":
        words = words[: -config.base_config["cls_tokens"]]
    sizes = {"labels": inputs["labels"].shape[1], "length": inputs["token_ids"].shape[1]}
    return cornet.build(config, vectors=words, padding_id=0, freeze_padding=True, **sizes)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter; the base's package names those of the base."""
    part, _, rest = name.partition(".")
    if part == "blocks":
        return f"cornet_block{rest.replace('.', '_')}"
    package = type(network.base).__module__.replace("reimpl.", "reimpl.reference.")
    return str(import_module(package).rename(network.base, rest))


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """Scores before and behind the blocks."""
    alone = "raw_logits" in inputs
    x = raw = inputs["raw_logits"] if alone else network.base(inputs["token_ids"])
    for block in network.blocks if alone else ():
        x = block(x)
    return {"raw_logits": raw, "logits": x if alone else network(inputs["token_ids"])}


layout = xml_cnn.layout
