"""Corpora of texts: lines as LibMultiLabel's (0.10, 5cd775a), pairs and arrays as AttentionXML's
(yourh/AttentionXML e2bbbec), JSON lines, CSV and TSV. Labels that are saved as Python objects are never
read (they could run code). Of two tabs in a line `ids` says whether the first field is an id."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from typing import Any

from reimpl.data.files import LONGEST_LINE, File, Tree, line_blocks, read_npy, shown, text_lines
from reimpl.data.formats import base
from reimpl.data.formats.base import Options, by_split, first_file, first_lines, train_and_test
from reimpl.data.numbering import Document, Lines, TextSource, parse_line
from reimpl.errors import DataError, option

#: Bytes of lines that a worker process takes apart at once.
CHUNK = 1 << 20

_LINES = r"{prefix}{split}\.(?:txt|tsv)"
_TOKENISED, _RAW = r"{prefix}{split}_texts\.txt", r"{prefix}{split}_raw_texts\.txt"
_ARRAYS, _LABEL_LINES = r"{prefix}{split}_texts\.npy", r"{prefix}{split}_labels\.txt"
_JSON = r"{prefix}{split}\.(?:jsonl|ndjson|json)"
_CSV = r"{prefix}{split}\.(?:csv|tsv)"


def detect_lines(tree: Tree) -> bool:
    """Whether each of the first lines has one tab, between labels and text, or two."""
    file = first_file(tree, _LINES)
    return file is not None and {line.count(b"\t") for line in first_lines(file)} in ({1}, {2})


def has_lines(tree: Tree) -> bool:
    """Whether there are files that are called like those of LibMultiLabel, whatever they hold."""
    return {"train", "test"} <= by_split(tree, _LINES).keys()


def open_lines(tree: Tree, options: Options) -> TextSource:
    ids = bool(options.ids)
    files = train_and_test(tree, _LINES, "LibMultiLabel text")

    def documents(file: File) -> Iterator[Document]:
        for number, line in text_lines(file):
            yield parse_line(line, f"{file}:{number}", ids=ids)

    def chunks(split: str) -> Iterator[Lines]:
        # not yet taken apart; errors come when they are, or in reading
        file, number = files[split], 0
        for number, block in line_blocks(file, CHUNK):
            yield Lines(block, str(file), number, ids)
        if not number:
            raise DataError(f"{tree.name}: {split} has no documents; give a file that is not empty")

    return TextSource(
        tree.name,
        {split: partial(documents, file) for split, file in files.items()},
        tuple(files.values()),
        f"lml ids={ids}",
        pieces={split: partial(chunks, split) for split in files},
        by_split=True,
    )


def detect_pairs(tree: Tree) -> object:
    return (by_split(tree, _TOKENISED) or by_split(tree, _RAW)) and by_split(tree, _LABEL_LINES)


def open_pairs(tree: Tree, options: Options) -> TextSource:
    """Raises `DataError` when a file is missing or `raw` must be stated."""
    tokenised, raw = first_file(tree, _TOKENISED), first_file(tree, _RAW)
    if tokenised and raw and options.raw is None:
        choice = f"state {option('raw', False)} (tokenised) or {option('raw', True)}"
        raise DataError(f"{tree.path}: {tokenised.name} and {raw.name} are both there; {choice}")
    use_raw = bool(raw) and bool(options.raw or not tokenised)
    texts = train_and_test(tree, _RAW if use_raw else _TOKENISED, "AttentionXML's raw pairs")
    labels = base.files_beside(tree, texts, _LABEL_LINES, "{}_labels.txt")

    def documents(split: str) -> Iterator[Document]:
        lines = (text for _, text in text_lines(texts[split]))
        return _with_labels(texts[split], lines, labels[split])

    files = _side_by_side(texts, labels)
    readers = {split: partial(documents, split) for split in texts}
    return TextSource(tree.name, readers, files, f"pairs raw={use_raw}", tokenised=not use_raw)


def _side_by_side(texts: Mapping[str, File], labels: Mapping[str, File]) -> tuple[File, ...]:
    return tuple(file for split in texts for file in (texts[split], labels[split]))


def _with_labels(file: File, texts: Iterator[str], labels: File) -> Iterator[Document]:
    """The texts of a file with a line of labels each, by white space; `DataError` for unlike numbers."""
    rows = (line for _, line in text_lines(labels))
    for n, (text, row) in enumerate(zip_longest(texts, rows)):
        if text is None or row is None:
            more, fewer = (file, labels) if row is None else (labels, file)
            unlike = f"{fewer.name} ends after {n:,} lines, and {more.name} goes on"
            raise DataError(f"{file}: {unlike}; they do not belong together, or one is cut off")
        yield Document(tuple(row.split()), text)


def detect_arrays(tree: Tree) -> object:
    return by_split(tree, _ARRAYS)


def open_arrays(tree: Tree, options: Options) -> TextSource:
    """Raises `DataError` when the words or readable labels are missing."""
    texts, vocabulary = train_and_test(tree, _ARRAYS, "AttentionXML's arrays"), tree.find("vocab.npy")
    if vocabulary is None:
        raise DataError(f"{tree.path}: no vocab.npy, without which the word ids say nothing; add the file")
    what = "{}_labels.txt (labels saved as Python objects are not read)"
    labels = base.files_beside(tree, texts, _LABEL_LINES, what)

    def documents(split: str) -> Iterator[Document]:
        # words joined by spaces, the padding (0) left out
        ids = read_npy(texts[split], "iu", 2)
        words = read_npy(vocabulary, "U", 1).astype(object)
        if ids.min(initial=0) < 0 or ids.max(initial=0) >= len(words):
            beyond = f"word ids from {ids.min()} to {ids.max()}, but {vocabulary.name} has {len(words)} words"
            raise DataError(f"{texts[split]}: {beyond}; get the file that belongs to the texts")
        return _with_labels(texts[split], (" ".join(words[row[row != 0]]) for row in ids), labels[split])

    readers = {split: partial(documents, split) for split in texts}
    files = (*_side_by_side(texts, labels), vocabulary)
    notes = ("The texts were cut, and rare words replaced, by the program that made the arrays.",)
    return TextSource(tree.name, readers, files, "attentionxml arrays", notes, tokenised=True)


#: Where a document stands, its labels (one string, or names) and its text.
_Row = tuple[str, str | tuple[str, ...], str]


def detect_json(tree: Tree) -> bool:
    file = first_file(tree, _JSON)
    try:
        return file is not None and isinstance(json.loads(next(iter(first_lines(file)), b"null")), dict)
    except (ValueError, RecursionError):
        return False


def open_json(tree: Tree, options: Options) -> TextSource:
    return _fields_source(tree, _JSON, "JSON lines", options, _json_rows, "jsonl")


def _json_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """An object a line; labels are a list of strings or whole numbers, or one string. Raises `DataError`."""
    for number, line in text_lines(file):
        where = f"{file}:{number}"
        try:
            record = json.loads(line)
            if "\\u" in line:  # half a surrogate pair is no text
                json.dumps(record, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as err:
            raise DataError(f"{where}: {shown(line)} is no JSON ({err}); write one object a line") from err
        if not isinstance(record, dict) or not {*text, labels} <= record.keys():
            raise DataError(f"{where}: no object with these fields; here are {_listed(record)}")
        value, parts = record[labels], [record[name] for name in text]
        if not all(isinstance(part, str) for part in parts):
            raise DataError(f"{where}: the text is no string; name the fields that hold text")
        # True is an int to Python, and no label
        names = value if isinstance(value, list) else [value]
        if not all(type(name) in (str, int) for name in names) or (isinstance(value, list) and "" in value):
            raise DataError(f"{where}: {shown(value)} are no labels; give names, or whole numbers, in a list")
        yield where, value if isinstance(value, str) else tuple(map(str, names)), " ".join(parts)


def detect_csv(tree: Tree) -> bool:
    """Whether the first line names two columns or more."""
    file = first_file(tree, _CSV)
    try:
        return file is not None and len(next(_csv_lines(file), (1, []))[1]) >= 2
    except DataError:
        return False


def open_csv(tree: Tree, options: Options) -> TextSource:
    """Raises `DataError` when `separator` is not stated."""
    if not options.separator and by_split(tree, _CSV):
        state = f"state {option('separator', '...')} (e.g. ';')"
        raise DataError(f"{tree.path}: nothing says what parts the labels; {state}")
    return _fields_source(tree, _CSV, "CSV", options, _csv_rows, "csv")


def _csv_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """A row a document under a row of names, parted by tabs in `.tsv`, else commas. Raises `DataError`."""
    lines = _csv_lines(file)
    header = next(lines, (1, []))[1]
    for name in (*text, labels):
        if (count := header.count(name)) != 1:
            raise DataError(f"{file}:1: {count} columns named {name!r}; here are {_listed(header)}")
    columns, label_column = [header.index(name) for name in text], header.index(labels)
    for number, row in lines:
        where = f"{file}:{number}"
        if len(row) != len(header):
            raise DataError(f"{where}: {len(row)} columns, but {len(header)} in the first row; mend it")
        yield where, row[label_column], " ".join(row[column] for column in columns)


def _csv_lines(file: File) -> Iterator[tuple[int, list[str]]]:
    # the module's limit of 131,072 characters is shorter than documents are, and can only be set for all
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    lines = (f"{line}\n" for _, line in text_lines(file))
    reader = csv.reader(lines, delimiter="\t" if file.stem.lower().endswith(".tsv") else ",", strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as err:
        raise DataError(f"{file}:{reader.line_num}: {err}; correct the quotes, or get a whole copy") from err


def _listed(names: Any) -> str:
    here = ", ".join(map(shown, list(names)[:20] if isinstance(names, dict | list) else [])) or "none"
    return f"{here}; state {option('text', '...')} and {option('labels', '...')} to name others"


def _fields_source(
    tree: Tree, pattern: str, title: str, options: Options, rows: Callable[..., Iterator[_Row]], name: str
) -> TextSource:
    """The documents, their labels parted; reading raises `DataError` for an empty label in a list."""
    files, separator = train_and_test(tree, pattern, title), options.separator
    fields = {"text": options.text or ("text",), "labels": options.labels or "labels"}

    def documents(file: File) -> Iterator[Document]:
        for where, labels, text in rows(file, **fields):
            if not isinstance(labels, str):
                yield Document(labels, text)
            elif separator is None:
                state = f"state {option('separator', '...')} that parts its labels"
                raise DataError(f"{where}: the labels are one string; {state}")
            elif separator.isspace() or not labels.strip():
                yield Document(tuple(labels.split()), text)
            else:
                names = tuple(part.strip() for part in labels.split(separator))
                if "" in names:
                    empty = f"an empty label in {shown(labels)}; is the separator {separator!r}?"
                    raise DataError(f"{where}: {empty}")
                yield Document(names, text)

    readers = {split: partial(documents, file) for split, file in files.items()}
    choices = sorted({**fields, "separator": separator}.items())
    return TextSource(tree.name, readers, tuple(files.values()), f"{name} {choices}")
