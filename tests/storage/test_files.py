"""A file is whole or not there, and what the file system refuses is one sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from audit.errors import StoreError
from audit.storage.files import explained, write


def test_the_new_content_is_on_the_disk_before_it_gets_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.json"
    write(path, b"old")
    real, seen = os.fsync, []

    def sync(handle: int) -> None:
        seen.append((path.read_bytes(), os.fstat(handle).st_size))
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    write(path, b"newer")
    assert seen[0] == (b"old", 5)
    assert path.read_bytes() == b"newer"


def test_an_interruption_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "record.json"
    write(path, b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "x/y: No space left on device; free some space there or choose another folder"),
        (errno.EACCES, "x/y: Permission denied; make it accessible or choose another folder"),
    ],
)
def test_an_error_of_the_system_says_what_where_and_what_to_do(number: int, sentence: str) -> None:
    with pytest.raises(StoreError) as caught, explained(Path("x/y")):
        raise OSError(number, "whatever", "/somewhere/else")
    assert str(caught.value) == sentence
