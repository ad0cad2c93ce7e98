"""Word vectors as arrays with the words beside them: which files, which kinds of numbers, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data import vector_array
from reimpl.data.vector_file import chunks, locate, read_vectors
from reimpl.data.vector_reading import Tally, notes
from reimpl.errors import DataError
from tests.data.corpora import write

WORDS = ["the", ". . .", "cat"]
ROWS = np.array([[0.1, -2], [1, 1], [3, 4]])


def lay(folder: Path, kind: str = "<f4", words: str = "v.txt", order: str = "C") -> Path:
    np.save(folder / "v.npy", np.asarray(ROWS, dtype=kind, order=order))  # type: ignore[call-overload]
    write(folder / words, WORDS)
    return folder / "v.npy"


@pytest.mark.parametrize("words", ["v.txt", "v.vocab", "v.words", "vocab.txt", "v.txt.gz", "v.words.xz"])
def test_the_words_are_beside_the_array(tmp_path: Path, words: str) -> None:
    read = read_vectors(lay(tmp_path, words=words), [". . .", "cat", "the"])
    np.testing.assert_array_equal(read.rows, ROWS[[1, 2, 0]].astype(np.float32))
    assert read.tally.form == f"array with words in {words}"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4", ">f8"])
def test_any_kind_of_float_becomes_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, order: str
) -> None:
    """Row by row and in one; numbers of half precision are told."""
    path = lay(tmp_path, kind, order=order)
    for at_once in (2, 1 << 18):
        monkeypatch.setattr(vector_array, "_NUMBERS", at_once)
        read = read_vectors(path, WORDS)
        np.testing.assert_array_equal(read.rows, ROWS.astype(kind).astype(np.float32))
    told = "Word vectors: stored as float16, with about three digits."
    assert (told in notes("v.npy", read.tally)) is (kind == "<f2")


def test_rows_that_float32_cannot_hold_are_counted(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1e300, 1], [2, 3], [np.nan, 1], [1, 2], [1, 2], [4, 5]]))
    write(tmp_path / "v.txt", list("abcdef"))
    read = read_vectors(tmp_path / "v.npy", list("abcdef"))
    assert read.found.tolist() == [False, True, False, True, True, True]
    assert (read.tally.bad, read.tally.first_bad) == (2, (1, "inf is no finite number"))


def test_the_rows_are_counted(tmp_path: Path) -> None:
    tally = Tally()
    assert sum(len(it.words) for it in chunks(locate(lay(tmp_path)), tally)) == 3
    assert (tally.lines, tally.unit, tally.stored) == (3, "row", "float32")


@pytest.mark.parametrize(
    ("array", "words", "dimension", "message"),
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
        (np.zeros((3, 0)), WORDS, None, "an array of shape (3, 0); give a row of numbers for each word"),
        (np.zeros((0, 3)), [], None, "no vectors in it; give a whole file of word vectors"),
        (np.array([{}]), WORDS, None, "holds Python objects, which may run code when read"),
    ],
)
def test_refused(
    tmp_path: Path, array: np.ndarray, words: list[str] | None, dimension: int | None, message: str
) -> None:
    path = tmp_path / "v.npy"
    np.save(path, array)
    if words is not None:
        write(tmp_path / "v.txt", words)
    with pytest.raises(DataError) as caught:
        read_vectors(path, ["the"], dimension=dimension)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_vectors_in_place_of_words_are_refused(tmp_path: Path) -> None:
    """The text that an array was made from is no list of words."""
    path = lay(tmp_path)
    write(tmp_path / "v.txt", [f"{word} 1 2" for word in WORDS])
    with pytest.raises(DataError, match=r"v\.txt:1: a word with its 2 numbers; give this file instead"):
        read_vectors(path, ["the"])


def test_a_cut_array_is_refused(tmp_path: Path) -> None:
    path = lay(tmp_path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 3):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError, match=r"v\.npy: "):
            read_vectors(path, ["the"])
