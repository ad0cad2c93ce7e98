"""All formats by name; what something on disk is; and a corpus by `PATH`, or `PATH@N` for a split column.

Where one file of data comes with several splits, a column each, every column is a corpus of its own: its
number is part of its name and stands in its counts, and its content is part of every run's key. So the noise
between splits is never taken for the noise between seeds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from reimpl.data.dataset import Dataset
from reimpl.data.files import File, Tree, head, shown, tree
from reimpl.data.formats import arrays, features, texts
from reimpl.data.formats.base import Ambiguous, Format, Found, Options, Reader, by_split
from reimpl.data.source import Source
from reimpl.errors import ConfigError, DataError, option
from reimpl.plugins import READERS as GROUP
from reimpl.plugins import load_all, tell

COLUMN = "split.column"
"""Name in `counts` of the column, from 0."""

_IDS = ("features_from", "labels_from")
_FIELDS = ("text", "labels", "separator")
_XC = "Extreme Classification Repository"
_AT = re.compile(r"(?P<path>.+)@(?P<column>[0-9]{1,4})")
_ANY_SPLIT = r"{prefix}{split}(?:\.\w+)?"

READERS: Mapping[str, Reader] = {
    reader.name: reader
    for reader in (
        Reader("lml", "LibMultiLabel text", "text", ("ids",), texts.detect_lines, texts.open_lines),
        Reader(
            "attentionxml", "AttentionXML's raw pairs", "text", ("raw",), texts.detect_pairs, texts.open_pairs
        ),
        Reader("attentionxml-npy", "AttentionXML's arrays", "text", (), arrays.detect_ids, arrays.open_ids),
        Reader("jsonl", "JSON lines", "text", _FIELDS, texts.detect_json, texts.open_json),
        Reader("csv", "CSV", "text", _FIELDS, texts.detect_csv, texts.open_csv),
        Reader("xc", f"{_XC} file", "features", _IDS, features.detect_headed, features.open_headed),
        Reader(
            "xc-splits",
            f"{_XC} data with columns of splits",
            "features",
            (*_IDS, "column", "data"),
            features.detect_columns,
            features.open_column,
        ),
        Reader("svmlight", "LIBSVM multi-label", "features", _IDS, features.detect_bare, features.open_bare),
        Reader("npz", "sparse matrices", "features", (), arrays.detect_matrices, arrays.open_matrices),
    )
}


@cache
def readers() -> Mapping[str, Reader]:
    """Ours, and those of other packages that can be used (`reimpl.plugins`)."""
    return {**READERS, **load_all(GROUP, own=READERS, check=_amiss)}


def _amiss(name: str, reader: object) -> str | None:
    if not isinstance(reader, Reader):
        return "is no reimpl.data.formats.base.Reader"
    return None if reader.name == name else f"is called {reader.name!r}; its entry point has to be, too"


def find_reader(name: str) -> Reader:
    """The reader of that name; raises `ConfigError` naming the known ones."""
    known = readers()
    if name not in known:
        raise ConfigError(f"format {name!r} is unknown; known are {', '.join(known)}")
    return known[name]


# --------------------------------------------------------------------------- what it is


def sniff(path: Path) -> Format | Ambiguous:
    """What a file, a folder or a .zip is and why, or between which formats one must choose.

    Raises `DataError` when it is none that is known, or cannot be looked at.
    """
    where = tree(path)
    seen, unclear = _detected(where)
    if not seen:
        listed, known = ", ".join(sorted(where.files)[:5]), ", ".join(readers())
        state = f"state {option('format', '...')} if it is one"
        unknown = f"{path}: no known format ({listed}); formats are {known}, {state}"
        raise unclear or DataError(_why_unknown(where) or unknown)
    formats = tuple(
        Format(
            reader.name,
            reader.title,
            reader.kind,
            found.why,
            {role: file.name for role, file in found.files.items()},
            found.needs,
        )
        for reader, found in seen
    )
    if len(formats) == 1:
        return formats[0]
    could = "; or ".join(f"{each.title} ({each.why})" for each in formats)
    ask = f"{path} could be {could}: state {' or '.join(option('format', each.name) for each in formats)}"
    return Ambiguous(formats, ask)


def _detected(where: Tree) -> tuple[list[tuple[Reader, Found]], DataError | None]:
    """The readers that see their format, and the first complaint of one that cannot tell.

    Two files for one split are no complaint about a folder that is another format beside them.
    """
    seen: list[tuple[Reader, Found]] = []
    unclear: DataError | None = None
    for reader in readers().values():
        try:
            found = reader.detect(where)
        except DataError as err:
            unclear = unclear or err
        except Exception as err:
            if reader.name in READERS:
                raise
            tell(f"reader {reader.name!r} ({reader.title}) is left out: {type(err).__name__}: {err}")
        else:
            seen += [(reader, found)] if found is not None else []
    return seen, unclear


def _why_unknown(where: Tree) -> str | None:
    """One sentence about the file of a split, or the one file given, that is amiss."""
    files = list(by_split(where, _ANY_SPLIT).values()) or [file for (file, *_) in where.files.values()]
    return next((why for file in files[:3] if (why := _amiss_in(file))), None)


def _amiss_in(file: File) -> str | None:
    start = head(file)
    line = start.split(b"\n")[0].decode("utf-8", "replace").strip()
    suffix = Path(file.stem.lower()).suffix
    if not start.strip():
        return f"{file}: the file is empty; give one with documents"
    if suffix in (".jsonl", ".ndjson", ".json") and not line.startswith("{"):
        what = f"{shown(line)} where an object a line is expected"
        return f"{file}:1: {what}; write each document as one line {{...}}"
    if suffix == ".csv" and "," not in line and any(mark in line for mark in ";\t|"):
        what = f"{shown(line)}: columns are parted by ',' in .csv and by tabs in .tsv"
        return f"{file}:1: {what}; write the file so"
    return None


# --------------------------------------------------------------------------- opening it


def open_corpus(path: Path, options: Options | None = None, *, format: str | None = None) -> Source | Dataset:
    """Texts as a source that streams them, features as a data set.

    `PATH@N` is `options.column` N; `format` is the name of a reader, else what `sniff` says. Raises
    `DataError` for what is not there, is no known format or cannot be read, or of which something must be
    stated; `ConfigError` for an unknown format or an option that means nothing there.
    """
    options = options or Options()
    path, column = split_name(path)
    if column is not None:
        if options.column not in (None, column):
            raise DataError(f"{path}@{column}: column {options.column} is asked for too; give one of them")
        options = replace(options, column=column)
    if not path.exists():
        raise _not_there(path)
    if options.column is not None and format is None:
        if options.data is None:
            _columns_at(path, option("column", options.column) if column is None else f"@{column}")
        format = "xc-splits"  # a folder may hold a split of its own beside the columns
    reader = find_reader(format or _sniffed(path, options))
    reader.check(options)
    corpus = reader.open(tree(path), options)
    if isinstance(corpus, Dataset) and options.column is not None:
        counts = {**corpus.counts, COLUMN: options.column}
        return replace(corpus, name=f"{corpus.name}@{options.column}", counts=counts)
    return corpus


def _sniffed(path: Path, options: Options) -> str:
    try:
        seen = sniff(path)
    except DataError:
        # the reader of plain text names the line that is amiss
        if options.stated or not texts.has_lines(tree(path)):
            raise
        return "lml"
    if isinstance(seen, Ambiguous):
        raise DataError(seen.ask)
    return seen.name


def split_name(path: Path) -> tuple[Path, int | None]:
    """`DIR@3` is column 3 of DIR, unless there is something of that very name.

    >>> split_name(Path("data/delicious@3"))
    (PosixPath('data/delicious'), 3)
    """
    match = _AT.fullmatch(path.name)
    if match is None or path.exists():
        return path, None
    return path.with_name(match["path"]), int(match["column"])


def check_columns(path: Path, columns: Sequence[int], left_out: str) -> None:
    """Before anything is read: raises `ConfigError` for a column that is not there.

    `DataError` where there are no columns, with what in the command says that there are, as `left_out`.
    """
    if not path.exists():
        raise _not_there(path)
    for column in columns:
        features.check_column(path.name, column, _columns_at(path, left_out))


def _columns_at(path: Path, left_out: str) -> int:
    columns = features.count_columns(tree(path))
    if columns is None:
        raise DataError(f"{path}: this corpus has one split; leave out {left_out}")
    return columns


def _not_there(path: Path) -> DataError:
    """Of `DIR@x`, where there is DIR, that x is no column of it."""
    name, _, column = path.name.rpartition("@")
    if not name or not path.with_name(name).exists():
        return DataError(f"{path}: no such file or folder; check the path")
    columns = features.count_columns(tree(path.with_name(name)))
    if columns is None:
        return DataError(
            f"{path}: column {column!r} is not a number, and {name} has one split; leave out @{column}"
        )
    return DataError(f"{path}: column {column!r} is not a number; give 0 to {columns - 1}")
