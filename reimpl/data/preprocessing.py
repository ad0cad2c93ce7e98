"""Preprocessing by name: every choice between a text and the numbers that a model sees, and the vocabularies.
Their rules work on numbered words and frequencies, and give a table from word number to token id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reimpl.data.dataset import BoolArray, IntArray
from reimpl.data.text import ATTENTIONXML, LIU, SKLEARN, STUDY, TOKENISED, Tokeniser
from reimpl.data.vectors import OutOfVocabulary
from reimpl.errors import ConfigError, known_names


@dataclass(frozen=True)
class Preprocessing:
    """How a corpus is prepared. Change single choices with `dataclasses.replace`."""

    name: str
    tokeniser: Tokeniser
    vocabulary: Literal["study", "liu", "attentionxml", "bow", "all"]
    out_of_vocabulary: OutOfVocabulary
    padding_trainable: bool = False
    unlabelled: Literal["drop", "keep"] = "keep"  # TRAINING documents; those of test and dev always stay
    #: A text without any word: one unknown word (LibMultiLabel since 5458b28), or no token at all, which a
    #: fixed length then fills with padding (the study's code).
    empty: Literal["unknown", "nothing"] = "unknown"
    min_frequency: int = 1  # `study` only: documents that a word must stand in
    vocabulary_size: int = 30_000  # `liu`: with the padding; `attentionxml`: with the unknown word, too
    tokens: bool = True  # Whether documents are word ids; False for models of features alone
    tfidf: bool = False  # Whether documents have tf-idf features, a column for each word of the vocabulary

    @property
    def identity(self) -> dict[str, str | int | bool]:
        """Every choice that has an effect, as plain values, for fingerprints."""
        names = ["vocabulary", "out_of_vocabulary", "padding_trainable", "unlabelled", "empty"]
        if self.vocabulary in ("liu", "attentionxml"):
            names.append("vocabulary_size")
        elif self.vocabulary != "all":
            names.append("min_frequency")
        tfidf = {"tfidf": "smooth, l2", "tokens": self.tokens} if self.tfidf else {}
        choices = {name: getattr(self, name) for name in names}
        return {"tokeniser": self.tokeniser.name, **choices, **tfidf}

    def of(self, source: object) -> Preprocessing:
        """The tokeniser; AttentionXML's rule splits texts that are `tokenised` already at blanks only."""
        if self.tokeniser is ATTENTIONXML and getattr(source, "tokenised", False):
            return replace(self, tokeniser=TOKENISED)
        return self


_ATTENTIONXML = Preprocessing(
    "attentionxml", ATTENTIONXML, "attentionxml", "wide_uniform", vocabulary_size=500_000, tfidf=True
)
PREPROCESSINGS = {
    each.name: each
    for each in (
        # Chen et al. 2022, sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py
        Preprocessing("study2022", STUDY, "study", "zero", unlabelled="drop"),
        # Liu et al. 2017, jimmy646/XML-CNN at 72de8b3, code/data_helpers.py and code/w2v.py. Documents are
        # padded to the longest of their own SPLIT (`Split.longest`), so train and test may differ in width.
        Preprocessing("liu2017", LIU, "liu", "uniform", padding_trainable=True),
        # You et al. 2019, yourh/AttentionXML at e2bbbec, preprocess.py and deepxml/data_utils.py. The
        # features are for the label tree, which that code builds from the repository's BOW file.
        _ATTENTIONXML,
        # Xun et al. 2020, XunGuangxu/CorNet at ecc0996: AttentionXML's text and vocabulary, and no label
        # tree, so no features. What else differs is the models' business: BertXML appends its [CLS] ids
        # behind the vocabulary and overwrites the word vectors (deepxml/bertxml.py 404-415).
        replace(_ATTENTIONXML, name="cornet", tfidf=False),
        # Ye et al. 2020, huiyegit/APLC_XLNet at bf6f91d: texts as they are, with their capitals, for a
        # tokeniser that cuts each word between blanks into pieces by itself (`reimpl.aplc_xlnet`). No word
        # is unknown to it, whichever split it stands in.
        Preprocessing("aplc_xlnet", TOKENISED, "all", "uniform"),
        # scikit-learn's TfidfVectorizer as it comes, which LibMultiLabel's linear methods use
        Preprocessing("bow", SKLEARN, "bow", "zero", empty="nothing", tokens=False, tfidf=True),
    )
}


def find_preprocessing(name: str | Preprocessing) -> Preprocessing:
    """The preprocessing (`recipe` in claim files) of that name; raises `ConfigError` with the known ones."""
    if isinstance(name, Preprocessing):
        return name
    if name not in PREPROCESSINGS:
        raise ConfigError(f"recipe {name!r} is unknown; {known_names(name, PREPROCESSINGS)}")
    return PREPROCESSINGS[name]


