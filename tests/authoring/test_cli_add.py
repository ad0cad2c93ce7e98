"""`audit add paper` and `audit add table` as a user gives them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from audit import cli
from audit.claim import load
from audit.exit_codes import Exit

CSV = "Method,EUR-Lex P@1,EUR-Lex P@3\nA,75.10*,60.20 ± 0.1\nB,-,61.05\n"
TWO = "Method,P@1,Seconds\nA,75.10,5\nB,OOM,6\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audit(*arguments: str) -> int:
    return cli.main(["add", *arguments])


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.fixture
def toy() -> Path:
    assert audit("paper", "toy", "--title", "A paper", "--dataset", "eurlex-4k") == Exit.OK
    Path("t.csv").write_text(CSV)
    Path("two.csv").write_text(TWO)
    return Path("toy.yaml")


def test_a_paper_begins_in_the_folder_of_claims_where_there_is_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("claims").mkdir()
    assert audit("paper", "toy", "--title", "A paper", "--author", "A. B", "--year", "2024") == Exit.OK
    paper = load(Path("claims/toy.yaml"))
    assert (paper.paper.title, paper.paper.authors, paper.paper.year) == ("A paper", ("A. B",), 2024)
    said = "claims/toy.yaml: written, and valid\nnext: audit add table FILE --paper toy\n"
    assert capsys.readouterr().out == said


def test_without_a_title_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "A: paper\nA. B, C. D\n\n2023\n")
    assert audit("paper", "toy") == Exit.OK
    paper = load(Path("toy.yaml")).paper
    assert (paper.title, paper.authors, paper.venue, paper.year) == ("A: paper", ("A. B", "C. D"), None, 2023)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["paper", "toy", "--title", "B"],
            "toy.yaml: there is such a file, and it is kept; choose another key",
        ),
        (
            ["paper", "chen2022", "--title", "B"],
            "'chen2022' is the key of a built-in paper; choose another one",
        ),
        (["paper", "to y", "--title", "B"], "paper.key: 'to y' is not of the right form"),
        (["paper", "b", "--title", "B", "--dataset", "eurlexx"], "'eurlexx' is unknown"),
        (["paper", "b", "--title", "B", "--commit", "1"], "--commit is of the public code; add --code URL"),
        (
            ["paper", "b"],
            "the input ended before a yes; give what is asked for as options, which --help shows",
        ),
        (
            ["table", "t.csv", "--paper", "nobody"],
            "'nobody' is no claim file; give its path, or begin one with",
        ),
        (
            ["table", "t.csv", "--paper", "chen2022"],
            "'chen2022' is a built-in paper; give the path of the file",
        ),
        (
            ["table", "none.csv", "--paper", "toy"],
            "none.csv: No such file or directory; give a file with a table",
        ),
        (
            ["table", "-", "--paper", "toy"],
            "standard input holds the table, so nobody can be asked; add --yes",
        ),
        (
            ["table", "t.csv", "--paper", "toy"],
            "nothing was written: the input ended before a yes; say --yes",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--format", "cvs"],
            "--format 'cvs' is not known; did you mean 'csv'?",
        ),
        (["table", "t.csv", "--paper", "toy", "--yes", "--map", "x"], "'x' is no correction; write it as"),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--map", "column 9: skip"],
            "there is no column 9; the table",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--map", "column 2: metric=Q@1"],
            "'Q@1' is no metric; did you mean 'P@1'?",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--map", "column 2: dataset=eurlexx"],
            "'eurlexx' is no data set of toy; did you mean",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--map", "cell 1,2: value=x"],
            "'x' is no printed number; write it as in value=75.10",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--unit", "promille"],
            "'promille' is no unit; known: perc",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--new-dataset", "x"],
            "--new-dataset 'x': write ID=NAME",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--id", "t 1"],
            "not changed, since it would not be valid",
        ),
        (
            ["table", "t.csv", "--paper", "toy", "--yes", "--table", "2"],
            "there is no table 2; say --table with a",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_written(
    arguments: list[str],
    sentence: str,
    toy: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers(monkeypatch, "")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert audit(*arguments) == Exit.BAD_INPUT
    assert sentence in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_table_whose_headings_say_all_needs_no_word(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        audit("table", "t.csv", "--paper", "toy", "--yes", "--source", "own_run", "--label", "Table 2") == 0
    )
    table = load(toy).tables["t1"]
    assert [it.metric for it in table.columns] == ["P@1", "P@3"]
    assert (table.source, table.where.label, table.dataset) == ("own_run", "Table 2", None)
    first, second = (row.values for row in table.rows)
    assert [it and (it.printed, it.mark, it.sd) for it in first] == [
        ("75.10", "*", None),
        ("60.20", None, "0.1"),
    ]
    assert second[0] is None
    out = capsys.readouterr().out
    assert '+      - {id: b, label: B, values: [null, "61.05"]}' in out
    assert out.endswith("toy.yaml: written; 1 table, 0 claims\n")


def test_the_same_table_again_gets_a_name_of_its_own_and_none_is_replaced(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert audit("table", "t.csv", "--paper", "toy", "--yes") == Exit.OK
    assert list(load(toy).tables) == ["t1", "t2"]
    assert audit("table", "t.csv", "--paper", "toy", "--yes", "--id", "t2") == Exit.BAD_INPUT
    assert "tables.t2 is there already, and is kept; choose another name" in capsys.readouterr().err


def test_a_pasted_table_is_read_from_standard_input(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "| Method | EUR-Lex P@1 |\n|---|---|\n| A | **75.10** |\n")
    assert audit("table", "-", "--paper", "toy", "--yes") == Exit.OK
    assert load(toy).tables["t1"].rows[0].values[0].mark == "bold"  # type: ignore[union-attr]


def test_scripts_settle_all_with_explicit_words(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = ["column 2: dataset=eurlex_4k", "column 3: quantity=training_time unit=s", "cell 2,2: dash"]
    options = [it for text in maps for it in ("--map", text)]
    assert audit("table", "two.csv", "--paper", "toy", "--yes", *options) == Exit.OK
    table = load(toy).tables["t1"]
    assert (table.columns[1].quantity, table.columns[1].unit) == ("training_time", "s")
    assert table.rows[1].values[0] is None
    assert "cell 2,2: 'OOM' is taken as null, as you said" in capsys.readouterr().out


def test_what_is_open_is_listed_cell_by_cell(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("table", "two.csv", "--paper", "toy", "--yes") == Exit.BAD_INPUT
    assert capsys.readouterr().err.splitlines() == [
        "two.csv: column 3 ('Seconds') is of no known metric; say column 3: metric=P@1, or quantity=..., "
        "text, skip",
        "two.csv: column 2 ('P@1') is of no known data set; say column 2: dataset=ID, or --dataset ID for "
        "all",
        "two.csv: cell 2,2 (line 3): 'OOM' is no number; or say cell 2,2: value=... or dash",
    ]


def test_in_a_session_of_questions_corrections_are_taken_until_enter(
    toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [
        "",
        "table: dataset=eurlex_4k",
        "column 9: skip",
        "colum 3: text",
        "column 3: text",
        "cell 2,2: dash",
    ]
    answers(monkeypatch, "\n".join([*said, "", ""]))
    assert audit("table", "two.csv", "--paper", "toy") == Exit.OK
    table = load(toy).tables["t1"]
    assert table.dataset == "eurlex_4k" and table.columns[1].metric is None
    err = capsys.readouterr().err
    assert "some points are open yet" in err and "there is no column 9" in err and "is no correction" in err


def test_q_leaves_and_writes_nothing(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = toy.read_bytes()
    answers(monkeypatch, "q\n")
    assert audit("table", "t.csv", "--paper", "toy") == Exit.BAD_INPUT
    assert toy.read_bytes() == before


def test_decimal_commas_are_asked_about(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.tsv").write_text("M\tEUR-Lex P@1\nA\t75,1\n")
    answers(monkeypatch, "\ntable: decimal=comma\n\n")
    assert audit("table", "t.tsv", "--paper", "toy") == Exit.OK
    assert load(toy).tables["t1"].rows[0].values[0].printed == "75.1"  # type: ignore[union-attr]


FOUR = "Method,EUR-Lex P@1,EUR-Lex P@3\nA,75.10*,60.20 ± 0.1\nB,-,61.05\nC,74.10,59.00\n"
SAME = "t2 has the same 5 numbers as t1"


def test_a_table_whose_numbers_are_there_already_is_added_once_more_only_if_the_user_says_so(
    toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.csv").write_text(FOUR)
    Path("other.csv").write_text(FOUR.replace("59.00", "59.0"))
    add = ["table", "t.csv", "--paper", "toy", "--label", "Table 1", "--spread", "sd"]
    assert audit(*add, "--yes") == Exit.OK
    assert audit(*add, "--yes") == Exit.BAD_INPUT
    assert f"{SAME}; leave it out, or say --again if the paper has both" in capsys.readouterr().err
    answers(monkeypatch, "\n\n")
    assert audit(*add) == Exit.BAD_INPUT
    assert f"{SAME}; y to add it all the same" in capsys.readouterr().err and list(load(toy).tables) == ["t1"]
    assert audit("table", "other.csv", *add[2:], "--yes") == Exit.OK
    answers(monkeypatch, "\ny\n")
    assert audit(*add) == Exit.OK
    assert audit(*add, "--yes", "--again") == Exit.OK
    assert list(load(toy).tables) == ["t1", "t2", "t3", "t4"]


BLOCKS = (
    "| Data | Metric | A | B |\n|---|---|---|---|\n| EUR-Lex | P@1 | 82.2 | 82.1 |\n| | P@3 | 68.8 | 68.9 |\n"
)


def test_a_name_that_was_carried_down_is_said(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.md").write_text(BLOCKS)
    assert audit("table", "t.md", "--paper", "toy", "--label", "Table 1", "--yes") == Exit.OK
    said = (
        "column 1, row 2 is blank, and goes on with 'EUR-Lex' above; say row 2: label=... dataset=... if not"
    )
    assert said in capsys.readouterr().out
    (table,) = load(toy).table_records()
    assert [(it.metric, it.dataset) for row in table.rows for it in row.cells[:1]] == [
        ("P@1", "eurlex_4k"),
        ("P@3", "eurlex_4k"),
    ]


TIMES = (
    "| Data | Metric | A | B |\n|---|---|---|---|\n| EUR-Lex | P@1 | 82.2 | 82.1 |\n"
    "| | Train Time | 5,759s | 14s |\n"
)


def test_a_unit_behind_all_numbers_of_a_row_or_column_is_its_unit(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.md").write_text(TIMES)
    Path("c.csv").write_text("M,P@1,Training time\nA,75.10,2.5h\nB,74.10,-\nC,73.10,13h\n")
    assert audit("table", "t.md", "--paper", "toy", "--label", "Table 1", "--yes") == Exit.OK
    add = ["table", "c.csv", "--paper", "toy", "--label", "Table 2", "--dataset", "eurlex-4k", "--yes"]
    assert audit(*add) == Exit.OK
    rows, columns = load(toy).tables.values()
    times = rows.rows[1]
    assert (times.quantity, times.unit) == ("training_time", "s")
    assert [it.printed if it else None for it in times.values] == ["5,759", "14"]
    assert (columns.columns[1].quantity, columns.columns[1].unit) == ("training_time", "h")
    assert [it.values[1].printed if it.values[1] else None for it in columns.rows] == ["2.5", None, "13"]
    Path("c.csv").write_text("M,P@1,Training time\nA,75.10,2.5h\nB,74.10,30min\n")
    assert audit(*add) == Exit.BAD_INPUT
    assert "'2.5h' has a unit, which not all of its row or column have; or say" in capsys.readouterr().err


def test_which_of_several_tables_is_meant_is_said_and_not_asked(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.md").write_text(BLOCKS + "\n" + BLOCKS)
    assert audit("table", "t.md", "--paper", "toy") == Exit.BAD_INPUT
    said = capsys.readouterr().err
    assert said == "audit: t.md: 2 tables; say --table N (1 on line 1; 2 on line 6)\n"
