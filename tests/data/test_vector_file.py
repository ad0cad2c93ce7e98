"""Files of word vectors: the same numbers in every form, bad lines named, and a file converted once."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reimpl.data import storage, vector_file
from reimpl.data.vector_file import Tally, chunks, locate
from reimpl.data.vectors import NotKeptError, VectorFile, converted, read_vectors
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.test_fuzz import mutated
from tests.data.vector_files import FORMS, binary, lay, text

WORDS = ("the", "caf\u00e9", "x")
ROWS = ((0.1, -2.5, 3.0), (4.0, 1e-7, 16777217.0), (0.0, 1.0, -1.0))
FORM = pytest.mark.parametrize("form", FORMS)
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
TMP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path: Path, dimension: int | None = None) -> tuple[list[str], list[list[float]], Tally]:
    tally = Tally()
    parts = list(chunks(locate(path, dimension), tally, dimension=dimension))
    words = [word.decode("utf-8", "backslashreplace") for part in parts for word in part.words]
    return words, [row for part in parts for row in part.rows.tolist()], tally


def f32(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return np.array(rows, dtype=np.float32).tolist()  # type: ignore[no-any-return]


@FORM
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    """Read, and converted: bit for bit the nearest float32, in the order of the words that are asked for."""
    path = lay(tmp_path, form, WORDS, ROWS)
    words, rows, tally = read(path)
    assert (words, rows, tally.dimension, tally.lines) == ([*WORDS], f32(ROWS), 3, 3)
    wanted = ["x", "missing", "the"]
    plain, found, _ = read_vectors(path, wanted)
    kept = converted(path, tmp_path / "cache")
    assert found.tolist() == [True, False, True]
    assert plain.tolist() == [f32(ROWS)[2], [0, 0, 0], f32(ROWS)[0]]
    np.testing.assert_array_equal(kept.look_up(wanted)[0], plain)
    assert kept.first_words(2) == [word.encode() for word in WORDS[:2]]
    assert kept.tally == tally


@TMP
@given(
    rows=st.lists(
        st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
        min_size=1,
    )
)
def test_a_number_is_the_nearest_float32(tmp_path: Path, rows: list[list[float]]) -> None:
    path = write(tmp_path / "v.txt", text([f"w{n}" for n in range(len(rows))], rows))
    assert read(path, 2)[1] == f32(rows)


@pytest.mark.parametrize("word", ['"', "#", "1", "nan", "True", "NA", "a,b", "\u2028", "\u00a0", "\x1c", "-"])
def test_words_that_trip_other_readers(tmp_path: Path, word: str) -> None:
    lines = [f"{word} 1 0", "the 0 1", f"x{word} 1 1"]
    words, rows, _ = read(write(tmp_path / "v.txt", lines))
    assert (words, rows) == ([word, "the", f"x{word}"], [[1, 0], [0, 1], [1, 1]])


def test_words_that_hold_spaces_headers_and_blank_lines(tmp_path: Path) -> None:
    lines = ["4 2", ". . . 1 2", "", "at name@domain.com 3 4", "the\t5\t6 ", "dog 7 8"]
    words, rows, tally = read(write(tmp_path / "v.txt", lines))
    assert words == [". . .", "at name@domain.com", "the", "dog"]
    assert (rows[2], tally.header, tally.lines) == ([5, 6], True, 4)
    words, rows, tally = read(write(tmp_path / "one.txt", ["5 1", "the 2"]))
    assert (words, rows, tally.header) == (["5", "the"], [[1], [2]], False)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"short 1", "1 numbers after a word, not 2"),
        (b" 1 2", "1 numbers after a word, not 2"),
        (b"long 1 2 3", "3 numbers, not 2"),
        (b"cat x 1", "'x' is no finite number"),
        (b"cat 1 nan", "'nan' is no finite number"),
        (b"cat 1 1e300", "'1e300' is no finite number"),
        (b"cat 1 1_0", "'1_0' is no finite number"),
        (b"caf\xe9 1 2", r"'caf\xe9' is not UTF-8"),
    ],
)
def test_bad_lines_are_left_out_counted_and_the_first_is_named(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    """Whether the lines around them are even or one holds a word with spaces."""
    for other in ("o", "o o"):
        content = b"\n".join([b"a 1 2", b"b 3 4", line, f"{other} 1 2".encode(), b"c 5 6", b"d 1 x", b""])
        words, rows, tally = read(write(tmp_path / "v.txt", content))
        assert (words, rows) == (["a", "b", other, "c"], [[1, 2], [3, 4], [1, 2], [5, 6]])
        assert (tally.lines, tally.bad, tally.first_bad) == (6, 2, (3, reason))


def test_lines_are_counted_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_file, "_BLOCK", 40)
    lines = ["52 2", *(f"w{i} {i}.5 1" for i in range(50)), "", "bad", "z 1 2"]
    words, rows, tally = read(write(tmp_path / "v.txt", lines))
    assert words == [*(f"w{i}" for i in range(50)), "z"]
    assert rows[:50] == [[i + 0.5, 1] for i in range(50)]
    assert tally.first_bad == (53, "0 numbers after a word, not 2")


NO_TABLE = ": no line with a word and numbers"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", b"", NO_TABLE),
        ("v.txt", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", NO_TABLE),
        ("v.txt", b"the 1 2 3\n", ": vectors of 3 dimensions, but 2 stated; correct the dimension"),
        ("v.txt", b"1 5\nthe 1 2\n", ": vectors of 2 dimensions, but 5 in its header"),
        (
            "v.txt",
            b"4 2\nthe 1 2\ncat 3 4\n",
            ": 2 lines where its header says 4; it is cut off",
        ),
        ("v.txt", b"1 2\nthe 1 2\ncat 3 4\n", ": 2 lines where its header says 1; correct its first line"),
        ("v.txt", b"the 1 2\nc\0t 3 4\n", ":2: a NUL byte; the file is binary or UTF-16"),
        ("v.txt", b"the 1 2\n" * 50 + b"cat 3", ":51: the file is cut off in this line; get a whole copy"),
        (
            "v.txt",
            b"the 1 2\ncat 1 x\n" * 20,
            ":2: 'x' is no finite number; 20 of 40 lines are no word",
        ),
        ("v.txt", b"caf\xe9 1 2\n" * 30, r":1: 'caf\xe9' is not UTF-8; 30 of 30"),
        ("v.txt", b"\x80\x04pickle", ": a pickle, which may run code when read; save the vectors as text"),
        ("v.txt", b"\x1f\x8bxx", ": gzip data; end its name in .gz"),
        ("v.txt", b"\xff\xfea\0", ": UTF-16 text; convert it to UTF-8"),
        ("v.bin", b"hello", ": does not begin with a line of two numbers, as word2vec's binary files do"),
        ("v.bin", binary(WORDS, ROWS)[:-9], ": vectors of 3 dimensions, but 2 stated"),
        (
            "v.bin",
            binary(["a", "b"], [[1, 2], [3, 4]])[:-5],
            ": 1 vectors where its header says 2",
        ),
        ("v.bin", binary(["a"], [[1, 2]]) + b"xx", ": more bytes after the 1 vectors that its header says"),
        ("v.bin", b"2 2\n" + bytes(100_000), ": no word before vector 1, which its header announces"),
        ("v.bin", b"2 99999\nx", ": vectors of 99999 dimensions, but 2 stated"),
    ],
)
def test_what_is_no_sound_file_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(DataError) as caught:
        read(path, 2)
    assert str(caught.value).startswith(f"{path}{message}")


def test_rows_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    rows = [[1.0, 2.0], [np.nan, 1.0], *[[3.0, 4.0]] * 5]
    _, kept, tally = read(write(tmp_path / "v.bin", binary("abcdefg", rows)))
    assert (len(kept), tally.bad, tally.first_bad) == (6, 1, (2, "nan is no finite number"))


@pytest.mark.parametrize(
    ("array", "words", "message"),
    [
        (np.ones((3, 2)), "a\nb\n", "3 rows, but 2 words in v.txt; they do not belong together"),
        (np.ones((3, 2)), "a\nb\nc\nd\n", "3 rows, but 4 words in v.txt"),
        (np.ones(3), "a\n", "needs 2 dimensions"),
        (np.ones((1, 2), dtype=int), "a\n", "an array of int64"),
        (np.ones((2, 2)), "a 1 2\nb 3 4\n", "v.txt:1: a word with its 2 numbers; give this file instead"),
        (
            np.ones((2, 2)),
            None,
            "no words beside it; put a word a line, row by row, into v.txt, v.vocab",
        ),
    ],
)
def test_arrays_that_are_refused(tmp_path: Path, array: np.ndarray, words: str | None, message: str) -> None:
    np.save(tmp_path / "v.npy", array)
    if words is not None:
        (tmp_path / "v.txt").write_text(words)
    with pytest.raises(DataError) as caught:
        read(tmp_path / "v.npy")
    assert message in str(caught.value)


def test_a_member_of_a_zip_by_name_or_by_dimension(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for size in (2, 3):
            archive.writestr(f"glove.6B.{size}d.txt", f"the {' '.join(['1'] * size)}\n")
    assert read(path, 3)[2].dimension == 3
    assert read(path / "glove.6B.2d.txt")[2].dimension == 2
    for place, message in ((path, "it holds glove.6B.2d.txt, "), (path / "x", "no 'x' in it, but glove")):
        with pytest.raises(DataError, match=f"{message}.*; name one of them, as"):
            read(place)
    with pytest.raises(DataError, match=r"cannot be opened \(no such file\); check the path"):
        read(tmp_path / "none.txt")


@FORM
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    path = lay(tmp_path, form, WORDS * 4, ROWS * 4)
    whole = path.read_bytes()
    for number in range(40):
        path.write_bytes(mutated(whole, random.Random(f"{form} {number}")))
        try:
            read(path)
        except DataError as err:
            assert "\n" not in str(err) and len(str(err)) < 600, str(err)


# --------------------------------------------------------------------------- converted once


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "v.txt", ["the 1 2", "cat 3 4", "the 5 6"])


def test_a_file_is_converted_once_and_known_by_its_content(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also under another name; another content is another file, another dimension than stated an error."""
    seen: list[str] = []
    first = converted(file, tmp_path / "c", progress=lambda what, done, total: seen.append(what))
    assert set(seen) == {"hashing", "converting"} and first.tally.duplicates == 1
    assert VectorFile(file, cache=tmp_path / "c").look_up(
        ["the"], np.random.default_rng(0)
    ).rows.tolist() == [[1, 2]]
    with monkeypatch.context() as patch:
        patch.setattr("reimpl.data.vectors.chunks", None)
        copy = write(tmp_path / "copy.txt", file.read_bytes())
        assert converted(copy, tmp_path / "c") == first
        with pytest.raises(DataError, match="vectors of 2 dimensions, but 3 stated"):
            converted(copy, tmp_path / "c", dimension=3)
    write(file, ["the 7 8"])
    assert converted(file, tmp_path / "c").look_up(["the"])[0].tolist() == [[7, 8]]


