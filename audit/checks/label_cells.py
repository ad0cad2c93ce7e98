"""The sorts of documents that P@k and nDCG@k up to k = 5 tell apart, with exact bounds of their metrics.

A document has 1, 2, 3, 4 or at least 5 labels, and some of its first five ranks are right, no more than it
has labels: 6 + 16 + 26 + 31 + 32 = 111 cells, and one more without labels. In each a metric is one number:

    P@k    = hits among the first k ranks / k
    nDCG@k = sum of 1/log2(rank + 1) over these hits / the same sum over the first min(k, labels) ranks

(Järvelin and Kekäläinen 2002 with binary gains; as in pyxclib, `xclib/evaluation/xc_metrics.py`.) So a row
of a table, which averages over documents and perhaps runs, is a mixture of cells. nDCG divided by the sum
over all k ranks is that of the cells with 5 labels: rows by that definition are mixtures, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import Literal

from audit.expression.interval import Interval, logarithm, point

RANKS = 5
#: Metrics are held as whole numbers of 1/UNIT, so that they are summed without rounding.
UNIT = 1 << 60

LabelFree = Literal["zero", "one"]
"""What nDCG counts for a document without labels, P@k counting 0. Where both skip it, it is no document."""

_METRIC = re.compile(rf"(?P<family>P|nDCG)@(?P<k>[1-{RANKS}])")


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
def metric_bounds(metric: str, label_free: LabelFree = "zero") -> tuple[tuple[int, int], ...]:
    """For each cell whole numbers (low, high) with low <= UNIT x metric <= high; the metric is a fraction.

    They are equal for P@1, and otherwise close to what UNIT resolves: logarithms are irrational.
    Raises ValueError for a metric that is not modelled.
    """
    match = _METRIC.fullmatch(metric)
    if match is None:
        raise ValueError(f"the linear programme knows P@1..P@5 and nDCG@1..nDCG@5, not {metric!r}")
    k = int(match["k"])
    value = _precision if match["family"] == "P" else _ndcg
    found = []
    for cell in cells():
        exact = value(cell, k) if cell.labels or value is _precision else point(label_free == "one")
        found.append((floor(exact.low * UNIT), ceil(exact.high * UNIT)))
    return tuple(found)


def _precision(cell: Cell, k: int) -> Interval:
    return point(Fraction(sum(cell.right[:k]), k))


def _ndcg(cell: Cell, k: int) -> Interval:
    """Two sums of discounts are the same interval where they are the same sum: exactly 1."""
    gained = tuple(rank for rank in range(1, k + 1) if cell.right[rank - 1])
    ideal = tuple(range(1, min(k, cell.labels) + 1))
    if gained in ((), ideal):
        return point(gained == ideal)
    return _discounts(gained) / _discounts(ideal)


@lru_cache(maxsize=64)
def _discounts(ranks: Sequence[int]) -> Interval:
    return sum((point(1) / logarithm(point(rank + 1)) for rank in ranks), point(0))
