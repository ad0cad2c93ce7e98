"""Weights that are averaged, and weights that are kept, while a network is trained.

The mean of the weights at several times, as AttentionXML's code has it: Izmailov, Podoprikhin, Garipov,
Vetrov, Wilson (2018), Averaging Weights Leads to Wider Optima and Better Generalization, UAI;
yourh/AttentionXML e2bbbec, deepxml/models.py:107-121. It starts with the weights at the start of an epoch,
which count as the first of them, and takes in the live weights at every evaluation. Evaluation and keeping
see the mean; training goes on with the live weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """The equal mean of all weights that were added. Batch-norm statistics and frozen weights stay out."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        """Empty until `start`."""
        self.parameters = [parameter for parameter in parameters if parameter.requires_grad]
        self.means: list[Tensor] | None = None
        self.models = 0

    @torch.no_grad()
    def start(self) -> None:
        """Take a copy of the weights as they are now, as the first of the mean."""
        self.means, self.models = [parameter.detach().clone() for parameter in self.parameters], 1

    @torch.no_grad()
    def add(self) -> None:
        """Take in the weights as they are now; nothing before `start`."""
        if self.means is not None:
            self.models += 1
            torch._foreach_lerp_(self.means, self.parameters, 1.0 / self.models)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network has the mean for a block, and the live weights again after it."""
        self.swap()
        try:
            yield
        finally:
            self.swap()

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange mean and live weights, if there is a mean of any.

        In values and not by reference, one after another: what torch has of the weights in one piece (an LSTM
        on a GPU) stays so, and no second copy of all of them is made.
        """
        if self.means is None or self.models <= 1:  # none but those it started with
            return
        for live, mean in zip(self.parameters, self.means, strict=True):
            kept = live.detach().clone()
            live.copy_(mean)
            mean.copy_(kept)


class Best:
    """The best evaluation so far, and a copy of its weights; a number that equals it is no improvement."""

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
            # all that training changes: no frozen word vectors
            frozen = {name for name, weight in network.named_parameters() if not weight.requires_grad}
            state = network.state_dict().items()
            self.weights = {name: value.detach().clone() for name, value in state if name not in frozen}
        return True

    @property
    def exhausted(self) -> bool:
        """Whether patience is at its end."""
        return self.since >= self.patience

    def restore(self, network: nn.Module) -> bool:
        """Give the network the weights of the best evaluation; False where none were kept."""
        if self.weights is not None:
            network.load_state_dict(self.weights, strict=False)
        return self.weights is not None
