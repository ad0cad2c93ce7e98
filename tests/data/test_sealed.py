"""Folders whose every change is seen."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reimpl.data import sealed as sealing
from reimpl.data.sealed import check, samples, sealed
from reimpl.errors import DataError

SIZE = 3 << 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "large").write_bytes(os.urandom(SIZE))
    (tmp_path / "small").write_bytes(b"12345")
    return tmp_path


def flip(at: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[at] ^= 1
        path.write_bytes(content)

    return change


@pytest.mark.parametrize("name", ["large", "small"])
@pytest.mark.parametrize(
    "change", [flip(0), flip(-1), flip(4), lambda it: it.write_bytes(it.read_bytes()[:-1]), Path.touch]
)
def test_a_change_is_seen(folder: Path, name: str, change: Callable[[Path], None]) -> None:
    """Any byte; a touched file that is what it was is read once, and right."""
    known = sealed(folder, ["large", "small"])
    check(folder, known, everything=False)
    change(folder / name)
    if change is Path.touch:
        check(folder, known, everything=False)
        return
    for everything in (False, True):
        with pytest.raises(DataError, match=f"{name} is damaged"):
            check(folder, known, everything=everything)


def test_what_is_not_there(folder: Path) -> None:
    """A missing file is an error of the system."""
    known = sealed(folder, ["small"])
    (folder / "small").unlink()
    with pytest.raises(FileNotFoundError):
        check(folder, known, everything=False)


def test_rot_that_leaves_no_trace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the samples it is seen when everything is read; in a sample at once."""
    known = sealed(folder, ["large"])
    state = sealing.digests.state(folder / "large")
    monkeypatch.setattr(sealing.digests, "state", lambda _: state)
    flip(sealing._END + 1)(folder / "large")
    check(folder, known, everything=False)
    with pytest.raises(DataError, match="large is damaged"):
        check(folder, known, everything=True)
    flip(sealing._END + 1)(folder / "large")
    flip(SIZE // (sealing._SAMPLES + 1))(folder / "large")
    with pytest.raises(DataError, match="large is damaged"):
        check(folder, known, everything=False)


def test_a_seal_of_another_form_is_no_error(folder: Path) -> None:
    """Then everything is read, and the seal made anew."""
    known = sealed(folder, ["large"])
    seal = folder / "seen.json"
    whole = seal.read_text("utf-8")
    for text in ("[]", "{", "null"):
        seal.write_text(text, "utf-8")
        check(folder, known, everything=False)
        assert seal.read_text("utf-8") == whole


def test_small_files_are_all_sample(folder: Path) -> None:
    """Every byte of them counts each time."""
    before = samples(folder / "small")
    flip(2)(folder / "small")
    assert samples(folder / "small") != before
