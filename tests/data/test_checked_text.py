"""Tests of reimpl.data.checked_text: what was cut or changed is no text."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from reimpl.data.checked_text import read_checked, with_digest


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_text(with_digest("two\nlines, é"), "utf-8")
    assert read_checked(path) == "two\nlines, é"
    assert path.read_text("utf-8").split("\n")[0] == hashlib.sha256("two\nlines, é".encode()).hexdigest()


@pytest.mark.parametrize("end", [-1, 70, 10, 0])
def test_a_cut_file_is_none(tmp_path: Path, end: int) -> None:
    path = tmp_path / "it"
    path.write_text(with_digest("some text of some length")[:end], "utf-8")
    assert read_checked(path) is None


def test_a_changed_letter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_text(with_digest("abc").replace("\nabc", "\nabd"), "utf-8")
    assert read_checked(path) is None
