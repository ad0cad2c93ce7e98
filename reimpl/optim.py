"""Optimisers as the audited code has them, where they differ from torch's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


class LasagneAdam(torch.optim.Adam):
    """Adam with the epsilon of Lasagne: x -= lr sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps).

    torch adds eps after correcting v for its start at zero, Lasagne before; the two agree when torch's eps
    is divided by sqrt(1 - b2^t), 31.6 times larger at step 1. Source: Lasagne/Lasagne 5d3c63c,
    lasagne/updates.py.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        **options: Any,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, **options)
        for group in self.param_groups:
            group["lasagne_eps"] = eps
            group["steps"] = 0

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One update; see `torch.optim.Adam.step`."""
        for group in self.param_groups:
            group["steps"] += 1
            group["eps"] = group["lasagne_eps"] / (1 - group["betas"][1] ** group["steps"]) ** 0.5
        loss: float | None = super().step(closure)
        return loss


OPTIMISERS: dict[str, type[torch.optim.Adam]] = {"adam": torch.optim.Adam, "lasagne_adam": LasagneAdam}
