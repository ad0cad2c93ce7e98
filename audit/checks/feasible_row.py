"""Whether any set of documents can give a row of P@k and nDCG@k: by linear programme, with a proof if not.

A document has 1, 2, 3, 4 or at least 5 labels, and some of its first five ranks are right, no more than it
has labels: 6 + 16 + 26 + 31 + 32 = 111 cells, and one more without labels. In each a metric is one number:

    P@k    = hits among the first k ranks / k
    nDCG@k = sum of 1/log2(rank + 1) over these hits / the same sum over the first min(k, labels) ranks

(Järvelin and Kekäläinen 2002 with binary gains; as in pyxclib, `xclib/evaluation/xc_metrics.py`.) So a row
of a table, which averages over documents and perhaps runs, is a mixture of cells. nDCG divided by the sum
over all k ranks is that of the cells with 5 labels: rows by that definition are mixtures, too.

What the solver says of an impossible row is never taken on trust: its dual variables are weights w for which

    the sum of w x metric is at most A for every document, but at least B for the printed numbers, and A < B.

That is recomputed here in whole numbers and fractions, with bounds for the irrational discounts. A row
without such a proof counts as possible. Means over runs are possible rows, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import TYPE_CHECKING

from audit.checks.grid import PLAUSIBLE, Rounding, pre_image
from audit.expression.interval import Interval, logarithm, point
from audit.stats.printed import Printed

if TYPE_CHECKING:
    from audit.checks.simplex import Array

RANKS = 5
#: Metrics are held as whole numbers of 1/UNIT, so that they are summed without rounding.
UNIT = 1 << 60
#: Points beyond which a row is impossible: metrics that were held in single precision are that far off.
SAFETY = Fraction(1, 10**5)
_WEIGHT_UNIT = 1 << 30

_METRIC = re.compile(rf"(?P<family>P|nDCG)@(?P<k>[1-{RANKS}])")
Ends = tuple[Fraction, Fraction]


# --------------------------------------------------------------------------- sorts of documents


@dataclass(frozen=True)
class Cell:
    """A sort of document."""

    labels: int
    """5 stands for 5 or more."""
    right: tuple[bool, ...]
    """Which of the first five ranks are right."""


def is_modelled(metric: str) -> bool:
    """Whether `metric` is P@k or nDCG@k with k of 1..5."""
    return _METRIC.fullmatch(metric) is not None


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All 112, those with few labels first."""
    patterns = list(product((False, True), repeat=RANKS))
    return tuple(
        Cell(labels, right) for labels in range(RANKS + 1) for right in patterns if sum(right) <= labels
    )


@lru_cache(maxsize=64)
def metric_bounds(metric: str) -> tuple[tuple[int, int], ...]:
    """For each cell whole numbers (low, high) with low <= UNIT x metric <= high; the metric is a fraction.

    They are equal for P@1, and otherwise close to what UNIT resolves: logarithms are irrational.
    Raises ValueError for a metric that is not modelled.
    """
    match = _METRIC.fullmatch(metric)
    if match is None:
        raise ValueError(f"the linear programme knows P@1..P@5 and nDCG@1..nDCG@5, not {metric!r}")
    value = _precision if match["family"] == "P" else _ndcg
    exact = [value(cell, int(match["k"])) for cell in cells()]
    return tuple((floor(it.low * UNIT), ceil(it.high * UNIT)) for it in exact)


def _precision(cell: Cell, k: int) -> Interval:
    return point(Fraction(sum(cell.right[:k]), k))


def _ndcg(cell: Cell, k: int) -> Interval:
    """Two sums of discounts are the same interval where they are the same sum: exactly 1."""
    gained = tuple(rank for rank in range(1, k + 1) if cell.right[rank - 1])
    ideal = tuple(range(1, min(k, cell.labels) + 1))
    if gained in ((), ideal):
        return point(bool(cell.labels) and gained == ideal)
    return _discounts(gained) / _discounts(ideal)


@lru_cache(maxsize=64)
def _discounts(ranks: Sequence[int]) -> Interval:
    return sum((point(1) / logarithm(point(rank + 1)) for rank in ranks), point(0))


