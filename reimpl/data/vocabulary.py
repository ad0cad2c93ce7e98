"""Which words get a row, and in which order: the study's rule and Liu's rule.

Both work on numbered words (`reimpl.data.encode`) and give a table from word number to token id, so that a
whole corpus is turned into ids by one indexing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from reimpl.data.dataset import IntArray
from reimpl.data.encode import Ragged

STUDY_PAD, STUDY_UNK = "**PAD**", "<unk>"
LIU_PAD, LIU_UNK = "<PAD/>", "<UNK/>"


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words by token id, and the way from word numbers to token ids."""

    words: tuple[str, ...]
    """(V,)"""
    ids: IntArray
    """int32 (W,): token id of each numbered word; `unknown_id` for those without a row."""
    padding_id: int
    unknown_id: int

    def encode(self, tokens: Ragged) -> Ragged:
        """Word numbers to token ids."""
        return Ragged(self.ids[tokens.values], tokens.offsets)


def study_vocabulary(words: Sequence[str], train: Ragged, *, min_frequency: int = 1) -> Vocabulary:
    """Words of the training documents by falling document frequency, ties in alphabetical order.

    Token 0 pads and 1 is unknown. Counted before truncation, in how many documents a word stands, not how
    often (sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py, and torchtext 0.9 `Vocab`).
    `words` are the numbered words, `train` the training documents in these numbers.
    """
    frequency = document_frequency(train, len(words))
    seen = np.flatnonzero(frequency >= max(min_frequency, 1))
    order = sorted(seen.tolist(), key=lambda number: (-frequency[number], words[number]))
    ids = np.full(len(words), 1, dtype=np.int32)
    ids[order] = np.arange(2, 2 + len(order))
    listed = (STUDY_PAD, STUDY_UNK, *(words[number] for number in order))
    return Vocabulary(listed, ids, padding_id=0, unknown_id=1)


def document_frequency(documents: Ragged, n_words: int) -> IntArray:
    """int64 (W,): in how many documents each word stands; linear in the number of tokens, no sort."""
    if not len(documents.values):
        return np.zeros(n_words, dtype=np.int64)
    ones = np.ones(len(documents.values), dtype=np.int8)
    shape = (len(documents.offsets) - 1, n_words)
    columns = sparse.csr_matrix((ones, documents.values, documents.offsets), shape=shape).tocsc()
    # within a word's column the documents rise, so a repetition equals its neighbour
    new = np.append(True, np.diff(columns.indices) != 0)
    starts = columns.indptr[:-1]
    new[starts[starts < len(new)]] = True
    before = np.append(0, np.cumsum(new))
    frequency: IntArray = np.diff(before[columns.indptr])
    return frequency


def liu_vocabulary(words: Sequence[str], splits: Sequence[Ragged], *, size: int = 30_000) -> Vocabulary:
    """The `size` most frequent words of train and test after cutting *and padding*, then the unknown word.

    `splits` are the documents of train and test, cut to the length. Each split is padded to its own longest
    document, and the padding word is counted, ranked and may even be cut off like any other. Ties: first seen
    (the public code leaves them to the order of a Python 2 dictionary). jimmy646/XML-CNN at 72de8b3,
    code/data_helpers.py 33-52 and 92-104.
    """
    tokens = np.concatenate([split.values for split in splits])
    pad = len(words)
    counts = np.append(np.bincount(tokens, minlength=len(words)), sum(_padding(split) for split in splits))
    first = np.full(len(words) + 1, np.inf)
    # written back to front, so that the earliest place of a word is the one that stays
    first[tokens[::-1]] = np.arange(len(tokens))[::-1]
    first[pad] = _first_padding(splits)
    order = np.lexsort((first, -counts))
    order = order[counts[order] > 0][:size]
    unknown_id = len(order)
    ids = np.full(len(words) + 1, unknown_id, dtype=np.int32)
    ids[order] = np.arange(len(order))
    named = [*words, LIU_PAD]
    listed = (*(named[number] for number in order), LIU_UNK)
    return Vocabulary(listed, ids[:pad], padding_id=int(ids[pad]), unknown_id=unknown_id)


def _padding(split: Ragged) -> int:
    """How many padding words fill the split up to its longest document."""
    lengths = split.lengths
    return int(lengths.max(initial=0)) * len(lengths) - len(split.values)


def _first_padding(splits: Sequence[Ragged]) -> float:
    """Place before which the first padding word stands among all tokens; infinity when there is none."""
    before = 0
    for split in splits:
        short = np.flatnonzero(split.lengths < split.lengths.max(initial=0))
        if len(short):
            return before + float(split.offsets[short[0] + 1]) - 0.5
        before += len(split.values)
    return float("inf")
