"""One-vs-rest linear classifiers on bags of words (Fan et al. 2008): the standard baseline of the field.

LIBLINEAR's objective (Fan et al. 2008), as in DiSMEC (Babbar and Schölkopf 2017, Eq. 1) and LibMultiLabel's
`1vsrest`, 1/2 |w|^2 + C * sum of losses, solved by LIBLINEAR itself; DiSMEC then drops small weights. Labels
without a training document are never predicted; one that all have has the score 1. Weights are not kept, so
memory does not grow with the labels. The problems are convex and documents visited in one fixed order, so all
seeds give one result. N documents, D features, L labels, K labels kept of each ranking.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
import torch
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from reimpl.batching import Weights, top_k, word_weights
from reimpl.data.dataset import Dataset
from reimpl.data.formats.features import features_dataset
from reimpl.errors import ConfigError
from reimpl.machine import CPU, load_checkpoint, reset_peak_memory, save_checkpoint
from reimpl.protocol import Protocol, check, later, protocol
from reimpl.reference.numbers import Array, Test, close
from reimpl.training import How, Interrupted, Result, Watch, kept

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
#: All seeds give one result.
DETERMINISTIC = True
#: Labels whose scores are merged into the lists together.
_BLOCK = 64


@dataclass(frozen=True)
class Config:
    loss: Literal["squared_hinge", "hinge", "logistic"] = "squared_hinge"
    C: float = 1.0
    """Weight of the losses against the regulariser."""
    weights: Weights = "given"
    """As the corpus has them; 1 for each; or count * (1 + ln((1 + N) / (1 + documents with the feature)))."""
    normalise: bool = True
    """Whether each document is divided by its Euclidean norm, which gains 6 points of P@1 on Delicious."""
    bias: bool = True
    """Whether to add a constant feature 1, regularised like the others (LIBLINEAR's -B 1)."""
    tolerance: float = 1e-4
    most_iterations: int = 1000
    prune: float = later(0.0)
    """Weights with a smaller absolute value become 0, the bias included (DiSMEC: 0.01)."""

    def __post_init__(self) -> None:
        check(self)
        for name in ("C", "tolerance"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"linear: {name} must be positive, not {getattr(self, name)!r}")
        if not 0 <= self.prune < float("inf"):
            raise ConfigError(f"linear: prune must be 0 or more, not {self.prune!r}")


VARIANTS = {
    "svm": Config(),
    "svm-tfidf": Config(weights="tfidf"),
    "logistic": Config(loss="logistic"),
    # Babbar and Schölkopf 2017: squared hinge, C = 1, delta = 0.01
    "dismec": Config(prune=0.01),
}


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """One classifier a label; seed, protocol, device are unused. Raises `Interrupted`, `CheckpointError`."""
    watch, began = how.get("watch") or Watch(), time.perf_counter()
    reset_peak_memory()
    inputs = word_weights(data, config.weights, normalise=config.normalise, dtype=np.float64)
    X, X_test = inputs.of(data.train), inputs.of(data.test)
    L, K = data.n_labels, kept(data)
    # in the primal where there are more documents than features; the plain hinge has no primal solver
    options = {
        "C": config.C,
        "dual": X.shape[0] <= X.shape[1] or config.loss == "hinge",
        "fit_intercept": config.bias,
        "tol": config.tolerance,
        "max_iter": config.most_iterations,
        "random_state": 0,
    }
    logistic = config.loss == "logistic"
    solver: Any = LogisticRegression(solver="liblinear") if logistic else LinearSVC(loss=config.loss)
    solver.set_params(**options)
    has = data.train.labels(L).tocsc()
    # the K best labels of each test document, among those that are done
    ids, scores = np.full((data.test.size, K), -1), np.full((data.test.size, K), -np.inf)
    first = unfinished = 0
    if watch.checkpoint is not None and watch.checkpoint.exists():
        with load_checkpoint(watch.checkpoint, CPU) as content:
            if content["ids"].shape != ids.shape:
                raise ValueError("of other data")
            ids, scores = content["ids"].numpy(), content["scores"].numpy()
            first, unfinished = content["first"], content["unfinished"]
            began -= content["seconds"]
    saved = time.perf_counter()
    while first < L:
        now = time.perf_counter()
        stop = watch.stop()
        if watch.checkpoint is not None and (stop or now - saved >= watch.checkpoint_every):
            tensors = {"ids": torch.from_numpy(ids), "scores": torch.from_numpy(scores)}
            numbers = {"first": first, "unfinished": unfinished, "seconds": now - began}
            save_checkpoint(watch.checkpoint, {**tensors, **numbers}, CPU)
            saved = now
        if stop:
            raise Interrupted
        block = np.arange(first, min(first + _BLOCK, L))
        fresh = np.full((data.test.size, len(block)), -np.inf)
        for column, label in enumerate(block):
            documents = has.indices[has.indptr[label] : has.indptr[label + 1]]
            if len(documents) == X.shape[0]:
                fresh[:, column] = 1.0
            elif len(documents):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", ConvergenceWarning)
                    solver.fit(X, np.bincount(documents, minlength=X.shape[0]) > 0)
                for weights in (solver.coef_, np.atleast_1d(solver.intercept_)):
                    weights[np.abs(weights) < config.prune] = 0
                unfinished += any(issubclass(it.category, ConvergenceWarning) for it in caught)
                fresh[:, column] = solver.decision_function(X_test)
        # `top_k` gives ties to the earlier place: equals in the lists are by id, and new ids are higher
        all_ids = np.concatenate((ids, np.broadcast_to(block, fresh.shape)), axis=1)
        values, best = top_k(torch.from_numpy(np.concatenate((scores, fresh), axis=1)), K)
        places, scores = best.numpy(), values.numpy()
        ids = np.where(places < 0, -1, np.take_along_axis(all_ids, np.maximum(places, 0), 1))
        first += len(block)
        watch.progress(first, L, None)
    top_ids, never = ids.astype(np.int32), int((np.diff(has.indptr) == 0).sum())
    notes = {
        f"{never} labels without a training document are never predicted": never,
        f"the solver reached its maximum number of iterations for {unfinished} labels": unfinished,
    }
    said = (*inputs.notes, *(note for note, holds in notes.items() if holds))
    weighed, scores = L * (X.shape[1] + config.bias), scores.astype(np.float32)
    return Result.of_ranking(data, top_ids, scores, began=began, parameters=weighed, notes=said)


# ----------------------------------------------------------------------------------------- fidelity checks
# The objective is minimised anew, from its formula alone, and the scores of the test documents are compared.


def checks() -> Iterator[tuple[str, Test]]:
    for loss in ("squared_hinge", "logistic"):
        for documents in (60, 9):  # more documents than features, and fewer: primal and dual
            yield f"minimum of {loss}, {documents} documents", partial(_minimum, loss, documents)


def _minimum(loss: Any, documents: int) -> str:
    rng = np.random.default_rng(documents)
    X, X_test = (rng.normal(size=(n, 12)) * (rng.random((n, 12)) < 0.6) for n in (documents, 20))
    Y = rng.random((documents, 5)) < 0.4
    Y[0], Y[1] = True, False  # each label has documents with it and without
    config = Config(loss=loss, C=0.7, normalise=False, tolerance=1e-10, most_iterations=100_000)
    rows = {"train": (X, Y), "test": (X_test, np.eye(20, 5) > 0)}
    matrices = {split: tuple(map(sparse.csr_matrix, pair)) for split, pair in rows.items()}
    data = features_dataset("check", matrices)
    result = train(config, data, protocol("small"), seed=3)
    assert result.top_ids is not None and result.top_scores is not None
    reference = np.stack([_minimum_of(loss, X, Y[:, label], X_test) for label in range(5)], axis=1)
    ours = np.zeros_like(reference)
    np.put_along_axis(ours, result.top_ids.astype(np.int64), result.top_scores.astype(np.float64), axis=1)
    gap = close("score", ours, reference, tolerance=1e-4)
    return f"scores of 5 labels agree with the objective's minimum to {gap:.0e}"


def _minimum_of(loss: str, X: Array, has: Array, X_test: Array, C: float = 0.7) -> Array:
    """1/2 |w|^2 + C sum l(y w.x), the last of w on a constant 1: l(m) = max(0, 1 - m)^2 or ln(1 + e^-m)."""
    A, B = (np.hstack((it, np.ones((len(it), 1)))) for it in (X, X_test))
    y = np.where(has, 1.0, -1.0)

    def objective(w: Array) -> float:
        margin = y * (A @ w)
        each = np.maximum(0, 1 - margin) ** 2 if loss == "squared_hinge" else np.logaddexp(0, -margin)
        return float(w @ w / 2 + C * each.sum())

    return np.asarray(B @ minimize(objective, np.zeros(A.shape[1]), tol=1e-8).x)
