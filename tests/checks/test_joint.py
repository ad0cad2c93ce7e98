"""P@k and nDCG@k of one experiment: some documents must give them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.checks import all_findings
from audit.checks.joint import joint
from tests.checks.made import Of, only, paper, table
from tests.stats import golden

NAMES = {"P1": "P@1", "P3": "P@3", "P5": "P@5", "N1": "nDCG@1", "N3": "nDCG@3", "N5": "nDCG@5"}


def sheet(values: Mapping[str, str | Of]) -> Any:
    return paper(table(values, {"a": list(values.values())}))


@golden.cases("metric_lp")
def test_reference_rows(case: dict[str, Any]) -> None:
    values = {NAMES[name]: text for name, text in case["inputs"].items() if name in NAMES}
    found = only(joint(sheet(values)))
    expected = case["expected"]
    assert (found.result == "consistent") == expected["feasible"]
    if not expected["feasible"]:
        assert f"by {expected['slack_pp']:.3f} points" in found.arithmetic


def test_a_column_that_does_not_go_with_another_is_one_finding_and_not_one_a_row() -> None:
    """nDCG@3 repeats P@3 in four rows of six, and nDCG@1 is not P@1 in two of these."""
    columns, sound = ["P@1", "P@3", "nDCG@1", "nDCG@3"], ["80.01", "60.01", "80.01", "66.01"]
    wrong = ["80.01", "40.01", "80.01", "40.01"], ["80.01", "40.01", "80.41", "40.01"]
    rows = {"a": wrong[0], "b": wrong[0], "c": wrong[1], "d": wrong[1], "e": sound, "f": sound}
    found = [it for it in all_findings([paper(table(columns, rows))]) if it.result == "inconsistent"]
    assert [it.id for it in found] == ["toy:feasible_row:t"]
    assert "in 4 of 6 rows" in found[0].arithmetic and len(found[0].cells) == 16
    assert found[0].alternatives[0] == "a column that holds another metric than its name says"
    few = {"a": wrong[0], "b": wrong[1], "e": sound, "f": sound}
    told = [it.id for it in all_findings([paper(table(columns, few))]) if it.result == "inconsistent"]
    assert len(told) == 3  # two rows are two slips
