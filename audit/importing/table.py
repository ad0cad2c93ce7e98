"""Tables of results as text: of a CSV, JSON or JSON lines file, or of what a program holds already.

    [{"experiment": "words", "dataset": "EUR-Lex", "metric": "P@1", "seed": 0, "value": 76.4}, ...]
    {"words": {"P@1": [76.4, 76.1, 76.6]}}                a value for each of the seeds 0, 1, 2
    {"words": {"P@1": {0: 76.4, 7: 76.1, 9: None}}}       by seed; None is a failed run

or columns: a pandas DataFrame, a mapping of columns, a NumPy array with named fields.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from audit.errors import ImportFileError, option
from audit.json_errors import RecordError, unread

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("experiment", "dataset", "metric", "seed", "value")
#: Stands in records where others have the name of a file.
NAME = "values given in Python"

_SUFFIXES = (".csv", ".json", ".jsonl", ".ndjson")
_FORMS = (
    'a table with the columns experiment, dataset, metric, seed and value, or {"experiment": {"P@1": [76.4, '
    "76.1]}}"
)


@dataclass(frozen=True)
class Source:
    """A file that numbers came from."""

    file: str
    """Its name, without the folder."""
    sha256: str
    """Of its bytes, 64 hex digits."""


Rows = Iterable[tuple[str, Any]]
"""Each row with its place: `results.csv:3`, `results.json: item 2`."""


def read_table(path: Path, wanted: Sequence[str]) -> tuple[DataFrame, Source]:
    """Every row as text, under names in lower case, its place as the index.

    Raises `ImportFileError` for a file that is no table, or lacks a column of `wanted`.
    """
    content, source = read_text(path)
    rows = _csv_rows(path, content, wanted) if path.suffix.casefold() == ".csv" else objects(path, content)
    return frame_of(rows, wanted, str(path)), source


def table_of(results: object, wanted: Sequence[str]) -> tuple[DataFrame, Source]:
    """The same of what a program holds. Raises `ImportFileError` for what is no table of results."""
    frame = frame_of(((f"{NAME}, {place}", row) for place, row in _rows_of(results)), wanted, NAME)
    content = json.dumps(frame.to_dict("records"), ensure_ascii=True)
    return frame, Source(NAME, hashlib.sha256(content.encode()).hexdigest())


def frame_of(rows: Rows, wanted: Sequence[str], name: str) -> DataFrame:
    """The rows as a table of text; empty for null and for what a row does not have."""
    import pandas

    places, cells = [], []
    for place, row in rows:
        if not isinstance(row, Mapping):
            refuse(place, f"{brief(row)} is no row of a table; give an object of columns for each row")
        named = {str(column).strip().casefold(): text(value) for column, value in row.items()}
        if len(named) < len(row):
            refuse(place, "two columns have one name but for the case; rename one")
        _check_columns(place, list(named), wanted)
        places.append(place)
        cells.append(named)
    if not cells:
        refuse(name, f"there are no rows; give {_FORMS if name == NAME else 'one for each metric of a seed'}")
    return pandas.DataFrame(cells, index=places, dtype=object).fillna("")


def _check_columns(place: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in names]
    if missing:
        add = f"; or add {option('dataset', 'NAME')}" if missing == ["dataset"] else ""
        if "labels" in names and "scores" in names:
            add = f"; or, if these are predictions, add {option('truth', 'FILE')}"
        absent, there = ", ".join(map(repr, missing)), ", ".join(repr(name[:40]) for name in names[:12])
        refuse(place, f"no column {absent}, only {there}; name the columns {', '.join(wanted)}{add}")


def text(value: Any) -> str:
    """A scalar as the shortest text that is the same, null as nothing; what is nested stays JSON."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()  # NumPy's numbers
    if value is None:
        return ""
    if isinstance(value, bool | int | float | list | dict):
        shown = json.dumps(value, ensure_ascii=False, default=str)
        return shown.lower() if shown in ("NaN", "Infinity", "-Infinity") else shown
    return str(value).strip()


def brief(value: Any) -> str:
    shown = " ".join((value if isinstance(value, str) else repr(value)).split())
    return shown if len(shown) <= 40 else f"{shown[:40]}..."


def refuse(place: str | Path, what: str, cause: Exception | None = None) -> NoReturn:
    """Raise `ImportFileError` about one place, or a whole file."""
    raise ImportFileError([f"{place}: {what}"]) from cause


# --------------------------------------------------------------------------- files


