"""Ranking metrics: hand-worked cases, reports from other projects, and a slow definition to compare with."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics import ndcg_score

from reimpl.errors import ConfigError, DataError
from reimpl.label_lists import top_k
from reimpl.metrics import CONVENTIONS, OURS, Convention, evaluate, per_instance
from reimpl.truth import Truth

D = [1 / math.log2(rank + 1) for rank in range(1, 12)]  # discounts of ranks 1, 2, ...

# The toy that yourh, napkinXC and LibMultiLabel were all run on.
TOY_TRUTH = Truth.from_lists([[0, 1], [5], []], n_labels=6)
TOY_LISTS = np.array([[0, 2, 1, 3, 4], [1, 5, 2, 3, 4], [0, 1, 2, 3, 4]])


def measure(
    lists: Sequence[Sequence[int]],
    truth: Sequence[Sequence[int]],
    k: int,
    how: Convention = OURS,
    **options: object,
) -> dict[str, float]:
    """Fractions by family, of lists given as they are (padded with -1)."""
    width = max(k, *map(len, lists))
    ids = np.array([[*row, *[-1] * (width - len(row))] for row in lists])
    values = per_instance(ids, Truth.from_lists(truth), ks=(k,), convention=how, **options)  # type: ignore[arg-type]
    return {name.partition("@")[0]: each.mean / 100 for name, each in values.items()}


# ------------------------------------------------------------------ the definitions, case by case


def test_toy_of_three_programs() -> None:
    """The toy gives the values on which three public programs agree."""
    values = evaluate(TOY_LISTS, TOY_TRUTH, ks=(1, 2, 3, 5))
    expected = {"P@1": 1 / 3, "P@3": 1 / 3, "P@5": 0.2, "nDCG@1": 1 / 3, "nDCG@2": 0.414692}
    expected |= {"nDCG@3": 0.516884, "nDCG@5": 0.516884, "R@5": 2 / 3}
    for name, value in expected.items():
        assert values[name] == pytest.approx(100 * value, abs=1e-4), name


def test_toy_of_psp() -> None:
    """Frequencies 3, 2, 1, 1, 1, 2 of 10 documents: PSP@1 .466447, and 1 once every label is found."""
    settings_ = {"train_frequency": [3, 2, 1, 1, 1, 2], "n_train": 10, "A": 0.55, "B": 1.5}
    values = evaluate(TOY_LISTS, TOY_TRUTH, **settings_)  # type: ignore[arg-type]
    assert values["PSP@1"] == pytest.approx(46.6447, abs=1e-4)
    assert values["PSP@3"] == values["PSP@5"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("case", "lists", "truth", "k", "metric", "expected"),
    [
        # LibMultiLabel archive PR #23: over k always, though the document has two labels only.
        ("fewer labels than k", [[0, 1, 2, 3, 4]], [[0, 1]], 5, "P", 0.4),
        ("fewer labels than k", [[0, 1, 2, 3, 4]], [[0, 1]], 5, "R", 1.0),
        ("fewer labels than k", [[0, 1, 2, 3, 4]], [[0, 1]], 5, "RP", 1.0),
        ("more labels than k", [[0, 9]], [[0, 1, 2, 3]], 2, "R", 0.25),
        ("more labels than k", [[0, 9]], [[0, 1, 2, 3]], 2, "RP", 0.5),
        # LibMultiLabel archive PR #351: the recall of a document without labels was 1.
        ("no labels", [[0]], [[]], 1, "R", 0.0),
        ("no labels", [[0]], [[]], 1, "RP", 0.0),
        ("no labels", [[0]], [[]], 1, "nDCG", 0.0),
        # LibMultiLabel archive PRs #296, #342: log2(rank + 1), best over min(|y|, k).
        ("one label ranked second", [[9, 0, 8]], [[0]], 3, "nDCG", 0.630930),
        ("two labels at ranks 1 and 3", [[0, 9, 1]], [[0, 1]], 3, "nDCG", 0.919721),
        # dmlc/xgboost #6707: a label twice in the list gave 1.63.
        ("the same label twice", [[1, 1]], [[1]], 2, "nDCG", 1.0),
        ("the same label twice", [[1, 1]], [[1]], 2, "P", 0.5),
        ("the same label twice", [[1, 1]], [[1]], 2, "R", 1.0),
        # elasticsearch PR #154362: the best value was over the returned hits, giving 1 here.
        ("five labels, one returned", [[0]], [[0, 1, 2, 3, 4]], 10, "nDCG", 0.339),
        (
            "five labels, at ranks 6 to 10",
            [[9, 9, 9, 9, 9, 0, 1, 2, 3, 4]],
            [[0, 1, 2, 3, 4]],
            10,
            "nDCG",
            0.541,
        ),
        # lenskit/lkpy #309: the list was not cut at k; all three labels are true here.
        ("a list longer than k", [[2, 3, 1]], [[1, 2, 3]], 2, "nDCG", 1.0),
        ("a list longer than k", [[9, 8, 1]], [[1, 2, 3]], 2, "nDCG", 0.0),
        # TIFUKNN #4: seven labels, five hits at k = 5.
        ("more labels than k", [[0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4, 5, 6]], 5, "nDCG", 1.0),
        # napkinXC: two right of two predicted, and still over 3.
        ("a list shorter than k", [[0, 1]], [[0, 1]], 3, "P", 0.6667),
        ("an empty list", [[]], [[0, 1]], 3, "nDCG", 0.0),
        ("k = L", [[0, 1, 2]], [[0, 2]], 3, "P", 0.6667),
    ],
)
def test_one_document(
    case: str, lists: list[list[int]], truth: list[list[int]], k: int, metric: str, expected: float
) -> None:
    """A document's metric is what its definition gives by hand."""
    assert measure(lists, truth, k)[metric] == pytest.approx(expected, abs=5e-4)


