"""A corpus by its path: any format that `formats` reads, one split of several by `PATH@N`.

Where one file of data comes with several splits, a column each, every column is a corpus of its own: its
number is part of its name and stands in its counts, and its content is part of every run's key. So the noise
between splits is never taken for the noise between seeds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reimpl.data.files import tree
from reimpl.data.formats import BowDataset, Options, read, sniff
from reimpl.data.formats.lml import open_folder
from reimpl.data.formats.xc_splits import check_column, count_columns
from reimpl.data.source import Source
from reimpl.errors import DataError

COLUMN = "split.column"
"""Name in `counts` of the column, from 0."""

_AT = re.compile(r"(?P<path>.+)@(?P<column>[0-9]{1,4})")


def split_name(path: Path) -> tuple[Path, int | None]:
    """`DIR@3` is column 3 of DIR, unless there is something of that very name.

    >>> split_name(Path("data/delicious@3"))
    (PosixPath('data/delicious'), 3)
    """
    match = _AT.fullmatch(path.name)
    if match is None or path.exists():
        return path, None
    return path.with_name(match["path"]), int(match["column"])


def open_corpus(
    path: Path, options: Options | None = None, *, format: str | None = None
) -> Source | BowDataset:
    """Texts as a source that streams them, features as a data set.

    `PATH@N` is `options.column` N. Raises `DataError` for what is not there, is no known format or cannot be
    read, `ConfigError` for an option that means nothing there.
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
            left_out = f"column={options.column}" if column is None else f"@{column}"
            columns_at(path, left_out)
        format = "xc-splits"  # a folder may hold a split of its own beside the columns
    if format is None and not options.stated and _is_broken_text(path):
        return open_folder(path)
    corpus = read(path, options, format=format)
    return _of_column(corpus, options.column) if isinstance(corpus, BowDataset) else corpus


def columns_at(path: Path, left_out: str) -> int:
    """How many splits stand there in columns; little is read.

    Raises `DataError` where none do, with what in the command says that there are, as `left_out`.
    """
    columns = count_columns(tree(path))
    if columns is None:
        raise DataError(f"{path}: this corpus has one split; leave out {left_out}")
    return columns


def check_columns(path: Path, columns: Sequence[int], left_out: str) -> None:
    """Before anything is read: raises `ConfigError` for a column that is not there, else as `columns_at`."""
    if not path.exists():
        raise _not_there(path)
    for column in columns:
        check_column(path.name, column, columns_at(path, left_out))


def _not_there(path: Path) -> DataError:
    """Of `DIR@x`, where there is DIR, that x is no column of it."""
    name, at, column = path.name.rpartition("@")
    folder = path.with_name(name) if name else path
    if not at or not name or not folder.exists():
        return DataError(f"{path}: no such file or folder; check the path")
    said = f"{path}: column {column!r} is not a number"
    try:
        columns = count_columns(tree(folder))
    except DataError:
        columns = None
    if columns is None:
        return DataError(f"{said}, and {folder.name} has one split; leave out @{column}")
    return DataError(f"{said}; give 0 to {columns - 1}")


def _is_broken_text(path: Path) -> bool:
    """Whether a folder has the files of LibMultiLabel text and no known format: its reader names the line."""
    try:
        sniff(path)
    except DataError:
        try:
            open_folder(path)
        except DataError:
            return False
        return True
    return False


def _of_column(data: BowDataset, column: int | None) -> BowDataset:
    if column is None:
        return data
    return replace(data, name=f"{data.name}@{column}", counts={**data.counts, COLUMN: column})
