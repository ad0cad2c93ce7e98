"""Lines `labels<TAB>text` of LibMultiLabel, taken apart in whichever process.

What a worker imports from here is light: neither scipy nor torch nor pandas.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from reimpl.data.files import decoded
from reimpl.data.numbering import Rows, rows_of
from reimpl.data.source import Document
from reimpl.errors import DataError

_TAB, _LINE_FEED = 9, 10


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
