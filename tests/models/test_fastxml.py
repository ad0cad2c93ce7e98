"""FastXML and PfastreXML: against plain loops, against each node alone, and trees worked by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from reimpl.baselines import fastxml
from reimpl.baselines.fastxml import VARIANTS, Config, gains_of
from reimpl.baselines.forest import grow, halves, separated
from reimpl.data.dataset import Dataset
from reimpl.data.formats import Options, open_corpus
from reimpl.data.formats.features import features_dataset
from reimpl.errors import ConfigError
from reimpl.training import Interrupted, Result, Watch
from tests.shared import shared
from tests.toys import same, stopping, toy_protocol


def data(X: Any, Y: Any, X_test: Any) -> Dataset:
    empty = np.zeros((len(X_test), len(Y[0])))
    parts = {"train": (X, Y), "test": (X_test, empty)}
    return features_dataset(
        "toy",
        {name: tuple(sparse.csr_matrix(np.array(it, float)) for it in pair) for name, pair in parts.items()},
    )


def random_data(seed: int = 0, N: int = 60) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (N + 9, 8)) * (rng.random((N + 9, 8)) < 0.5)
    Y = X[:N] @ rng.normal(size=(8, 7)) + rng.normal(size=(N, 7)) > 2
    return data(X[:N], Y, X[N:])


def train(
    of: Dataset, variant: str = "fastxml", *, seed: int = 0, watch: Watch | None = None, **keys: Any
) -> Result:
    config = Config(**{**vars(VARIANTS[variant]), **keys})
    return fastxml.train(config, of, toy_protocol(), seed=seed, watch=watch)


def plain_halves(gains: Any, side: list[bool]) -> list[bool]:
    """One node, from the definition: each document goes where its labels' gains / ln(1 + rank) are higher."""
    documents, labels = range(len(gains)), [label for label in range(len(gains[0])) if any(gains[:, label])]
    while True:
        worth = []
        for half in (False, True):
            total = {it: round(sum(gains[i][it] for i in documents if side[i] == half), 9) for it in labels}
            order = sorted(labels, key=lambda it: (-total[it], it))
            ranks = {label: rank for rank, label in enumerate(order, start=1)}
            worth.append([sum(gains[i][it] / math.log(1 + ranks[it]) for it in labels) for i in documents])
        new = [side[i] if abs(b - a) < 1e-9 else b > a for i, (a, b) in enumerate(zip(*worth, strict=True))]
        if new == side:
            return side
        side = new


def test_six_documents_of_two_topics_are_parted_by_topic() -> None:
    """Drawn 0 0 1 | 0 1 1: the first half has labels 0, 0, 1 and ranks 0 first, the second 0, 1, 1."""
    draws = np.array([0.9, 0.9, 0.1, 0.9, 0.1, 0.1])  # below a half: side True
    rng: Any = type("Drawn", (), {"random": staticmethod(lambda n: draws)})
    Y = sparse.csr_matrix(np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]) / 1.0)
    assert halves(Y, np.zeros(6, np.int64), 1, rng).tolist() == [False] * 3 + [True] * 3


def test_nodes_of_a_level_are_halved_as_each_alone_by_its_definition() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        gains = rng.random((40, 6)) * (rng.random((40, 6)) < 0.4)
        node = rng.integers(0, 3, 40)
        drawn = np.random.default_rng(seed).random(40) < 0.5
        found = halves(sparse.csr_matrix(gains), node, 3, np.random.default_rng(seed))
        for one in range(3):
            mine = node == one
            assert found[mine].tolist() == plain_halves(gains[mine], drawn[mine].tolist())


def test_separators_of_a_level_are_those_of_each_node() -> None:
    rng = np.random.default_rng(1)
    X, side = rng.normal(size=(80, 5)), rng.random(80) < 0.5
    side ^= X[:, 0] > 0.3
    node, known = rng.integers(0, 2, 80), np.arange(80) < 60
    right, count = separated(sparse.csr_matrix(X), node, 2, known, side[:60], C=0.3, tol=1e-8)
    weights = 0
    for one in range(2):
        alone: Any = LogisticRegression(l1_ratio=1, solver="liblinear", C=0.3, fit_intercept=False, tol=1e-8)
        learned = (node == one) & known
        alone.fit(X[learned], side[learned])
        assert right[node == one].tolist() == alone.predict(X[node == one]).tolist()
        weights += np.count_nonzero(alone.coef_)
    assert 0 < count == weights < 10


