"""The least widening that lets intervals meet a mixture of points: a small linear programme, solved in place.

    minimise s >= 0  so that  low - s <= points @ shares <= high + s,  shares >= 0, and their sum is 1.

A tableau of twenty rows is solved here in half a millisecond; a general solver takes longer to be called, and
longer still to be imported. Its answer is double precision and no proof: see `feasible_row` for what is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Below this a number in the tableau, whose entries are about 1, is rounding error.
EPSILON = 1e-10
#: After so many steps without an end, Bland's rule, under which no basis comes twice.
_PATIENCE = 100
_MOST_STEPS = 2000


@dataclass(frozen=True)
class Widening:
    """Where the programme ended."""

    slack: float
    weights: Array
    """(metrics,): the separating direction, from the dual variables; of no use if the slack is 0."""
    shares: Array
    """(points,): the mixture that comes closest."""


def least_widening(points: Array, low: Array, high: Array) -> Widening:
    """`points` is (metrics, points), `low` and `high` (metrics,).

    Raises ArithmeticError if the steps do not come to an end.
    """
    tableau, basis = _start(points, low, high)
    size = points.shape[1]
    for step in range(_MOST_STEPS):
        # the last row is the objective: what each variable would change it by
        entering = _entering(tableau[-1, :-1], bland=step >= _PATIENCE)
        if entering is None or tableau[-1, -1] >= -EPSILON:
            return _read(tableau, basis, size, len(low))
        _pivot(tableau, basis, _leaving(tableau, basis, entering, size), entering)
    raise ArithmeticError(f"a linear programme of {points.shape} points did not end")


def _start(points: Array, low: Array, high: Array) -> tuple[Array, list[int]]:
    """A tableau in a feasible basis: one point holds the whole share, and s is as wide as it takes.

    Columns: shares, s, slack of `high` by metric, slack of `low` by metric, right-hand side.
    """
    metrics, size = points.shape
    rows = 2 * metrics + 1
    tableau = np.zeros((rows + 1, size + 1 + 2 * metrics + 1))
    tableau[:metrics, :size], tableau[metrics : 2 * metrics, :size] = points, -points
    tableau[: 2 * metrics, size] = -1.0
    tableau[: 2 * metrics, size + 1 : -1] = np.eye(2 * metrics)
    tableau[:metrics, -1], tableau[metrics : 2 * metrics, -1] = high, -low
    tableau[2 * metrics, :size], tableau[2 * metrics, -1] = 1.0, 1.0
    tableau[-1, size] = 1.0
    basis = [*range(size + 1, size + 1 + 2 * metrics), -1]
    # the point nearest to the row is a good one to start from
    nearest = int(np.abs(points - ((low + high) / 2)[:, None]).sum(axis=0).argmin())
    _pivot(tableau, basis, 2 * metrics, nearest)
    worst = int(tableau[: 2 * metrics, -1].argmin())
    if tableau[worst, -1] < 0.0:
        _pivot(tableau, basis, worst, size)
    return tableau, basis


def _entering(reduced: Array, *, bland: bool) -> int | None:
    if bland:
        falling = np.flatnonzero(reduced < -EPSILON)
        return int(falling[0]) if falling.size else None
    steepest = int(reduced.argmin())
    return steepest if reduced[steepest] < -EPSILON else None


def _leaving(tableau: Array, basis: Sequence[int], entering: int, size: int) -> int:
    """The row that reaches 0 first; among equals the one of s, which ends it, then the first variable."""
    column = tableau[:-1, entering]
    rows = np.flatnonzero(column > EPSILON)
    if not rows.size:
        raise ArithmeticError("a linear programme that is bounded below was found not to be")
    ratios = tableau[rows, -1] / column[rows]
    ties = rows[ratios <= ratios.min() + EPSILON]
    return int(min(ties, key=lambda row: (basis[row] != size, basis[row])))


def _pivot(tableau: Array, basis: list[int], row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    factors = tableau[:, column].copy()
    factors[row] = 0.0
    tableau -= np.outer(factors, tableau[row])
    basis[row] = column


def _read(tableau: Array, basis: Sequence[int], size: int, metrics: int) -> Widening:
    shares = np.zeros(size)
    for row, variable in enumerate(basis):
        if variable < size:
            shares[variable] = max(tableau[row, -1], 0.0)
    above, below = tableau[-1, size + 1 : -1].reshape(2, metrics)
    return Widening(max(-float(tableau[-1, -1]), 0.0), below - above, shares)
