"""Labels, documents and positives of head and tail: counted by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data.describe import StratumSize, strata_sizes
from reimpl.data.formats.bow import BowDataset
from reimpl.data.opening import open_corpus
from tests.shared import shared

#: a stands in 4 training documents, b in 2, c in 1, d in 1: 8 positives; e in test alone.
TRAIN = ["a b\tx", "a b\tx", "a c\tx", "a a d\tx", "\tx"]
TEST = ["b e\tx", "a\tx", "e\tx"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for split, lines in (("train", TRAIN), ("test", TEST)):
        (tmp_path / f"{split}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def test_a_hand_count(folder: Path) -> None:
    """Half of 8 is full with a; 6.4 with b and c; d and e are the tail."""
    by_share, by_threshold = strata_sizes(open_corpus(folder))
    head, torso, tail = by_share.strata
    assert head == StratumSize(
        "head", 1, {"train": 4, "test": 1}, {"train": 4, "test": 1}, {"train": 50.0, "test": 25.0}
    )
    assert torso == StratumSize(
        "torso", 2, {"train": 3, "test": 1}, {"train": 3, "test": 1}, {"train": 37.5, "test": 25.0}
    )
    assert (tail.labels, tail.documents, tail.positives) == (
        2,
        {"train": 1, "test": 2},
        {"train": 1, "test": 2},
    )
    # under 5 documents are all of them
    assert [(it.name, it.labels) for it in by_threshold.strata] == [("head", 0), ("torso", 0), ("tail", 5)]
    # every document with a label, however many it has
    assert by_threshold.strata[2].documents == {"train": 4, "test": 3}
    assert by_threshold.strata[2].share == {"train": 100.0, "test": 100.0}


def test_a_corpus_of_features_is_counted_by_its_matrices() -> None:
    data = open_corpus(shared("data/mulan-enron"))
    assert isinstance(data, BowDataset)
    sizes = strata_sizes(data)[0]
    y = data.train.labels(data.n_labels)
    order = np.argsort(-np.asarray(y.sum(axis=0)).ravel(), kind="stable")
    head = sizes.strata[0]
    of_head = y[:, order[: head.labels]]
    assert head.positives["train"] == of_head.sum() >= y.sum() / 2
    assert head.positives["train"] - of_head[:, -1].sum() < y.sum() / 2
    assert head.documents["train"] == (np.asarray(of_head.sum(axis=1)) > 0).sum()
    assert sum(it.labels for it in sizes.strata) == 53
    assert sum(it.share["test"] for it in sizes.strata) == pytest.approx(100)
