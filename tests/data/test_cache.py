"""Kept preparations: the same arrays, nothing half-made, damage is seen."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data import cache as caching
from reimpl.data import storage
from reimpl.data.cache import load, load_or_prepare
from reimpl.data.dataset import Dataset
from reimpl.data.prepare import prepare
from reimpl.data.recipe import RECIPES
from reimpl.data.storage import GrowingArray, remembered, write_whole
from reimpl.errors import DataError
from tests.data.corpora import corpus, write


def get(folder: Path, **changes: Any) -> Dataset:
    options: dict[str, Any] = {
        "recipe": "liu2017",
        "length": 3,
        "vectors": "random:4",
        "cache": folder.parent / "cache",
    }
    return load_or_prepare(folder, **(options | changes))


def entries(folder: Path) -> list[Path]:
    """Without the converted files of word vectors and the remembered digests."""
    inside = (folder.parent / "cache").iterdir()
    return sorted(it for it in inside if it.is_dir() and it.name != "vectors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "toy" / "dev.txt", ["a\tbird"])
    return corpus(tmp_path / "toy")


@pytest.fixture
def no_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on preparing anything is an error."""

    def refuse(*_: object, **__: object) -> Dataset:
        raise AssertionError("prepared again")

    monkeypatch.setattr(caching, "prepare", refuse)


def assert_equal(one: Dataset, two: Dataset) -> None:
    assert list(one.splits) == list(two.splits)
    for split in one.splits:
        for array in ("tokens", "offsets", "label_ids", "label_offsets"):
            a, b = getattr(one.splits[split], array), getattr(two.splits[split], array)
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
        features = one.splits[split].features, two.splits[split].features
        if features[0] is not None:
            for array in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(*(getattr(it, array) for it in features))
        assert (features[0] is None) == (features[1] is None)
    np.testing.assert_array_equal(one.vectors, two.vectors)
    plain = ("name", "recipe", "fingerprint", "content", "labels", "vocabulary", "notes", "padding_id")
    for name in (*plain, "padding_trainable", "counts"):
        assert getattr(one, name) == getattr(two, name)


def test_second_time_from_disk(folder: Path, request: pytest.FixtureRequest) -> None:
    """What comes from the cache equals what was prepared, and nothing is prepared again."""
    first = get(folder)
    request.getfixturevalue("no_preparation")
    assert_equal(first, get(folder))
    assert len(entries(folder)) == 1


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_from_disk(folder: Path, recipe: str, request: pytest.FixtureRequest) -> None:
    """Features too come back as they were prepared, in memory or from disk."""
    first = get(folder, recipe=recipe)
    rng = np.random.default_rng(0)
    assert_equal(first, prepare(folder, recipe=recipe, length=3, vectors="random:4", rng=rng))
    request.getfixturevalue("no_preparation")
    assert_equal(first, get(folder, recipe=recipe))


def test_large_arrays_are_read_as_they_are_needed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Above a size they are mapped; writing to one changes no file."""
    monkeypatch.setattr(storage, "AT_ONCE", 0)
    first = get(folder, recipe="attentionxml")
    request.getfixturevalue("no_preparation")
    second = get(folder, recipe="attentionxml")
    assert second.train.features is not None
    for array in (second.train.tokens, second.vectors, second.train.features.data):
        while array.base is not None and not isinstance(array, np.memmap):
            array = array.base
        assert isinstance(array, np.memmap)
    second.train.tokens[0] = 77
    assert_equal(first, get(folder, recipe="attentionxml", verify=True))


def test_nothing_is_read_in_full_that_was_not_touched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second start reads every byte only when asked to."""
    get(folder)
    read: list[str] = []
    digest = storage.sha256_of

    def noted(path: Path) -> str:
        if path.suffix == ".npy":
            read.append(path.name)
        return digest(path)

    monkeypatch.setattr(storage, "sha256_of", noted)
    get(folder)
    assert read == []
    get(folder, verify=True)
    assert "train.tokens.npy" in read
    read.clear()
    [entry] = entries(folder)
    tokens = entry / "train.tokens.npy"
    os.utime(tokens, ns=(1, 1))
    get(folder)
    assert read == ["train.tokens.npy"]


