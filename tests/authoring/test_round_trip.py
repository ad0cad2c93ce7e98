"""A table goes into a claim file and comes out of the loader with every number, spread and mark it had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.authoring.corrections import parsed
from audit.authoring.edit import ClaimFile
from audit.authoring.propose import Mapped
from audit.authoring.reading import Options, text_of
from audit.authoring.scaffold import Citation, write_scaffold
from audit.authoring.session import Session
from audit.claim import Paper, load
from audit.errors import AuditError
from tests.authoring.test_reading import mutated
from tests.authoring.test_tables import FILES, expected

KNOWN = [("eurlex-4k", "EUR-Lex"), ("wiki10-31k", "Wiki10-31K"), ("amazoncat-13k", "AmazonCat-13K")]


def session_of(path: Path, folder: Path, *, corrected: bool = True) -> Session:
    """The table of `path` and a new claim file, with the corrections that stand with the result."""
    claims = folder / "toy.yaml"
    write_scaffold(claims, Citation("toy", "A paper"), KNOWN)
    claims.write_text(claims.read_text().replace("  eurlex_4k:", "  eurlex:"))
    given = dict(expected(path).get("options", {}))
    session = Session(
        str(path),
        text_of(str(path)),
        ClaimFile.open(claims),
        {"amazon-670k": "Amazon-670K"},
        Options(number=given.pop("number", None)),
    )
    for key, value in given.items():
        session = session.with_(parsed(f"table: {key}={value}"))
    for text in expected(path).get("map", []) if corrected else []:
        session = session.with_(parsed(text))
    return session


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_headings_are_taken_for_the_data_set_and_metric_that_they_name(path: Path, tmp_path: Path) -> None:
    """null in the result: a column that no rule covers."""
    mapped = session_of(path, tmp_path).mapped()
    right = expected(path)
    found = [it for it in mapped.columns if it.role != "names"]
    for line, wanted in zip(found, right["columns"], strict=True):
        if wanted is not None:
            settings = [line.settings.get(it) for it in ("dataset", "metric", "quantity")]
            assert " ".join(it for it in settings if it) in (wanted, "" if line.id == wanted else None)
    for line, settings in zip(mapped.rows, right.get("row_settings", [{}] * len(mapped.rows)), strict=True):
        assert {**line.settings, **settings} == dict(line.settings)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_is_lost_between_the_table_and_the_loader(path: Path, tmp_path: Path) -> None:
    session = session_of(path, tmp_path)
    mapped, right = session.mapped(), expected(path)
    session.put()
    session.file.save()
    (table,) = load(tmp_path / "toy.yaml").table_records()
    columns = [it for it in mapped.columns if it.role in ("values", "text")]
    said = {place for it in session.corrections if it.target == "cell" for place in it.places}
    for number, (row, wanted) in enumerate(zip(table.rows, right["rows"], strict=True), 1):
        assert row.label == ", ".join(wanted["names"])
        for column, cell in zip(columns, row.cells, strict=True):
            if (number, column.number) not in said:
                held = wanted["cells"][column.number - 1 - mapped.table.names]
                assert (cell.printed, cell.sd, cell.mark) == as_printed(
                    held, column.role == "text", cell.printed
                )
    assert [it.label for it in table.columns] == [
        " ".join(mapped.table.paths[it.number - 1]) for it in columns
    ]


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


def test_what_is_open_is_refused_all_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    path = next(it for it in FILES if it.name == "marks.tex")
    session = session_of(path, tmp_path, corrected=False)
    before = (tmp_path / "toy.yaml").read_bytes()
    with pytest.raises(AuditError) as caught:
        session.put()
    text = str(caught.value)
    assert "column 6 ('Δ P@1 (%)') is of no known metric; say column 6: metric=P@1" in text
    assert "cell 3,5 (line 11): '≈ 41' is no plain number; or say cell 3,5: value=... or dash" in text
    assert "column 2 ('Precision @1') is of no known data set; say column 2: dataset=ID" in text
    assert (tmp_path / "toy.yaml").read_bytes() == before and session.file.text.encode() == before


def test_a_data_set_that_only_the_catalogue_has_is_added(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Method,Amazon-670K P@1\nA,40.10\n")
    claims = write(path, tmp_path)
    assert claims.datasets["amazon_670k"].catalogue == "amazon-670k"
    assert claims.tables["t1"].rows[0].values[0].printed == "40.10"  # type: ignore[union-attr]


def test_the_experiment_of_a_rows_name_stands_behind_it_where_it_is_on_all_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Method,EUR-Lex P@1,Wiki10-31K P@1\nKim CNN,40.10,1\nOther,1,2\n")
    session, claims = start(path, tmp_path)
    text = claims.read_text()
    kim = "{title: Kim-CNN, datasets: [eurlex, wiki10_31k], unavailable: not public}"
    other = "{title: Other, dataset: eurlex, unavailable: not public}"
    claims.write_text(text.replace("experiments: {}", f"experiments:\n  kim: {kim}\n  other: {other}"))
    session, _ = start(path, tmp_path, new=False)
    mapped = session.mapped()
    assert [it.settings.get("experiment") for it in mapped.rows] == ["kim", None]


def start(path: Path, folder: Path, *, new: bool = True, maps: tuple[str, ...] = ()) -> tuple[Session, Path]:
    claims = folder / "toy.yaml"
    if new:
        write_scaffold(claims, Citation("toy", "A paper"), KNOWN)
        claims.write_text(claims.read_text().replace("  eurlex_4k:", "  eurlex:"))
    session = Session(str(path), text_of(str(path)), ClaimFile.open(claims), {"amazon-670k": "Amazon-670K"})
    for text in maps:
        session = session.with_(parsed(text))
    return session, claims


def write(path: Path, folder: Path, *maps: str) -> Paper:
    session, _ = start(path, folder, maps=maps)
    session.put()
    return session.file.save()


def open_points(path: Path, folder: Path, *maps: str) -> str:
    mapped: Mapped = start(path, folder, maps=maps)[0].mapped()
    return "\n".join(mapped.open)


CASES = {
    "the same method twice": (
        "Method,P@1\nA,1.5\nB,2.5\nA,3.5\n",
        "rows 1 and 3 have one name, 'A'; say row 3: id=... label=..., or skip",
    ),
    "two metrics in one cell": ("Method,P@1\nA,75.1 / 60.2\n", "'75.1 / 60.2' holds two numbers"),
    "a heading without values": (
        "Method,P@1,P@3\nA,1.5,\n",
        "column 3 ('P@3') has no values; say its metric",
    ),
    "a fraction or a percentage": ("Method,P@1\nA,0.75\n", "no value is above 1; say --unit fraction"),
    "above 100": (
        'Method,P@1\nA,"75,123"\n',
        "'75,123' is outside 0 to 100 for a metric; say --decimal comma",
    ),
    "a name much like a data set": (
        "Method,EURLex4K-v2 P@1\nA,75.1\n",
        "is much like the data set 'EUR-Lex'",
    ),
    "a row without a name": ("Method,P@1\n,75.1\nB,1.0\n", "row 1 (line 2) has no name; say row 1: label="),
    "brackets": ("Method,P@1\nA,75.1 (0.2)\n", "has '0.2' beside the number; say --beside sd or"),
    "digits of another script": ("Method,P@1\nA,٧٥٫١\n", "has digits that are not 0 to 9"),
    "text turned round": ("Method,P@1\nA,\u202e75.1\n", "holds characters that are not seen, or turn text"),
    "out of memory": ("Method,P@1\nA,OOM\nB,1\n", "'OOM' is no number; or say cell 1,2: value=... or dash"),
    "the difference to another row": ("Method,Delta P@1\nA,1.5\n", "('Delta P@1') is of no known metric"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_has_two_readings_is_left_open(case: str, tmp_path: Path) -> None:
    content, sentence = CASES[case]
    (tmp_path / "t.csv").write_text(content)
    assert sentence in open_points(tmp_path / "t.csv", tmp_path, "table: dataset=eurlex")


def test_rows_that_name_no_data_set_beside_rows_that_do_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Data,Method,P@1\nEUR-Lex,A,75.1\nWiki10,A,60.2\nWiki10-31K,A,70.3\n")
    assert open_points(path, tmp_path) == (
        "row 2 ('Wiki10, A') is of no known data set ('Wiki10' is much like 'Wiki10-31K'); say row 2: "
        "dataset=ID, or --dataset ID for all"
    )
    (tmp_path / "toy.yaml").unlink()
    rows = write(path, tmp_path, "row 2: dataset=wiki10-31k").tables["t1"].rows
    assert [(it.id, it.dataset) for it in rows] == [
        ("eur_lex_a", "eurlex"),
        ("wiki10_a", "wiki10_31k"),
        ("wiki10_31k_a", "wiki10_31k"),
    ]


def test_a_name_or_heading_that_nobody_defines_is_left_open(tmp_path: Path) -> None:
    path = tmp_path / "t.tex"
    path.write_text("\\begin{tabular}{lc}\nM & \\score \\\\\n\\midrule\n\\ours & 75.1 \\\\\n\\end{tabular}")
    points = open_points(path, tmp_path, "table: dataset=eurlex")
    assert "row 1 (line 4): '\\\\ours' holds \\ours, which the file does not define" in points
    assert "column 2 (line 2): '\\\\score' holds \\score" in points
    (tmp_path / "toy.yaml").unlink()
    maps = ("table: dataset=eurlex", "row 1: label=Ours", "column 2: label=Score metric=P@1")
    (row,) = write(path, tmp_path, *maps).tables["t1"].rows
    assert (row.id, row.label) == ("ours", "Ours")


def test_names_from_right_to_left_are_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("שיטה,P@1\nעץ,75.10\n", encoding="utf-8")
    (row,) = write(path, tmp_path, "table: dataset=eurlex").tables["t1"].rows
    assert (row.id, row.label) == ("row_1", "עץ")


MAPS = ["column 2: skip", "column 3: text", "row 1: skip", "cell 1,2: dash"]


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> ClaimFile:
    path = tmp_path_factory.mktemp("fuzz") / "toy.yaml"
    write_scaffold(path, Citation("toy", "A paper"), KNOWN)
    return ClaimFile.open(path)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    mutated(),
    st.lists(st.sampled_from(["column 2: skip", "column 3: text", "row 1: skip", "cell 1,2: dash"])),
)
def test_a_mutated_table_is_put_into_a_valid_file_or_refused(
    claims: ClaimFile, case: tuple[Path, str], maps: list[str]
) -> None:
    """In sentences; and every number that is in the table stands in the text that would be written."""
    path, text = case
    file = replace(claims, text=claims.old)
    session = Session(path.name, text, file, {}, Options(number=1))
    try:
        for it in ["table: dataset=eurlex_4k unit=percent", *maps]:
            session = session.with_(parsed(it))
        mapped = session.mapped()
        session.put()
        file.check()
    except AuditError:
        return
    for cell in mapped.cells.values():
        assert cell.value is None or f'"{cell.value}"' in file.text or f"{cell.text}" in file.text
