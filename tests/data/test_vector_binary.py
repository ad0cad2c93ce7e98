"""word2vec's binary form: what is read, counted and refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.formats import inputs
from reimpl.data.formats.inputs import File
from reimpl.data.vector_binary import binary_chunks
from reimpl.data.vector_reading import Tally
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.vector_files import binary

WORDS = ["the", "New_York", "", "café"]


def read(path: Path, dimension: int | None = None) -> tuple[list[bytes], list[list[float]], Tally]:
    tally, words, rows = Tally(), [], []
    for chunk in binary_chunks(File(path), tally, dimension=dimension):
        words += chunk.words
        rows += chunk.rows.tolist()
    return words, rows, tally


def by_hand() -> bytes:
    """Two words of three numbers, byte by byte: 1 is 3f800000, -2 is c0000000, 0.5 is 3f000000."""
    one, minus_two, half = b"\0\0\x80\x3f", b"\0\0\0\xc0", b"\0\0\0\x3f"
    return b"2 3\na " + one + minus_two + half + b"\nb " + half + half + one + b"\n"


def test_numbers_are_little_endian_float32(tmp_path: Path) -> None:
    words, rows, tally = read(write(tmp_path / "v.bin", by_hand()))
    assert (words, rows) == ([b"a", b"b"], [[1, -2, 0.5], [0.5, 0.5, 1]])
    assert (tally.dimension, tally.lines, tally.header, tally.stored) == (3, 2, True, "float32")


@pytest.mark.parametrize("feed", [b"\n", b""])
@pytest.mark.parametrize("block", [5, 13, 64, 1 << 20])
def test_with_and_without_line_feeds_over_any_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, feed: bytes, block: int
) -> None:
    """Numbers may hold the bytes of a line feed or a space; 0x20202020 and 0x0a0a0a0a do."""
    monkeypatch.setattr(inputs.blocks, "__defaults__", (block,))
    tricky = np.frombuffer(b"    \n\n\n\n", dtype="<f4").tolist()
    words = [f"w{i}" for i in range(50)]
    values = [[float(i), *tricky] for i in range(50)]
    content = binary(words, values, feed=feed)
    if block < 16:  # the header must be in the first block
        monkeypatch.setattr(inputs.blocks, "__defaults__", (len(b"50 3\n") + block,))
    found = read(write(tmp_path / "v.bin", content))
    assert found[:2] == ([word.encode() for word in words], values)


def test_rows_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    values = [[1, 2], [math.nan, 1], [1, math.inf], [5, 6]]
    words, rows, tally = read(write(tmp_path / "v.bin", binary(["a", "b", "c", "d"], values)))
    assert (words, rows) == ([b"a", b"d"], [[1, 2], [5, 6]])
    assert (tally.lines, tally.bad, tally.first_bad) == (4, 2, (2, "nan is no finite number"))


def test_an_empty_word_is_bad(tmp_path: Path) -> None:
    words, _, tally = read(write(tmp_path / "v.bin", binary(WORDS, [[1, 2]] * 4)))
    assert words == [b"the", b"New_York", "café".encode()]
    assert tally.first_bad == (3, "no word")


def test_every_cut_is_refused(tmp_path: Path) -> None:
    """But for the last line feed, which gensim leaves out."""
    whole = by_hand()
    for cut in range(len(whole) - 1):
        with pytest.raises(DataError, match=r"v\.bin: "):
            read(write(tmp_path / "v.bin", whole[:cut]))
    assert len(read(write(tmp_path / "v.bin", whole[:-1]))[0]) == 2


@pytest.mark.parametrize(
    ("content", "dimension", "message"),
    [
        (b"", None, "does not begin with a line of two numbers, as word2vec's binary files do"),
        (b"the 1 2\n", None, "does not begin with a line of two numbers, as word2vec's binary files do"),
        (by_hand()[:-10], None, "1 vectors where its header says 2; it is cut off, get a whole copy"),
        (by_hand() + b"c", None, "more bytes after the 2 vectors that its header says; get a whole copy"),
        (by_hand() * 2, None, "more bytes after the 2 vectors that its header says; get a whole copy"),
        (by_hand(), 2, "vectors of 3 dimensions, but 2 stated; correct the dimension"),
        (b"2 0\na b ", None, "vectors of 0 numbers by its header; at most 10000 are read"),
        (b"2 999999999999\na b ", None, "vectors of 999999999999 numbers by its header; at most 10000"),
        (b"2 3\n" + b"x" * 70_000, None, "no word before vector 1, which its header announces"),
    ],
)
def test_refused(tmp_path: Path, content: bytes, dimension: int | None, message: str) -> None:
    path = write(tmp_path / "v.bin", content)
    with pytest.raises(DataError) as caught:
        read(path, dimension)
    assert str(caught.value).startswith(f"{path}: {message}")
