"""Texts to numbers in one pass: words and labels by first appearance, without a Python step per token."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from reimpl.data.dataset import BoolArray, IntArray, offsets_of, ragged
from reimpl.data.source import ContentHash, Document
from reimpl.data.tokenise import Tokeniser

DROPPED = -1


class Interner(dict[str, int]):
    """Gives every word the next number when it first appears; `numbers[raw]` never fails.

    `normalise` is called once for each distinct raw word; raw words that it turns into one word share a
    number, those that it drops (None) have the number `DROPPED`. Being a dict, known words cost one look-up.
    """

    def __init__(self, normalise: Callable[[str], str | None] = lambda raw: raw) -> None:
        super().__init__()
        self._normalise = normalise
        self._numbers: dict[str, int] = {}

    def __missing__(self, raw: str) -> int:
        word = self._normalise(raw)
        number = DROPPED if word is None else self._numbers.setdefault(word, len(self._numbers))
        self[raw] = number
        return number

    @property
    def words(self) -> tuple[str, ...]:
        """The words by number."""
        return tuple(self._numbers)


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

    def select(self, keep: BoolArray) -> Ragged:
        """Only the rows at which the boolean `keep` (N,) is true."""
        return Ragged(self.values[np.repeat(keep, self.lengths)], offsets_of(self.lengths[keep]))

    def first(self, length: int) -> Ragged:
        """Each row cut to its first `length` values."""
        place = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.lengths)
        return Ragged(self.values[place < length], offsets_of(np.minimum(self.lengths, length)))

    def filled(self, value: int) -> Ragged:
        """Each empty row made one `value`."""
        empty = self.lengths == 0
        values = np.insert(self.values, self.offsets[:-1][empty], value)
        return Ragged(values.astype(np.int32), offsets_of(np.maximum(self.lengths, 1)))


@dataclass(frozen=True, eq=False)
class Encoded:
    """One split as numbers of the two interners that read it."""

    tokens: Ragged
    labels: Ragged
    """As written: unsorted, duplicates included."""
    words: IntArray
    """int64 (N,): words of each document before any cut."""
    content: ContentHash


def encode(
    documents: Iterable[Document], tokeniser: Tokeniser, words: Interner, labels: Interner, *, cut: int | None
) -> Encoded:
    """Numbers of all words and labels; `words` and `labels` grow.

    `cut` keeps the first so many raw tokens of a document, for a rule that counts words after truncation.
    """
    tokens, label_numbers, lengths = [], [], []
    content = ContentHash()
    for document in documents:
        raw = tokeniser.split(document.text)
        lengths.append(len(raw))
        kept = raw[:cut]
        tokens.append(np.fromiter(map(words.__getitem__, kept), np.int32, len(kept)))
        label_numbers.append([labels[name] for name in document.labels])
        content.add(document)
    numbered = Ragged(*ragged(tokens))
    kept_tokens = numbered.where(numbered.values != DROPPED)
    return Encoded(
        tokens=kept_tokens,
        labels=Ragged(*ragged(label_numbers)),
        words=np.array(lengths, dtype=np.int64) - (numbered.lengths - kept_tokens.lengths),
        content=content,
    )
