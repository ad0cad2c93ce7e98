"""Remembered digests: no file is read twice, and none is taken for what it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reimpl.data import digests
from reimpl.data.digests import of, remembered, state
from reimpl.data.files import file_digest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    return path


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "settled", lambda _: True)


def read_in(memory: Path, file: Path) -> tuple[str, int]:
    """The digest of a file within the memory, and how often it was read."""
    reads: list[Path] = []

    def digest(path: Path) -> str:
        reads.append(path)
        return path.read_text("utf-8")

    with remembered(memory):
        found = of(file, digest), of(file, digest)
    assert found[0] == found[1]
    return found[0], len(reads)


@pytest.mark.usefixtures("settled")
def test_once(tmp_path: Path, file: Path) -> None:
    """Read once, also by the next start; a changed size or time reads it again."""
    memory = tmp_path / "memory.json"
    assert read_in(memory, file) == ("one", 1)
    assert read_in(memory, file) == ("one", 0)
    file.write_bytes(b"two")
    assert read_in(memory, file) == ("two", 1)
    os.utime(file, ns=(5, 5))
    assert read_in(memory, file) == ("two", 1)
    assert read_in(memory, file) == ("two", 0)


def test_a_file_just_written_is_not_remembered(tmp_path: Path, file: Path) -> None:
    """Its clock may be too coarse to show the next change."""
    assert read_in(tmp_path / "memory.json", file) == ("one", 2)
    old = state(file)
    assert not digests.settled(old)
    old[1:3] = [10**9, 10**9]
    assert digests.settled(old)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 1}', '{"x": [1]}'])
def test_a_damaged_memory_is_no_hindrance(tmp_path: Path, file: Path, text: str) -> None:
    """It is written anew."""
    memory = tmp_path / "memory.json"
    memory.write_text(text, "utf-8")
    assert read_in(memory, file) == ("one", 1)
    assert read_in(memory, file) == ("one", 0)


@pytest.mark.usefixtures("settled")
def test_a_memory_that_cannot_be_written(tmp_path: Path, file: Path) -> None:
    """Every start reads the file then."""
    assert read_in(file / "memory.json", file) == ("one", 1)


@pytest.mark.usefixtures("settled")
def test_outside_nothing_is_remembered(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of files are remembered only where somebody asks for it."""
    with remembered(tmp_path / "memory.json"):
        before = file_digest(file)
    monkeypatch.setattr(digests, "state", lambda _: [0])
    assert file_digest(file) == before
