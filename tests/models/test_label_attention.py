"""Attention of labels in chunks against the plain form: scores, gradients, and what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor

from reimpl import layers
from reimpl.layers import attend, label_scores

Patch = pytest.MonkeyPatch
B, T, D, L = 3, 7, 5, 11
LENGTHS = [2, 1, 7]  # sorted by length this is no swap: its inverse is another order


@pytest.fixture(params=[1, 150, 10**9], ids=["one by one", "some", "all at once"])
def _chunks(request: pytest.FixtureRequest, monkeypatch: Patch) -> None:
    monkeypatch.setattr(layers, "CHUNK", {"cpu": request.param, "other": request.param})


@pytest.fixture(params=[0, 10**9], ids=["by length", "whole batch"])
def _groups(request: pytest.FixtureRequest, monkeypatch: Patch) -> None:
    monkeypatch.setattr(layers, "SAVING", request.param)


def inputs(dtype: torch.dtype = torch.float64, rows: int = L, sizes: tuple[int, ...] = (6, 4)) -> Any:
    """States, words, queries and shared layers, all random; states stand at padding too."""
    rng = np.random.default_rng(len(sizes))

    def draw(*shape: int) -> Tensor:
        return torch.from_numpy(rng.normal(size=shape)).to(dtype).requires_grad_()

    words = torch.arange(T) < torch.tensor(LENGTHS)[:, None]
    widths = [D, *sizes, 1]
    layers = [(draw(b, a), draw(b)) for a, b in pairwise(widths)]
    return draw(B, T, D), words, draw(rows, D), layers


def shared_layers(x: Tensor, layers: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    """(..., D) -> (...): linear layers with ReLU between them, the last with a single output."""
    for weight, bias in layers[:-1]:
        x = F.relu(F.linear(x, weight, bias))
    return F.linear(x, *layers[-1]).squeeze(-1)


def gradients(scores: Tensor, *of: Tensor) -> list[Tensor]:
    slope = torch.from_numpy(np.random.default_rng(4).normal(size=tuple(scores.shape))).to(scores)
    return list(torch.autograd.grad((scores * slope).sum(), of))


@pytest.mark.usefixtures("_chunks", "_groups")
@pytest.mark.parametrize("sizes", [(6, 4), (6,), ()])
@pytest.mark.parametrize("masked", [True, False])
def test_scores_and_gradients_are_those_of_the_plain_form(sizes: tuple[int, ...], masked: bool) -> None:
    """For two, one and no hidden layer, with and without a mask, in chunks of any size."""
    states, words, queries, layers = inputs(sizes=sizes)
    mask = words if masked else None
    flat = [it for layer in layers for it in layer]
    ours = label_scores(states, mask, queries, layers)
    plain = shared_layers(attend(states, mask, queries), layers)
    torch.testing.assert_close(ours, plain, rtol=0, atol=1e-12)
    both = (gradients(it, states, queries, *flat) for it in (ours, plain))
    for mine, theirs in zip(*both, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("_chunks", "_groups")
@pytest.mark.parametrize("sparse", [True, False])
def test_candidates_are_rows_of_the_table_each_time_they_stand_there(sparse: bool) -> None:
    """A label that a document has twice has two scores, and its row the gradients of both."""
    states, words, queries, layers = inputs()
    chosen = torch.tensor([[3, 0, 3, 10], [10, 2, 3, 4], [6, 6, 6, 6]])
    ours = label_scores(states, words, queries, layers, candidates=chosen, sparse=sparse)
    plain = shared_layers(attend(states, words, queries[chosen]), layers)
    torch.testing.assert_close(ours, plain, rtol=0, atol=1e-12)
    (mine, of_states), (theirs, expected) = (gradients(it, queries, states) for it in (ours, plain))
    torch.testing.assert_close(of_states, expected, rtol=0, atol=1e-12)
    assert mine.is_sparse == sparse
    torch.testing.assert_close(mine.to_dense() if sparse else mine, theirs, rtol=0, atol=1e-12)


def test_in_bfloat16_the_sparse_gradient_is_of_the_type_of_the_queries() -> None:
    """Which an optimiser of theirs takes; apart from the plain form by the rounding of bfloat16."""
    states, words, queries, layers = inputs(torch.float32)
    chosen = torch.tensor([[3, 0, 3, 10], [10, 2, 3, 4], [6, 6, 6, 6]])
    with torch.autocast("cpu", torch.bfloat16):
        scores = label_scores(states, words, queries, layers, candidates=chosen, sparse=True)
    (mine,) = gradients(scores.float(), queries)
    (theirs,) = gradients(shared_layers(attend(states, words, queries[chosen]), layers), queries)
    assert mine.is_sparse and mine.dtype == torch.float32
    torch.testing.assert_close(mine.to_dense(), theirs, rtol=0.1, atol=0.1 * float(theirs.abs().max()))


def test_what_is_kept_for_the_backward_pass_is_the_input() -> None:
    """No tensor with a number for each document, label and position, state or unit."""
    states, words, queries, layers = inputs(rows=200)
    kept: list[int] = []

    def pack(tensor: Tensor) -> Tensor:
        kept.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda it: it):
        scores = label_scores(states, words, queries, layers)
    assert max(kept) == queries.numel() < B * len(queries) * min(T, D)
    scores.sum().backward()
