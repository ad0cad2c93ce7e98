"""Tables in fractions of 1 beside runs and tables in percent: converted exactly, or refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from audit.checks import all_findings
from audit.claims.load import Paper, load
from audit.errors import ClaimFileError
from audit.judging.assemble import sheet_of
from audit.stats.printed import in_percent, printed
from tests.judging.made import arms, judge
from tests.test_claim import edited

FRACTION = (
    "dataset: one\n    columns: [P@1, P@3]\n",
    "dataset: one\n    unit: fraction\n    columns: [P@1, P@3]\n",
)
VALUES = [
    ('values: ["76.38", "62.81"]', 'values: ["0.7638", "0.6281"]'),
    ('values: ["75.50", null]', 'values: ["0.755", null]'),
    ('values: ["70.00", "60.00"]', 'values: ["0.7000", "0.6000"]'),
]


def paper(folder: Path, *edits: tuple[str, str]) -> Paper:
    path = folder / "small.yaml"
    path.write_text(edited(FRACTION, *VALUES, *edits))
    return load(path)


@given(some.integers(0, 10**6), some.integers(2, 6))
def test_the_percentage_has_the_value_and_the_rounding_of_the_fraction(units: int, decimals: int) -> None:
    """100 times the value, and 100 times the half unit: nothing is rounded."""
    units %= 10**decimals + 1
    text = f"{units // 10**decimals}.{units % 10**decimals:0{decimals}d}"
    before, after = printed(text), printed(in_percent(text))
    assert after.value == 100 * before.value == Fraction(units, 10 ** (decimals - 2))
    assert after.half_unit == 100 * before.half_unit


@pytest.mark.parametrize("text", ["76.38", "-0.10", "1.01", "0.7", "1", "0.50%"])
def test_what_is_no_fraction_of_enough_digits_is_not_converted(text: str) -> None:
    with pytest.raises(ValueError, match="fraction"):
        in_percent(text)


def test_a_printed_fraction_is_judged_against_runs_in_percent(tmp_path: Path) -> None:
    """0.7638 is 76.38 %, rounded to 0.005 points; its margin is half a point."""
    (value, _) = [it for it in paper(tmp_path).claim_records() if it.claim == "ours-value"]
    assert value.printed == ("76.38",)
    assert value.margin is not None
    assert value.margin.value == 0.5
    verdict = judge(value, arms(ours=[76.3, 76.4, 76.5, 76.35, 76.4]))
    assert (verdict.outcome, verdict.target) == ("reproduced", 76.38)


def test_the_digits_of_a_fraction_stay_its_digits(tmp_path: Path) -> None:
    """0.755 is 75.5 and not 75.50; its gap to 0.7638 is 0.88 points, half of which is the margin."""
    order = next(it for it in paper(tmp_path).claim_records() if it.claim == "ours-wins")
    assert order.printed == ("76.38", "75.5")
    by_rule = paper(tmp_path, ("value: 0.5, rule: field, ", ""))
    margins = [it.margin.value for it in by_rule.claim_records() if it.claim == "ours-value" and it.margin]
    assert margins == [0.44, 0.44]


def test_the_table_keeps_what_is_printed(tmp_path: Path) -> None:
    (first, *_) = [row.cells[0] for table in paper(tmp_path).table_records() for row in table.rows]
    assert (first.printed, first.unit) == ("0.7638", "fraction")


def test_a_claim_across_units_is_held_against_its_tables(tmp_path: Path) -> None:
    """2.5 in percent beside 0.7638: as good as each other it is not; 0.7638 beside 0.755 is, with 1 point."""
    text = (
        "right: t1.ours.P@1, says: Same",
        "right: t1.ours.P@1, says: Same, margin: {rule: lenient, why: x}",
    )
    sheet = sheet_of(paper(tmp_path, text))
    found = {it.claim: it for it in all_findings([sheet]) if it.check == "sentence"}
    assert found["no-loss:P@1"].result == "untestable"
    assert "2.5 - 76.38 = -73.88" in found["no-loss:P@1"].arithmetic
    near = paper(tmp_path, text, ("left: t2.d.large", "left: t1.base.P@1"))
    found = {it.claim: it for it in all_findings([sheet_of(near)]) if it.check == "sentence"}
    assert "75.5 - 76.38 = -0.88, within 1" in found["no-loss:P@1"].arithmetic
    assert found["no-loss:P@1"].result == "consistent"
    assert found["ours-wins:P@1"].result == "consistent"


def test_a_formula_over_two_units_is_not_worked_out(tmp_path: Path) -> None:
    claim = (
        "claims:\n",
        "claims:\n  - {id: sum, kind: arithmetic, expect: t1.ours.P@1 < t2.d.small, says: x,\n"
        "     where: {page: 1}}\n",
    )
    found = [it for it in all_findings([sheet_of(paper(tmp_path, claim))]) if it.claim == "sum"]
    assert [it.result for it in found] == ["untestable"]
    assert "some of its numbers are in percent and others fractions of 1" in found[0].arithmetic


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([("unit: fraction", "unit: hours")], ":13: tables.t1.unit: ours.P@1 is of a metric, and in 'hours'"),
        ([('"0.7638"', '"76.38"')], ":16: tables.t1.rows[0].values[0]: '76.38' is no fraction of 1"),
        (
            [('"0.755"', '"0.8"')],
            ":38: claims[0].worse: t1.base.P@1 prints '0.8', a fraction with fewer than",
        ),
    ],
)
def test_units_that_cannot_be_are_refused_with_their_line(
    tmp_path: Path, edits: list[tuple[str, str]], said: str
) -> None:
    path = tmp_path / "small.yaml"
    text = edited(FRACTION, *VALUES)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    with pytest.raises(ClaimFileError) as caught:
        load(path)
    assert said in str(caught.value)


def test_a_claim_of_one_system_s_hours_can_be_stated(tmp_path: Path) -> None:
    """It names no second system, and is judged by no run."""
    hours = (
        "claims:\n",
        "claims:\n  - {id: hours, kind: cost, cheaper: ours, quantity: training_time, says: Two hours,\n"
        "     where: {page: 1}}\n",
    )
    claim = next(it for it in paper(tmp_path, hours).claim_records() if it.claim == "hours")
    assert claim.experiments == ("ours",)
    assert judge(claim, arms(ours=[76.3, 76.4])).reason == "absolute_cost"
