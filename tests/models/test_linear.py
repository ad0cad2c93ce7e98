"""One-vs-rest classifiers: against scikit-learn's own, across interruptions, and what is told of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from reimpl import linear
from reimpl.batching import top_k
from reimpl.data.dataset import Dataset, Split
from reimpl.data.formats import Options, open_corpus
from reimpl.data.prepare import prepare
from reimpl.linear import VARIANTS, Config
from reimpl.training import Interrupted, Result, Watch
from tests.shared import shared
from tests.toys import same, stopping, toy_data, toy_protocol

L = 150


def featured(n_train: int = 80, n_test: int = 30, n_labels: int = L, d: int = 20, seed: int = 0) -> Dataset:
    """Random features; each label is likelier where two of them are high. Label 7 is in no document."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(0, d, (n_labels, 2))

    def part(n: int) -> Split:
        X = rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < 0.5)
        has = X[:, wanted].sum(axis=2) + rng.normal(0, 1, (n, n_labels)) > 4
        has[:, 7 % n_labels] = False
        split = Split.from_lists([[]] * n, [np.flatnonzero(row).tolist() for row in has])
        return replace(split, features=sparse.csr_matrix(X, dtype=np.float32))

    names = tuple(map(str, range(n_labels)))
    return toy_data(train=part(n_train), test=part(n_test), labels=names)


def run(data: Dataset, config: Config | None = None, *, seed: int = 0, watch: Watch | None = None) -> Result:
    return linear.train(config or Config(), data, toy_protocol(), seed=seed, watch=watch)


def test_lists_over_several_blocks_are_those_of_the_whole_score_matrix() -> None:
    """150 labels are three blocks; label 7, which nobody has, is left out of scikit-learn's problem."""
    data = featured()
    assert data.train.features is not None and data.test.features is not None
    X, X_test = (normalize(it.features.astype(np.float64)) for it in (data.train, data.test))  # type: ignore[union-attr]
    Y = data.train.labels(L).toarray()
    some = np.flatnonzero(Y.any(axis=0))
    theirs = OneVsRestClassifier(LinearSVC(dual=False, random_state=0)).fit(X, Y[:, some])
    scores = np.full((30, L), -np.inf)
    scores[:, some] = theirs.decision_function(X_test)
    result = run(data)
    values, ids = (it.numpy() for it in top_k(torch.from_numpy(scores), 10))
    assert result.top_ids is not None and result.top_scores is not None
    assert result.top_ids.tolist() == ids.tolist()
    assert result.top_scores == pytest.approx(values, rel=1e-5)
    hits = data.test.labels(L).toarray()[np.arange(30), ids[:, 0]]
    assert result.metrics["P@1"] == pytest.approx(100 * hits.mean())
    assert result.parameters == L * 21


def test_texts_score_as_scikit_learns_tfidf_and_its_linear_svms_do(tmp_path: Path) -> None:
    """TfidfVectorizer and a LinearSVC a label, of the same seed, on 60 texts of 12 of 40 words."""
    rng = np.random.default_rng(5)
    texts = {n: [" ".join(f"w{it}" for it in rng.integers(1, 41, 12)) for _ in range(n)] for n in (60, 20)}
    train, test = texts.values()
    labels = [[f"l{it}" for it in range(6) if f"w{it + 1}" in text.split()] for text in train]
    lines = (f"{' '.join(of)}\t{text}\n" for of, text in zip(labels, train, strict=True))
    (tmp_path / "train.txt").write_text("".join(lines))
    (tmp_path / "test.txt").write_text("".join(f"l0\t{text}\n" for text in test))
    data = prepare(tmp_path, preprocessing="bow", length=500, vectors="random:2", rng=rng)
    result = run(data)
    counted = TfidfVectorizer().fit(train)
    Y = np.array([[name in of for name in data.labels] for of in labels])
    X, X_test = counted.transform(train), counted.transform(test)
    theirs = OneVsRestClassifier(LinearSVC(dual=len(train) <= X.shape[1], random_state=0)).fit(X, Y)
    assert result.top_ids is not None and result.top_scores is not None
    expected = np.take_along_axis(theirs.decision_function(X_test), result.top_ids.astype(int), axis=1)
    assert result.top_scores == pytest.approx(expected, abs=1e-3)


