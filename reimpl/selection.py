"""Which weights are reported: the best of several evaluations, and when it is time to stop.

A number that equals the best so far is no improvement.
"""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor, nn


class Best:
    """The best evaluation so far, and a copy of its weights."""

    def __init__(self, *, above: float = -math.inf, patience: int | None = None, keep_from: int = 0) -> None:
        """`above`: what the first one must beat. patience: evaluations in a row without a gain that end it.

        keep_from: epochs that must be over before weights are kept. A better evaluation before that counts as
        the best all the same, and its weights are lost: XunGuangxu/CorNet, deepxml/models.py:209, saves from
        the epoch after three times the start of the averaging, and only what beats all before.
        """
        self.patience, self.keep_from = patience or math.inf, keep_from
        self.score, self.since = above, 0
        self.weights: dict[str, Tensor] | None = None

    def offer(self, score: float, network: nn.Module, epoch: int) -> bool:
        """An evaluation in `epoch` (from 0) of the weights that the network has; True for the best so far."""
        self.since += 1
        if not score > self.score:
            return False
        self.score, self.since = score, 0
        if epoch >= self.keep_from:
            self.weights = trained(network)
        return True

    @property
    def exhausted(self) -> bool:
        """Whether patience is at its end."""
        return self.since >= self.patience

    def restore(self, network: nn.Module) -> bool:
        """Give the network the weights of the best evaluation; False where none were kept."""
        if self.weights is None:
            return False
        network.load_state_dict(self.weights, strict=False)
        return True

    def state_dict(self) -> dict[str, Any]:
        return {"score": self.score, "since": self.since, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.score, self.since, self.weights = state["score"], state["since"], state["weights"]


def trained(network: nn.Module) -> dict[str, Tensor]:
    """A copy of all that training changes: no frozen word vectors."""
    frozen = {name for name, it in network.named_parameters() if not it.requires_grad}
    state = network.state_dict().items()
    return {name: value.detach().clone() for name, value in state if name not in frozen}
