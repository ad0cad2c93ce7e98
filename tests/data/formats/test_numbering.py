"""Ids from 0 or from 1: stated, or proved by the ids; never guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data.formats import BowDataset, Options, read
from reimpl.data.formats.numbering import numbered
from reimpl.errors import DataError
from tests.data.formats.made import lay


def ids(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("train", "test", "size", "stated", "first", "n"),
    [
        # id 0 proves counting from 0, in whichever split it stands
        (ids(0, 3), ids(1), 5, None, 0, 5),
        (ids(2, 3), ids(0), 5, None, 0, 5),
        (ids(2, 3), ids(0), None, None, 0, 4),
        # an id equal to the size proves counting from 1
        (ids(1, 5), ids(2), 5, None, 1, 5),
        # otherwise it is stated
        (ids(1, 3), ids(2), 5, 0, 0, 5),
        (ids(1, 3), ids(2), 5, 1, 1, 5),
        (ids(1, 3), ids(2), None, 0, 0, 4),
        (ids(1, 3), ids(2), None, 1, 1, 3),
        # without any id there is nothing to shift
        (ids(), ids(), 5, None, 0, 5),
        (ids(), ids(), None, None, 0, 0),
    ],
)
def test_accepted(
    train: np.ndarray, test: np.ndarray, size: int | None, stated: None, first: int, n: int
) -> None:
    found = numbered("toy", "label", {"train": train, "test": test}, size=size, stated=stated)
    assert (found.first, found.size) == (first, n)
    assert (found.note is None) == (stated is not None or len(train) == 0)


@pytest.mark.parametrize(
    ("values", "size", "stated", "message"),
    [
        (ids(1, 3), 5, None, "run from 1 to 3, which fits counting from 0 and from 1; state labels_from=0"),
        (ids(1, 2, 3), None, None, "label ids run from 1 to 3, which fits"),
        (ids(0, 3), 5, 1, "label id 0 occurs, but labels_from=1 is stated"),
        (ids(0, 5), 5, None, "label id 5, counted from 0, but 5 labels in the header"),
        (ids(1, 5), 5, 0, "label id 5, counted from 0, but 5 labels in the header"),
        (ids(1, 6), 5, None, "label id 6, but 5 labels in the header; is it the right file"),
        (ids(1, 6), 5, 1, "label id 6, counted from 1, but 5 labels in the header"),
    ],
)  # fmt: skip
def test_asked_or_refused(values: np.ndarray, size: int | None, stated: None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        numbered("toy", "label", {"train": values}, size=size, stated=stated)


def test_a_file_of_ids_1_to_3_is_asked_about_and_read_as_stated(tmp_path: Path) -> None:
    """Features and labels each for themselves: LIBSVM's files count features from 1 and labels from 0."""
    path = lay(tmp_path / "toy", {"train.txt": b"1 4 4\n1,3 1:1 3:2\n", "test.txt": b"1 4 4\n2 2:1\n"})
    with pytest.raises(
        DataError, match=r"feature ids run from 1 to 3.* state features_from=0 or features_from=1"
    ):
        read(path)
    with pytest.raises(DataError, match=r"label ids run from 1 to 3.* state labels_from=0 or labels_from=1"):
        read(path, Options(features_from=1))
    dataset = read(path, Options(features_from=1, labels_from=0))
    assert isinstance(dataset, BowDataset)
    assert dataset.train.indices.tolist() == [0, 2]
    assert dataset.train.label_ids.tolist() == [1, 3]
