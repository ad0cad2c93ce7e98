"""Corpora of texts: lines as LibMultiLabel's (0.10, 5cd775a), pairs as AttentionXML's (yourh/AttentionXML
e2bbbec), JSON lines, CSV and TSV, and folders with a file for each document. Of two tabs in a line `ids`
says whether the first field is an id."""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reimpl.data.files import LONGEST_LINE, File, Tree, blocks, head, line_blocks, shown, text_lines
from reimpl.data.formats import base
from reimpl.data.formats.base import Options, by_split, first_file, first_lines, train_and_test
from reimpl.data.numbering import Document, Lines, TextSource, parse_line
from reimpl.errors import DataError, option

CHUNK = 1 << 20  # Bytes of lines that a worker process takes apart at once.

_LINES = r"{prefix}{split}\.(?:txt|tsv)"
_TOKENISED, _RAW = r"{prefix}{split}_texts\.txt", r"{prefix}{split}_raw_texts\.txt"
_ARRAYS, _LABEL_LINES = r"{prefix}{split}_texts\.npy", r"{prefix}{split}_labels\.txt"
_JSON = r"{prefix}{split}\.(?:jsonl|ndjson|json)"
_CSV = r"{prefix}{split}\.(?:csv|tsv)"
_PARQUET = r"{prefix}{split}\.parquet"
detect_arrays, detect_parquet = (partial(by_split, pattern=it) for it in (_ARRAYS, _PARQUET))
_ID_TABLES = r"{prefix}{split}(?:_labels)?\.(?:csv|tsv)"


def detect_lines(tree: Tree) -> bool:
    """Whether each of the first lines has one tab, between labels and text, or two."""
    file = first_file(tree, _LINES)
    return file is not None and {line.count(b"\t") for line in first_lines(file)} in ({1}, {2})


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
    """Texts with a file of labels. Raises `DataError` if a file is missing or `raw` must be stated."""
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

    files = tuple(file for split in texts for file in (texts[split], labels[split]))
    readers = {split: partial(documents, split) for split in texts}
    return TextSource(tree.name, readers, files, f"pairs raw={use_raw}", tokenised=not use_raw)


def open_arrays(tree: Tree, options: Options) -> TextSource:
    """Raises `DataError` if the words or readable labels are missing, or an array is invalid."""
    texts, vocabulary = train_and_test(tree, _ARRAYS, "AttentionXML's arrays"), tree.find("vocab.npy")
    if vocabulary is None:
        raise DataError(f"{tree.path}: no vocab.npy, which gives the words of the ids; add the file")
    labels = base.files_beside(tree, texts, _LABEL_LINES, "{}_labels.txt (Python objects are not read)")

    def array(file: File, kinds: str, dimensions: int) -> Any:
        try:
            content = file.path if file.plain else io.BytesIO(b"".join(blocks(file)))
            loaded = np.load(content, mmap_mode="r" if file.plain else None)
        except Exception as err:  # a damaged file raises any of a dozen kinds
            raise DataError(f"{file}: not a valid array without Python objects; save a plain array") from err
        if loaded.dtype.kind in kinds and loaded.ndim == dimensions:
            return loaded
        raise DataError(
            f"{file}: {loaded.dtype} {loaded.shape}; it needs {dimensions} dimensions of {kinds!r}"
        )

    def documents(split: str) -> Iterator[Document]:
        ids, words = array(texts[split], "iu", 2), array(vocabulary, "U", 1).astype(object)
        if ids.min(initial=0) < 0 or ids.max(initial=0) >= len(words):
            beyond = f"word ids from {ids.min()} to {ids.max()}, but {vocabulary.name} has {len(words)} words"
            raise DataError(f"{texts[split]}: {beyond}; get the file of these texts")
        lines = (" ".join(words[row[row != 0]]) for row in ids)  # without the padding, 0
        return _with_labels(texts[split], lines, labels[split])

    readers = {split: partial(documents, split) for split in texts}
    files = (*chain.from_iterable((texts[split], labels[split]) for split in texts), vocabulary)
    notes = ("The texts were cut, and rare words replaced, by the program that made the arrays.",)
    return TextSource(tree.name, readers, files, "attentionxml arrays", notes, tokenised=True)


def _with_labels(file: File, texts: Iterator[str], labels: File) -> Iterator[Document]:
    """The texts of a file, with a line of labels each, split at blanks; `DataError` if numbers differ."""
    rows = (line for _, line in text_lines(labels))
    for n, (text, row) in enumerate(zip_longest(texts, rows)):
        if text is None or row is None:
            more, fewer = (file, labels) if row is None else (labels, file)
            unlike = f"{fewer.name} ends after {n:,} lines, and {more.name} goes on"
            raise DataError(f"{file}: {unlike}; they do not belong together, or one is cut off")
        yield Document(tuple(row.split()), text)


