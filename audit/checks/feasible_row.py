"""Whether any set of documents can give a row of P@k and nDCG@k: by linear programme, with a proof if not.

What the solver says of an impossible row is never taken on trust: its dual variables are weights w for which

    the sum of w x metric is at most A for every document, but at least B for the printed numbers, and A < B.

That is recomputed here in whole numbers and fractions, with bounds for the irrational discounts. A row
without such a proof counts as possible. Means over runs, and nDCG normalised over all k ranks, are possible
rows, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from audit.checks.label_caps import LabelCounts, as_shares
from audit.checks.label_cells import RANKS, UNIT, LabelFree, cells, metric_bounds
from audit.checks.rounding import PLAUSIBLE, Rounding, pre_image
from audit.stats.printed import Printed

if TYPE_CHECKING:
    from audit.checks.simplex import Array

#: Points beyond which a row is impossible: metrics that were held in single precision are that far off.
SAFETY = Fraction(1, 10**5)
_WEIGHT_UNIT = 1 << 30

Ends = tuple[Fraction, Fraction]
Classes = Sequence[tuple[Sequence[int], Fraction]]
"""Which cells share a known part of the documents, and that part."""


@dataclass(frozen=True)
class Certificate:
    """A weighted sum of the metrics that no documents bring to what the row has at least."""

    weights: Mapping[str, Fraction]
    """By metric; the greatest is 1 or -1."""
    largest_possible: Fraction
    """In points, for any documents (or for those with the label counts given)."""
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

    feasible: bool
    """Whether the numbers can all be rounded to the nearest; False only with a certificate."""
    rounding: Rounding | None
    """The first of `nearest`, `truncate`, `ceil` by which the row is possible, if there is one."""
    slack_pp: float
    """The least number of points by which all intervals must be widened alike; 0 for a possible row."""
    certificate: Certificate | None


def fit_row(
    values: Mapping[str, Printed],
    *,
    labels: LabelCounts | None = None,
    label_free: LabelFree = "zero",
    scale: int = 100,
) -> RowFit:
    """Whether the printed metrics, by name and in percent (`scale` 100), can hold for the same documents.

    With `labels`, how many test documents have 0, 1, 2, ... labels ({5: 1}: all have 5 or more), far fewer
    rows are possible; those without are then to be counted under 0. Without `labels`, documents may have any,
    also none if these count 0 in nDCG; with `label_free="one"` they may count 1 there instead.
    Raises ValueError for a metric other than P@k and nDCG@k, k of 1..5 (see `is_modelled`), for no metric,
    and for `labels` that do not go up to 5 ({..., 5: 0} where nobody has as many).
    """
    if not values:
        raise ValueError("the linear programme needs a metric")
    classes = _classes(labels)
    ways: dict[Rounding, Certificate | None] = {}
    for way in PLAUSIBLE:
        images = [pre_image(number, way) for number in values.values()]
        ends = [(Fraction(image.low) / scale, Fraction(image.high) / scale) for image in images]
        ways[way] = _refutation(tuple(values), ends, classes, label_free)
        if ways[way] is None:
            break
    proof = ways["nearest"]
    rounding = next((way for way, refuted in ways.items() if refuted is None), None)
    return RowFit(proof is None, rounding, float(proof.slack) if proof else 0.0, proof)


def _refutation(
    metrics: Sequence[str], ends: Sequence[Ends], classes: Classes, label_free: LabelFree
) -> Certificate | None:
    """A proof that the row is impossible, or None."""
    import numpy as np  # here and in `simplex` only: not needed by papers without nDCG

    from audit.checks.simplex import least_widening

    low, high = (np.array([float(end[side]) for end in ends]) for side in (0, 1))
    columns = [column for held, _ in classes for column in held]
    places = {column: place for place, column in enumerate(columns)}
    try:
        found = least_widening(
            _points(tuple(metrics), label_free)[:, columns],
            low,
            high,
            classes=[[places[column] for column in held] for held, _ in classes],
            totals=[float(total) for _, total in classes],
        )
    except ArithmeticError:  # numerical trouble proves nothing
        return None
    if found.slack <= float(SAFETY) / 100:
        return None
    proof = certificate(metrics, ends, list(map(float, found.weights)), classes, label_free)
    return proof if proof.slack > SAFETY else None


def certificate(
    metrics: Sequence[str],
    ends: Sequence[Ends],
    weights: Sequence[float],
    classes: Classes,
    label_free: LabelFree = "zero",
) -> Certificate:
    """The inequality that any weights give, exactly; it proves something only if its slack is above 0.

    `ends` are the least and greatest value of each metric as fractions of 1. Raises ValueError if all weights
    are 0.
    """
    greatest = max(map(abs, weights))
    if greatest == 0:
        raise ValueError("a certificate needs a weight that is not 0")
    whole = [round(weight / greatest * _WEIGHT_UNIT) for weight in weights]
    held = [metric_bounds(metric, label_free) for metric in metrics]
    most = Fraction(0)
    for columns, total in classes:
        # of low and high the one that the sign of the weight makes greater
        sums = (sum(w * of[column][w > 0] for w, of in zip(whole, held, strict=True)) for column in columns)
        most += total * max(sums)
    least = sum((w * end[w < 0] for w, end in zip(whole, ends, strict=True)), Fraction(0))
    return Certificate(
        {metric: Fraction(w, _WEIGHT_UNIT) for metric, w in zip(metrics, whole, strict=True)},
        100 * most / (UNIT * _WEIGHT_UNIT),
        100 * least / _WEIGHT_UNIT,
    )


@lru_cache(maxsize=64)
def _points(metrics: tuple[str, ...], label_free: LabelFree) -> Array:
    """(metrics, cells): each metric of each cell as a fraction, in double precision."""
    import numpy as np

    held = [[low + high for low, high in metric_bounds(metric, label_free)] for metric in metrics]
    return np.array(held, dtype=np.float64).reshape(len(metrics), -1) / (2.0 * UNIT)


def _classes(labels: LabelCounts | None) -> Classes:
    """Without label counts, one class of all cells; else one of each count that occurs."""
    if labels is None:
        return [(range(len(cells())), Fraction(1))]
    shares = as_shares(labels)
    if max(shares) < RANKS:
        raise ValueError(f"label counts must tell who has {RANKS} labels or more, got {dict(labels)!r}")
    totals = [Fraction(0)] * (RANKS + 1)
    for count, share in shares.items():
        totals[min(count, RANKS)] += share
    return [
        ([column for column, cell in enumerate(cells()) if cell.labels == count], total)
        for count, total in enumerate(totals)
        if total
    ]
