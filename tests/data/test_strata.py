"""Labels in head and tail, and what is right in each: against hand calculations and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from reimpl.metrics import Strata, StratumScore, Truth, by_share, evaluate, hit_pattern, scores_of_hits


@pytest.mark.parametrize(
    ("frequency", "expected"),
    [([4, 1, 8, 1, 2], [1, 2, 0, 2, 1]), ([3, 2, 2, 1], [0, 0, 1, 2]), ([9, 1], [0, 2]), ([0, 0], [2, 2])],
)
def test_the_head_is_the_fewest_labels_that_hold_the_share(frequency: list[int], expected: list[int]) -> None:
    strata = by_share(np.array(frequency, dtype=np.int64))
    assert strata.of_label.tolist() == expected
    assert strata.sizes.tolist() == [expected.count(i) for i in range(3)]
    assert strata.rule == "by share of all training labels: 50 %, 80 %"


def scores(lists: np.ndarray, truth: Truth, strata: Strata, k: int) -> tuple[StratumScore, ...]:
    true = np.bincount(truth.labels, minlength=len(strata.of_label))
    return scores_of_hits(lists, hit_pattern(lists, truth)["hits"], true, strata, k=k)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_shares_add_up_to_precision_and_macro_f1_is_that_of_scikit_learn(seed: int, k: int) -> None:
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
        theirs = f1_score(true, predicted, labels=mine, average="macro", zero_division=0)
        assert score.macro_f1 == pytest.approx(100 * float(theirs))
