"""Rows of P@k and nDCG@k: reference cases, honest rows in many sizes, proofs checked by the definition."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from audit.checks import simplex
from audit.checks.feasible_row import UNIT, cells, certificate, fit_row, metric_bounds
from audit.stats.printed import Printed, printed
from tests.checks.honest import honest_row
from tests.stats import golden

#: Rank-AE's FastXML row on Wiki10-31K, which no documents give.
IMPOSSIBLE = {
    "P@1": "83.03",
    "P@3": "67.47",
    "P@5": "57.76",
    "nDCG@1": "83.03",
    "nDCG@3": "75.35",
    "nDCG@5": "63.36",
}
XML_CNN = {
    "P@1": "76.38",
    "P@3": "62.81",
    "P@5": "51.41",
    "nDCG@1": "76.38",
    "nDCG@3": "66.28",
    "nDCG@5": "60.32",
}


def row(texts: Mapping[str, str]) -> dict[str, Printed]:
    return {metric: printed(text) for metric, text in texts.items()}


def named(inputs: Mapping[str, str]) -> dict[str, Printed]:
    """Of a reference case, which writes P1 and N3."""
    names = {f"{short}{k}": f"{long}@{k}" for short, long in (("P", "P"), ("N", "nDCG")) for k in range(1, 6)}
    return row({names[key]: text for key, text in inputs.items() if key in names})


@golden.cases("metric_lp")
def test_reference_rows(case: dict[str, Any]) -> None:
    found = fit_row(named(case["inputs"]))
    golden.check(case, feasible=found.feasible, slack_pp=found.slack_pp)
    assert (found.certificate is None) == found.feasible


def ends_of(values: Mapping[str, Printed]) -> list[tuple[Fraction, Fraction]]:
    """As fractions of 1."""
    return [(it.interval[0] / 100, it.interval[1] / 100) for it in values.values()]


@golden.cases("metric_lp_certificate")
def test_reference_certificates(case: dict[str, Any]) -> None:
    """The weights of the reference give its inequality; those found here, which differ, give one as good."""
    values = named(case["inputs"])
    weights = [
        case["expected"]["weights"][f"{name.replace('nDCG', 'N').replace('@', '')}"] for name in values
    ]
    theirs = certificate(tuple(values), ends_of(values), weights)
    golden.check(
        case,
        weights={
            f"{name.replace('nDCG', 'N').replace('@', '')}": float(w) for name, w in theirs.weights.items()
        },
        largest_possible_pp=float(theirs.largest_possible),
        smallest_reported_pp=float(theirs.smallest_reported),
    )
    ours = fit_row(values).certificate
    assert ours is not None
    assert ours.largest_possible < ours.smallest_reported
    assert ours.slack >= theirs.slack > 0
    assert max(abs(weight) for weight in ours.weights.values()) == 1


def sorts() -> Iterator[tuple[int, tuple[int, ...]]]:
    for labels in range(1, 6):
        for right in product((0, 1), repeat=5):
            if sum(right) <= labels:
                yield labels, right


def by_definition(metric: str, labels: int, right: tuple[int, ...]) -> float:
    family, k = metric[:-2], int(metric[-1])
    gained = [1 / math.log2(rank + 2) for rank in range(k) if right[rank]]
    if family == "P":
        return 100 * len(gained) / k
    return 100 * sum(gained) / sum(1 / math.log2(rank + 2) for rank in range(min(labels, k)))


DECIMALS = [1, 2, 3, 4]


@pytest.mark.parametrize("decimals", DECIMALS)
@pytest.mark.parametrize("label_free", [False, True])
@pytest.mark.parametrize("mixed", [False, True])
def test_honest_rows_are_never_called_impossible(decimals: int, label_free: bool, mixed: bool) -> None:
    """Small and large test sets, any of the metrics printed, with any labels and with their own counts."""
    rng = np.random.default_rng([decimals, label_free, mixed])
    for trial in range(100):
        documents = int(rng.choice([1, 2, 3, 5, 10, 30, 100, 1000]))
        honest = honest_row(rng, documents=documents, decimals=decimals, label_free=label_free, mixed=mixed)
        names = [name for name in honest.values if rng.random() < 0.7] or ["P@1"]
        values = {name: honest.values[name] for name in names}
        found = fit_row(values)
        assert found.feasible and found.rounding == "nearest" and found.slack_pp == 0, (trial, values)


def test_a_row_that_was_cut_is_said_to_be() -> None:
    """All first labels right: P@2 is 50 % at the least, or was 49.995 and cut."""
    found = fit_row(row({"P@1": "100.00", "P@2": "49.99"}))
    assert (found.feasible, found.rounding) == (False, "truncate")


def test_the_smallest_inconsistency_is_found_and_less_is_not() -> None:
    """P@1 and nDCG@1 are one number: 0.01 apart meets at the ends of the rounding, 0.02 does not."""
    assert fit_row(row({"P@1": "96.10", "nDCG@1": "96.11"})).feasible
    found = fit_row(row({"P@1": "96.10", "nDCG@1": "96.12"}))
    assert not found.feasible
    assert found.slack_pp == pytest.approx(0.005)
    assert fit_row(row({"P@1": "96.1000", "nDCG@1": "96.1001"})).feasible


def test_what_single_precision_can_hide_is_no_inconsistency() -> None:
    """Seven decimals of a percentage: 2e-6 points between two numbers are within the safety of 1e-5."""
    assert fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000020"})).feasible
    assert not fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000520"})).feasible


def test_weights_that_prove_nothing_prove_nothing() -> None:
    """Whatever the solver says: weights the other way round have no slack, and none at all are refused."""
    ends, metrics = ends_of(row(IMPOSSIBLE)), tuple(IMPOSSIBLE)
    proof = fit_row(row(IMPOSSIBLE)).certificate
    assert proof is not None
    weights = [float(weight) for weight in proof.weights.values()]
    assert certificate(metrics, ends, weights).slack == proof.slack > Fraction("0.9")
    assert certificate(metrics, ends, [-w for w in weights]).slack < 0
    halves = certificate(metrics, ends, [0.5, -1.0, 0, 0, 0, 0])
    twice = certificate(metrics, ends, [1.0, -2.0, 0, 0, 0, 0])
    assert halves == twice and halves.weights["P@3"] == -1
    with pytest.raises(ValueError, match="not 0"):
        certificate(metrics, ends, [0.0] * 6)


def test_a_solver_that_errs_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong weights, or none, leave the row possible: only the exact inequality counts."""
    real = simplex.least_widening

    def wrong(*args: Any, **keywords: Any) -> simplex.Widening:
        found = real(*args, **keywords)
        return simplex.Widening(0.5, np.ones_like(found.weights), found.shares)

    def lost(*args: Any, **keywords: Any) -> simplex.Widening:
        raise ArithmeticError

    for solver in (wrong, lost):
        monkeypatch.setattr(simplex, "least_widening", solver)
        assert fit_row(row(XML_CNN)).feasible
        assert fit_row(row(IMPOSSIBLE)).feasible


