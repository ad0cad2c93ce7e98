"""Corpora of texts: LibMultiLabel's lines, AttentionXML's pairs of files, JSON lines, CSV and TSV.

lines   `label1 label2<TAB>text`, as ntumlgroup/LibMultiLabel (0.10, at 5cd775a): labels are split at white
        space, a line without labels starts with the tab, and a column in front may hold document ids. It is
        read only when `ids` says so: of two tabs in a line one cannot know whether the first field is an id
        or the text holds a tab.
pairs   `train_texts.txt` beside `train_labels.txt` (yourh/AttentionXML at e2bbbec): `..._texts.txt` is
        tokenised already and `..._raw_texts.txt` is the text before that.
fields  which ones hold text and labels is stated, and so is what parts the labels.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from reimpl.data.files import LONGEST_LINE, File, Tree, line_blocks, shown, text_lines
from reimpl.data.formats.base import (
    Found,
    Options,
    TextSource,
    by_split,
    first_lines,
    need_beside,
    need_train_and_test,
    pairs_seen,
    split_files,
)
from reimpl.data.numbering import Lines, parse_line
from reimpl.data.source import Document
from reimpl.errors import DataError, option

#: Bytes of lines that a worker process takes apart at once.
CHUNK = 1 << 20

_LINES = r"{prefix}{split}\.(?:txt|tsv)"
_TEXTS, _RAW, _LABEL_LINES = (
    rf"{{prefix}}{{split}}_{what}\.txt" for what in ("texts", "raw_texts", "labels")
)
_JSON = r"{prefix}{split}\.(?:jsonl|ndjson|json)"
_CSV = r"{prefix}{split}\.(?:csv|tsv)"
_TEXT, _LABELS = "text", "labels"
_OTHERS = f"state {option('text', '...')} and {option('labels', '...')} to name others"
#: What usually parts labels.
_USUAL = (";", "|", ",", "\t")

# --------------------------------------------------------------------------- lines


def detect_lines(tree: Tree) -> Found | None:
    """One tab in each of the first lines, or two when a column of ids stands in front."""
    files = split_files(tree, _LINES, (".txt", ".tsv"))
    if not files:
        return None
    file = next(iter(files.values()))
    tabs = {line.count(b"\t") for line in first_lines(file)}
    if tabs == {1}:
        return Found(f"each of the first lines of {file.name} has one tab, between labels and text", files)
    if tabs == {2}:
        needs = (f"state {option('ids', True)} if the first of three columns holds document ids",)
        return Found(f"each of the first lines of {file.name} has two tabs", files, needs)
    return None


def has_lines(tree: Tree) -> bool:
    """Whether there are files that are called like those of LibMultiLabel, whatever they hold."""
    return {"train", "test"} <= by_split(tree, _LINES).keys()


def open_lines(tree: Tree, options: Options) -> TextSource:
    """A folder or a .zip with `train.txt`, `test.txt` and maybe `dev.txt`; raises `DataError` without."""
    ids = bool(options.ids)
    files = by_split(tree, _LINES)
    need_train_and_test(tree, files, "LibMultiLabel text")
    return TextSource(
        tree.name,
        {split: partial(line_documents, file, ids=ids) for split, file in files.items()},
        tuple(files.values()),
        f"lml ids={ids}",
        pieces={split: partial(_chunks, file, ids) for split, file in files.items()},
        # so that corpora prepared by earlier versions are still found in the cache
        by_split=all(
            file.stem in ("train.txt", "test.txt", "dev.txt", "valid.txt")
            and not file.member
            and file.packing != ".bz2"
            for file in files.values()
        ),
    )


def line_documents(file: File, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file; raises `DataError` with file and line for one of another form."""
    for number, line in text_lines(file):
        yield parse_line(line, f"{file}:{number}", ids=ids)


def _chunks(file: File, ids: bool) -> Iterator[Lines]:
    """The same documents, not yet taken apart; the errors come when they are, or in reading."""
    return (Lines(block, str(file), number, ids) for number, block in line_blocks(file, CHUNK))


# --------------------------------------------------------------------------- pairs


def detect_pairs(tree: Tree) -> Found | None:
    """A file of texts beside one of labels."""
    tokenised, raw, labels = (by_split(tree, pattern) for pattern in (_TEXTS, _RAW, _LABEL_LINES))
    texts = tokenised or raw
    if not texts or not labels:
        return None
    needs = (
        (f"state {option('raw', False)} or {option('raw', True)}: whether to read the raw texts",)
        if tokenised and raw
        else ()
    )
    why = f"{next(iter(texts.values())).name} beside {next(iter(labels.values())).name}"
    return Found(why, pairs_seen(texts, "texts", labels), needs)


