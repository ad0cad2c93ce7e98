"""Which rows of P@k and nDCG@k any set of documents can give, by a linear programme.

A document counts by how many labels it has (1, 2, 3, 4, 5 or more) and by which of the first five ranks are
hits (at most as many as it has labels): 6 + 16 + 26 + 31 + 32 = 111 sorts. Every metric is linear in the
shares of these sorts, and a printed value is an interval; a row is possible if some shares meet all its
intervals. A document without labels gives 0 everywhere, as one without hits does. nDCG divides by the ideal
over min(labels, k), as pyxclib and AttentionXML have it; the convention that divides by the ideal over k
gives a part of the same rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from audit.stats.printed import Printed

FloatArray = npt.NDArray[np.float64]

RANKS = 5
#: Points beyond which a row is impossible: far above the error of 111 terms in double precision.
TOLERANCE = 1e-6

_METRIC = re.compile(r"(?P<family>P|nDCG)@(?P<k>[1-5])")


def is_known(metric: str) -> bool:
    """Whether the programme holds this metric: P@k and nDCG@k up to k = 5."""
    return _METRIC.fullmatch(metric) is not None


@dataclass(frozen=True)
class Row:
    """Whether some documents give all values of a row."""

    possible: bool
    slack: float
    """The least number of points by which all intervals must be widened alike to make it possible."""
    certificate: Certificate | None = None
    """Of an impossible row."""


@dataclass(frozen=True)
class Certificate:
    """A weighted sum of the metrics that no documents bring above `largest`, while the row has `smallest`."""

    weights: Mapping[str, float]
    largest: float
    """Over all sorts of documents, in points."""
    smallest: float
    """What the printed values come to at least, rounding taken off, in points."""


def joint(values: Mapping[str, Printed]) -> Row:
    """Whether the printed metrics, by their names and in percent, can all hold for the same documents."""
    metrics = tuple(values)
    sorts = _matrix(metrics)  # (metrics, sorts) in points
    low, high = _ends(values)
    if _has_witness(sorts, low, high):
        return Row(True, 0.0)
    slack, weights = _least_widening(sorts, low, high)
    certificate = _certificate(metrics, sorts, low, high, weights)
    # The certificate stands by itself: it is summed up here anew, whatever the solver believes.
    if certificate.smallest - certificate.largest > TOLERANCE:
        return Row(False, slack, certificate)
    return Row(True, 0.0 if slack <= TOLERANCE else slack)


def extremes(
    target: str, values: Mapping[str, Printed], *, labels_at_least: int = 1
) -> tuple[float, float] | None:
    """Least and greatest value of `target` beside the printed metrics; None where these are impossible."""
    from scipy.optimize import linprog

    metrics = tuple(values)
    columns = [i for i, (labels, _) in enumerate(_sorts()) if labels >= labels_at_least]
    sorts, aim = _matrix(metrics)[:, columns], _matrix((target,))[0, columns]
    low, high = _ends(values)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(
            sign * aim,
            A_ub=np.vstack([sorts, -sorts]),
            b_ub=np.concatenate([high, -low]),
            A_eq=np.ones((1, len(columns))),
            b_eq=[1.0],
            method="highs",
        )
        if found.status != 0:
            return None
        ends.append(sign * float(found.fun))
    return ends[0], ends[1]


@cache
def _sorts() -> tuple[tuple[int, tuple[int, ...]], ...]:
    """(labels, hits at ranks 1 to 5) of each sort of document; 5 labels stand for 5 or more."""
    patterns = tuple(product((0, 1), repeat=RANKS))
    return tuple((labels, hits) for labels in range(1, RANKS + 1) for hits in patterns if sum(hits) <= labels)


@cache
def _matrix(metrics: tuple[str, ...]) -> FloatArray:
    """Each metric of each sort of document, in points: (metrics, 111)."""
    return np.array([[100 * _of_sort(metric, *sort) for sort in _sorts()] for metric in metrics])


def _of_sort(metric: str, labels: int, hits: Sequence[int]) -> float:
    match = _METRIC.fullmatch(metric)
    if match is None:
        raise ValueError(f"the programme does not hold {metric!r}")
    k = int(match["k"])
    if match["family"] == "P":
        return sum(hits[:k]) / k
    ideal = math.fsum(_discount(rank) for rank in range(min(labels, k)))
    return math.fsum(_discount(rank) for rank in range(k) if hits[rank]) / ideal


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _ends(values: Mapping[str, Printed]) -> tuple[FloatArray, FloatArray]:
    intervals = [number.interval for number in values.values()]
    return (
        np.array([float(low) for low, _ in intervals]),
        np.array([float(high) for _, high in intervals]),
    )


def _has_witness(sorts: FloatArray, low: FloatArray, high: FloatArray) -> bool:
    """Whether shares are found at once that meet all intervals: 40 times faster than the programme.

    Non-negative least squares towards the middle of the intervals; what it gives is held against them.
    """
    from scipy.optimize import nnls  # 0.3 s, and only rows with several metrics need it

    heavy = 1000.0 * np.ones((1, sorts.shape[1]))  # the shares sum to 1, above all
    shares, _ = nnls(np.vstack([sorts, heavy]), np.append((low + high) / 2, 1000.0))
    reached = sorts @ (shares / shares.sum())
    return bool(np.all(low <= reached) and np.all(reached <= high))


def _least_widening(sorts: FloatArray, low: FloatArray, high: FloatArray) -> tuple[float, FloatArray]:
    """The least t with low - t <= sorts @ shares <= high + t for some shares, and its dual weights."""
    from scipy.optimize import linprog

    metrics, size = sorts.shape
    widen = -np.ones((metrics, 1))
    found = linprog(
        np.concatenate([np.zeros(size), [1.0]]),
        A_ub=np.vstack([np.hstack([sorts, widen]), np.hstack([-sorts, widen])]),
        b_ub=np.concatenate([high, -low]),
        A_eq=np.concatenate([np.ones(size), [0.0]])[None, :],
        b_eq=[1.0],
        method="highs",
    )
    if found.status != 0:  # it has a solution always: t = 100
        raise ArithmeticError(f"the linear programme was not solved: {found.message}")
    marginals = np.asarray(found.ineqlin.marginals)
    return float(found.fun), marginals[:metrics] - marginals[metrics:]


def _certificate(
    metrics: Sequence[str], sorts: FloatArray, low: FloatArray, high: FloatArray, weights: FloatArray
) -> Certificate:
    largest = max(math.fsum(weights * column) for column in sorts.T)
    smallest = math.fsum(w * (low[i] if w > 0 else high[i]) for i, w in enumerate(weights))
    return Certificate(dict(zip(metrics, map(float, weights), strict=True)), float(largest), float(smallest))