def test_dismec_drops_weights_below_its_delta() -> None:
    """As by hand, at DiSMEC's and at one that drops many weights; label 7 is in no document."""
    data = featured(n_labels=8)
    X, X_test = (normalize(it.features.astype(np.float64)) for it in (data.train, data.test))  # type: ignore[union-attr]
    Y = data.train.labels(8).toarray()
    assert VARIANTS["dismec"] == Config(loss="squared_hinge", C=1.0, prune=0.01)
    for delta in (0.01, 0.5):
        expected = np.full((30, 8), -np.inf)
        for label in range(7):
            theirs = LinearSVC(dual=False, random_state=0).fit(X, Y[:, label])
            weights = np.where(np.abs(theirs.coef_[0]) < delta, 0, theirs.coef_[0])
            bias = 0 if abs(theirs.intercept_[0]) < delta else theirs.intercept_[0]
            expected[:, label] = X_test @ weights + bias
        result = run(data, replace(VARIANTS["dismec"], prune=delta))
        assert result.top_ids is not None and result.top_scores is not None
        in_order = np.take_along_axis(expected, result.top_ids.astype(int), axis=1)
        assert result.top_scores == pytest.approx(in_order, abs=1e-5)
    assert (np.abs(theirs.coef_) < 0.5).any()


@pytest.mark.slow
def test_delicious_scores_what_another_program_made_of_it() -> None:
    """Column 0 of the repository's splits, linear SVM, rows normalised, C = 1: 69.26, 62.84 and 58.01."""
    options = Options(data=shared("data/mulan-delicious/data.txt.gz"), column=0)
    corpus = open_corpus(shared("data/delicious-xc-splits"), options)
    assert isinstance(corpus, Dataset)
    found = run(corpus).metrics
    ours, theirs = [found[f"P@{k}"] for k in (1, 3, 5)], [69.26, 62.84, 58.01]
    assert ours == pytest.approx(theirs, abs=0.3)  # ten documents


@pytest.mark.parametrize("variant", [*VARIANTS, "hinge"])
def test_every_variant_learns(variant: str) -> None:
    """Far above chance: a random list has a P@1 of the share of labels per document."""
    data = featured(n_train=400)
    chance = 100 * len(data.test.label_ids) / (data.test.size * L)
    found = run(data, VARIANTS.get(variant, Config(loss="hinge", most_iterations=100_000)))
    assert found.metrics["P@1"] > chance + 20 and not any("solver" in it for it in found.notes)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_resumed_run_ends_as_an_undisturbed_one(tmp_path: Path, at: int) -> None:
    data, path = featured(), tmp_path / "state.pt"
    with pytest.raises(Interrupted):
        run(data, watch=Watch(stop=stopping(at), checkpoint=path))
    heard: list[int] = []
    resumed = run(data, watch=Watch(progress=lambda done, total, loss: heard.append(done), checkpoint=path))
    assert same(resumed, run(data))
    assert heard == [64, 128, 150][at:]


@pytest.mark.parametrize(("loss", "documents"), [("squared_hinge", 80), ("squared_hinge", 15), ("hinge", 80)])
def test_all_seeds_give_one_result(loss: str, documents: int) -> None:
    """In the primal (more documents than the 20 features, no plain hinge) and in the dual."""
    data, config = featured(n_train=documents), Config(loss=loss, tolerance=0.5)  # type: ignore[arg-type]
    assert linear.DETERMINISTIC
    first = run(data, config)
    assert all(same(first, run(data, config, seed=seed)) for seed in (1, 7))