def open_pairs(tree: Tree, options: Options) -> TextSource:
    """A folder of pairs; raises `DataError` when a file is missing or `raw` must be stated."""
    tokenised, raw, labels = (by_split(tree, pattern) for pattern in (_TEXTS, _RAW, _LABEL_LINES))
    if tokenised and raw and options.raw is None:
        both = f"{next(iter(tokenised.values())).name} and {next(iter(raw.values())).name}"
        raise DataError(
            f"{tree.path}: {both} are both there; state {option('raw', False)} "
            f"(tokenised) or {option('raw', True)}"
        )
    texts = raw if options.raw or not tokenised else tokenised
    need_train_and_test(tree, texts, "AttentionXML's raw pairs")
    need_beside(tree, texts, labels, "{}_labels.txt")
    return TextSource(
        tree.name,
        {split: partial(_pairs, texts[split], labels[split]) for split in texts},
        tuple(file for split in texts for file in (texts[split], labels[split])),
        f"pairs raw={texts is raw}",
        tokenised=texts is tokenised,
    )


def _pairs(texts: File, labels: File) -> Iterator[Document]:
    return with_labels(texts, (text for _, text in text_lines(texts)), labels)


def with_labels(file: File, texts: Iterator[str], labels: File) -> Iterator[Document]:
    """The texts of a file with a line of labels each, parted by white space.

    Raises `DataError` when there are more texts than lines or fewer.
    """
    rows = text_lines(labels)
    n_texts = n_labels = 0
    for text in texts:
        n_texts += 1
        if (row := next(rows, None)) is not None:
            n_labels += 1
            yield Document(tuple(row[1].split()), text)
    n_labels += sum(1 for _ in rows)
    if n_texts != n_labels:
        raise DataError(
            f"{file}: {n_texts:,} texts, but {n_labels:,} lines of labels in {labels.name}; "
            "they do not belong together, or one is cut off"
        )


# --------------------------------------------------------------------------- JSON lines


