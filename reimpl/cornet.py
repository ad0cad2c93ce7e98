"""CorNet: blocks that correct the scores of all labels by each other, put on top of any network.

Paper
    Xun, Jha, Sun, Zhang (2020), Correlation Networks for Extreme Multi-label Text Classification, KDD.
Public code
    XunGuangxu/CorNet ecc0996, deepxml/cornet.py.

Shapes: B documents, T token positions, L labels, R components of the bottleneck (the paper's R, the code's
`context_size`).

Eqs. (1) and (2): y = x + W2 ELU(W1 sigmoid(x) + b1) + b2 for raw scores x (B, L), any number of times, each
block on what the one before gave. The residual adds the raw scores, not their sigmoid. The loss sees the last
scores only.

The base is any model here or of another package that has `build`: a claim file names it, its variant and the
keys that differ, and the two are trained together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

Activation = Literal["sigmoid", "elu", "relu", "tanh"]

_ACTIVATIONS: Mapping[str, nn.Module] = {
    "sigmoid": nn.Sigmoid(),
    "elu": nn.ELU(),
    "relu": nn.ReLU(),
    "tanh": nn.Tanh(),
}


class Block(nn.Module):
    """Eqs. (1) and (2), for `labels` scores and a bottleneck of `context` components.

    Of tensors with an entry for each document and label, training keeps one a block for the backward pass:
    the activated scores.
    """

    def __init__(self, labels: int, context: int, *, activation: Activation = "sigmoid") -> None:
        super().__init__()
        self.activation = activation
        self.reduce = nn.Linear(labels, context)
        self.expand = nn.Linear(context, labels)

    def forward(self, x: Tensor) -> Tensor:
        """Scores (B, L) -> corrected scores (B, L)."""
        context = F.elu(self.reduce(_ACTIVATIONS[self.activation](x)))  # (B, R)
        # In place: a third tensor of this size would be gone at once.
        return cast(Tensor, self.expand(context)).add_(x)


class CorNet(nn.Module):
    """A network that gives scores (B, L), and blocks upon it."""

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
    labels: int, *, blocks: int = 2, context: int = 1000, activation: Activation = "sigmoid"
) -> nn.ModuleList:
    """Blocks with the public code's initial weights: Xavier's, and biases as torch draws them."""
    made = nn.ModuleList(Block(labels, context, activation=activation) for _ in range(blocks))
    for module in made.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
    return made