def read_text(path: Path) -> tuple[str, Source]:
    """The text of a file, with what it is known by."""
    if path.suffix.casefold() not in _SUFFIXES:
        refuse(path, f"its name does not end in {', '.join(_SUFFIXES)}; rename it to what it is")
    content, source = read_bytes(path)
    try:  # utf-8-sig: a byte-order mark, which spreadsheets write, is no part of the first name
        return content.decode("utf-8-sig"), source
    except UnicodeDecodeError as err:
        refuse(path, f"{unread(err)}; save it as UTF-8", err)


def read_bytes(path: Path) -> tuple[bytes, Source]:
    try:
        content = path.read_bytes()
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        refuse(path, f"{reason}; give a file of results", err)
    return content, Source(path.name, hashlib.sha256(content).hexdigest())


def objects(path: Path, content: str) -> Iterator[tuple[str, Any]]:
    """Place and content of each JSON line, or of each item of the list in a JSON file."""
    if path.suffix.casefold() != ".json":
        for number, line in enumerate(content.split("\n"), 1):
            if line.strip():
                yield f"{path}:{number}", parsed(f"{path}:{number}", line)
        return
    items = parsed(path, content) if content.strip() else []
    if not isinstance(items, list):
        refuse(path, f"{brief(text(items))} is no list of objects; write [{{...}}, {{...}}]")
    for number, item in enumerate(items, 1):
        yield f"{path}: item {number}", item


def parsed(place: str | Path, content: str) -> Any:
    """JSON with its numbers as the text they are written in: 0.7638 is not rounded on its way."""
    try:
        return json.loads(
            content, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_distinct
        )
    except (RecursionError, ValueError) as err:
        refuse(place, f"{unread(err)}; write it anew", err)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"the key {twice[0][:60]!r} stands there twice")
    return dict(pairs)


def _csv_rows(path: Path, content: str, wanted: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    names: list[str] = []
    for line, row in csv_lines(str(path), content):
        place = f"{path}:{line}"
        if names and len(row) != len(names):
            refuse(place, f"{len(row)} cells under {len(names)} columns; give one for each")
        if names:
            yield place, dict(zip(names, row, strict=True))
            continue
        names = [name.strip().casefold() for name in row]
        if twice := [name for name in names if names.count(name) > 1]:
            refuse(place, f"the column {twice[0][:60]!r} stands there twice; rename one")
        _check_columns(place, names, wanted)


def csv_lines(name: str, content: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins, without empty ones, which programs put at the end."""
    reader, line = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True), 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as err:
        refuse(f"{name}:{max(1, reader.line_num)}", f"no CSV ({err}); correct its quotes or that line", err)


# --------------------------------------------------------------------------- what a program holds


def _rows_of(results: Any) -> Iterator[tuple[str, Any]]:
    import pandas

    if (names := getattr(getattr(results, "dtype", None), "names", None)) is not None:
        results = {name: results[name] for name in names}
    needed = {name for name in COLUMNS if name != "dataset"}
    if isinstance(results, pandas.DataFrame) or (isinstance(results, Mapping) and needed <= set(results)):
        try:
            results = pandas.DataFrame(results, dtype=object).to_dict("records")
        except ValueError as err:
            refuse(NAME, "its columns are not of one length; give as many rows each", err)
    if isinstance(results, Mapping):
        yield from _by_experiment(results)
    elif isinstance(results, Iterable) and not isinstance(results, str | bytes):
        yield from ((f"row {number}", row) for number, row in enumerate(results, 1))
    else:
        refuse(NAME, f"{brief(results)} is no table of results; give {_FORMS}")


def _by_experiment(results: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for experiment, metrics in results.items():
        place = f"[{experiment!r}]"
        if not isinstance(metrics, Mapping):
            refuse(f"{NAME}, {place}", f"{brief(metrics)} are no metrics; give {_FORMS}")
        for metric, values in metrics.items():
            dimensions = getattr(values, "ndim", 1)
            if isinstance(values, str | bytes) or not isinstance(values, Iterable) or dimensions != 1:
                what = f"{brief(repr(values))} is no list; give one value for each seed, as in [76.4, 76.1]"
                refuse(f"{NAME}, {place}[{metric!r}]", what)
            for seed, value in values.items() if isinstance(values, Mapping) else enumerate(values):
                row = {"experiment": experiment, "metric": metric, "seed": seed, "value": value}
                yield f"{place}[{metric!r}], seed {seed}", row
