"""One-vs-rest linear classifiers on bags of words: the yardstick of the field.

The objective of each label is LIBLINEAR's (Fan et al. 2008), as in DiSMEC (Babbar and Schölkopf 2017, Eq. 1)
and LibMultiLabel's `1vsrest`: 1/2 |w|^2 + C * sum of losses over the documents, with the bias as weight of a
constant feature 1. LIBLINEAR itself solves it, through scikit-learn: a solver of our own would be one more
thing to doubt.

Features are those of the corpus (or of the recipe); a corpus of texts without any is read as counts of the
words that were kept of each document. Labels without a training document are never predicted; one that all
have is predicted with the score 1, the margin that the losses ask for. Weights are not kept: each label's
scores enter the lists of the test documents at once, so that memory does not grow with the labels.

The problems are convex. With more documents than features they are solved in the primal, without any chance;
else in the dual, where the order in which documents are visited moves last digits: it is one fixed order,
whatever the seed. So all seeds give one result.

Legend: N documents, D features, L labels, K labels kept of each ranking.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from reimpl import checkpoint
from reimpl.data.dataset import BoolArray, Dataset, IntArray, Split, words_as_features
from reimpl.errors import ConfigError
from reimpl.hardware import peak_memory, reset_peak_memory
from reimpl.protocol import Protocol
from reimpl.topk import top_k
from reimpl.training import Interrupted, Result, Watch, kept, measure

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
#: Labels whose scores are merged into the lists together.
_BLOCK = 64


@dataclass(frozen=True)
class Config:
    """What distinguishes the members of the family."""

    loss: Literal["squared_hinge", "hinge", "logistic"] = "squared_hinge"
    C: float = 1.0
    """Weight of the losses against the regulariser."""
    weights: Literal["given", "binary", "tfidf"] = "given"
    """As the corpus has them; 1 for each; or count * (1 + ln((1 + N) / (1 + documents with the feature)))."""
    normalise: bool = True
    """Each document divided by its Euclidean norm: worth 6 points of P@1 on Delicious."""
    bias: bool = True
    """A constant feature 1, regularised with the others; LIBLINEAR's -B 1."""
    tolerance: float = 1e-4
    most_iterations: int = 1000

    def __post_init__(self) -> None:
        for name in ("C", "tolerance", "most_iterations"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"linear: {name} must be positive, not {getattr(self, name)!r}")


VARIANTS = {
    "svm": Config(),
    "svm-tfidf": Config(weights="tfidf"),
    "logistic": Config(loss="logistic"),
}


