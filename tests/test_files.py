"""A file is whole or not there, and what the file system refuses is one sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from audit.errors import StoreError
from audit.storage.files import explained, write


def test_a_file_is_written_and_replaced_without_a_trace_of_the_way(tmp_path: Path) -> None:
    for content in (b"first", b"", b"third " * 10_000):
        write(tmp_path / "record.json", content)
        assert (tmp_path / "record.json").read_bytes() == content
    assert os.listdir(tmp_path) == ["record.json"]  # noqa: PTH208


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


@pytest.mark.skipif(os.name == "nt", reason="has no umask")
def test_colleagues_may_read_what_the_umask_lets_them(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "record.json", b"{}")
    finally:
        os.umask(before)
    assert (tmp_path / "record.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "x/y: No space left on device; free some space there or choose another folder"),
        (errno.EACCES, "x/y: Permission denied; make it accessible or choose another folder"),
        (errno.EROFS, "x/y: Read-only file system; choose a folder that can be written"),
        (errno.EIO, "x/y: Input/output error; choose another folder"),
    ],
)
def test_an_error_of_the_system_says_what_where_and_what_to_do(number: int, sentence: str) -> None:
    with pytest.raises(StoreError) as caught, explained(Path("x/y")):
        raise OSError(number, "whatever", "/somewhere/else")
    assert str(caught.value) == sentence


def test_an_error_without_a_number_keeps_its_words() -> None:
    with (
        pytest.raises(StoreError, match=r"^x: the lock is gone; choose another folder$"),
        explained(Path("x")),
    ):
        raise OSError("the lock is gone")
