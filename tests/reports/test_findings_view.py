"""Findings by check: inconsistent ones first, what is alike folded, between papers and README apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Cell, Column, Finding, PaperInfo, Row, TableRecord
from reports.findings import findings_section, is_between
from reports.lookup import lookup
from reports.render import html
from reports.tables import table_views
from reports.text import View
from tests.reports.markup import parsed


def find(check: str, result: str, cell: str = "t.a.P@1", **of: object) -> Finding:
    named = {
        "id": f"p:{check}:{cell}{result}",
        "where": f"Table 1: {cell}",
        "alternatives": ("a slip",),
        **of,
    }
    return Finding(check, result, (cell,), f"{cell} is 2", **named)  # type: ignore[arg-type]


def table(rows: int = 6) -> TableRecord:
    held = tuple(Row(f"r{k}", f"Row {k}", (Cell(f"t.r{k}.P@1", "75.83", "own_run"),)) for k in range(rows))
    return TableRecord("t", "Table 1", "P@k", (Column("P@1", "P@1", "P@1"),), held)


def audit(*findings: Finding, beside: tuple[str, ...] = ("liu2017",)) -> Audit:
    return Audit(PaperInfo("p", "P"), (table(),), (), (), (), findings=findings, papers_beside=beside)


def section(*findings: Finding, beside: tuple[str, ...] = ("liu2017",)) -> View:
    found = findings_section(lookup(audit(*findings, beside=beside)))
    assert found is not None
    return found


def test_without_checks_there_is_no_section() -> None:
    assert findings_section(lookup(audit())) is None
    assert 'id="findings"' not in html(audit())


def test_inconsistent_ones_stand_by_check_the_weightiest_first() -> None:
    found = section(
        find("sentence", "inconsistent", weight=3),
        find("bounds", "consistent", weight=5),
        find("identity", "inconsistent", weight=4),
        find("sentence", "consistent", weight=3),
    )
    assert [it.title for it in found.inconsistent] == ["P@1 and nDCG@1", "Sentences and tables"]
    assert found.others is not None
    assert [it.title for it in found.others.groups] == ["Hits that grow with k", "Sentences and tables"]
    assert found.counts == "2 inconsistent, 2 consistent"


def test_what_concerns_two_papers_and_the_readme_are_apart() -> None:
    found = section(
        find("copies", "inconsistent", weight=2),
        find("statistics", "untestable", id="across:statistics:eurlex"),
        find("identity", "inconsistent", source="code_readme"),
    )
    assert [it.title for it in found.parts] == ["Between papers", "In the README of the public code"]
    assert [group.title for group in found.parts[0].groups] == [
        "Copied numbers and their source",
        "Statistics of the collections",
    ]
    assert found.inconsistent == ()


@pytest.mark.parametrize(
    ("finding", "between"),
    [
        (find("twice", "inconsistent", "t.a.b"), False),
        (find("twice", "inconsistent", "liu2017:t.a.b"), True),
        (find("copies", "untestable"), True),
        (find("twice", "inconsistent", "odd:cell"), False),
    ],
)
def test_a_finding_between_papers(finding: Finding, between: bool) -> None:
    """It names a cell of another paper that was at hand, or is of a check of copies."""
    assert is_between(finding, ["liu2017"]) is between


def test_twenty_rows_of_one_table_are_one_entry() -> None:
    """A column that holds another metric than its name says: the first row, and the others folded below."""
    rows = [find("feasible_row", "inconsistent", f"t.r{k}.P@1", weight=5) for k in range(6)]
    (group,) = section(*rows).inconsistent
    (item,) = group.items
    assert item.alike == "6 findings alike in Table 1; the first:"
    assert item.folded == "5 more like it in Table 1"
    assert [it.arithmetic for it in (item, *item.more)] == [f"t.r{k}.P@1 is 2." for k in range(6)]


def test_two_of_a_sort_are_shown_and_claims_are_never_folded() -> None:
    two = [find("twice", "inconsistent", f"t.r{k}.P@1") for k in range(2)]
    claims = [find("sentence", "inconsistent", f"t.r{k}.P@1", claim=f"c{k}", says="So.") for k in range(4)]
    first, second = section(*two, *claims).inconsistent
    assert [len(it.more) for it in (*first.items, *second.items)] == [0] * 6


def test_other_explanations_are_another_sort() -> None:
    rows = [find("twice", "inconsistent", f"t.r{k}.P@1", alternatives=(f"x{k}",)) for k in range(4)]
    (group,) = section(*rows).inconsistent
    assert len(group.items) == 4


def test_it_says_where_no_other_paper_was_at_hand() -> None:
    assert section(find("bounds", "consistent")).no_papers == ""
    assert section(find("bounds", "consistent"), beside=()).no_papers.startswith("No other paper")


def test_cells_lead_to_findings_and_findings_to_cells() -> None:
    """Only what is inconsistent marks its cells, and a sentence marks none: the cells may be fine."""
    whole = audit(
        find("identity", "inconsistent", "t.r1.P@1"),
        find("bounds", "consistent", "t.r2.P@1"),
        find("sentence", "inconsistent", "t.r3.P@1", claim="c", says="A is best"),
    )
    (view,) = table_views(lookup(whole))
    marks = [row.cells[0].findings for row in view.rows]
    assert [len(it) for it in marks] == [0, 1, 0, 0, 0, 0]
    assert marks[1][0].label == "Inconsistent: P@1 and nDCG@1"
    page = parsed(html(whole))
    assert marks[1][0].href[1:] in page.ids()
    group, _ = (findings_section(lookup(whole)) or pytest.fail()).inconsistent
    assert group.items[0].href == f"#{view.rows[1].cells[0].anchor}"


def test_explanations_come_before_the_arithmetic() -> None:
    text = parsed(html(audit(find("identity", "inconsistent", "t.r1.P@1")))).text
    assert 0 < text.index("First consider: a slip.") < text.index("t.r1.P@1 is 2.")


def test_findings_without_an_id_have_a_place_each() -> None:
    one = replace(find("identity", "inconsistent"), id="")
    other = replace(one, arithmetic="3 is 4")
    ids = parsed(html(audit(one, other))).ids()
    assert len(ids) == len(set(ids))