def detect_json(tree: Tree) -> Found | None:
    """The first line is an object; its fields are named."""
    files = split_files(tree, _JSON, (".jsonl", ".ndjson", ".json"))
    if not files:
        return None
    file = next(iter(files.values()))
    try:
        record = json.loads(next(iter(first_lines(file)), b"null"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    needs = _needs(list(record), separator=isinstance(record.get(_LABELS), str))
    return Found(f"the first line of {file.name} is a JSON object", files, needs)


def open_json(tree: Tree, options: Options) -> TextSource:
    """A folder of JSON lines; `text` and `labels` name the fields, by default those very names."""
    files = by_split(tree, _JSON)
    need_train_and_test(tree, files, "JSON lines")
    return _fields_source(tree, files, options, json_documents, "jsonl")


def json_documents(
    file: File, *, text: Sequence[str], labels: str, separator: str | None
) -> Iterator[Document]:
    """An object a line; labels are a list of strings or whole numbers, or a string that `separator` parts.

    Raises `DataError` with file and line for a line that is no object, lacks a field or holds another kind;
    at the end as `_Lists.check`.
    """
    lists = _Lists(separator)
    for number, line in text_lines(file):
        where = f"{file}:{number}"
        record = _json_object(line, where)
        for name in (*text, labels):
            if name not in record:
                here = ", ".join(map(shown, list(record)[:20])) or "none"
                raise DataError(f"{where}: no field {name!r}; here are {here}; {_OTHERS}")
        for name in text:
            if not isinstance(record[name], str):
                raise DataError(
                    f"{where}: field {name!r} is {shown(record[name])}, no string; "
                    "name the field that holds text"
                )
        value = record[labels]
        names = lists.parted(value, where) if isinstance(value, str) else _names(value, labels, where)
        document = Document(names, " ".join(record[name] for name in text))
        if "\\u" in line:
            _check_characters(document, where)
        yield document
    lists.check(file)


def _json_object(line: str, where: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # of two members with one name only one would be read
        for name, times in Counter(name for name, _ in pairs).items():
            if times > 1:
                raise DataError(f"{where}: field {shown(name)} is there twice; keep one")
        return dict(pairs)

    try:
        record = json.loads(line, object_pairs_hook=once)
    except DataError:
        raise
    except (ValueError, RecursionError) as err:
        raise DataError(f"{where}: {shown(line)} is no JSON ({err}); write one object a line") from err
    if not isinstance(record, dict):
        raise DataError(f"{where}: a {type(record).__name__}, no object; write one object a line")
    return record


def _names(value: object, field: str, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise DataError(f"{where}: field {field!r} is {shown(value)}; labels are a list or a string")
    for label in value:
        # True is an int to Python, and no label
        if not isinstance(label, str | int) or isinstance(label, bool) or label == "":
            raise DataError(f"{where}: label {shown(label)} is neither a name nor a whole number; correct it")
    return tuple(map(str, value))


def _check_characters(document: Document, where: str) -> None:
    try:
        "".join((*document.labels, document.text)).encode()
    except UnicodeEncodeError as err:
        half = f"\\u{ord(err.object[err.start]):x}"
        raise DataError(f"{where}: half of a surrogate pair, {half}; correct it") from err


# --------------------------------------------------------------------------- CSV


def detect_csv(tree: Tree) -> Found | None:
    """The name ends in .csv or .tsv and the first line has at least two columns."""
    files = split_files(tree, _CSV, (".csv", ".tsv"))
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
    return Found(why, files, _needs(header, separator=True))


def open_csv(tree: Tree, options: Options) -> TextSource:
    """A folder of CSV or TSV files; raises `DataError` when `separator` is not stated."""
    files = by_split(tree, _CSV)
    need_train_and_test(tree, files, "CSV")
    if not options.separator:
        raise DataError(
            f"{tree.path}: nothing says what parts the labels; state {option('separator', '...')} (e.g. ';')"
        )
    return _fields_source(tree, files, options, csv_documents, "csv")


def csv_documents(file: File, *, text: Sequence[str], labels: str, separator: str) -> Iterator[Document]:
    """A row a document under a row of names; `.tsv` is parted by tabs, else by commas.

    Raises `DataError` with file and line for a missing column, a row of another width, or broken quotes; at
    the end as `_Lists.check`.
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
    lists = _Lists(separator)
    for number, row in rows:
        where = f"{file}:{number}"
        if len(row) != len(header):
            raise DataError(
                f"{where}: {len(row)} columns where the first row has {len(header)}; correct the row"
            )
        names = lists.parted(row[label_column], where)
        yield Document(names, " ".join(row[column] for column in columns))
    lists.check(file)


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


# --------------------------------------------------------------------------- what both have


def _fields_source(
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


def _needs(names: Sequence[str], *, separator: bool) -> tuple[str, ...]:
    here = ", ".join(map(shown, names[:20]))
    fields = [field for field in (_TEXT, _LABELS) if field not in names]
    needs = [f"state {option(field, '...')}: which of {here} holds the {field}" for field in fields]
    return (*needs, *([f"state {option('separator', '...')}: what parts the labels"] if separator else []))


class _Lists:
    """Lists of labels in one field, and how many of them hold what usually parts labels."""

    def __init__(self, separator: str | None) -> None:
        self.separator = separator
        self.filled = 0
        self.marks: Counter[str] = Counter()

    def parted(self, value: str, where: str) -> tuple[str, ...]:
        """The labels of a list; raises `DataError` for an empty one between two separators."""
        if self.separator is None:
            raise DataError(
                f"{where}: the labels are one string; "
                f"state {option('separator', '...')} that parts its labels"
            )
        if self.separator.isspace():
            return tuple(value.split())
        if not value.strip():
            return ()
        self.filled += 1
        self.marks.update(mark for mark in {self.separator, *_USUAL} if mark in value)
        parts = tuple(part.strip() for part in value.split(self.separator))
        if "" in parts:
            raise DataError(
                f"{where}: an empty label in {shown(value)}; is the separator {self.separator!r}?"
            )
        return parts

    def check(self, file: File) -> None:
        """Raises `DataError` where no list holds the separator and half of them or more hold a usual one.

        Read on, each list would be one label with an odd name.
        """
        other = max(_USUAL, key=self.marks.__getitem__)
        n = self.marks[other]
        if self.separator and n and 2 * n >= self.filled and not self.marks[self.separator]:
            raise DataError(
                f"{file}: no list of labels holds {self.separator!r}, and {n:,} of {self.filled:,} hold "
                f"{other!r}; is the separator {other!r}?"
            )
