"""One data file and two files of row numbers: several random splits, one a column.

So the Extreme Classification Repository ships Delicious, Bibtex and Mediamill: `..._data.txt`,
`..._trSplit.txt` and `..._tstSplit.txt`, row numbers counted from 1. Its tables are means over the columns,
so a column is never chosen silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reimpl.data.dataset import IntArray
from reimpl.data.files import File, Tree, head, line_blocks, tree
from reimpl.data.formats.base import Found, Options
from reimpl.data.formats.bow import BowDataset, BowSplit
from reimpl.data.formats.xc import assemble, read_table
from reimpl.errors import ConfigError, DataError

_SPLIT_FILE = re.compile(r"(?:.*[_.-])?(tr|tst)_?split\.txt", re.IGNORECASE)
_DATA_FILE = re.compile(r"(?:.*[_.-])?data\.txt", re.IGNORECASE)
_ROLES = {"tr": "train rows", "tst": "test rows"}


@dataclass(frozen=True, eq=False)
class SplitColumns:
    """All rows of a corpus, read once, and its splits."""

    name: str
    all: BowSplit
    whole: BowDataset
    """The rows unsplit, as one part `all`, with names, sizes and notes."""
    train: IntArray
    """int64 (n_train, C): row numbers from 0."""
    test: IntArray
    """int64 (n_test, C)"""

    @property
    def columns(self) -> int:
        """C, the number of splits."""
        return int(self.train.shape[1])

    def dataset(self, column: int) -> BowDataset:
        """The split of one column (from 0).

        Raises `ConfigError` for a column that is not there, `DataError` for one that uses a row twice.
        """
        check_column(self.name, column, self.columns)
        train, test = self.train[:, column], self.test[:, column]
        both = np.concatenate((train, test))
        if len(np.unique(both)) < len(both):
            raise DataError(
                f"{self.name}: column {column} uses a row twice; get a sound copy of the split files"
            )
        left = self.all.size - len(both)
        notes = (*self.whole.notes, f"Split {column} (from 0) of {self.columns} that come with the data.")
        if left:
            notes = (*notes, f"{left} rows of the data stand in neither train nor test.")
        return BowDataset(
            name=self.name,
            parts={"train": self.all.rows(train), "test": self.all.rows(test)},
            n_features=self.whole.n_features,
            n_labels=self.whole.n_labels,
            label_names=self.whole.label_names,
            feature_names=self.whole.feature_names,
            counts={**self.whole.counts, "rows_not_used": left},
            notes=notes,
        )


def check_column(where: str, column: int, columns: int) -> None:
    """Raises `ConfigError` for a column (from 0) that is not there."""
    if not 0 <= column < columns:
        raise ConfigError(f"{where}: column {column} of {columns}; give 0 to {columns - 1}")


def count_columns(where: Tree) -> int | None:
    """C by the first line of row numbers, without reading on; None where there are no such files.

    Raises `DataError` for a file that starts with none.
    """
    files = _files(where)
    rows = next((files[it] for it in _ROLES.values() if it in files), None)
    if rows is None:
        return None
    columns = len(head(rows).split(b"\n")[0].split())
    if not columns:
        raise DataError(f"{rows}: no row numbers; get a sound copy")
    return columns


def read_columns(where: Tree, options: Options) -> SplitColumns:
    """The data and all of its splits; `options.data` names the data file when it lies elsewhere.

    Raises `DataError` when one is missing, damaged, or a row number lies outside the data.
    """
    files = _files(where)
    for role in _ROLES.values():
        if role not in files:
            raise DataError(
                f"{where.path}: no file of {role}; both ..._trSplit.txt and ..._tstSplit.txt are needed"
            )
    home, data = _data(where, files, options)
    whole = assemble(home, {"all": read_table(data)}, options)
    rows = whole.parts["all"]
    train, test = (_row_numbers(files[role], rows.size) for role in _ROLES.values())
    if train.shape[1] != test.shape[1]:
        raise DataError(
            f"{where.path}: {train.shape[1]} columns of train and {test.shape[1]} of test; "
            "they do not belong together"
        )
    return SplitColumns(home.name, rows, whole, train, test)


def open_column(where: Tree, options: Options) -> BowDataset:
    """One split; raises `DataError` asking for `column` when there are several, else as `read_columns`."""
    columns = count_columns(where) or 1
    if options.column is not None:
        check_column(where.name, options.column, columns)  # before the data are read
    elif columns > 1:
        alone = options.data is None and "data" not in _files(where)
        lacking = "; there is no data file beside them, so state data=FILE too" if alone else ""
        raise DataError(
            f"{where.path}: {columns} splits, one a column; state column=0 to column={columns - 1}{lacking}"
        )
    return read_columns(where, options).dataset(options.column or 0)


def _data(where: Tree, files: dict[str, File], options: Options) -> tuple[Tree, File]:
    if options.data is not None:
        path = Path(options.data)
        file = next(iter(tree(path).files.values()))[0]
        # names of labels lie beside the data
        return (tree(path.parent) if file.path == path and not file.member else tree(path)), file
    if "data" not in files:
        raise DataError(f"{where.path}: row numbers of splits, but no data file beside them; state data=FILE")
    return where, files["data"]


def _row_numbers(file: File, size: int | None) -> IntArray:
    """int64 (n, C) row numbers from 0; raises `DataError` for ragged lines or a number outside 1..size."""
    found: list[list[int]] = []
    for first, block in line_blocks(file):
        for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=first):
            fields = line.split()
            wanted = len(found[0]) if found else len(fields)
            if not fields or len(fields) != wanted or not all(it.isdigit() and len(it) < 10 for it in fields):
                raise DataError(f"{file}:{number}: not {wanted or 'some'} row numbers; get a sound copy")
            found.append([int(it) for it in fields])
    if not found:
        raise DataError(f"{file}: no row numbers; get a sound copy")
    rows = np.array(found, dtype=np.int64)
    if rows.min() < 1 or (size is not None and rows.max() > size):
        wrong = rows.min() if rows.min() < 1 else rows.max()
        upto = f"to {size:,}" if size is not None else "on"
        raise DataError(
            f"{file}: row number {wrong}; they count from 1 {upto}, do they belong to these data?"
        )
    return rows - 1


def _files(where: Tree) -> dict[str, File]:
    found: dict[str, File] = {}
    for name in where.files:
        match = _SPLIT_FILE.fullmatch(name)
        role = _ROLES[match[1].lower()] if match else "data" if _DATA_FILE.fullmatch(name) else None
        file = where.find(name) if role else None
        if role and file:
            if role in found:
                raise DataError(f"{where.path}: {found[role].name} and {file.name} are both {role}; keep one")
            found[role] = file
    return found


def detect(where: Tree) -> Found | None:
    """A file of row numbers for train, one for test, or at least one of them."""
    files = _files(where)
    if not set(files) & set(_ROLES.values()) or where.single:
        return None
    needs = []
    if "data" not in files:
        needs.append("state data=FILE: the data file that the row numbers speak of")
    shown = files.get("train rows") or files["test rows"]
    columns = _row_numbers(shown, None).shape[1]
    if columns > 1:
        needs.append(f"state column=0 to column={columns - 1}: which of the {columns} splits")
    return Found(f"{shown.name} holds row numbers in {columns} columns, a split each", files, tuple(needs))
