"""Files of word vectors: the same numbers in every form, bad lines named, and a file converted once."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.vectors import Tally, VectorFile, converted, locate, read_vectors
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.test_fuzz import mutated
from tests.data.vector_files import FORMS, lay

WORDS = ("the", "caf\u00e9", "x")
ROWS = ((0.1, -2.5, 3.0), (4.0, 1e-7, 16777217.0), (0.0, 1.0, -1.0))
FORM = pytest.mark.parametrize("form", FORMS)


def read(path: Path) -> tuple[list[str], list[list[float]], Tally]:
    tally = Tally()
    parts = list(read_vectors(*locate(path), tally))
    words = [word.decode("utf-8", "backslashreplace") for part, _ in parts for word in part]
    return words, [row for _, rows in parts for row in rows.tolist()], tally


def f32(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return np.array(rows, dtype=np.float32).tolist()  # type: ignore[no-any-return]


@FORM
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    """Read, and converted: bit for bit the nearest float32, in the order of the words that are asked for."""
    path = lay(tmp_path, form, WORDS, ROWS)
    words, rows, tally = read(path)
    assert (words, rows, tally.dimension, tally.lines) == ([*WORDS], f32(ROWS), 3, 3)
    wanted = ["x", "missing", "the"]
    kept = converted(path, tmp_path / "cache")
    looked_up, found = kept.look_up(wanted)
    assert found.tolist() == [True, False, True]
    assert looked_up.tolist() == [f32(ROWS)[2], [0, 0, 0], f32(ROWS)[0]]
    assert list(kept.words())[:2] == [word.encode() for word in WORDS[:2]]
    assert kept.tally == tally


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"short 1", "1 numbers after a word, not 2"),
        (b"long 1 2 3", "3 numbers after a word, not 2"),
        (b"cat x 1", "'x' is no finite number"),
        (b"cat 1 1e300", "'1e300' is no finite number"),
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
        assert (tally.lines, tally.bad, tally.first_bad) == (6, 2, f"3: {reason}")


NO_TABLE = ": no line with a word and numbers"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", b"", NO_TABLE),
        ("v.txt", b"1 5\nthe 1 2\n", ": vectors of 2 dimensions, but 5 in its header"),
        ("v.txt", b"the 1 2\nc\0t 3 4\n", ":2: a NUL byte; the file is binary or UTF-16"),
        ("v.txt", b"the 1 2\ncat 1 x\n" * 20, ":2: 'x' is no finite number; 20 of 40 lines are no word"),
    ],
)
def test_what_is_no_sound_file_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_member_of_a_zip_by_name(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for size in (2, 3):
            archive.writestr(f"glove.6B.{size}d.txt", f"the {' '.join(['1'] * size)}\n")
    assert read(path / "glove.6B.2d.txt")[2].dimension == 2
    for place, message in ((path, "it holds glove.6B.2d.txt, "), (path / "x", "no 'x' in it, but glove")):
        with pytest.raises(DataError, match=f"{message}.*; name one of them, as"):
            read(place)
    with pytest.raises(DataError, match=r"cannot be opened \(no such file\); check the path"):
        read(tmp_path / "none.txt")


@pytest.mark.parametrize("form", ["text", "word2vec binary", "npy", "text.gz"])
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    path = lay(tmp_path, form, WORDS * 4, ROWS * 4)
    whole = path.read_bytes()
    for number in range(40):
        path.write_bytes(mutated(whole, random.Random(f"{form} {number}")))
        try:
            read(path)
        except DataError as err:
            assert "\n" not in str(err) and len(str(err)) < 600, str(err)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "v.txt", ["the 1 2", "cat 3 4", "the 5 6"])


def test_a_file_is_converted_once_and_known_by_its_content(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also under another name; another content is another file."""
    seen: list[str] = []
    first = converted(file, tmp_path / "c", progress=lambda what, done, total: seen.append(what))
    assert set(seen) == {"hashing", "converting"} and first.tally.duplicates == 1
    assert VectorFile(file, cache=tmp_path / "c").look_up(
        ["the"], np.random.default_rng(0)
    ).rows.tolist() == [[1, 2]]
    with monkeypatch.context() as patch:
        patch.setattr("reimpl.data.vectors.read_vectors", None)
        copy = write(tmp_path / "copy.txt", file.read_bytes())
        assert converted(copy, tmp_path / "c") == first
    write(file, ["the 7 8"])
    assert converted(file, tmp_path / "c").look_up(["the"])[0].tolist() == [[7, 8]]
