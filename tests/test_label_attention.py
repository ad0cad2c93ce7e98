"""Attention of labels in chunks against the plain form: scores, gradients, and what is kept."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from reimpl import label_attention
from reimpl.label_attention import attend, label_scores, shared_layers

Patch = pytest.MonkeyPatch
B, T, D, L = 3, 7, 5, 11
LENGTHS = [2, 1, 7]  # sorted by length this is no swap: its inverse is another order


@pytest.fixture(params=[1, 150, 10**9], ids=["one by one", "some", "all at once"])
def _chunks(request: pytest.FixtureRequest, monkeypatch: Patch) -> None:
    monkeypatch.setattr(label_attention, "CHUNK", {"cpu": request.param, "other": request.param})


@pytest.fixture(params=[0, 10**9], ids=["by length", "whole batch"])
def _groups(request: pytest.FixtureRequest, monkeypatch: Patch) -> None:
    monkeypatch.setattr(label_attention, "SAVING", request.param)


def inputs(dtype: torch.dtype = torch.float64, rows: int = L, sizes: tuple[int, ...] = (6, 4)) -> Any:
    """States, words, queries and shared layers, all random; states stand at padding too."""
    rng = np.random.default_rng(len(sizes))

    def draw(*shape: int) -> Tensor:
        return torch.from_numpy(rng.normal(size=shape)).to(dtype).requires_grad_()

    words = torch.arange(T) < torch.tensor(LENGTHS)[:, None]
    widths = [D, *sizes, 1]
    layers = [(draw(b, a), draw(b)) for a, b in pairwise(widths)]
    return draw(B, T, D), words, draw(rows, D), layers


def by_loops(states: Tensor, words: Tensor, queries: Tensor, layers: Any) -> list[list[float]]:
    """One document and label after the other."""
    out = []
    for document, mask in zip(states, words, strict=True):
        seen = document[mask].detach().numpy()
        row = []
        for query in queries.detach().numpy():
            powers = np.exp(seen @ query)
            x = powers / powers.sum() @ seen
            for weight, bias in layers[:-1]:
                x = np.maximum(weight.detach().numpy() @ x + bias.detach().numpy(), 0)
            weight, bias = (it.detach().numpy() for it in layers[-1])
            row.append(float((weight @ x + bias)[0]))
        out.append(row)
    return out


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
    np.testing.assert_allclose(
        ours.detach(),
        by_loops(states, words if masked else words | True, queries, layers),
        rtol=0,
        atol=1e-12,
    )
    both = (gradients(it, states, queries, *flat) for it in (ours, plain))
    for mine, theirs in zip(*both, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("_groups")
def test_a_place_that_is_no_word_may_stand_between_words() -> None:
    """What counts is where the last word stands, not how many there are."""
    states, _, queries, layers = inputs()
    words = torch.tensor([[0, 1, 0, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]).bool()
    ours = label_scores(states, words, queries, layers)
    np.testing.assert_allclose(ours.detach(), by_loops(states, words, queries, layers), rtol=0, atol=1e-12)
    plain = shared_layers(attend(states, words, queries), layers)
    for mine, theirs in zip(*(gradients(it, states, queries) for it in (ours, plain)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("_chunks", "_groups")
@pytest.mark.parametrize("sparse", [True, False])
def test_candidates_are_rows_of_the_table_each_time_they_stand_there(sparse: bool) -> None:
    """A label that a document has twice has two scores, and its row the gradients of both."""
    states, words, queries, layers = inputs()
    chosen = torch.tensor([[3, 0, 3, 10], [10, 2, 3, 4], [6, 6, 6, 6]])
    ours = label_scores(states, words, queries, layers, candidates=chosen, sparse=sparse)
    plain = shared_layers(attend(states, words, queries[chosen]), layers)
    whole = torch.tensor(by_loops(states, words, queries, layers), dtype=torch.float64)
    torch.testing.assert_close(ours.detach(), whole.gather(1, chosen), rtol=0, atol=1e-12)
    (mine, of_states), (theirs, expected) = (gradients(it, queries, states) for it in (ours, plain))
    torch.testing.assert_close(of_states, expected, rtol=0, atol=1e-12)
    assert mine.is_sparse == sparse
    torch.testing.assert_close(mine.to_dense() if sparse else mine, theirs, rtol=0, atol=1e-12)


def test_a_sparse_gradient_has_the_rows_of_the_candidates_once_each() -> None:
    states, words, queries, layers = inputs()
    chosen = torch.tensor([[3, 0, 3], [10, 0, 3], [6, 6, 6]])
    (grad,) = gradients(label_scores(states, words, queries, layers, candidates=chosen, sparse=True), queries)
    assert grad.is_coalesced()
    assert grad.indices().tolist() == [[0, 3, 6, 10]]


def test_the_gradient_of_all_labels_is_dense() -> None:
    """Every row has one: there is nothing to leave out."""
    states, words, queries, layers = inputs()
    both = (label_scores(states, words, queries, layers, sparse=it) for it in (True, False))
    (mine,), (theirs,) = (gradients(it, queries) for it in both)
    assert not mine.is_sparse
    torch.testing.assert_close(mine, theirs)


@pytest.mark.usefixtures("_chunks", "_groups")
def test_gradients_are_those_of_finite_differences() -> None:
    states, words, queries, layers = inputs()
    flat = [it for layer in layers for it in layer]

    def scores(states: Tensor, queries: Tensor, *flat: Tensor) -> Tensor:
        return label_scores(states, words, queries, list(zip(flat[::2], flat[1::2], strict=True)))

    assert torch.autograd.gradcheck(scores, (states, queries, *flat))


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


@pytest.mark.parametrize("numbers", [1, 2000, 10**9])
@pytest.mark.parametrize("candidates", [None, torch.zeros(B, 200, dtype=torch.long)], ids=["all", "some"])
def test_chunks_are_alike_in_size_and_hold_no_more_than_they_may(
    monkeypatch: Patch, numbers: int, candidates: Tensor | None
) -> None:
    """Of 200 labels; a chunk of one label is the smallest. Candidates have queries of each document's own."""
    monkeypatch.setattr(label_attention, "CHUNK", {"cpu": numbers, "other": numbers})
    states, _, queries, layers = inputs(rows=200)
    parts = list(label_attention._Inputs(states, queries, None, candidates, layers).chunks())
    sizes = [len(range(200)[part]) for part in parts]
    assert [i for part in parts for i in range(200)[part]] == list(range(200))
    assert max(sizes) - min(sizes) < len(sizes) or len(sizes) == 1
    a_label = B * (T + D + 6 + 4 + 1 + (0 if candidates is None else D))
    assert max(sizes) == 1 or max(sizes) * a_label <= numbers


