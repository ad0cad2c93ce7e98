"""From a chunk of documents to numbers, in whichever process: words, labels, frequencies, identity.

This module is what a worker process imports, so it knows neither scipy nor torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from reimpl.data.chunks import Chunk, total_of
from reimpl.data.pieces import Ints, Pieces
from reimpl.data.tokenise import Tokeniser

#: An odd number with bits all over (the golden ratio's), to spread slots.
_MIX = 0x9E3779B97F4A7C15

#: Distinct pieces that a process keeps; beyond, it forgets them and starts again, so that memory is bounded.
MOST_PIECES = 1_000_000


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
    """How often each word stands in each document: N rows, one after another, words in any order."""

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


class _Numbers(dict[str, int]):
    """Gives every name the next number when it first appears."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class _Names:
    """Distinct words, or labels, of this process by number."""

    def __init__(self) -> None:
        self.numbers = _Numbers()
        self._sent = 0

    def new(self) -> New:
        """Those since the last call."""
        first, self._sent = self._sent, len(self.numbers)
        # a dict has no slices, but gives its last keys first when read backwards
        last = islice(reversed(self.numbers), self._sent - first)
        return New(first, list(last)[::-1])

    def codes(self, names: Sequence[str]) -> Ints:
        """int32: the numbers of these names."""
        return np.fromiter(map(self.numbers.__getitem__, names), np.int32, len(names))


class Numbering:
    """Numbers chunks, one after another; a word has the number of its first appearance in this process."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser
        self._forget()

    def _forget(self) -> None:
        self._words, self._labels = _Names(), _Names()
        self._pieces = Pieces(self._tokeniser.words, self._words.numbers)

    def number(self, chunk: Chunk, task: Task) -> Numbered:
        """The chunk as numbers; raises `DataError` as the chunk does."""
        labels, label_counts, texts, lines = chunk.rows()
        content = b"".join(lines)
        counted = np.array(label_counts, dtype=np.int32)
        unlabelled, read = int((counted == 0).sum()), len(texts)
        if task.drop_unlabelled and unlabelled:
            texts = [text for text, count in zip(texts, label_counts, strict=True) if count]
            counted = counted[counted > 0]
        if len(self._pieces) > MOST_PIECES:
            self._forget()
        tokens, ends = self._tokens(texts)
        lengths = np.diff(ends, prepend=0)
        numbers = self._labels.codes(labels)
        place = np.arange(len(tokens)) - np.repeat(ends - lengths, lengths)
        return Numbered(
            new_words=self._words.new(),
            new_labels=self._labels.new(),
            tokens=tokens[place < task.length],
            kept=np.minimum(lengths, task.length).astype(np.int32),
            words=lengths.astype(np.int32),
            labels=numbers,
            label_lengths=counted,
            unlabelled=unlabelled,
            counts=_counts(tokens, lengths) if task.counts else None,
            content=None if content == chunk.packed else content,
            read=read,
            total=total_of(lines),
        )

    def _tokens(self, texts: Sequence[bytes]) -> tuple[Ints, Ints]:
        """Words of all texts int32, and int64 (N,) where each text ends among them."""
        tokens, ends = self._pieces.numbered(self._tokeniser.flat(texts))
        if self._tokeniser.empty is not None:
            bare = np.flatnonzero(np.diff(ends, prepend=0) == 0)
            numbers = self._words.numbers
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
    """Every (document, word) is written to a slot; there one reads a place of it, or of another pair.

    Those that lost their slot try again with another spread, all equal pairs together. Sorting would take
    five times as long.
    """
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    keys = rows << 32 | tokens
    place = np.empty(len(keys), dtype=np.int64)
    open_ = np.arange(len(keys))
    bits = max(len(keys) * 2, 2).bit_length()
    slots = np.empty(1 << bits, dtype=np.int64)
    mix = _MIX
    while len(open_):
        at = (keys[open_].view(np.uint64) * np.uint64(mix) >> np.uint64(64 - bits)).astype(np.int64)
        slots[at] = open_
        winners = slots[at]
        same = keys[winners] == keys[open_]
        place[open_[same]] = winners[same]
        open_ = open_[~same]
        mix = mix * _MIX % (1 << 64)  # odd again
    chosen = np.flatnonzero(place == np.arange(len(keys)))
    return Counts(
        words=tokens[chosen],
        times=np.bincount(place, minlength=len(keys))[chosen].astype(np.int32),
        lengths=np.bincount(rows[chosen], minlength=len(lengths)).astype(np.int32),
    )
