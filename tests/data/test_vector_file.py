"""Files of word vectors in all forms: told apart, found in archives, looked up, or refused."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.formats.inputs import File
from reimpl.data.vector_file import Located, is_binary, is_vector_file, locate, read_vectors
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.vector_files import FORMS, binary, lay

LINES = ["the 0.1 -2", "cat 3 4e-1", "dog 5 6"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    """In the order of the words; a word that the file lacks is not found and zero."""
    path = lay(tmp_path, form, ["the", "cat", "dog"], [[0.1, -2], [3, 0.4], [5, 6]])
    read = read_vectors(path, ["dog", "bird", "the"])
    assert read.rows.dtype == np.float32
    np.testing.assert_array_equal(read.rows, np.array([[5, 6], [0, 0], [0.1, -2]], dtype=np.float32))
    assert (read.found.tolist(), read.tally.lines, read.tally.dimension) == ([True, False, True], 3, 2)
    assert (read.tally.bad, read.tally.duplicates) == (0, 0)
    assert is_vector_file(path)


def test_the_first_of_two_vectors_stays(tmp_path: Path) -> None:
    """A wanted word met again is counted."""
    read = read_vectors(write(tmp_path / "v.txt", [*LINES, "cat 9 9", "cat 8 8"]), ["cat"])
    assert (read.rows.tolist(), read.tally.duplicates) == ([[3, np.float32(0.4)]], 2)


def test_half_a_surrogate_pair_matches_nothing(tmp_path: Path) -> None:
    """JSON can bring such words into a corpus."""
    assert read_vectors(write(tmp_path / "v.txt", LINES), ["\ud800", "the"]).found.tolist() == [False, True]


def test_no_words_are_no_error(tmp_path: Path) -> None:
    assert read_vectors(write(tmp_path / "v.txt", LINES), []).rows.shape == (0, 2)


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


def test_a_file_of_two_dimensions_is_refused(tmp_path: Path) -> None:
    """Two files one after another: their longer lines would otherwise be words with spaces."""
    path = write(tmp_path / "v.txt", ["the 1 2"] * 150 + ["the 1 2 3 4"] * 100)
    with pytest.raises(DataError, match=r"v\.txt:151: 4 numbers, not 2; 100 of 250 lines"):
        read_vectors(path, ["the"])


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


def test_a_packed_file_in_a_zip_and_an_array_in_a_zip(tmp_path: Path) -> None:
    for form in ("text.gz", "npy"):
        (tmp_path / form).mkdir()
        path = lay(tmp_path / form, form, ["the", "cat"], [[1, 2], [3, 4]])
        with zipfile.ZipFile(tmp_path / f"{form}.zip", "w") as archive:
            for file in path.parent.iterdir():
                archive.write(file, file.name)
        assert read_vectors(tmp_path / f"{form}.zip", ["cat"]).rows.tolist() == [[3, 4]]


@pytest.mark.parametrize("name", ["none.txt", "none.zip", "none.zip/v.txt", "none.npy"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"cannot be opened \(no such file\); check the path"):
        read_vectors(tmp_path / name, ["the"])
    assert not is_vector_file(tmp_path / name)


def test_the_files_that_decide_what_is_read(tmp_path: Path) -> None:
    """The words of an array are one of them; a .zip counts once."""
    array, words = File(tmp_path / "v.npy"), File(tmp_path / "v.txt")
    assert Located(array).on_disk == (array.path,)
    assert Located(array, words).on_disk == (array.path, words.path)
    packed = Located(File(tmp_path / "v.zip", "v.npy"), File(tmp_path / "v.zip", "v.txt"))
    assert packed.on_disk == (tmp_path / "v.zip",)
