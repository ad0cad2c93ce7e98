"""Feature corpora: their arrays, their rows, and an identity that knows content and nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.formats import BowDataset, BowSplit, read
from reimpl.errors import DataError
from tests.data.formats.made import CORPORA, FEATURES, lay


@pytest.fixture
def dataset(tmp_path: Path) -> BowDataset:
    found = read(lay(tmp_path / "toy", CORPORA["xc"][0]))
    assert isinstance(found, BowDataset)
    return found


def test_the_identity_by_hand(dataset: BowDataset) -> None:
    """As the docstrings define it, packed here with `int.to_bytes` and numpy scalars."""
    digests = {}
    for split, documents in FEATURES.items():
        digests[split] = [
            hashlib.sha256(
                len(labels).to_bytes(8, "little")
                + b"".join(it.to_bytes(4, "little") for it in labels)
                + b"".join(it.to_bytes(4, "little") for it in features)
                + b"".join(np.float32(it).tobytes() for it in features.values())
            ).digest()
            for labels, features in documents
        ]
    lines = [f"{split} {len(it)} {hashlib.sha256(b''.join(it)).hexdigest()}" for split, it in digests.items()]
    assert dataset.content == hashlib.sha256("\n".join(["bow", *lines]).encode()).hexdigest()
    total = sum(int.from_bytes(it, "big") for part in digests.values() for it in part) % 2**256
    assert dataset.corpus == hashlib.sha256(f"bow corpus 6 {total:064x}".encode()).hexdigest()
    totals = {
        split: sum(int.from_bytes(it, "big") for it in part) % 2**256 for split, part in digests.items()
    }
    lines = [f"{split} {len(digests[split])} {totals[split]:064x}" for split in ("test", "train")]
    assert dataset.partition == hashlib.sha256("\n".join(["bow partition", *lines]).encode()).hexdigest()


def test_order_and_split_are_content_but_not_corpus(dataset: BowDataset) -> None:
    turned = replace(
        dataset, parts={"train": dataset.train.rows(np.array([1, 0, 2, 3])), "test": dataset.test}
    )
    swapped = replace(dataset, parts={"train": dataset.test, "test": dataset.train})
    fewer = replace(dataset, parts={"train": dataset.train.rows(np.array([0, 1, 2])), "test": dataset.test})
    assert len({it.content for it in (dataset, turned, swapped, fewer)}) == 4
    assert dataset.corpus == turned.corpus == swapped.corpus != fewer.corpus
    assert dataset.partition == turned.partition
    assert len({it.partition for it in (dataset, swapped, fewer)}) == 3


def test_a_value_a_feature_and_a_label_are_content(dataset: BowDataset) -> None:
    part = dataset.train
    others = [
        replace(part, values=part.values * 2),
        replace(part, indices=np.where(part.indices == 4, 5, part.indices).astype(np.int32)),
        replace(part, label_ids=np.where(part.label_ids == 1, 0, part.label_ids).astype(np.int32)),
    ]
    assert len({part.digests, *(it.digests for it in others)}) == 4


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": ints(0, 5)}, "the offsets of the features do not rise from 0 to 2"),
        ({"offsets": ints(0, 2, 1, 2)}, "the offsets of the features do not rise"),
        ({"indices": ints(1, 1)}, "the features of a document must rise without duplicates"),
        ({"label_ids": ints(2, 0)}, "the labels of a document must rise"),
        ({"values": np.ones(3, np.float32)}, "not of the same documents"),
        ({"label_offsets": ints(0, 1, 2)}, "not of the same documents"),
    ],
)
def test_arrays_that_are_no_documents(changes: dict[str, np.ndarray], message: str) -> None:
    sound = BowSplit(ints(0, 2), np.ones(2, np.float32), ints(0, 2), ints(0, 1), ints(0, 2))
    with pytest.raises(DataError, match=message):
        replace(sound, **changes)


def test_ids_and_names_that_do_not_fit(dataset: BowDataset) -> None:
    with pytest.raises(DataError, match=r"toy, train: feature id 5 or 0 lies outside 0\.\.4"):
        replace(dataset, n_features=5)
    with pytest.raises(DataError, match=r"toy, train: label id 2 or 0 lies outside 0\.\.1"):
        replace(dataset, n_labels=2)
    with pytest.raises(DataError, match="toy: 1 names for 3 labels"):
        replace(dataset, label_names=("x",))
