"""Micro and macro F1: by hand, against scikit-learn, and chunk by chunk."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score

from reimpl.errors import DataError
from reimpl.f1 import above_threshold, count_labels, count_scores
from reimpl.truth import Truth

TRUE = Truth.from_lists([[0, 1], [0], []], n_labels=4)
PREDICTED = Truth.from_lists([[0], [0, 1], [2]], n_labels=4)


def test_by_hand() -> None:
    """Label 0: 2 right; label 1: 1 missed, 1 wrong; label 2: 1 wrong; label 3: nothing."""
    f1 = count_labels(PREDICTED, TRUE).f1()
    assert f1["Micro-F1"] == pytest.approx(100 * 4 / (4 + 2 + 1))
    assert f1["Macro-F1"] == pytest.approx(100 * 1 / 4)  # label 0 alone has a hit; L is 4
    assert f1["Another-Macro-F1"] == pytest.approx(100 * 1 / 4)  # mean precision and mean recall are 1/4


def test_labels_never_seen_are_skipped_on_request() -> None:
    """Label 3 is neither predicted nor true: out of 3 instead of 4."""
    f1 = count_labels(PREDICTED, TRUE).f1(absent="skip")
    assert f1["Macro-F1"] == pytest.approx(100 / 3)
    assert f1["Micro-F1"] == pytest.approx(100 * 4 / 7)


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
    assert count_labels(nothing, nothing).f1(absent="skip") == zeros


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("chunk", [1, 7, 30])
def test_equal_to_scikit_learn_in_chunks(threshold: float, chunk: int) -> None:
    """Scores in chunks give scikit-learn's micro and macro F1, labels without any case included."""
    rng = np.random.default_rng(1)
    scores, truth = rng.random((30, 8)).round(1), rng.random((30, 8)) < 0.3
    truth[:, 7], scores[:, 7] = False, 0
    counts = count_scores(
        (scores[i : i + chunk] for i in range(0, 30, chunk)), csr_matrix(truth.astype(int)), threshold
    )
    for name in ("micro", "macro"):
        expected = f1_score(truth, scores > threshold, average=name, zero_division=0)
        assert counts.f1()[f"{name.title()}-F1"] == pytest.approx(100 * expected)
    sparse = count_labels(above_threshold(csr_matrix(scores), threshold), csr_matrix(truth.astype(int)))
    assert sparse.f1() == counts.f1()


def test_a_score_on_the_threshold_is_not_above_it() -> None:
    """Strictly above, as LibMultiLabel decides."""
    assert count_scores([np.array([[0.5, 0.6]])], Truth.from_lists([[0, 1]]), 0.5).predicted.tolist() == [
        0,
        1,
    ]
    assert above_threshold(csr_matrix(np.array([[0.5, 0.6]])), 0.5).labels.tolist() == [1]


def test_sparse_scores_need_a_threshold_of_zero_or_more() -> None:
    """Below 0, every label that is not stored would be predicted."""
    with pytest.raises(DataError, match=r"threshold -0\.1 on sparse scores"):
        above_threshold(csr_matrix((1, 2)), -0.1)


def test_nan_names_the_document() -> None:
    """NaN is neither above nor below."""
    scores = np.array([[0.1, 0.2], [0.3, np.nan]])
    with pytest.raises(DataError, match="document 3 hold NaN"):
        count_scores([scores[:1], scores[:1], scores], Truth.from_lists([[]] * 4))
    with pytest.raises(DataError, match="document 1 hold NaN"):
        above_threshold(csr_matrix(scores), 0.5)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_scores_of_other_documents(n: int) -> None:
    """Rows and documents must be the same number."""
    with pytest.raises(DataError, match=f"scores of {n} documents for 2|F1 of"):
        count_scores([np.zeros((1, 2))] * n, Truth.from_lists([[0], [1]]))


def test_sizes_that_do_not_agree() -> None:
    """Documents, labels, and a number of labels that nobody gave."""
    for predicted, true in [
        (Truth.from_lists([[0]], 4), TRUE),
        (Truth.from_lists([[0], [], []], 5), TRUE),
        (Truth.from_lists([[0]]), Truth.from_lists([[0]])),
    ]:
        with pytest.raises(DataError, match="must agree"):
            count_labels(predicted, true)
