"""SLEEC (Bhatia et al. 2015): the labels of the nearest training documents in a small embedding space.

Bhatia, Jain, Kar, Varma and Jain (2015), NIPS. Written from the paper; the authors' program is for
non-commercial use only, and was not looked at. Training documents are clustered by their features. In each
cluster vectors Z are found whose products are those of the label vectors Y for the nearest neighbours of
each document (singular value projection: a step of gradient, then the best E eigenvectors); a linear map V
from the features to Z is learned, and the training documents are kept as V x. A test document goes to its
nearest cluster, and the label vectors of its nearest documents there rank the labels; learners are added up.
Ours: label vectors of unit length; ridge regression, where the paper has an l1 norm on V x too; how many
neighbours and steps, and the regulariser, which it tunes. There are no checks against another program, so its
runs contradict nothing. M test documents, N to learn from, D features, L labels, E components, c documents of
a cluster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from reimpl.batching import Weights, top_k, word_weights
from reimpl.data.dataset import Dataset, FloatArray
from reimpl.errors import ConfigError
from reimpl.machine import reset_peak_memory
from reimpl.protocol import Protocol, check
from reimpl.training import How, Interrupted, Result, Watch, kept

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
#: Numbers that are looked at in one go.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Config:
    loss: Literal["squared"] = "squared"
    """Loss of the linear map."""
    learners: int = 15
    """Number of clusterings; their label scores are added up."""
    cluster_size: int = 6000
    """Mean number of documents in a cluster: there are N / this clusters, rounded up."""
    components: int = 100
    """E, dimension of the space; at most the documents of a cluster minus one."""
    neighbours: int = 15
    """Nearest documents whose inner products with a document are preserved, itself included."""
    steps: int = 50
    """Maximum steps of singular value projection; it stops when the error falls by less than 1 %."""
    regulariser: float = 0.1
    """Weight of its regulariser."""
    nearest: int = 25
    """Nearest training documents whose labels are ranked for a test document."""
    weights: Weights = "given"
    normalise: bool = True

    def __post_init__(self) -> None:
        check(self)
        if not 0 < self.regulariser < float("inf"):
            raise ConfigError(f"sleec: regulariser must be positive, not {self.regulariser!r}")


VARIANTS = {
    # 15 learners, clusters of about 6,000 documents, vectors of 100 components.
    "paper": Config(),
}


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Learner after learner; protocol and device have no effect; no checkpoint. Raises `Interrupted`."""
    watch, began = how.get("watch") or Watch(), time.perf_counter()
    reset_peak_memory()
    inputs = word_weights(data, config.weights, normalise=config.normalise, dtype=np.float64)
    X, X_test = inputs.of(data.train), inputs.of(data.test)
    Y = normalize(data.train.labels(data.n_labels).astype(np.float64))
    near = sparse.csr_matrix((X_test.shape[0], X.shape[0]))  # how often each is a nearest one
    parameters = 0
    learners = config.learners if X.shape[0] > config.cluster_size else 1  # of one cluster all are the same
    for learner in range(learners):
        if watch.stop():
            raise Interrupted
        found, more = neighbours(config, X, Y, X_test, seed=how["seed"] * learners + learner)
        near, parameters = near + found, parameters + more
        watch.progress(learner + 1, learners, None)
    ids, scores, size = [], [], max(1, _BLOCK // data.n_labels)
    for start in range(0, X_test.shape[0], size):
        score = (near[start : start + size] @ Y).toarray() / learners
        values, best = top_k(torch.from_numpy(np.where(score > 0, score, -np.inf)), kept(data))
        ids.append(best.numpy().astype(np.int32))
        scores.append(values.numpy().astype(np.float32))
    best_of_all = np.concatenate(ids), np.concatenate(scores)
    return Result.of_ranking(data, *best_of_all, began=began, parameters=parameters, notes=inputs.notes)


def neighbours(
    config: Config, X: sparse.csr_matrix, Y: sparse.csr_matrix, X_test: sparse.csr_matrix, *, seed: int
) -> tuple[sparse.csr_matrix, int]:
    """1 for each nearest training document (N) of each test document (M), (M, N); sizes of the maps V."""
    clusters = KMeans(-(-X.shape[0] // config.cluster_size), n_init=1, random_state=seed).fit(X)
    of_test = clusters.predict(X_test)
    rows, columns, parameters = [], [], 0
    for cluster in range(clusters.n_clusters):
        members, tests = np.flatnonzero(clusters.labels_ == cluster), np.flatnonzero(of_test == cluster)
        if not len(tests):
            continue
        Z = embedded(Y[members], config.components, config.neighbours, config.steps)
        V: Any = Ridge(config.regulariser, fit_intercept=False, solver="sparse_cg").fit(X[members], Z)
        at, at_test = (
            np.asarray(V.predict(it)).reshape(-1, Z.shape[1]) for it in (X[members], X_test[tests])
        )
        nearest = NearestNeighbors(n_neighbors=min(config.nearest, len(members))).fit(at)
        found = nearest.kneighbors(at_test, return_distance=False)
        rows.append(np.repeat(tests, found.shape[1]))
        columns.append(members[found.ravel()])
        parameters += Z.shape[1] * X.shape[1]
    where = (np.concatenate(rows), np.concatenate(columns))
    ones = np.ones(len(where[0]))
    return sparse.csr_matrix((ones, where), shape=(X_test.shape[0], X.shape[0])), parameters


def embedded(Y: sparse.csr_matrix, components: int, neighbours: int, steps: int) -> FloatArray:
    """Z (c, E) with Z Z' like Y Y' at the `neighbours` documents that have the highest products with each: M
    is the best of rank E to M - P(M) + P(Y Y'), again and again, where P keeps those places."""
    c = Y.shape[0]
    E, k = min(components, c - 1), min(neighbours, c)
    if E < 1:
        return np.ones((c, 1))
    i = np.repeat(np.arange(c), k)
    j = np.concatenate([closest(Y[at : at + 256], Y, k) for at in range(0, c, 256)]).ravel()
    kept = sparse.csr_matrix((np.ones(len(i)), (i, j)), shape=(c, c))
    i, j = ((kept + kept.T) > 0).nonzero()  # as the products are, symmetric
    target = np.asarray(Y[i].multiply(Y[j]).sum(axis=1)).ravel()
    Z, error, start = np.zeros((c, E)), np.inf, np.ones(c) / np.sqrt(c)
    for _ in range(steps):
        rest = target - np.einsum("ne,ne->n", Z[i], Z[j])
        if (rest**2).sum() > 0.99 * error:
            break
        error = (rest**2).sum()
        R = sparse.csr_matrix((rest, (i, j)), shape=(c, c))
        M: Any = LinearOperator((c, c), matvec=lambda v, R=R, Z=Z: R @ v + Z @ (Z.T @ v), dtype=np.float64)
        values, vectors = eigsh(M, E, which="LA", v0=start, tol=1e-3)
        Z = vectors * np.sqrt(np.maximum(values, 0))
    return Z


def closest(block: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> Any:
    """The k rows of Y with the highest products with each row of `block`, equals by number: (B, k)."""
    return np.argsort(-(block @ Y.T).toarray(), axis=1, kind="stable")[:, :k]
