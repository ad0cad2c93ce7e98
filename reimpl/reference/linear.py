"""Fidelity checks of the linear classifiers, for `reimpl.fidelity`.

The objective is minimised anew by Newton's method in numpy, from its formula alone, and the scores of the
test documents are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from reimpl import linear
from reimpl.data.formats.features import features_dataset
from reimpl.protocol import protocol
from reimpl.reference.numbers import Array, Test, close

_TIGHT = {"tolerance": 1e-10, "most_iterations": 100_000}


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    for loss in ("squared_hinge", "logistic"):
        for documents in (60, 9):  # more documents than features, and fewer: primal and dual
            yield f"minimum of {loss}, {documents} documents", partial(_minimum, loss, documents)


def _minimum(loss: Any, documents: int) -> str:
    """Scores of our classifiers and of Newton's minima."""
    rng = np.random.default_rng(documents)
    X, X_test = (rng.normal(size=(n, 12)) * (rng.random((n, 12)) < 0.6) for n in (documents, 20))
    Y = rng.random((documents, 5)) < 0.4
    Y[0], Y[1] = True, False  # each label has documents with it and without
    config = linear.Config(loss=loss, C=0.7, normalise=False, **_TIGHT)  # type: ignore[arg-type]
    rows = {"train": (X, Y), "test": (X_test, np.eye(20, 5) > 0)}
    data = features_dataset("check", {split: _sparse(*pair) for split, pair in rows.items()})
    result = linear.train(config, data, protocol("small"), seed=3)
    assert result.top_ids is not None and result.top_scores is not None
    reference = np.stack([_newton(loss, X, Y[:, label], X_test) for label in range(5)], axis=1)
    ours = np.zeros_like(reference)
    np.put_along_axis(ours, result.top_ids.astype(np.int64), result.top_scores.astype(np.float64), axis=1)
    gap = close("score", ours, reference, tolerance=1e-4)
    return f"scores of 5 labels agree with Newton's minimum to {gap:.0e}"


def _newton(loss: str, X: Array, has: Array, X_test: Array, C: float = 0.7) -> Array:
    """1/2 |w|^2 + C sum l(y w.x), the last of w on a constant 1: l(m) = max(0, 1 - m)^2 or ln(1 + e^-m)."""
    A, B = (np.hstack((it, np.ones((len(it), 1)))) for it in (X, X_test))
    y, w = np.where(has, 1.0, -1.0), np.zeros(A.shape[1])
    for _ in range(200):
        margin = y * (A @ w)
        if loss == "squared_hinge":
            first, second = -2 * np.maximum(0, 1 - margin), 2.0 * (margin < 1)
        else:
            p = 1 / (1 + np.exp(margin))
            first, second = -p, p * (1 - p)
        step = np.linalg.solve(np.eye(len(w)) + C * (A.T * second) @ A, w + C * A.T @ (y * first))
        w = w - step
        if np.abs(step).max() < 1e-13:
            break
    return np.asarray(B @ w)


def _sparse(X: Array, Y: Array) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    return sparse.csr_matrix(X, dtype=np.float32), sparse.csr_matrix(Y, dtype=np.float32)
