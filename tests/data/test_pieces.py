"""Codes of pieces: what a dict would say, whatever the table holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import pieces as module
from reimpl.data.pieces import Pieces

ALPHABET = "abcdefgh\u00e9\u4f60"
PIECE = st.text(ALPHABET, min_size=1, max_size=3) | st.text(ALPHABET, min_size=1, max_size=30)


class Numbers(dict[str, int]):
    def __missing__(self, word: str) -> int:
        self[word] = len(self)
        return self[word]


def words_of(piece: bytes) -> Sequence[str]:
    """Pieces with an a in front are dropped, others fall apart at each b."""
    text = piece.decode()
    return [] if text.startswith("a") else [word for word in text.split("b") if word]


def plainly(texts: Sequence[Sequence[str]], numbers: Numbers) -> tuple[list[int], list[int]]:
    found: list[int] = []
    ends = []
    for text in texts:
        found += [numbers[word] for piece in text for word in words_of(piece.encode())]
        ends.append(len(found))
    return found, ends


@given(
    chunks=st.lists(st.lists(st.lists(PIECE, max_size=12), max_size=4), max_size=5),
    bits=st.integers(1, 6),
    gap=st.sampled_from([" ", "   "]),
)
def test_equals_a_dict(chunks: list[list[list[str]]], bits: int, gap: str) -> None:
    """Chunk after chunk, with a table so small that most pieces find their slot taken."""
    numbers, expected = Numbers(), Numbers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BITS", bits)
        pieces = Pieces(words_of, numbers)
        for texts in chunks:
            flat = "".join(gap + gap.join(text) + gap + "\0" for text in texts).encode()
            found, ends = pieces.numbered(flat)
            assert (found.tolist(), ends.tolist()) == plainly(texts, expected)
            assert found.dtype == np.int32
    # numbers are given in the order of first appearance
    assert list(numbers) == list(expected)


def test_a_word_is_looked_at_once() -> None:
    """Each distinct piece is turned into words a single time, short or long, many times in a chunk or not."""
    seen: list[bytes] = []

    def noted(piece: bytes) -> Sequence[str]:
        seen.append(piece)
        return (piece.decode(),)

    pieces = Pieces(noted, Numbers())
    flat = b"one two one a-piece-of-more-than-sixteen-bytes one\0two a-piece-of-more-than-sixteen-bytes\0"
    for _ in range(3):
        pieces.numbered(flat)
    assert sorted(seen) == [b"a-piece-of-more-than-sixteen-bytes", b"one", b"two"]


@pytest.mark.parametrize("bits", [1, 4, 19])
@pytest.mark.parametrize("size", [7, 8, 9, 15, 16, 17, 24])
def test_pieces_that_differ_in_one_byte(size: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every place, and by what stands behind them, also where they fall into the same slot."""
    monkeypatch.setattr(module, "_BITS", bits)
    base = b"x" * size
    forms = [base, base[:-1], base + b"x", *(base[:n] + b"y" + base[n + 1 :] for n in range(size))]
    pieces = Pieces(lambda piece: (piece.decode(),), Numbers())
    for _ in range(2):
        found, ends = pieces.numbered(b" ".join(forms) + b"\0" + forms[0] + b"\0")
        assert found.tolist() == [*range(len(forms)), 0]
        assert ends.tolist() == [len(forms), len(forms) + 1]
