"""From texts to a `Dataset`: what each preprocessing does to a corpus that can be worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from reimpl.data.dataset import Dataset, Split
from reimpl.data.prepare import prepare
from reimpl.data.preprocessing import PREPROCESSINGS
from reimpl.data.text import ATTENTIONXML as WORDS
from reimpl.errors import DataError
from tests.data.corpora import TEST, TRAIN, corpus, texts, write

STUDY, LIU, ATTENTIONXML = (PREPROCESSINGS[name] for name in ("study2022", "liu2017", "attentionxml"))


def made(
    source: Any, rules: Any = "study2022", vectors: str = "random:4", length: int = 3, seed: int = 0
) -> Dataset:
    rng = np.random.default_rng(seed)
    return prepare(source, preprocessing=rules, length=length, vectors=vectors, rng=rng)


def documents(data: Dataset, split: str) -> list[str]:
    """The documents as words again."""
    part, words = data.splits[split], [data.vocabulary[token] for token in data.splits[split].tokens]
    return [" ".join(words[a:b]) for a, b in pairwise(part.offsets)]


def label_sets(split: Split, data: Dataset) -> list[list[str]]:
    names = [data.labels[i] for i in split.label_ids]
    offsets = split.label_offsets
    return [names[a:b] for a, b in pairwise(offsets)]


def test_study_by_hand(tmp_path: Path) -> None:
    """Training words by document frequency then alphabet, test words unknown, numerals gone, cut to 3."""
    data = made(corpus(tmp_path / "toy"), length=2)
    assert data.vocabulary == ("**PAD**", "<unk>", "the", "sat", "bird", "cat", "dog")
    assert documents(data, "train") == ["the cat", "the dog", "the bird"]
    assert documents(data, "test") == ["the cat", "dog"]
    assert data.labels == ("a", "b", "c", "d")
    assert label_sets(data.train, data) == [["a", "b"], ["a"], ["c"]]
    assert label_sets(data.test, data) == [["a"], ["b", "d"]]
    assert (data.name, data.preprocessing) == ("toy", "study2022")
    assert (data.padding_id, data.padding_trainable) == (0, False)
    assert not data.vectors[:2].any()
    assert data.vectors[2:].all()


def test_liu_by_hand(tmp_path: Path) -> None:
    """Cut to 3 first, then padded train and test counted together: the 4, cat/dog/PAD 2, ties first seen."""
    data = made(corpus(tmp_path), "liu2017", length=3)
    # train: the cat sat | the dog 12 | the bird PAD; test: the cat flew | dog PAD PAD
    expected = ("the", "<PAD/>", "cat", "dog", "sat", "12", "bird", "flew", "<UNK/>")
    assert data.vocabulary == expected
    assert documents(data, "train") == ["the cat sat", "the dog 12", "the bird"]
    assert documents(data, "test") == ["the cat flew", "dog"]
    assert (data.padding_id, data.padding_trainable, data.train.longest, data.test.longest) == (1, True, 3, 3)
    assert data.vectors.all()


def test_documents_without_labels(tmp_path: Path) -> None:
    """Study: dropped from train, with their words, and kept in test; the counts say so."""
    folder = corpus(tmp_path, [*TRAIN, "\tonly here"], [*TEST, "\tbird"])
    data = made(folder)
    assert (data.train.size, data.test.size) == (3, 3)
    assert "only" not in data.vocabulary
    assert data.counts["train.unlabelled_dropped"] == 1
    assert data.counts["test.unlabelled_kept"] == 1
    assert label_sets(data.test, data)[2] == []
    assert "train: 1 documents without labels dropped." in data.notes
    assert "test: 1 documents without labels kept." in data.notes


def test_labels_of_test_only_belong_to_the_label_set(tmp_path: Path) -> None:
    """The universe is that of all splits; what training never shows is counted."""
    data = made(corpus(tmp_path))
    counted = {key: value for key, value in data.counts.items() if key.startswith("labels")}
    assert counted == {"labels": 4, "labels.test_not_in_train": 1}
    assert "1 labels of test occur in no training document." in data.notes


def variants(folder: Path) -> dict[str, Dataset]:
    changed = {
        "plain": made(folder),
        "length": made(folder, length=2),
        "seed": made(folder, seed=1),
        "recipe": made(folder, "liu2017"),
        "minimum": made(folder, replace(STUDY, min_frequency=2)),
        "empty": made(folder, replace(STUDY, empty="nothing")),
        "keep": made(folder, replace(STUDY, unlabelled="keep")),
        "size": made(folder, replace(LIU, vocabulary_size=20)),
    }
    write(folder / "test.txt", ["a\tthe cat flew", "d b\tdogs"])
    return changed | {"text": made(folder)}


def test_everything_that_decides_is_in_the_fingerprint(tmp_path: Path) -> None:
    """Another length, seed of the vectors, recipe, option or text is another fingerprint."""
    made_of = variants(corpus(tmp_path))
    assert len({data.fingerprint for data in made_of.values()}) == len(made_of)
    assert {name for name, data in made_of.items() if data.content != made_of["plain"].content} == {"text"}


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (["\tx", "\ty"], "toy: no training document has a label; add labels"),
        (["a\tx", "no tab"], "train.txt:2: 0 tabs"),
    ],
)
def test_refused_corpora(tmp_path: Path, train: Sequence[str], message: str) -> None:
    """Nothing to train on, or a broken line, is an error."""
    with pytest.raises(DataError, match=message):
        made(corpus(tmp_path / "toy", train))


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
