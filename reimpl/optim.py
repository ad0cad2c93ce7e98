"""Optimisers of the audited code, gradient clipping, and weight averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from reimpl.errors import ConfigError


class LasagneAdam(torch.optim.Adam):
    """Adam with the epsilon of Lasagne: x -= lr sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps): torch adds
    eps after correcting v for its start at zero, Lasagne before, 31.6 times as much at step 1. Source:
    Lasagne/Lasagne 5d3c63c, lasagne/updates.py."""

    def __init__(self, params: Iterable[Tensor], **options: Any) -> None:
        super().__init__(params, **options)
        for group in self.param_groups:
            group["lasagne_eps"] = group["eps"]
            group["steps"] = 0

    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            group["steps"] += 1
            group["eps"] = group["lasagne_eps"] / (1 - group["betas"][1] ** group["steps"]) ** 0.5
        super().step()


class DenseSparseAdam(LasagneAdam):
    """AttentionXML's optimiser: Lasagne's step, and of a sparse gradient only the rows that are in it. A row
    without gradient keeps its value and its moments, but the count t of updates is that of the tensor. A row
    that is in the gradient counts as seen even where it is zero; one that is in it several times is added up
    first. `weight_decay` is taken off the updated weights: x -= lr * weight_decay * x. Source:
    yourh/AttentionXML e2bbbec, deepxml/optimizers.py."""

    def __init__(self, params: Iterable[Tensor], *, weight_decay: float = 0.0, **options: Any) -> None:
        super().__init__(params, **options)
        for group in self.param_groups:
            group["decay"] = weight_decay

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        held = [(group, p) for group in self.param_groups for p in group["params"] if p.grad is not None]
        lazy = [(group, p, p.grad) for group, p in held if p.grad.is_sparse]
        for _, p, _ in lazy:
            p.grad = None  # torch's Adam takes the others
        super().step()
        for group, p in held:
            if group["decay"] and p.grad is not None:
                p.mul_(1 - group["lr"] * group["decay"])
        for group, p, gradient in lazy:
            p.grad = gradient
            self._update_rows(group, p, gradient.coalesce())

    def _update_rows(self, group: dict[str, Any], p: Tensor, gradient: Tensor) -> None:
        state, rows, g = self.state[p], gradient.indices()[0], gradient.values()
        if not state:
            # torch's Adam looks for a `step` when it is loaded, and may move it to the device.
            state |= {"updates": 0, "step": torch.tensor(0.0)}
            state |= {"exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}
        state["updates"] += 1
        b1, b2 = group["betas"]
        m = state["exp_avg"].index_select(0, rows).lerp_(g, 1 - b1)
        v = state["exp_avg_sq"].index_select(0, rows).mul_(b2).addcmul_(g, g, value=1 - b2)
        state["exp_avg"].index_copy_(0, rows, m)
        state["exp_avg_sq"].index_copy_(0, rows, v)
        rate = group["lr"] * (1 - b2 ** state["updates"]) ** 0.5 / (1 - b1 ** state["updates"])
        new = p.index_select(0, rows).addcdiv_(m, v.sqrt_().add_(group["lasagne_eps"]), value=-rate)
        p.index_copy_(0, rows, new.mul_(1 - group["lr"] * group["decay"]) if group["decay"] else new)


def with_sparse_gradients(network: nn.Module) -> nn.Module:
    """The network with sparse gradients of embeddings (only the rows that were looked up), unless it has
    `dense_embeddings`, as the public BertXML has."""
    if not getattr(network, "dense_embeddings", False):
        for module in network.modules():
            if isinstance(module, nn.Embedding):
                module.sparse = True
    return network


def rate_groups(network: nn.Module, rates: Mapping[str, float] | None) -> list[Any]:
    """The parameters, with rates for the parts that the network's `parts()` names. Raises `ConfigError`."""
    if not rates:
        return list(network.parameters())
    parts: Mapping[str, nn.Module] = network.parts() if hasattr(network, "parts") else {}  # type: ignore[operator]
    unknown = sorted(rates.keys() - parts.keys())
    if unknown:
        known = f"has the parts {', '.join(parts)}" if parts else "names no parts"
        raise ConfigError(f"part_rates: there is no part {unknown[0]!r}; this network {known}")
    groups: list[dict[str, Any]] = [
        {"params": list(parts[name].parameters()), "lr": rate} for name, rate in rates.items()
    ]
    taken = {id(p) for group in groups for p in group["params"]}
    rest = [p for p in network.parameters() if id(p) not in taken]
    return [*groups, {"params": rest}] if rest else groups


class Adadelta(torch.optim.Adadelta):
    """Adadelta with the constants of Zeiler (2012), which Kim (2014) uses; torch has no fused one."""

    def __init__(self, params: Iterable[Tensor], *, fused: bool = False, **options: Any) -> None:
        super().__init__(params, rho=0.95, eps=1e-6, **options)


OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adadelta": Adadelta,
    "adam": torch.optim.Adam,
    "lasagne_adam": LasagneAdam,
    "dense_sparse_adam": DenseSparseAdam,
}


# ------------------------------------------------------------------------------------------------- clipping
# All of it on the device: no step waits for a norm. Gradients may be sparse (rows of an embedding); rows that
# are there twice are added up before they count.