def test_document_without_labels_counts_zero_or_is_skipped() -> None:
    """One hit and one document without labels: 50 % by default, 100 % when such documents are left out."""
    for metric in ("P", "R", "RP", "nDCG"):
        assert measure([[0], [0]], [[0], []], 1)[metric] == 0.5
        assert measure([[0], [0]], [[0], []], 1, Convention(empty="skip"))[metric] == 1.0


def test_no_document_with_labels_is_zero_but_psp_is_undefined() -> None:
    """Without any true label P, R, RP and nDCG are 0; PSP and PSnDCG are 0 / 0."""
    values = evaluate(
        [[0], [1]], Truth.from_lists([[], []]), (1,), train_frequency=[5, 5], n_train=9, A=0.5, B=1
    )
    assert [values[f"{m}@1"] for m in ("P", "R", "RP", "nDCG")] == [0, 0, 0, 0]
    assert math.isnan(values["PSP@1"]) and math.isnan(values["PSnDCG@1"])


def test_document_without_a_list_counts_zero() -> None:
    """A document for which nothing was predicted stays in the mean (ranx #40, #59)."""
    assert measure([[0], []], [[0], [1]], 1) == {"P": 0.5, "R": 0.5, "RP": 0.5, "nDCG": 0.5}


def test_both_ideals_of_ndcg_are_named() -> None:
    """Seven labels, five hits at k = 5: 1 over the reachable best, .8105 over all seven."""
    lists, truth = [[0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4, 5, 6]]
    assert measure(lists, truth, 5)["nDCG"] == pytest.approx(1.0)
    assert measure(lists, truth, 5, Convention(ideal_dcg="all_labels"))["nDCG"] == pytest.approx(
        0.8105, abs=5e-5
    )


@pytest.mark.parametrize(("repeats", "p", "ndcg"), [("once", 0.5, 1.0), ("each", 1.0, 1.6309)])
def test_repeats_count_once_unless_asked(repeats: str, p: float, ndcg: float) -> None:
    """A label at both ranks is one hit, at the first; counting each gives an nDCG above 1."""
    how = Convention(repeats=repeats, repeats_discounted=repeats)  # type: ignore[arg-type]
    values = measure([[1, 1]], [[1]], 2, how)
    assert (values["P"], values["nDCG"]) == (p, pytest.approx(ndcg, abs=5e-5))


def test_psp_is_over_the_best_of_the_true_labels() -> None:
    """Inverse propensities 4, 5, 6, 1, 2, 3, all true, lightest three predicted: 6 / 15 (pyxclib #3)."""
    weights = [4, 5, 6, 1, 2, 3]
    values = measure([[3, 4, 5]], [[0, 1, 2, 3, 4, 5]], 3, inverse_propensities=weights)
    assert values["PSP"] == pytest.approx(0.4)
    plain = measure([[3, 4, 5]], [[0, 1, 2, 3, 4, 5]], 3, Convention(psp="sum"), inverse_propensities=weights)
    assert plain["PSP"] == pytest.approx(2.0)  # AttentionXML Eq. 4: (1 + 2 + 3) / 3, not within [0, 1]


