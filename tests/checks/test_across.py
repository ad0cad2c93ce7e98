"""Papers against each other: numbers that one copies from another, and sizes of one collection."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.across import copies, sizes
from audit.checks.tables import Sheet
from audit.record import Finding
from tests.checks.made import Of, data_set, only, paper, results, table


def origin(text: str | Of = "76.38", *, test: str = "3,865", **of: Any) -> Sheet:
    printed = {"test": test} if test else {}
    return paper(table(["P@1"], {"kim": [text]}, **of), key="origin", datasets=[data_set(**printed)])


def copying(
    text: str | Of, *, test: str = "3,865", method: str = "kim", catalogue: str | None = "eurlex-4k"
) -> Sheet:
    row = Of(id="kim", method=method, source="copied", copied_from="origin")
    printed = {"test": test} if test else {}
    # the data set goes by another name here, and the collection by the same
    held = data_set("eur", catalogue, **printed)
    return paper(table(["P@1"], {row: [text]}, dataset="eur"), key="copy", datasets=[held])


def said(*sheets: Sheet) -> list[str]:
    return [it.result for it in copies(sheets) if it.result != "untestable"]


@pytest.mark.parametrize(
    ("theirs", "ours", "result"),
    [
        ("76.38", "76.38", "consistent"),
        ("76.38", "76.4", "consistent"),
        ("76.45", "76.5", "consistent"),  # rounded once more: 76.45..76.55 and 76.445..76.455
        ("76.38", "76.2", "inconsistent"),
        ("76.38", "73.68", "inconsistent"),
    ],
)
def test_a_copied_number_is_the_one_of_its_source(theirs: str, ours: str, result: str) -> None:
    assert said(copying(ours), origin(theirs)) == said(origin(theirs), copying(ours)) == [result]
    assert said(copying(ours, test=""), origin(theirs)) == [result]  # no paper need print its test size


@pytest.mark.parametrize(
    ("ours", "cells"),
    [
        (("60.00", "80.00"), [("P@1", "P@3")]),  # each in the other's place: one finding
        (("60.00", "81.00"), [("P@1",), ("P@3",)]),
        (("61.00", "60.00"), [("P@1",)]),
        (("80.00", "60.00"), []),
    ],
)
def test_numbers_in_each_other_s_places_are_one_finding(
    ours: tuple[str, str], cells: list[tuple[str, ...]]
) -> None:
    row = Of(id="kim", method="kim", source="copied", copied_from="origin")
    held = [data_set(test="3,865")]
    copy = paper(table(["P@1", "P@3"], {row: ours}), key="copy", datasets=held)
    source = paper(table(["P@1", "P@3"], {"kim": ["80.00", "60.00"]}), key="origin", datasets=held)
    wrong = [it for it in copies([copy, source]) if it.result == "inconsistent"]
    assert [tuple(name[6:] for name in it.cells if name.startswith("t.")) for it in wrong] == cells


def like(key: str, *texts: str, test: str, **of: Any) -> Sheet:
    columns = ["P@1", "P@3", "P@5"][: len(texts)]
    rows = {Of(id="kim", method="kim", **of): texts}
    return paper(table(columns, rows), key=key, datasets=[data_set(test=test)])


ROW = ("56.25", "37.32", "28.16")


def test_equal_rows_for_other_test_sizes_are_told_where_no_source_is_named() -> None:
    """As PfastreXML's on Wiki-500K, in one paper on 769,421 and in another on 711,542 test documents."""
    found = only(copies([like("a", *ROW, test="769,421"), like("b", *ROW, test="711,542")]))
    assert (found.result, found.id) == ("inconsistent", "across:copies:eurlex-4k.a=b")
    assert "37.32, 28.16 stand in a for 769,421 test documents, and in b for 711,542" in found.arithmetic
    assert found.cells[0] == "a:t.kim.P@1" and found.cells[-1] == "b:t.kim.P@5"


@pytest.mark.parametrize(
    "other",
    [
        like("b", *ROW, test="769,421"),
        like("b", *ROW, test="about 770,000"),
        like("b", "56.25", "37.32", "28.17", test="711,542"),
        like("b", *ROW[:2], test="711,542"),
        like("b", *ROW, test="711,542", source="copied", copied_from="a"),
    ],
)
def test_equal_sizes_two_equal_numbers_and_declared_copies_are_not(other: Sheet) -> None:
    found = copies([like("a", *ROW, test="769,421"), other])
    assert [it.id for it in found if it.id.startswith("across:")] == []


def test_one_of_the_numbers_that_the_source_prints_is_enough() -> None:
    """It prints the method with two settings."""
    rows = {
        Of(id=name, method="kim", experiment=name): [text] for name, text in (("a", "70"), ("b", "76.38"))
    }
    both = paper(table(["P@1"], rows), key="origin", datasets=[data_set(test="3,865")])
    assert said(copying("76.38"), both) == ["consistent"]
    assert said(copying("76.00"), both) == ["inconsistent"]


# --------------------------------------------------------------------------- sizes of a collection


def of_sizes(*printed: dict[str, str], catalogue: str | None = "eurlex-4k") -> list[Finding]:
    sheets = [
        paper(key=f"p{i}", datasets=[data_set(f"d{i}", catalogue, **of)]) for i, of in enumerate(printed)
    ]
    return list(sizes(sheets))


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ({"test": "3,865"}, {"test": "3,865"}, "consistent"),
        ({"test": "3,865"}, {"test": "3,909"}, "untestable"),
        ({"labels": "3,956"}, {"labels": "4.0K"}, "consistent"),
        ({"train": "15,449"}, {"train": "13,905", "validation": "1,544"}, "consistent"),
        ({"train": "15,449"}, {"train": "13,905", "validation": "1,545"}, "untestable"),
        ({"features": "5,000"}, {"features": "186,104"}, "untestable"),
    ],
)
def test_one_collection_has_one_size_or_versions_that_nobody_can_tell_wrong(
    first: dict[str, str], second: dict[str, str], result: str
) -> None:
    assert results(of_sizes(first, second)) == results(of_sizes(second, first)) == [result]
