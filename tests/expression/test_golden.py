"""Reference cases: gains, sentences against their own table, and what model sizes imply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.expression.tables import outcome, value
from tests.shared import shared
from tests.stats import golden

FILE = Path(__file__).resolve().parents[1] / "golden" / "expression.json"
ALL: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))


def cases(kind: str) -> Any:
    chosen = [case for case in ALL if case["kind"] == kind]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def test_the_copied_cases_equal_the_source() -> None:
    source = json.loads(shared("facts/golden_stats.json").read_text(encoding="utf-8"))
    kinds = {case["kind"] for case in ALL}
    assert [case for case in source if case["kind"] in kinds] == ALL


#: The quoted words of each case as a sentence, and whether the two cells bear it out.
QUOTED = {
    "around 12%": ("improvement(t.new.P@1, t.old.P@1) about 12%", "consistent"),
    "4%": ("improvement(t.new.P@1, t.old.P@1) = 4%", "consistent"),
    "at least 1%": ("improvement(t.new.P@1, t.old.P@1) at least 1%", "inconsistent"),
    "1% to 10%": (
        "improvement(t.new.P@1, t.old.P@1) at least 1% and improvement(t.new.P@1, t.old.P@1) at most 10%",
        "inconsistent",
    ),
}


@cases("relative_improvement")
def test_gains_are_exact_intervals_and_sentences_hold_in_either_reading(case: dict[str, Any]) -> None:
    cells = {"new": case["inputs"]["new"], "old": case["inputs"]["old"]}
    points, percent = value("improvement(t.new.P@1, t.old.P@1)", cells)
    golden.check(
        case,
        relative_percent=[float(percent.span.low), float(percent.span.high)],
        absolute_points=[float(points.face.low)],
    )
    (alone,) = value("relative_gain(t.new.P@1, t.old.P@1)", cells)
    assert alone.span == percent.span
    sentence, result = QUOTED[case["inputs"]["claim"]]
    assert outcome(sentence, cells).result == result


@cases("implied_bottleneck")
def test_two_model_sizes_imply_the_bottleneck(case: dict[str, Any]) -> None:
    given = case["inputs"]
    cells = {"s.with.GB": given["size_with"], "s.without.GB": given["size_without"]}
    text = f"bottleneck(s.with.GB, s.without.GB, {given['V']}, {given['blocks']})"
    gb, gib = value(text, cells)
    golden.check(
        case,
        R_if_GB=[float(gb.span.low), float(gb.span.high)],
        R_if_GiB=[float(gib.span.low), float(gib.span.high)],
    )
