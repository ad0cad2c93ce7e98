"""From a folder of text to a `Dataset`: each rule on a corpus that can be worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, Split
from reimpl.data.prepare import prepare
from reimpl.data.preprocessing import PREPROCESSINGS, Preprocessing
from reimpl.errors import DataError
from tests.data.corpora import TEST, TRAIN, corpus, write

STUDY, LIU = PREPROCESSINGS["study2022"], PREPROCESSINGS["liu2017"]


def made(
    folder: Path, preprocessing: str | Preprocessing = "study2022", length: int = 3, seed: int = 0
) -> Dataset:
    rng = np.random.default_rng(seed)
    return prepare(folder, preprocessing=preprocessing, length=length, vectors="random:4", rng=rng)


def texts(split: Split, data: Dataset) -> list[str]:
    """The documents as words again."""
    words = [data.vocabulary[token] for token in split.tokens]
    return [" ".join(words[a:b]) for a, b in pairwise(split.offsets)]


def label_sets(split: Split, data: Dataset) -> list[list[str]]:
    names = [data.labels[i] for i in split.label_ids]
    offsets = split.label_offsets
    return [names[a:b] for a, b in pairwise(offsets)]


def test_study_by_hand(tmp_path: Path) -> None:
    """Training words by document frequency then alphabet, test words unknown, numerals gone, cut to 3."""
    data = made(corpus(tmp_path / "toy"), length=2)
    assert data.vocabulary == ("**PAD**", "<unk>", "the", "sat", "bird", "cat", "dog")
    assert texts(data.train, data) == ["the cat", "the dog", "the bird"]
    assert texts(data.test, data) == ["the cat", "dog"]
    assert data.labels == ("a", "b", "c", "d")
    assert label_sets(data.train, data) == [["a", "b"], ["a"], ["c"]]
    assert label_sets(data.test, data) == [["a"], ["b", "d"]]
    assert (data.name, data.preprocessing, data.padding_id, data.padding_trainable) == (
        "toy",
        "study2022",
        0,
        False,
    )
    assert not data.vectors[:2].any()
    assert data.vectors[2:].all()


def test_liu_by_hand(tmp_path: Path) -> None:
    """Cut to 3 first, then padded train and test counted together: the 4, cat/dog/PAD 2, ties first seen."""
    data = made(corpus(tmp_path), "liu2017", length=3)
    # train: the cat sat | the dog 12 | the bird PAD; test: the cat flew | dog PAD PAD
    expected = ("the", "<PAD/>", "cat", "dog", "sat", "12", "bird", "flew", "<UNK/>")
    assert data.vocabulary == expected
    assert texts(data.train, data) == ["the cat sat", "the dog 12", "the bird"]
    assert texts(data.test, data) == ["the cat flew", "dog"]
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
    assert counted == {
        "labels": 4,
        "labels.not_in_train": 1,
        "labels.in_train": 3,
        "labels.in_test": 3,
        "labels.test_not_in_train": 1,
    }
    assert "1 labels occur in test and in no training document." in data.notes
    # test has a, b and d; training never shows d
    assert data.counts["test.unknown_label_share"] == 1 / 3


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
