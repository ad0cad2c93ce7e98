"""`audit verify` as a user gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit import cli
from audit.claims.load import load
from audit.errors import Exit

FILE = """\
format: 1
paper: {key: toy, title: A paper}
transcription: {source: PDF, compared: null, verified_by: null, date: null}  # by hand
datasets:
  eurlex: {name: EUR-Lex}
tables:
  t1:
    where: {label: Table 1, page: 3}
    caption: scores
    dataset: eurlex
    source: own_run
    columns: [P@1, P@3]
    rows:
      - {id: kim, label: Kim-CNN, values: ["75.10", "20.20"]}   # fewer hits in three than in one
      - {id: xml, values: ["76.40", null]}
  t2:
    where: {label: Table 2}
    caption: more
    dataset: eurlex
    source: own_run
    transcription: {source: "t2.csv (csv), read by program", verified_by: null}
    columns: [P@1, P@3]
    rows:
      - {id: kim, values: ["50.00", "10.00"]}
"""
GOOD = "M,P@1,P@3\nKim-CNN,75.10,20.20\nxml,76.40,-\n"


def verify(*arguments: str) -> int:
    return cli.main(["verify", "toy", "--by", "A. Reader", "--date", "2026-11-28", *arguments])


def test_tables_that_agree_are_recorded_one_by_one(file: Path) -> None:
    Path("b.csv").write_text(GOOD)
    Path("c.csv").write_text("M,P@1,P@3\nkim,50.00,10.00\n")
    assert verify("--table", "t1", "--against", "b.csv") == Exit.OK
    assert verify("--table", "t2", "--against", "c.csv") == Exit.OK
    paper = load(file)
    assert paper.tables["t1"].transcription is not None
    first = paper.tables["t1"].transcription
    assert (first.source, first.verified_by, first.date) == ("PDF", "A. Reader", "2026-11-28")
    assert first.compared == "4 cells against b.csv, a second reading, compared by program: no difference"
    assert [it.verified for it in paper.table_records()] == ["A. Reader, 2026-11-28"] * 2
    text = file.read_text()
    assert "# by hand\n" in text and '"20.20"]}   # fewer hits in three than in one\n' in text


def test_a_changed_number_is_listed_and_can_be_verified_again(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("b.csv").write_text(GOOD)
    assert verify("--table", "t1", "--against", "b.csv") == Exit.OK
    file.write_text(file.read_text().replace("20.20", "60.20"))
    capsys.readouterr()
    assert cli.main(["verify", "toy"]) == Exit.OK
    assert capsys.readouterr().out == (
        "t1 (Table 1): changed since A. Reader verified it on 2026-11-28\nt2 (Table 2): not verified\n"
    )
    Path("b.csv").write_text(GOOD.replace("20.20", "60.20"))
    assert cli.main(["verify", "toy", "--table", "t1", "--against", "b.csv", "--by", "B"]) == Exit.OK
    assert str(load(file).table_records()[0].verified).startswith("B, ")
