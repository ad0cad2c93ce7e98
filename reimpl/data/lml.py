"""Reads the text format of LibMultiLabel: one document a line, `label1 label2<TAB>text`, UTF-8.

A corpus is a folder with `train.txt`, `test.txt` and maybe `dev.txt` or `valid.txt`, each plain, `.gz` or
`.xz`. As in ntumlgroup/LibMultiLabel (0.10, at 5cd775a), labels are split at white space, a line without
labels starts with the tab, and a column in front may hold document ids. That column is read only when
`ids=True` says so: with two tabs in a line one cannot know whether the first field is an id or the text holds
a tab, so nothing is guessed.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from reimpl.data.files import OPENERS, decoded, line_blocks, text_lines
from reimpl.data.numbering import Rows, rows_of
from reimpl.data.source import Document
from reimpl.data.storage import file_digest
from reimpl.errors import DataError

#: Names under which each split is looked for, in this order of splits everywhere.
SPLIT_FILES: Mapping[str, tuple[str, ...]] = {"train": ("train",), "test": ("test",), "dev": ("dev", "valid")}


_TAB, _LINE_FEED = 9, 10


@dataclass(frozen=True)
class LmlFolder:
    """A folder in the LibMultiLabel text format; make it with `open_folder`."""

    folder: Path
    files: Mapping[str, Path]
    """Split -> file."""
    ids: bool = False
    """Whether each line starts with a document id and a tab."""

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.resolve().name

    @property
    def splits(self) -> tuple[str, ...]:
        """`train`, `test` and maybe `dev`."""
        return tuple(self.files)

    def documents(self, split: str) -> Iterator[Document]:
        """The documents of a split; raises `DataError` with file and line as `read_documents` does."""
        return read_documents(self.files[split], ids=self.ids)

    def chunks(self, split: str) -> Iterator[Lines]:
        """The same documents, not yet taken apart; the errors come when they are, or in reading."""
        path, number = self.files[split], 0
        for number, block in line_blocks(path):
            yield Lines(block, str(path), number, self.ids)
        if number == 0:
            raise _empty(path)

    def digest(self) -> str:
        """SHA-256 over the files' bytes as they lie on disk and over `ids`."""
        parts = [
            f"lml ids={self.ids}",
            *(f"{split} {file_digest(path)}" for split, path in self.files.items()),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def open_folder(folder: Path, *, ids: bool = False) -> LmlFolder:
    """Finds the split files of a folder, without reading them.

    Raises `DataError` when there is no such folder, no train or test file, or two files for one split.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; give the folder that holds train.txt and test.txt")
    found = {split: _find(folder, split) for split in SPLIT_FILES}
    for split in ("train", "test"):
        if found[split] is None:
            raise DataError(f"{folder}: no {split}.txt, {split}.txt.gz or {split}.txt.xz; add the file")
    return LmlFolder(folder, {split: path for split, path in found.items() if path is not None}, ids)


def _find(folder: Path, split: str) -> Path | None:
    names = [f"{stem}.txt{suffix}" for stem in SPLIT_FILES[split] for suffix in ("", *OPENERS)]
    found = [folder / name for name in names if (folder / name).is_file()]
    if len(found) > 1:
        both = " and ".join(path.name for path in found)
        raise DataError(f"{folder}: {both} are both there for {split}; keep one")
    return found[0] if found else None


def read_documents(path: Path, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file, one at a time.

    Raises `DataError` (file:line, and what to do) for a line with another number of tabs, bytes that are not
    UTF-8, a NUL byte, a file that is cut off, missing or without any document.
    """
    number = 0
    for number, line in text_lines(path):
        yield parse_line(line, f"{path}:{number}", ids=ids)
    if number == 0:
        raise _empty(path)


def _empty(path: Path) -> DataError:
    return DataError(f"{path}: the file is empty; it needs one document a line, labels<TAB>text")


@dataclass(frozen=True)
class Lines:
    """Some whole lines of a file, as they stand there."""

    packed: bytes
    file: str
    number: int
    """Of the first line, from 1."""
    ids: bool

    def rows(self) -> Rows:
        """The documents; raises `DataError` as `read_documents` does."""
        rows = self._at_once()
        return self._by_line() if rows is None else rows

    def _at_once(self) -> Rows | None:
        """Without a Python step a line, where every line is in the form that it has in `ContentHash`.

        That is one tab, distinct sorted labels parted by one space, a line feed, UTF-8.
        """
        packed = self.packed
        if self.ids or b"\r" in packed or b"\0" in packed or not packed.endswith(b"\n"):
            return None
        signs = np.frombuffer(packed, dtype=np.uint8)
        marks = signs[(signs == _TAB) | (signs == _LINE_FEED)]
        if len(marks) % 2 or (marks[::2] != _TAB).any() or (marks[1::2] != _LINE_FEED).any():
            return None
        fields = packed.replace(b"\n", b"\t").split(b"\t")
        try:
            packed.isascii() or packed.decode()
            heads = b"\n".join(fields[:-1:2]).decode().split("\n")
        except UnicodeDecodeError:
            return None
        labels = " ".join(filter(None, heads)).split(" ")
        counts = [head.count(" ") + 1 if head else 0 for head in heads]
        if not any(counts):
            labels = []
        if labels != " ".join(labels).split() or not _rise(labels, counts):
            return None
        return Rows(labels, counts, fields[1::2], packed.splitlines(keepends=True))

    def _by_line(self) -> Rows:
        """One by one, which also names the line in which something stands that does not belong there."""
        lines = self.packed.removesuffix(b"\n").split(b"\n")
        found = []
        for number, line in enumerate(lines, start=self.number):
            where = f"{self.file}:{number}"
            found.append(parse_line(decoded(line.removesuffix(b"\r"), where), where, ids=self.ids))
        return rows_of(found)


def _rise(labels: Sequence[str], counts: Sequence[int]) -> bool:
    """Whether the labels of each document rise strictly, so that they are sorted and distinct."""
    up = np.fromiter(map(operator.lt, labels, islice(labels, 1, None)), dtype=np.bool_)
    ends = np.cumsum(counts)
    up[ends[(ends > 0) & (ends < len(labels))] - 1] = True
    return bool(up.all())


def parse_line(line: str, where: str, *, ids: bool = False) -> Document:
    """Labels and text of a line without its end; `where` (file:line) goes into the error."""
    fields = line.split("\t")
    if len(fields) != 2 + ids:
        raise DataError(f"{where}: {_wrong_fields(line, fields, ids)}")
    # str.split without argument, as LibMultiLabel: any run of white space parts labels, no name is empty
    return Document(tuple(fields[-2].split()), fields[-1])


def _wrong_fields(line: str, fields: list[str], ids: bool) -> str:
    wanted = "id<TAB>labels<TAB>text" if ids else "labels<TAB>text"
    if len(fields) < 2 + ids:
        start = line if len(line) <= 40 else line[:40] + "..."
        header = line.split()
        if len(header) == 3 and all(field.isdecimal() for field in header):
            return f"{start!r} heads an Extreme Classification file, not {wanted}; give a text corpus"
        return f"{len(fields) - 1} tabs in {start!r}; write {wanted}, with the tab even when a part is empty"
    advice = "replace tabs inside the text by spaces"
    if not ids and len(fields) == 3:
        advice += ", or say that the first column holds ids (ids=True)"
    return f"{len(fields)} columns where {wanted} has {2 + ids}; {advice}"
