"""Numbering words and labels in one pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.dataset import ragged
from reimpl.data.encode import DROPPED, Interner, Ragged, encode
from reimpl.data.source import Document
from reimpl.data.tokenise import LIU, STUDY

ROWS = st.lists(st.lists(st.integers(0, 9)))


def rows_of(table: Ragged) -> list[list[int]]:
    return [table.values[a:b].tolist() for a, b in zip(table.offsets, table.offsets[1:], strict=False)]


def test_words_are_numbered_by_first_appearance() -> None:
    """Raw words that become one word share a number, dropped ones have none."""
    numbers = Interner(STUDY.normalise)
    assert [numbers[raw] for raw in ("The", "cat", "12", "the", "CAT", "dog")] == [0, 1, DROPPED, 0, 1, 2]
    assert numbers.words == ("the", "cat", "dog")


def test_one_pass_over_documents() -> None:
    """Words, labels and lengths of two documents; numerals are dropped before anything is counted."""
    words, labels = Interner(STUDY.normalise), Interner()
    documents = [Document(("b", "a"), "The 12 cat"), Document((), ""), Document(("a", "a"), "cat")]
    read = encode(documents, STUDY, words, labels, cut=None)
    assert rows_of(read.tokens) == [[0, 1], [], [1]]
    assert rows_of(read.labels) == [[0, 1], [], [1, 1]]
    assert read.words.tolist() == [2, 0, 1]


def test_cut_before_counting_keeps_the_whole_length() -> None:
    """Words behind the cut are not numbered, but the document's length is known."""
    words = Interner(LIU.normalise)
    read = encode([Document((), "a b c d")], LIU, words, Interner(), cut=2)
    assert (rows_of(read.tokens), words.words, read.words.tolist()) == ([[0, 1]], ("a", "b"), [4])


def test_no_documents() -> None:
    """Nothing in, nothing out."""
    read = encode([], STUDY, Interner(), Interner(), cut=None)
    assert (rows_of(read.tokens), len(read.words)) == ([], 0)


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ([Document(("a", "b"), "x")], [Document(("b", "a", "a"), "x")], True),
        ([Document(("a",), "x")], [Document(("a",), "x ")], False),
        ([Document(("a",), "x"), Document((), "y")], [Document((), "y"), Document(("a",), "x")], False),
        ([Document(("a b",), "x")], [Document(("a",), "b x")], False),
        ([Document((), "x")], [Document((), "x"), Document((), "")], False),
    ],
)
def test_content_is_labels_and_texts(one: list[Document], two: list[Document], equal: bool) -> None:
    """The order and number of a document's labels are no content; texts and the documents' order are."""
    content = [str(encode(d, STUDY, Interner(), Interner(), cut=None).content) for d in (one, two)]
    assert (content[0] == content[1]) is equal


@given(rows=ROWS, length=st.integers(0, 5))
def test_ragged_operations_equal_lists(rows: list[list[int]], length: int) -> None:
    """Cutting, selecting, dropping and filling do to the flat array what they do to the lists."""
    table = Ragged(*ragged(rows))
    assert rows_of(table.first(length)) == [row[:length] for row in rows]
    assert rows_of(table.filled(7)) == [row or [7] for row in rows]
    assert rows_of(table.where(table.values > 4)) == [[v for v in row if v > 4] for row in rows]
    keep = np.array([sum(row) % 2 == 0 for row in rows], dtype=np.bool_)
    assert rows_of(table.select(keep)) == [row for row in rows if sum(row) % 2 == 0]
    assert table.rows.tolist() == [i for i, row in enumerate(rows) for _ in row]