#: Where a document stands, its labels (one string, or names) and its text.
_Row = tuple[str, str | tuple[str, ...], str]
ONE_HOT = "*"  # In place of a field of labels: each other column that holds 0 and 1 is a label.
_SAMPLE = 500  # Lines by which columns are told apart.


def detect_json(tree: Tree) -> bool:
    """Whether an object or a list begins the file; the reader reports errors in it."""
    file = first_file(tree, _JSON)
    return file is not None and head(file).lstrip()[:1] in (b"{", b"[")


def _json_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """One object a line, or a list of objects, or objects over several lines. Raises `DataError`."""
    try:
        lines = isinstance(json.loads(first_lines(file)[0]), dict)
    except (ValueError, RecursionError, IndexError):
        lines = False
    for where, record in _json_lines(file) if lines else _json_values(file):
        yield _row_of(where, record, text, labels)


def _json_lines(file: File) -> Iterator[tuple[str, Any]]:
    for number, line in text_lines(file):
        where = f"{file}:{number}"
        try:
            record = json.loads(line)
            if "\\u" in line:  # half a surrogate pair is no text
                json.dumps(record, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as err:
            raise DataError(f"{where}: {shown(line)} is not JSON ({err}); write one object a line") from err
        yield where, record


def _json_values(file: File) -> Iterator[tuple[str, Any]]:
    """The objects of a file that is read as a whole: of its list, or one after another."""
    text, decoder, place, number = "\n".join(line for _, line in text_lines(file)), json.JSONDecoder(), 0, 1
    while rest := text[place : place + 1]:
        if rest.isspace():
            number, place = number + (rest == "\n"), place + 1
            continue
        try:
            value, end = decoder.raw_decode(text, place)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as err:
            wrong = shown(text[place:].partition("\n")[0])
            how = "write one object a line, or one list of objects"
            raise DataError(f"{file}:{number}: {wrong} is not JSON ({err}); {how}") from err
        if isinstance(value, list):
            yield from ((f"{file}: object {n}", record) for n, record in enumerate(value, start=1))
        else:
            yield f"{file}:{number}", value
        number, place = number + text.count("\n", place, end), end


def _row_of(where: str, record: Any, text: tuple[str, ...], labels: str) -> _Row:
    """Labels are a list of strings or whole numbers, or one string. Raises `DataError`."""
    if not isinstance(record, dict) or not {*text, labels} <= record.keys():
        raise DataError(f"{where}: not an object with these fields; it has {_listed(record)}")
    value, parts = record[labels], [record[name] for name in text]
    if not all(isinstance(part, str) for part in parts):
        raise DataError(f"{where}: the text is not a string; name the fields that hold text")
    # True is an int to Python, and no label
    names = value if isinstance(value, list) else [value]
    if not all(type(name) in (str, int) for name in names) or (isinstance(value, list) and "" in value):
        raise DataError(f"{where}: {shown(value)} are not labels; give names, or whole numbers, in a list")
    return where, value if isinstance(value, str) else tuple(map(str, names)), " ".join(parts)


def _parquet_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """The rows of a Parquet file. Raises `DataError` without the package pyarrow."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as err:
        raise DataError(f"{file}: Parquet needs a package; `pip install pyarrow`") from err
    if not file.plain:
        raise DataError(f"{file}: Parquet in an archive; unpack it first")
    number = 0
    try:
        for batch in ParquetFile(file.path).iter_batches(batch_size=1000):
            for record in batch.to_pylist():
                number += 1
                yield _row_of(f"{file}: row {number}", record, text, labels)
    except (ArrowException, OSError) as err:
        raise DataError(f"{file}: not valid Parquet ({str(err)[:80]}); get a sound copy") from err


def detect_csv(tree: Tree) -> bool:
    """Whether the first line has two columns or more."""
    file = first_file(tree, _CSV)
    with suppress(DataError):
        return file is not None and len(next(_csv_lines(file), (1, []))[1]) >= 2
    return False


def has_named_columns(tree: Tree, options: Options) -> bool:
    """Whether the first line of a file names the fields of text and labels."""
    file = first_file(tree, _CSV)
    header = next(_csv_lines(file), (1, []))[1] if file else []
    return {*(options.text or ("text",)), options.labels or "labels"} <= {*header}


def check_order(tree: Tree) -> None:
    """Raises `DataError` if the column of labels looks like text, and that of the text like labels."""
    if (file := first_file(tree, _LINES)) is None:
        return
    rows = [line.decode("utf-8", "replace").split("\t") for line in head(file).split(b"\n")[:-1][:_SAMPLE]]
    rows = [row for row in rows if len(row) == 2]
    different = {word for labels, _ in rows for word in labels.split()}
    words = sum(len(text.split()) for _, text in rows)
    if len(rows) >= 20 and len(different) > len(rows) and words <= 1.5 * len(rows):
        seen = f"{len(different):,} different labels in {len(rows):,} lines, and texts of one word"
        stated = {"format": "csv", "text": "1", "labels": "2", "separator": "..."}
        swapped = " ".join(option(name, value) for name, value in stated.items())
        state = f"state {swapped} if the text comes first, or {option('format', 'lml')} if not"
        raise DataError(f"{file}: {seen}; {state}")


def open_csv(tree: Tree, options: Options) -> TextSource:
    pattern = _CSV if by_split(tree, _CSV) else _LINES
    return _fields_source(tree, options, pattern, "CSV", _csv_rows, "csv")


def _csv_rows(file: File, text: tuple[str, ...], labels: str) -> Iterator[_Row]:
    """One row a document under a row of names, or fields by their numbers from 1. Raises `DataError`."""
    lines = _csv_lines(file)
    first, header = next(lines, (1, []))
    rows: Iterable[tuple[int, list[str]]] = lines
    if all(name.isdecimal() for name in (*text, labels)) and not {*text, labels} <= {*header}:
        rows, header = chain([(first, header)], lines), [str(n) for n in range(1, len(header) + 1)]
    for name in (*text, labels):
        if name != ONE_HOT and (count := header.count(name)) != 1:
            raise DataError(f"{file}:1: {count} columns named {name!r}; here are {_listed(header)}")
    columns, marks = [header.index(name) for name in text], list[int]()
    label_column = None if labels == ONE_HOT else header.index(labels)
    if label_column is None:
        sample = list(islice(rows, _SAMPLE))
        rows = chain(sample, rows)
        marks = [n for n in range(len(header)) if {row[n] for _, row in sample if n < len(row)} <= {"0", "1"}]
        if not marks:
            raise DataError(f"{file}: no column of 0 and 1; name the field of labels")
    for number, row in rows:
        where = f"{file}:{number}"
        if len(row) != len(header):
            raise DataError(f"{where}: {len(row)} columns, but {len(header)} in the first row; correct it")
        for field in (row[column] for column in (*columns, *([label_column] if label_column else []))):
            if field[:1] == " " and (bare := field.strip())[:1] == '"' == bare[-1:]:
                raise DataError(f"{where}: a blank before the quote of {shown(bare)}; remove the blank")
        if label_column is not None:
            value: str | tuple[str, ...] = row[label_column]
        elif strange := [row[n] for n in marks if row[n] not in ("0", "1")]:
            raise DataError(f"{where}: {shown(strange[0])} in a column of 0 and 1; correct it")
        else:
            value = tuple(header[n] for n in marks if row[n] == "1")
        yield where, value, " ".join(row[column] for column in columns)


def _csv_lines(file: File) -> Iterator[tuple[int, list[str]]]:
    """Rows by the separator of the first line. With tabs, quotes are text unless that line has them."""
    # the module's limit of 131,072 characters is shorter than documents are, and can only be set for all
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    first = next((line for _, line in text_lines(file)), "")
    bare = "".join(first.split('"')[::2])  # without what stands in quotes
    tabs = file.stem.lower().endswith(".tsv")
    delimiter = "\t" if tabs else max(",;\t|", key=lambda mark: (bare.count(mark), mark == ","))
    quoted = delimiter != "\t" or all(name[:1] == '"' == name[-1:] for name in first.split("\t"))
    lines = (f"{line}\n" for _, line in text_lines(file))
    how: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=how)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as err:
        raise DataError(f"{file}:{reader.line_num}: {err}; correct the quotes, or get a whole copy") from err


def _listed(names: Any) -> str:
    here = ", ".join(map(shown, list(names)[:20] if isinstance(names, dict | list) else [])) or "none"
    return f"{here}; state {option('text', '...')} and {option('labels', '...')} to name others"


def _listed_labels(where: str, labels: str) -> tuple[str, ...]:
    """Labels of a list written as text: `['a', 'b']`. Raises `DataError`."""
    try:
        names = ast.literal_eval(labels)
        if all(type(name) in (str, int) and name != "" for name in names):
            return tuple(map(str, names))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    raise DataError(f"{where}: {shown(labels)} looks like a list of labels but is not one; correct it")


def _parted(where: str, labels: str | tuple[str, ...], separator: str | None) -> tuple[str, ...]:
    """The labels of a string. Raises `DataError` if their separator is unknown, or one is empty."""
    if not isinstance(labels, str):
        return labels
    if labels[:1] == "[" and labels[-1:] == "]":
        return _listed_labels(where, labels)
    if separator is None:
        state = f"state {option('separator', '...')} that separates its labels"
        raise DataError(f"{where}: the labels are one string; {state}")
    if separator.isspace() or not labels.strip():
        return tuple(labels.split())
    names = tuple(part.strip() for part in labels.split(separator))
    if "" in names:
        raise DataError(f"{where}: an empty label in {shown(labels)}; is the separator {separator!r}?")
    return names


def _fields_source(
    tree: Tree, options: Options, pattern: str, title: str, rows: Callable[..., Iterator[_Row]], name: str
) -> TextSource:
    """The documents with their labels split; reading raises `DataError` for an empty label in a list."""
    files, separator = train_and_test(tree, pattern, title), options.separator
    parts = {split: base.shards(tree, file) for split, file in files.items()}
    fields = {"text": options.text or ("text",), "labels": options.labels or "labels"}

    def documents(split: str) -> Iterator[Document]:
        for where, labels, text in chain.from_iterable(rows(file, **fields) for file in parts[split]):
            yield Document(_parted(where, labels, separator), text)

    readers = {split: partial(documents, split) for split in files}
    choices = sorted({**fields, "separator": separator}.items())
    every = tuple(file for several in parts.values() for file in several)
    return TextSource(tree.name, readers, every, f"{name} {choices}")


open_json = partial(_fields_source, pattern=_JSON, title="JSON lines", rows=_json_rows, name="jsonl")
open_parquet = partial(_fields_source, pattern=_PARQUET, title="Parquet", rows=_parquet_rows, name="parquet")


def _laid_out(tree: Tree) -> dict[str, tuple[File, Path]]:
    """Split -> the table of its documents' ids and labels, and their folder; either may serve all splits."""
    tables, folders = by_split(tree, _ID_TABLES), dict[str, Path]()
    whole = tree.find("labels.csv") or tree.find("labels.tsv")
    if table := next(iter(tables.values()), whole):
        inside = sorted(it for it in table.path.parent.iterdir() if it.is_dir() and not table.member)
        folders = {of: it for name, of in base.SPLITS.items() for it in inside if it.name.lower() == name}
        if tables and len(inside) == 1 and any(inside[0].glob("*.txt*")):
            folders = dict.fromkeys(tables, inside[0])
    return {split: (of, there) for split, there in folders.items() if (of := tables.get(split, whole))}


def detect_folders(tree: Tree) -> bool:
    return {"train", "test"} <= _laid_out(tree).keys()


def open_folders(tree: Tree, options: Options) -> TextSource:
    """A file for each document; a table names each id once with its labels, or reading raises `DataError`."""
    if not detect_folders(tree):
        beside = "train/ and test/, a .txt file for each document, beside labels.csv (columns id, labels)"
        raise DataError(f"{tree.path}: folders of texts need {beside}")
    parts, separator = _laid_out(tree), options.separator
    fields = options.text or ("id",), options.labels or "labels"
    texts = {of: [File(it) for it in sorted(of.iterdir())] for _, of in parts.values()}

    def documents(split: str) -> Iterator[Document]:
        table, folder = parts[split]
        others = [other for other, of in parts.values() if of == folder and other != table]
        listed = {_id(name) for other in others for _, _, name in _csv_rows(other, *fields)}
        left = {id: file for file in texts[folder] if (id := _id(str(file))) not in listed}
        beside = [of for other, of in parts.values() if other == table and of != folder]
        elsewhere = {_id(str(file)) for of in beside for file in texts[of]}
        for where, labels, name in _csv_rows(table, *fields):
            if file := left.pop(_id(name), None):
                text = "\n".join(line for _, line in text_lines(file))
                yield Document(_parted(where, labels, separator), text)
            elif _id(name) not in elsewhere:
                raise DataError(f"{where}: {shown(name)} has no file, or two lines; correct the line")
        if left:
            more = f"{len(left):,} documents have no line in {table.name}, it first"
            raise DataError(f"{left[min(left)]}: {more}; add one, without labels if there are none")

    every = (*dict.fromkeys(table for table, _ in parts.values()), *chain.from_iterable(texts.values()))
    readers = {split: partial(documents, split) for split in parts}
    return TextSource(tree.name, readers, every, f"folders {fields} {separator}")


def _id(name: str) -> str:
    return File(Path(name)).stem.removesuffix(".txt")
