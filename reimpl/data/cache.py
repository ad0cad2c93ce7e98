"""Prepared corpora on disk: the next start takes a second, and nothing half-made is ever seen.

An entry is a folder of .npy files named by a digest of the source's bytes, the recipe and the options. It is
written under another name and renamed when whole; each file's SHA-256 is checked on reading, and a damaged
entry is prepared anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reimpl.data.dataset import Dataset, Split
from reimpl.data.files import file_digest
from reimpl.data.prepare import PREPARATION_VERSION, as_source, as_vectors, prepare
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import Source
from reimpl.data.vectors import HALF_WIDTH, VectorSource, kept_in
from reimpl.errors import DataError

CACHE_VERSION = 2

_ARRAYS = ("tokens", "offsets", "label_ids", "label_offsets")
_PLAIN = ("name", "recipe", "fingerprint", "content", "corpus", "padding_id", "padding_trainable")
_UNFINISHED = ".unfinished-"
_DAY = 86_400.0

log = logging.getLogger(__name__)


def load_or_prepare(
    source: Source | Path,
    *,
    recipe: str | Recipe,
    length: int,
    vectors: VectorSource | str,
    cache: Path,
    seed: int = 0,
) -> Dataset:
    """The prepared corpus from `cache` if it is there, else prepared and kept there.

    The same arrays either way. `seed` draws the vectors of words that have none. Errors as `prepare`; a cache
    that cannot be written is a logged warning, not an error.
    """
    source, recipe = as_source(source), find_recipe(recipe)
    vectors = kept_in(as_vectors(vectors), cache / "vectors")
    entry = cache / _key(source, recipe, length, vectors, seed)
    if entry.is_dir():
        try:
            return replace(load(entry), name=source.name)
        except DataError as err:
            log.warning("%s; preparing %s anew", err, source.name)
            shutil.rmtree(entry, ignore_errors=True)
    rng = np.random.default_rng(seed)
    dataset = prepare(source, recipe=recipe, length=length, vectors=vectors, rng=rng)
    try:
        save(dataset, entry)
    except OSError as err:
        log.warning("%s: the prepared corpus cannot be kept (%s); it is prepared at each start", cache, err)
    return dataset


def save(dataset: Dataset, entry: Path) -> None:
    """Writes an entry; when another process was first, theirs stays. Raises `OSError` when it cannot."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(entry.parent)
    work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=entry.parent))
    try:
        _write(dataset, work)
        try:
            work.rename(entry)
        except OSError:
            if not entry.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def load(entry: Path) -> Dataset:
    """Reads an entry and checks every byte; raises `DataError` when it is damaged or of another version."""
    try:
        digest, _, text = (entry / "meta.json").read_text("utf-8").partition("\n")
        if digest != _sha256(text):
            raise DataError(f"{entry}: meta.json is damaged")
        meta = json.loads(text)
        for name, expected in meta["files"].items():
            if file_digest(entry / name) != expected:
                raise DataError(f"{entry}: {name} is damaged")
        splits = {
            split: Split(*(np.load(entry / f"{split}.{array}.npy") for array in _ARRAYS))
            for split in meta["splits"]
        }
        return Dataset(
            **{name: meta[name] for name in _PLAIN},
            train=splits["train"],
            test=splits["test"],
            dev=splits.get("dev"),
            labels=tuple(meta["labels"]),
            vocabulary=tuple(meta["vocabulary"]),
            vectors=np.load(entry / "vectors.npy"),
            counts=meta["counts"],
            notes=tuple(meta["notes"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise DataError(f"{entry}: the prepared corpus is damaged ({err})") from err


def _write(dataset: Dataset, folder: Path) -> None:
    arrays: dict[str, Any] = {"vectors.npy": dataset.vectors}
    for split, part in dataset.splits.items():
        arrays |= {f"{split}.{array}.npy": getattr(part, array) for array in _ARRAYS}
    for name, array in arrays.items():
        np.save(folder / name, array, allow_pickle=False)
    meta = {name: getattr(dataset, name) for name in _PLAIN} | {
        "splits": list(dataset.splits),
        "labels": dataset.labels,
        "vocabulary": dataset.vocabulary,
        "counts": dict(dataset.counts),
        "notes": dataset.notes,
        "files": {name: file_digest(folder / name) for name in arrays},
    }
    text = json.dumps(meta, ensure_ascii=False)
    (folder / "meta.json").write_text(f"{_sha256(text)}\n{text}", "utf-8")


def _key(source: Source, recipe: Recipe, length: int, vectors: VectorSource, seed: int) -> str:
    # a seed that draws nothing is no part of the name
    drawn = seed if vectors.random or recipe.out_of_vocabulary in HALF_WIDTH else None
    versions = [CACHE_VERSION, PREPARATION_VERSION]
    choices = [versions, source.digest(), recipe.name, recipe.identity, length, vectors.identity, drawn]
    return _sha256(json.dumps(choices, sort_keys=True))[:32]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _remove_stale(cache: Path) -> None:
    """What a killed process left behind, once it is a day old; a younger one may still be at work."""
    for left in cache.glob(f"{_UNFINISHED}*"):
        try:
            old = time.time() - left.stat().st_mtime > _DAY
        except OSError:
            continue
        if old:
            shutil.rmtree(left, ignore_errors=True)
