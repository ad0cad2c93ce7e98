"""Corpora of features become data sets, with nothing lost and nothing made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reimpl.data.dataset import Split
from reimpl.data.features import dataset_of, has_words, words_as_features
from reimpl.data.formats import BowDataset, BowSplit
from reimpl.errors import DataError
from tests.toys import toy_data


def part(rows: list[dict[int, float]], labels: list[list[int]]) -> BowSplit:
    ends = np.cumsum([0, *map(len, rows)])
    label_ends = np.cumsum([0, *map(len, labels)])
    return BowSplit(
        np.array([it for row in rows for it in row], dtype=np.int32),
        np.array([it for row in rows for it in row.values()], dtype=np.float32),
        ends,
        np.array([it for row in labels for it in row], dtype=np.int32),
        label_ends,
    )


def corpus() -> BowDataset:
    train = part([{0: 1.0, 2: 0.5}, {}, {1: 2.0}], [[0, 1], [1], []])
    test = part([{2: 3.0}], [[0]])
    return BowDataset("toy", {"train": train, "test": test}, 4, 2, counts={"split.column": 3}, notes=("one",))


def test_weights_and_labels_are_those_of_the_corpus() -> None:
    data = dataset_of(corpus())
    assert data.train.features is not None and data.test.features is not None
    assert data.train.features.toarray().tolist() == [[1, 0, 0.5, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
    assert data.test.features.toarray().tolist() == [[0, 0, 3, 0]]
    assert data.train.labels(2).toarray().tolist() == [[1, 1], [0, 1], [0, 0]]
    assert (data.labels, data.dev, data.train.lengths.tolist()) == (("0", "1"), None, [0, 0, 0])
    assert (data.content, data.corpus) == (corpus().content, corpus().corpus)


def test_names_of_labels_and_a_dev_part_are_kept() -> None:
    whole = corpus()
    named = replace(whole, label_names=("a", "b"), parts={**whole.parts, "dev": whole.test})
    data = dataset_of(named)
    assert data.labels == ("a", "b") and data.dev is not None and data.dev.size == 1


def test_counts_and_notes_go_on() -> None:
    data = dataset_of(corpus())
    assert data.notes == ("one", "train: 1 documents without labels kept.")
    counts = dict(data.counts)
    assert (counts["split.column"], counts["train.documents"], counts["features"]) == (3, 3, 4)
    assert (counts["train.unlabelled_kept"], counts["test.unlabelled_kept"]) == (1, 0)
    assert counts["train.mean_features"] == 1.0


def test_the_fingerprint_is_of_the_content_and_the_sizes() -> None:
    whole = corpus()
    changed = [
        whole,
        replace(whole, n_features=5),
        replace(whole, n_labels=3),
        replace(whole, parts={"train": whole.test, "test": whole.train}),
    ]
    assert len({dataset_of(it).fingerprint for it in changed}) == 4
    assert dataset_of(replace(whole, name="other", notes=())).fingerprint == dataset_of(whole).fingerprint


def test_a_corpus_without_labels_is_refused() -> None:
    bare = replace(corpus(), parts={"train": part([{0: 1.0}], [[]]), "test": corpus().test})
    with pytest.raises(DataError, match="toy: no training document has a label"):
        dataset_of(bare)


def test_words_are_counted_document_by_document() -> None:
    split = Split.from_lists([[3, 1, 3], [], [0]], [[0], [0], [0]])
    assert words_as_features(split, 4).toarray().tolist() == [[0, 1, 0, 2], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert split.tokens.tolist() == [3, 1, 3, 0]  # as they were


def test_only_texts_have_words() -> None:
    texts = toy_data()
    features = dataset_of(corpus())
    both = replace(texts, train=replace(texts.train, features=words_as_features(texts.train, 12)))
    assert (has_words(texts), has_words(features), has_words(both)) == (True, False, True)
