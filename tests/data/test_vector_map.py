"""Converted word vectors: what goes in comes out, and damage is never read in silence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import vector_map
from reimpl.data.checked_text import with_digest
from reimpl.data.vector_file import chunks, locate, read_vectors
from reimpl.data.vector_map import DamagedMapError, VectorMap, write_map
from reimpl.data.vector_reading import Chunk, Tally
from tests.data.corpora import write
from tests.data.vector_files import FORMS, lay

WORDS = [b"the", b". . .", b"caf\xc3\xa9", b"\xff", b"a"]
ROWS = np.array([[0.1, -2], [3, 4], [5, 6], [7, 8], [-0.0, 1e-30]], dtype=np.float32)


def chunk(*rows: int) -> Chunk:
    return Chunk([WORDS[row] for row in rows], ROWS[list(rows)])


def made(folder: Path, parts: Sequence[Chunk]) -> VectorMap:
    folder.mkdir()
    write_map(folder, parts, Tally(dimension=2, first_bad=(3, "short")))
    return VectorMap(folder)


@pytest.fixture
def small(tmp_path: Path) -> VectorMap:
    return made(tmp_path / "map", [chunk(0, 1), chunk(), chunk(2, 3, 4)])


def test_what_goes_in_comes_out(small: VectorMap) -> None:
    """In the order that is asked for, a word as often as it is asked for, zero for others."""
    values, found = small.look_up([b"a", b"th", b"the", b"", b"the", *WORDS])
    assert values.dtype == np.float32
    np.testing.assert_array_equal(
        values, np.concatenate([ROWS[4:], [[0, 0]], ROWS[:1], [[0, 0]], ROWS[:1], ROWS])
    )
    assert found.tolist() == [True, False, True, False, True, *[True] * 5]
    assert small.tally == Tally(dimension=2, first_bad=(3, "short"))


def test_the_first_words_are_those_of_the_first_rows(small: VectorMap) -> None:
    assert small.first_words(2) == WORDS[:2]
    assert small.first_words(99) == WORDS


def test_no_words(small: VectorMap) -> None:
    values, found = small.look_up([])
    assert (values.shape, found.shape) == ((0, 2), (0,))


@pytest.mark.parametrize("constant", [True, False])
def test_the_first_of_repeated_words_stays_also_where_all_hashes_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, constant: bool
) -> None:
    if constant:
        monkeypatch.setattr(
            vector_map, "_hashes", lambda words: np.full(len(list(words)), 7, dtype=np.uint64)
        )
    again = Chunk([b"a", b"the", b"new", b"a"], np.full((4, 2), 9, dtype=np.float32))
    one = made(tmp_path / "map", [chunk(0, 1), chunk(2, 3, 4), again])
    values, found = one.look_up([*WORDS, b"new", b"no"])
    np.testing.assert_array_equal(values, [*ROWS, [9, 9], [0, 0]])
    assert found.tolist() == [True] * 6 + [False]
    assert one.tally.duplicates == 3


def test_more_rows_than_are_looked_up_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_map, "_PART", 7)
    words = [b"w%d" % i for i in range(100)]
    rows = np.arange(200, dtype=np.float32).reshape(100, 2)
    one = made(tmp_path / "map", [Chunk(words[i : i + 9], rows[i : i + 9]) for i in range(0, 100, 9)])
    order = np.random.default_rng(0).permutation(100)
    np.testing.assert_array_equal(one.look_up([words[i] for i in order])[0], rows[order])


@pytest.mark.parametrize("form", FORMS)
def test_a_converted_file_is_the_file_as_it_is_read(tmp_path: Path, form: str) -> None:
    """Every form: the same rows, the same words missing, the same tally."""
    words = ["the", "cat", "café", "w4", "the"]
    path = lay(tmp_path, form, words, np.random.default_rng(1).normal(size=(5, 7)).round(5).tolist())
    asked = ["w4", "none", "the", "café", "cat"]
    plain = read_vectors(path, asked)
    tally = Tally()
    (tmp_path / "map").mkdir()
    write_map(tmp_path / "map", chunks(locate(path), tally), tally)
    one = VectorMap(tmp_path / "map")
    values, found = one.look_up([word.encode() for word in asked])
    np.testing.assert_array_equal(values, plain.rows)
    assert found.tolist() == plain.found.tolist() == [True, False, True, True, True]
    assert one.tally == plain.tally
    assert one.tally.duplicates == 1


_WORD = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r "), min_size=1, max_size=3)


@given(
    st.lists(st.tuples(_WORD, st.integers(-99, 99), st.integers(-99, 99)), min_size=1, max_size=30),
    st.lists(_WORD, max_size=10),
)
def test_any_file_converted_is_what_a_dictionary_holds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, int, int]], others: list[str]
) -> None:
    """The first vector of each word, and nothing for other words."""
    folder = tmp_path_factory.mktemp("any")
    path = write(folder / "v.txt", ["one 1.5 2.5", *(f"{word} {a} {b}" for word, a, b in lines)])
    held: dict[str, list[float]] = {"one": [1.5, 2.5]}
    for word, a, b in lines:
        held.setdefault(word, [a, b])
    tally = Tally()
    (folder / "map").mkdir()
    write_map(folder / "map", chunks(locate(path), tally), tally)
    asked = [*held, *others]
    values, found = VectorMap(folder / "map").look_up([word.encode() for word in asked])
    assert values.tolist() == [held.get(word, [0, 0]) for word in asked]
    assert found.tolist() == [word in held for word in asked]


# --------------------------------------------------------------------------- damage


def test_no_changed_bit_is_read_in_silence(small: VectorMap, tmp_path: Path) -> None:
    """Every byte of every file: the same rows, or one sentence that says what is damaged."""
    names = sorted(it.name for it in small.folder.iterdir())
    assert names == sorted(["meta.json", *vector_map._FILES])
    for name in names:
        whole = (small.folder / name).read_bytes()
        for at in range(len(whole)):
            (small.folder / name).write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            try:
                one = VectorMap(small.folder)
                values, found = one.look_up(WORDS)
            except DamagedMapError as err:
                assert str(err).startswith(f"{small.folder}: the converted word vectors are damaged (")
            else:
                np.testing.assert_array_equal(values, ROWS)
                assert found.all()
                assert one.tally == small.tally
        (small.folder / name).write_bytes(whole)
    assert VectorMap(small.folder).look_up(WORDS)[1].all()


def test_only_the_rows_that_are_asked_for_are_read(small: VectorMap) -> None:
    """A changed row is told when it is asked for, and does not matter before."""
    path = small.folder / "matrix.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    one = VectorMap(small.folder)
    np.testing.assert_array_equal(one.look_up(WORDS[:4])[0], ROWS[:4])
    with pytest.raises(DamagedMapError, match="a row is changed"):
        one.look_up(WORDS[4:])


@pytest.mark.parametrize("name", ["meta.json", *vector_map._FILES])
def test_a_missing_or_cut_file_is_damage(small: VectorMap, name: str) -> None:
    path = small.folder / name
    whole = path.read_bytes()
    for content in (whole[:-1], whole[: len(whole) // 2], b"", whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(DamagedMapError):
            VectorMap(small.folder)
    path.unlink()
    with pytest.raises(DamagedMapError):
        VectorMap(small.folder)


def test_another_version_is_not_read(small: VectorMap) -> None:
    path = small.folder / "meta.json"
    meta = json.loads(path.read_text().partition("\n")[2])
    text = json.dumps(meta | {"version": vector_map.VERSION + 1})
    path.write_text(with_digest(text))
    with pytest.raises(DamagedMapError, match="version"):
        VectorMap(small.folder)


def test_a_folder_of_another_map_is_not_taken(small: VectorMap, tmp_path: Path) -> None:
    """Files of two maps in one folder."""
    other = made(tmp_path / "other", [chunk(4, 3, 2, 1, 0)])
    for name in vector_map._SMALL:
        shutil.copy(other.folder / name, small.folder / name)
    with pytest.raises(DamagedMapError):
        VectorMap(small.folder).look_up(WORDS)


def test_an_error_in_reading_leaves_files_that_are_no_map(tmp_path: Path) -> None:
    def breaking() -> Iterator[Chunk]:
        yield chunk(0, 1)
        raise RuntimeError("x")

    (tmp_path / "map").mkdir()
    with pytest.raises(RuntimeError):
        write_map(tmp_path / "map", breaking(), Tally(dimension=2))
    with pytest.raises(DamagedMapError):
        VectorMap(tmp_path / "map")


def test_the_size_is_that_of_the_files(small: VectorMap) -> None:
    assert small.size == sum((small.folder / name).stat().st_size for name in vector_map._FILES)
