"""Word vectors in word2vec's binary form: a line `N E`, then N times a word, a space, and E float32 numbers.

The numbers are little-endian, as every public file has them. The original program (tmikolov/word2vec,
word2vec.c 562-565) writes a line feed after each vector, gensim does not; both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reimpl.data.formats.inputs import File, blocks, shown
from reimpl.data.vector_reading import MOST_NUMBERS, Chunk, Tally
from reimpl.errors import DataError

_HEADER = re.compile(rb"(\d{1,18}) (\d{1,18})[ \r]*\n")
_LONGEST_WORD = 1 << 16
_FLOAT = np.dtype("<f4")


def header_of(head: bytes) -> re.Match[bytes] | None:
    """The first line, when it is `N E`."""
    return _HEADER.match(head)


def binary_chunks(file: File, tally: Tally, *, dimension: int | None = None) -> Iterator[Chunk]:
    """The vectors in the order of the file; those that are not finite are left out and counted.

    Raises `DataError` for a file that is damaged or cut off, for another dimension than stated, and for more
    or fewer vectors than its header says.
    """
    tally.form, tally.unit, tally.stored, tally.header = "word2vec binary", "vector", "float32", True
    buffer, declared = b"", -1
    for block in blocks(file):
        buffer += block
        if declared < 0:
            declared, buffer = _begin(file, buffer, tally, dimension)
        chunk, at = _chunk(file, buffer, declared - tally.lines, tally)
        buffer = buffer[at:]
        yield chunk
        if tally.lines == declared and len(buffer) > 1:
            break
    if declared < 0:
        raise no_header(file)
    if tally.lines < declared:
        raise DataError(
            f"{file}: {tally.lines} vectors where its header says {declared}; it is cut off, get a whole copy"
        )
    if buffer not in (b"", b"\n"):
        raise DataError(
            f"{file}: more bytes after the {declared} vectors that its header says; get a whole copy"
        )


def no_header(file: File) -> DataError:
    return DataError(
        f"{file}: does not begin with a line of two numbers, as word2vec's binary files do; "
        "give word vectors as text, or get a whole copy"
    )


def _begin(file: File, buffer: bytes, tally: Tally, stated: int | None) -> tuple[int, bytes]:
    """How many vectors the header declares, and what comes after it."""
    header = header_of(buffer)
    if header is None:
        raise no_header(file)
    declared, tally.dimension = int(header[1]), int(header[2])
    if stated is not None and stated != tally.dimension:
        raise DataError(
            f"{file}: vectors of {tally.dimension} dimensions, but {stated} stated; correct the dimension"
        )
    if not 0 < tally.dimension <= MOST_NUMBERS:
        raise DataError(
            f"{file}: vectors of {tally.dimension} numbers by its header; at most {MOST_NUMBERS} are read, "
            "so get a whole copy"
        )
    return declared, buffer[header.end() :]


def _chunk(file: File, buffer: bytes, left: int, tally: Tally) -> tuple[Chunk, int]:
    """The whole vectors in the buffer, at most `left`, and where they end."""
    size, at = tally.dimension * _FLOAT.itemsize, 0
    words: list[bytes] = []
    parts: list[bytes] = []
    while len(words) < left:
        # the line feed belongs to the vector before
        start = at + buffer.startswith(b"\n", at)
        space = buffer.find(b" ", start, start + _LONGEST_WORD)
        if space < 0 and len(buffer) - start >= _LONGEST_WORD:
            at_vector = tally.lines + len(words) + 1
            raise DataError(
                f"{file}: no word before vector {at_vector}, which its header announces; get a whole copy"
            )
        if space < 0 or space + 1 + size > len(buffer):
            break
        words.append(buffer[start:space])
        at = space + 1 + size
        parts.append(buffer[space + 1 : at])
    rows = np.frombuffer(b"".join(parts), dtype=_FLOAT).reshape(len(words), tally.dimension)
    return keep_finite(words, rows.astype(np.float32), tally), at


def keep_finite(words: list[bytes], rows: NDArray[np.float32], tally: Tally) -> Chunk:
    """The chunk without rows that have no word or a number that is not finite, which the tally counts."""
    numbers = list(range(tally.lines + 1, tally.lines + 1 + len(words)))
    tally.lines += len(words)
    good = np.isfinite(rows).all(axis=1)
    good &= np.fromiter(map(bool, words), dtype=np.bool_, count=len(words))
    if not good.all():
        for at in np.flatnonzero(~good).tolist():
            odd = rows[at][~np.isfinite(rows[at])]
            tally.count_bad(
                numbers[at], f"{shown(float(odd[0]))} is no finite number" if len(odd) else "no word"
            )
        kept = np.flatnonzero(good).tolist()
        words, numbers, rows = [words[at] for at in kept], [numbers[at] for at in kept], rows[good]
    tally.count_words(words, numbers)
    return Chunk(words, rows)
