"""Numbered chunks brought together: words and labels by first appearance in the corpus, split by split.

Every process numbers words for itself. Here its numbers are turned into those of the corpus by one indexing a
chunk; since chunks come in order, a word gets the number of its first appearance in the corpus, however many
processes there were. Tokens go to a spool, so what stays in memory are words, labels and a few numbers a
document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reimpl.data.chunks import Chunk, chunks_of
from reimpl.data.dataset import BoolArray, IntArray, offsets_of
from reimpl.data.numbering import Counts, New, Numbered, Task
from reimpl.data.parallel import Numberer
from reimpl.data.source import ContentHash, Source
from reimpl.data.spool import Spool

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Ragged:
    """N rows of numbers: row i is `values[offsets[i]:offsets[i+1]]`; values int32, offsets int64 (N+1,)."""

    values: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """int64 (N,)."""
        lengths: IntArray = np.diff(self.offsets)
        return lengths

    @property
    def rows(self) -> IntArray:
        """int64 (n,): the row of each value."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def where(self, keep: BoolArray) -> Ragged:
        """Only the values at which the boolean `keep` (n,) is true; a row may become empty."""
        before = np.concatenate(([0], np.cumsum(keep)))
        return Ragged(self.values[keep], before[self.offsets])

    def filled(self, value: int) -> Ragged:
        """Each empty row made one `value`."""
        empty = self.lengths == 0
        if not empty.any():
            return self
        values = np.insert(self.values, self.offsets[:-1][empty], value)
        return Ragged(values.astype(np.int32), offsets_of(np.maximum(self.lengths, 1)))


@dataclass(eq=False)
class Tally:
    """Numbers for each word of the corpus; they grow as words are met."""

    start: int
    values: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def upto(self, size: int) -> IntArray:
        """int64 (size or more,)."""
        if size > len(self.values):
            added = np.full(max(size, 2 * len(self.values)) - len(self.values), self.start, dtype=np.int64)
            self.values = np.concatenate([self.values, added])
        return self.values


@dataclass(eq=False)
class SplitNumbers:
    """One split as numbers of the corpus."""

    tokens: Spool
    """int32: the kept words of all documents, one after another."""
    counted: tuple[Spool, Spool] | None
    """int32 each: the distinct words of whole documents and how often they stand there."""
    content: ContentHash = field(default_factory=ContentHash)
    unlabelled: int = 0
    _kept: list[IntArray] = field(default_factory=list)
    _words: list[IntArray] = field(default_factory=list)
    _distinct: list[IntArray] = field(default_factory=list)
    _labels: list[IntArray] = field(default_factory=list)
    _label_lengths: list[IntArray] = field(default_factory=list)

    @property
    def size(self) -> int:
        """N"""
        return sum(map(len, self._kept))

    @property
    def kept(self) -> IntArray:
        """int32 (N,): kept words of each document."""
        return _joined(self._kept)

    @property
    def words(self) -> IntArray:
        """int32 (N,): words of each document before any cut."""
        return _joined(self._words)

    @property
    def distinct(self) -> IntArray:
        """int32 (N,): distinct words of each whole document."""
        return _joined(self._distinct)

    @property
    def labels(self) -> Ragged:
        """As written: unsorted, duplicates included."""
        return Ragged(_joined(self._labels), offsets_of(_joined(self._label_lengths)))

    def add(self, result: Numbered, tokens: IntArray, labels: IntArray, counts: Counts | None) -> None:
        """The documents of the next chunk, in the numbers of the corpus."""
        self.tokens.append(tokens)
        self.unlabelled += result.unlabelled
        self._kept.append(result.kept)
        self._words.append(result.words)
        self._labels.append(labels)
        self._label_lengths.append(result.label_lengths)
        if counts is not None and self.counted is not None:
            self._distinct.append(counts.lengths)
            for spool, values in zip(self.counted, (counts.words, counts.times), strict=True):
                spool.append(values)


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.empty(0, dtype=np.int32), *parts])


@dataclass(eq=False)
class Numbers:
    """A corpus as numbers. `close` it, also after an error."""

    folder: Path | None
    """Where large spools go; None is the usual place for such files."""
    words: dict[str, int] = field(default_factory=dict)
    """Word -> number, in the order of first appearance."""
    labels: dict[str, int] = field(default_factory=dict)
    splits: dict[str, SplitNumbers] = field(default_factory=dict)
    documents_with: Tally = field(default_factory=lambda: Tally(0))
    """In how many training documents (whole ones) each word stands."""
    kept_times: Tally = field(default_factory=lambda: Tally(0))
    """How often each word stands in what is kept of train and test."""
    kept_first: Tally = field(default_factory=lambda: Tally(_NEVER))
    """The first place of each word among the kept words of train and test."""
    _tables: dict[int, tuple[IntArray, IntArray]] = field(default_factory=dict)

    def read(
        self, source: Source, split: str, task: Task, numberer: Numberer, *, features: bool, kept: bool
    ) -> None:
        """Numbers one split; raises `DataError` as the source does.

        `features` keeps what the documents' words are counted to, `kept` fills `kept_times` and `kept_first`.
        """
        tokens, *counted = (Spool(np.int32, self.folder) for _ in range(3))
        part = self.splits[split] = SplitNumbers(tokens, (counted[0], counted[1]) if features else None)
        for who, chunk, result in numberer.numbered(chunks_of(source, split), task):
            self._add(split, part, chunk, result, self._table(who, result), kept)

    def _table(self, who: int, result: Numbered) -> tuple[IntArray, IntArray]:
        """The numbers of the corpus for those of the process."""
        none = np.empty(0, dtype=np.int32)
        words, labels = self._tables.get(who, (none, none))
        table = (
            _extended(words, result.new_words, self.words),
            _extended(labels, result.new_labels, self.labels),
        )
        self._tables[who] = table
        return table

    def _add(
        self,
        split: str,
        part: SplitNumbers,
        chunk: Chunk,
        result: Numbered,
        table: tuple[IntArray, IntArray],
        kept: bool,
    ) -> None:
        words, labels = table
        content = chunk.packed if result.content is None else result.content
        part.content.extend(content or b"", result.read, result.total)
        tokens, counts = words[result.tokens], result.counts
        if counts is not None:
            counts = counts._replace(words=words[counts.words])
            if split == "train":
                # a word stands once in a row, so these are documents
                np.add.at(self.documents_with.upto(len(self.words)), counts.words, 1)
        if kept and split in ("train", "test"):
            self._note_kept(tokens)
        part.add(result, tokens, labels[result.labels], counts)

    def _note_kept(self, tokens: IntArray) -> None:
        before = sum(part.tokens.size for part in self.splits.values())
        np.add.at(self.kept_times.upto(len(self.words)), tokens, 1)
        first = self.kept_first.upto(len(self.words))
        new = np.flatnonzero(first[tokens] == _NEVER)[::-1]
        # written back to front, so that the earliest place of a word is the one that stays
        first[tokens[new]] = before + new

    def close(self) -> None:
        """Gives back memory and disk."""
        for part in self.splits.values():
            for spool in (part.tokens, *(part.counted or ())):
                spool.close()


def _extended(table: IntArray, new: New, known: dict[str, int]) -> IntArray:
    if not new.names and new.first == len(table):
        return table
    numbers = [known.setdefault(name, len(known)) for name in new.names]
    return np.concatenate([table[: new.first], np.array(numbers, dtype=np.int32)])
