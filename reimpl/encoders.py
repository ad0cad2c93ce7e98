"""Networks without their output layer: what they know of a document, for an output layer of another kind."""

from __future__ import annotations

from types import ModuleType
from typing import Any, cast

from torch import Tensor, nn

from reimpl.errors import ConfigError


def encoder(
    module: ModuleType, config: Any, *, vectors: Tensor, length: int, padding_id: int, freeze_padding: bool
) -> tuple[nn.Module, int]:
    """A model's network from token ids (B, T) to vectors (B, H), and H.

    The last layer of a network is its attribute `output`, or the one that its `output_name` names ("a.b" for
    one within another): an `nn.Linear` from vectors to scores. It is left out here. Raises `ConfigError`
    where there is none.
    """
    network = module.build(
        config,
        vectors=vectors,
        labels=1,
        length=length,
        padding_id=padding_id,
        freeze_padding=freeze_padding,
    )
    name = getattr(network, "output_name", "output")
    found = dict(network.named_modules()).get(name) if name else None
    if not isinstance(found, nn.Linear):
        raise ConfigError(
            f"the network of {module.__name__!r} has no layer from a vector a document to the scores "
            f"({name!r} is no nn.Linear); choose a variant that has one, or name it in output_name"
        )
    network.set_submodule(name, nn.Identity())
    return cast(nn.Module, network), found.in_features
