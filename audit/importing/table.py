"""Rows of a CSV, JSON or JSON lines file as text, one after another, with the place of each; and their cells.

CSV and JSON lines are read as a stream and may have any size. Bytes are hashed as they are read, so that the
hash is that of the numbers that were taken.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from audit.claims.source import is_visible
from audit.errors import ImportFileError, option
from audit.importing.result import Source

#: Bytes of a JSON file, which has to be read as a whole; and of one line of the others.
MOST_JSON, MOST_LINE = 64 << 20, 4 << 20

SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "lines", ".ndjson": "lines"}
#: What separates the cells of a table that was saved under the name of another kind.
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Row:
    """One row: what its columns hold, under their names in lower case."""

    place: str
    """`results.csv:3` or `results.json: item 2`."""
    cells: Mapping[str, str]
    """Scalars as text; empty for null."""


class TableFile:
    """A file of results. `source` is known once `rows` has come to its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = hashlib.sha256()

    @property
    def source(self) -> Source:
        return Source(self.path.name, self._digest.hexdigest())

    def rows(self, *, wanted: Sequence[str] = ()) -> Iterator[Row]:
        """Every row. Raises `ImportFileError` for a file that is no table, or lacks a column of `wanted`."""
        kind = SUFFIXES.get(self.path.suffix.casefold())
        if kind is None:
            refuse(self.path, f"its name does not end in {', '.join(SUFFIXES)}; rename it to what it is")
        if kind == "csv":
            yield from self._csv(wanted)
            return
        for number, item in self.objects():
            place = f"{self.path}:{number}" if kind == "lines" else f"{self.path}: item {number}"
            if not isinstance(item, dict):
                refuse_at(place, f"{_brief(item)} is no object of columns; write one for each row")
            cells = {name.strip().casefold(): text(value) for name, value in item.items()}
            if len(cells) < len(item):
                refuse_at(place, "two columns have one name but for the case; rename one")
            _check_columns(place, list(cells), wanted)
            yield Row(place, cells)

    def objects(self, *, single: bool = False) -> Iterator[tuple[int, Any]]:
        """Line or item number, from 1, and content: of JSON lines, or of the list in a JSON file.

        `single`: the file is one object, in place of a list of one.
        """
        empty = True
        if SUFFIXES.get(self.path.suffix.casefold()) == "json":
            items: Iterator[tuple[int, Any]] = enumerate(self._list(single=single), 1)
        else:
            items = self._json_lines()
        for number, item in items:
            empty = False
            yield number, item
        if empty:
            refuse(self.path, "it holds no rows; give a file with one row for each metric of each seed")

    # ------------------------------------------------------------------ the three forms

    def _csv(self, wanted: Sequence[str]) -> Iterator[Row]:
        with self._opened() as stream:
            reader = csv.reader(_lines(self.path, stream), strict=True)
            try:
                header = next((row for row in reader if any(row)), None)
                if header is None:
                    refuse(self.path, "it is empty; the first line names the columns")
                names = _header(f"{self.path}:{reader.line_num}", header, wanted)
                rows = 0
                for row in reader:
                    if not any(cell.strip() for cell in row):
                        continue  # an empty line, which programs like to put at the end
                    rows += 1
                    place = f"{self.path}:{reader.line_num}"
                    if len(row) != len(names):
                        refuse_at(place, f"{len(row)} cells under {len(names)} columns; give one for each")
                    yield Row(place, {n: cell.strip() for n, cell in zip(names, row, strict=True)})
            except csv.Error as err:
                what = "its quotes do not pair up, or a cell has more than 131,072 characters"
                refuse_at(f"{self.path}:{reader.line_num}", f"no CSV: {what}; correct that line", err)
        if not rows:
            refuse(self.path, "it holds no rows; give one for each metric of each seed")

    def _json_lines(self) -> Iterator[tuple[int, Any]]:
        with self._opened() as stream:
            for number, line in enumerate(_lines(self.path, stream), 1):
                if line.strip():
                    yield number, _parsed(f"{self.path}:{number}", line)

    def _list(self, *, single: bool = False) -> list[Any]:
        with self._opened() as stream:
            content = stream.read(MOST_JSON + 1)
        if len(content) > MOST_JSON:
            refuse(self.path, f"more than {MOST_JSON >> 20} MB of JSON; write it as JSON lines (.jsonl)")
        found = _parsed(str(self.path), content) if content.strip() else []
        if single and isinstance(found, dict):
            return [found]
        if not isinstance(found, list):
            refuse(self.path, f"{_brief(found)} is no list of objects; write [{{...}}, {{...}}]")
        return found

    @contextmanager
    def _opened(self) -> Iterator[io.TextIOWrapper]:
        with explained(self.path), self.path.open("rb", buffering=0) as raw:
            hashed = io.BufferedReader(_Hashed(raw, self._digest))
            try:
                # utf-8-sig: a byte-order mark, which spreadsheets write, is no part of the first name
                with io.TextIOWrapper(hashed, encoding="utf-8-sig", newline="") as stream:
                    yield stream
            except UnicodeDecodeError as err:
                byte = err.object[err.start]
                refuse(self.path, f"its byte 0x{byte:02x} is no text in UTF-8; save it as UTF-8", err)


class _Hashed(io.RawIOBase):
    """Hashes what is read through it."""

    def __init__(self, raw: io.FileIO, digest: Any) -> None:
        self.raw, self.digest = raw, digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self.raw.readinto(buffer) or 0
        self.digest.update(memoryview(buffer)[:n])
        return n


