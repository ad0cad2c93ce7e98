"""The k best labels: against sorting and by hand; on a GPU too where there is one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reimpl.batching import top_k
from reimpl.errors import DataError

INF = float("inf")
TIE_HEAVY = st.sampled_from([-INF, -1.0, -0.0, 0.0, 0.5, 1.0, INF])
GPU = pytest.param(
    "cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")]
)
DEVICES = pytest.mark.parametrize("device", ["cpu", GPU])


def assert_is_the_rule(scores: np.ndarray, k: int, device: str = "cpu") -> None:
    """Score falling, then id rising, -1 for a score of -inf."""
    values, ids = top_k(torch.from_numpy(scores).to(device), k)
    order = np.argsort(-(scores + 0), axis=1, kind="stable")[:, :k]
    best = np.take_along_axis(scores, order, axis=1)
    assert np.array_equal(ids.cpu().numpy(), np.where(best == -INF, -1, order))
    assert np.array_equal(values.cpu().numpy(), best)


@given(arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=TIE_HEAVY), st.data())
def test_is_the_rule(scores: np.ndarray, data: st.DataObject) -> None:
    """Tie-heavy scores with both zeros and both infinities come out by score, then by id."""
    assert_is_the_rule(scores, data.draw(st.integers(1, scores.shape[1])))


@DEVICES
@pytest.mark.parametrize("k", [1, 5, 100])
def test_large_and_tied_on_every_device(device: str, k: int) -> None:
    """Many rows, 5,000 labels of 7 values, all-equal rows, rows of both zeros and rows without ties."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 7, (64, 5000)).astype(np.float32)
    scores[3] = 0.25
    scores[4] = np.where(rng.random(5000) < 0.5, 0.0, -0.0)
    scores[5] = -INF
    scores[40:] = rng.random((24, 5000))
    assert_is_the_rule(scores, k, device)


@DEVICES
def test_wide_rows_on_every_device(device: str) -> None:
    """300,000 labels, where devices choose other algorithms, with ties at and away from the edge."""
    scores = np.random.default_rng(1).random((4, 300_000)).astype(np.float32).round(3)
    assert_is_the_rule(scores, 5, device)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(
    "row", [[float("nan"), 1.0, 2.0], [1.0, 1.0, float("nan")], [float("nan")] * 3, [INF, float("nan"), INF]]
)
def test_nan_is_refused(row: list[float], k: int) -> None:
    """NaN has no rank: the document is named."""
    with pytest.raises(DataError, match="document 1 hold NaN"):
        top_k(torch.tensor([[1.0, 2.0, 3.0], row]), k)


def test_all_labels_may_be_asked_for() -> None:
    assert top_k(torch.tensor([[0.1, 0.3, 0.2]]), 3)[1].tolist() == [[1, 2, 0]]
