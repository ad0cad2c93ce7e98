"""Numbering words and labels in one pass, however the documents come in."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import chunks, numbering
from reimpl.data.dataset import ragged
from reimpl.data.encode import Numbers, Ragged
from reimpl.data.parallel import Here
from reimpl.data.source import Document
from reimpl.data.tokenise import LIU, STUDY
from tests.data.sources import Made, numbered, texts

ROWS = st.lists(st.lists(st.integers(0, 9)))


def rows_of(table: Ragged) -> list[list[int]]:
    return [table.values[a:b].tolist() for a, b in pairwise(table.offsets)]


def tokens_of(numbers: Numbers, split: str) -> list[list[int]]:
    part = numbers.splits[split]
    values, ends = part.tokens.reader()(part.tokens.size).tolist(), np.cumsum(part.kept).tolist()
    return [values[a:b] for a, b in pairwise([0, *ends])]


def counts_of(numbers: Numbers, split: str) -> list[dict[int, int]]:
    part = numbers.splits[split]
    assert part.counted is not None
    words, times = (spool.reader()(spool.size).tolist() for spool in part.counted)
    ends = np.cumsum(part.distinct).tolist()
    return [dict(zip(words[a:b], times[a:b], strict=True)) for a, b in pairwise([0, *ends])]


def test_one_pass_over_documents() -> None:
    """Words, labels and lengths of three documents; numerals are dropped before anything is counted."""
    documents = [Document(("b", "a"), "The 12 cat"), Document((), ""), Document(("a", "a"), "cat the Cat")]
    numbers = numbered(Made({"train": documents}), STUDY)
    part = numbers.splits["train"]
    assert list(numbers.words) == ["the", "cat"]
    assert list(numbers.labels) == ["b", "a"]
    assert tokens_of(numbers, "train") == [[0, 1], [], [1, 0, 1]]
    assert rows_of(part.labels) == [[0, 1], [], [1, 1]]
    assert (part.words.tolist(), part.kept.tolist(), part.unlabelled) == ([2, 0, 3], [2, 0, 3], 1)
    assert counts_of(numbers, "train") == [{0: 1, 1: 1}, {}, {0: 1, 1: 2}]
    assert numbers.documents_with.values[:2].tolist() == [2, 2]


def test_the_cut_keeps_the_whole_length() -> None:
    """Words behind the cut are no tokens, but count in the length and in the document's words."""
    numbers = numbered(texts(["a b c d", "d"], ["e"]), LIU, length=2)
    assert tokens_of(numbers, "train") == [[0, 1], [3]]
    assert numbers.splits["train"].words.tolist() == [4, 1]
    assert counts_of(numbers, "train") == [{0: 1, 1: 1, 2: 1, 3: 1}, {3: 1}]
    # of the kept words of train and test together: a, b, d, e
    never = numbers.kept_first.start
    assert numbers.kept_times.values[:5].tolist() == [1, 1, 0, 1, 1]
    assert numbers.kept_first.values[:5].tolist() == [0, 1, never, 2, 3]


def test_a_piece_of_several_words() -> None:
    """A sign beyond ASCII parts words inside a piece, wherever the piece stands."""
    numbers = numbered(texts(["x\u2013y z", "y", "x\u2013y x\u2013y", "\u2013"]), STUDY)
    assert tokens_of(numbers, "train") == [[0, 1, 2], [1], [0, 1, 0, 1], []]


def test_an_empty_text_is_a_word_of_liu() -> None:
    """It gets the number of the empty word, between its neighbours."""
    numbers = numbered(texts(["a", "", "b", "\u00e9"]), LIU)
    assert tokens_of(numbers, "train") == [
        [0],
        [numbers.words[""]],
        [numbers.words["b"]],
        [numbers.words[""]],
    ]


def test_no_documents() -> None:
    """Nothing in, nothing out."""
    numbers = numbered(Made({"train": []}), STUDY)
    assert (numbers.splits["train"].size, numbers.words) == (0, {})


DOCUMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["a", "b", "c c", ""]), max_size=3),
        st.text("xyz \u2013\u00c9'1", max_size=8),
    ),
    max_size=8,
)


@given(train=DOCUMENTS, test=DOCUMENTS, size=st.integers(1, 400), most=st.integers(1, 9))
def test_the_size_of_chunks_makes_no_difference(
    train: list[Any], test: list[Any], size: int, most: int
) -> None:
    """One document a chunk or all in one, and a numbering that forgets now and then: the same numbers."""
    parts = {
        split: [Document(tuple(labels), text) for labels, text in rows]
        for split, rows in (("train", train), ("test", test))
    }
    whole = numbered(Made(parts), STUDY, length=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK", size)
        patch.setattr(numbering, "MOST_PIECES", most)
        cut = numbered(Made(parts), STUDY, length=3, by=Here(STUDY))
    assert (list(cut.words), list(cut.labels)) == (list(whole.words), list(whole.labels))
    for name in ("documents_with", "kept_times", "kept_first"):
        n = len(whole.words)
        one, two = (getattr(it, name).upto(n)[:n].tolist() for it in (whole, cut))
        assert one == two
    for split in parts:
        assert tokens_of(cut, split) == tokens_of(whole, split)
        assert counts_of(cut, split) == counts_of(whole, split)
        assert rows_of(cut.splits[split].labels) == rows_of(whole.splits[split].labels)
        assert str(cut.splits[split].content) == str(whole.splits[split].content)
        assert cut.splits[split].content.total == whole.splits[split].content.total


@given(rows=ROWS)
def test_ragged_operations_equal_lists(rows: list[list[int]]) -> None:
    """Dropping and filling do to the flat array what they do to the lists."""
    table = Ragged(*ragged(rows))
    assert rows_of(table.filled(7)) == [row or [7] for row in rows]
    assert rows_of(table.where(table.values > 4)) == [[v for v in row if v > 4] for row in rows]
    assert table.rows.tolist() == [i for i, row in enumerate(rows) for _ in row]
