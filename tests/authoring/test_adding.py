"""A table goes into a claim file and comes out of the loader with every number, spread and mark it had; what
has two readings is asked about. `audit add paper` and `audit add table` as a user gives them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit import cli
from audit.authoring.corrections import corrections
from audit.authoring.edit import SCHEMA_NAME, ClaimFile, write_scaffold
from audit.authoring.headings import Meaning, meaning
from audit.authoring.propose import Proposal, put
from audit.authoring.reading import read, table_of
from audit.claims.load import Paper, builtin_claims, json_schema, load
from audit.errors import AuditError, Exit
from reimpl.data.catalogue import catalogue
from tests.authoring.test_reading import FILES, expected, mutated

TOY = {"key": "toy", "title": "A paper"}
KNOWN: dict[str, Any] = {
    "eurlex_4k": {"name": "EUR-Lex", "catalogue": "eurlex-4k", "content": None},
    "wiki10_31k": {"name": "Wiki10-31K", "catalogue": "wiki10-31k", "content": None},
    "amazoncat_13k": {"name": "AmazonCat-13K", "catalogue": "amazoncat-13k", "content": None},
}


@pytest.fixture(scope="module")
def chen() -> Paper:
    (path,) = (path for path in builtin_claims() if path.stem == "chen2022")
    return load(path)


@pytest.mark.parametrize(
    ("titles", "right"),
    [
        ("EUR-Lex > P@1", Meaning("P@1", None, "eurlex")),
        ("Wiki10-31K: nDCG @ 3", Meaning("nDCG@3", None, "wiki10_31k")),
        ("Model size", Meaning(None, "model_size")),
        ("Precision > EUR-Lex > @3", Meaning("P@3", None, "eurlex")),
        ("$F_1$ > macro", Meaning("Macro-F1")),
        ("Micro > F1 (%)", Meaning("Micro-F1")),
        ("EUR-Lex > Tail P@1", Meaning("P@1[tail]", None, "eurlex")),
        *((way, Meaning("P@1")) for way in ("test_p_at_1", "p @ 1", "Precision@1 (%)", "P@k=1", "P@1 ↑")),
        *((way, Meaning("nDCG@5")) for way in ("NDCG@5", "N@5")),
        *((way, Meaning(rest=(way,))) for way in ("P1", "F1", "MAP@5", "P@0")),
        ("P@n > 8", Meaning("P@8")),
        ("μ-F1", Meaning("Micro-F1")),
        ("P@1 P@3", Meaning(rest=("P@1 P@3",))),
        ("Training time (hours)", Meaning(None, "training_time", unit="h")),
        ("Gain in P@1", Meaning(None, None, None, ("Gain in",))),
    ],
)
def test_titles_name_a_data_set_and_a_metric_in_either_order_of_nesting(
    titles: str, right: Meaning, chen: Paper
) -> None:
    assert meaning(titles.split(" > "), chen) == right


# --------------------------------------------------------------------------- corrections


def test_corrections_say_what_stands_where_and_the_later_word_counts() -> None:
    words = ["columns 2-3: metric=P@1 dataset=a", "column 3:metric=P@3", 'row 2: label="A, B: c"']
    parts = corrections({}, [*words, "cell 5 , 3: value=75.1 mark=*", "columns 4, 6-7: skip"])
    a = {"dataset": "a"}
    assert parts.column == {
        2: {"metric": "P@1", **a},
        3: {"metric": "P@3", **a},
        **{key: {"skip": "skip"} for key in (4, 6, 7)},
    }
    assert parts.row == {2: {"label": "A, B: c"}}
    assert parts.cell == {(5, 3): {"value": "75.1", "mark": "*"}}


# --------------------------------------------------------------------------- from the table to the loader


def proposed(path: Path, folder: Path, *maps: str) -> tuple[ClaimFile, Proposal]:
    """A claim file, which is made where there is none, and the table of `path` for it."""
    claims = folder / "toy.yaml"
    if not claims.exists():
        write_scaffold(claims, TOY, KNOWN)
        claims.write_text(claims.read_text().replace("  eurlex_4k:", "  eurlex:"))
    right = dict(expected(path).get("options", {})) if path in FILES else {}
    whole = {key: str(value) for key, value in right.items()}
    for text in maps:
        whole |= dict(it.split("=") for it in text.removeprefix("table: ").split() if "table: " in text)
    words = corrections(whole, [text for text in maps if "table: " not in text])
    file = ClaimFile.open(claims)
    return file, Proposal(read(str(path), words.table), file.paper, words)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_is_lost_between_the_table_and_the_loader(path: Path, tmp_path: Path) -> None:
    """And headings are taken for the data set and metric that they name; null: no rule covers the column."""
    right = expected(path)
    _, first = proposed(path, tmp_path)
    for line, wanted in zip(first.columns[first.table.names :], right["columns"], strict=True):
        if wanted is not None and line.role != "names":
            named = " ".join(
                line.settings[it] for it in ("dataset", "metric", "quantity") if it in line.settings
            )
            assert named == wanted or (not named and line.id == wanted)
    for line, keys in zip(first.rows, right.get("row_settings", [{}] * len(first.rows)), strict=True):
        assert {**line.settings, **keys} == dict(line.settings)
    file, mapped = proposed(path, tmp_path, *right.get("map", []))
    put(file, mapped)
    file.save()
    (table,) = load(tmp_path / "toy.yaml").table_records()
    columns = mapped.value_columns
    for number, (row, of_row) in enumerate(zip(table.rows, right["rows"], strict=True), 1):
        assert row.label == ", ".join(of_row["names"])
        for column, cell in zip(columns, row.cells, strict=True):
            if (number, column.number) not in mapped.words.cell:
                held = of_row["cells"][column.number - 1 - mapped.table.names]
                wanted = as_printed(held, column.role == "text", cell.printed)
                assert (cell.printed, cell.sd, cell.mark) == wanted
    paths = mapped.table.paths
    assert [it.label for it in table.columns] == [" ".join(paths[it.number - 1]) for it in columns]


def as_printed(held: Any, text: bool, printed: str | None) -> tuple[str | None, str | None, str | None]:
    """Number, spread and mark of a cell of the results; of a column of text, what was printed as a whole."""
    if held in (None, ""):
        return None, None, None
    if not isinstance(held, dict):
        return held, None, None
    value = next(held[it] for it in ("value", "text", "unclear") if it in held)
    if text:
        assert printed is not None and value in printed
        return printed, None, None
    return value, held.get("sd"), " ".join(held.get("marks", [])) or None


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> ClaimFile:
    path = tmp_path_factory.mktemp("fuzz") / "toy.yaml"
    write_scaffold(path, TOY, KNOWN)
    return ClaimFile.open(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    mutated(),
    st.lists(st.sampled_from(["column 2: skip", "column 3: text", "row 1: skip", "cell 1,2: dash"])),
    st.sampled_from([{}, {"decimal": "comma"}, {"decimal": "point", "beside": "sd"}, {"beside": "mark"}]),
)
def test_a_mutated_table_is_put_into_a_valid_file_or_refused(
    claims: ClaimFile, case: tuple[Path, str], maps: list[str], said: dict[str, str]
) -> None:
    """In sentences; and every number that is in the table stands in the text that would be written."""
    path, text = case
    file = replace(claims)
    words = corrections({"dataset": "eurlex_4k", "unit": "percent", "number": "1", **said}, maps)
    try:
        read_table = table_of(path.name, text, words.table)
        for cell in (cell for row in read_table.rows for cell in row.cells[read_table.names :]):
            assert (cell.value is not None) == (cell.kind == "number")
            assert cell.kind != "unclear" or cell.why
        mapped = Proposal(read_table, file.paper, words)
        put(file, mapped)
        file.check()
    except AuditError:
        return
    for cell in mapped.cells.values():
        assert cell.value is None or f'"{cell.value}"' in file.text or f"{cell.text}" in file.text


# --------------------------------------------------------------------------- the commands


def test_a_data_set_whose_published_content_is_known_comes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that runs on it judge printed values without any editing."""
    monkeypatch.chdir(tmp_path)
    assert audit("paper", "toy", "--title", "A paper", "--dataset", "eurlex57k") == Exit.OK
    assert (
        audit("dataset", "again", "--paper", "toy", "--name", "E", "--set", "catalogue=eurlex57k") == Exit.OK
    )
    (copy,) = [copy for copy in catalogue().find("eurlex57k").known if copy.published]
    for data in load(Path("toy.yaml")).datasets.values():
        assert data.content == (copy.content,) and data.partition == (copy.partition,)