def test_the_source_is_not_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The digest of a file that lies there for a while is remembered, and forgotten when it is touched."""
    monkeypatch.setattr(storage, "_COARSE", 0.0)
    get(folder)
    with monkeypatch.context() as patch:
        patch.setattr(storage, "sha256_of", lambda path: pytest.fail(f"{path} is read again"))
        request.getfixturevalue("no_preparation")
        get(folder)
    write(folder / "dev.txt", ["a\tbirt"])
    with pytest.raises(AssertionError, match="prepared again"):
        get(folder)


def test_options_and_bytes_name_the_entry(folder: Path) -> None:
    """Another length, recipe or option of it, source of vectors, seed or byte is prepared anew."""
    get(folder)
    option = {"recipe": replace(RECIPES["liu2017"], vocabulary_size=20)}
    for changes in (option, {"length": 2}, {"recipe": "study2022"}, {"vectors": "random:5"}, {"seed": 1}):
        get(folder, **changes)
    write(folder / "dev.txt", ["a\tbirds"])
    get(folder)
    assert len(entries(folder)) == 7


def test_a_vector_file_is_converted_beside_the_entries_and_known_by_its_content(folder: Path) -> None:
    """A copy under another name is the same file, for the converted one and for the prepared corpus."""
    first = write(folder.parent / "v.txt", ["the 1 2"])
    second = write(folder.parent / "w.txt", ["the 1 2"])
    for path in (first, second):
        get(folder, recipe="study2022", vectors=str(path))
    assert len(entries(folder)) == 1
    converted = [
        it for it in (folder.parent / "cache" / "vectors").iterdir() if (it / "matrix.bin").is_file()
    ]
    assert len(converted) == 1


@pytest.mark.parametrize(
    "name", ["meta.json", "labels.json", "vectors.npy", "train.tokens.npy", "dev.label_offsets.npy"]
)
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_damage_is_seen_and_repaired(
    folder: Path, name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A changed byte, a cut or missing file of the entry lead to a new preparation, told in the log."""
    first = get(folder)
    [entry] = entries(folder)
    path = entry / name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(bytes(content) if damage == "flip" else path.read_bytes()[:-3])
    with pytest.raises(DataError, match=r"damaged|cannot be read"):
        load(entry)
    with caplog.at_level(logging.WARNING):
        assert_equal(first, get(folder))
    assert "preparing toy anew" in caplog.text
    assert_equal(first, load(entry))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_interrupted_writing_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """A preparation that stops in the middle of writing leaves no entry and no rest."""
    calls = iter([None, None, error])

    def append(self: GrowingArray, values: object) -> None:
        if (stop := next(calls)) is not None:
            raise stop

    monkeypatch.setattr(GrowingArray, "append", append)
    with pytest.raises(type(error)):
        get(folder)
    assert entries(folder) == []


def test_a_process_that_was_killed(folder: Path) -> None:
    """Its unfinished folder is never read, and goes once it is a day old; a young one may be at work."""
    cache = folder.parent / "cache"
    old, young = cache / ".unfinished-old", cache / ".unfinished-young"
    for left in (old, young):
        write(left / "train.tokens.npy", b"half")
    then = time.time() - 100_000
    os.utime(old, (then, then))
    get(folder)
    assert not old.exists()
    assert young.exists()


def test_a_cache_that_cannot_be_written_is_one_sentence(folder: Path) -> None:
    blocked = write(folder.parent / "file", b"not a folder")
    with pytest.raises(DataError, match=r"cannot be kept \(Not a directory\); free some space there"):
        get(folder, cache=blocked / "cache")


# --------------------------------------------------------------------------- a disk that is full

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def mounted(folder: Path, kilobytes: int) -> bool:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    if not mounted(folder, 1024):
        pytest.skip("needs to mount a file system, which here only root may")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """2,000 documents of 200 of 2,000 words: 1.6 MB of token ids, and 100 vectors of each word 0.8 MB."""
    rng = np.random.default_rng(3)
    for split, n in {"train": 1500, "test": 500}.items():
        words = rng.integers(0, 2000, (n, 200))
        lines = [f"l{row[0] % 7}\t{' '.join(f'w{it}' for it in row)}" for row in words]
        write(tmp_path / f"toy/{split}.txt", lines)
    return tmp_path / "toy"


def fill(folder: Path, cache: Path) -> Dataset:
    options: dict[str, Any] = {"recipe": "study2022", "length": 200, "vectors": "random:100", "workers": 1}
    return load_or_prepare(folder, cache=cache, **options)


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix != ".lock")


@pytest.mark.parametrize("block", [0, 500, 1000])
def test_wherever_it_fills_nothing_is_left(small_disk: Path, large: Path, block: int) -> None:
    """With 0, 500, 1,000 kB already there: in the vectors, in the tokens, at once."""
    (small_disk / "other").write_bytes(bytes(block * 1024))
    with pytest.raises(DataError, match=r"cannot be kept \(No space left on device\); free some space there"):
        fill(large, small_disk)
    assert left(small_disk) == ["other"]


@pytest.mark.usefixtures("large")
def test_a_command_says_it_and_what_to_do(small_disk: Path) -> None:
    """`audit data add` exists to keep it, so it ends; the next one, elsewhere, is as if nothing had been."""

    def add(store: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "audit", "data", "add", "toy", "--store", store]
        place = Path(__file__).parents[2]
        here = {**os.environ, "PYTHONPATH": str(place)}
        return subprocess.run(command, cwd=small_disk.parent, capture_output=True, text=True, env=here)

    (small_disk / "other").write_bytes(bytes(900 * 1024))
    full = add("disk")
    assert full.returncode == 2
    assert full.stderr == (
        "audit: disk/data: the prepared toy cannot be kept (No space left on device); free some space there "
        "or choose another folder\n"
    )
    assert not [it for it in left(small_disk) if "unfinished" in it or it.endswith(".npy")]
    assert add("roomy").returncode == 0


def test_small_files_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old one stays; a half-written new one goes."""
    write_whole(tmp_path / "a/b", "first")

    def half(path: Path, text: str, encoding: str) -> int:
        path.write_bytes(text.encode(encoding)[:3])
        raise FULL

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a/b", "second")
    with remembered(tmp_path / "memory.json"):
        pass
    assert (tmp_path / "a/b").read_text() == "first"
    assert left(tmp_path) == ["a", "a/b"]
