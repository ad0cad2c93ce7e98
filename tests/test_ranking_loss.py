"""Rank-AE's ranking loss: values and gradients of the paper's double loop and of the third-party code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from reimpl.losses import ranking_loss

REFERENCE = Path(__file__).parent / "reference"
STORED = json.loads((REFERENCE / "09_ranking_losses.json").read_text())
ARRAYS = np.load(REFERENCE / "09_ranking_losses.npz")


def by_double_loop(scores: Any, truth: Any, m: float) -> tuple[list[float], list[float]]:
    """Eq. (3) and (4) as they are written; a document without positives or without negatives adds 0."""
    LP, LN = [], []
    for s, y in zip(scores, truth, strict=True):
        P, N = [p for p in range(len(y)) if y[p]], [n for n in range(len(y)) if not y[n]]
        LP.append(sum(max(max(m + s[n] - s[p], 0) for p in P) for n in N) if P and N else 0.0)
        LN.append(sum(max(max(m + s[n] - s[p], 0) for n in N) for p in P) if P and N else 0.0)
    return LP, LN


def tensors(scores: Any, truth: Any) -> tuple[Tensor, Tensor, Tensor]:
    rows, cols = torch.tensor(np.asarray(truth)).nonzero(as_tuple=True)
    return torch.tensor(np.asarray(scores), dtype=torch.float64, requires_grad=True), rows, cols


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["prefix"])
def test_values_and_gradients_of_both_parts_are_the_stored_ones(case: dict[str, Any]) -> None:
    stored = {name: ARRAYS[case["prefix"] + name] for name in ("scores", "truth")}
    scores, rows, cols = tensors(**stored)
    for number, name in enumerate(("LP", "LN")):
        part = ranking_loss(scores, rows, cols, margin=case["m"])[number]
        (grad,) = torch.autograd.grad(part.sum(), scores)
        assert part.detach().numpy() == pytest.approx(ARRAYS[f"{case['prefix']}{name}_per_row"], abs=1e-12)
        assert np.allclose(grad.numpy(), ARRAYS[f"{case['prefix']}{name}_grad_of_sum"], atol=1e-12, rtol=0)


def test_ties_share_the_gradient_and_keep_the_value() -> None:
    case = STORED["tie_case_value_only"]
    scores, rows, cols = tensors(case["scores"], case["truth"])
    loss = ranking_loss(scores, rows, cols, margin=case["m"])
    assert [float(part.detach()) for part in loss] == pytest.approx([case["LP"], case["LN"]])
    (grad,) = torch.autograd.grad(loss.positive.sum(), scores, retain_graph=True)
    assert grad[0].tolist() == [-1.5, -1.5, 1, 1, 1]  # three open negatives, two lowest positives
    (grad,) = torch.autograd.grad(loss.negative.sum(), scores)
    assert grad[0].tolist() == [-1, -1, 1, 1, 0]  # two open positives, two highest negatives


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0]], ids=["all", "none"])
@pytest.mark.parametrize("over", ["sum", "mean"])
def test_documents_of_all_or_no_labels_add_nothing(truth: list[int], over: Any) -> None:
    """The third-party code ends with an error where all labels are positive."""
    scores, rows, cols = tensors([[0.3, -0.2, 0.9], [0.1, 0.2, 0.3]], [truth, [1, 0, 0]])
    loss = ranking_loss(scores, rows, cols, margin=1.0, over=over)
    assert float(loss.positive[0].detach()) == float(loss.negative[0].detach()) == 0
    assert float(loss.positive[1].detach()) > 0
    (grad,) = torch.autograd.grad(loss.positive.sum() + loss.negative.sum(), scores)
    assert grad[0].tolist() == [0, 0, 0] and grad.isfinite().all()


@given(st.data())
@settings(max_examples=60)
def test_it_is_the_double_loop(data: st.DataObject) -> None:
    B, L = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    score = st.floats(-3, 3, width=16)  # coarse, so that ties come up
    scores = [data.draw(st.lists(score, min_size=L, max_size=L)) for _ in range(B)]
    truth = [data.draw(st.lists(st.integers(0, 1), min_size=L, max_size=L)) for _ in range(B)]
    m = data.draw(st.floats(0, 2))
    loss = ranking_loss(*tensors(scores, truth), margin=m)
    expected = by_double_loop(scores, truth, m)
    assert loss.positive.tolist() == pytest.approx(expected[0], abs=1e-9)
    assert loss.negative.tolist() == pytest.approx(expected[1], abs=1e-9)
