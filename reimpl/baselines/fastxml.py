"""FastXML and PfastreXML (2014, 2016): forests whose nodes find halves that rank their labels well.

Prabhu and Varma (2014), KDD; Jain, Prabhu and Varma (2016), KDD. Written from the papers; their programs are
for non-commercial use only, and were not looked at. A node sends each document to the half whose ranking of
the labels gives it the higher nDCG, and ranks the labels of each half anew, until none moves; a logistic
separator with an l1 norm then learns the halves (`forest.py`). A leaf predicts the mean of its documents'
labels. Ours: the separator is learned once a node, when nothing moves any more, where the paper goes on
alternating; it has a constant beside the features; a node that it leaves undivided is a leaf. There are no
checks against another program, so its runs contradict nothing. N documents to learn from, M to rank, D
features, L labels, T trees.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import torch
from scipy import sparse
from sklearn.preprocessing import normalize

from reimpl.baselines.forest import grow
from reimpl.batching import Weights, top_k, word_weights
from reimpl.data.dataset import Dataset, IntArray
from reimpl.errors import ConfigError
from reimpl.machine import CPU, load_checkpoint, reset_peak_memory, save_checkpoint
from reimpl.metrics import inverse_propensity, propensity_constants
from reimpl.protocol import Protocol, check
from reimpl.training import How, Interrupted, Result, Watch, kept

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
#: Scores that are looked at in one go.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Config:
    loss: Literal["logistic"] = "logistic"
    """Loss of the separators, the classifiers at the nodes."""
    trees: int = 50
    leaf: int = 10
    """Maximum number of documents in a leaf."""
    C: float = 1.0
    """Weight of the separators' losses against the regulariser."""
    gains: Literal["ndcg", "propensity"] = "ndcg"
    """Weight of a label: 1 / the ideal DCG of its document, or 1 / its propensity."""
    alpha: float = 1.0
    """Weight of the forest in the score; the tail labels' classifiers have the rest."""
    gamma: float = 30.0
    """How fast the scores of these classifiers fall with the distance from a label's mean document."""
    weights: Weights = "given"
    normalise: bool = False
    """Whether documents get Euclidean norm 1 (6 points of P@1 less on Bibtex); tail classifiers always."""
    tolerance: float = 0.01
    """Tolerance of the separators' solver; LIBLINEAR's default."""

    def __post_init__(self) -> None:
        check(self)
        for name, most in (("C", float("inf")), ("gamma", float("inf")), ("alpha", 1), ("tolerance", 1)):
            if not 0 < getattr(self, name) <= most:
                most_of = f" and at most {most}" if most == 1 else ""
                raise ConfigError(f"fastxml: {name} must be above 0{most_of}, not {getattr(self, name)!r}")


