"""Files of results for tests: rows of a table, written as CSV, JSON or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COLUMNS = ("experiment", "dataset", "metric", "seed", "value")
Row = tuple[Any, ...]

#: Two experiments of the toy paper with three seeds each; one more seed of the second has failed.
ROWS: tuple[Row, ...] = (
    ("words", "corpus", "P@1", 0, "80.10"),
    ("words", "corpus", "P@1", 1, "80.30"),
    ("words", "corpus", "P@1", 2, "80.20"),
    ("letters", "corpus", "P@1", 0, "40.10"),
    ("letters", "corpus", "P@1", 1, "40.30"),
    ("letters", "corpus", "P@1", 2, "40.20"),
    ("letters", "corpus", "P@1", 3, "failed"),
)


def write_rows(path: Path, rows: Sequence[Row] = ROWS, columns: Sequence[str] = COLUMNS) -> Path:
    """In the form that the name of the file asks for."""
    items = [dict(zip(columns, row, strict=True)) for row in rows]
    if path.suffix == ".json":
        path.write_text(json.dumps(items))
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(it)}\n" for it in items))
    else:
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows([columns, *rows])
    return path


def changed(*changes: tuple[int, str, Any]) -> list[Row]:
    """`ROWS` with some cells replaced: row from 0, column, value."""
    rows = [list(row) for row in ROWS]
    for row, column, value in changes:
        rows[row][COLUMNS.index(column)] = value
    return [tuple(row) for row in rows]
