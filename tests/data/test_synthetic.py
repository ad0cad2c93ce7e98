"""The made corpus has the properties that its docstring promises."""

from __future__ import annotations

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, Split
from reimpl.data.synthetic import Shape, synthetic

SHAPE = Shape(
    n_train=1500,
    n_test=300,
    n_labels=30,
    label_exponent=1.0,
    max_labels=4,
    words_per_label=3,
    topic_probability=0.1,
    noise=0.0,
    n_background=400,
    mean_length=50.0,
    length=90,
    dimension=8,
)


@pytest.fixture(scope="module")
def made() -> Dataset:
    return synthetic(seed=3, shape=SHAPE)


def owner(tokens: np.ndarray) -> np.ndarray:
    """Label that owns each topic word, -1 for other words."""
    label = (tokens - 2) // SHAPE.words_per_label
    return np.where((tokens >= 2) & (label < SHAPE.n_labels), label, -1)


def documents(split: Split) -> list[tuple[np.ndarray, set[int]]]:
    return [
        (split.tokens[a:b], set(split.label_ids[c:d].tolist()))
        for a, b, c, d in zip(
            split.offsets, split.offsets[1:], split.label_offsets, split.label_offsets[1:], strict=False
        )
    ]


def test_every_label_shows_in_the_text(made: Dataset) -> None:
    """Each label of a document has a topic word there; without noise no other label has."""
    for tokens, labels in documents(made.train):
        assert set(owner(tokens).tolist()) - {-1} == labels


def test_passages_stand_anywhere(made: Dataset) -> None:
    """In documents of one label the words before its passage are uniform over what there is room for."""
    places = []
    for tokens, labels in documents(made.train):
        at = np.flatnonzero(owner(tokens) >= 0)
        if len(labels) == 1:
            places.append((at[0] + 0.5) / (len(tokens) - len(at) + 1))
    assert np.mean(places) == pytest.approx(0.5, abs=0.04)  # 4 standard errors of 700 documents
    assert np.var(places) == pytest.approx(1 / 12, rel=0.1)


def test_labels_and_background_follow_zipf(made: Dataset) -> None:
    """Log frequency falls with log rank at about the exponent asked for; every label is seen."""
    ranks = np.log(np.arange(1, 21))
    labels = np.bincount(made.train.label_ids, minlength=30)
    background = made.train.tokens[made.train.tokens >= 2 + 90]
    words = np.bincount(background - 92, minlength=400)
    # drawing without repetition flattens the head of the labels
    assert -1.1 < np.polyfit(ranks, np.log(labels[:20]), 1)[0] < -0.7
    assert np.polyfit(ranks, np.log(words[:20]), 1)[0] == pytest.approx(-1.0, abs=0.1)
    assert labels.min() > 0


def test_seed_decides_everything(made: Dataset) -> None:
    """One seed gives one corpus whatever the global generator does; another seed another one."""
    np.random.seed(1)
    again, other = synthetic(seed=3, shape=SHAPE), synthetic(seed=4, shape=SHAPE)
    np.testing.assert_array_equal(made.train.tokens, again.train.tokens)
    np.testing.assert_array_equal(made.vectors, again.vectors)
    assert made.fingerprint == again.fingerprint
    assert (
        len({made.fingerprint, other.fingerprint, synthetic(seed=3, shape=SHAPE, dimension=9).fingerprint})
        == 3
    )
    assert made.content == synthetic(seed=3, shape=SHAPE, dimension=9).content != other.content


def test_the_default_corpus_is_usable() -> None:
    """The embedded corpus: every label in train, documents within the length that it states."""
    data = synthetic()
    assert np.bincount(data.train.label_ids, minlength=data.n_labels).min() > 0
    assert data.train.longest <= data.counts["length"]
    assert data.notes
