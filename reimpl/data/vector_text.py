"""Word vectors as text: a word, then E numbers, parted by spaces or tabs (GloVe, word2vec, fastText).

Some words of GloVe 840B hold spaces (". . .", "to name@domain.com"), so the LAST E fields are the numbers and
all before them is the word. A first line of two whole numbers (word2vec, fastText) is a header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from reimpl.data.decimals import finite_rows, number, word_rows
from reimpl.data.formats.inputs import File, line_blocks, shown
from reimpl.data.vector_reading import MOST_NUMBERS, Chunk, Tally
from reimpl.errors import DataError

_LOOK_AHEAD = 30
"""Lines that tell the dimension."""
_BLOCK = 1 << 18
"""Bytes that are read at once; with a megabyte it takes twice as long."""
_START = 1 << 16
"""Bytes that tell how fields and lines are parted."""
_LARGEST = float(np.finfo(np.float32).max)


def text_chunks(file: File, tally: Tally, *, dimension: int | None = None) -> Iterator[Chunk]:
    """The vectors in the order of the file, those of bad lines left out and counted.

    Raises `DataError` for a file that is damaged, cut off or has no vectors, for another dimension than
    stated, and for more or fewer lines than its header says.
    """
    declared, untidy = None, False
    for n, (first, block) in enumerate(_blocks(file)):
        if n == 0:
            declared, first, block = _begin(file, first, block, tally, dimension)
            untidy = _tidy(start := block[:_START]) != start
        yield _chunk(file, first, block, tally, untidy)
    if not tally.dimension:
        raise no_vectors(file)
    if declared is not None and tally.lines != declared:
        what = "it is cut off, get a whole copy" if tally.lines < declared else "correct its first line"
        raise DataError(f"{file}: {tally.lines} lines where its header says {declared}; {what}")


def _blocks(file: File) -> Iterator[tuple[int, bytes]]:
    """Whole lines and the number of the first; damage is told with the line after which it is."""
    first, block = 1, b""
    try:
        for first, block in line_blocks(file, _BLOCK):
            yield first, block
    except DataError as err:
        where, what = f"{file}: ", str(err)
        after = first - 1 + block.count(b"\n")
        if not after or not what.startswith(where):
            raise
        raise DataError(f"{file}:{after}: somewhere after this line, {what.removeprefix(where)}") from err


def _begin(
    file: File, first: int, block: bytes, tally: Tally, stated: int | None
) -> tuple[int | None, int, bytes]:
    """Notes header and dimension; gives the lines that the header declares, and the block without it."""
    lines = block.split(b"\n", _LOOK_AHEAD + 1)[: _LOOK_AHEAD + 1]
    header = header_of(lines)
    if header is not None:
        block, first, lines = block.partition(b"\n")[2], first + 1, lines[1:]
        tally.header = True
    tally.dimension = _dimension(file, lines, header, stated)
    return header[0] if header else None, first, block


def header_of(lines: list[bytes]) -> tuple[int, int] | None:
    """(lines, dimension) of a header; a file of one-dimensional vectors is taken to have none."""
    fields = lines[0].split() if lines else []
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    if len(lines) > 1 and len(lines[1].split()) == 2:
        return None
    return int(fields[0]), int(fields[1])


def _dimension(file: File, lines: list[bytes], header: tuple[int, int] | None, stated: int | None) -> int:
    """How many numbers most of the first lines end in, checked against the header and what was stated."""
    seen = Counter(n for line in lines if (n := trailing_numbers(line)) > 0)
    if not seen:
        raise no_vectors(file)
    [(dimension, _)] = seen.most_common(1)
    for what, said in (("stated", stated), ("in its header", header[1] if header else None)):
        if said is not None and said != dimension:
            raise DataError(
                f"{file}: vectors of {dimension} dimensions, but {said} {what}; correct the dimension"
            )
    if dimension > MOST_NUMBERS:
        raise DataError(f"{file}: {dimension} numbers in a line; give at most {MOST_NUMBERS}")
    return dimension


def no_vectors(file: File) -> DataError:
    return DataError(f"{file}: no line with a word and numbers; give a text file of word vectors")


def trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is always the word."""
    fields = line.split()[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not _finite(field)), len(fields))


def _tidy(block: bytes) -> bytes:
    """One kind of separator, and none before the end of a line, where fastText has a space."""
    return block.replace(b"\t", b" ").replace(b"\r\n", b"\n").replace(b" \n", b"\n")


