"""The made corpus has the properties that its docstring promises."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, Split
from reimpl.data.synthetic import Shape, synthetic
from reimpl.errors import ConfigError

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


def test_sizes(made: Dataset) -> None:
    """As asked for: documents, labels, words with the two special ones, dimensions."""
    assert (made.train.size, made.test.size, made.n_labels, made.dimension) == (1500, 300, 30, 8)
    assert len(made.vocabulary) == len(set(made.vocabulary)) == 2 + 30 * 3 + 400
    assert not made.vectors[:2].any()
    assert made.vectors[2:].all()


def test_every_label_shows_in_the_text(made: Dataset) -> None:
    """Each label of a document has a topic word there; without noise no other label has."""
    for tokens, labels in documents(made.train):
        assert set(owner(tokens).tolist()) - {-1} == labels


def test_noise_puts_in_words_of_other_labels(made: Dataset) -> None:
    """With noise some topic words are of labels that the document lacks; its own labels still show."""
    noisy = synthetic(seed=3, shape=SHAPE, noise=0.5)
    foreign = total = 0
    for tokens, labels in documents(noisy.train):
        topics = owner(tokens)
        topics = topics[topics >= 0].tolist()
        assert labels <= set(topics)
        foreign += sum(topic not in labels for topic in topics)
        total += len(topics)
    assert 0.15 < foreign / total < 0.5


def test_passages_stand_anywhere(made: Dataset) -> None:
    """In documents of one label the words before its passage are uniform over what there is room for."""
    places = []
    for tokens, labels in documents(made.train):
        at = np.flatnonzero(owner(tokens) >= 0)
        if len(labels) == 1:
            places.append((at[0] + 0.5) / (len(tokens) - len(at) + 1))
    assert np.mean(places) == pytest.approx(0.5, abs=0.04)  # 4 standard errors of 700 documents
    assert np.var(places) == pytest.approx(1 / 12, rel=0.1)


def test_the_words_of_a_label_stand_together(made: Dataset) -> None:
    """Without noise each label of a document has one passage: its words are neighbours."""
    for tokens, labels in documents(made.train)[:300]:
        owners = owner(tokens)
        for label in labels:
            at = np.flatnonzero(owners == label)
            assert at[-1] - at[0] == len(at) - 1


def test_words_of_a_label_resemble_one_another() -> None:
    """Mean cosine within a label is about likeness squared, 0 between labels; background is shorter."""
    made = synthetic(shape=SHAPE, likeness=0.8, background_scale=0.5, dimension=400)
    topic = made.vectors[2 : 2 + 90] / np.linalg.norm(made.vectors[2 : 2 + 90], axis=1, keepdims=True)
    cosine = topic @ topic.T
    same = np.kron(np.eye(30), np.ones((3, 3))) - np.eye(90)
    assert cosine[same == 1].mean() == pytest.approx(0.64, abs=0.03)
    assert abs(cosine[np.kron(np.eye(30), np.ones((3, 3))) == 0].mean()) < 0.02
    lengths = np.linalg.norm(made.vectors, axis=1)
    assert lengths[92:].mean() / lengths[2:92].mean() == pytest.approx(0.5, abs=0.02)


def test_share_of_topic_words(made: Dataset) -> None:
    """A tenth of the positions, a little more because each label has at least one."""
    assert 0.1 < (owner(made.train.tokens) >= 0).mean() < 0.12


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


def test_documents_vary(made: Dataset) -> None:
    """One to four labels, fewer being likelier; lengths spread around the mean and end at the limit."""
    sizes = np.bincount(np.diff(made.train.label_offsets), minlength=5)
    assert sizes[0] == 0
    assert sizes[1] > sizes[2] > sizes[3] > sizes[4] > 0
    lengths = made.train.lengths
    assert lengths.mean() == pytest.approx(50, abs=3)
    assert lengths.std() > 10
    assert lengths.min() >= 5
    assert lengths.max() <= 90


def test_train_and_test_are_different_documents(made: Dataset) -> None:
    """No test document stands in train."""
    train = {tokens.tobytes() for tokens, _ in documents(made.train)}
    assert not any(tokens.tobytes() in train for tokens, _ in documents(made.test))


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


def test_few_labels() -> None:
    """Fewer labels than a document may have is no trouble."""
    data = synthetic(n_train=50, n_test=10, n_labels=2)
    assert np.diff(data.train.label_offsets).max() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_labels": 0}, "n_labels is 0; give at least 1"),
        ({"noise": 1.5}, "noise is 1.5; give a share from 0 to 1"),
        ({"topic_probability": -0.1}, "topic_probability is -0.1"),
        ({"length": 3}, "length is 3; give room"),
        ({"n_lables": 3}, "unknown option 'n_lables'; known are n_train"),
    ],
)
def test_refused(changes: dict[str, Any], message: str) -> None:
    """A setting that cannot work names itself and its value."""
    with pytest.raises(ConfigError, match=message):
        synthetic(**changes)


def test_no_torch() -> None:
    """Data can be read, prepared and described without torch being imported."""
    code = (
        "import sys; import reimpl.data.cache, reimpl.data.describe, reimpl.data.synthetic; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
