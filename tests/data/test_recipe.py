"""Recipes by name: what each does to a corpus that can be worked by hand, and what cannot be combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data.dataset import Dataset
from reimpl.data.prepare import prepare
from reimpl.data.recipe import RECIPES, find_recipe
from reimpl.data.source import Document
from tests.data.corpora import write
from tests.data.sources import Made, texts

ATTENTIONXML, CORNET, BOW = (RECIPES[name] for name in ("attentionxml", "cornet", "bow"))


def made(source: Any, recipe: Any, vectors: str = "random:4", length: int = 3, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    return prepare(source, recipe=recipe, length=length, vectors=vectors, rng=rng)


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


def test_attentionxml_vectors(tmp_path: Path) -> None:
    """The padding is zero, unknown words lie between -1 and 1, the mark has the vector of the full stop."""
    vectors = str(write(tmp_path / "v.txt", [". 5 5", "cat 1 2", "<PAD> 9 9", "<UNK> 9 9", "/SEP/ 8 8"]))
    train = ["cat /SEP/ " + " ".join(f"w{n}" for n in range(200))]
    data = made(texts(train, ["cat"]), "attentionxml", vectors)
    rows = dict(zip(data.vocabulary, data.vectors.tolist(), strict=True))
    assert (rows["<PAD>"], rows["cat"], rows["/SEP/"]) == ([0, 0], [1, 2], [5, 5])
    drawn = np.array([row for word, row in rows.items() if word == "<UNK>" or word.startswith("w")])
    assert drawn.shape == (201, 2)
    assert np.abs(drawn).max() <= 1
    assert np.abs(drawn).max() > 0.9
    # two columns of 201 numbers from -1 to 1 have a standard deviation of 0.577
    assert abs(drawn.std() - 3**-0.5) < 0.06


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


def test_texts_that_are_tokenised_already() -> None:
    """They are parted at blanks only, capitals and all, as AttentionXML's code reads its own files."""
    documents_of = [Document(("a",), "It's The end.")]
    source = Made({"train": documents_of, "test": documents_of}, tokenised=True)
    for recipe in ("attentionxml", "cornet"):
        data = made(source, recipe)
        assert documents(data, "train") == ["It's The end."]
        assert "The texts were tokenised already and are parted at blanks." in data.notes
    raw = made(replace(source, tokenised=False), "cornet", length=9)
    assert documents(raw, "train") == ["it 's the end"]
    # the other recipes have rules of their own for any text
    assert documents(made(source, "study2022", length=9), "train") == ["it s the end"]


@pytest.mark.parametrize(("names", "tokenised"), [(("texts",), True), (("raw_texts",), False)])
def test_attentionxml_files_say_whether_they_are_tokenised(
    tmp_path: Path, names: Sequence[str], tokenised: bool
) -> None:
    """`train_texts.txt` is, `train_raw_texts.txt` is not."""
    for split in ("train", "test"):
        write(tmp_path / f"{split}_labels.txt", ["a"])
        for name in names:
            write(tmp_path / f"{split}_{name}.txt", ["The cat's end."])
    data = made(tmp_path, "cornet", length=9)
    assert documents(data, "train") == ["The cat's end." if tokenised else "the cat 's end"]


def test_cornet_is_attentionxml_without_a_tree() -> None:
    """The same words, ids and vectors; no features."""
    source = texts(["It's The cat.", "The cat, a dog"], ["the dog"])
    one, two = made(source, "attentionxml"), made(source, "cornet")
    assert one.vocabulary == two.vocabulary
    np.testing.assert_array_equal(one.train.tokens, two.train.tokens)
    np.testing.assert_array_equal(one.vectors, two.vectors)
    assert (one.train.features is None, two.train.features is None) == (False, True)
    assert one.fingerprint != two.fingerprint


def test_bow_takes_no_vectors() -> None:
    """No word is looked up, whatever is given, and the seed decides nothing."""
    source = texts(["some words"], ["more words"])
    one, two = made(source, "bow"), made(source, "bow", "random:7", seed=3)
    assert one.fingerprint == two.fingerprint
    assert one.vectors.shape == (2, 1)
    assert not any("vector" in note for note in one.notes)


def test_identities() -> None:
    """Choices that act are in it; those of the first two recipes are as they ever were."""
    assert find_recipe("study2022").identity == {
        "tokeniser": "study",
        "vocabulary": "study",
        "out_of_vocabulary": "zero",
        "padding_trainable": False,
        "unlabelled": "drop",
        "empty": "unknown",
        "min_frequency": 1,
    }
    assert find_recipe("liu2017").identity == {
        "tokeniser": "liu",
        "vocabulary": "liu",
        "out_of_vocabulary": "uniform",
        "padding_trainable": True,
        "unlabelled": "keep",
        "empty": "unknown",
        "vocabulary_size": 30_000,
    }
    texts_of = [repr(sorted(recipe.identity.items())) for recipe in RECIPES.values()]
    assert len(set(texts_of)) == len(RECIPES)
