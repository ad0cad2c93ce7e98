"""The made corpus has the properties that its docstring promises."""

from __future__ import annotations

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, Split
from reimpl.data.synthetic import Shape, synthetic

SHAPE = Shape(n_train=1500, n_test=300, n_labels=30, words_per_label=3, noise=0.0, dimension=8)


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
