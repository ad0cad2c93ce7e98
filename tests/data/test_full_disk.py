"""A disk that is full ends a preparation in one sentence; nothing is left behind.

Real file systems of a megabyte where the tests may mount one, and writes that say that the disk is full.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data.cache import load_or_prepare
from reimpl.data.dataset import Dataset
from reimpl.data.storage import remembered, write_whole
from reimpl.errors import DataError
from tests.data.corpora import write

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
def corpus(tmp_path: Path) -> Path:
    """2,000 documents of 200 of 2,000 words: 1.6 MB of token ids, and 100 vectors of each word 0.8 MB."""
    rng = np.random.default_rng(3)
    for split, n in {"train": 1500, "test": 500}.items():
        words = rng.integers(0, 2000, (n, 200))
        lines = [f"l{row[0] % 7}\t{' '.join(f'w{it}' for it in row)}" for row in words]
        write(tmp_path / f"toy/{split}.txt", lines)
    return tmp_path / "toy"


def get(folder: Path, cache: Path, **changes: Any) -> Dataset:
    options: dict[str, Any] = {"recipe": "study2022", "length": 200, "vectors": "random:100", "workers": 1}
    return load_or_prepare(folder, cache=cache, **(options | changes))


def left(folder: Path) -> list[str]:
    return sorted(str(it.relative_to(folder)) for it in folder.rglob("*"))


# --------------------------------------------------------------------------- a real, small file system


def test_what_cannot_be_kept_is_an_error(small_disk: Path, corpus: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be kept \(No space left on device\); free some space there"):
        get(corpus, small_disk)
    assert left(small_disk) == []


@pytest.mark.parametrize("block", range(0, 1001, 250))
def test_wherever_it_fills_nothing_is_left(small_disk: Path, corpus: Path, block: int) -> None:
    """With 0, 250, ... 1,000 kB already there: in reading, in the tokens, in the vectors, at once."""
    (small_disk / "other").write_bytes(bytes(block * 1024))
    with pytest.raises(DataError, match="cannot be kept"):
        get(corpus, small_disk)
    assert left(small_disk) == ["other"]


@pytest.mark.usefixtures("corpus")
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


# --------------------------------------------------------------------------- disks that say they are full


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
