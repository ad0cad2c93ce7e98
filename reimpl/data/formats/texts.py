"""Corpora of texts: lines, pairs of files, arrays of word ids, JSON lines, CSV and TSV.

lines   `label1 label2<TAB>text`, as ntumlgroup/LibMultiLabel (0.10, at 5cd775a): labels are split at white
        space, a line without labels starts with the tab, and a column in front may hold document ids. It is
        read only when `ids` says so: of two tabs in a line one cannot know whether the first field is an id
        or the text holds a tab.
pairs   `train_texts.txt` beside `train_labels.txt` (yourh/AttentionXML at e2bbbec): `..._texts.txt` is
        tokenised already and `..._raw_texts.txt` is the text before that.
arrays  `train_texts.npy`, word ids (N, 500) filled up with 0, and `vocab.npy`, as preprocess.py of that code
        makes them. It saves labels as Python objects: these are never read (they could run code), and
        `train_labels.txt` beside them is.
fields  which ones hold text and labels is stated, and so is what parts the labels.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from reimpl.data.files import LONGEST_LINE, File, Tree, line_blocks, read_npy, shown, text_lines
from reimpl.data.formats.base import Options, TextSource, beside, by_split, first_file, first_lines
from reimpl.data.formats.base import train_and_test as split_files
from reimpl.data.numbering import Lines, parse_line
from reimpl.data.source import Document
from reimpl.errors import DataError, option

#: Bytes of lines that a worker process takes apart at once.
CHUNK = 1 << 20

_LINES = r"{prefix}{split}\.(?:txt|tsv)"
_TOKENISED, _RAW, _ARRAYS = (
    rf"{{prefix}}{{split}}_{name}" for name in (r"texts\.txt", r"raw_texts\.txt", r"texts\.npy")
)
_LABEL_LINES = r"{prefix}{split}_labels\.txt"
_JSON = r"{prefix}{split}\.(?:jsonl|ndjson|json)"
_CSV = r"{prefix}{split}\.(?:csv|tsv)"
#: What usually parts labels.
_USUAL = (";", "|", ",", "\t")
_SURROGATE = re.compile("[\ud800-\udfff]")

# --------------------------------------------------------------------------- lines


def detect_lines(tree: Tree) -> str | None:
    """One tab in each of the first lines, or two when a column of ids stands in front."""
    file = first_file(tree, _LINES)
    tabs = {line.count(b"\t") for line in first_lines(file)} if file else set()
    if file and tabs == {1}:
        return f"each of the first lines of {file.name} has one tab, between labels and text"
    return f"each of the first lines of {file.name} has two tabs" if file and tabs == {2} else None


def has_lines(tree: Tree) -> bool:
    """Whether there are files that are called like those of LibMultiLabel, whatever they hold."""
    return {"train", "test"} <= by_split(tree, _LINES).keys()


def open_lines(tree: Tree, options: Options) -> TextSource:
    """A folder or a .zip with `train.txt`, `test.txt` and maybe `dev.txt`; raises `DataError` without."""
    ids = bool(options.ids)
    files = split_files(tree, _LINES, "LibMultiLabel text")
    return TextSource(
        tree.name,
        {split: partial(line_documents, file, ids=ids) for split, file in files.items()},
        tuple(files.values()),
        f"lml ids={ids}",
        pieces={split: partial(_chunks, file, ids) for split, file in files.items()},
        by_split=True,
    )


def line_documents(file: File, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file; raises `DataError` with file and line for one of another form."""
    for number, line in text_lines(file):
        yield parse_line(line, f"{file}:{number}", ids=ids)


def _chunks(file: File, ids: bool) -> Iterator[Lines]:
    """The same documents, not yet taken apart; the errors come when they are, or in reading."""
    return (Lines(block, str(file), number, ids) for number, block in line_blocks(file, CHUNK))


# --------------------------------------------------------------------------- pairs, arrays


def detect_pairs(tree: Tree) -> str | None:
    """A file of texts beside one of labels."""
    texts = by_split(tree, _TOKENISED) or by_split(tree, _RAW)
    labels = by_split(tree, _LABEL_LINES)
    if not texts or not labels:
        return None
    return f"{next(iter(texts.values())).name} beside {next(iter(labels.values())).name}"


