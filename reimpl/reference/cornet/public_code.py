"""Blocks, alone and on the four networks of the paper, against the public code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from reimpl.cornet import Block, cornet_blocks
from reimpl.fidelity import Array, group
from reimpl.reference.stored_case import Part, Subject, compare, fill


def case(package: str, case: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Every stored output, loss, gradient and step of an entry of the manifest of `package`."""
    return compare(Subject(_load, _outputs, _parts), package, case, tolerance)


class _Alone(nn.Module):
    """Blocks on raw scores that are given."""

    def __init__(self, raw_logits: Tensor, blocks: nn.ModuleList) -> None:
        super().__init__()
        self.raw_logits, self.blocks = nn.Parameter(raw_logits), blocks


def _load(case: Mapping[str, Any], stored: Mapping[str, Array]) -> nn.Module:
    raw = torch.from_numpy(stored["input.raw_logits"])
    network = _Alone(raw.clone(), cornet_blocks(raw.shape[1], **case["config"]))
    fill(block_parts(network.blocks, lambda p: p.data), group(stored, "weight."))
    return network


def _outputs(network: nn.Module, stored: Mapping[str, Array]) -> dict[str, Tensor]:
    network = cast(_Alone, network)
    x: Tensor = network.raw_logits
    for block in network.blocks:
        x = block(x)
    return {"logits": x}


def _parts(network: nn.Module, part: Part) -> dict[str, Tensor]:
    network = cast(_Alone, network)
    return {"input.raw_logits": part(network.raw_logits), **block_parts(network.blocks, part)}


def block_parts(blocks: nn.ModuleList, part: Part) -> dict[str, Tensor]:
    """A tensor of each parameter of the blocks, under the names of the stored arrays."""
    return {
        f"cornet_block{i}_{name.replace('.', '_')}": part(parameter)
        for i, block in enumerate(blocks)
        for name, parameter in cast(Block, block).named_parameters()
    }
