"""Labels in head and tail, and what is right in each: against hand calculations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from reimpl.data.strata import Strata, StratumScore, by_share, by_threshold, scores, scores_of_hits
from reimpl.errors import ConfigError, DataError
from reimpl.hit_pattern import hit_pattern
from reimpl.metrics import evaluate
from reimpl.truth import Truth

# --------------------------------------------------------------------------- strata


@pytest.mark.parametrize(
    ("frequency", "shares", "expected"),
    [
        # 16 in all: 8 are full after label 2; 12.8 after labels 2, 0, 4 (8 + 4 + 2 = 14)
        ([4, 1, 8, 1, 2], [0.5, 0.8], [1, 2, 0, 2, 1]),
        # the head must hold at least half: 3 of 8 are not enough, 3 + 2 are
        ([3, 2, 2, 1], [0.5], [0, 0, 1, 1]),
        # equal labels: the lower ids first
        ([1, 1, 1, 1], [0.5], [0, 0, 1, 1]),
        ([1, 1, 1, 1], [0.51], [0, 0, 0, 1]),
        # 7 % of 100 are exactly 7, though not in floating point
        ([*[7] * 14, 2], [0.07], [0, *[1] * 14]),
        # one label fills two strata at once: the second is empty
        ([9, 1], [0.5, 0.8], [0, 2]),
        # labels that never occur in training are of the tail
        ([5, 0, 5, 0], [0.5], [0, 1, 1, 1]),
        ([0, 0], [0.5], [1, 1]),
        ([], [0.5], []),
    ],
)
def test_the_head_is_the_fewest_labels_that_hold_the_share(
    frequency: list[int], shares: list[float], expected: list[int]
) -> None:
    strata = by_share(np.array(frequency, dtype=np.int64), shares)
    assert strata.of_label.tolist() == expected
    assert strata.names == (("head", "tail") if len(shares) == 1 else ("head", "torso", "tail"))
    assert strata.sizes.tolist() == [expected.count(i) for i in range(len(strata.names))]


def test_thresholds_put_a_label_with_the_edge_into_the_upper_stratum() -> None:
    strata = by_threshold([0, 4, 5, 49, 50, 1000], [5, 50])
    assert strata.of_label.tolist() == [2, 2, 1, 1, 0, 0]
    assert strata.rule == "by training documents a label: under 5, 5 to 49, 50 and more"
    assert by_threshold([1, 2], [2]).of_label.tolist() == [1, 0]
    assert by_threshold([1, 2, 3, 4], [2, 3, 4]).names == tuple(f"stratum {i}" for i in (1, 2, 3, 4))


# --------------------------------------------------------------------------- scores


HEAD_TAIL = Strata(("head", "tail"), np.array([0, 0, 1, 1, 1]), np.array([9, 8, 1, 1, 0]), "by hand")
TRUTH = Truth.from_lists([{0, 2}, {1}, {0, 3}, set()], n_labels=5)
LISTS = [[0, 1, 2], [0, 1, 4], [2, 3, 0], [0, -1, -1]]


def test_a_hand_calculation_at_two() -> None:
    """Places 0 1 | 0 1 | 2 3 | 0: right are 0 of document 0, 1 of document 1 and 3 of document 2; P@2 is 3/8.

    Head: places 5 (label 0 three times, label 1 twice), 2 right, true 3 (0, 1, 0). Label 0: precision 1/3,
    recall 1/2, F1 2/5; label 1: 1/2, 1, 2/3. Tail: places 2 (labels 2, 3), 1 right, true 2 (2, 3). Label 2:
    0, 0, 0; label 3: 1, 1, 1; label 4 is neither predicted nor true at 2.
    """
    head, tail = scores(LISTS, TRUTH, HEAD_TAIL, k=2)
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


def test_what_is_kept_with_a_run_gives_the_same_scores() -> None:
    """Lists, ranks that hit, documents a label instead of the truth; also for repeats and short lists."""
    rng = np.random.default_rng(5)
    N, L = 200, 30
    lists = np.argsort(rng.random((N, L)), axis=1)[:, :6]
    lists[rng.random(N) < 0.2, 4:] = -1
    lists[:5, 1] = lists[:5, 0]
    truth = Truth.from_lists(
        [set(rng.integers(0, L, rng.integers(0, 5)).tolist()) for _ in range(N)], n_labels=L
    )
    strata = by_share(rng.integers(0, 40, L))
    kept, true = hit_pattern(lists, truth), np.bincount(truth.labels, minlength=L)
    for k in (1, 3, 5):
        assert scores_of_hits(lists, kept["hits"], true, strata, k=k) == scores(lists, truth, strata, k=k)


@pytest.mark.parametrize(
    ("change", "error"),
    [({"hits": np.zeros(3)}, DataError), ({"true": np.zeros(4, int)}, DataError), ({"k": 4}, ConfigError)],
)
def test_kept_arrays_that_do_not_belong_together_are_refused(
    change: dict[str, Any], error: type[Exception]
) -> None:
    given = {"hits": np.zeros(4, np.uint8), "true": np.zeros(5, int), "k": 1, **change}
    with pytest.raises(error, match="strata: "):
        scores_of_hits(LISTS, given["hits"], given["true"], HEAD_TAIL, k=given["k"])


def test_a_stratum_of_which_nothing_is_said_or_asked_has_no_share_of_it() -> None:
    strata = Strata(("head", "tail"), np.array([0, 0, 0, 0, 1]), np.arange(5), "by hand")
    tail = scores(LISTS, TRUTH, strata, k=1)[1]
    assert (tail.precision, tail.recall, tail.macro_f1, tail.share_of_precision) == (None, None, None, 0.0)
    assert scores(LISTS, TRUTH, strata, k=3)[1].precision == 0.0  # predicted once, for document 1


def test_a_label_twice_in_a_list_counts_once() -> None:
    one = Strata(("all",), np.zeros(2, dtype=np.int64), np.ones(2), "by hand")
    [score] = scores([[0, 0]], Truth.from_lists([{0}], 2), one, k=2)
    assert (score.hits, score.predicted, score.share_of_precision, score.macro_f1) == (1, 1, 50.0, 100.0)


def random_case(seed: int) -> tuple[np.ndarray, Truth, Strata]:
    rng = np.random.default_rng(seed)
    L, N, K = int(rng.integers(5, 12)), int(rng.integers(1, 9)), 5
    ids = np.array([rng.permutation(L)[:K] for _ in range(N)])
    truth = Truth.from_lists([np.flatnonzero(rng.random(L) < 0.3).tolist() for _ in range(N)], L)
    return ids, truth, by_share(rng.integers(0, 20, L), [0.4, 0.8])


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("seed", range(12))
def test_the_shares_of_all_strata_add_up_to_precision(seed: int, k: int) -> None:
    ids, truth, strata = random_case(seed)
    total = sum(it.share_of_precision for it in scores(ids, truth, strata, k=k))
    assert total == pytest.approx(evaluate(ids, truth, ks=(k,))[f"P@{k}"])


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_macro_means_are_those_of_scikit_learn(seed: int, k: int) -> None:
    ids, truth, strata = random_case(seed)
    L = len(strata.of_label)
    predicted, true = np.zeros((2, truth.size, L), dtype=int)
    np.put_along_axis(predicted, ids[:, :k], 1, axis=1)
    true[truth.rows, truth.labels] = 1
    for stratum, score in enumerate(scores(ids, truth, strata, k=k)):
        mine = np.flatnonzero((strata.of_label == stratum) & (predicted.any(axis=0) | true.any(axis=0)))
        if not len(mine):
            assert score.macro_f1 is None
            continue
        theirs = precision_recall_fscore_support(
            true, predicted, labels=mine, average="macro", zero_division=0
        )
        ours = (score.macro_precision, score.macro_recall, score.macro_f1)
        assert ours == pytest.approx([100 * float(it) for it in theirs[:3]])


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("shares", [[], [0.0], [1.0], [0.8, 0.5], [0.5, 0.5], [float("nan")]])
def test_shares_that_do_not_rise_between_0_and_1_are_refused(shares: list[float]) -> None:
    with pytest.raises(ConfigError, match=r"^strata: shares must"):
        by_share([1, 2], shares)


def test_strata_of_other_labels_than_the_truth_s_are_refused() -> None:
    with pytest.raises(DataError, match="strata of 5 labels, but the truth has 7"):
        scores([[0]], Truth.from_lists([{0}], 7), HEAD_TAIL, k=1)
