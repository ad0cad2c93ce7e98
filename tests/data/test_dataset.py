"""`Split` and `Dataset`: flat arrays that describe N documents, or an error."""

from __future__ import annotations

import numpy as np

from reimpl.data.dataset import Split


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
