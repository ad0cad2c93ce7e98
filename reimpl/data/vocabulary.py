"""Which words get a row, and in which order: the rules of the public programs.

All work on numbered words (`reimpl.data.numbering`) and their frequencies, and give a table from word number
to token id, so that a whole corpus is turned into ids by one indexing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reimpl.data.dataset import BoolArray, IntArray

STUDY_PAD, STUDY_UNK = "**PAD**", "<unk>"
LIU_PAD, LIU_UNK = "<PAD/>", "<UNK/>"
ATTENTIONXML_PAD, ATTENTIONXML_UNK = "<PAD>", "<UNK>"

NO_ROW = -1


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words by token id, and the way from word numbers to token ids."""

    words: tuple[str, ...]  # (V,)
    ids: IntArray  # int32 (W,): token id of each numbered word; `unknown_id` for those without a row
    padding_id: int
    unknown_id: int

    @property
    def special(self) -> tuple[int, int]:
        """Token ids of the padding and the unknown word."""
        return self.padding_id, self.unknown_id


def study_vocabulary(words: Sequence[str], frequency: IntArray, *, min_frequency: int = 1) -> Vocabulary:
    """Words of the training documents by falling document frequency, ties in alphabetical order.

    Token 0 pads and 1 is unknown. Counted before truncation, in how many documents a word stands, not how
    often (sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py, and torchtext 0.9 `Vocab`).
    `words` are the numbered words, `frequency` (W,) in how many training documents each stands.
    """
    return _listed((STUDY_PAD, STUDY_UNK), words, _by_frequency(words, frequency, min_frequency))


def _by_frequency(words: Sequence[str], frequency: IntArray, min_frequency: int = 1) -> IntArray:
    """Numbers of the words that stand in so many documents: most frequent first, ties by the alphabet."""
    seen = np.flatnonzero(frequency >= max(min_frequency, 1))
    alphabetical = np.array(sorted(seen.tolist(), key=words.__getitem__), dtype=np.int64)
    order: IntArray = alphabetical[np.argsort(-frequency[alphabetical], kind="stable")]
    return order


def _listed(special: tuple[str, str], words: Sequence[str], order: IntArray) -> Vocabulary:
    ids = np.full(len(words), 1, dtype=np.int32)
    ids[order] = np.arange(2, 2 + len(order))
    listed = (*special, *(words[number] for number in order.tolist()))
    return Vocabulary(listed, ids, padding_id=0, unknown_id=1)


def attentionxml_vocabulary(
    words: Sequence[str], frequency: IntArray, has_vector: Callable[[Sequence[str]], BoolArray], *, size: int
) -> Vocabulary:
    """The `size` - 2 words of most training documents, behind the padding (0) and the unknown word (1).

    Ties go to words with a vector (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39; the same in
    XunGuangxu/CorNet at ecc0996), and then by the alphabet, where that code has the order of a hash table,
    another one in each run. As there, a size of 2 or less is no limit. `has_vector` is asked for the words
    that may be in.
    """
    order = _by_frequency(words, frequency)
    room = size - 2 if size > 2 else len(order)
    if len(order) > room:
        order = order[frequency[order] >= frequency[order[room - 1]]]
    favoured = has_vector([words[number] for number in order.tolist()])
    order = order[np.lexsort((~favoured, -frequency[order]))][:room]
    return _listed((ATTENTIONXML_PAD, ATTENTIONXML_UNK), words, order)


def full_vocabulary(words: Sequence[str]) -> Vocabulary:
    """All words in the order in which they came, behind the padding (0) and the unknown word (1)."""
    return _listed((STUDY_PAD, STUDY_UNK), words, np.arange(len(words)))


def bow_vocabulary(words: Sequence[str], frequency: IntArray) -> Vocabulary:
    """The words of the training documents in alphabetical order, as scikit-learn's vectorisers number them.

    No word pads and none is unknown: words that training does not know have `NO_ROW`.
    """
    order = sorted(np.flatnonzero(frequency).tolist(), key=words.__getitem__)
    ids = np.full(len(words), NO_ROW, dtype=np.int32)
    ids[order] = np.arange(len(order))
    return Vocabulary(tuple(words[number] for number in order), ids, padding_id=NO_ROW, unknown_id=NO_ROW)


def liu_vocabulary(
    words: Sequence[str], times: IntArray, first: IntArray, lengths: Sequence[IntArray], *, size: int = 30_000
) -> Vocabulary:
    """The `size` most frequent words of train and test after cutting *and padding*, then the unknown word.

    `times` and `first` (W,) say how often each word stands in the cut documents of train and test, and at
    which place among all their words first; `lengths` are those of the cut documents, a split each. Each
    split is padded to its own longest document, and the padding word is counted, ranked and may even be cut
    off like any other. Ties: first seen (the public code leaves them to the order of a Python 2 dictionary).
    jimmy646/XML-CNN at 72de8b3, code/data_helpers.py 33-52 and 92-104.
    """
    pad, padding, before = len(words), 0, 0
    first_padding = float("inf")  # place before which the first padding word stands among all tokens
    for split in lengths:
        longest, total = int(split.max(initial=0)), int(split.sum(dtype=np.int64))
        short = np.flatnonzero(split < longest)
        if len(short) and first_padding == float("inf"):
            first_padding = before + float(split[: short[0] + 1].sum(dtype=np.int64)) - 0.5
        padding += longest * len(split) - total
        before += total
    counts = np.append(times, padding)
    places = np.append(first.astype(np.float64), first_padding)
    order = np.lexsort((places, -counts))
    order = order[counts[order] > 0][:size]
    unknown_id = len(order)
    ids = np.full(len(words) + 1, unknown_id, dtype=np.int32)
    ids[order] = np.arange(len(order))
    named = [*words, LIU_PAD]
    listed = (*(named[number] for number in order.tolist()), LIU_UNK)
    return Vocabulary(listed, ids[:pad], padding_id=int(ids[pad]), unknown_id=unknown_id)