STUDY_SPECIAL, LIU_SPECIAL = ("**PAD**", "<unk>"), ("<PAD/>", "<UNK/>")
ATTENTIONXML_SPECIAL = ("<PAD>", "<UNK>")
NO_ROW = -1


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words by token id, and the map from word numbers to token ids."""

    words: tuple[str, ...]  # (V,)
    ids: IntArray  # int32 (W,): token id of each numbered word; `unknown_id` for those without a row
    padding_id: int = 0
    unknown_id: int = 1

    @property
    def special(self) -> tuple[int, int]:
        return self.padding_id, self.unknown_id


def study_vocabulary(words: Sequence[str], frequency: IntArray, *, min_frequency: int = 1) -> Vocabulary:
    """Words of the training documents by falling document frequency (W,), counted before truncation, ties in
    alphabetical order, behind padding (0) and unknown word (1); sian-chen/xml-cnn-study-code at 2051eda,
    libmultilabel/data_utils.py, and torchtext 0.9 `Vocab`."""
    return listed(STUDY_SPECIAL, words, by_frequency(words, frequency, min_frequency))


def by_frequency(words: Sequence[str], frequency: IntArray, min_frequency: int = 1) -> IntArray:
    """Numbers of the words in at least so many documents: most frequent first, then by the alphabet."""
    seen = np.flatnonzero(frequency >= max(min_frequency, 1))
    alphabetical = np.array(sorted(seen.tolist(), key=words.__getitem__), dtype=np.int64)
    order: IntArray = alphabetical[np.argsort(-frequency[alphabetical], kind="stable")]
    return order


def listed(special: tuple[str, ...], words: Sequence[str], order: IntArray) -> Vocabulary:
    ids = np.full(len(words), 1 if special else NO_ROW, dtype=np.int32)
    ids[order] = np.arange(len(order)) + len(special)
    listed = (*special, *(words[number] for number in order.tolist()))
    return Vocabulary(listed, ids) if special else Vocabulary(listed, ids, NO_ROW, NO_ROW)


def attentionxml_vocabulary(
    words: Sequence[str], frequency: IntArray, has_vector: Callable[[Sequence[str]], BoolArray], *, size: int
) -> Vocabulary:
    """The `size` - 2 words of most training documents, behind padding (0) and unknown word (1). Ties go to
    words with a vector (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39; XunGuangxu/CorNet at
    ecc0996), then by the alphabet, where that code has the order of a hash table. Size <= 2: no limit."""
    order = by_frequency(words, frequency)
    room = size - 2 if size > 2 else len(order)
    if len(order) > room:
        order = order[frequency[order] >= frequency[order[room - 1]]]
    favoured = has_vector([words[number] for number in order.tolist()])
    order = order[np.lexsort((~favoured, -frequency[order]))][:room]
    return listed(ATTENTIONXML_SPECIAL, words, order)


def liu_vocabulary(
    words: Sequence[str], times: IntArray, first: IntArray, lengths: Sequence[IntArray], *, size: int = 30_000
) -> Vocabulary:
    """The `size` most frequent words of train and test after cutting *and padding*, then the unknown word.
    `times` and `first` (W,): how often each word stands in the cut documents, and at which place first;
    `lengths` of these, a split each. Each split is padded to its own longest document, and the padding word
    is counted, ranked and may even be cut off. Ties: first seen (the public code: the order of a Python 2
    dictionary). jimmy646/XML-CNN at 72de8b3, code/data_helpers.py 33-52 and 92-104."""
    padding, before = 0, 0
    first_padding = float("inf")  # place before which the first padding word stands among all tokens
    for split in lengths:
        longest, total = int(split.max(initial=0)), int(split.sum(dtype=np.int64))
        short = np.flatnonzero(split < longest)
        if len(short) and first_padding == float("inf"):
            first_padding = before + float(split[: short[0] + 1].sum(dtype=np.int64)) - 0.5
        padding += longest * len(split) - total
        before += total
    counts, places = np.append(times, padding), np.append(first.astype(np.float64), first_padding)
    order = np.lexsort((places, -counts))
    order = order[counts[order] > 0][:size]
    ids = np.full(len(words) + 1, len(order), dtype=np.int32)
    ids[order] = np.arange(len(order))
    pad, unknown = LIU_SPECIAL
    listed = tuple(pad if number == len(words) else words[number] for number in order.tolist())
    return Vocabulary((*listed, unknown), ids[:-1], padding_id=int(ids[-1]), unknown_id=len(order))