def test_gains_are_those_of_ndcg_and_of_inverse_propensity() -> None:
    toy = data(np.eye(4), [[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]], np.eye(4))
    ideal = 1 / math.log(2) + 1 / math.log(3)
    expected = [[1 / ideal, 1 / ideal, 0], [math.log(2), 0, 0], [math.log(2), 0, 0], [0, 0, 0]]
    assert gains_of(VARIANTS["fastxml"], toy).toarray() == pytest.approx(np.array(expected))
    inverse = [1 + (math.log(4) - 1) * 2.5**0.55 / (n + 1.5) ** 0.55 for n in (3, 1)]  # A 0.55, B 1.5
    found = gains_of(VARIANTS["pfastrexml"], toy).toarray()
    assert found[0, :2] == pytest.approx(inverse) and found[1].tolist() == pytest.approx([inverse[0], 0, 0])


#: Eight documents of two topics: those with word 0 have label 0, two of them label 2 too; the others label 1.
TOPICS = data(
    [[9, 0]] * 4 + [[0, 9]] * 4, [[1, 0, 1]] * 2 + [[1, 0, 0]] * 2 + [[0, 1, 0]] * 4, [[9, 0], [0, 9]]
)


def test_a_tree_of_depth_one_predicts_the_shares_of_labels_in_its_leaves() -> None:
    result = train(TOPICS, trees=3, leaf=4)
    assert result.top_ids is not None and result.top_scores is not None
    assert result.top_ids.tolist() == [[0, 2, -1], [1, -1, -1]]
    assert np.exp(result.top_scores[0, :2]) == pytest.approx([1, 0.5])


def test_few_documents_are_one_leaf() -> None:
    result = train(TOPICS, trees=1, leaf=8)
    assert result.top_scores is not None and result.parameters == 0
    assert np.exp(result.top_scores) == pytest.approx(np.array([[0.5, 0.5, 0.25]] * 2))


def test_tail_classifiers_rank_by_distance_from_the_mean_of_a_labels_documents() -> None:
    """score = 0.8 ln P + 0.2 ln 1 / (1 + exp(gamma / 2 |x - mean|^2)), of rows of unit length."""
    result = train(TOPICS, "pfastrexml", trees=1, leaf=8, gamma=3.0)
    assert result.top_scores is not None and result.top_ids is not None
    apart, shares = [0, 2, 0], [0.5, 0.5, 0.25]  # of x = (1, 0) from (1, 0), (0, 1) and (1, 0)
    pairs = zip(shares, apart, strict=True)
    scores = [0.8 * math.log(p) - 0.2 * math.log(1 + math.exp(3 / 2 * d)) for p, d in pairs]
    assert result.top_ids[0].tolist() == sorted(range(3), key=lambda it: -scores[it])
    assert result.top_scores[0] == pytest.approx(sorted(scores, reverse=True), rel=1e-5)


def test_what_is_ranked_does_not_change_what_is_learned() -> None:
    of, rng = random_data(), np.random.default_rng
    X, gains = sparse.csr_matrix(of.train.features, dtype=float), gains_of(VARIANTS["fastxml"], of)
    alone, _ = grow(X, gains, rng(5), leaf=5, C=1.0, tol=1e-8)
    along, _ = grow(sparse.vstack((X, X), format="csr"), gains, rng(5), leaf=5, C=1.0, tol=1e-8)
    assert alone.max() > 2 and along.tolist() == [*alone, *alone]


def test_a_seed_decides_a_run_and_an_interrupted_one_goes_on(tmp_path: Path) -> None:
    of, path = random_data(), tmp_path / "run"
    whole = train(of, trees=6)
    with pytest.raises(Interrupted):
        train(of, trees=6, watch=Watch(stop=stopping(3), checkpoint=path))
    assert same(train(of, trees=6, watch=Watch(checkpoint=path)), whole)
    assert same(train(of, trees=6), whole) and not same(train(of, trees=6, seed=1), whole)


def test_a_share_outside_its_range_is_refused() -> None:
    with pytest.raises(ConfigError, match="fastxml: alpha must be above 0 and at most 1, not 2"):
        Config(alpha=2.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "printed"), {"fastxml": (63.42, 39.23, 28.86), "pfastrexml": (63.46, 39.22, 29.14)}.items()
)
def test_bibtex_scores_what_the_repository_prints(variant: str, printed: tuple[float, ...]) -> None:
    """Means over ten other splits."""
    corpus = open_corpus(shared("data/mulan-bibtex"), Options())
    assert isinstance(corpus, Dataset)
    found = train(corpus, variant).metrics
    assert [found[f"P@{k}"] for k in (1, 3, 5)] == pytest.approx(printed, abs=1.5)
