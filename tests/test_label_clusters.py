"""Label clusters against a dense computation; their options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from reimpl import label_clusters
from reimpl.label_clusters import ClusterOptions, LabelClusters

Patch = pytest.MonkeyPatch


# ------------------------------------------------------------------------------------------------- the layer


def dense(layer: LabelClusters, x: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """The code's loss from all probabilities at once, by autograd."""
    y = truth[:, layer.order]
    assert layer.head is not None and layer.roots is not None
    units = layer.roots(x)
    sums = nn.functional.binary_cross_entropy_with_logits(
        layer.head(x), y[:, : layer.sizes[0]], reduction="none"
    ).sum(1)
    counts = torch.full((len(x),), float(layer.sizes[0]))
    for i, tail in enumerate(layer.tails):
        mine = y[:, layer.starts[i + 1] : layer.starts[i + 2]]
        p = torch.sigmoid(units[:, i : i + 1]) * torch.sigmoid(tail.expand(tail.reduced(x)))  # type: ignore[operator]
        inside = nn.functional.binary_cross_entropy(p, mine, reduction="none").sum(1)
        visits = mine.any(1)
        sums = sums + torch.where(visits, inside, nn.functional.softplus(units[:, i]))
        counts = counts + torch.where(visits, mine.shape[1], 1)
    return (sums / counts).mean()


def _random(seed: int = 3) -> tuple[LabelClusters, torch.Tensor, torch.Tensor]:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed).permutation(211)
    layer = LabelClusters(ClusterOptions(clusters=3), features=24, order=order)
    for p in layer.parameters():
        p.data = torch.randn_like(p) * 0.3
    return layer, torch.randn(17, 24, requires_grad=True), (torch.rand(17, 211) < 0.01).float()


@pytest.mark.parametrize("block", [1 << 18, 300])
def test_blocks_give_the_loss_and_gradients_of_all_scores_at_once(block: int, monkeypatch: Patch) -> None:
    """Also where a block holds a few labels only, and documents of a batch visit different tails."""
    monkeypatch.setattr(label_clusters, "BLOCK", block)
    layer, x, truth = _random()
    tensors = [x, *layer.parameters()]
    ours = layer.loss(x, *truth.nonzero(as_tuple=True))
    theirs = dense(layer, x, truth)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    for mine, other in zip(
        torch.autograd.grad(ours, tensors), torch.autograd.grad(theirs, tensors), strict=True
    ):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("k", [1, 30, 211])
@pytest.mark.parametrize("block", [1 << 18, 300])
def test_the_best_labels_are_those_of_all_probabilities(block: int, k: int, monkeypatch: Patch) -> None:
    monkeypatch.setattr(label_clusters, "BLOCK", block)
    layer, x, _ = _random()
    with torch.no_grad():
        values, ids = layer.best(x, k)
        expected = layer.probabilities(x).topk(k)
    assert torch.equal(ids, expected.indices)
    torch.testing.assert_close(values, expected.values)


def test_memory_is_that_of_a_block() -> None:
    """No tensor with an entry for each document and label of a cluster is made."""
    from torch.utils._python_dispatch import TorchDispatchMode

    largest = 0

    class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal largest
            out = func(*args, **(kwargs or {}))
            if isinstance(out, torch.Tensor) and out.is_floating_point():
                largest = max(largest, out.numel())
            return out

    options = ClusterOptions(clusters=2)
    layer = LabelClusters(options, features=4, order=np.arange(40_000))
    x = torch.randn(64, 4, requires_grad=True)
    rows, cols = torch.arange(64), torch.randint(0, 40_000, (64,))
    with Watch():  # type: ignore[no-untyped-call]
        layer.loss(x, rows, cols).backward()  # type: ignore[no-untyped-call]
        with torch.no_grad():
            layer.best(x, 5)
    assert largest <= label_clusters.BLOCK < 64 * 20_000


# ----------------------------------------------------------------------------------------------- the options
