"""Word vectors: the same numbers in every form, bad lines named, files converted once, other words."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.vectors import (
    OutOfVocabulary,
    Tally,
    VectorFile,
    converted,
    initial_vectors,
    locate,
    read_vectors,
)
from reimpl.errors import DataError
from tests.data.corpora import reference, write
from tests.data.made import PACK

WORDS = ("the", "caf\u00e9", "x")
ROWS = ((0.1, -2.5, 3.0), (4.0, 1e-7, 16777217.0), (0.0, 1.0, -1.0))


def text(header: str = "", end: str = "\n") -> bytes:
    lines = [f"{word} {' '.join(map(repr, row))}{end}" for word, row in zip(WORDS, ROWS, strict=True)]
    return (header + "".join(lines)).encode()


def binary(feed: bytes) -> bytes:
    """word2vec's form, built number by number."""
    pairs = zip(WORDS, ROWS, strict=True)
    return b"3 3\n" + b"".join(word.encode() + b" " + struct.pack("<3f", *row) + feed for word, row in pairs)


#: Files of each form, the one to give first.
FORMS: dict[str, dict[str, bytes]] = {
    "text": {"v.txt": text()},
    "word2vec text": {"v.txt": text("3 3\n")},
    "fasttext": {"v.vec": text("3 3 \n", " \n")},
    "word2vec binary": {"v.bin": binary(b"\n")},
    "gensim binary": {"v.bin": binary(b"")},
    **{f"text{suffix}": {f"v.txt{suffix}": pack(text())} for suffix, pack in PACK.items() if suffix},
    "word2vec binary.gz": {"v.bin.gz": PACK[".gz"](binary(b"\n"))},
}


def lay(folder: Path, form: str) -> Path:
    """Writes the files of a form; gives the one to read."""
    for name, content in FORMS[form].items():
        (folder / name).write_bytes(content)
    return folder / next(iter(FORMS[form]))


def read(path: Path) -> tuple[list[str], list[list[float]], Tally]:
    tally = Tally()
    parts = list(read_vectors(locate(path), tally))
    words = [word.decode("utf-8", "backslashreplace") for part, _ in parts for word in part]
    return words, [row for _, rows in parts for row in rows.tolist()], tally


