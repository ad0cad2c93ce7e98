"""Gradient clipping against stored sequences of AttentionXML's public code, and against torch's."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from reimpl.optim import NormClip, QueueClip

REFERENCE = Path(__file__).parent / "reference"
SEQUENCES: dict[str, list[dict[str, Any]]] = json.loads(
    gzip.decompress((REFERENCE / "03_training_dynamics.json.gz").read_bytes())
)["adaptive_clip"]


def weights(gradient: Any) -> Tensor:
    held = torch.as_tensor(gradient, dtype=torch.float64)
    parameter = torch.zeros(held.shape, dtype=torch.float64, requires_grad=True)
    parameter.grad = held.clone()
    return parameter


def bounds(norms: list[float]) -> list[float]:
    """The bound in force at each of these steps."""
    rule, found = QueueClip("cpu"), []
    for norm in norms:
        found.append(rule.bound.item())
        rule([weights([norm])])
    return found


def test_the_first_five_steps_have_no_bound_and_later_ones_at_most_five() -> None:
    """FACTS: the replay of the public rule, worked out by hand."""
    found = bounds([9, 9, 9, 0.3, 0.2, 9, 9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    assert found == pytest.approx([math.inf] * 5 + [5] * 7 + [0.5])


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_sequence_of_the_public_code_is_followed(name: str) -> None:
    """Bound, queue and what is left of the norm, step by step."""
    rule = QueueClip("cpu", factor=float(name.rpartition("clip")[2]))
    for step in SEQUENCES[name]:
        assert rule.bound.item() == pytest.approx(float(step["bound"]), rel=1e-12)
        parameter = weights([step["norm"] * 0.6, step["norm"] * -0.8])
        rule([parameter])
        assert parameter.grad is not None
        assert parameter.grad.norm().item() == pytest.approx(step["norm_after"], rel=1e-6, abs=1e-12)
        queue = [it for it in rule.queue.tolist() if it != -math.inf]
        assert queue == pytest.approx([float(it) for it in step["queue_after"]], rel=1e-12)


def test_the_gradients_of_the_reference_vectors_come_out() -> None:
    with np.load(REFERENCE / "attentionxml_gradient_clip.npz") as stored:
        rule = QueueClip("cpu")
        for t, gradient in enumerate(stored["input.gradients"]):
            assert rule.bound.item() == pytest.approx(stored["output.clip_bound"][t], rel=1e-6)
            # In two parameters: the norm is of all of them together.
            parts = [torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)]
            for part, piece in zip(parts, np.split(gradient, [2]), strict=True):
                part.grad = torch.from_numpy(piece.copy())
            rule(parts)
            found = np.concatenate([part.grad.numpy() for part in parts if part.grad is not None])
            expected = stored["output.clipped_gradients"][t]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * max(1, abs(expected).max()))


@pytest.mark.parametrize("bound", [0.1, 1.0, 100.0])
def test_a_bound_scales_as_torch_does(bound: float) -> None:
    ours = [weights([3.0, 4.0]), weights([[12.0]]), torch.zeros(2, requires_grad=True)]
    theirs = [weights([3.0, 4.0]), weights([[12.0]])]
    NormClip(bound)(ours)
    torch.nn.utils.clip_grad_norm_(theirs, bound)
    for mine, other in zip(ours[:2], theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-12, atol=0)
    assert ours[2].grad is None


@pytest.mark.parametrize("rule", [NormClip(1.0), QueueClip("cpu")], ids=["norm", "queue"])
def test_a_row_looked_up_twice_counts_with_its_sum(rule: Any) -> None:
    """Ids 1, 1, 2 of three components each: norm sqrt(15), and not the 3 of three separate rows."""
    table = torch.nn.Embedding(5, 3, sparse=True)
    table(torch.tensor([1, 1, 2])).sum().backward()
    rule([table.weight])
    gradient = table.weight.grad
    assert gradient is not None and gradient.is_sparse
    norm = gradient.to_dense().norm().item()
    if isinstance(rule, QueueClip):
        assert norm == pytest.approx(15**0.5)
        assert rule.queue[-1] == 1.0
    else:
        assert norm == pytest.approx(1.0, abs=1e-5)
        assert gradient.to_dense()[1].tolist() == pytest.approx([2 / 15**0.5] * 3, rel=1e-5)
