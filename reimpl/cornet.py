"""CorNet (Xun et al. 2020): blocks on top of any network that correct each label's score by those of all
labels. Eqs. (1) and (2): y = x + W2 ELU(W1 sigmoid(x) + b1) + b2 for raw scores x (B, L), each block on what
the one before gave; XunGuangxu/CorNet ecc0996, deepxml/cornet.py. B documents, T token positions, L labels, R
components of the bottleneck (the code's `context_size`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import on_top
from reimpl.losses import loss
from reimpl.on_top import OnTop, Upon, base_config, base_module
from reimpl.on_top import reduce as reduce
from reimpl.protocol import check

Activation = Literal["sigmoid", "elu", "relu", "tanh"]
Init = Literal["xavier_uniform", "torch"]

_ACTIVATIONS: Mapping[str, nn.Module] = {
    "sigmoid": nn.Sigmoid(),
    "elu": nn.ELU(),
    "relu": nn.ReLU(),
    "tanh": nn.Tanh(),
}


@dataclass(frozen=True)
class Config(OnTop):
    blocks: int = 2
    """Number of blocks; 0: the base alone."""
    context: int = 1000
    """R, units of a block's inner layer. The paper states none; code: 100 or 200 on Wiki-500K."""
    activation: Activation = "sigmoid"
    """Activation of the scores that enter a block; the public code offers others."""
    init: Init = "xavier_uniform"
    """Initial weights of the blocks; `torch`: torch's default, which biases always have."""
    loss: str | None = None
    """A name of `reimpl.losses.LOSSES`; None: the loss of the base."""

    def __post_init__(self) -> None:
        if self.loss is not None:
            loss(self.loss)
        check(self, from_zero=("blocks",))


#: Named members: of the blocks only, on whichever base a claim file names.
VARIANTS: Mapping[str, Config] = {
    # The public code (deepxml/cornet.py:24-25): two blocks, R = 1,000.
    "code": Config(),
    # The paper states two blocks and Eq. (2), but neither R (as in the code) nor initial weights.
    "paper": Config(init="torch"),
}

#: Sizes for protocols that are reduced to a CPU, where there are some hundred labels.
SMALL: Mapping[str, Any] = {"context": 64}


def resolve(config: Config) -> Config:
    """The configuration with the base written out (`reimpl.on_top`), and with its loss if none is named."""
    return replace(on_top.resolve(config), loss=config.loss or base_config(config).loss)


class Block(nn.Module):
    """Eqs. (1) and (2), for `labels` scores and a bottleneck of `context` components."""

    def __init__(self, labels: int, context: int, *, activation: Activation) -> None:
        super().__init__()
        self.activation = activation
        self.reduce = nn.Linear(labels, context)
        self.expand = nn.Linear(context, labels)

    def forward(self, x: Tensor) -> Tensor:
        """Scores (B, L) -> corrected scores (B, L)."""
        context = F.elu(self.reduce(_ACTIVATIONS[self.activation](x)))  # (B, R)
        # In place: a third tensor of this size would be gone at once.
        return cast(Tensor, self.expand(context)).add_(x)


class CorNet(Upon):
    """A network that gives scores (B, L), followed by blocks."""

    def __init__(self, base: nn.Module, blocks: nn.ModuleList) -> None:
        super().__init__()
        self.base, self.blocks = base, blocks

    def forward(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> scores before the sigmoid (B, L)."""
        x = cast(Tensor, self.base(token_ids))
        for block in self.blocks:
            x = block(x)
        return x


def cornet_blocks(
    labels: int,
    *,
    blocks: int,
    context: int,
    activation: Activation = "sigmoid",
    init: Init = "xavier_uniform",
) -> nn.ModuleList:
    made = nn.ModuleList(Block(labels, context, activation=activation) for _ in range(blocks))
    if init == "xavier_uniform":
        for module in made.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
    return made


def build(config: Config, *, labels: int, **sizes: Any) -> CorNet:
    """The base's network, built with these `sizes`, followed by blocks."""
    base = base_module(config).build(base_config(config), labels=labels, **sizes)
    options = {name: getattr(config, name) for name in ("blocks", "context", "activation", "init")}
    return CorNet(base, cornet_blocks(labels, **options))