@dataclass
class _Lists:
    """The K best labels of each test document, among the labels done so far."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    done: int = 0
    """Labels, from the first on."""
    unfinished: int = 0
    """Labels at which the solver stopped at its most iterations."""

    @classmethod
    def empty(cls, n: int, K: int) -> _Lists:
        return cls(np.full((n, K), -1), np.full((n, K), -np.inf))

    def add(self, scores: NDArray[np.float64]) -> None:
        """Takes the next labels, (N, labels); ties are for the lower id, -inf is for never."""
        K, first = self.ids.shape[1], self.done
        fresh = np.broadcast_to(np.arange(first, first + scores.shape[1]), scores.shape)
        ids = np.concatenate((self.ids, fresh), axis=1)
        # `top_k` gives ties to the earlier place: equals in the lists are by id, and new ids are higher.
        values, found = top_k(torch.from_numpy(np.concatenate((self.scores, scores), axis=1)), K)
        self.scores, places = values.numpy(), found.numpy()
        self.ids = np.where(places < 0, -1, np.take_along_axis(ids, np.maximum(places, 0), 1))
        self.done += scores.shape[1]


def train(
    config: Config,
    data: Dataset,
    protocol: Protocol,
    *,
    seed: int,
    device: str = "cpu",
    precision: str = "float32",
    watch: Watch | None = None,
) -> Result:
    """One classifier a label, and the test documents ranked by them.

    Seed, protocol and device decide nothing.
    Raises `ConfigError` without scikit-learn, `Interrupted` after a checkpoint, and `CheckpointError`.
    """
    watch, began = watch or Watch(), time.perf_counter()
    reset_peak_memory(torch.device("cpu"))
    X, X_test, told = features(config, data)
    solver, labels = _solver(config, X.shape), _ByLabel.of(data.train, data.n_labels)
    lists, spent = _resumed(watch, _Lists.empty(data.test.size, kept(data)))
    saved = began
    for first in range(lists.done, data.n_labels, _BLOCK):
        now = time.perf_counter()
        stop = watch.stop()
        if stop or now - saved >= watch.checkpoint_every:
            _save(watch, lists, spent + now - began)
            saved = now
        if stop:
            raise Interrupted
        last = min(first + _BLOCK, data.n_labels)
        block = [_scores(solver, X, X_test, labels.has(it), lists) for it in range(first, last)]
        lists.add(np.stack(block, axis=1))
        watch.progress(last, data.n_labels, None)
    ids = lists.ids.astype(np.int32)
    return Result(
        metrics=measure(ids, data.test, data),
        curve=(),
        seconds=spent + time.perf_counter() - began,
        peak_memory_bytes=peak_memory(torch.device("cpu")),
        parameters=data.n_labels * (X.shape[1] + config.bias),
        top_ids=ids,
        top_scores=lists.scores.astype(np.float32),
        notes=(*told, *_notes(lists, data)),
    )


# --------------------------------------------------------------------------- features


def features(config: Config, data: Dataset) -> tuple[sparse.csr_matrix, sparse.csr_matrix, tuple[str, ...]]:
    """float64 (N, D) of the training and of the test documents, weighted, and what must be told of them."""
    told: tuple[str, ...] = ()
    train, test = data.train.features, data.test.features
    if train is None or test is None:
        train, test = (words_as_features(it, len(data.vocabulary)) for it in (data.train, data.test))
        told = ("features: counts of the words that were kept of each document",)
    with_idf = config.weights == "tfidf"
    seen = np.bincount(train.indices, minlength=train.shape[1])
    idf = 1.0 + np.log((1.0 + train.shape[0]) / (1.0 + seen)) if with_idf else None
    return *(_weighted(it, config, idf) for it in (train, test)), told


def _weighted(features: sparse.csr_matrix, config: Config, idf: NDArray[Any] | None) -> sparse.csr_matrix:
    X = features.astype(np.float64)
    if config.weights == "binary":
        X.data = np.ones_like(X.data)
    if idf is not None:
        X.data = X.data * idf[X.indices]
    if config.normalise:
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X.data = X.data / np.repeat(np.where(norms > 0, norms, 1.0), np.diff(X.indptr))
    return X


@dataclass(frozen=True)
class _ByLabel:
    """The training documents of each label."""

    documents: IntArray
    starts: IntArray
    """(L + 1,): those of label l are `documents[starts[l]:starts[l + 1]]`."""
    n: int

    @classmethod
    def of(cls, split: Split, n_labels: int) -> _ByLabel:
        rows = np.repeat(np.arange(split.size), np.diff(split.label_offsets))
        counts = np.bincount(split.label_ids, minlength=n_labels)
        order = np.argsort(split.label_ids, kind="stable")
        return cls(rows[order], np.concatenate(([0], np.cumsum(counts))), split.size)

    def has(self, label: int) -> BoolArray:
        """(N,) which documents have it."""
        found = np.zeros(self.n, dtype=np.bool_)
        found[self.documents[self.starts[label] : self.starts[label + 1]]] = True
        return found


# --------------------------------------------------------------------------- one label


#: All seeds give one result.
DETERMINISTIC = True


def _in_the_dual(config: Config, shape: tuple[int, int]) -> bool:
    """The plain hinge has no primal solver."""
    return shape[0] <= shape[1] or config.loss == "hinge"


def _solver(config: Config, shape: tuple[int, int]) -> Any:
    """LIBLINEAR, in the primal where there are more documents than features."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC
    except ImportError as err:
        raise ConfigError(
            "model 'linear' needs scikit-learn; pip install 'xmtc-audit[linear]', or leave it out"
        ) from err
    common = {
        "C": config.C,
        "dual": _in_the_dual(config, shape),
        "fit_intercept": config.bias,
        "tol": config.tolerance,
        "max_iter": config.most_iterations,
        "random_state": 0,
    }
    if config.loss == "logistic":
        return LogisticRegression(solver="liblinear", **common)
    return LinearSVC(loss=config.loss, **common)


def _scores(
    solver: Any, X: sparse.csr_matrix, X_test: sparse.csr_matrix, has: BoolArray, lists: _Lists
) -> NDArray[np.float64]:
    """(N_test,) signed distances from the boundary of one label."""
    if not has.any() or has.all():
        return np.full(X_test.shape[0], 1.0 if has.any() else -np.inf)
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        solver.fit(X, has)
    lists.unfinished += any(issubclass(it.category, ConvergenceWarning) for it in caught)
    scores: NDArray[np.float64] = solver.decision_function(X_test)
    return scores


def _notes(lists: _Lists, data: Dataset) -> Sequence[str]:
    frequency: IntArray = np.bincount(data.train.label_ids, minlength=data.n_labels)
    never = int((frequency == 0).sum())
    notes = [(never, "{} labels without a training document are never predicted")]
    notes += [(lists.unfinished, "the solver stopped at its most iterations for {} labels")]
    return [text.format(count) for count, text in notes if count]


# --------------------------------------------------------------------------- checkpoints


def _save(watch: Watch, lists: _Lists, seconds: float) -> None:
    if watch.checkpoint is not None:
        content = {
            "ids": torch.from_numpy(lists.ids),
            "scores": torch.from_numpy(lists.scores),
            "done": lists.done,
            "unfinished": lists.unfinished,
            "seconds": seconds,
        }
        checkpoint.save(watch.checkpoint, content, torch.device("cpu"))


def _resumed(watch: Watch, empty: _Lists) -> tuple[_Lists, float]:
    """The lists of an interrupted run and the seconds it took, or those of one that begins."""
    if watch.checkpoint is None or not watch.checkpoint.exists():
        return empty, 0.0
    with checkpoint.load(watch.checkpoint, torch.device("cpu")) as it:
        lists = _Lists(it["ids"].numpy(), it["scores"].numpy(), it["done"], it["unfinished"])
        if lists.ids.shape != empty.ids.shape:
            raise ValueError("of other data")
        return lists, float(it["seconds"])
