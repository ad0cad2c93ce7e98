"""LibMultiLabel's text format: one document a line, `label1 label2<TAB>text`, UTF-8.

As in ntumlgroup/LibMultiLabel (0.10, at 5cd775a), labels are split at white space, a line without labels
starts with the tab, and a column in front may hold document ids. That column is read only when `ids=True`
says so: of two tabs in a line one cannot know whether the first field is an id or the text holds a tab.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from reimpl.data.files import File, Tree, decoded, line_blocks, text_lines, tree
from reimpl.data.formats.base import (
    Found,
    Options,
    TextSource,
    by_split,
    first_lines,
    need_train_and_test,
    single_file,
)
from reimpl.data.numbering import Rows, rows_of
from reimpl.data.source import Document
from reimpl.errors import DataError

_PATTERN = r"{prefix}{split}\.(?:txt|tsv)"
_TAB, _LINE_FEED = 9, 10
#: Bytes of a chunk.
BLOCK = 1 << 20


def detect(tree: Tree) -> Found | None:
    """One tab in each of the first lines, or two when a column of ids stands in front."""
    files = by_split(tree, _PATTERN) or single_file(tree, (".txt", ".tsv"))
    if not files:
        return None
    file = next(iter(files.values()))
    tabs = {line.count(b"\t") for line in first_lines(file)}
    if tabs == {1}:
        return Found(f"each of the first lines of {file.name} has one tab, between labels and text", files)
    if tabs == {2}:
        needs = ("state ids=True if the first of three columns holds document ids",)
        return Found(f"each of the first lines of {file.name} has two tabs", files, needs)
    return None


def open_folder(folder: Path, *, ids: bool = False) -> TextSource:
    """The corpus of a folder or a .zip, as `open_lml` opens it."""
    return open_lml(tree(folder), Options(ids=ids))


def open_lml(tree: Tree, options: Options) -> TextSource:
    """A folder or a .zip with `train.txt`, `test.txt` and maybe `dev.txt`; raises `DataError` without."""
    ids = bool(options.ids)
    files = by_split(tree, _PATTERN)
    need_train_and_test(tree, files, "LibMultiLabel text")
    return TextSource(
        tree.name,
        {split: partial(documents, file, ids=ids) for split, file in files.items()},
        tuple(files.values()),
        f"lml ids={ids}",
        pieces={split: partial(_chunks, file, ids) for split, file in files.items()},
    )


def documents(file: File, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file; raises `DataError` with file and line for one of another form."""
    for number, line in text_lines(file):
        yield parse_line(line, f"{file}:{number}", ids=ids)


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


def _chunks(file: File, ids: bool) -> Iterator[Lines]:
    """The same documents, not yet taken apart; the errors come when they are, or in reading."""
    return (Lines(block, str(file), number, ids) for number, block in line_blocks(file, BLOCK))


@dataclass(frozen=True)
class Lines:
    """Some whole lines of a file, as they stand there."""

    packed: bytes
    file: str
    number: int
    """Of the first line, from 1."""
    ids: bool

    def rows(self) -> Rows:
        """The documents; raises `DataError` as `documents` does."""
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
        found = []
        for number, line in enumerate(self.packed.removesuffix(b"\n").split(b"\n"), start=self.number):
            where = f"{self.file}:{number}"
            found.append(parse_line(decoded(line.removesuffix(b"\r"), where), where, ids=self.ids))
        return rows_of(found)


def _rise(labels: Sequence[str], counts: Sequence[int]) -> bool:
    """Whether the labels of each document rise strictly, so that they are sorted and distinct."""
    up = np.fromiter(map(operator.lt, labels, islice(labels, 1, None)), dtype=np.bool_)
    ends = np.cumsum(counts)
    up[ends[(ends > 0) & (ends < len(labels))] - 1] = True
    return bool(up.all())