def test_a_claim_that_lacks_keys_is_told_all_of_them_as_options(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit("claim", "c", "--paper", "toy", "--kind", "order", "--set", "better=t1.a") == Exit.BAD_INPUT
    said = capsys.readouterr().err
    assert "needs --says, --set worse=..., --set section=3.2 (or page, or label); it may have" in said
    assert "--metric, --set note=..." in said


CSV = "Method,EUR-Lex P@1,EUR-Lex P@3\nA,75.10*,60.20 ± 0.1\nB,-,61.05\nC,73.10,59.00\n"
TWO = "Method,P@1,Seconds\nA,75.10,5\nB,OOM,6\n"


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert audit("paper", "toy", "--title", "A paper", "--dataset", "eurlex-4k") == Exit.OK
    Path("t.csv").write_text(CSV)
    Path("two.csv").write_text(TWO)
    return Path("toy.yaml")


def audit(*arguments: str) -> int:
    return cli.main(["add", *arguments])


def table(source: str, *more: str) -> int:
    return audit("table", source, "--paper", "toy", *more)


def test_a_paper_is_begun_in_the_folder_of_claims_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("claims").mkdir()
    said = ("--set", "authors=A. B, C. D", "--set", "year=2024")
    assert audit("paper", "toy", "--title", "A: paper", *said) == Exit.OK
    out = "claims/toy.yaml: written, and valid\nnext: audit add table FILE --paper toy\n"
    assert capsys.readouterr().out == out
    paper = load(Path("claims/toy.yaml")).paper
    assert json.loads(Path("claims", SCHEMA_NAME).read_text(encoding="utf-8")) == json_schema()
    assert (paper.title, paper.authors, paper.venue, paper.year) == ("A: paper", ("A. B", "C. D"), None, 2024)


def test_what_is_open_is_listed_cell_by_cell_and_settled_by_words(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = toy.read_bytes()
    assert table("two.csv") == Exit.BAD_INPUT and toy.read_bytes() == before
    assert capsys.readouterr().err.splitlines() == [
        "two.csv: column 3 ('Seconds') is of no known metric; say column 3: metric=P@1, or quantity=..., "
        "text, skip",
        "two.csv: column 2 ('P@1'): of no known data set; say --set dataset=ID for all, or column 2: "
        "dataset=ID (eurlex_4k)",
        "two.csv: cell 2,2 (line 3): 'OOM' is not a number; or say cell 2,2: value=... or dash",
    ]
    maps = ["column 2: dataset=eurlex_4k", "column 3: quantity=training_time unit=s", "cell 2,2: dash"]
    assert table("two.csv", *[it for text in maps for it in ("--map", text)]) == Exit.OK
    held = load(toy).tables["t1"]
    time = held.columns[1]
    assert (time.quantity, time.unit, held.rows[1].values[0]) == ("training_time", "s", None)
    capsys.readouterr()
    for maps, sentence in ((["column 9: skip"], "there is no column 9"), (["colum 3: text"], "is not a c")):
        assert table("two.csv", "--map", *maps) == Exit.BAD_INPUT
        assert sentence in capsys.readouterr().err