def _lines(path: Path, stream: io.TextIOWrapper) -> Iterator[str]:
    while line := stream.readline(MOST_LINE + 1):
        if len(line) > MOST_LINE:
            refuse(path, f"a line has more than {MOST_LINE >> 20} MB; is it a table?")
        yield line


def _header(place: str, header: Sequence[str], wanted: Sequence[str]) -> list[str]:
    names = [name.strip().casefold() for name in header]
    for separator, word in _SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            refuse_at(place, f"the columns are separated by {word}; save the table with commas")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        refuse_at(place, f"the column {twice[0][:60]!r} stands there twice; rename one")
    _check_columns(place, names, wanted)
    return names


def _check_columns(place: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in names]
    if not missing:
        return
    add = f"; or add {option('dataset', 'NAME')}" if missing == ["dataset"] else ""
    if "labels" in names and "scores" in names:
        add = f"; or, if these are predictions, add {option('truth', 'FILE')}"
    absent, there = ", ".join(map(repr, missing)), ", ".join(repr(name[:40]) for name in names[:12])
    refuse_at(place, f"no column {absent}, only {there}; name the columns {', '.join(wanted)}{add}")


# --------------------------------------------------------------------------- JSON


def _parsed(place: str, content: str) -> Any:
    """JSON with its numbers as the text they are written in: 0.7638 is not rounded on its way."""
    try:
        return json.loads(
            content, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_distinct
        )
    except RecursionError as err:
        refuse_at(place, "it is nested too deep for a table; write one flat object for each row", err)
    except json.JSONDecodeError as err:
        near = content[err.pos : err.pos + 20].split("\n")[0].strip()
        what = f"it stops making sense at {near!r}" if near else "it ends too early"
        line = f" on line {err.lineno}" if err.lineno > 1 else ""
        refuse_at(place, f"no JSON: {what}{line}, character {err.colno}; write it anew", err)
    except ValueError as err:  # of `_distinct`
        refuse_at(place, f"{err}; remove one, or rename it", err)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:60]!r} stands there twice")
    return held


def text(value: Any) -> str:
    """A scalar as text, null as nothing; what is nested stays JSON."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --------------------------------------------------------------------------- refusals


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an `OSError` of reading `path` into one sentence."""
    try:
        yield
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        refuse(path, f"{reason}; give a file of results", err)


def _brief(value: Any) -> str:
    shown = text(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."


def refuse(path: Path, what: str, cause: Exception | None = None) -> NoReturn:
    """Raise `ImportFileError` about the whole file."""
    refuse_at(str(path), what, cause)


def refuse_at(place: str, what: str, cause: Exception | None = None) -> NoReturn:
    """Raise `ImportFileError` about one place."""
    raise ImportFileError([f"{place}: {what}"]) from cause


COLUMNS = ("experiment", "dataset", "metric", "seed", "value")
OPTIONAL = ("fingerprint",)

#: A longer text of a column that we do not know is cut: a record is no log file.
_NOTE = 200
#: No name and no number is longer than this.
_CELL = 200
MOST_SEED = 2**63 - 1

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
_NO_VALUES = ("nan", "inf", "infinity", "none", "null", "na", "n/a")

Value = Decimal | None
"""None for a failed run."""


def check_cells(row: Row) -> None:
    """Names and numbers stand in reports and on terminals. Raises `ValueError` for what is neither."""
    for name in (*COLUMNS, *OPTIONAL):
        cell = row.cells.get(name, "")
        if len(cell) > _CELL:
            raise ValueError(f"{name} has {len(cell)} characters; is this the right column?")
        if not is_visible(cell) or _encodable(cell) != cell:
            raise ValueError(f"{name} {cell!a} holds characters that cannot be shown; take them out")


def note_of(name: str, text: str) -> str:
    """What a column that we do not know says of a run, on one line that can be shown."""
    return " ".join(it if is_visible(it) else "?" for it in _encodable(f"{name}: {text}"[:_NOTE]).split())


def _encodable(text: str) -> str:
    """With a question mark for each half of a surrogate pair, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def seed_of(row: Row) -> int:
    """Raises `ValueError` for what is no seed; 3.0, as some programs write 3, is one."""
    text = row.cells["seed"]
    if not _SEED.fullmatch(text):
        raise ValueError(f"seed {text[:40]!r} is no whole number; number the seeds 0, 1, 2, ...")
    return sound_seed(int(text.partition(".")[0]))


def sound_seed(seed: int) -> int:
    """The seed. Raises `ValueError` for a number that no generator of random numbers takes."""
    if not 0 <= seed <= MOST_SEED:
        said = "below 0" if seed < 0 else f"above {MOST_SEED}, the largest of 63 bits"
        raise ValueError(f"seed {seed} is {said}; number the seeds 0, 1, 2, ...")
    return seed


def value_of(row: Row) -> Value:
    """Raises `ValueError` for what is neither a number nor `failed` or nothing."""
    text = row.cells["value"]
    if text.casefold() in ("", "failed"):
        return None
    if text.casefold().lstrip("+-") in ("", *_NO_VALUES):
        raise ValueError(f"{text!r} is no value; did the run fail? then write failed there")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"value {text[:40]!r} is no number; write it plainly, as 76.38, or failed")
    return Decimal(text)