def test_planted_slips_are_found() -> None:
    """The tens of one number of an honest row of six moved by one: most such rows are impossible."""
    rng = np.random.default_rng(23)
    names = ("P@1", "P@3", "P@5", "nDCG@1", "nDCG@3", "nDCG@5")
    found = 0
    for trial in range(100):
        honest = honest_row(rng, documents=200, decimals=2).values
        name = names[trial % 6]
        slipped = honest[name].value + (10 if honest[name].value < 50 else -10)
        found += not fit_row(
            {**{it: honest[it] for it in names}, name: printed(f"{float(slipped):.2f}")}
        ).feasible
    assert found > 70


# --------------------------------------------------------------------------- its parts


@pytest.mark.parametrize("metric", [f"{family}@{k}" for family in ("P", "nDCG") for k in range(1, 6)])
def test_every_bound_holds_the_metric_of_its_sort_of_document_and_is_close(metric: str) -> None:
    for cell, (low, high) in zip(cells(), metric_bounds(metric), strict=True):
        right = tuple(map(int, cell.right))
        value = by_definition(metric, cell.labels, right) / 100 if cell.labels else 0.0
        assert 0 <= high - low <= 64
        assert (low + high) / 2 / UNIT == pytest.approx(value, abs=1e-14)


def test_the_least_widening_is_that_of_a_general_solver() -> None:
    """And the mixture comes that close, and no point gets past the weights."""
    rng = np.random.default_rng(1)
    widened = 0
    for _ in range(300):
        metrics, size = int(rng.integers(1, 9)), int(rng.integers(2, 60))
        points = rng.choice([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0], size=(metrics, size))
        mixed = points @ rng.dirichlet(np.full(size, 0.3))
        middle = mixed if rng.random() < 0.5 else rng.random(metrics)
        half = rng.choice([0.5e-4, 0.5e-3, 0.0], size=metrics)
        low, high = middle - half, middle + half
        found = simplex.least_widening(points, low, high)
        widen = -np.ones((metrics, 1))
        expected = linprog(
            np.concatenate([np.zeros(size), [1.0]]),
            A_ub=np.vstack([np.hstack([points, widen]), np.hstack([-points, widen])]),
            b_ub=np.concatenate([high, -low]),
            A_eq=np.concatenate([np.ones(size), [0.0]])[None],
            b_eq=[1.0],
            method="highs",
        ).fun
        assert found.slack == pytest.approx(expected, abs=1e-9)
        reached = points @ found.shares
        assert max((reached - high).max(), (low - reached).max()) <= found.slack + 1e-9
        widened += expected > 1e-6
    assert 75 < widened < 225


def test_bland_s_rule_ends_where_steps_gain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first step on, and with the same answers; no end is an error."""
    values = row(IMPOSSIBLE)
    usual = fit_row(values).slack_pp
    monkeypatch.setattr(simplex, "_PATIENCE", 0)
    assert fit_row(values).slack_pp == pytest.approx(usual)
    monkeypatch.setattr(simplex, "_MOST_STEPS", 1)
    assert fit_row(values).feasible