def open_pairs(tree: Tree, options: Options) -> TextSource:
    """A folder of pairs; raises `DataError` when a file is missing or `raw` must be stated."""
    tokenised, raw = by_split(tree, _TOKENISED), by_split(tree, _RAW)
    if tokenised and raw and options.raw is None:
        both = f"{next(iter(tokenised.values())).name} and {next(iter(raw.values())).name}"
        choice = f"{option('raw', False)} (tokenised) or {option('raw', True)}"
        raise DataError(f"{tree.path}: {both} are both there; state {choice}")
    use_raw = bool(raw) and bool(options.raw or not tokenised)
    texts = split_files(tree, _RAW if use_raw else _TOKENISED, "AttentionXML's raw pairs")
    labels = beside(tree, texts, _LABEL_LINES, "{}_labels.txt")
    return TextSource(
        tree.name,
        {split: partial(_pairs, texts[split], labels[split]) for split in texts},
        tuple(file for split in texts for file in (texts[split], labels[split])),
        f"pairs raw={use_raw}",
        tokenised=not use_raw,
    )


def _pairs(texts: File, labels: File) -> Iterator[Document]:
    return _with_labels(texts, (text for _, text in text_lines(texts)), labels)


def _with_labels(file: File, texts: Iterator[str], labels: File) -> Iterator[Document]:
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


def detect_arrays(tree: Tree) -> str | None:
    """A file of word ids."""
    texts = by_split(tree, _ARRAYS)
    return f"{next(iter(texts.values())).name} holds word ids" if texts else None


def open_arrays(tree: Tree, options: Options) -> TextSource:
    """A folder of word ids; raises `DataError` when the words or readable labels are missing."""
    texts, vocabulary = split_files(tree, _ARRAYS, "AttentionXML's arrays"), tree.find("vocab.npy")
    if vocabulary is None:
        raise DataError(f"{tree.path}: no vocab.npy, without which the word ids say nothing; add the file")
    what = "{}_labels.txt (labels saved as Python objects are not read)"
    labels = beside(tree, texts, _LABEL_LINES, what)
    return TextSource(
        tree.name,
        {split: partial(_array_documents, texts[split], labels[split], vocabulary) for split in texts},
        (*(file for split in texts for file in (texts[split], labels[split])), vocabulary),
        "attentionxml arrays",
        ("The texts were cut, and rare words replaced, by the program that made the arrays.",),
        tokenised=True,
    )


def _array_documents(texts: File, labels: File, vocabulary: File) -> Iterator[Document]:
    """The documents as words joined by spaces, the padding (0) left out."""
    ids = read_npy(texts, "iu", 2)
    words = read_npy(vocabulary, "U", 1).astype(object)

    def text(n: int, row: Any) -> str:
        if len(row) and (row.min() < 0 or row.max() >= len(words)):
            raise DataError(
                f"{texts}: row {n}: word id {int(row.max())} or {int(row.min())}, "
                f"but {vocabulary.name} has {len(words)} words; get the file that belongs to the texts"
            )
        return " ".join(words[row[row != 0]])

    return _with_labels(texts, (text(n, row) for n, row in enumerate(ids)), labels)


# --------------------------------------------------------------------------- fields: JSON lines, CSV


def detect_json(tree: Tree) -> str | None:
    """The first line is an object."""
    file = first_file(tree, _JSON)
    try:
        record = json.loads(next(iter(first_lines(file)), b"null")) if file else None
    except (ValueError, RecursionError):
        return None
    return f"the first line of {file.name} is a JSON object" if file and isinstance(record, dict) else None


def open_json(tree: Tree, options: Options) -> TextSource:
    """A folder of JSON lines; `text` and `labels` name the fields, by default those very names."""
    return _fields_source(tree, split_files(tree, _JSON, "JSON lines"), options, _json_rows, "jsonl")


def _json_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """An object a line; labels are a list of strings or whole numbers, or one string.

    Raises `DataError` with file and line for a line that is no object, lacks a field or holds another kind.
    """
    for number, line in text_lines(file):
        where = f"{file}:{number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as err:
            raise DataError(f"{where}: {shown(line)} is no JSON ({err}); write one object a line") from err
        if not isinstance(record, dict):
            raise DataError(f"{where}: a {type(record).__name__}, no object; write one object a line")
        for name in (*text, labels):
            if name not in record:
                raise DataError(f"{where}: no field {name!r}; here are {_listed(record)}")
        for name in text:
            if not isinstance(record[name], str):
                wrong = f"field {name!r} is {shown(record[name])}, no string"
                raise DataError(f"{where}: {wrong}; name the field that holds text")
        value = record[labels]
        if not isinstance(value, str | list):
            raise DataError(f"{where}: field {labels!r} is {shown(value)}; labels are a list or a string")
        for label in value if isinstance(value, list) else ():
            # True is an int to Python, and no label
            if not isinstance(label, str | int) or isinstance(label, bool) or label == "":
                wrong = f"label {shown(label)} is neither a name nor a whole number"
                raise DataError(f"{where}: {wrong}; correct it")
        names = value if isinstance(value, str) else tuple(map(str, value))
        content = " ".join(record[name] for name in text)
        if "\\u" in line and (half := _SURROGATE.search("".join((*names, content)))):
            raise DataError(f"{where}: half of a surrogate pair, \\u{ord(half[0]):x}; correct it")
        yield where, names, content


