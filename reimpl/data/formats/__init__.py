"""The formats in which corpora are distributed: recognises them, and opens a corpus by `PATH` or `PATH@N`.
Each column of splits is a corpus of its own: noise between splits is not noise between seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reimpl.data.dataset import Dataset
from reimpl.data.files import head, tree
from reimpl.data.formats import features, texts
from reimpl.data.formats.base import Options, Reader, by_split
from reimpl.data.numbering import TextSource
from reimpl.errors import ConfigError, DataError, known_names, option

__all__ = ["COLUMN", "READERS", "Options", "Reader", "TextSource", "check_columns", "open_corpus"]
__all__ += ["sniff", "split_name"]

_NO_DOCUMENTS = re.compile(
    r"readme|licen[cs]e|\.md$|\.ids\.|labels?\.txt|vocab|\.npy$|\.ya?ml$", re.IGNORECASE
)

COLUMN = "split.column"  # Name in `counts` of the column, from 0.

_IDS, _FIELDS = ("base",), ("text", "labels", "separator")
_XC = "Extreme Classification Repository"
_COLUMNS = f"{_XC} data with columns of splits", (*_IDS, "column", "data")
_READERS = (
    Reader("lml", "LibMultiLabel text", ("ids",), texts.detect_lines, texts.open_lines),
    Reader("attentionxml", "AttentionXML's pairs", ("raw",), texts.detect_pairs, texts.open_pairs),
    Reader("attentionxml-npy", "AttentionXML's arrays", (), texts.detect_arrays, texts.open_arrays),
    Reader("jsonl", "JSON lines", _FIELDS, texts.detect_json, texts.open_json),
    Reader("csv", "CSV", _FIELDS, texts.detect_csv, texts.open_csv),
    Reader("folders", "folders of texts", _FIELDS, texts.detect_folders, texts.open_folders),
    Reader("parquet", "Parquet", _FIELDS, texts.detect_parquet, texts.open_parquet),
    Reader("xc", f"{_XC} file", _IDS, features.detect_headed, features.open_headed),
    Reader("xc-splits", *_COLUMNS, features.count_columns, features.open_column),
    Reader("svmlight", "LIBSVM multi-label", _IDS, features.detect_bare, features.open_bare),
    Reader("npz", "sparse matrices", (), features.detect_matrices, features.open_matrices),
)
#: What a file that no format knows is likely meant to be.
_BY_SUFFIX = {"json": "jsonl", "jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv", "txt": "lml", "tsv": "lml"}
_BY_SUFFIX |= dict.fromkeys(("svm", "libsvm", "svmlight"), "svmlight")
READERS: Mapping[str, Reader] = {reader.name: reader for reader in _READERS}


def sniff(path: Path) -> list[Reader]:
    """The possible formats of a file, folder or .zip, mostly one. Raises `DataError` if there is none."""
    where = tree(path)
    if path.is_file() and path.suffix.lower() != ".zip":
        raise DataError(f"{path}: one file without splits; give the folder with its train and test files")
    seen: list[Reader] = []
    unclear: DataError | None = None
    for reader in READERS.values():
        try:
            seen += [reader] if reader.detect(where) else []
        except DataError as err:
            unclear = unclear or err
    if seen:
        return seen
    for file in by_split(where, r"{prefix}{split}(?:\.\w+)?").values():
        if not head(file).strip():
            raise DataError(f"{file}: the file is empty; give one with documents")
    suffix = next((name.rpartition(".")[2] for name in sorted(where.files) if "train" in name.lower()), "")
    of_ids = "folders" if {"labels.csv", "labels.tsv"} & where.files.keys() else ""
    if likely := _BY_SUFFIX.get(suffix.lower(), of_ids):  # its reader knows best what is amiss
        corpus = READERS[likely].open(where, Options())
        if isinstance(corpus, TextSource):
            dict(zip(range(100), corpus.documents("train"), strict=False))
    if unclear is not None:
        raise unclear
    listed, known = ", ".join(sorted(where.files)[:5]), ", ".join(READERS)
    state = f"state {option('format', '...')} if it is one"
    raise DataError(f"{path}: no known format ({listed}); formats are {known}, {state}")


def open_corpus(
    path: Path, options: Options | None = None, *, format: str | None = None
) -> TextSource | Dataset:
    """Texts as a source that streams them, features as a data set. `PATH@N` is `options.column` N. Raises
    `DataError` for what cannot be read or must be stated, `ConfigError` for an unused option."""
    options = options or Options()
    path, column = split_name(path)
    if column is not None:
        if options.column not in (None, column):
            raise DataError(f"{path}@{column}: column {options.column} is asked for too; give one of them")
        options = replace(options, column=column)
    if options.column is not None and format is None:
        if options.data is None:
            _columns_at(path, option("column", options.column) if column is None else f"@{column}")
        format = "xc-splits"  # a folder may hold a split of its own beside the columns
    name = format or _sniffed(path, options)
    if name not in READERS:
        raise ConfigError(f"format {name!r} is unknown; {known_names(name, READERS)}")
    reader = READERS[name]
    for stated in options.stated:
        if stated not in reader.options:
            takes = ", ".join(map(option, reader.options)) or "none"
            raise ConfigError(f"{reader.title} has no option {option(stated)}; it takes {takes}")
    corpus = reader.open(tree(path), options)
    if isinstance(corpus, TextSource):
        read = {file.name for file in corpus.files}
        names = {file.name for files in tree(path).files.values() for file in files} - read
        if unread := sorted(name for name in names if not _NO_DOCUMENTS.search(name))[:5]:
            left_out = f"Files beside the corpus that are not read: {', '.join(unread)}."
            corpus = replace(corpus, notes=(*corpus.notes, left_out))
    if isinstance(corpus, Dataset) and options.column is not None:
        counts = {**corpus.counts, COLUMN: options.column}
        return replace(corpus, name=f"{corpus.name}@{options.column}", counts=counts)
    return corpus


def _sniffed(path: Path, options: Options) -> str:
    seen = sniff(path)
    names = {reader.name for reader in seen}
    if "folders" in names and not texts.has_named_columns(tree(path), options):
        return "folders"
    if names == {"lml", "csv"} and texts.has_named_columns(tree(path), options):
        return "csv"
    if len(seen) > 1:
        could = " or ".join(reader.title for reader in seen)
        state = " or ".join(option("format", reader.name) for reader in seen)
        raise DataError(f"{path} could be {could}; state {state}")
    if seen[0].name == "lml":
        texts.check_order(tree(path))
    return seen[0].name


def split_name(path: Path) -> tuple[Path, int | None]:
    """`DIR@3` is column 3 of DIR, unless a file or folder has that very name."""
    match = re.fullmatch(r"(.+)@([0-9]{1,4})", path.name)
    if match is None or path.exists():
        return path, None
    return path.with_name(match[1]), int(match[2])


def check_columns(path: Path, columns: Sequence[int], left_out: str) -> None:
    """Raises `ConfigError` for a column that does not exist, `DataError` for none; reads no data."""
    for column in columns:
        features.check_column(path.name, column, _columns_at(path, left_out))


def _columns_at(path: Path, left_out: str) -> int:
    columns = features.count_columns(tree(path))
    if columns is None:
        raise DataError(f"{path}: this corpus has one split; leave out {left_out}")
    return columns
