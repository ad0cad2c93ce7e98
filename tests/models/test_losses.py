"""Losses against values worked out by hand, loops in float64, finite differences and the public code."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from reimpl.losses import LOSSES, exponential_loss, loss, ranking_loss

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


REFERENCE = Path(__file__).parents[1] / "reference"
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


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["prefix"])
def test_the_loss_of_c2ae_is_that_of_the_authors_program_and_of_a_double_loop(case: dict[str, Any]) -> None:
    """Stored values have c = 5 and are means over documents; the loop, with c = 1, has no factors."""
    stored = {name: ARRAYS[case["prefix"] + name] for name in ("scores", "truth")}
    scores, rows, cols = tensors(**stored)
    mean = exponential_loss(scores, rows, cols, scale=5.0).mean().item()
    assert mean == pytest.approx(case["c2ae_matlab_value"], rel=1e-10)
    each, means = [], []
    for s, y in zip(stored["scores"], stored["truth"] > 0, strict=True):
        P, N, there = s[y], s[~y], bool(y.any() and not y.all())
        each.append(sum(np.exp(n - p) for p in P for n in N) / (len(P) * len(N)) if there else 0.0)
        means.append(np.exp(N.mean() - P.mean()) * len(N) / len(P) if there else 0.0)
    assert exponential_loss(scores, rows, cols, scale=1.0).tolist() == pytest.approx(each)
    of_means = exponential_loss(scores, rows, cols, scale=1.0, pairs="means")
    assert of_means.tolist() == pytest.approx(means)
    (grad,) = torch.autograd.grad(exponential_loss(scores, rows, cols, scale=1.0).sum(), scores)
    assert torch.isfinite(grad).all()


def test_ties_share_the_gradient_and_keep_the_value() -> None:
    case = STORED["tie_case_value_only"]
    scores, rows, cols = tensors(case["scores"], case["truth"])
    loss = ranking_loss(scores, rows, cols, margin=case["m"])
    assert [float(part.detach()) for part in loss] == pytest.approx([case["LP"], case["LN"]])
    (grad,) = torch.autograd.grad(loss.positive.sum(), scores, retain_graph=True)
    assert grad[0].tolist() == [-1.5, -1.5, 1, 1, 1]  # three open negatives, two lowest positives
    (grad,) = torch.autograd.grad(loss.negative.sum(), scores)
    assert grad[0].tolist() == [-1, -1, 1, 1, 0]  # two open positives, two highest negatives


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
