"""Rows of P@k and nDCG@k: reference cases, honest rows in many sizes, proofs checked by the definition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from audit.checks import all_findings, feasible
from audit.checks.feasible import UNIT, cells, fit_row, joint, metric_bounds
from audit.checks.tables import LABEL_FREE, OF_LABELS
from audit.stats.printed import Printed, printed
from tests.checks.honest import honest_row
from tests.checks.made import paper, table
from tests.stats import golden


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


def by_definition(metric: str, labels: int, right: tuple[int, ...]) -> float:
    family, k = metric[:-2], int(metric[-1])
    gained = [1 / math.log2(rank + 2) for rank in range(k) if right[rank]]
    if family == "P":
        return 100 * len(gained) / k
    return 100 * sum(gained) / sum(1 / math.log2(rank + 2) for rank in range(min(labels, k)))


DECIMALS = [1, 2, 4]


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


def test_what_single_precision_can_hide_is_no_inconsistency() -> None:
    """Seven decimals of a percentage: 2e-6 points between two numbers are within the safety of 1e-5."""
    assert fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000020"})).feasible
    assert not fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000520"})).feasible


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
    rng = np.random.default_rng(1)
    widened = 0
    for _ in range(300):
        metrics, size = int(rng.integers(1, 9)), int(rng.integers(2, 60))
        points = rng.choice([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0], size=(metrics, size))
        mixed = points @ rng.dirichlet(np.full(size, 0.3))
        middle = mixed if rng.random() < 0.5 else rng.random(metrics)
        half = rng.choice([0.5e-4, 0.5e-3, 0.0], size=metrics)
        low, high = middle - half, middle + half
        slack, _ = feasible.least_widening(points, low, high)
        widen = -np.ones((metrics, 1))
        expected = linprog(
            np.concatenate([np.zeros(size), [1.0]]),
            A_ub=np.vstack([np.hstack([points, widen]), np.hstack([-points, widen])]),
            b_ub=np.concatenate([high, -low]),
            A_eq=np.concatenate([np.ones(size), [0.0]])[None],
            b_eq=[1.0],
            method="highs",
        ).fun
        assert slack == pytest.approx(expected, abs=1e-9)
        widened += expected > 1e-6
    assert 75 < widened < 225


# --------------------------------------------------------------------------- in a table


def test_a_column_that_does_not_go_with_another_is_one_finding_and_not_one_a_row() -> None:
    """nDCG@3 repeats P@3 in four rows of six, and nDCG@1 is not P@1 in two of these."""
    columns, sound = ["P@1", "P@3", "nDCG@1", "nDCG@3"], ["80.01", "60.01", "80.01", "66.01"]
    wrong = ["80.01", "40.01", "80.01", "40.01"], ["80.01", "40.01", "80.41", "40.01"]
    rows = {"a": wrong[0], "b": wrong[0], "c": wrong[1], "d": wrong[1], "e": sound, "f": sound}
    found = [it for it in all_findings([paper(table(columns, rows))]) if it.result == "inconsistent"]
    assert [it.id for it in found] == ["toy:feasible_row:t"]
    assert "in 4 of 6 rows" in found[0].arithmetic and len(found[0].cells) == 16
    assert found[0].alternatives[0] == "a column whose metric is not the one it names"
    few = {"a": wrong[0], "b": wrong[1], "e": sound, "f": sound}
    told = [it.id for it in all_findings([paper(table(columns, few))]) if it.result == "inconsistent"]
    assert len(told) == 3  # two rows are two slips


@pytest.mark.parametrize(
    ("rows", "cause"),
    [
        # 28 of 211 documents have no labels: 0 in P@k, not counted in nDCG@k
        ([["82.46", "55.92", "38.58", "94.10", "95.28"]], LABEL_FREE),
        ([["80.88", "79.01", "85.83", "78.44", "81.90"]], OF_LABELS),
        # one program has one definition
        ([["80.88", "79.01", "85.83", "78.44", "81.90"], ["80.01", "60.01", "50.01", "66.01", "67.01"]], ""),
    ],
)
def test_a_row_that_another_usual_definition_gives_is_not_inconsistent(
    rows: list[list[str]], cause: str
) -> None:
    columns = ["P@1", "P@3", "P@5", "nDCG@3", "nDCG@5"]
    found = next(joint(paper(table(columns, dict(zip("ab", rows, strict=False))))))
    assert found.result == ("untestable" if cause else "inconsistent")
    assert found.alternatives[0] == (cause or "a misprint or an extraction error in the table")
    assert "by the usual definitions, over the same documents" in found.arithmetic
