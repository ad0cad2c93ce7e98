"""Labels in head and tail, and what is right in each: against hand calculations and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from reimpl.data.strata import Strata, StratumScore, by_share, by_threshold, scores_of_hits
from reimpl.errors import DataError
from reimpl.hit_pattern import hit_pattern
from reimpl.metrics import evaluate
from reimpl.truth import Truth


@pytest.mark.parametrize(
    ("frequency", "expected"),
    [
        # 16 in all: 8 are full after label 2; 12.8 after labels 2, 0, 4 (8 + 4 + 2 = 14)
        ([4, 1, 8, 1, 2], [1, 2, 0, 2, 1]),
        # the head must hold at least half: 3 of 8 are not enough, 3 + 2 are
        ([3, 2, 2, 1], [0, 0, 1, 2]),
        # equal labels: the lower ids first
        ([1, 1, 1, 1, 1], [0, 0, 0, 1, 2]),
        # one label fills two strata at once: the second is empty
        ([9, 1], [0, 2]),
        # labels that never occur in training are of the tail
        ([5, 0, 5, 0], [0, 2, 1, 2]),
        ([0, 0], [2, 2]),
        ([], []),
    ],
)
def test_the_head_is_the_fewest_labels_that_hold_the_share(frequency: list[int], expected: list[int]) -> None:
    strata = by_share(np.array(frequency, dtype=np.int64))
    assert strata.of_label.tolist() == expected
    assert strata.sizes.tolist() == [expected.count(i) for i in range(3)]
    assert strata.rule == "by share of all training labels: 50 %, 80 %"


def test_thresholds_put_a_label_with_the_edge_into_the_upper_stratum() -> None:
    strata = by_threshold([0, 4, 5, 49, 50, 1000])
    assert strata.of_label.tolist() == [2, 2, 1, 1, 0, 0]
    assert strata.rule == "by training documents a label: under 5, 5 to 49, 50 and more"
    with pytest.raises(DataError, match="whole numbers from 0"):
        by_threshold([0.5])


HEAD_TAIL = Strata(("head", "tail"), np.array([0, 0, 1, 1, 1]), "by hand")
TRUTH = Truth.from_lists([{0, 2}, {1}, {0, 3}, set()], n_labels=5)
LISTS = np.array([[0, 1, 2], [0, 1, 4], [2, 3, 0], [0, -1, -1]])


def scores(lists: np.ndarray, truth: Truth, strata: Strata, k: int) -> tuple[StratumScore, ...]:
    true = np.bincount(truth.labels, minlength=len(strata.of_label))
    return scores_of_hits(lists, hit_pattern(lists, truth)["hits"], true, strata, k=k)


def test_a_hand_calculation_at_two() -> None:
    """Places 0 1 | 0 1 | 2 3 | 0: right are 0 of document 0, 1 of document 1 and 3 of document 2; P@2 is 3/8.

    Head: places 5 (label 0 three times, label 1 twice), 2 right, true 3 (0, 1, 0). Label 0: precision 1/3,
    recall 1/2, F1 2/5; label 1: 1/2, 1, 2/3. Tail: places 2 (labels 2, 3), 1 right, true 2 (2, 3). Label 2:
    0, 0, 0; label 3: 1, 1, 1; label 4 is neither predicted nor true at 2.
    """
    head, tail = scores(LISTS, TRUTH, HEAD_TAIL, 2)
    assert head == StratumScore(
        name="head",
        k=2,
        labels=2,
        true=3,
        predicted=5,
        hits=2,
        share_of_precision=25.0,
        precision=40.0,
        recall=pytest.approx(100 * 2 / 3),
        macro_precision=pytest.approx(100 * (1 / 3 + 1 / 2) / 2),
        macro_recall=75.0,
        macro_f1=pytest.approx(100 * (2 / 5 + 2 / 3) / 2),
    )
    assert (tail.labels, tail.true, tail.predicted, tail.hits) == (3, 2, 2, 1)
    assert (tail.share_of_precision, tail.precision, tail.recall) == (12.5, 50.0, 50.0)
    assert (tail.macro_precision, tail.macro_recall, tail.macro_f1) == (50.0, 50.0, 50.0)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_shares_add_up_to_precision_and_macro_means_are_those_of_scikit_learn(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    L, N = int(rng.integers(5, 12)), int(rng.integers(1, 9))
    ids = np.array([rng.permutation(L)[:5] for _ in range(N)])
    truth = Truth.from_lists([np.flatnonzero(rng.random(L) < 0.3).tolist() for _ in range(N)], L)
    strata = by_share(rng.integers(0, 20, L))
    found = scores(ids, truth, strata, k)
    total = sum(score.share_of_precision for score in found)
    assert total == pytest.approx(evaluate(ids, truth, ks=(k,))[f"P@{k}"])
    predicted, true = np.zeros((2, N, L), dtype=int)
    np.put_along_axis(predicted, ids[:, :k], 1, axis=1)
    true[truth.rows, truth.labels] = 1
    for stratum, score in enumerate(found):
        mine = np.flatnonzero((strata.of_label == stratum) & (predicted.any(axis=0) | true.any(axis=0)))
        if not len(mine):
            assert score.macro_f1 is None
            continue
        theirs = precision_recall_fscore_support(
            true, predicted, labels=mine, average="macro", zero_division=0
        )
        ours = (score.macro_precision, score.macro_recall, score.macro_f1)
        assert ours == pytest.approx([100 * float(value) for value in theirs[:3]])