def test_psp_is_total_over_total() -> None:
    """Two documents, weights 1 and 9: (1 + 0) / (1 + 9), not the mean of 1 and 0."""
    assert measure([[0], [0]], [[0], [1]], 1, inverse_propensities=[1, 9])["PSP"] == pytest.approx(0.1)


def test_psndcg_in_both_forms() -> None:
    """Weights 3 and 1, one document with both labels and one with the first: by hand in both forms."""
    lists, truth, weights = [[1, 0], [9, 0]], [[0, 1], [0]], [3, 1]
    gain, best = [1 + 3 * D[1], 3 * D[1]], [3 + D[1], 3]
    total = measure(lists, truth, 2, inverse_propensities=weights)["PSnDCG"]
    assert total == pytest.approx(sum(gain) / sum(best))
    each = measure(lists, truth, 2, CONVENTIONS["pyxclib"], inverse_propensities=weights)["PSnDCG"]
    assert each == pytest.approx((gain[0] / (1 + D[1]) + gain[1]) / (best[0] / (1 + D[1]) + best[1]))


def test_ids_are_taken_as_given() -> None:
    """Ids 1 to 3, 0 never used: nothing is shifted (pyxclib #10)."""
    truth = Truth.from_lists([[1], [2], [3]])
    assert evaluate([[1], [2], [3]], truth, (1,))["P@1"] == 100
    assert evaluate([[0], [1], [2]], truth, (1,))["P@1"] == 0


# ------------------------------------------------------------------ what does not fit together


@pytest.mark.parametrize(
    ("lists", "truth", "ks", "message"),
    [
        ([[0, 1]], [[0]], (3,), "k=3 of lists of length 2: predict at least 3"),
        ([[0, 1, 2, 3, 4]], [[0]], (5,), "k=5 of 3 labels"),
        ([[0]], [[0]], (0,), "k=0: k must be"),
        ([[0]], [[0]], (1.5,), "k=1.5: k must be"),
        ([[0]], [[0]], (True,), "k=True: k must be"),
        ([[0]], [[0]], (), "no k given"),
    ],
)
def test_k_that_cannot_be_answered(
    lists: list[list[int]], truth: list[list[int]], ks: tuple[int, ...], message: str
) -> None:
    """A k beyond the list or the labels, or no k at all, is an error with the number in it."""
    with pytest.raises(ConfigError, match=message):
        evaluate(lists, Truth.from_lists(truth, n_labels=3), ks)


@pytest.mark.parametrize(
    ("lists", "k", "message"),
    [
        ([[0], [1]], 1, r"shape \(2, 1\) for 1 documents"),
        ([0], 1, r"shape \(1,\) for 1 documents"),
        ([[0.5]], 1, "numbers of type float64"),
        ([[3]], 1, "document 0: label id 3 is outside the 3 labels"),
        ([[-2]], 1, "ids are 0 or above"),
        ([[-1, 0]], 2, "after the first -1"),
    ],
)
def test_lists_that_do_not_fit(lists: list[list[int]], k: int, message: str) -> None:
    """Lists of another size, of no whole numbers, with ids that no label has, or with a hole."""
    with pytest.raises(DataError, match=message):
        evaluate(lists, Truth.from_lists([[0]], n_labels=3), (k,))


def test_label_of_another_universe_counts_as_wrong_where_l_is_unknown() -> None:
    """Without a known L an id that the truth never uses is simply not a hit."""
    assert evaluate([[77]], (np.array([0, 1]), np.array([0])), (1,))["P@1"] == 0


@pytest.mark.parametrize("missing", ["n_train", "A", "B"])
def test_psp_takes_no_silent_constants(missing: str) -> None:
    """Frequencies without N, A or B are refused: a default would be wrong for Amazon-670K."""
    given_ = {"n_train": 9, "A": 0.55, "B": 1.5, "train_frequency": [1, 1]} | {missing: None}
    with pytest.raises(ConfigError, match="propensity_constants"):
        evaluate([[0]], Truth.from_lists([[0]]), (1,), **given_)  # type: ignore[arg-type]


# ------------------------------------------------------------------ names, per-document values, memory


