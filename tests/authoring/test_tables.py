"""Tables in many styles, each with the right result, written by hand, beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.authoring.cells import Cell, Notation, Table
from audit.authoring.reading import Options, read
from audit.claim_source import read as read_yaml

TABLES = Path(__file__).parent / "tables"
FILES = sorted(path for path in TABLES.iterdir() if path.suffix != ".yaml")


def expected(path: Path) -> dict[str, Any]:
    held = path.with_suffix(".yaml") if path.suffix == ".tex" else path.with_suffix(path.suffix + ".yaml")
    return dict(read_yaml(held).content)


def table_of(path: Path) -> Table:
    given = dict(expected(path).get("options", {}))
    reading = Notation(given.pop("decimal", None), given.pop("beside", None))
    return read(str(path), Options(notation=reading, **given))


def compact(cell: Cell) -> Any:
    """As the files of results write a cell."""
    if cell.kind in ("text", "unclear"):
        return {cell.kind: cell.text}
    if cell.kind != "number":
        return None if cell.kind == "dash" else ""
    more = {"sd": cell.sd} if cell.sd else {}
    more |= {"marks": list(cell.marks)} if cell.marks else {}
    return {"value": cell.value, **more} if more else cell.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_table_is_read_as_a_person_reads_it(path: Path) -> None:
    table, right = table_of(path), expected(path)
    assert [list(it) for it in table.paths] == right["paths"]
    assert (len(table.heading), table.names) == (right["heads"], right["names"])
    assert [list(row.names) for row in table.rows] == [row["names"] for row in right["rows"]]
    for row, wanted in zip(table.rows, right["rows"], strict=True):
        assert [compact(cell) for cell in row.cells[table.names :]] == wanted["cells"], wanted["names"]
        assert row.line == wanted["line"], wanted["names"]
    assert [[it.line, column, it.text] for it, column, _ in table.left_out] == right.get("unread", [])
    assert table.caption == right.get("caption", "")


def test_there_are_ten_tables_in_latex_and_some_of_each_other_kind() -> None:
    endings = [path.suffix for path in FILES]
    assert endings.count(".tex") == 10
    assert all(endings.count(it) >= 2 for it in (".csv", ".md", ".html")) and ".tsv" in endings