# --------------------------------------------------------------------------- a row


@dataclass(frozen=True)
class Certificate:
    """A weighted sum of the metrics that no documents bring to what the row has at least."""

    weights: Mapping[str, Fraction]
    """By metric; the greatest is 1 or -1."""
    largest_possible: Fraction
    """In points, for any documents."""
    smallest_reported: Fraction
    """In points, rounding taken off."""

    @property
    def slack(self) -> Fraction:
        """By so many points all intervals must be widened before this proof ends."""
        size = sum((abs(weight) for weight in self.weights.values()), Fraction(0))
        return (self.smallest_reported - self.largest_possible) / size


@dataclass(frozen=True)
class RowFit:
    """What can be said of one row."""

    rounding: Rounding | None
    """The first of `nearest`, `truncate`, `ceil` by which the row is possible, if there is one."""
    certificate: Certificate | None
    """That the numbers cannot all be rounded to the nearest; None where they can."""

    @property
    def feasible(self) -> bool:
        return self.certificate is None

    @property
    def slack_pp(self) -> float:
        """The least number of points by which all intervals must be widened alike."""
        return float(self.certificate.slack) if self.certificate else 0.0


def fit_row(values: Mapping[str, Printed]) -> RowFit:
    """Whether the printed metrics, by name and in percent, can hold for the same documents.

    Raises ValueError for a metric other than P@k and nDCG@k, k of 1..5 (see `is_modelled`), and for none.
    """
    if not values:
        raise ValueError("the linear programme needs a metric")
    ways: dict[Rounding, Certificate | None] = {}
    for way in PLAUSIBLE:
        images = [pre_image(number, way) for number in values.values()]
        ways[way] = _refutation(tuple(values), [(image.low / 100, image.high / 100) for image in images])
        if ways[way] is None:
            break
    return RowFit(next((way for way, proof in ways.items() if proof is None), None), ways["nearest"])


def _refutation(metrics: tuple[str, ...], ends: Sequence[Ends]) -> Certificate | None:
    """A proof that the row is impossible, or None."""
    import numpy as np  # here and in `simplex` only: not needed by papers without nDCG

    from audit.checks.simplex import least_widening

    low, high = (np.array([float(end[side]) for end in ends]) for side in (0, 1))
    try:
        found = least_widening(_points(metrics), low, high)
    except ArithmeticError:  # numerical trouble proves nothing
        return None
    if found.slack <= float(SAFETY) / 100:
        return None
    proof = certificate(metrics, ends, list(map(float, found.weights)))
    return proof if proof.slack > SAFETY else None


def certificate(metrics: Sequence[str], ends: Sequence[Ends], weights: Sequence[float]) -> Certificate:
    """The inequality that any weights give, exactly; it proves something only if its slack is above 0.

    `ends` are the least and greatest value of each metric as fractions of 1. Raises ValueError if all weights
    are 0.
    """
    greatest = max(map(abs, weights))
    if greatest == 0:
        raise ValueError("a certificate needs a weight that is not 0")
    whole = [round(weight / greatest * _WEIGHT_UNIT) for weight in weights]
    bounds = [metric_bounds(metric) for metric in metrics]
    # of low and high the one that the sign of the weight makes greater
    most = max(
        sum(w * of[column][w > 0] for w, of in zip(whole, bounds, strict=True))
        for column in range(len(cells()))
    )
    least = sum((w * end[w < 0] for w, end in zip(whole, ends, strict=True)), Fraction(0))
    return Certificate(
        {metric: Fraction(w, _WEIGHT_UNIT) for metric, w in zip(metrics, whole, strict=True)},
        Fraction(100 * most, UNIT * _WEIGHT_UNIT),
        100 * least / _WEIGHT_UNIT,
    )


@lru_cache(maxsize=64)
def _points(metrics: tuple[str, ...]) -> Array:
    """(metrics, cells): each metric of each cell as a fraction, in double precision."""
    import numpy as np

    sums = [[low + high for low, high in metric_bounds(metric)] for metric in metrics]
    return np.array(sums, dtype=np.float64).reshape(len(metrics), -1) / (2.0 * UNIT)