def test_evaluate_names_percent_and_order() -> None:
    """All families at all k, in percent, in the order of the vocabulary."""
    values = evaluate(
        TOY_LISTS, TOY_TRUTH, (1, 5), train_frequency=[3, 2, 1, 1, 1, 2], n_train=10, A=0.55, B=1.5
    )
    families = ["P", "R", "RP", "nDCG", "PSP", "PSnDCG"]
    assert list(values) == [f"{family}@{k}" for family in families for k in (1, 5)]
    assert values["P@1"] == pytest.approx(100 / 3)
    assert all(type(value) is float for value in values.values())


def test_all_forms_of_truth_are_the_same() -> None:
    """Truth, a sparse matrix and (offsets, labels) give equal values."""
    matrix = csr_matrix(np.array([[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0] * 6], dtype=np.float32))
    expected = evaluate(TOY_LISTS, TOY_TRUTH)
    assert evaluate(TOY_LISTS, matrix) == expected
    assert evaluate(TOY_LISTS, (TOY_TRUTH.offsets, TOY_TRUTH.labels)) == expected
    with pytest.raises(DataError, match="type list"):
        evaluate(TOY_LISTS, [[0, 1], [5], []])


def _peak(n_labels: int, weighted: bool) -> int:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 4000, (5000, 5))
    labels = rng.integers(0, 1000, (5000, 3)) + np.array([0, 1000, 2000])
    truth = Truth(np.arange(5001) * 3, labels.ravel(), n_labels)
    weights = np.ones(n_labels) if weighted else None
    tracemalloc.start()
    per_instance(ids, truth, inverse_propensities=weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("weighted", [False, True])
def test_memory_does_not_grow_with_the_number_of_labels(weighted: bool) -> None:
    """The same lists with 4,000 and with 670,000 labels need the same memory."""
    assert _peak(670_000, weighted) == pytest.approx(_peak(4_000, weighted), rel=0.02)


# ------------------------------------------------------------------ against definitions and scikit-learn


def _slow(lists: list[list[int]], truth: list[set[int]], k: int, weights: list[float]) -> dict[str, float]:
    """The metrics document by document, as one would on paper."""
    rows: dict[str, list[float]] = {name: [] for name in ("P", "R", "RP", "nDCG")}
    sums = {"PSP": [0.0, 0.0], "PSnDCG": [0.0, 0.0]}
    for labels, true in zip(lists, truth, strict=True):
        first = labels[:k]
        ranks = [first.index(label) for label in true if label in first]
        best = sorted((weights[label] for label in true), reverse=True)[:k]
        rows["P"].append(len(ranks) / k)
        rows["R"].append(len(ranks) / len(true) if true else 0)
        rows["RP"].append(len(ranks) / min(k, len(true)) if true else 0)
        rows["nDCG"].append(sum(D[r] for r in ranks) / sum(D[: min(k, len(true))]) if true else 0)
        sums["PSP"][0] += sum(weights[first[r]] for r in ranks)
        sums["PSP"][1] += sum(best)
        sums["PSnDCG"][0] += sum(weights[first[r]] * D[r] for r in ranks)
        sums["PSnDCG"][1] += sum(w * d for w, d in zip(best, D, strict=False))
    means = {name: sum(values) / len(values) for name, values in rows.items()}
    return means | {name: a / b if b else math.nan for name, (a, b) in sums.items()}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 8), max_size=6), st.sets(st.integers(0, 8), max_size=9)),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 6),
)
def test_equal_to_the_definition(documents: list[tuple[list[int], set[int]]], k: int) -> None:
    """Any lists (short, empty, with repeats) and any truth give what the definition gives, within [0, 1]."""
    weights = [1.0 + 0.37 * label for label in (4, 0, 7, 2, 2, 8, 1, 5, 3)]
    lists, truth = [d[0] for d in documents], [d[1] for d in documents]
    values = measure(lists, [sorted(labels) for labels in truth], k, inverse_propensities=weights)
    assert values == pytest.approx(_slow(lists, truth, k, weights), nan_ok=True)
    assert all(math.isnan(value) or -1e-12 <= value <= 1 + 1e-12 for value in values.values())


def test_ndcg_equals_scikit_learns() -> None:
    """nDCG@k of random scores is scikit-learn's ndcg_score."""
    rng = np.random.default_rng(3)
    truth, scores = rng.random((40, 12)) < 0.3, rng.random((40, 12))
    for k in (1, 3, 5, 12):
        value = evaluate(top_k(scores, k)[1], csr_matrix(truth.astype(int)), (k,))[f"nDCG@{k}"]
        assert value == pytest.approx(100 * ndcg_score(truth, scores, k=k))
