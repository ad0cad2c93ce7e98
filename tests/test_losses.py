"""Losses against values worked out by hand, loops in float64 and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from reimpl.losses import LOSSES, bce_mean, bce_sum_over_labels, loss

Pairs = list[tuple[int, int]]

#: Positives of five documents over six labels: one has none, one has all, ids come in no order.
POSITIVES: Pairs = [(3, 5), (0, 2), (0, 0), (1, 4), (4, 0), (4, 1), (4, 2), (4, 3), (4, 5), (4, 4)]


def _indices(pairs: Pairs) -> tuple[torch.Tensor, torch.Tensor]:
    table = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _naive(name: str, logits: np.ndarray, pairs: Pairs) -> float:
    """The definitions, one document and label after the other."""
    B, L = logits.shape
    total = 0.0
    for i in range(B):
        positives = [j for d, j in pairs if d == i]
        if name.startswith("bce"):
            for j in range(L):
                p = 1 / (1 + math.exp(-logits[i, j]))
                total -= math.log(p) if j in positives else math.log(1 - p)
        else:
            norm = sum(math.exp(s) for s in logits[i])
            own = -sum(math.log(math.exp(logits[i, j]) / norm) for j in positives)
            total += own / len(positives) if positives and name == "softmax_ce_normalised" else own
    return total / (B * L) if name == "bce_mean" else total / B


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("pairs", [POSITIVES, POSITIVES[:1], []], ids=["mixed", "one", "none"])
def test_a_loss_equals_its_definition_in_a_loop(name: str, pairs: Pairs) -> None:
    """Batches with documents that have no label, every label, and a batch without any label."""
    logits = np.random.default_rng(3).normal(size=(5, 6)) * 3
    ours = loss(name)(torch.from_numpy(logits), *_indices(pairs))
    assert float(ours) == pytest.approx(_naive(name, logits, pairs), rel=1e-12, abs=1e-12)


def test_the_gradient_of_bce_is_sigmoid_minus_label() -> None:
    """Divided by the documents, or by documents and labels; the scores themselves stay as they are."""
    logits = torch.tensor([[0.0, math.log(3)], [-math.log(3), 0.0]], dtype=torch.float64, requires_grad=True)
    before = logits.detach().clone()
    bce_sum_over_labels(logits, *_indices([(0, 1)])).backward()
    torch.testing.assert_close(logits.grad, torch.tensor([[0.5, -0.25], [0.25, 0.5]]).double() / 2)
    logits.grad = None
    bce_mean(logits, *_indices([(0, 1)])).backward()
    torch.testing.assert_close(logits.grad, torch.tensor([[0.5, -0.25], [0.25, 0.5]]).double() / 4)
    assert torch.equal(logits.detach(), before)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("scale", [30.0, 1e4, 1e30])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_scores_keep_the_loss_finite(name: str, scale: float, dtype: torch.dtype) -> None:
    """Confident and right or confident and mistaken: no log of 0, no infinity over infinity."""
    logits = torch.tensor([[scale, -scale], [-scale, scale]], dtype=dtype, requires_grad=True)
    value = loss(name)(logits, *_indices([(0, 0), (1, 0)]))
    value.backward()
    assert torch.isfinite(value)
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