def detect_csv(tree: Tree) -> str | None:
    """The name ends in .csv or .tsv and the first line has at least two columns."""
    file = first_file(tree, _CSV)
    try:
        _, header = next(_csv_lines(file), (1, [])) if file else (1, [])
    except DataError:
        return None
    if not file or len(header) < 2:
        return None
    return f"the first line of {file.name} names the columns {', '.join(map(shown, header[:10]))}"


def open_csv(tree: Tree, options: Options) -> TextSource:
    """A folder of CSV or TSV files; raises `DataError` when `separator` is not stated."""
    files = split_files(tree, _CSV, "CSV")
    if not options.separator:
        state = f"state {option('separator', '...')} (e.g. ';')"
        raise DataError(f"{tree.path}: nothing says what parts the labels; {state}")
    return _fields_source(tree, files, options, _csv_rows, "csv")


def _csv_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """A row a document under a row of names; `.tsv` is parted by tabs, else by commas.

    Raises `DataError` with file and line for a missing column, a row of another width, or broken quotes.
    """
    lines = _csv_lines(file)
    _, header = next(lines, (1, []))
    for name in (*text, labels):
        if header.count(name) != 1:
            count = f"{header.count(name)} columns named {name!r}"
            raise DataError(f"{file}:1: {count}; here are {_listed(header)}")
    columns, label_column = [header.index(name) for name in text], header.index(labels)
    for number, row in lines:
        where = f"{file}:{number}"
        if len(row) != len(header):
            widths = f"{len(row)} columns where the first row has {len(header)}"
            raise DataError(f"{where}: {widths}; correct the row")
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


#: Where a document stands, its labels (one string, or names) and its text.
_Row = tuple[str, str | tuple[str, ...], str]


def _listed(names: Any) -> str:
    here = ", ".join(map(shown, list(names)[:20])) or "none"
    return f"{here}; state {option('text', '...')} and {option('labels', '...')} to name others"


def _fields_source(
    tree: Tree,
    files: Mapping[str, File],
    options: Options,
    rows: Callable[..., Iterator[_Row]],
    name: str,
) -> TextSource:
    fields = {"text": options.text or ("text",), "labels": options.labels or "labels"}
    readers = {
        split: partial(_field_documents, file, partial(rows, file, **fields), options.separator)
        for split, file in files.items()
    }
    choices = {**fields, "separator": options.separator}
    return TextSource(tree.name, readers, tuple(files.values()), f"{name} {sorted(choices.items())}")


def _field_documents(
    file: File, rows: Callable[[], Iterator[_Row]], separator: str | None
) -> Iterator[Document]:
    """The documents of a file, their labels parted; raises `DataError` for an empty label in a list.

    Also where no list holds the separator and half of them or more hold a usual one: each list would be one
    label with an odd name.
    """
    filled, marks = 0, Counter[str]()
    for where, labels, text in rows():
        if isinstance(labels, str):
            if separator is None:
                state = f"state {option('separator', '...')} that parts its labels"
                raise DataError(f"{where}: the labels are one string; {state}")
            if separator.isspace() or not labels.strip():
                yield Document(tuple(labels.split()), text)
                continue
            filled += 1
            marks.update(mark for mark in {separator, *_USUAL} if mark in labels)
            whole, labels = labels, tuple(part.strip() for part in labels.split(separator))
            if "" in labels:
                raise DataError(f"{where}: an empty label in {shown(whole)}; is the separator {separator!r}?")
        yield Document(labels, text)
    other = max(_USUAL, key=marks.__getitem__)
    if marks[other] and 2 * marks[other] >= filled and not marks[separator or ""]:
        raise DataError(
            f"{file}: no list of labels holds {separator!r}, and {marks[other]:,} of {filled:,} hold "
            f"{other!r}; is the separator {other!r}?"
        )
