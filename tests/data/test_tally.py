"""Counts of one split, by hand: texts and features."""

from __future__ import annotations

import numpy as np
import pytest

from reimpl.data.describe import describe, of_documents, of_features
from reimpl.data.formats.bow import BowDataset, BowSplit
from reimpl.data.source import Document
from tests.shared import shared


def split(*documents: tuple[list[int], dict[int, float]]) -> BowSplit:
    """Documents as (label ids, feature id -> value)."""

    def ends(lengths: list[int]) -> np.ndarray:
        return np.cumsum([0, *lengths], dtype=np.int64)

    return BowSplit(
        indices=np.array([i for _, row in documents for i in row], dtype=np.int32),
        values=np.array([v for _, row in documents for v in row.values()], dtype=np.float32),
        offsets=ends([len(row) for _, row in documents]),
        label_ids=np.array([i for labels, _ in documents for i in labels], dtype=np.int32),
        label_offsets=ends([len(labels) for labels, _ in documents]),
    )


TRAIN = split(([0, 2], {0: 1.0, 3: 2.0}), ([], {1: 1.0}), ([2], {0: 1.0, 3: 2.0}), ([0], {0: 1.0, 3: 1.0}))
TEST = split(([1], {1: 1.0}), ([2], {}))


def test_features_by_hand() -> None:
    """4 documents of 3 labels: one row twice, one without labels; another value is another row."""
    tally = of_features(TRAIN, ("a", "b", "c"))
    assert (tally.labels, tally.lengths, dict(tally.label_counts)) == (
        [2, 0, 1, 1],
        [2, 1, 2, 2],
        {"a": 2, "c": 2},
    )
    figures = tally.figures()
    assert (figures["features_a_document"], figures["most_features"], figures["without_features"]) == (
        7 / 4,
        2,
        0,
    )
    assert (figures["without_labels"], figures["texts_met_before"], figures["labels"]) == (1, 1, 2)
    assert not [name for name in figures if "words" in name]


def test_a_corpus_of_features_is_described() -> None:
    """Its labels and features are as many as it declares; words it has none."""
    data = BowDataset("toy", {"train": TRAIN, "test": TEST}, n_features=5, n_labels=4)
    figures = describe(data)
    assert (figures["content"], figures["corpus"]) == (data.content, data.corpus)
    assert figures["statistics"] == {
        "train": (4.0,),
        "test": (2.0,),
        "labels": (4.0,),
        "features": (5.0,),
        "labels_per_document": (4 / 4, 6 / 6),
        "documents_per_label": (4 / 4, 6 / 4),
    }
    assert (figures["labels_not_in_train"], figures["test_labels_not_in_train"]) == (2, 1)
    assert figures["test_texts_in_train"] == 1


def test_texts_by_hand() -> None:
    """A label written twice counts once, and a text met before is one."""
    tally = of_documents([Document(("a", "a"), "x y"), Document((), "x y"), Document(("b",), "")])
    assert (tally.labels, tally.lengths, tally.duplicate_labels) == ([1, 0, 1], [2, 2, 0], 1)
    assert tally.figures()["texts_met_before"] == 1


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((("a,b",), ("c",), ("a,c",)), 2),  # one label a document, two of them with a comma
        ((("a,", "b"), ("c",), ("a,", "c")), 2),  # a comma and a blank
        ((("Doe, J", "Roe, M"), ("Doe, J",)), 0),  # names with commas, several a document
        ((("a", "b"), ("c",), ()), 0),
    ],
)
def test_labels_that_look_like_lists_are_counted(labels: tuple[tuple[str, ...], ...], expected: int) -> None:
    tally = of_documents([Document(it, "x") for it in labels])
    assert tally.figures()["labels_like_lists"] == expected


def test_delicious_as_it_is_known() -> None:
    """10 training and 4 test rows without a label, 27 % of test rows in training, 18.5 and 17.3 features."""
    from reimpl.data.formats import read

    data = read(shared("data/mulan-delicious"), format="xc")
    assert isinstance(data, BowDataset)
    figures = describe(data)
    train, test = figures["splits"]["train"], figures["splits"]["test"]
    assert (train["without_labels"], test["without_labels"]) == (10, 4)
    assert figures["test_texts_in_train"] / test["documents"] == pytest.approx(0.27, abs=0.005)
    means = [part["features_a_document"] for part in (train, test)]
    assert means == [pytest.approx(18.5, abs=0.05), pytest.approx(17.3, abs=0.05)]
    assert figures["statistics"]["labels_per_document"][1] == pytest.approx(19.02, abs=0.005)
