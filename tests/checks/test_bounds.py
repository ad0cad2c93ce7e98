"""Shares lie in 0..100 and hits grow with k, up to the rounding of the printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from audit.checks import Sheet, all_findings
from audit.checks.bounds import bounds
from audit.checks.finding import SLIP
from audit.record import Cell, Column, Finding, PaperInfo, Row, TableRecord


def table(
    columns: Sequence[str | tuple[str, str]],
    *rows: Sequence[str | None],
    experiments: Sequence[str | None] | None = None,
    id: str = "t",
) -> TableRecord:
    """Columns are metrics, or (metric, data set); the row ids are r0, r1, ..., each of its own experiment."""
    pairs = [(column, "eurlex") if isinstance(column, str) else column for column in columns]
    held = tuple(
        Column(id=f"c{i}", label=metric, metric=metric, dataset=dataset)
        for i, (metric, dataset) in enumerate(pairs)
    )
    return TableRecord(
        id=id,
        label="Table",
        caption="",
        columns=held,
        rows=tuple(
            Row(
                id=f"r{i}",
                label="",
                cells=tuple(
                    Cell(
                        f"{id}.r{i}.c{j}",
                        printed,
                        "own_run",
                        experiment=experiments[j] if experiments else f"{id}-e{i}",
                        metric=pairs[j][0],
                        dataset=pairs[j][1],
                    )
                    for j, printed in enumerate(row)
                ),
            )
            for i, row in enumerate(rows)
        ),
    )


def sheet(*tables: TableRecord) -> Sheet:
    return Sheet(PaperInfo("toy", "Toy"), tables, {})


def broken(*tables: TableRecord) -> list[Finding]:
    return [finding for finding in bounds(sheet(*tables)) if finding.result == "inconsistent"]


def found(*tables: TableRecord) -> list[tuple[str, ...]]:
    return [finding.cells for finding in broken(*tables)]


# --------------------------------------------------------------------------- 0..100


@pytest.mark.parametrize("metric", ["P@1", "R@5", "RP@3", "nDCG@5", "PSP@1", "PSnDCG@3"])
@pytest.mark.parametrize(
    ("printed", "sound"),
    [
        ("0", True),
        ("100", True),
        ("100.00", True),
        ("0.00", True),
        ("76.38", True),
        ("99.9%", True),
        ("100.01", False),
        ("100.4", False),
        ("101", False),
        ("763.8", False),
        ("1,000", False),
        ("-0.01", False),
        ("\N{MINUS SIGN}3", False),
    ],
)
def test_a_share_lies_in_0_to_100(metric: str, printed: str, sound: bool) -> None:
    findings = broken(table([metric], [printed]))
    assert (findings == []) == sound
    if not sound:
        assert findings[0].arithmetic == f"{printed} is not in 0..100"
        assert findings[0].cells == ("t.r0.c0",)


def test_columns_that_hold_no_share_are_not_looked_at() -> None:
    assert found(table(["hours"], ["-3"])) == []
    record = table(["P@1"], ["120"])
    (row,) = record.rows
    plain = replace(row, cells=(replace(row.cells[0], metric=None, quantity="count"),))
    assert found(replace(record, rows=(plain,))) == []


# --------------------------------------------------------------------------- hits grow with k

#: (P@1, P@3), worked by hand: hits among the first three less hits at the first are 3 P@3 - P@1, from 0
#: to 200; two decimals have a slack of 1 x .005 + 3 x .005 = .02.
PAIRS = [
    ("76.38", "62.81", True),
    ("90.00", "30.00", True),  # 0: nothing among the second and third
    ("90.02", "30.00", True),  # -0.02: rounding could have done that
    ("90.03", "30.00", True),  # -0.03: 30.00 may be 30.0099, cut
    ("90.04", "30.00", False),  # -0.04
    ("45.38", "15.00", False),  # -0.38
    ("40.00", "80.00", True),  # 200: all of the second and third
    ("40.01", "80.01", True),  # 200.02
    ("40.00", "80.01", True),  # 200.03: 80.01 may be 80.0001, rounded up
    ("40.00", "80.02", False),  # 200.06
    ("10.00", "90.00", False),  # 260
    ("90.4", "30.0", False),  # -0.4 against .2 with one decimal
    ("90.2", "30.0", True),
    ("92", "30", True),  # -2 against 2 without decimals
    ("93", "30", True),
    ("94", "30", False),
    ("90.3", "30.00", False),  # -0.3 against .05 + .015
    ("90.06", "30.0", True),  # -0.06 against .005 + .15
]


@pytest.mark.parametrize(("first", "third", "sound"), PAIRS)
def test_hits_grow_with_k_up_to_the_rounding(first: str, third: str, sound: bool) -> None:
    for columns, row in ((["P@1", "P@3"], [first, third]), (["P@3", "P@1"], [third, first])):
        assert (found(table(columns, row)) == []) == sound


def test_the_arithmetic_is_shown_with_the_printed_numbers() -> None:
    """5 x 20.10 - 3 x 40.00 = -19.5, with 5 x .01 of cutting."""
    (finding,) = broken(table(["P@1", "P@3", "P@5"], ["50.01", "40.00", "20.10"]))
    assert finding.check == "bounds" and finding.result == "inconsistent"
    assert finding.cells == ("t.r0.c1", "t.r0.c2")
    assert finding.arithmetic == (
        "5 x 20.10 - 3 x 40.00 = -19.5, which must lie in 0..200 up to 0.05 of rounding or cutting"
    )
    assert finding.alternatives[0] == SLIP


@pytest.mark.parametrize("family", ["R", "RP", "nDCG", "PSP", "PSnDCG"])
def test_other_metrics_are_held_to_0_to_100_only(family: str) -> None:
    assert found(table([f"{family}@1", f"{family}@3"], ["90.00", "10.00"])) == []


def test_a_dash_is_no_number_and_its_neighbours_are_compared() -> None:
    """Between 1 and 5: 5 x 10 - 90 = -40."""
    assert found(table(["P@1", "P@3", "P@5"], ["90.00", None, "10.00"])) == [("t.r0.c0", "t.r0.c2")]
    assert found(table(["P@1", "P@3", "P@5"], [None, None, "10.00"])) == []


def test_data_sets_of_one_row_are_held_apart() -> None:
    """90 on one and 10 on the other say nothing about each other; each by itself is looked at."""
    columns = [("P@1", "eurlex"), ("P@3", "eurlex"), ("P@1", "wiki"), ("P@3", "wiki")]
    assert found(table(columns, ["90.00", "60.00", "20.00", "10.00"])) == []
    assert found(table(columns, ["90.00", "10.00", "20.00", "10.00"])) == [("t.r0.c0", "t.r0.c1")]
    assert found(table(columns, ["90.00", "60.00", "90.00", "10.00"])) == [("t.r0.c2", "t.r0.c3")]


def test_experiments_of_one_row_are_held_apart() -> None:
    """In a matrix each cell is another experiment: P@1 of one and P@3 of the other do not belong together."""
    assert found(table(["P@1", "P@3"], ["90.00", "10.00"], experiments=["max", "none"])) == []
    assert found(table(["P@1", "P@3"], ["90.00", "10.00"], experiments=[None, None])) != []


def test_where_a_metric_stands_twice_nothing_is_compared() -> None:
    """Validation and test, say: nobody knows which P@3 goes with which P@1. The bounds still hold."""
    assert found(table(["P@1", "P@1", "P@3"], ["90.00", "30.00", "30.10"])) == []
    assert found(table(["P@1", "P@1", "P@3"], ["90.00", "30.00", "130.10"])) == [("t.r0.c2",)]


def test_rows_and_tables_are_looked_at_one_by_one() -> None:
    record = table(["P@1", "P@3"], ["76.38", "62.81"], ["90.00", "10.00"], ["120.00", "62.81"])
    assert sorted(found(record)) == [("t.r1.c0", "t.r1.c1"), ("t.r2.c0",)]
    assert len(broken(record, table(["P@1"], ["120.00"], id="u"))) == 3
    assert broken() == []


def test_what_keeps_within_the_bounds_is_said_once_an_experiment() -> None:
    (finding,) = bounds(sheet(table(["P@1", "P@3", "P@5"], ["76.38", "62.81", "51.41"])))
    assert finding.result == "consistent"
    assert finding.cells == ("t.r0.c0", "t.r0.c1", "t.r0.c2")


# --------------------------------------------------------------------------- all checks


def test_every_check_has_its_say_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    from audit import checks

    def odd(held: Sheet) -> Iterator[Finding]:
        yield Finding("odd", "consistent", (), f"{len(held.tables)} tables", id="odd")

    monkeypatch.setattr(checks, "CHECKS", (bounds, odd))
    findings = all_findings([sheet(table(["P@1"], ["120.00"], ["130.00"]))])
    assert [finding.check for finding in findings] == ["bounds", "bounds", "odd"]


def test_findings_of_one_name_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from audit import checks

    monkeypatch.setattr(checks, "CHECKS", (bounds, bounds))
    findings = all_findings([sheet(table(["P@1"], ["120.00"]))])
    assert [finding.id for finding in findings] == ["toy:bounds:t.r0.c0", "toy:bounds:t.r0.c0#2"]
