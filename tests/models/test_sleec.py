"""SLEEC: its vectors of labels and its neighbours against dense matrices and brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from reimpl.baselines import sleec
from reimpl.baselines.sleec import Config, embedded, neighbours
from reimpl.data.formats.features import features_dataset
from tests.toys import same, toy_protocol


def unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)


def labelled(c: int, L: int = 6) -> Any:
    Y = np.random.default_rng(c).random((c, L)) < 0.4
    Y[:, 0] |= ~Y.any(axis=1)
    return unit(Y.astype(float))


def test_with_all_neighbours_the_products_are_those_of_the_label_vectors() -> None:
    Y = labelled(12)
    Z = embedded(sparse.csr_matrix(Y), 6, 12, 50)
    assert pytest.approx(Y @ Y.T, abs=1e-2) == Z @ Z.T


def test_vectors_are_those_of_dense_singular_value_projection() -> None:
    """Places kept: of each document the 4 highest products, equals by number, and their mirror images."""
    Y, steps = labelled(15), 3
    G = Y @ Y.T
    kept = np.zeros_like(G, dtype=bool)
    for i in range(15):
        kept[i, sorted(range(15), key=lambda j, i=i: (-G[i, j], j))[:4]] = True  # type: ignore[misc]
    kept |= kept.T
    M = np.zeros_like(G)
    for _ in range(steps):
        values, vectors = np.linalg.eigh(M + np.where(kept, G - M, 0))
        M = (vectors[:, -3:] * np.maximum(values[-3:], 0)) @ vectors[:, -3:].T
    Z = embedded(sparse.csr_matrix(Y), 3, 4, steps)
    assert pytest.approx(M, abs=2e-2) == Z @ Z.T


def test_neighbours_are_those_of_brute_force_in_the_cluster_of_a_document() -> None:
    rng = np.random.default_rng(3)
    X, X_test, Y = rng.random((20, 5)), rng.random((7, 5)), labelled(20)
    config = Config(cluster_size=10, components=4, neighbours=10, nearest=3, regulariser=0.2)
    as_csr = [sparse.csr_matrix(it) for it in (X, Y, X_test)]
    found, size = neighbours(config, *as_csr, seed=1)
    of = KMeans(2, n_init=1, random_state=1).fit(as_csr[0])
    assert size == 2 * 4 * 5
    for document, cluster in zip(range(7), of.predict(as_csr[2]), strict=True):
        members = np.flatnonzero(of.labels_ == cluster)
        A, Z = X[members], embedded(as_csr[1][members], 4, 10, 50)
        V = np.linalg.solve(A.T @ A + 0.2 * np.eye(5), A.T @ Z)
        distances = np.linalg.norm(A @ V - X_test[document] @ V, axis=1)
        assert set(found[document].indices) == set(members[np.argsort(distances)[:3]])


def test_labels_rank_by_the_sum_of_the_label_vectors_of_the_nearest() -> None:
    """Two topics, two nearest documents: each has label 0 or 1, and one of the first topic label 2 too."""
    X, Y = np.repeat(np.eye(2), 2, axis=0), np.array([[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]])
    parts = {"train": (X, Y), "test": (np.eye(2), np.zeros((2, 3)))}
    toy = features_dataset("toy", {name: tuple(map(sparse.csr_matrix, pair)) for name, pair in parts.items()})
    config = Config(learners=2, nearest=2, components=2, neighbours=4)
    result = sleec.train(config, toy, toy_protocol(), seed=0)
    assert result.top_ids is not None and result.top_scores is not None
    assert result.top_ids.tolist() == [[0, 2, -1], [1, -1, -1]]
    assert result.top_scores[0, :2] == pytest.approx([1 + 0.5**0.5, 0.5**0.5])
    assert same(sleec.train(config, toy, toy_protocol(), seed=0), result)
