"""Files of word vectors in all forms: told apart, found in archives, read word by word, or refused."""

from __future__ import annotations

import math
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import files as inputs
from reimpl.data import vector_file
from reimpl.data.files import File
from reimpl.data.vector_cache import VectorCache, WordVectors, read_vectors
from reimpl.data.vector_file import Tally, chunks, is_binary, is_vector_file, locate, split_line, tolerated
from reimpl.errors import DataError, ReimplError
from tests.data.corpora import write
from tests.data.test_fuzz import mutated
from tests.data.vector_files import FORMS, binary, lay

LINES = ["the 0.1 -2", "cat 3 4e-1", "dog 5 6"]


def read(path: Path, dimension: int | None = None) -> tuple[list[str], list[list[float]], Tally]:
    """Words, rows and tally of a whole file, some bad lines or not."""
    tally, words, rows = Tally(), [], []
    for chunk in chunks(locate(path), tally, dimension=dimension):
        assert chunk.rows.dtype == np.float32 and len(chunk.rows) == len(chunk.words)
        words += [word.decode("utf-8", "backslashreplace") for word in chunk.words]
        rows += chunk.rows.tolist()
    return words, rows, tally


def f32(*values: float) -> list[float]:
    return [float(np.float32(value)) for value in values]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    """In the order of the words; a word that the file lacks is not found and zero."""
    path = lay(tmp_path, form, ["the", "cat", "dog"], [[0.1, -2], [3, 0.4], [5, 6]])
    vectors = read_vectors(path, ["dog", "bird", "the"])
    assert vectors.rows.dtype == np.float32
    np.testing.assert_array_equal(vectors.rows, np.array([[5, 6], [0, 0], [0.1, -2]], dtype=np.float32))
    assert (vectors.found.tolist(), vectors.tally.lines, vectors.tally.dimension) == (
        [True, False, True],
        3,
        2,
    )
    assert (vectors.tally.bad, vectors.tally.duplicates) == (0, 0)
    assert is_vector_file(path)


def test_the_first_of_two_vectors_stays(tmp_path: Path) -> None:
    """A wanted word met again is counted."""
    vectors = read_vectors(write(tmp_path / "v.txt", [*LINES, "cat 9 9", "cat 8 8"]), ["cat"])
    assert (vectors.rows.tolist(), vectors.tally.duplicates) == ([[3, np.float32(0.4)]], 2)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["the 1 2", "x", "y", "z"],
            ":2: 0 numbers after a word, not 2; 3 of 4 lines are no word with 2 finite numbers, "
            "so give a whole file of word vectors",
        ),
        (["le 1 2", "chat 3 4"], ": none of the 1 words of the corpus has a vector; is it the right file?"),
    ],
)
def test_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    path = write(tmp_path / "v.txt", lines)
    with pytest.raises(DataError) as caught:
        read_vectors(path, ["the"])
    assert str(caught.value) == f"{path}{message}"


def test_a_file_in_latin1_is_refused(tmp_path: Path) -> None:
    """A few such words are told, many are not UTF-8 by mistake."""
    path = write(tmp_path / "v.txt", b"the 1 2\n" + b"caf\xe9 1 2\n" * 20)
    with pytest.raises(DataError, match=r"v\.txt:2: the word 'caf\\xe9' is not UTF-8, as 20 of 21; convert"):
        read_vectors(path, ["the"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x1f\x8b\x08\x00rest", "gzip data; end its name in .gz"),
        (b"PK\x03\x04rest", "a .zip; end its name in .zip"),
        (b"BZh9rest", "bzip2 data; end its name in .bz2"),
        (
            pickle.dumps({"the": [1, 2]}, protocol=4),
            "a pickle, which may run code when read; save the vectors as",
        ),
        (b"\xba\x16\x4f\x2f\x0c\0\0\0", "a fastText model, not its vectors; give the .vec file"),
        ("the 1 2\n".encode("utf-16"), "UTF-16 text; convert it to UTF-8"),
        (b"\x93NUMPY\x01\0", "an array of numpy; end its name in .npy"),
    ],
)
def test_what_is_no_file_of_word_vectors_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path / "v.txt", content)
    with pytest.raises(DataError) as caught:
        read_vectors(path, ["the"])
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("v.bin", binary(["the"], [[1, 2]]), True),
        ("v.txt", binary(["the"], [[1, 2]]), True),
        ("v.bin", b"1 2\nthe 1 2\n", False),
        ("v.bin", b"1 1\nthe abcd", True),
        ("v.txt", b"1 2\nthe 1 2\n", False),
        ("v.bin", b"the 1 2\n", True),
        ("v.txt", b"the 1 2\n", False),
    ],
)
def test_binary_is_told_from_text_by_its_content(
    tmp_path: Path, name: str, content: bytes, expected: bool
) -> None:
    """By a header and bytes that no text holds; the name decides only where that leaves it open."""
    assert is_binary(File(write(tmp_path / name, content))) is expected


