"""The linear programme of a row, against a general solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from audit.checks.simplex import Array, least_widening


def by_highs(points: Array, low: Array, high: Array, classes: list[list[int]], totals: list[float]) -> float:
    metrics, size = points.shape
    widen = -np.ones((metrics, 1))
    sums = np.zeros((len(classes), size + 1))
    for row, columns in enumerate(classes):
        sums[row, columns] = 1.0
    found = linprog(
        np.concatenate([np.zeros(size), [1.0]]),
        A_ub=np.vstack([np.hstack([points, widen]), np.hstack([-points, widen])]),
        b_ub=np.concatenate([high, -low]),
        A_eq=sums,
        b_eq=totals,
        method="highs",
    )
    assert found.status == 0
    return float(found.fun)


def random_programme(rng: np.random.Generator) -> tuple[Array, Array, Array, list[list[int]], list[float]]:
    """Points with many ties, as those of metrics are; about half of the rows are a mixture of them."""
    metrics, size = int(rng.integers(1, 9)), int(rng.integers(2, 60))
    points = rng.choice([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0], size=(metrics, size))
    classes = [list(part) for part in np.array_split(rng.permutation(size), int(rng.integers(1, 4)))]
    classes = [columns for columns in classes if columns]
    totals = rng.dirichlet(np.ones(len(classes)))
    if rng.random() < 0.5:
        middle = sum(
            total * points[:, columns] @ rng.dirichlet(np.full(len(columns), 0.3))
            for columns, total in zip(classes, totals, strict=True)
        )
    else:
        middle = rng.random(metrics)
    half = rng.choice([0.5e-4, 0.5e-3, 0.0], size=metrics)
    return points, middle - half, middle + half, classes, totals.tolist()


def test_the_least_widening_is_that_of_a_general_solver() -> None:
    rng = np.random.default_rng(1)
    widened = 0
    for _ in range(600):
        points, low, high, classes, totals = random_programme(rng)
        found = least_widening(points, low, high, classes=classes, totals=totals)
        expected = by_highs(points, low, high, classes, totals)
        assert found.slack == pytest.approx(expected, abs=1e-9)
        widened += expected > 1e-6
    assert 150 < widened < 450


def test_the_mixture_and_the_weights_bear_the_slack_out() -> None:
    """From above by the mixture, which is that close; from below by the weights, which no point gets past."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        points, low, high, classes, totals = random_programme(rng)
        found = least_widening(points, low, high, classes=classes, totals=totals)
        for columns, total in zip(classes, totals, strict=True):
            assert found.shares[columns].sum() == pytest.approx(total, abs=1e-9)
        reached = points @ found.shares
        assert max((reached - high).max(), (low - reached).max()) <= found.slack + 1e-9
        w = found.weights
        if found.slack > 1e-6:
            most = sum(t * (w @ points[:, c]).max() for c, t in zip(classes, totals, strict=True))
            least = np.where(w > 0, low, high) @ w
            assert (least - most) / abs(w).sum() == pytest.approx(found.slack, abs=1e-9)


def test_a_row_of_two_numbers_by_hand() -> None:
    """One metric that is 0 or 1 and twice printed: 0.2 and 0.5, exactly: each must give way by 0.15."""
    points = np.array([[0.0, 1.0], [0.0, 1.0]])
    ends = np.array([0.2, 0.5])
    found = least_widening(points, ends, ends, classes=[[0, 1]], totals=[1.0])
    assert found.slack == pytest.approx(0.15)
    assert found.weights[1] == pytest.approx(-found.weights[0])
    assert points[0] @ found.shares == pytest.approx(0.35)


def test_bland_s_rule_ends_where_steps_gain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first step on, and with the same answers."""
    monkeypatch.setattr("audit.checks.simplex._PATIENCE", 0)
    rng = np.random.default_rng(3)
    for _ in range(100):
        points, low, high, classes, totals = random_programme(rng)
        found = least_widening(points, low, high, classes=classes, totals=totals)
        assert found.slack == pytest.approx(by_highs(points, low, high, classes, totals), abs=1e-9)


def test_no_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.checks.simplex._MOST_STEPS", 0)
    with pytest.raises(ArithmeticError, match="did not end"):
        least_widening(np.eye(2), np.ones(2), np.ones(2), classes=[[0, 1]], totals=[1.0])
