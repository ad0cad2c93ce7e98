"""Gradient clipping, all of it on the device: no step waits for a norm.

Gradients may be sparse (rows of an embedding); rows that are there twice are added up before they count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import torch
from torch import Tensor

#: Of AttentionXML's code: bound = _FACTOR times the largest of the last _KEPT norms, each at most _CAP and
#: _GROWTH times the largest before it.
_FACTOR, _KEPT, _CAP, _GROWTH = 5.0, 5, 1.0, 2.0
_EPS = 1e-6


class Clip(Protocol):
    """Scales the gradients of one step, and holds what the next step needs to know."""

    def __call__(self, parameters: Sequence[Tensor]) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class NormClip:
    """The norm of all gradients together is at most `bound`, as in `torch.nn.utils.clip_grad_norm_`."""

    def __init__(self, bound: float) -> None:
        self.bound = bound

    def __call__(self, parameters: Sequence[Tensor]) -> None:
        gradients = _gradients(parameters)
        if gradients:
            _scale(gradients, self.bound / (_norm(gradients) + _EPS))

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """There is nothing to hold."""


class QueueClip:
    """AttentionXML's rule: at most `factor` times the largest of the last five norms.

    The queue starts with one infinity, which leaves it at the fifth step: steps 1 to 5 have no bound. After
    each step min(norm before clipping, 2 x largest in the queue, 1) is put in, so that from step 6 the bound
    is at most `factor`. Five steps without any gradient put it at 0 for good; so does the public code.
    Source: yourh/AttentionXML e2bbbec, deepxml/models.py:98-105; the paper does not mention it.
    """

    def __init__(self, device: torch.device | str, factor: float = _FACTOR) -> None:
        self.factor = factor
        queue = torch.full((_KEPT,), -torch.inf, dtype=torch.float64, device=device)  # -inf: nothing there
        queue[-1] = torch.inf
        self.queue = queue

    @property
    def bound(self) -> Tensor:
        """Of the next step, as a tensor on the device."""
        return self.factor * self.queue.max()

    def __call__(self, parameters: Sequence[Tensor]) -> None:
        gradients = _gradients(parameters)
        if not gradients:
            return
        norm = _norm(gradients).double()
        _scale(gradients, self.bound / (norm + _EPS))
        capped = torch.minimum(norm, _GROWTH * self.queue.max()).clamp(max=_CAP)
        self.queue = torch.cat([self.queue[1:], capped[None]])

    def state_dict(self) -> dict[str, Any]:
        return {"queue": self.queue}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.queue = state["queue"].to(self.queue)


def clip(rule: float | Literal["you2019"] | None, device: torch.device) -> Clip | None:
    """What a protocol's `clip` names."""
    if rule is None:
        return None
    return QueueClip(device) if rule == "you2019" else NormClip(float(rule))


def _gradients(parameters: Sequence[Tensor]) -> list[Tensor]:
    """The numbers of every gradient that there is, in place."""
    for parameter in parameters:
        if parameter.grad is not None and parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
    found = (parameter.grad for parameter in parameters)
    return [it.values() if it.is_sparse else it for it in found if it is not None]


def _norm(gradients: Sequence[Tensor]) -> Tensor:
    each: Sequence[Tensor] = torch._foreach_norm(list(gradients))
    norm: Tensor = torch.linalg.vector_norm(torch.stack(list(each)))
    return norm


def _scale(gradients: Sequence[Tensor], coefficient: Tensor) -> None:
    torch._foreach_mul_(list(gradients), coefficient.clamp(max=1.0).to(gradients[0]))