def f32(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return np.array(rows, dtype=np.float32).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    """Read, and converted: bit for bit the nearest float32, in the order of the words that are asked for."""
    path = lay(tmp_path, form)
    words, rows, tally = read(path)
    assert (words, rows, tally.dimension, tally.lines) == ([*WORDS], f32(ROWS), 3, 3)
    vectors = converted(path, tmp_path / "cache")
    looked_up, found = vectors.look_up(["x", "missing", "the"])
    assert found.tolist() == [True, False, True]
    assert looked_up.tolist() == [f32(ROWS)[2], [0, 0, 0], f32(ROWS)[0]]
    assert list(vectors.words())[:2] == [word.encode() for word in WORDS[:2]]
    assert vectors.tally == tally


@pytest.mark.parametrize("line", [b"short 1", b"long 1 2 3", b"cat x 1", b"cat 1 1e300", b"caf\xe9 1 2"])
def test_bad_lines_are_left_out_counted_and_the_first_is_named(tmp_path: Path, line: bytes) -> None:
    """Whether the lines around them are even or one holds a word with spaces."""
    for other in ("o", "o o"):
        content = b"\n".join([b"a 1 2", b"b 3 4", line, f"{other} 1 2".encode(), b"c 5 6", b"d 1 x", b""])
        words, rows, tally = read(write(tmp_path / "v.txt", content))
        assert (words, rows) == (["a", "b", other, "c"], [[1, 2], [3, 4], [1, 2], [5, 6]])
        assert (tally.lines, tally.bad, tally.first_bad) == (6, 2, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": no line with a word and numbers"),
        (b"1 5\nthe 1 2\n", ": vectors of 2 dimensions, but 5 in its header"),
        (b"the 1 2\nc\0t 3 4\n", ":2: a NUL byte; the file is binary or UTF-16"),
        (b"the 1 2\ncat 1 x\n" * 20, ":2: 20 of 40 lines do not hold a word and 2 finite numbers"),
    ],
)
def test_what_is_no_sound_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path / "v.txt", content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_member_of_a_zip_by_name(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for size in (2, 3):
            archive.writestr(f"glove.6B.{size}d.txt", f"the {' '.join(['1'] * size)}\n")
    assert read(path / "glove.6B.2d.txt")[2].dimension == 2
    for place in (path, path / "x"):
        with pytest.raises(DataError, match=r"it holds glove\.6B\.2d\.txt, .*; name one of them, as"):
            read(place)
    with pytest.raises(DataError, match="no such file or folder; check the path"):
        read(tmp_path / "none.txt")


def test_a_file_is_converted_once_and_known_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also under another name; another content is another file."""
    file = write(tmp_path / "v.txt", ["the 1 2", "cat 3 4", "the 5 6"])
    seen: list[str] = []
    first = converted(file, tmp_path / "c", progress=lambda what, done, total: seen.append(what))
    assert set(seen) == {"hashing", "converting"} and first.tally.duplicates == 1
    with monkeypatch.context() as patch:
        patch.setattr("reimpl.data.vectors.read_vectors", None)
        copy = write(tmp_path / "copy.txt", file.read_bytes())
        assert converted(copy, tmp_path / "c") == first
    write(file, ["the 7 8"])
    assert converted(file, tmp_path / "c").look_up(["the"])[0].tolist() == [[7, 8]]


@pytest.mark.parametrize(
    ("rule", "found"),
    [("zero", [False, False, True, False, True]), ("uniform", [False, True, True, False, True])],
)
def test_words_without_a_vector(tmp_path: Path, rule: OutOfVocabulary, found: list[bool]) -> None:
    """Study: they are zero, and the special rows even where the file has such a word; Liu: within 0.25."""
    source = VectorFile(write(tmp_path / "v.txt", ["the 1 2", "cat 3 4", "<unk> 9 9"]))
    words, rng = ("**PAD**", "<unk>", "the", "rare", "cat"), np.random.default_rng(0)
    lookup = initial_vectors(source, words, special=(0, 1), rule=rule, rng=rng)
    assert lookup.found.tolist() == found and lookup.rows.dtype == np.float32
    assert lookup.rows[[2, 4]].tolist() == [[1, 2], [3, 4]]
    assert lookup.rows[1].tolist() == ([9, 9] if rule == "uniform" else [0, 0])
    drawn = lookup.rows[[0, 3]]
    assert (np.abs(drawn) <= 0.25).all()
    assert len(np.unique(drawn)) == (4 if rule == "uniform" else 1)


@pytest.mark.parametrize("case", reference("07_vocabulary.json")["cases"])
def test_zero_rule_equals_the_study_with_a_file(tmp_path: Path, case: dict[str, dict[str, object]]) -> None:
    """The matrix of the study's code for a local vector file, but for the unknown row. There, that row ends
    up as the vector of the last word of the file that is outside the vocabulary, a slip that the downloaded
    vectors of the published runs do not meet."""
    study = case["study"]
    words = study["min_freq_1"]["itos"]  # type: ignore[index]
    stored: dict[str, list[object]] = study["embedding_file"]  # type: ignore[assignment]
    pairs = zip(stored["words"], stored["vectors"], strict=True)
    lines = [f"{word} {' '.join(map(str, values))}" for word, values in pairs]  # type: ignore[call-overload]
    source, rng = VectorFile(write(tmp_path / "v.txt", lines)), np.random.default_rng(0)
    rows = initial_vectors(source, words, special=(0, 1), rule="zero", rng=rng).rows
    expected = np.array(study["embedding_from_file"], dtype=np.float32)
    np.testing.assert_array_equal(np.delete(rows, 1, axis=0), np.delete(expected, 1, axis=0))
    assert not rows[1].any()
