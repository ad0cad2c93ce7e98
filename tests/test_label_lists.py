"""Ranked lists from scores: the tie rule, what is never predicted, and pairs left out of the scoring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reimpl import label_lists
from reimpl.errors import ConfigError, DataError
from reimpl.label_lists import top_k

INF = np.inf
TIE_HEAVY = st.sampled_from([-INF, -1.0, -0.0, 0.0, 0.5, 1.0, INF])


def by_sorting(scores: np.ndarray, k: int) -> np.ndarray:
    """The rule spelled out: (score falling, id rising), -1 for a score of -inf."""
    rows = [sorted(range(len(row)), key=lambda j: (-row[j], j))[:k] for row in scores]
    return np.array([[-1 if scores[i][j] == -INF else j for j in row] for i, row in enumerate(rows)])


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=TIE_HEAVY), st.data())
def test_top_k_is_the_rule(scores: np.ndarray, data: st.DataObject) -> None:
    """Tie-heavy scores with both zeros and both infinities come out by score, then by id."""
    k = data.draw(st.integers(1, scores.shape[1]))
    values, ids = top_k(scores, k)
    assert np.array_equal(ids, by_sorting(scores, k))
    assert np.array_equal(values, -np.sort(-scores, axis=1)[:, :k])


@pytest.mark.parametrize(
    ("scores", "k", "ids"),
    [
        ([[0.5, 0.5, 0.5]], 1, [[0]]),  # tensorflow #37416: not the same on all devices
        ([[0.5, 0.5, 0.5]], 3, [[0, 1, 2]]),
        ([[0.1, 0.9, 0.9, 0.5]], 3, [[1, 2, 3]]),
        ([[0.0, -0.0]], 2, [[0, 1]]),
        ([[-0.0, 0.0]], 1, [[0]]),
        ([[-INF, 2.0, -INF]], 3, [[1, -1, -1]]),
        ([[-INF, -INF]], 1, [[-1]]),
        ([[3, 1, 3]], 2, [[0, 2]]),
    ],
)
def test_ties_by_hand(scores: list[list[float]], k: int, ids: list[list[int]]) -> None:
    """Equal scores go to the lower id; -inf is never predicted; whole numbers rank too."""
    assert top_k(np.array(scores), k)[1].tolist() == ids


def test_blocks_are_seamless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows looked at one block after another give what they give alone, and errors the true row."""
    monkeypatch.setattr(label_lists, "_BLOCK", 20)
    scores = np.random.default_rng(0).integers(0, 4, (23, 7)).astype(float)
    assert np.array_equal(top_k(scores, 4)[1], by_sorting(scores, 4))
    scores[17, 3] = np.nan
    with pytest.raises(DataError, match="document 17 hold NaN"):
        top_k(scores, 4)


@pytest.mark.parametrize("row", [[np.nan, 1.0, 2.0], [1.0, 1.0, np.nan], [np.nan] * 3, [INF, np.nan, INF]])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_nan_is_refused(row: list[float], k: int) -> None:
    """NaN has no rank, wherever it stands and whatever k is."""
    with pytest.raises(DataError, match="document 1 hold NaN"):
        top_k(np.array([[1.0, 2.0, 3.0], row]), k)


@pytest.mark.parametrize(("k", "message"), [(5, "k=5 of 3 labels"), (0, "k=0"), (-1, "k=-1"), (1.0, "k=1.0")])
def test_k_outside_the_labels(k: int, message: str) -> None:
    """k beyond L is an error of its own words; k = L is not (LibMultiLabel archive PR #336)."""
    scores = np.array([[0.1, 0.3, 0.2]])
    assert top_k(scores, 3)[1].tolist() == [[1, 2, 0]]
    with pytest.raises(ConfigError, match=message):
        top_k(scores, k)
