"""Tables with a character between their cells: CSV, TSV. The standard library's csv reads them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from itertools import islice

from audit.authoring.cells import Found, Piece, Run, check_size
from audit.errors import AuditError

SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


#: Rows by which a separator is found.
_FIRST = 1_000


def tables(name: str, text: str, *, separator: str | None, commas: bool = False) -> list[Found]:
    """The one table of the file. Without a separator it is the only one that parts all rows alike; where the
    numbers have decimal commas, it is none.

    Raises `AuditError` where none does, or several, or where quotes do not pair up.
    """
    rows = _rows(name, text, separator or _only_separator(name, text, commas))
    return [Found(rows=tuple(rows), line=rows[0][0].line)] if rows else []


def _only_separator(name: str, text: str, commas: bool) -> str:
    possible = {word: sign for word, sign in SEPARATORS.items() if not (commas and word == "comma")}
    fitting = [word for word, sign in possible.items() if _parts_alike(text, sign)]
    if len(fitting) == 1:
        return SEPARATORS[fitting[0]]
    if not text.strip():
        raise AuditError(f"{name}: it is empty; give a table with a heading and rows")
    if not fitting:
        _check_rows(name, text, possible)
    found = f"{' and '.join(fitting)} part" if fitting else "no character parts"
    raise AuditError(f"{name}: {found} all rows alike; say --separator {'|'.join(possible)}")


def _check_rows(name: str, text: str, possible: Mapping[str, str]) -> None:
    """Raises `AuditError` with the row in which the character that parts the heading finds other cells."""
    heading = next(line for line in text.split("\n") if line.strip())
    counts = {word: heading.count(sign) for word, sign in possible.items() if sign in heading}
    most = [word for word, count in counts.items() if count == max(counts.values())]
    if len(most) != 1:
        return
    head, *rows = _rows(name, text, possible[most[0]])
    for number, row in enumerate(rows, 1):
        if len(row) not in (1, len(head)):
            what = f"row {number} has {len(row)} cells and the heading {len(head)}, with a {most[0]} between"
            raise AuditError(f"{name}:{row[0].line}: {what}; give each row as many, an empty one for none")


def _parts_alike(text: str, separator: str) -> bool:
    """Whether the first rows have one width, of two or more; a title alone on its line aside."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        widths = {len(row) for row in islice(reader, _FIRST) if any(cell.strip() for cell in row)}
    except csv.Error:
        return False
    return len(widths - {1}) == 1


def _rows(name: str, text: str, separator: str) -> list[tuple[Piece, ...]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[Piece, ...]] = []
    line, cells = 1, 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(tuple(Piece((Run(cell.strip()),), line) for cell in row))
                cells += len(row)
                check_size(name, 1, cells)
            line = reader.line_num + 1
    except csv.Error as err:
        long = "field limit" in str(err)
        what = (
            f"a cell has more than {csv.field_size_limit():,} characters"
            if long
            else "its quotes do not pair up"
        )
        raise AuditError(f"{name}:{max(1, reader.line_num)}: no CSV: {what}; correct that line") from err
    return rows