def test_one_attention_weight_a_word_and_none_for_padding() -> None:
    """Scores 1, 2 and, for the padding, 0: .268941 and .731059; with it .244728, .665241 and .090031."""
    states = torch.tensor([[[1.0, 1, 0, 0], [2, 0, 1, 0], [0, 0, 0, 1]]])
    query = torch.tensor([[1.0, 0, 0, 0]])
    words = torch.tensor([[True, True, False]])
    np.testing.assert_allclose(attend(states, words, query)[0, 0, 1:], [0.268941, 0.731059, 0], atol=1e-6)
    np.testing.assert_allclose(
        attend(states, None, query)[0, 0, 1:], [0.244728, 0.665241, 0.090031], atol=1e-6
    )


def test_half_precision_is_that_of_the_plain_form_to_its_own_accuracy() -> None:
    """Under autocast: products in bfloat16, softmax in float32; gradients come in the type of the weights.

    Without hidden layers, where a rounded zero would open or close a unit.
    """
    states, words, queries, layers = inputs(torch.float32, sizes=())
    exact = label_scores(states, words, queries, layers)
    with torch.autocast("cpu", torch.bfloat16):
        rough = label_scores(states, words, queries, layers)
    assert rough.dtype == torch.bfloat16
    scale = exact.detach().abs().max()
    torch.testing.assert_close(rough.float() / scale, exact / scale, rtol=0, atol=0.03)
    for grad, expected in zip(
        gradients(rough, states, queries), gradients(exact, states, queries), strict=True
    ):
        assert grad.dtype == torch.float32
        scale = expected.abs().max()
        torch.testing.assert_close(grad / scale, expected / scale, rtol=0, atol=0.05)


def test_frozen_inputs_ask_for_no_gradient() -> None:
    states, words, queries, layers = inputs()
    with torch.no_grad():
        assert not label_scores(states, words, queries, layers).requires_grad


def test_a_group_begins_where_documents_are_a_quarter_shorter() -> None:
    """Of lengths 100, 80, 75, 30, 1: 75 is three quarters of 100, and 30 less than that of 75."""
    groups = label_attention.of_like_length([100, 80, 75, 30, 1], saving=0)
    found = [(it.documents.start, it.documents.stop, it.width) for it in groups]
    assert found == [(0, 2, 100), (2, 3, 75), (3, 4, 30), (4, 5, 1)]


def test_a_group_has_to_save_its_calls() -> None:
    """From 75 on, three documents save 25 places each, 75 in all; 30 and 1 save 70 each."""
    groups = label_attention.of_like_length([100, 80, 75, 30, 1], saving=76)
    assert [(it.documents.start, it.width) for it in groups] == [(0, 100), (3, 30)]


def test_short_documents_are_not_computed_over_the_places_of_a_long_one(monkeypatch: Patch) -> None:
    """7 + 2 + 1 places of 3 times 7."""
    monkeypatch.setattr(label_attention, "SAVING", 0)
    seen: list[int] = []
    softmax = label_attention._softmax_

    def counted(scores: Tensor) -> Tensor:
        seen.append(scores.numel())
        return softmax(scores)

    monkeypatch.setattr(label_attention, "_softmax_", counted)
    states, words, queries, layers = inputs()
    label_scores(states, words, queries, layers)
    assert sum(seen) == (7 + 2 + 1) * L
