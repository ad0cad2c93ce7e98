"""Rows of a file as a table: cells over several rows, titles of sections, the heading."""

from __future__ import annotations

import pytest

from audit.authoring.cells import Table
from audit.authoring.reading import Options, table_of
from audit.errors import AuditError


def table(*rows: str, begin: str = "lllcc", **options: int) -> Table:
    body = " \\\\\n".join(rows)
    text = f"\\begin{{tabular}}{{{begin}}}\n{body} \\\\\n\\end{{tabular}}"
    return table_of("t.tex", text, Options(**options))  # type: ignore[arg-type]


def names(*rows: str, **options: int) -> list[tuple[str, ...]]:
    return [row.names for row in table(*rows, **options).rows]


def test_a_cell_over_several_rows_names_those_below_it_or_above_it() -> None:
    down = [r"G & M & P@1", r"\multirow{2}{*}{X} & a & 1.1", r" & b & 2.1", r" & c & 3.1"]
    assert names(*down) == [("X", "a"), ("X", "b"), ("c",)]
    up = [r"G & M & P@1", r" & a & 1.1", r" & b & 2.1", r"\multirow{-2}{*}{X} & c & 3.1"]
    assert names(*up) == [("a",), ("X", "b"), ("X", "c")]


def test_a_cell_that_has_its_own_content_keeps_it() -> None:
    rows = [r"G & M & P@1", r"\multirow{3}{*}{X} & a & 1.1", r"Y & b & 2.1", r" & c & 3.1"]
    assert names(*rows) == [("X", "a"), ("Y", "b"), ("X", "c")]


def test_a_value_over_several_rows_stands_in_each() -> None:
    (first, second) = table(r"M & P@1", r"a & \multirow{2}{*}{1.5}", "b & ").rows
    assert (first.cells[1].value, second.cells[1].value) == ("1.5", "1.5")


def test_titles_between_rows_name_those_below_and_one_below_another_adds_to_it() -> None:
    rows = ["M & P@1", "All", "Trees", "a & 1.1", r"\multicolumn{2}{c}{Nets}", "b & 2.1", "last & "]
    assert names(*rows) == [("All", "Trees", "a"), ("Nets", "b"), ("Nets", "last")]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        (["M & P@1", "a & 1.1"], 1),
        ([r"& \multicolumn{2}{c}{X}", "M & P@1 & P@3", "a & 1.1 & 2.2"], 2),
        (["M & P@1", "a & OOM", "b & 1.1"], 1),
        ([r"& \multicolumn{2}{c}{P@k}", "M & 1 & 3", r"\midrule a & 1.1 & 2.2"], 2),
        (["M & P@1", "a & 1.1", r"b & 2.1 \\ \midrule", "c & 3.1"], 1),
        (["M & P@1 & ", "a & OOM & ", "b & 1.1 &"], 1),
    ],
)
def test_the_heading_ends_where_results_begin(rows: list[str], heads: int) -> None:
    assert len(table(*rows).heading) == heads


def test_how_many_rows_and_columns_are_names_may_be_said() -> None:
    rows = ["M & Year & P@1", "more & & words", "a & 2017 & 1.1", "b & 2018 & 2.1"]
    said = table(*rows, heads=2, names=2)
    assert said.paths == (("M", "more"), ("Year",), ("P@1", "words"))
    assert [row.names for row in said.rows] == [("a", "2017"), ("b", "2018")]
    with pytest.raises(AuditError, match="the table has no rows below its heading; say --heads"):
        table(*rows, heads=4)


def test_a_name_that_nobody_defines_is_a_name_still() -> None:
    read = table("D & M & P@1", r"X & \ours{} & 1.1", "X & b & 2.1")
    assert read.names == 2 and [row.names for row in read.rows] == [("X", r"\ours"), ("X", "b")]


def test_rows_say_the_line_on_which_they_stand() -> None:
    rows = table(r"M & P@1", r"\multirow{2}{*}{a}", " & 1.5", "", "%\nb\n& 2.5").rows
    assert [row.line for row in rows] == [4, 8]


def test_markup_within_a_cell_of_markdown_is_read_as_a_page_shows_it() -> None:
    text = (
        "| M | Omikuji<br/>(balanced,<br>cluster.k=2) | <b>P@3</b> |\n|---|---|---|\n"
        "| A<UNK> <span>b</span><!-- c --> | **82.1**<sup>*</sup> | <b>60.0</b> |\n"
    )
    held = table_of("t.md", text, Options(form="markdown"))
    assert held.paths == (("M",), ("Omikuji (balanced, cluster.k=2)",), ("P@3",))
    assert held.rows[0].names == ("A<UNK> b",)
    cells = held.rows[0].cells[1:]
    assert [(it.value, it.marks) for it in cells] == [("82.1", ("bold", "*")), ("60.0", ("bold",))]


def blocks(*rows: str) -> list[tuple[str, ...]]:
    text = "\n".join(["| Dataset | Metric | A |", "|---|---|---|", *rows])
    return [row.names for row in table_of("t.md", text, Options(form="markdown")).rows]


def test_a_blank_name_goes_on_with_the_one_that_begins_its_block() -> None:
    held = blocks(
        "| EUR-Lex | P@1 | 82.2 |", "| | P@3 | 68.8 |", "| Wiki10 | P@1 | 84.2 |", "| | P@3 | 72.1 |"
    )
    assert held == [("EUR-Lex", "P@1"), ("EUR-Lex", "P@3"), ("Wiki10", "P@1"), ("Wiki10", "P@3")]


@pytest.mark.parametrize(
    "rows",
    [
        ["| ✓ | pooling | 82.2 |", "| | none | 68.8 |"],
        ["| yes | pooling | 82.2 |", "| | none | 68.8 |", "| yes | both | 68.9 |"],
        ["| | P@1 | 82.2 |", "| Wiki10 | P@1 | 68.8 |", "| | P@3 | 60.8 |"],
        ["| Wiki10 | P@1 | 82.2 |", "| | | 68.8 |"],
    ],
    ids=["a tick", "yes twice", "none at the top", "no name at all"],
)
def test_a_blank_that_may_say_no_stays_blank(rows: list[str]) -> None:
    ours = [tuple(it for it in (part.strip() for part in row.split("|")[1:3]) if it) for row in rows]
    assert blocks(*rows) == ours


def test_a_title_between_rows_ends_a_block() -> None:
    rows = ["| EUR-Lex | P@1 | 82.2 |", "| Large ones | | |", "| | P@3 | 68.8 |", "| Wiki10 | P@1 | 1.0 |"]
    assert blocks(*rows)[1] == ("Large ones", "P@3")


def test_accents_and_letters_of_other_languages_are_those_of_the_name() -> None:
    row = r"Fran\c{c}ois & \L{}ukasz & S\o rensen & 1.0 & 2.0"
    assert names("A & B & C & P@1 & P@3", row) == [("François", "Łukasz", "Sørensen")]
