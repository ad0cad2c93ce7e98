"""Plans of batches, against loops over documents and against an order worked out by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reimpl.batching import Plan, scoring_plan, training_plan
from reimpl.data.dataset import Split
from tests.toys import topics, toy_protocol

SHUFFLES = ("documents", "batches")
#: Lengths, and the labels of each document; the third document is empty, the second has no label.
LENGTHS, LABELS = [3, 1, 0, 7, 2], [[0, 4], [], [2], [1, 3, 5], [4]]


def protocol(shuffle: str = "documents", **changes: Any) -> Any:
    return toy_protocol(shuffle=shuffle, **{"padding": "batch", "batch_size": 2, **changes})


def blocks(plan: Plan) -> list[list[int]]:
    return [plan.order[lo:hi].tolist() for lo, hi in pairwise(plan.starts)]


def pairs(plan: Plan, i: int) -> set[tuple[int, int]]:
    lo, hi = plan.label_starts[i], plan.label_starts[i + 1]
    return set(zip(plan.label_rows[lo:hi].tolist(), plan.label_cols[lo:hi].tolist(), strict=True))


def naive_pairs(split: Split, documents: list[int]) -> set[tuple[int, int]]:
    """(row in the batch, label) of every positive, document by document."""
    offsets = split.label_offsets
    return {
        (row, int(label))
        for row, document in enumerate(documents)
        for label in split.label_ids[offsets[document] : offsets[document + 1]]
    }


@pytest.mark.parametrize("shuffle", SHUFFLES)
@given(n=st.integers(0, 40), size=st.integers(1, 9), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_every_document_comes_once_an_epoch_with_its_labels(
    shuffle: str, n: int, size: int, seed: int
) -> None:
    split = topics(n, seed=seed)
    plan = training_plan(split, protocol(shuffle, batch_size=size), 1, np.random.default_rng(seed))
    assert sorted(plan.order.tolist()) == list(range(n))
    assert len(plan) == -(-n // size)
    assert [len(block) <= size for block in blocks(plan)] == [True] * len(plan)
    for i, block in enumerate(blocks(plan)):
        assert pairs(plan, i) == naive_pairs(split, block)
    assert plan.label_starts[-1] == len(split.label_ids) == len(plan.label_rows)


class _Reversed:
    """A generator whose permutation of n is n-1, ..., 0."""

    def permutation(self, n: int) -> Any:
        return np.arange(n)[::-1]


def test_widths_follow_the_padding_rule() -> None:
    split = Split.from_lists([[1] * n for n in LENGTHS], LABELS)

    def widths(**changes: Any) -> list[int]:
        return training_plan(split, protocol("batches", **changes), 1, _Reversed()).widths.tolist()  # type: ignore[arg-type]

    # Reversed batches of two: (2) (0 7) (3 1) words.
    assert widths(padding="batch", length=500) == [2, 7, 3]
    assert widths(padding="split", length=500) == [7, 7, 7]
    assert widths(padding="length", length=500) == [500, 500, 500]


def test_scoring_goes_by_length_where_the_width_is_free_and_in_file_order_elsewhere() -> None:
    split = Split.from_lists([[1] * n for n in LENGTHS], LABELS)
    free = scoring_plan(split, protocol(padding="batch"), 1)
    assert blocks(free) == [[2, 1], [4, 0], [3]]  # 0 1, 2 3, 7 words
    assert free.widths.tolist() == [1, 3, 7]
    for padding in ("length", "split"):
        assert scoring_plan(split, protocol(padding=padding), 1).order.tolist() == [0, 1, 2, 3, 4]
    told = scoring_plan(split, protocol(padding="batch"), 1, file_order=True)
    assert told.order.tolist() == [0, 1, 2, 3, 4]
    assert told.widths.tolist() == [max(LENGTHS[:2]), max(LENGTHS[2:4]), LENGTHS[4]]
