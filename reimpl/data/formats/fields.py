"""JSON lines, CSV and TSV: which fields hold text and labels is stated, and so is what parts the labels."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from reimpl.data.files import LONGEST_LINE, File, Tree, shown, text_lines
from reimpl.data.formats.base import (
    Found,
    Options,
    TextSource,
    by_split,
    first_lines,
    need_train_and_test,
    single_file,
)
from reimpl.data.source import Document
from reimpl.errors import DataError

_JSON = r"{prefix}{split}\.(?:jsonl|ndjson|json)"
_CSV = r"{prefix}{split}\.(?:csv|tsv)"
_TEXT, _LABELS = "text", "labels"
_OTHERS = "state text=... and labels=... to name others"


def json_documents(
    file: File, *, text: Sequence[str], labels: str, separator: str | None
) -> Iterator[Document]:
    """An object a line; labels are a list of strings or whole numbers, or a string that `separator` parts.

    Raises `DataError` with file and line for a line that is no object, lacks a field or holds another kind;
    at the end as `_Separated.check`.
    """
    seen = _Separated(separator) if separator else None
    for number, line in text_lines(file):
        where = f"{file}:{number}"
        record = _json_object(line, where)
        parts = [_text_of(_field(record, name, where), name, where) for name in text]
        value = _field(record, labels, where)
        names = _labels_of(value, labels, separator, where)
        if seen and isinstance(value, str):
            seen.add(value)
        document = Document(names, " ".join(parts))
        if "\\u" in line:
            _check_characters(document, where)
        yield document
    if seen:
        seen.check(file)


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line, object_pairs_hook=partial(_once, where))
    except RecursionError as err:
        raise DataError(f"{where}: JSON nested too deep; write one flat object a line") from err
    except ValueError as err:
        raise DataError(f"{where}: {shown(line)} is no JSON ({err}); write one object a line") from err
    if not isinstance(record, dict):
        raise DataError(f"{where}: a {type(record).__name__}, no object; write one object a line")
    return record


def _once(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members; raises `DataError` when two have one name, as only one would be read."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{where}: field {shown(twice)} is there twice; keep one")
    return record


def _field(record: Mapping[str, Any], name: str, where: str) -> Any:
    if name not in record:
        raise DataError(
            f"{where}: no field {name!r}; here are {', '.join(map(shown, list(record)[:20])) or 'none'}; "
            f"{_OTHERS}"
        )
    return record[name]


def _text_of(value: object, name: str, where: str) -> str:
    if isinstance(value, str):
        return value
    raise DataError(f"{where}: field {name!r} is {shown(value)}, no string; name the field that holds text")


def _labels_of(value: object, name: str, separator: str | None, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        if separator is None:
            raise DataError(
                f"{where}: field {name!r} is one string; state separator=... that parts its labels"
            )
        return _parted(value, separator, where)
    if not isinstance(value, list):
        raise DataError(f"{where}: field {name!r} is {shown(value)}; labels are a list or a string")
    for label in value:
        # True is an int to Python, and no label
        if not isinstance(label, str | int) or isinstance(label, bool) or label == "":
            raise DataError(f"{where}: label {shown(label)} is neither a name nor a whole number; correct it")
    return tuple(map(str, value))


def _parted(value: str, separator: str, where: str) -> tuple[str, ...]:
    if separator.isspace():
        return tuple(value.split())
    if not value.strip():
        return ()
    parts = tuple(part.strip() for part in value.split(separator))
    if "" in parts:
        raise DataError(f"{where}: an empty label in {shown(value)}; is the separator {separator!r}?")
    return parts


def _check_characters(document: Document, where: str) -> None:
    try:
        "".join((*document.labels, document.text)).encode()
    except UnicodeEncodeError as err:
        raise DataError(
            f"{where}: half of a surrogate pair, \\u{ord(err.object[err.start]):x}; correct it"
        ) from err


def csv_documents(file: File, *, text: Sequence[str], labels: str, separator: str) -> Iterator[Document]:
    """A row a document under a row of names; `.tsv` is parted by tabs, else by commas.

    Raises `DataError` with file and line for a missing column, a row of another width, or broken quotes; at
    the end as `_Separated.check`.
    """
    rows = _csv_rows(file)
    _, header = next(rows, (1, []))
    for name in (*text, labels):
        if header.count(name) != 1:
            here = ", ".join(map(shown, header[:20])) or "none"
            raise DataError(
                f"{file}:1: {header.count(name)} columns named {name!r}; here are {here}; {_OTHERS}"
            )
    columns, label_column = [header.index(name) for name in text], header.index(labels)
    seen = _Separated(separator)
    for number, row in rows:
        where = f"{file}:{number}"
        if len(row) != len(header):
            raise DataError(
                f"{where}: {len(row)} columns where the first row has {len(header)}; correct the row"
            )
        seen.add(row[label_column])
        yield Document(_parted(row[label_column], separator, where), " ".join(row[it] for it in columns))
    seen.check(file)


def _csv_rows(file: File) -> Iterator[tuple[int, list[str]]]:
    # the module's limit of 131,072 characters is shorter than documents are, and can only be set for all
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    lines = (f"{line}\n" for _, line in text_lines(file))
    reader = csv.reader(lines, delimiter="\t" if file.stem.lower().endswith(".tsv") else ",", strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as err:
        raise DataError(f"{file}:{reader.line_num}: {err}; correct the quotes, or get a whole copy") from err


def open_json(tree: Tree, options: Options) -> TextSource:
    """A folder of JSON lines; `text` and `labels` name the fields, by default those very names."""
    files = by_split(tree, _JSON)
    need_train_and_test(tree, files, "JSON lines")
    return _source(tree, files, options, json_documents, "jsonl")


def open_csv(tree: Tree, options: Options) -> TextSource:
    """A folder of CSV or TSV files; raises `DataError` when `separator` is not stated."""
    files = by_split(tree, _CSV)
    need_train_and_test(tree, files, "CSV")
    if not options.separator:
        raise DataError(f"{tree.path}: nothing says what parts the labels; state separator=... (e.g. ';')")
    return _source(tree, files, options, csv_documents, "csv")


def _source(
    tree: Tree,
    files: Mapping[str, File],
    options: Options,
    read: Callable[..., Iterator[Document]],
    name: str,
) -> TextSource:
    chosen: dict[str, Any] = {
        "text": options.text or (_TEXT,),
        "labels": options.labels or _LABELS,
        "separator": options.separator,
    }
    readers = {split: partial(read, file, **chosen) for split, file in files.items()}
    return TextSource(tree.name, readers, tuple(files.values()), f"{name} {sorted(chosen.items())}")


def detect_json(tree: Tree) -> Found | None:
    """The first line is an object; its fields are named."""
    files = by_split(tree, _JSON) or single_file(tree, (".jsonl", ".ndjson", ".json"))
    if not files:
        return None
    file = next(iter(files.values()))
    lines = first_lines(file, 1)
    try:
        record = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    return Found(
        f"the first line of {file.name} is a JSON object", files, _needs(list(record), record.get(_LABELS))
    )


def detect_csv(tree: Tree) -> Found | None:
    """The name ends in .csv or .tsv and the first line has at least two columns."""
    files = by_split(tree, _CSV) or single_file(tree, (".csv", ".tsv"))
    if not files:
        return None
    file = next(iter(files.values()))
    try:
        _, header = next(_csv_rows(file), (1, []))
    except DataError:
        return None
    if len(header) < 2:
        return None
    why = f"the first line of {file.name} names the columns {', '.join(map(shown, header[:10]))}"
    return Found(why, files, _needs(header, ""))


def _needs(names: Sequence[str], labels: object) -> tuple[str, ...]:
    here = ", ".join(map(shown, names[:20]))
    needs = [
        f"state {what}=...: which of {here} holds the {what}"
        for what in (_TEXT, _LABELS)
        if what not in names
    ]
    if isinstance(labels, str):
        needs.append("state separator=...: what parts the labels")
    return tuple(needs)


#: What usually parts labels.
USUAL = (";", "|", ",", "\t")


class _Separated:
    """The lists of one file, met one after another; only how many hold what is kept."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._lists = 0
        self._hold = dict.fromkeys((separator, *USUAL), 0)

    def add(self, text: str) -> None:
        """The next list, as it is written."""
        if text.strip():
            self._lists += 1
            for it in self._hold:
                self._hold[it] += it in text

    def check(self, file: File) -> None:
        """Raises `DataError` where no list holds the separator and half of them or more hold a usual one.

        Read on, each list would be one label with an odd name.
        """
        other = max(USUAL, key=lambda it: self._hold[it])
        n = self._hold[other]
        if self._separator.isspace() or self._hold[self._separator] or not n or 2 * n < self._lists:
            return
        raise DataError(
            f"{file}: no list of labels holds {self._separator!r}, and {n:,} of {self._lists:,} hold "
            f"{other!r}; is the separator {other!r}?"
        )
