"""The real corpora beside a development checkout read with the numbers of their own notes."""

from __future__ import annotations

from collections import Counter

import pytest

from reimpl.data.files import tree
from reimpl.data.formats import Ambiguous, BowDataset, Options, read, sniff
from reimpl.data.formats.xc_splits import read_columns
from tests.shared import shared

#: Folder -> train, test, features, labels, labels a document (all documents).
FEATURE_CORPORA = [
    ("mulan-delicious", 12_920, 3_185, 500, 983, 19.02),
    ("mulan-bibtex", 4_880, 2_515, 1_836, 159, 2.402),
    ("mulan-enron", 1_123, 579, 1_001, 53, 3.378),
    ("mulan-medical", 333, 645, 1_449, 45, 1.245),
    ("mulan-tmc2007-500", 21_519, 7_077, 500, 22, 2.158),
]
#: Folder -> train, test, dev, labels, labels a document (the notes say it of one split or of all).
TEXT_CORPORA = [
    ("reuters21578", 7_770, 3_019, 0, 90, 1.23),
    ("ohsumed", 6_286, 7_643, 0, 23, 1.66),
    ("yso-abstracts", 15_935, 3_944, 0, 9_748, 2.76),
    pytest.param("eurlex-4k-matched", 15_449, 3_865, 0, 3_956, 5.14, marks=pytest.mark.slow),
    pytest.param("eurlex57k", 45_000, 6_000, 6_000, 4_271, 5.07, marks=pytest.mark.slow),
    pytest.param("yso-titles-22k", 174_494, 43_741, 0, 21_087, 3.74, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "train", "test", "features", "labels", "mean"), FEATURE_CORPORA)
def test_features(name: str, train: int, test: int, features: int, labels: int, mean: float) -> None:
    path = shared(f"data/{name}")
    found = sniff(path)
    assert not isinstance(found, Ambiguous) and found.name == "xc"
    dataset = read(path)
    assert isinstance(dataset, BowDataset)
    assert (dataset.train.size, dataset.test.size) == (train, test)
    assert (dataset.n_features, dataset.n_labels) == (features, labels)
    given = len(dataset.train.label_ids) + len(dataset.test.label_ids)
    assert round(given / (train + test), 3) == pytest.approx(mean, abs=0.0051 if mean == 19.02 else 0.0006)
    assert dataset.label_names is not None and dataset.feature_names is not None


@pytest.mark.parametrize(("name", "train", "test", "dev", "labels", "mean"), TEXT_CORPORA)
def test_texts(name: str, train: int, test: int, dev: int, labels: int, mean: float) -> None:
    path = shared(f"data/{name}")
    found = sniff(path)
    assert not isinstance(found, Ambiguous) and found.name == "lml"
    source = read(path)
    assert not isinstance(source, BowDataset)
    sizes: Counter[str] = Counter()
    given: Counter[str] = Counter()
    seen: set[str] = set()
    for split in source.splits:
        for document in source.documents(split):
            sizes[split] += 1
            given[split] += len(document.labels)
            seen.update(document.labels)
    assert (sizes["train"], sizes["test"], sizes["dev"]) == (train, test, dev)
    assert len(seen) == labels
    means = (given["train"] / train, given.total() / sizes.total())
    assert mean in [round(it, 2) for it in means]


def test_delicious_in_ten_splits() -> None:
    """Sizes of the notes in each column; the corpus of Mulan's split, and no column is that split."""
    where = tree(shared("data/delicious-xc-splits"))
    mulan = read(shared("data/mulan-delicious"))
    assert isinstance(mulan, BowDataset)
    columns = read_columns(where, Options(data=shared("data/mulan-delicious/data.txt.gz")))
    assert columns.columns == 10
    for column in range(10):
        split = columns.dataset(column)
        assert (split.train.size, split.test.size) == (12_920, 3_185)
        assert split.counts["rows_not_used"] == 0
        if column in (0, 9):
            assert split.corpus == mulan.corpus
            assert split.content != mulan.content
