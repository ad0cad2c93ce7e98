"""True labels: the forms that are taken, the ones that are refused, and the search for pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_matrix

from reimpl.errors import DataError
from reimpl.truth import Truth


def test_from_a_matrix() -> None:
    """Zeros and ones become CSR with sorted ids; a stored zero is no label."""
    matrix = csr_matrix((np.array([1, 0, 1]), np.array([2, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    truth = Truth.from_csr(matrix)
    assert (truth.offsets.tolist(), truth.labels.tolist(), truth.n_labels) == ([0, 1, 2], [2, 0], 3)
    assert matrix.nnz == 3  # the caller's matrix is left alone


@pytest.mark.parametrize("value", [2, 0.5, -1])
def test_relevance_other_than_zero_and_one_is_refused(value: float) -> None:
    """Graded, fractional or negative relevance is an error that shows the value."""
    with pytest.raises(DataError, match=f"found {value}"):
        Truth.from_csr(csr_matrix(np.array([[value, 1]])))


def test_a_label_stored_twice_is_refused() -> None:
    """A pair stored twice sums to 2, which is no relevance."""
    with pytest.raises(DataError, match=r"found 2"):
        Truth.from_csr(coo_matrix((np.ones(2, int), ([0, 0], [1, 1])), shape=(1, 2)))


@pytest.mark.parametrize(
    ("offsets", "labels", "message"),
    [
        ([0, 2], [4, 3], "document 0 has label 3 after 4"),
        ([0, 1, 3], [9, 3, 3], "document 1 has label 3 after 3"),
        ([0, 1], [10], "label id 10 of document 0 is outside 0 to 9"),
        ([0, 0, 1], [-1], "label id -1 of document 1 is outside"),
        ([0, 2], [1], "from 0 to 2"),
        ([1, 1], [1], "from 1 to 1"),
        ([0, 2, 1, 2], [1, 2], "offsets must rise"),
        ([], [], "offsets"),
        ([[0, 1]], [1], "two rows of numbers"),
        ([0, 1], [1.5], "numbers of type float64"),
    ],
)
def test_broken_csr(offsets: list[int], labels: list[int], message: str) -> None:
    """Unsorted or repeated labels, ids outside the universe and offsets that do not fit name the document."""
    with pytest.raises(DataError, match=message):
        Truth(np.array(offsets), np.array(labels), n_labels=10)


@given(
    st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=5),
    st.lists(st.integers(-1, 9), min_size=1, max_size=5),
)
def test_find_is_membership(documents: list[set[int]], ids: list[int]) -> None:
    """A pair is found exactly where the document has the label, at its place; -1 and unknown ids never."""
    truth = Truth.from_lists(documents)
    rows = np.repeat(np.arange(len(documents))[:, None], len(ids), axis=1)
    places = truth.find(rows, np.tile(ids, (len(documents), 1)))
    for row, document in enumerate(documents):
        for place, label in zip(places[row], ids, strict=True):
            assert (place >= 0) == (label in document)
            assert place < 0 or (truth.labels[place], truth.rows[place]) == (label, row)
