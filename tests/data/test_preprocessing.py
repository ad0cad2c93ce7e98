"""Preprocessing by name: what each does to a corpus that can be worked by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from reimpl.data.dataset import Dataset
from reimpl.data.prepare import prepare
from reimpl.data.preprocessing import PREPROCESSINGS
from reimpl.data.text import ATTENTIONXML as WORDS
from tests.data.corpora import corpus, write
from tests.data.sources import texts

ATTENTIONXML, CORNET, BOW = (PREPROCESSINGS[name] for name in ("attentionxml", "cornet", "bow"))


def made(
    source: Any, preprocessing: Any, vectors: str = "random:4", length: int = 3, seed: int = 0
) -> Dataset:
    rng = np.random.default_rng(seed)
    return prepare(source, preprocessing=preprocessing, length=length, vectors=vectors, rng=rng)


def documents(data: Dataset, split: str) -> list[str]:
    part = data.splits[split]
    words = [data.vocabulary[token] for token in part.tokens]
    return [" ".join(words[a:b]) for a, b in pairwise(part.offsets)]


def test_attentionxml_by_hand() -> None:
    """NLTK's words, lower-cased, most documents first, then the alphabet; a text without words is unknown."""
    source = texts(["It's The cat.", "The cat, /SEP/ a dog", "cat ..."], ["...", "the bird can't dog"])
    data = made(source, "attentionxml")
    assert data.vocabulary == ("<PAD>", "<UNK>", "cat", "the", "'s", "/SEP/", "a", "dog", "it")
    assert documents(data, "train") == ["it 's the", "the cat /SEP/", "cat"]
    assert documents(data, "test") == ["<UNK>", "the <UNK> <UNK>"]
    assert (data.padding_id, data.padding_trainable) == (0, False)
    counts = data.counts
    assert (counts["train.truncated"], counts["test.empty_texts"]) == (2, 1)
    # of the three words that stay of test, two are unknown; the stand-in is no word of a text
    assert counts["test.unknown_word_share"] == 2 / 3
    assert any("NLTK 3.4's rules without its sentence splitter" in note for note in data.notes)
    assert any("tf-idf" in note for note in data.notes)


def test_words_with_a_vector_come_first_among_equals(tmp_path: Path) -> None:
    """They are the ones that stay when the vocabulary is full; random vectors favour none."""
    vectors = str(write(tmp_path / "v.txt", ["d 1 2", "c 1 2"]))
    source = texts(["a b c d"], ["a b c d"])
    small = replace(ATTENTIONXML, vocabulary_size=5)
    assert made(source, small, vectors).vocabulary == ("<PAD>", "<UNK>", "c", "d", "a")
    assert made(source, small).vocabulary == ("<PAD>", "<UNK>", "a", "b", "c")
    data = made(source, small, vectors, length=4)
    assert documents(data, "test") == ["a <UNK> c d"]
    assert data.counts["vocabulary.words_met"] == 4


def dense(data: Dataset, split: str) -> np.ndarray:
    features = data.splits[split].features
    assert features is not None
    return features.toarray()


def test_tf_idf_by_hand() -> None:
    """Two training documents: `bb` in both weighs 1, `aa` in one ln(3/2) + 1; then unit length."""
    data = made(texts(["aa bb bb", "bb"], ["aa new", "new"]), "bow")
    assert data.vocabulary == ("aa", "bb")
    rare = log(3 / 2) + 1
    norm = sqrt(rare**2 + 4)
    np.testing.assert_allclose(dense(data, "train"), [[rare / norm, 2 / norm], [0, 1]], rtol=1e-6)
    np.testing.assert_allclose(dense(data, "test"), [[1, 0], [0, 0]], rtol=1e-6)
    # 2 of the 3 test words have no column, and there are no tokens
    assert data.counts["test.unknown_word_share"] == 2 / 3
    assert (data.train.longest, len(data.train.tokens), data.counts["train.truncated"]) == (0, 0, 0)


@pytest.mark.parametrize("preprocessing", ["attentionxml", "cornet"])
def test_attentionxml_weighs_whole_documents_a_column_a_word(tmp_path: Path, preprocessing: str) -> None:
    """Words behind the cut have weights too, column = token id; CorNet has no tree and no features."""
    data = made(corpus(tmp_path / "toy"), preprocessing, length=1)
    if preprocessing == "cornet":
        assert data.train.features is None
        return
    vectorizer = TfidfVectorizer(analyzer=WORDS)
    expected = vectorizer.fit_transform(["the cat sat", "the dog 12 sat", "The bird"]).toarray()
    column = {word: n for n, word in enumerate(data.vocabulary)}
    order = [column[word] for word in vectorizer.get_feature_names_out()]
    np.testing.assert_allclose(dense(data, "train")[:, order], expected, rtol=1e-6)
    assert not dense(data, "train")[:, :2].any()
    assert data.train.longest == 1