def _chunk(file: File, first: int, block: bytes, tally: Tally, untidy: bool) -> Chunk:
    """The good lines of a block; `untidy` says that it is worth the time to tidy it first."""
    if b"\0" in block:
        line = first + block[: block.index(b"\0")].count(b"\n")
        raise DataError(f"{file}:{line}: a NUL byte; the file is binary or UTF-16, convert it to UTF-8")
    if not block.endswith(b"\n"):
        tally.open_end, block = True, block + b"\n"
    block = _tidy(block) if untidy else block
    rows = word_rows(block, tally.dimension)
    if rows is None:
        return _uneven(file, first, _tidy(block), tally)
    values, good = finite_rows(rows.numbers)
    if not (untidy or good.all()):
        return _chunk(file, first, block, tally, True)
    numbers = list(range(first, first + len(good)))
    good &= np.fromiter(map(bool, rows.words), dtype=np.bool_, count=len(good))
    tally.lines += len(good)
    words = rows.words
    if not good.all():
        lines = block.split(b"\n")
        _count_bad(file, [(numbers[at], lines[at]) for at in np.flatnonzero(~good)], first, block, tally)
        kept = np.flatnonzero(good).tolist()
        values, words, numbers = values[good], [words[at] for at in kept], [numbers[at] for at in kept]
    tally.count_words(words, numbers)
    return Chunk(words, values)


def _uneven(file: File, first: int, block: bytes, tally: Tally) -> Chunk:
    """As `_chunk`, of lines with more or fewer spaces: blank ones, bad ones, spaces in a word."""
    words, numbers, even, bad = [], [], [], []
    for line_number, line in enumerate(block[:-1].split(b"\n"), start=first):
        if not line.strip():
            continue
        tally.lines += 1
        parts = split_line(line, tally.dimension)
        if parts is None:
            bad.append((line_number, line))
            continue
        words.append(parts[0])
        numbers.append(line_number)
        even.append(b"w " + b" ".join(parts[1]) + b"\n")
    rows = word_rows(b"".join(even), tally.dimension)
    assert rows is not None
    values, good = finite_rows(rows.numbers)
    bad += [(numbers[at], even[at]) for at in np.flatnonzero(~good).tolist()]
    _count_bad(file, sorted(bad), first, block, tally)
    kept = np.flatnonzero(good).tolist()
    words, numbers = [words[at] for at in kept], [numbers[at] for at in kept]
    tally.count_words(words, numbers)
    return Chunk(words, values[good])


def _count_bad(file: File, bad: Iterable[tuple[int, bytes]], first: int, block: bytes, tally: Tally) -> None:
    """Raises `DataError` when the last line, which has no end, is among them."""
    for line_number, line in bad:
        if tally.open_end and line_number == first + block.count(b"\n") - 1:
            raise DataError(f"{file}:{line_number}: the file is cut off in this line; get a whole copy")
        tally.count_bad(line_number, complaint_of(line, tally.dimension))


def split_line(line: bytes, dimension: int) -> tuple[bytes, list[bytes]] | None:
    """The word and its `dimension` last fields; None when there are fewer, or more that are numbers."""
    rest, fields = line.replace(b"\t", b" ").rstrip(b" "), []
    parts = rest.rsplit(b" ", dimension)
    if len(parts) == dimension + 1 and all(parts):
        rest, fields = parts[0], parts[1:]
    else:  # more than one space between two fields
        while len(fields) < dimension and rest:
            rest, _, field = rest.rpartition(b" ")
            fields.append(field)
            rest = rest.rstrip(b" ")
        fields.reverse()
    word = rest.strip(b" ")
    if not word or len(fields) < dimension or (b" " in word and _finite(word.rpartition(b" ")[2])):
        return None
    return word, fields


def complaint_of(line: bytes, dimension: int) -> str:
    """What is bad about a line."""
    fields = line.split()
    if len(fields) <= dimension:
        return f"{max(len(fields) - 1, 0)} numbers after a word, not {dimension}"
    for field in fields[-dimension:]:
        if not _finite(field):
            return f"{shown(field.decode('utf-8', 'replace'))} is no finite number"
    return f"{trailing_numbers(line)} numbers, not {dimension}"


def _finite(field: bytes) -> bool:
    # beyond float32 a number would silently become infinite
    return abs(number(field)) <= _LARGEST