VARIANTS = {
    # 50 trees, leaves of 10, both constants 1.
    "fastxml": Config(),
    # Gains by propensity; score: alpha log P of the forest + (1 - alpha) log P of the tail classifiers.
    "pfastrexml": Config(gains="propensity", alpha=0.8),
}


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Grows the trees; protocol and device have no effect. Raises `Interrupted`, `CheckpointError`."""
    watch, began = how.get("watch") or Watch(), time.perf_counter()
    reset_peak_memory()
    inputs = word_weights(data, config.weights, normalise=config.normalise, dtype=np.float64)
    X = sparse.vstack((inputs.of(data.train), inputs.of(data.test)), format="csr")
    X = sparse.hstack((X, np.ones((X.shape[0], 1))), format="csr")
    Y = data.train.labels(data.n_labels).astype(np.float64)
    gains, leaves, weights = gains_of(config, data), np.empty((0, X.shape[0]), dtype=np.int32), 0
    if watch.checkpoint is not None and watch.checkpoint.exists():
        with load_checkpoint(watch.checkpoint, CPU) as content:
            if content["leaves"].shape[1] != X.shape[0]:
                raise ValueError("of other data")
            leaves, weights = content["leaves"].numpy(), content["weights"]
            began -= content["seconds"]
    of_trees: Any = {"leaf": config.leaf, "C": config.C, "tol": config.tolerance}
    saved = time.perf_counter()
    for tree in range(len(leaves), config.trees):
        now, stop = time.perf_counter(), watch.stop()
        if watch.checkpoint is not None and (stop or now - saved >= watch.checkpoint_every):
            content = {"leaves": torch.from_numpy(leaves), "weights": weights, "seconds": now - began}
            save_checkpoint(watch.checkpoint, content, CPU)
            saved = now
        if stop:
            raise Interrupted
        grown, more = grow(X, gains, np.random.default_rng([how["seed"], tree]), **of_trees)
        leaves, weights = np.vstack((leaves, grown)), weights + more
        watch.progress(tree + 1, config.trees, None)
    ids, scores = ranked(config, X, Y, leaves, kept(data))
    return Result.of_ranking(data, ids, scores, began=began, parameters=weights, notes=inputs.notes)


def gains_of(config: Config, data: Dataset) -> sparse.csr_matrix:
    """(N, L): what a label of a document adds to its nDCG at rank r, times log(1 + r)."""
    gains, N = data.train.labels(data.n_labels).astype(np.float64), data.train.size
    counts = np.diff(gains.indptr)
    if config.gains == "ndcg":
        ideal = np.cumsum(1 / np.log(2 + np.arange(counts.max(initial=1))))
        gains.data = np.repeat(1 / ideal[np.maximum(counts, 1) - 1], counts)
    elif N >= 3:  # propensities of fewer documents are above 1
        A, B = propensity_constants(data.name)
        frequency = np.bincount(gains.indices, minlength=data.n_labels)
        gains.data = inverse_propensity(frequency, N, A=A, B=B)[gains.indices]
    return gains


def ranked(
    config: Config, X: sparse.csr_matrix, Y: sparse.csr_matrix, leaves: IntArray, k: int
) -> tuple[Any, Any]:
    """The k best labels of the last M documents and their scores, (M, k) each: the logarithm of the mean over
    the trees of the shares that labels have in a document's leaf, and what alpha adds to it."""
    (N, L), T = Y.shape, len(leaves)
    first = np.cumsum([0, *leaves.max(axis=1) + 1])
    places = (leaves + first[:-1, None]).T  # (N + M, T)
    ones, starts = np.ones(places.size), np.arange(len(places) + 1) * T
    member = sparse.csr_matrix((ones, places.ravel(), starts), shape=(len(places), first[-1]))
    inside = member[:N].T.tocsr()
    inside.data /= np.repeat(np.diff(inside.indptr), np.diff(inside.indptr)) * T
    if config.alpha < 1:
        unit = normalize(X[:, :-1])  # without the constant
        means = sparse.diags(1 / np.maximum(np.asarray(Y.sum(axis=0))[0], 1)) @ Y.T @ unit[:N]  # (L, D)
        squares = np.asarray(means.multiply(means).sum(axis=1)).ravel()
    ids, scores, size = [], [], max(1, _BLOCK // max(L, N))
    for start in range(N, len(places), size):
        block = slice(start, start + size)
        with np.errstate(divide="ignore"):
            score = np.log((member[block] @ inside @ Y).toarray())
        if config.alpha < 1:
            there = np.diff(unit[block].indptr)[:, None] > 0  # the square of its length
            apart = there + squares - 2 * (unit[block] @ means.T).toarray()
            score = config.alpha * score - (1 - config.alpha) * np.logaddexp(0, config.gamma / 2 * apart)
        values, best = top_k(torch.from_numpy(score), k)
        ids.append(best.numpy().astype(np.int32))
        scores.append(values.numpy().astype(np.float32))
    return np.concatenate(ids), np.concatenate(scores)
