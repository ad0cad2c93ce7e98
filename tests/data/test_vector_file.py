"""Text files of word vectors: what is read, counted and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data.vector_file import read_vectors, split_line
from reimpl.errors import DataError
from tests.data.corpora import write

LINES = ["the 0.1 -2", "cat 3 4e-1", "dog 5 6"]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_rows_in_the_order_of_the_words(tmp_path: Path, suffix: str) -> None:
    """A row a word; a word that the file lacks is not found and zero."""
    read = read_vectors(write(tmp_path / f"v.txt{suffix}", LINES), ["dog", "bird", "the"])
    assert read.rows.dtype == np.float32
    np.testing.assert_array_equal(read.rows, np.array([[5, 6], [0, 0], [0.1, -2]], dtype=np.float32))
    assert (read.found.tolist(), read.lines, read.header) == ([True, False, True], 3, False)
    assert (read.bad_lines, read.duplicates, read.with_spaces) == (0, 0, 0)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b". . . 0.1 0.2", b". . ."),
        (b"to name@domain.com 1 2", b"to name@domain.com"),
        (b"3 1 2", b"3"),
        (b"fast 1 2 ", b"fast"),
        (b"tab\t1\t2", b"tab"),
    ],
)
def test_the_last_fields_are_the_numbers(line: bytes, word: bytes) -> None:
    """All that stands before the last E fields is the word, spaces included."""
    parts = split_line(line, 2)
    assert parts is not None
    assert parts[0] == word
    assert len(parts[1]) == 2


@pytest.mark.parametrize("line", [b"", b"   ", b"word", b"word 1", b" 1 2"])
def test_too_few_fields(line: bytes) -> None:
    """A line without a word and E numbers is none."""
    assert split_line(line, 2) is None


def test_words_that_hold_spaces(tmp_path: Path) -> None:
    """They are found under their whole name and counted."""
    read = read_vectors(write(tmp_path / "v.txt", [*LINES, ". . . 7 8", "at x.com 1 2"]), [". . .", "the"])
    assert (read.rows[0].tolist(), read.with_spaces, read.bad_lines) == ([7, 8], 2, 0)


def test_a_word2vec_header_is_seen(tmp_path: Path) -> None:
    """Two whole numbers in front are a header, not a word."""
    read = read_vectors(write(tmp_path / "v.txt", ["3 2", *LINES]), ["the", "3"])
    assert (read.header, read.lines, read.found.tolist()) == (True, 3, [True, False])


def test_one_dimension_has_no_header(tmp_path: Path) -> None:
    """Where each line is a word and one number, a first line `7 1` is a word too."""
    read = read_vectors(write(tmp_path / "v.txt", ["7 1", "the 2", "x 3"]), ["7"])
    assert (read.header, read.rows.tolist()) == (False, [[1.0]])


def test_bad_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    """Too few fields anywhere, and no number, NaN, infinity or overflow for a wanted word."""
    bad = ["short 1", "", "cat x 1", "cat nan 1", "cat 1 inf", "cat 1 1e300", "cat 1 2"]
    read = read_vectors(write(tmp_path / "v.txt", [*["o 1 2"] * 9, *bad]), ["cat"])
    assert (read.bad_lines, read.rows.tolist(), read.lines) == (6, [[1, 2]], 16)


def test_the_first_of_two_vectors_stays(tmp_path: Path) -> None:
    """A wanted word met again is counted."""
    read = read_vectors(write(tmp_path / "v.txt", [*LINES, "cat 9 9", "cat 8 8"]), ["cat"])
    assert (read.rows.tolist(), read.duplicates) == ([[3, np.float32(0.4)]], 2)


@pytest.mark.parametrize("mark", ["\u00a0", "\u2028", "\x85"])
def test_words_with_other_white_space(tmp_path: Path, mark: str) -> None:
    """Only the space and the tab part fields, and only the line feed parts lines."""
    word = f"a{mark}b"
    assert read_vectors(write(tmp_path / "v.txt", [f"{word} 1 2"]), [word]).found.tolist() == [True]


@pytest.mark.parametrize(
    ("why", "lines", "dimension", "message"),
    [
        ("empty", [], None, "no line with a word and numbers"),
        ("a text", ["some words here", "and more words"], None, "no line with a word and numbers"),
        ("header only", ["3 2"], None, "no line with a word and numbers"),
        ("other dimension", LINES, 3, "vectors of 2 dimensions, but 3 stated"),
        (
            "header of another dimension",
            ["3 5", *LINES],
            None,
            "vectors of 2 dimensions, but 5 in its header",
        ),
        (
            "fewer lines than its header says",
            ["4 2", *LINES],
            None,
            "3 lines where its header says 4; it is cut off",
        ),
        ("mostly bad", ["the 1 2", "x", "y", "z"], None, "3 of 4 lines are no word with 2 numbers"),
        ("other words", ["le 1 2", "chat 3 4"], None, "none of the 1 words of the corpus has a vector"),
    ],
)
def test_refused(tmp_path: Path, why: str, lines: list[str], dimension: int | None, message: str) -> None:
    """A file that is no table of vectors, or not the one that was meant, is an error."""
    path = write(tmp_path / "v.txt", lines)
    with pytest.raises(DataError, match=f"v.txt: {message}"):
        read_vectors(path, ["the"], dimension=dimension)


def test_a_cut_file(tmp_path: Path) -> None:
    """A compressed file that ends too early is an error with the line, not fewer vectors."""
    path = write(tmp_path / "v.txt.gz", [f"w{i} {i} {i * 7}" for i in range(5000)])
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"v.txt.gz:\d+: the file is cut off"):
        read_vectors(path, ["w1"])
    with pytest.raises(DataError, match=r"none.txt: cannot be opened"):
        read_vectors(tmp_path / "none.txt", ["w1"])
