"""Expressions over cells: which numbers they are about, and what is said where there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from audit.checks.formulas import formulas
from audit.record import Finding
from tests.checks.made import Of, only, paper, states, table

TABLES = (
    table(["P@1", "P@3"], {"a": ["76.38", "62.81"], "b": ["74.28", "58.98"], "c": ["75.00", None]}),
    table(
        [Of(id="size", quantity="model_size", unit="GB")],
        {"a": ["1.50"], "b": ["1.2"]},
        id="cost",
    ),
)


def found_for(expect: str, *, kind: str = "arithmetic", metric: str = "", **given: Any) -> Finding:
    claim = states(kind, metric=metric, expect=expect, **({"given": given} if given else {}))
    return only(formulas(paper(*TABLES, says=[claim])))


@pytest.mark.parametrize(
    ("expect", "result"),
    [
        ("gain(t.a.P@1, t.b.P@1) = 2.10", "consistent"),
        ("gain(t.a.P@1, t.b.P@1) at least 2.11", "untestable"),  # 2.09..2.11
        ("gain(t.a.P@1, t.b.P@1) more than 2.11", "inconsistent"),
        ("relative_gain(t.a.P@1, t.b.P@1) about 2.8", "consistent"),  # 2.827
        ("t.a.P@1 > t.b.P@1 and t.a.P@3 > t.b.P@3", "consistent"),
        ("rank(t.a.P@1) = 1", "consistent"),
        ("rank(t.b.P@1) <= 2", "inconsistent"),
        ("max(others(t.b.P@1)) = 76.38", "consistent"),
        ("min(t.*.P@3) = 58.98", "consistent"),  # dashes are no numbers
        ("max(t.*.P@3) = 62.81", "consistent"),
        ("max(t.a.*) = 76.38", "consistent"),
        ("gain(cost.a.size, cost.b.size) about 0.3", "consistent"),
    ],
)
def test_a_sentence_is_held_against_the_cells(expect: str, result: str) -> None:
    found = found_for(expect)
    assert (found.check, found.result) == ("sentence", result)
    assert found.alternatives[0].startswith("the sentence speaks roughly")


def test_the_claim_s_metric_picks_the_column() -> None:
    assert found_for("gain(t.a, t.b) about 3.83", metric="P@3").result == "consistent"
    assert found_for("gain(t.a, t.b) about 3.83", metric="P@1").result == "inconsistent"
    assert found_for("max(t.*) = 62.81", metric="P@3").cells == ("t.a.P@3", "t.b.P@3")
    assert found_for("max(t.b) = 58.98", metric="P@3").cells == ("t.b.P@3",)


def test_constants_are_exact_or_printed() -> None:
    """75 as a number is no printed 75, which may be 74.5."""
    assert found_for("t.c.P@1 - n > 0.4", n="75").result == "untestable"
    assert found_for("t.c.P@1 - n > 0.4", n=75).result == "inconsistent"
    assert found_for("x = 0.1 * 3", x=0.3).result == "consistent"
    assert found_for("x < 1", x=1e-05).result == "consistent"


def test_a_structural_formula_has_its_own_name_and_reasons() -> None:
    found = found_for("2 * V * R + R + V = 7", kind="structural", V=2, R=1)
    assert (found.check, found.result, found.cells) == ("structure", "consistent", ())
    assert found.id == "toy:structure:claim"
    assert "formula" in found.alternatives[0]


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ("t.c.P@3 > 1", "t.c.P@3 prints no number"),
        ("t.z.P@1 > 1", "'z'"),
        ("u.a.P@1 > 1", "'u'"),
        ("t.a.P@9 > 1", "'P@9'"),
        ("t.a.P@1 >", ""),
        ("t.a.P@1 / (t.b.P@1 - t.b.P@1) > 1", "division"),
        ("max(t.z.*) > 1", "no numbers"),
    ],
)
def test_what_cannot_be_evaluated_cannot_be_told(expect: str, reason: str) -> None:
    found = found_for(expect)
    assert found.result == "untestable" and reason in found.arithmetic


def test_the_cells_of_a_sentence_are_named_once() -> None:
    found = found_for("gain(t.a.P@1, t.b.P@1) > 0 and t.a.P@1 > 70")
    assert found.cells == ("t.a.P@1", "t.b.P@1")


def test_statements_without_an_expression_are_passed_over() -> None:
    sheet = paper(*TABLES, says=[states("order", "t.a.P@1", "t.b.P@1")])
    assert list(formulas(sheet)) == []


def test_a_reading_that_was_chosen_after_the_table_was_seen_is_no_evidence_for_the_sentence() -> None:
    """It is marked, cannot be consistent, and is inconsistent where not even that reading holds."""
    claims = {
        expect: replace(states("arithmetic", expect=expect, metric=""), note="In one way.", fitted=True)
        for expect in ("t.a.P@1 > t.b.P@1", "t.a.P@1 < t.b.P@1")
    }
    holds, fails = formulas(paper(*TABLES, says=claims.values()))
    assert (holds.result, fails.result) == ("untestable", "inconsistent")
    assert "after the table was seen" in holds.arithmetic
    assert holds.note == fails.note == "In one way. (Chosen after the table was seen.)"
