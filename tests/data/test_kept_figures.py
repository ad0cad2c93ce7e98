"""Figures that are kept are those that `describe` gives, for the same bytes read in the same way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reimpl.data import storage
from reimpl.data.describe import describe, kept_figures, observed_in
from reimpl.data.formats.lml import open_folder
from tests.data.corpora import corpus, write
from tests.shared import shared


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_comes_back_is_what_describe_gave(tmp_path: Path, suffix: str) -> None:
    """Key by key, in the same order and of the same types, with a dev split and documents without labels."""
    source = open_folder(corpus(tmp_path / "toy", suffix=suffix))
    write(tmp_path / f"toy/dev.txt{suffix}", ["z\tthe cat sat", "\tnothing"])
    source = open_folder(tmp_path / "toy")
    figures = describe(source)
    kept = kept_figures(source, tmp_path / "cache")
    assert kept.read("toy") is None
    kept.keep(figures)
    again = kept_figures(source, tmp_path / "cache").read("toy")
    assert again == figures and again is not None
    assert repr(again) == repr(figures)
    assert observed_in(again) == observed_in(figures)


def test_the_name_is_what_the_folder_is_called_now(tmp_path: Path) -> None:
    kept = kept_figures(open_folder(corpus(tmp_path / "toy")), tmp_path / "cache")
    kept.keep(describe(tmp_path / "toy"))
    (tmp_path / "toy").rename(tmp_path / "other")
    found = kept_figures(open_folder(tmp_path / "other"), tmp_path / "cache").read("other")
    assert found == describe(tmp_path / "other")


def test_other_bytes_and_another_way_of_reading_have_other_figures(tmp_path: Path) -> None:
    """Ids or none; one letter at the same size and time; and the same letters packed are not read in vain."""
    folder = corpus(tmp_path / "toy")
    plain, ids = (kept_figures(open_folder(folder, ids=it), tmp_path / "c") for it in (False, True))
    state = (folder / "test.txt").stat()
    write(folder / "test.txt", ("a\tthe cat flew", "d e\tdog"))
    os.utime(folder / "test.txt", ns=(state.st_atime_ns, state.st_mtime_ns))
    changed = kept_figures(open_folder(folder), tmp_path / "c")
    assert len({plain.path, ids.path, changed.path}) == 3


def test_a_folder_that_is_not_there_is_made_by_keeping_alone(tmp_path: Path) -> None:
    source = open_folder(corpus(tmp_path / "toy"))
    kept = kept_figures(source, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    kept.keep(describe(source))
    assert [it.name for it in (tmp_path / "cache/figures").iterdir()] == [kept.path.name]


def test_digests_of_large_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a cache that is there; a file that was changed a while ago is hashed once."""
    folder = corpus(tmp_path / "toy")
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(storage, "_COARSE", 0.0)
    (tmp_path / "cache").mkdir()
    first = kept_figures(open_folder(folder), tmp_path / "cache")

    def never(*_: object) -> str:
        raise AssertionError("hashed again")

    monkeypatch.setattr("hashlib.file_digest", never)
    assert kept_figures(open_folder(folder), tmp_path / "cache") == first


def test_of_a_real_corpus(tmp_path: Path) -> None:
    source = open_folder(shared("data/reuters21578"))
    kept = kept_figures(source, tmp_path)
    kept.keep(describe(source))
    assert repr(kept.read(source.name)) == repr(describe(source))