# --------------------------------------------------------------------------- archives


def glove(folder: Path) -> Path:
    """As GloVe 6B is given out: a .zip with a file for each dimension."""
    with zipfile.ZipFile(folder / "glove.6B.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for size in (1, 2, 3):
            archive.writestr(
                f"glove.6B.{size}d.txt", f"the {' '.join(['1.5'] * size)}\nof {' '.join(['2'] * size)}\n"
            )
    return folder / "glove.6B.zip"


def test_a_member_of_a_zip_by_name_or_by_dimension(tmp_path: Path) -> None:
    path = glove(tmp_path)
    assert read_vectors(path / "glove.6B.3d.txt", ["the"]).rows.tolist() == [[1.5, 1.5, 1.5]]
    assert read_vectors(path, ["the"], dimension=2).rows.tolist() == [[1.5, 1.5]]
    assert is_vector_file(path) and is_vector_file(path / "glove.6B.3d.txt")


@pytest.mark.parametrize("inside", [None, "glove.6B.4d.txt"])
def test_one_of_several_members_must_be_named(tmp_path: Path, inside: str | None) -> None:
    """The error lists them and says how."""
    path = glove(tmp_path)
    asked = path / inside if inside else path
    with pytest.raises(DataError) as caught:
        locate(asked)
    held = "glove.6B.1d.txt, glove.6B.2d.txt, glove.6B.3d.txt"
    what = "it holds" if inside is None else "no 'glove.6B.4d.txt' in it, but"
    assert str(caught.value) == f"{asked}: {what} {held}; name one of them, as {path}/glove.6B.1d.txt"


def test_an_archive_that_plays_tricks_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("../v.txt", "the 1 2\n")
    with pytest.raises(DataError, match="leads out of the archive"):
        locate(tmp_path / "v.zip")


@pytest.mark.parametrize("name", ["none.txt", "none.zip", "none.zip/v.txt", "none.npy"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"cannot be opened \(no such file\); check the path"):
        read_vectors(tmp_path / name, ["the"])
    assert not is_vector_file(tmp_path / name)


# --------------------------------------------------------------------------- text


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "  \n", " \r\n"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_words_and_numbers(tmp_path: Path, suffix: str, end: str) -> None:
    """However lines end, and however the file is packed."""
    words, rows, tally = read(write(tmp_path / f"v.txt{suffix}", LINES, end=end))
    assert words == ["the", "cat", "dog"]
    assert rows == [f32(0.1, -2), f32(3, 0.4), f32(5, 6)]
    assert tally == Tally(dimension=2, lines=3)


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


def test_the_line_is_counted_from_the_top_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over blocks, behind a header and blank lines; the words keep their order."""
    monkeypatch.setattr(vector_file, "_BLOCK", 40)
    lines = ["52 2", *(f"w{i} {i}.5 1" for i in range(50)), "", "bad", "z 1 2"]
    words, rows, tally = read(write(tmp_path / "v.txt", lines))
    assert words == [*(f"w{i}" for i in range(50)), "z"]
    assert rows[:50] == [[i + 0.5, 1] for i in range(50)]
    assert tally.first_bad == (53, "0 numbers after a word, not 2")


def test_words_that_are_not_utf8_are_kept_and_counted(tmp_path: Path) -> None:
    """They match nothing; the first is named with its line."""
    path = write(tmp_path / "v.txt", b"the 1 2\ncaf\xe9 3 4\ncat 5 6\n\xff 7 8\ndog 9 0\n")
    words, rows, tally = read(path)
    assert (words, len(rows)) == (["the", "caf\\xe9", "cat", "\\xff", "dog"], 5)
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
def test_text_refused(tmp_path: Path, content: bytes, dimension: int | None, message: str) -> None:
    """A file that is no table of vectors, or not the one that was meant, is an error that names it."""
    path = write(tmp_path / "v.txt", content)
    with pytest.raises(DataError) as caught:
        read(path, dimension)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_cut_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    """A packed file that ends too early is an error with the last whole line that was read before."""
    monkeypatch.setattr(vector_file, "_BLOCK", 1000)
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


@given(
    st.lists(st.floats(width=64, allow_nan=False, min_value=-1e38, max_value=1e38), min_size=1),
    st.integers(1, 25),
)
def test_a_number_is_the_nearest_float32_to_the_float_that_python_reads(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], digits: int
) -> None:
    """However many digits it is written with; read at once and line by line."""
    fields = [f"{value:.{digits}g}" for value in values]
    expected = np.array([float(field) for field in fields]).astype(np.float32).tolist()
    folder = tmp_path_factory.mktemp("exact")
    for word in ("the", "two words"):
        path = write(
            folder / "v.txt", [f"the {' '.join(['0.5'] * len(fields))}", f"{word} {' '.join(fields)}"]
        )
        assert read(path)[1][1] == expected


_PIECES = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r "), min_size=1, max_size=5)
_WORDS = (
    st.lists(_PIECES, min_size=1, max_size=4)
    .map(" ".join)
    .filter(
        lambda word: " " not in word or not vector_file._NUMBER.fullmatch(word.rpartition(" ")[2].encode())
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


# --------------------------------------------------------------------------- word2vec's binary form


def by_hand() -> bytes:
    """Two words of three numbers, byte by byte: 1 is 3f800000, -2 is c0000000, 0.5 is 3f000000."""
    one, minus_two, half = b"\0\0\x80\x3f", b"\0\0\0\xc0", b"\0\0\0\x3f"
    return b"2 3\na " + one + minus_two + half + b"\nb " + half + half + one + b"\n"


def test_numbers_are_little_endian_float32(tmp_path: Path) -> None:
    words, rows, tally = read(write(tmp_path / "v.bin", by_hand()))
    assert (words, rows) == (["a", "b"], [[1, -2, 0.5], [0.5, 0.5, 1]])
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
    assert found[:2] == (words, values)


def test_rows_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    values = [[1, 2], [math.nan, 1], [1, math.inf], [5, 6], [7, 8], [9, 0], [1, 1]]
    words, rows, tally = read(write(tmp_path / "v.bin", binary(["a", "b", "c", "d", "", "e", "f"], values)))
    assert (words, rows) == (["a", "d", "e", "f"], [[1, 2], [5, 6], [9, 0], [1, 1]])
    assert (tally.lines, tally.bad, tally.first_bad) == (7, 3, (2, "nan is no finite number"))


@pytest.mark.parametrize(
    ("content", "dimension", "message"),
    [
        (b"", None, "does not begin with a line of two numbers, as word2vec's binary files do"),
        (b"the 1 2\n", None, "does not begin with a line of two numbers, as word2vec's binary files do"),
        (by_hand()[:-10], None, "1 vectors where its header says 2; it is cut off, get a whole copy"),
        (by_hand() + b"c", None, "more bytes after the 2 vectors that its header says; get a whole copy"),
        (by_hand() * 2, None, "more bytes after the 2 vectors that its header says; get a whole copy"),
        (by_hand(), 2, "vectors of 3 dimensions, but 2 stated; correct the dimension"),
        (b"2 999999999999\na b ", None, "vectors of 999999999999 numbers, and from 1 to 10000"),
        (b"2 3\n" + b"x" * 70_000, None, "no word before vector 1, which its header announces"),
    ],
)
def test_binary_refused(tmp_path: Path, content: bytes, dimension: int | None, message: str) -> None:
    path = write(tmp_path / "v.bin", content)
    with pytest.raises(DataError) as caught:
        read(path, dimension)
    assert str(caught.value).startswith(f"{path}: {message}")


# --------------------------------------------------------------------------- arrays


WORDS = ["the", ". . .", "cat"]
ROWS = np.array([[0.1, -2], [1, 1], [3, 4]])


def array(folder: Path, kind: str = "<f4", words: str = "v.txt", order: str = "C") -> Path:
    np.save(folder / "v.npy", np.asarray(ROWS, dtype=kind, order=order))  # type: ignore[call-overload]
    write(folder / words, WORDS)
    return folder / "v.npy"


@pytest.mark.parametrize("words", ["v.txt", "v.vocab", "v.words", "vocab.txt", "v.txt.gz", "v.words.xz"])
def test_the_words_are_beside_the_array(tmp_path: Path, words: str) -> None:
    vectors = read_vectors(array(tmp_path, words=words), [". . .", "cat", "the"])
    np.testing.assert_array_equal(vectors.rows, ROWS[[1, 2, 0]].astype(np.float32))
    assert vectors.tally.form == f"array with words in {words}"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4", ">f8"])
def test_any_kind_of_float_becomes_float32(tmp_path: Path, kind: str, order: str) -> None:
    """Numbers of half precision are told."""
    path = array(tmp_path, kind, order=order)
    vectors = read_vectors(path, WORDS)
    np.testing.assert_array_equal(vectors.rows, ROWS.astype(kind).astype(np.float32))
    told = "Word vectors: stored as float16, with about three digits."
    assert (told in vectors.tally.notes("v.npy")) is (kind == "<f2")


def test_rows_that_float32_cannot_hold_are_counted(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1e300, 1], [2, 3], [np.nan, 1], [1, 2], [1, 2], [4, 5]]))
    write(tmp_path / "v.txt", list("abcdef"))
    vectors = read_vectors(tmp_path / "v.npy", list("abcdef"))
    assert vectors.found.tolist() == [False, True, False, True, True, True]
    assert (vectors.tally.bad, vectors.tally.first_bad) == (2, (1, "inf is no finite number"))


@pytest.mark.parametrize(
    ("matrix", "words", "dimension", "message"),
    [
        (ROWS, None, None, "no words beside it; put a word a line, row by row, into v.txt, v.vocab, v.words"),
        (ROWS, ["a", "b"], None, "3 rows, but 2 words in v.txt; they do not belong together"),
        (ROWS, ["a", "b", "c", "d"], None, "3 rows, but 4 words in v.txt; they do not belong together"),
        (ROWS, WORDS, 3, "vectors of 2 dimensions, but 3 stated; correct the dimension"),
        (np.zeros(3), WORDS, None, "an array of float64 and shape (3,); it needs 2 dimensions of 'f'"),
        (
            np.zeros((3, 2), dtype=int),
            WORDS,
            None,
            "an array of int64 and shape (3, 2); it needs 2 dimensions",
        ),
        (np.zeros((3, 0)), WORDS, None, "vectors of 0 numbers, and from 1 to 10000 are read"),
        (np.zeros((0, 3)), [], None, "no vectors in it; give a whole file of word vectors"),
        (np.array([{}]), WORDS, None, "holds Python objects, which may run code when read"),
    ],
)
def test_array_refused(
    tmp_path: Path, matrix: np.ndarray, words: list[str] | None, dimension: int | None, message: str
) -> None:
    path = tmp_path / "v.npy"
    np.save(path, matrix)
    if words is not None:
        write(tmp_path / "v.txt", words)
    with pytest.raises(DataError) as caught:
        read_vectors(path, ["the"], dimension=dimension)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_vectors_in_place_of_words_are_refused(tmp_path: Path) -> None:
    """The text that an array was made from is no list of words."""
    path = array(tmp_path)
    write(tmp_path / "v.txt", [f"{word} 1 2" for word in WORDS])
    with pytest.raises(DataError, match=r"v\.txt:1: a word with its 2 numbers; give this file instead"):
        read_vectors(path, ["the"])


# --------------------------------------------------------------------------- damage


QUICK, ALL = 20, 500
"""Cases for each form."""
FUZZ_WORDS = ["the", "café", "New_York", "3", *(f"w{i}" for i in range(8))]
FUZZ_ROWS = np.random.default_rng(0).normal(size=(len(FUZZ_WORDS), 3)).round(4).tolist()
HEADED = ("word2vec text", "fasttext", "word2vec binary", "gensim binary")
PACKED = ("text.gz", "text.bz2", "text.xz", "word2vec binary.gz")


def outcome(folder: Path, path: Path, *, kept: bool) -> WordVectors | str:
    """What became of it: the vectors, or the sentence."""
    try:
        if kept:
            return VectorCache(folder / "kept").look_up(path, FUZZ_WORDS)
        return read_vectors(path, FUZZ_WORDS)
    except ReimplError as err:
        text = str(err)
        assert "\n" not in text and len(text) < 700 + 2 * len(str(path)), text
        return text


def one_case(folder: Path, form: str, number: int) -> str:
    """Damages one file of a form; converted or not, the same comes of it."""
    rng = random.Random(f"{form} {number}")
    folder.mkdir()
    path = lay(folder, form, FUZZ_WORDS, FUZZ_ROWS)
    victim = folder / rng.choice(FORMS[form])
    victim.write_bytes(mutated(victim.read_bytes(), rng))
    plain, kept = outcome(folder, path, kept=False), outcome(folder, path, kept=True)
    if isinstance(plain, str) or isinstance(kept, str):
        assert plain == kept
        return "refused"
    np.testing.assert_array_equal(plain.rows, kept.rows)
    assert plain.found.tolist() == kept.found.tolist()
    assert np.isfinite(plain.rows).all()
    return "read"


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    outcomes = [one_case(tmp_path / str(number), form, number) for number in range(QUICK)]
    assert outcomes.count("refused") > QUICK // 10


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_many_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    outcomes = [one_case(tmp_path / str(number), form, number) for number in range(QUICK, ALL)]
    assert outcomes.count("refused") > (ALL - QUICK) // 5


@pytest.mark.parametrize("form", [*HEADED, *PACKED, "npy", "npy float64", "attentionxml"])
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, form: str) -> None:
    """Where a header, a checksum or a size says what is missing.

    Only the last line feed may be; and a cut within the last number of a text is told.
    """
    path = lay(tmp_path, form, FUZZ_WORDS, FUZZ_ROWS)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        try:
            vectors = read_vectors(path, FUZZ_WORDS)
        except DataError:
            continue
        assert form in HEADED and vectors.found.all()
        assert cut == len(whole) - 1 if "binary" in form else vectors.tally.open_end
        assert cut > whole.rstrip().rindex(b" ")
