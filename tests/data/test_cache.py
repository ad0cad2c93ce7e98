"""Kept preparations: the same arrays, nothing half-made, damage is seen."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data import prepare as caching
from reimpl.data.dataset import Dataset
from reimpl.data.prepare import load, load_or_prepare, prepare
from reimpl.data.preprocessing import PREPROCESSINGS
from reimpl.errors import DataError
from tests.data.corpora import corpus, write


def get(folder: Path, **changes: Any) -> Dataset:
    options: dict[str, Any] = {"preprocessing": "liu2017", "length": 3, "vectors": "random:4"}
    return load_or_prepare(folder, **({"cache": folder.parent / "cache"} | options | changes))


def entries(folder: Path) -> list[Path]:
    """Without the converted files of word vectors."""
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
    plain = ("name", "preprocessing", "fingerprint", "content", "labels", "vocabulary", "notes", "padding_id")
    for name in (*plain, "padding_trainable", "counts"):
        assert getattr(one, name) == getattr(two, name)


@pytest.mark.parametrize("preprocessing", PREPROCESSINGS)
def test_every_preprocessing_from_disk(
    folder: Path, preprocessing: str, request: pytest.FixtureRequest
) -> None:
    """Features too come back as they were prepared, in memory or from disk."""
    first = get(folder, preprocessing=preprocessing)
    rng = np.random.default_rng(0)
    assert_equal(first, prepare(folder, preprocessing=preprocessing, length=3, vectors="random:4", rng=rng))
    request.getfixturevalue("no_preparation")
    assert_equal(first, get(folder, preprocessing=preprocessing))


def test_options_and_bytes_name_the_entry(folder: Path) -> None:
    """Another length, recipe or option of it, source of vectors, seed or byte is prepared anew."""
    get(folder)
    option = {"preprocessing": replace(PREPROCESSINGS["liu2017"], vocabulary_size=20)}
    for changes in (option, {"length": 2}, {"preprocessing": "study2022"}, {"vectors": "random:5"}):
        get(folder, **changes)
    write(folder / "dev.txt", ["a\tbirds"])
    get(folder)
    assert len(entries(folder)) == 6


@pytest.mark.parametrize("name", ["meta.json", "labels.json", "train.tokens.npy"])
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
    assert "the prepared toy: made anew" in caplog.text
    assert_equal(first, load(entry))


def test_a_cache_that_cannot_be_written_is_one_sentence(folder: Path) -> None:
    blocked = write(folder.parent / "file", b"not a folder")
    with pytest.raises(DataError, match=r"cannot be kept \(Not a directory\); free some space there"):
        get(folder, cache=blocked / "cache")
