"""The cross-paper view: every paper that prints a number, its test size, copies, drifting ones, and ours."""

from __future__ import annotations

from dataclasses import replace

from audit.record import AcrossPapers, Audit, PrintedIn
from reports.across_view import across_section
from reports.lookup import lookup
from reports.render import html
from tests.reports import sample
from tests.reports.markup import parsed

OWN = PrintedIn("chen2022", "t4.kim_words.P@1", "Table 4: Kim-CNN, P@1", "75.83", "own_run", None, 3865)
THEIRS = PrintedIn("liu2017", "t2.kim.P@1", "Table 2: Kim-CNN, P@1", "76.20", "own_run", None, 3809)
COPY = replace(THEIRS, paper="ye2020", source="copied", copied_from="some_page", test_size=None)


def audit(*rows: AcrossPapers, **of: object) -> Audit:
    return replace(sample.tiny(), across=rows, papers_beside=("liu2017", "ye2020"), **of)


def row(*prints: PrintedIn, collection: str = "eurlex-4k", differ: bool = True) -> AcrossPapers:
    return AcrossPapers("kim_cnn", collection, "P@1", prints, differ)


def test_a_row_has_a_column_for_each_paper_and_ours() -> None:
    (table,) = across_section(lookup(audit(row(OWN, THEIRS, COPY)))).tables
    assert table.papers == (("chen2022", "N = 3,865"), ("liu2017", "N = 3,809"), ("ye2020", "N not printed"))
    (shown,) = table.rows
    assert [[it.text for it in cell] for cell in shown.cells] == [["75.83"], ["76.20"], ["76.20"]]
    assert (shown.method, shown.metric, shown.differs) == ("kim cnn", "P@1", "differs; so may the test sets")
    assert (shown.ours, shown.n) == ("75.20 ± 0.14", "n = 2")
    assert not table.stand_in


def test_copies_are_marked_with_their_origin() -> None:
    (table,) = across_section(lookup(audit(row(OWN, COPY)))).tables
    ((own,), (copy,)) = table.rows[0].cells
    assert (copy.copied, copy.origin) == (True, "from some page")
    assert (own.copied, own.origin) == (False, "")
    hatched = [it for it in parsed(html(audit(row(OWN, COPY)))).of_class("copied") if it.tag == "span"]
    assert [it.text.strip()[:5] for it in hatched] == ["76.20"]


def test_a_number_of_its_own_beside_a_copy_is_not_hatched() -> None:
    """A paper may print both: only the copy is marked, and named as from where."""
    copied = replace(OWN, text="76.20", source="copied", copied_from="liu2017", address="t4.kim_liu.P@1")
    marked = parsed(html(audit(row(copied, OWN, THEIRS)))).of_class("copied")
    assert [it.text for it in marked] == ["76.20from liu2017"]


def test_a_number_that_stands_twice_alike_is_shown_once() -> None:
    again = replace(OWN, address="t8.kim_words.P@1")
    other = replace(OWN, address="t9.kim_words.P@1", text="75.8")
    (table,) = across_section(lookup(audit(row(OWN, again, other, THEIRS)))).tables
    assert [it.text for it in table.rows[0].cells[0]] == ["75.83", "75.8"]


def test_our_numbers_on_other_data_have_a_dagger() -> None:
    (kim,) = sample.tiny().experiments
    stand_in = replace(kim, scope="other_data")
    (table,) = across_section(lookup(audit(row(OWN, THEIRS), experiments=(stand_in,)))).tables
    assert table.rows[0].ours.endswith(" †") and table.stand_in


def test_collections_with_a_number_of_ours_come_first() -> None:
    lost = replace(OWN, address="t9.nowhere.P@1")
    rows = row(lost, THEIRS, collection="rcv1"), row(OWN, THEIRS, differ=False)
    section = across_section(lookup(audit(*rows)))
    assert [(it.collection, it.ours) for it in section.tables] == [("eurlex-4k", True), ("rcv1", False)]
    assert section.summary == (
        "2 numbers that other papers print too (liu2017); 1 differs by more than rounding, none of these on "
        "test sets of one size."
    )
    assert section.tables[1].rows[0].cells[0][0].href == ""


def test_without_other_papers_that_is_said() -> None:
    assert across_section(lookup(sample.tiny())).summary.startswith("No other paper was at hand")
    assert across_section(lookup(audit())).summary.startswith("None of the 2 other papers")


def test_a_number_of_this_paper_leads_to_its_cell() -> None:
    markup = parsed(html(audit(row(OWN, THEIRS))))
    links = [e for e in markup.elements if e.attributes.get("href") == "#t-t4-kim-words-p1"]
    assert any(e.text == "75.83" for e in links)


def test_one_test_size_is_told_from_several() -> None:
    """Other splits give other numbers: where they may be the reason, the row says so."""
    same = replace(row(OWN, replace(THEIRS, test_size=3865)), differ_on_one_size=True)
    section = across_section(lookup(audit(same)))
    assert section.tables[0].rows[0].differs == "differs"
    assert ", all of these on test sets of one size." in section.summary
    assert across_section(lookup(audit(row(OWN, THEIRS, differ=False)))).tables[0].rows[0].differs == ""
