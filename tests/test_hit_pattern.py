"""Hits of single documents: their metrics are those of the lists and truth that they came from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.errors import DataError
from reimpl.metrics import RANKS, copies, evaluate, hit_pattern, of_documents
from reimpl.truth import Truth

IDS = np.array([[0, 1, 2], [3, 4, 0], [5, -1, -1], [2, 1, 0]])
TRUTH = Truth.from_lists([[0, 2], [0], [1], []], n_labels=6)


def test_metrics_by_hand() -> None:
    """P@3, R@3, RP@1 and nDCG@3 of each document, worked out by hand; a document without labels has 0."""
    arrays = hit_pattern(IDS, TRUTH)
    half = 1 / np.log2(4)
    assert of_documents(arrays, "P@3").tolist() == pytest.approx([200 / 3, 100 / 3, 0, 0])
    assert of_documents(arrays, "R@3").tolist() == pytest.approx([100, 100, 0, 0])
    assert of_documents(arrays, "RP@1").tolist() == [100, 0, 0, 0]
    best = 1 + 1 / np.log2(3)
    assert of_documents(arrays, "nDCG@3").tolist() == pytest.approx(
        [100 * (1 + half) / best, 100 * half, 0, 0]
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12))
def test_metrics_are_those_of_the_lists(seed: int, width: int, documents: int) -> None:
    """The mean of every metric is that of `reimpl.metrics`; lists may end or repeat."""
    rng = np.random.default_rng(seed)
    truth = Truth.from_lists(
        [rng.choice(20, size=rng.integers(0, 9), replace=False) for _ in range(documents)]
    )
    ids = rng.integers(0, 20, size=(documents, width))
    ids[np.arange(width) >= rng.integers(0, width + 1, size=documents)[:, None]] = -1
    arrays = hit_pattern(ids, truth)
    ks = [k for k in (1, 3, 5, 8) if k <= width]
    for name, whole in evaluate(ids, truth, ks).items():
        assert of_documents(arrays, name).mean() == pytest.approx(whole)


def test_lists_are_taken_to_rank_eight() -> None:
    """A byte has eight ranks; what lies below them is no part of any metric that is kept."""
    ids = np.arange(12)[None, :]
    arrays = hit_pattern(ids, Truth.from_lists([range(12)]))
    assert arrays["hits"].tolist() == [255]
    assert arrays["hits_format"].tolist() == [1, RANKS]
    assert of_documents(arrays, "P@8").tolist() == [100]
    with pytest.raises(DataError, match="P@9 of single documents is not in the hits of 8 ranks"):
        of_documents(arrays, "P@9")


def test_copies_of_a_text() -> None:
    """Each document is counted with the first of its text; documents that all differ need no list."""
    tokens = np.array([1, 2, 1, 2, 1, 3], dtype=np.int32)
    found = copies(tokens, np.array([0, 2, 4, 6, 6, 6]))
    assert found is not None
    assert found.tolist() == [0, 0, 2, 3, 3]
    assert copies(tokens, np.array([0, 2, 3, 6])) is None
