"""Word vectors as text: which word and which numbers a line holds, what is counted and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import vector_text
from reimpl.data.decimals import number
from reimpl.data.formats.inputs import File
from reimpl.data.vector_reading import Tally, tolerated
from reimpl.data.vector_text import complaint_of, split_line, text_chunks
from reimpl.errors import DataError
from tests.data.corpora import write

LINES = ["the 0.1 -2", "cat 3 4e-1", "dog 5 6"]


def read(path: Path, dimension: int | None = None) -> tuple[list[str], list[list[float]], Tally]:
    tally, words, rows = Tally(), [], []
    for chunk in text_chunks(File(path), tally, dimension=dimension):
        assert chunk.rows.dtype == np.float32 and len(chunk.rows) == len(chunk.words)
        words += [word.decode("utf-8", "backslashreplace") for word in chunk.words]
        rows += chunk.rows.tolist()
    return words, rows, tally


def f32(*values: float) -> list[float]:
    return [float(np.float32(it)) for it in values]


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "  \n", " \r\n"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_words_and_numbers(tmp_path: Path, suffix: str, end: str) -> None:
    """However lines end, and however the file is packed."""
    words, rows, tally = read(write(tmp_path / f"v.txt{suffix}", LINES, end=end))
    assert words == ["the", "cat", "dog"]
    assert rows == [f32(0.1, -2), f32(3, 0.4), f32(5, 6)]
    assert tally == Tally(dimension=2, lines=3)


@pytest.mark.parametrize("mark", ["\t", "  ", " \t "])
def test_fields_are_parted_by_tabs_and_by_more_than_one_space(tmp_path: Path, mark: str) -> None:
    lines = [line.replace(" ", mark) for line in LINES]
    assert read(write(tmp_path / "v.txt", lines))[:2] == read(write(tmp_path / "w.txt", LINES))[:2]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b". . . 0.1 0.2", b". . ."),
        (b"to name@domain.com 1 2", b"to name@domain.com"),
        (b"3 1 2", b"3"),
        (b"fast 1 2 ", b"fast"),
        (b"tab\t1\t2", b"tab"),
        (b"two  spaces  1  2", b"two  spaces"),
    ],
)
def test_the_last_fields_are_the_numbers(line: bytes, word: bytes) -> None:
    """All that stands before the last E fields is the word, spaces included."""
    parts = split_line(line, 2)
    assert parts is not None
    assert parts[0] == word
    assert len(parts[1]) == 2


@pytest.mark.parametrize("line", [b"", b"   ", b"word", b"word 1", b" 1 2", b"word 1 2 3", b"of two 7 1 2"])
def test_too_few_numbers_or_too_many(line: bytes) -> None:
    """A word cannot end in a number after a space: that is a vector of another dimension."""
    assert split_line(line, 2) is None


def test_words_that_hold_spaces(tmp_path: Path) -> None:
    """They are found under their whole name and counted."""
    words, rows, tally = read(write(tmp_path / "v.txt", [*LINES, ". . . 7 8", "at x.com 1 2"]))
    assert words[3:] == [". . .", "at x.com"]
    assert rows[3:] == [[7, 8], [1, 2]]
    assert (tally.with_spaces, tally.bad, tally.lines) == (2, 0, 5)


def test_a_header_is_no_word(tmp_path: Path) -> None:
    """Two whole numbers in front, as word2vec and fastText write them; fastText ends its lines in a space."""
    for end in ("\n", " \n"):
        words, _, tally = read(write(tmp_path / "v.vec", ["3 2", *LINES], end=end))
        assert (words, tally.header, tally.lines, tally.bad) == (["the", "cat", "dog"], True, 3, 0)


def test_one_dimension_has_no_header(tmp_path: Path) -> None:
    """Where each line is a word and one number, a first line `7 1` is a word too."""
    words, rows, tally = read(write(tmp_path / "v.txt", ["7 1", "the 2", "x 3"]))
    assert (words, rows, tally.header) == (["7", "the", "x"], [[1], [2], [3]], False)


@pytest.mark.parametrize(
    "word", ["nan", "inf", "1e5", ".", "-", "a\u00a0b", "\u2028", "a\x85b", "\ufeffx", "a\x0bb"]
)
def test_words_that_trip_other_readers(tmp_path: Path, word: str) -> None:
    """Numbers as words, and white space that is neither a space, a tab nor a line feed."""
    assert read(write(tmp_path / "v.txt", ["the 1 2", f"{word} 3 4"]))[:2] == (
        ["the", word],
        [[1, 2], [3, 4]],
    )


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    assert read(write(tmp_path / "v.txt", b"\xef\xbb\xbfthe 1 2\n"))[0] == ["the"]


def test_blank_lines_are_no_lines(tmp_path: Path) -> None:
    words, _, tally = read(write(tmp_path / "v.txt", ["the 1 2", "", "cat 3 4", "  ", ""]))
    assert (words, tally.lines, tally.bad) == (["the", "cat"], 2, 0)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("short 1", "1 numbers after a word, not 2"),
        ("short", "0 numbers after a word, not 2"),
        (" 1 2", "1 numbers after a word, not 2"),
        ("cat  2", "1 numbers after a word, not 2"),
        ("long 1 2 3", "3 numbers, not 2"),
        ("longer 1 2 3 4", "4 numbers, not 2"),
        ("cat x 1", "'x' is no finite number"),
        ("cat 1 nan", "'nan' is no finite number"),
        ("cat -inf 1", "'-inf' is no finite number"),
        ("cat 1 1e300", "'1e300' is no finite number"),
        ("cat 1 1_0", "'1_0' is no finite number"),
        ("cat 1.2.3 1", "'1.2.3' is no finite number"),
        ("cat 1,5 1", "'1,5' is no finite number"),
    ],
)
def test_bad_lines_are_left_out_counted_and_the_first_is_named(
    tmp_path: Path, line: str, reason: str
) -> None:
    """Whether the lines around them are even or one holds a word with spaces."""
    for other in ("o 1 2", "o o 1 2"):
        lines = ["a 1 2", "b 3 4", line, other, "c 5 6", "d 1 x"]
        words, rows, tally = read(write(tmp_path / "v.txt", lines))
        assert words == ["a", "b", other[:-4], "c"]
        assert rows == [[1, 2], [3, 4], [1, 2], [5, 6]]
        assert (tally.lines, tally.bad, tally.first_bad) == (6, 2, (3, reason))
    assert complaint_of(line.encode(), 2) == reason


def test_the_line_is_counted_from_the_top_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over blocks, behind a header and blank lines; the words keep their order."""
    monkeypatch.setattr(vector_text, "_BLOCK", 40)
    lines = ["52 2", *(f"w{i} {i}.5 1" for i in range(50)), "", "bad", "z 1 2"]
    words, rows, tally = read(write(tmp_path / "v.txt", lines))
    assert words == [*(f"w{i}" for i in range(50)), "z"]
    assert rows[:50] == [[i + 0.5, 1] for i in range(50)]
    assert tally.first_bad == (53, "0 numbers after a word, not 2")