#: Of AttentionXML's code: bound = _FACTOR times the largest of the last _KEPT norms, each at most _CAP and
#: _GROWTH times the largest before it.
_FACTOR, _KEPT, _CAP, _GROWTH = 5.0, 5, 1.0, 2.0
_EPS = 1e-6


class NormClip:
    """Clips the norm of all gradients together to `bound`, as `torch.nn.utils.clip_grad_norm_` does."""

    def __init__(self, bound: float | Tensor) -> None:
        self.bound = bound

    def __call__(self, parameters: Sequence[Tensor]) -> None:
        for parameter in parameters:
            if parameter.grad is not None and parameter.grad.is_sparse:
                parameter.grad = parameter.grad.coalesce()
        grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
        gradients = [grad.values() if grad.is_sparse else grad for grad in grads]
        if gradients:
            norm: Tensor = torch.linalg.vector_norm(torch.stack(list(torch._foreach_norm(gradients))))
            bound, norm = self._next(norm)
            torch._foreach_mul_(gradients, (bound / (norm + _EPS)).clamp(max=1.0).to(gradients[0]))

    def _next(self, norm: Tensor) -> tuple[float | Tensor, Tensor]:
        return self.bound, norm


class QueueClip(NormClip):
    """AttentionXML's rule: at most `factor` times the largest of the last five norms. The queue starts with
    one infinity: steps 1 to 5 have no bound. After each step min(norm before clipping, 2 x largest in the
    queue, 1) is put in, so that from step 6 the bound is at most `factor`; five steps without any gradient
    put it at 0 for good, as in the public code (yourh/AttentionXML e2bbbec, deepxml/models.py:98-105)."""

    def __init__(self, device: torch.device | str, factor: float = _FACTOR) -> None:
        self.factor = factor
        queue = torch.full((_KEPT,), -torch.inf, dtype=torch.float64, device=device)  # -inf: nothing there
        queue[-1] = torch.inf
        self.queue = queue

    @property
    def bound(self) -> Tensor:  # type: ignore[override]
        """The bound of the next step, as a tensor on the device."""
        return self.factor * self.queue.max()

    def _next(self, norm: Tensor) -> tuple[Tensor, Tensor]:
        norm, bound = norm.double(), self.bound
        capped = torch.minimum(norm, _GROWTH * self.queue.max()).clamp(max=_CAP)
        self.queue = torch.cat([self.queue[1:], capped[None]])
        return bound, norm


# ---------------------------------------------------------------------------------- averaged and best weights
# Both are copies on the host, which has more memory than a GPU: they are needed at evaluations only.


def on_host(weights: Tensor) -> Tensor:
    return weights.detach().to("cpu", copy=True)


class Average:
    """The equal mean of all weights that were added; batch-norm statistics and frozen weights stay out. As
    yourh/AttentionXML e2bbbec, deepxml/models.py:107-121, after Izmailov et al. (2018), UAI: it starts with
    the weights at the start of an epoch, and takes in the live weights at every evaluation. Evaluation and
    keeping see the mean; training goes on with the live weights."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        """Empty until `start`."""
        self.parameters = [parameter for parameter in parameters if parameter.requires_grad]
        self.means: list[Tensor] | None = None
        self.models = 0

    @torch.no_grad()
    def start(self) -> None:
        self.means, self.models = [on_host(parameter) for parameter in self.parameters], 1

    @torch.no_grad()
    def add(self) -> None:
        """Add the current weights; nothing before `start`."""
        if self.means is not None:
            self.models += 1
            for live, mean in zip(self.parameters, self.means, strict=True):
                mean.copy_(mean.to(live.device).lerp_(live, 1.0 / self.models))

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange mean and live weights, if there is a mean of any: in values, one after another, so that
        what torch has of the weights in one piece (an LSTM on a GPU) stays so."""
        if self.means is None or self.models <= 1:  # none but those it started with
            return
        for live, mean in zip(self.parameters, self.means, strict=True):
            kept = on_host(live)
            live.copy_(mean)
            mean.copy_(kept)


class Best:
    """The best evaluation so far, and a copy of its weights; an equal number is no improvement."""

    def __init__(self, *, above: float = -math.inf, patience: int | None = None, keep_from: int = 0) -> None:
        """above: what the first one must exceed. patience: evaluations without a gain that end it. keep_from:
        epochs before weights are kept; better ones are lost (CorNet, deepxml/models.py:209)."""
        self.patience, self.keep_from = patience or math.inf, keep_from
        self.score, self.since = above, 0
        self.weights: dict[str, Tensor] | None = None

    def offer(self, score: float, network: nn.Module, epoch: int) -> bool:
        """Report an evaluation in `epoch` (from 0) of the current weights; True for the best so far."""
        self.since += 1
        if not score > self.score:
            return False
        self.score, self.since = score, 0
        if epoch >= self.keep_from:
            # all that training changes: no frozen word vectors
            frozen = {name for name, weight in network.named_parameters() if not weight.requires_grad}
            state = network.state_dict().items()
            self.weights = {name: on_host(value) for name, value in state if name not in frozen}
        return True

    @property
    def exhausted(self) -> bool:
        return self.since >= self.patience

    def restore(self, network: nn.Module) -> bool:
        """Give the network the weights of the best evaluation; False if none were kept."""
        if self.weights is not None:
            network.load_state_dict(self.weights, strict=False)
        return self.weights is not None
