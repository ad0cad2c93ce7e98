"""Micro and macro F1: by hand, against scikit-learn, and chunk by chunk."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score

from reimpl.errors import DataError
from reimpl.f1 import count_labels
from reimpl.truth import Truth

TRUE = Truth.from_lists([[0, 1], [0], []], n_labels=4)
PREDICTED = Truth.from_lists([[0], [0, 1], [2]], n_labels=4)


def test_by_hand() -> None:
    """Label 0: 2 right; label 1: 1 missed, 1 wrong; label 2: 1 wrong; label 3: nothing."""
    f1 = count_labels(PREDICTED, TRUE).f1()
    assert f1["Micro-F1"] == pytest.approx(100 * 4 / (4 + 2 + 1))
    assert f1["Macro-F1"] == pytest.approx(100 * 1 / 4)  # label 0 alone has a hit; L is 4
    assert f1["Another-Macro-F1"] == pytest.approx(100 * 1 / 4)  # mean precision and mean recall are 1/4


def test_another_macro_is_of_the_mean_precision_and_recall() -> None:
    """Precisions 1/2 and 1, recalls 1 and 1/3: 2 * 3/4 * 2/3 / (3/4 + 2/3)."""
    predicted = Truth.from_lists([[0, 1], [0], [], []], n_labels=2)
    true = Truth.from_lists([[0, 1], [], [1], [1]], n_labels=2)
    assert count_labels(predicted, true).f1()["Another-Macro-F1"] == pytest.approx(100 * 1 / (3 / 4 + 2 / 3))


def test_nothing_predicted_and_nothing_true_is_zero() -> None:
    """0 / 0 is 0 in every form."""
    nothing = Truth.from_lists([[]], n_labels=2)
    zeros = {"Micro-F1": 0.0, "Macro-F1": 0.0, "Another-Macro-F1": 0.0}
    assert count_labels(nothing, nothing).f1() == zeros


def test_sizes_that_do_not_agree() -> None:
    """Documents, labels, and a number of labels that nobody gave."""
    for predicted, true in [
        (Truth.from_lists([[0]], 4), TRUE),
        (Truth.from_lists([[0], [], []], 5), TRUE),
        (Truth.from_lists([[0]]), Truth.from_lists([[0]])),
    ]:
        with pytest.raises(DataError, match="must agree"):
            count_labels(predicted, true)


@pytest.mark.parametrize("threshold", [0.3, 0.9])
def test_equal_to_scikit_learn(threshold: float) -> None:
    """Micro and macro F1 of random decisions, labels without any case included."""
    rng = np.random.default_rng(1)
    decided, truth = rng.random((30, 8)) > threshold, rng.random((30, 8)) < 0.3
    truth[:, 7] = decided[:, 7] = False
    counts = count_labels(csr_matrix(decided.astype(int)), csr_matrix(truth.astype(int)))
    for name in ("micro", "macro"):
        expected = f1_score(truth, decided, average=name, zero_division=0)
        assert counts.f1()[f"{name.title()}-F1"] == pytest.approx(100 * expected)
