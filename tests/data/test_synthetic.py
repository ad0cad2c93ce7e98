"""The made corpus has the properties that its docstring promises."""

from __future__ import annotations

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, Split
from reimpl.data.synthetic import N_LABELS, WORDS_PER_LABEL, synthetic


@pytest.fixture(scope="module")
def made() -> Dataset:
    return synthetic(seed=3)


def owner(tokens: np.ndarray) -> np.ndarray:
    """Label that owns each topic word, -1 for other words."""
    label = (tokens - 2) // WORDS_PER_LABEL
    return np.where((tokens >= 2) & (label < N_LABELS), label, -1)


def documents(split: Split) -> list[tuple[np.ndarray, set[int]]]:
    return [
        (split.tokens[a:b], set(split.label_ids[c:d].tolist()))
        for a, b, c, d in zip(
            split.offsets, split.offsets[1:], split.label_offsets, split.label_offsets[1:], strict=False
        )
    ]


def test_every_label_shows_in_the_text(made: Dataset) -> None:
    """Each label of a document has a topic word there, and most topic words are of its labels."""
    own = topics = 0
    for tokens, labels in documents(made.train):
        found = [label for label in owner(tokens).tolist() if label >= 0]
        assert labels <= set(found)
        own, topics = own + sum(label in labels for label in found), topics + len(found)
    assert own > 0.8 * topics


def test_seed_decides_everything(made: Dataset) -> None:
    """One seed gives one corpus whatever the global generator does; another seed another one."""
    np.random.seed(1)
    again, other = synthetic(seed=3), synthetic(seed=4)
    np.testing.assert_array_equal(made.train.tokens, again.train.tokens)
    np.testing.assert_array_equal(made.vectors, again.vectors)
    assert made.fingerprint == again.fingerprint
    assert len({made.fingerprint, other.fingerprint, synthetic(seed=3, dimension=9).fingerprint}) == 3
    assert made.content == synthetic(seed=3, dimension=9).content != other.content
