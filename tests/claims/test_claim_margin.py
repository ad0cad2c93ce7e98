"""Margins by named rules, and printed fractions of 1: what each gives, from which numbers of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.checks import all_findings
from audit.checks.tables import sheet_of
from audit.claims.load import Paper, load
from audit.claims.margins import Ground, MarginError, for_printed, resolve
from audit.claims.schema import Margin as Given
from audit.errors import ClaimFileError
from audit.record import Margin
from tests.claims.test_claim import edited
from tests.judging.made import arms, judge

GAINS = (("78.60", "76.81"), ("50.87", "50.50"), ("40.00", "41.00"))
"""1.79, 0.37, and one that is none."""


def given(rule: str | None, value: float | None = None) -> Given:
    return Given.model_validate({"rule": rule, "value": value, "why": "because"})


@pytest.mark.parametrize(
    ("rule", "ground", "expected"),
    [
        ("digits", Ground(("76.38", "74.5")), (0.055, "digits")),
        ("half_gap", Ground(improvements=GAINS), (0.185, "half_gap")),
        ("field", Ground(documents=99_999), (0.5, "field")),
        ("field", Ground(documents=100_000), (0.2, "field")),
        ("lenient", Ground(), (1.0, "lenient")),
        (None, Ground(("76.38",), 3865, GAINS), (0.185, "half_gap")),
        (None, Ground(("76.4",), 3865, (("50.1", "50.0"),)), (0.1, "half_gap")),  # not below 2h
    ],
)
def test_what_a_rule_gives(rule: str | None, ground: Ground, expected: tuple[float, str]) -> None:
    """The value of each rule by hand; without one the smaller of half_gap and field, at least one unit. A
    value that stands there is that, but for rounding of what was halved, and else contradicts its rule."""
    value, name = expected
    assert resolve(given(rule), ground) == Margin(*expected, "because")
    if rule:
        assert resolve(given(rule, value), ground).value == value
        with pytest.raises(MarginError, match=rf"is not what rule {name} gives here, {value:g}[ ;]"):
            resolve(given(rule, value + 0.02), ground)
    if rule == "half_gap":
        assert resolve(given(rule, 0.18), ground).value == 0.18


@pytest.mark.parametrize(
    ("rule", "value", "printed", "expected"),
    [
        ("field", 0.5, "90.00", 0.5),  # 5 % of 10 points: begins to bind
        ("field", 0.5, "4.00", 0.2),  # near zero: 5 % of what is there
        ("field", 0.5, "99.99", 0.01),  # 5 % of 0.01 is less than one printed unit, 2h
        ("lenient", 1.0, "96.10", 1.0),
    ],
)
def test_a_margin_is_held_between_ceiling_and_rounding(
    rule: str, value: float, printed: str, expected: float
) -> None:
    """min(value, 0.05 * (100 - v), 0.05 * v), then at least 2h; worked by hand."""
    resolved = for_printed(Margin(value, rule, "why"), printed)
    assert (resolved.value, resolved.rule) == (expected, rule)


# --------------------------------------------------------------------------- in a file


def paper(folder: Path, *edits: tuple[str, str]) -> Paper:
    path = folder / "small.yaml"
    path.write_text(edited(*edits))
    return load(path)


def margins(found: Paper, claim: str) -> set[tuple[float, str]]:
    records = (it for it in found.claim_records() if it.claim == claim)
    return {(it.margin.value, it.margin.rule) for it in records if it.margin}


NO_VALUE = ("value: 0.5, rule: field", "rule: field")
NO_RULE = ("value: 0.5, rule: field, ", "")
OF_TABLE = ("claims:\n", "  t1: {rule: half_gap, why: table}\nclaims:\n")


@pytest.mark.parametrize(
    ("edits", "claim", "expected"),
    [
        ([NO_VALUE], "ours-value", (0.5, "field")),
        ([NO_RULE], "ours-value", (0.44, "half_gap")),  # 76.38 over 75.50 is 0.88
        (  # a claim over two metrics has two gaps
            [
                NO_RULE,
                ('"75.50", null', '"75.50", "62.40"'),
                ("metric: P@1, says", "metric: [P@1, P@3], says"),
            ],
            "ours-value",
            (0.205, "half_gap"),
        ),
        (
            [OF_TABLE, ("says: As printed", "says: As printed, margin: {rule: digits, why: own}")],
            "ours-value",
            (0.005, "digits"),
        ),
    ],
)
def test_what_a_claim_gets(
    tmp_path: Path, edits: list[tuple[str, str]], claim: str, expected: tuple[float, str]
) -> None:
    assert margins(paper(tmp_path, *edits), claim) == {expected}


def test_each_margin_that_contradicts_is_told_once_with_its_line(tmp_path: Path) -> None:
    """Whatever the number of claims and metrics that it stands for."""
    with pytest.raises(ClaimFileError) as caught:
        paper(
            tmp_path,
            ("claims:\n", "  t2: {value: 2, rule: lenient, why: x}\nclaims:\n"),
            ("says: As printed", "says: As printed, margin: {value: 0.3, rule: half_gap, why: x}"),
        )
    told = [it.partition("small.yaml:")[2].split(": ")[:2] for it in caught.value.problems]
    assert told == [["36", "margins.t2.value"], ["39", "claims[1].margin.value"]]


# --------------------------------------------------------------------------- fractions of 1

FRACTION = [
    ("one\n    columns: [P@1, P@3]\n", "one\n    unit: fraction\n    columns: [P@1, P@3]\n"),
    ('values: ["76.38", "62.81"]', 'values: ["0.7638", "0.6281"]'),
    ('values: ["75.50", null]', 'values: ["0.755", null]'),
    ('values: ["70.00", "60.00"]', 'values: ["0.7000", "0.6000"]'),
]


def test_a_printed_fraction_is_judged_against_runs_in_percent(tmp_path: Path) -> None:
    """0.7638 is 76.38 %, rounded to 0.005 points; 0.755 is 75.5 and not 75.50; the table keeps what is
    printed."""
    found = paper(tmp_path, *FRACTION)
    order, value, *_ = found.claim_records()
    assert (order.printed, value.printed) == (("76.38", "75.5"), ("76.38",))
    assert margins(paper(tmp_path, *FRACTION, NO_RULE), "ours-value") == {(0.44, "half_gap")}
    verdict = judge(value, arms(ours=[76.3, 76.4, 76.5, 76.35, 76.4]))
    assert (verdict.outcome, verdict.target) == ("reproduced", 76.38)
    cell = found.table_records()[0].rows[0].cells[0]
    assert (cell.printed, cell.unit) == ("0.7638", "fraction")


def test_a_claim_across_units_is_held_against_its_tables_and_a_formula_is_not(tmp_path: Path) -> None:
    """2.5 in percent beside 0.7638: as good as each other it is not."""
    claim = (
        "claims:\n",
        "claims:\n  - {id: sum, kind: arithmetic, expect: t1.ours.P@1 < t2.d.small, says: x,\n"
        "     where: {page: 1}}\n",
    )
    found = {it.claim: it for it in all_findings([sheet_of(paper(tmp_path, *FRACTION, claim))])}
    assert found["no-loss:P@1"].result == found["sum"].result == "untestable"
    assert "2.5 - 76.38 = -73.88" in found["no-loss:P@1"].arithmetic
    assert "some numbers are in percent and others fractions of 1" in found["sum"].arithmetic
    assert found["ours-wins:P@1"].result == "consistent"