@pytest.mark.parametrize("name", ["meta.json", "matrix.bin", "words.bin"])
def test_what_is_damaged_is_converted_anew(
    tmp_path: Path, file: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = converted(file, tmp_path / "c").folder
    (place / name).write_bytes((place / name).read_bytes()[:-1] + b"\x07")
    with caplog.at_level(logging.WARNING):
        assert converted(file, tmp_path / "c").look_up(["cat"])[0].tolist() == [[3, 4]]
    assert "converting the file anew" in caplog.text


@pytest.mark.parametrize("error", [KeyboardInterrupt(), DataError("bad")])
def test_nothing_half_made_is_left(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr("reimpl.data.vectors.chunks", stop)
    with pytest.raises(type(error)):
        converted(file, tmp_path / "c")
    assert not [path for path in (tmp_path / "c").iterdir() if path.is_dir()]


def test_without_a_place_the_file_is_read_at_each_use(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(NotKeptError, match=r"v\.txt cannot be kept \(.*\); free some space there"):
        converted(file, tmp_path / "taken")
    lookup = VectorFile(file, cache=tmp_path / "taken").look_up(["cat"], np.random.default_rng(0))
    assert lookup.rows.tolist() == [[3, 4]] and "is read at each use" in caplog.text


def test_of_processes_at_once_one_converts(tmp_path: Path) -> None:
    """Both have the same file, and none was in the other's way."""
    write(tmp_path / "v.txt", [f"w{n} {n} 1" for n in range(50_000)])
    script = (
        "import sys; from pathlib import Path; from reimpl.data.vectors import converted; import logging\n"
    )
    script += "print(converted(Path('v.txt'), Path('c')).rows)"
    command = [sys.executable, "-c", script]
    started = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0] for process in started] == ["50000\n"] * 2
    assert (
        storage.read_meta(next(path for path in (tmp_path / "c").iterdir() if path.is_dir()))["rows"]
        == 50_000
    )
