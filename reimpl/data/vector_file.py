"""Reads the vectors of wanted words from a text file: a word, then E numbers, parted by spaces.

Some words of GloVe 840B hold spaces (". . .", "to name@domain.com"), so the LAST E fields are the numbers and
all before them is the word. A first line of two whole numbers (word2vec, fastText) is a header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.files import raw_lines
from reimpl.errors import DataError

_LOOK_AHEAD = 100


@dataclass(frozen=True, eq=False)
class ReadVectors:
    """The vectors of V wanted words and what was met on the way."""

    rows: FloatArray
    """float32 (V, E), zero where a word was not found."""
    found: BoolArray
    """(V,)"""
    lines: int
    """Lines after the header."""
    header: bool
    bad_lines: int
    """Too few fields, or (for a wanted word; others are not parsed) something that is no finite number."""
    duplicates: int
    """Wanted words met again; the first vector stays."""
    with_spaces: int


def read_vectors(path: Path, words: Sequence[str], *, dimension: int | None = None) -> ReadVectors:
    """Vectors of `words`, in their order.

    Raises `DataError` when the file is missing, cut off or empty, has another dimension than stated, fewer
    lines than its header says, mostly bad lines, or not one of the words.
    """
    lines = raw_lines(path)
    start = list(islice(lines, _LOOK_AHEAD))
    header = _header(start)
    if header is not None:
        start = start[1:]
    dimension = _dimension(path, [line for _, line in start], header, dimension)
    read = _scan(chain(start, lines), words, dimension, header is not None)
    if header is not None and read.lines < header[0]:
        raise DataError(
            f"{path}: {read.lines} lines where its header says {header[0]}; it is cut off, get a whole copy"
        )
    if read.bad_lines * 2 > read.lines:
        raise DataError(
            f"{path}: {read.bad_lines} of {read.lines} lines are no word with {dimension} numbers; "
            "give a text file of word vectors"
        )
    if len(words) and not read.found.any():
        raise DataError(
            f"{path}: none of the {len(words)} words of the corpus has a vector; is it the right file?"
        )
    return read


def split_line(line: bytes, dimension: int) -> tuple[bytes, list[bytes]] | None:
    """The word and its `dimension` number fields; None when there are too few fields."""
    parts = line.rsplit(None, dimension)
    if len(parts) != dimension + 1:
        return None
    return parts[0], parts[1:]


def _scan(
    lines: Iterable[tuple[int, bytes]], words: Sequence[str], dimension: int, header: bool
) -> ReadVectors:
    wanted = {word.encode(): row for row, word in enumerate(words)}
    rows = np.zeros((len(words), dimension), dtype=np.float32)
    found = np.zeros(len(words), dtype=np.bool_)
    n_lines = bad = duplicates = with_spaces = 0
    for _, line in lines:
        n_lines += 1
        if line.count(b" ") == dimension and b"\t" not in line:
            word = line[: line.index(b" ")]
            # most lines of a large file end here, unparsed
            if word not in wanted:
                continue
        parts = split_line(line, dimension)
        if parts is None:
            bad += 1
            continue
        word, numbers = parts
        with_spaces += b" " in word
        row = wanted.get(word)
        if row is None:
            continue
        if found[row]:
            duplicates += 1
        elif (values := _finite(numbers)) is None:
            bad += 1
        else:
            rows[row], found[row] = values, True
    return ReadVectors(rows, found, n_lines, header, bad, duplicates, with_spaces)


def _finite(fields: list[bytes]) -> list[float] | None:
    try:
        values = [float(field) for field in fields]
    except ValueError:
        return None
    # beyond float32 a number would silently become infinite
    return values if all(abs(value) < 3.4e38 for value in values) else None


def _header(start: list[tuple[int, bytes]]) -> tuple[int, int] | None:
    """(lines, dimension) of a header; a file of one-dimensional vectors is taken to have none."""
    fields = start[0][1].split() if start else []
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    if len(start) > 1 and len(start[1][1].split()) == 2:
        return None
    return int(fields[0]), int(fields[1])


def _dimension(path: Path, lines: list[bytes], header: tuple[int, int] | None, stated: int | None) -> int:
    """How many numbers most of the first lines end in, checked against the header and what was stated."""
    seen = Counter(n for line in lines if (n := _trailing_numbers(line)) > 0)
    if not seen:
        raise DataError(f"{path}: no line with a word and numbers; give a text file of word vectors")
    [(dimension, _)] = seen.most_common(1)
    for what, said in (("stated", stated), ("in its header", header[1] if header else None)):
        if said is not None and said != dimension:
            raise DataError(
                f"{path}: vectors of {dimension} dimensions, but {said} {what}; correct the dimension"
            )
    return dimension


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is always the word."""
    fields = line.split()[1:]
    return next(
        (n for n, is_number in enumerate(_are_numbers(reversed(fields))) if not is_number), len(fields)
    )


def _are_numbers(fields: Iterable[bytes]) -> Iterator[bool]:
    for number in fields:
        yield _finite([number]) is not None
