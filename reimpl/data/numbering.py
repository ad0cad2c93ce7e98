"""From a chunk of documents to numbers, in whichever process: words, labels, frequencies, identity.

This module is what a worker process imports, so it knows neither scipy nor torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reimpl.data.chunks import Chunk, total_of
from reimpl.data.tokenise import END, Tokeniser

#: Codes of pieces that are no word: dropped, the end of a document, and from here down several words.
DROPPED, ENDED, SEVERAL = -1, -2, -3

#: Distinct pieces that a process keeps; beyond, it forgets them and starts again, so that memory is bounded.
MOST_PIECES = 2_000_000

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Task:
    """What is wanted of the documents of a split."""

    length: int
    """Words of a document that are kept."""
    drop_unlabelled: bool = False
    counts: bool = False
    """Whether to count the words of whole documents."""


class New(NamedTuple):
    """Names that got the next numbers of the process with this chunk."""

    first: int
    """The number of the first; 0 also where the process has forgotten all before."""
    names: Sequence[str]


class Counts(NamedTuple):
    """How often each word stands in each document: N rows, one after another, words rising within a row."""

    words: Ints
    """int32"""
    times: Ints
    """int32, 1 or more"""
    lengths: Ints
    """int32 (N,): distinct words of each document"""


@dataclass(frozen=True, eq=False)
class Numbered:
    """N documents as numbers of the process that made them."""

    new_words: New
    new_labels: New
    tokens: Ints
    """int32: the words that are kept of all documents, one after another."""
    kept: Ints
    """int32 (N,): how many of each document."""
    words: Ints
    """int32 (N,): words of each document before the cut."""
    labels: Ints
    """int32: as written, unsorted, duplicates included."""
    label_lengths: Ints
    """int32 (N,)"""
    unlabelled: int
    """Documents without labels, dropped or not."""
    counts: Counts | None
    content: bytes | None
    """The lines for `ContentHash`; None when they are the packed bytes of the chunk."""
    read: int
    """Documents of the chunk, the dropped ones included."""
    total: int


@dataclass(eq=False)
class _Words:
    """Distinct words of this process by number."""

    numbers: dict[str, int] = field(default_factory=dict)
    sent: int = 0

    def new(self) -> New:
        """Those since the last call."""
        first, self.sent = self.sent, len(self.numbers)
        # a dict has no slices, but gives its last keys first when read backwards
        last = islice(reversed(self.numbers), self.sent - first)
        return New(first, list(last)[::-1])


class _Pieces(dict[bytes, int]):
    """Gives each distinct piece its code; being a dict, a known piece costs one look-up."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__({END: ENDED})
        self._words_of = tokeniser.words
        self.words = _Words()
        self.several: list[list[int]] = []

    def __missing__(self, piece: bytes) -> int:
        numbers = self.words.numbers
        found = [numbers.setdefault(word, len(numbers)) for word in self._words_of(piece)]
        if len(found) == 1:
            code = found[0]
        elif not found:
            code = DROPPED
        else:
            code = SEVERAL - len(self.several)
            self.several.append(found)
        self[piece] = code
        return code

    def codes(self, flat: bytes) -> Ints:
        """int32: numbers of words, with `ENDED` behind each document."""
        pieces = flat.split()
        codes = np.fromiter(map(self.__getitem__, pieces), np.int32, len(pieces))
        codes = codes[codes != DROPPED]
        several = np.flatnonzero(codes <= SEVERAL)
        return codes if not len(several) else self._expanded(codes, several)

    def _expanded(self, codes: Ints, several: Ints) -> Ints:
        found = [self.several[SEVERAL - code] for code in codes[several].tolist()]
        repeats = np.ones(len(codes), dtype=np.int64)
        repeats[several] = list(map(len, found))
        expanded = np.repeat(codes, repeats)
        expanded[expanded <= SEVERAL] = [number for numbers in found for number in numbers]
        return expanded


class Numbering:
    """Numbers chunks, one after another; a word has the number of its first appearance in this process."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser
        self._pieces = _Pieces(tokeniser)
        self._labels = _Words()

    def number(self, chunk: Chunk, task: Task) -> Numbered:
        """The chunk as numbers; raises `DataError` as the chunk does."""
        labels, texts, lines = chunk.rows()
        content = b"".join(lines)
        unlabelled = sum(not row for row in labels)
        read = len(texts)
        if task.drop_unlabelled and unlabelled:
            texts = [text for text, row in zip(texts, labels, strict=True) if row]
            labels = [row for row in labels if row]
        if len(self._pieces) > MOST_PIECES:
            self._pieces, self._labels = _Pieces(self._tokeniser), _Words()
        tokens, ends = self._tokens(texts)
        lengths = np.diff(ends, prepend=0)
        place = np.arange(len(tokens)) - np.repeat(ends - lengths, lengths)
        names = self._labels.numbers
        numbers = [names.setdefault(name, len(names)) for row in labels for name in row]
        return Numbered(
            new_words=self._pieces.words.new(),
            new_labels=self._labels.new(),
            tokens=tokens[place < task.length],
            kept=np.minimum(lengths, task.length).astype(np.int32),
            words=lengths.astype(np.int32),
            labels=np.array(numbers, dtype=np.int32),
            label_lengths=np.array([len(row) for row in labels], dtype=np.int32),
            unlabelled=unlabelled,
            counts=_counts(tokens, lengths) if task.counts else None,
            content=None if content == chunk.packed else content,
            read=read,
            total=total_of(lines),
        )

    def _tokens(self, texts: Sequence[bytes]) -> tuple[Ints, Ints]:
        """Words of all texts int32, and int64 (N,) where each text ends among them."""
        codes = self._pieces.codes(self._tokeniser.flat(texts))
        at = np.flatnonzero(codes == ENDED)
        ends = at - np.arange(len(at))
        tokens = np.delete(codes, at) if len(at) < 1000 else codes[codes != ENDED]
        if self._tokeniser.empty is not None:
            bare = np.flatnonzero(np.diff(ends, prepend=0) == 0)
            numbers = self._pieces.words.numbers
            tokens = np.insert(
                tokens,
                ends[bare],
                numbers.setdefault(self._tokeniser.empty, len(numbers)) if len(bare) else 0,
            )
            added = np.zeros(len(ends), dtype=np.int64)
            added[bare] = 1
            ends = ends + np.cumsum(added)
        return tokens, ends


def _counts(tokens: Ints, lengths: Ints) -> Counts:
    """Sorting does it: (document, word) as one number each, then runs of equal numbers."""
    keys = np.repeat(np.arange(len(lengths), dtype=np.int64) << 32, lengths) | tokens
    keys.sort()
    new = np.append(True, keys[1:] != keys[:-1]) if len(keys) else np.zeros(0, dtype=np.bool_)
    starts = np.flatnonzero(new)
    keys = keys[starts]
    return Counts(
        words=(keys & 0xFFFFFFFF).astype(np.int32),
        times=np.diff(starts, append=len(tokens)).astype(np.int32),
        lengths=np.bincount(keys >> 32, minlength=len(lengths)).astype(np.int32),
    )