@pytest.mark.parametrize("end", ["\r\n", " \n", "\t\n"])
def test_lines_may_end_otherwise_than_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Where the start of a file says nothing of it."""
    monkeypatch.setattr(vector_text, "_START", 4)
    words, rows, tally = read(write(tmp_path / "v.txt", f"the 1 2\ncat 3 4{end}dog 5 6{end}".encode()))
    assert (words, rows, tally.bad) == (["the", "cat", "dog"], [[1, 2], [3, 4], [5, 6]], 0)


def test_words_that_are_not_utf8_are_kept_and_counted(tmp_path: Path) -> None:
    """They match nothing; the first is named with its line."""
    path = write(tmp_path / "v.txt", b"the 1 2\ncaf\xe9 3 4\ncat 5 6\n\xff 7 8\n")
    words, rows, tally = read(path)
    assert (words, len(rows)) == (["the", "caf\\xe9", "cat", "\\xff"], 4)
    assert (tally.not_utf8, tally.first_not_utf8) == (2, (2, "'caf\\xe9'"))


def test_a_last_line_without_an_end_is_told(tmp_path: Path) -> None:
    words, rows, tally = read(write(tmp_path / "v.txt", b"the 1 2\ncat 3 4.2"))
    assert (words, rows[1], tally.open_end) == (["the", "cat"], f32(3, 4.2), True)


@pytest.mark.parametrize("cut", [b"cat 3", b"cat", b"cat 3 -", b"cat 3 4e", b"a cat 3"])
def test_a_last_line_that_breaks_off_is_refused(tmp_path: Path, cut: bytes) -> None:
    path = write(tmp_path / "v.txt", b"the 1 2\n" * 50 + cut)
    with pytest.raises(DataError, match=r"v\.txt:51: the file is cut off in this line; get a whole copy"):
        read(path)


@pytest.mark.parametrize(
    ("content", "dimension", "message"),
    [
        (b"", None, ": no line with a word and numbers"),
        (b"\n\n", None, ": no line with a word and numbers"),
        (b"some words here\nand more words\n", None, ": no line with a word and numbers"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", None, ": no line with a word and numbers"),
        (b"3 2\n", None, ": no line with a word and numbers"),
        (b"the 1 2\n", 3, ": vectors of 2 dimensions, but 3 stated; correct the dimension"),
        (b"1 5\nthe 1 2\n", None, ": vectors of 2 dimensions, but 5 in its header"),
        (
            b"4 2\nthe 1 2\ncat 3 4\n",
            None,
            ": 2 lines where its header says 4; it is cut off, get a whole copy",
        ),
        (b"1 2\nthe 1 2\ncat 3 4\n", None, ": 2 lines where its header says 1; correct its first line"),
        (b"the 1 2\nc\0t 3 4\n", None, ":2: a NUL byte; the file is binary or UTF-16, convert it to UTF-8"),
    ],
)
def test_refused(tmp_path: Path, content: bytes, dimension: int | None, message: str) -> None:
    """A file that is no table of vectors, or not the one that was meant, is an error that names it."""
    path = write(tmp_path / "v.txt", content)
    with pytest.raises(DataError) as caught:
        read(path, dimension)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_cut_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    """A packed file that ends too early is an error with the last whole line that was read before."""
    monkeypatch.setattr(vector_text, "_BLOCK", 1000)
    rng = np.random.default_rng(0)
    path = write(tmp_path / f"v.txt{suffix}", [f"w{i} {rng.random()} 1" for i in range(5000)])
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError) as caught:
        read(path)
    place, _, what = str(caught.value).removeprefix(f"{path}:").partition(": ")
    assert 4000 < int(place) < 5000
    assert what.startswith("somewhere after this line, the file is cut off; get a whole copy")


def test_how_many_bad_lines_are_tolerated() -> None:
    """Half of a few lines less one, ten of some hundreds, one in a hundred of many."""
    assert [tolerated(n) for n in (1, 2, 3, 5, 21, 22, 1000, 1100, 400_000)] == [
        0,
        0,
        1,
        2,
        10,
        10,
        10,
        11,
        4000,
    ]


_PIECES = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r "), min_size=1, max_size=5)
_WORDS = (
    st.lists(_PIECES, min_size=1, max_size=4)
    .map(" ".join)
    .filter(
        lambda word: (
            " " not in word
            or number(word.rpartition(" ")[2].encode()) != number(word.rpartition(" ")[2].encode())
        )
    )
)


@given(
    st.integers(1, 4).flatmap(
        lambda size: st.lists(
            st.tuples(
                _WORDS,
                st.lists(
                    st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=size, max_size=size
                ),
            ),
            min_size=1,
            max_size=12,
        )
    ),
    st.sampled_from(["\n", "\r\n", " \n"]),
)
def test_any_words_come_back_whole(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, list[float]]], end: str
) -> None:
    """Any text without the separators, and such texts with spaces between, with any float32 numbers."""
    lines = [f"{word} {' '.join(map(repr, values))}" for word, values in drawn]
    # an ordinary line in front says what the dimension is, and that there is no header
    lines.insert(0, f"the {' '.join(['0.5'] * len(drawn[0][1]))}")
    path = write(tmp_path_factory.mktemp("any") / "v.txt", lines, end=end)
    words, rows, tally = read(path)
    assert words == ["the", *(word for word, _ in drawn)]
    assert rows[1:] == [values for _, values in drawn]
    assert (tally.lines, tally.bad) == (len(lines), 0)
