"""`Split` and `Dataset`: flat arrays that describe N documents, or an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reimpl.data.dataset import Dataset, IntArray, Split
from reimpl.errors import DataError


def ints(*values: int) -> IntArray:
    return np.array(values, dtype=np.int64)


def dataset(**changes: object) -> Dataset:
    split = Split.from_lists([[2, 3], [3]], [[0], [1]])
    whole = Dataset(
        name="toy",
        recipe="none",
        fingerprint="f",
        train=split,
        test=split,
        labels=("a", "b"),
        vocabulary=("pad", "unk", "x", "y"),
        vectors=np.zeros((4, 5), dtype=np.float32),
        padding_id=0,
        padding_trainable=False,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def test_lists_become_flat_arrays_with_offsets() -> None:
    """Three documents, one of them without words or labels."""
    split = Split.from_lists([[5, 6], [], [7]], [[2, 0], [], [1]])
    assert split.tokens.tolist() == [5, 6, 7]
    assert split.offsets.tolist() == [0, 2, 2, 3]
    assert split.label_ids.tolist() == [0, 2, 1]
    assert split.label_offsets.tolist() == [0, 2, 2, 3]
    assert (split.tokens.dtype.name, split.offsets.dtype.name) == ("int32", "int64")
    assert (split.size, split.longest, split.lengths.tolist()) == (3, 2, [2, 0, 1])


def test_labels_as_a_matrix() -> None:
    """The CSR matrix has a row a document, also for the documents without labels at either end."""
    split = Split.from_lists([[1]] * 4, [[], [0, 2], [1], []])
    expected = [[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    matrix = split.labels(4)
    assert matrix.toarray().tolist() == expected
    assert matrix.dtype == np.float32
    assert split.labels().shape == (4, 3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((ints(1), ints(0), ints(), ints(0)), "offsets of the tokens must rise from 0 to 1, got 0 to 0"),
        ((ints(1), ints(0, 1), ints(), ints(0, 0, 0)), "1 documents but 2 label sets"),
        ((ints(1, 1), ints(0, 1, 2), ints(5, 2, 1), ints(0, 1, 3)), "label ids of document 1 must rise"),
    ],
)
def test_arrays_that_are_no_split(arrays: tuple[IntArray, ...], message: str) -> None:
    """Offsets that do not fit and label ids that do not rise are refused."""
    with pytest.raises(DataError, match=message):
        Split(*arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vectors": np.zeros((3, 5), dtype=np.float32)}, r"vectors of shape \(3, 5\) for 4 words"),
        ({"padding_id": 4}, "padding id 4 is no row"),
        ({"test": Split.from_lists([[4]], [[0]])}, "test: token id 4"),
    ],
)
def test_parts_that_do_not_belong_together(changes: dict[str, object], message: str) -> None:
    """An id without a row, or rows without a word, are refused with the split's name."""
    with pytest.raises(DataError, match=message):
        dataset(**changes)
