"""Prepared corpora on disk: the next start takes a second, and nothing half-made is ever seen.

An entry is a folder of .npy files named by a digest of the source's bytes, the recipe and the options. Its
arrays are read from disk as they are needed, so a corpus larger than memory can be trained on. It is written
under another name and renamed when whole; a damaged entry is seen (see `storage`) and prepared anew.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reimpl.data.dataset import Dataset, Split, csr
from reimpl.data.files import Progress
from reimpl.data.prepare import PREPARATION_VERSION, as_source, as_vectors, prepare
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import Source
from reimpl.data.storage import (
    MEMORY,
    check,
    digest_of,
    read_array,
    read_checked,
    remembered,
    sealed,
    with_digest,
)
from reimpl.data.vectors import HALF_WIDTH, VectorSource, kept_in
from reimpl.errors import DataError

CACHE_VERSION = 4

_ARRAYS = ("tokens", "offsets", "label_ids", "label_offsets")
_FEATURES = ("data", "indices", "indptr")
_NAMES = ("labels", "vocabulary")
_PLAIN = (
    *("name", "recipe", "fingerprint", "content", "partition", "corpus"),
    *("padding_id", "padding_trainable"),
)
_UNFINISHED = ".unfinished-"
_DAY = 86_400.0
_NO_SPACE = 1 << 16

log = logging.getLogger(__name__)


def load_or_prepare(
    source: Source | Path,
    *,
    recipe: str | Recipe,
    length: int,
    vectors: VectorSource | str,
    cache: Path,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    verify: bool = False,
) -> Dataset:
    """The prepared corpus from `cache` if it is there, else prepared and kept there.

    The same arrays either way, read from disk as they are needed. `seed` draws the vectors of words that have
    none. `workers` and `progress` are as in `prepare`; `verify` reads every byte of what is in the cache,
    also where nothing was touched. Errors as `prepare`; `DataError` where the cache cannot be written.
    """
    source, vectors = as_source(source), kept_in(as_vectors(vectors), cache / "vectors")
    recipe = find_recipe(recipe).of(source)
    with remembered(cache / MEMORY):
        entry = cache / _key(source, recipe, length, vectors, seed)
    if entry.is_dir():
        try:
            return load(entry, name=source.name, verify=verify)
        except DataError as err:
            log.warning("%s; preparing %s anew", err, source.name)
            shutil.rmtree(entry, ignore_errors=True)
    try:
        with _entry_in_work(entry) as work:
            made = prepare(
                source,
                recipe=recipe,
                length=length,
                vectors=vectors,
                rng=np.random.default_rng(seed),
                workers=workers,
                progress=progress,
                folder=work,
            )
            _write(made, work)
    except OSError as err:
        what = f"{cache}: the prepared {source.name} cannot be kept ({_reason(err, cache)})"
        raise DataError(f"{what}; free some space there or choose another folder") from err
    return load(entry, name=source.name)


def _reason(err: OSError, folder: Path) -> str:
    """Why it failed, in the system's words; numpy's only count what it could not write."""
    if err.errno:
        return os.strerror(err.errno)
    return "No space left on device" if shutil.disk_usage(folder).free < _NO_SPACE else str(err)


@contextmanager
def _entry_in_work(entry: Path) -> Iterator[Path]:
    """A folder to write to, which becomes the entry at the end, and is gone after an error.

    When another process was first, theirs stays. What a killed process left goes once it is a day old; a
    younger one may still be at work.
    """
    entry.parent.mkdir(parents=True, exist_ok=True)
    for left in entry.parent.glob(f"{_UNFINISHED}*"):
        if time.time() - left.stat().st_mtime > _DAY:
            shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=entry.parent))
    try:
        yield work
        try:
            work.rename(entry)
        except OSError:
            if not entry.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def load(entry: Path, *, name: str | None = None, verify: bool = False) -> Dataset:
    """Opens an entry, maybe under another `name`.

    What was touched since it was last found right is read in full; everything, if `verify`. Raises
    `DataError` when the entry is damaged or of another version.
    """
    try:
        text = read_checked(entry / "meta.json")
        if text is None:
            raise DataError(f"{entry}: meta.json is damaged")
        meta = json.loads(text)
        check(entry, meta["files"], everything=verify)
        plain = {key: meta[key] for key in _PLAIN} | ({} if name is None else {"name": name})
        labels, vocabulary = (json.loads((entry / f"{it}.json").read_text("utf-8")) for it in _NAMES)
        splits = {split: _split(entry, split, facts) for split, facts in meta["splits"].items()}
        return Dataset(
            **plain,
            labels=tuple(labels),
            vocabulary=tuple(vocabulary),
            train=splits["train"],
            test=splits["test"],
            dev=splits.get("dev"),
            vectors=read_array(entry / "vectors.npy"),
            counts=meta["counts"],
            notes=tuple(meta["notes"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise DataError(f"{entry}: the prepared corpus is damaged ({err})") from err


def _split(entry: Path, split: str, facts: dict[str, Any]) -> Split:
    features = None
    if facts["columns"] is not None:
        data, indices, offsets = (read_array(entry / f"{split}.features.{part}.npy") for part in _FEATURES)
        features = csr(data, indices, offsets, facts["columns"])
    arrays = {name: read_array(entry / f"{split}.{name}.npy") for name in _ARRAYS}
    return Split(**arrays, features=features).with_ranges(tuple(facts["tokens"]), tuple(facts["labels"]))


def _write(dataset: Dataset, folder: Path) -> None:
    """Everything of a data set that is not in the folder yet."""
    arrays: dict[str, Any] = {"vectors.npy": dataset.vectors}
    splits = {}
    for split, part in dataset.splits.items():
        arrays |= {f"{split}.{name}.npy": getattr(part, name) for name in _ARRAYS}
        columns = None
        if part.features is not None:
            arrays |= {f"{split}.features.{name}.npy": getattr(part.features, name) for name in _FEATURES}
            columns = part.features.shape[1]
        splits[split] = {"tokens": part.token_range, "labels": part.label_range, "columns": columns}
    for name, array in arrays.items():
        if not (folder / name).exists():
            np.save(folder / name, array, allow_pickle=False)
    for name in _NAMES:
        text = json.dumps(getattr(dataset, name), ensure_ascii=False)
        (folder / f"{name}.json").write_text(text, "utf-8")
    meta = {name: getattr(dataset, name) for name in _PLAIN} | {
        "splits": splits,
        "counts": dict(dataset.counts),
        "notes": dataset.notes,
        "files": sealed(folder, [*arrays, *(f"{name}.json" for name in _NAMES)]),
    }
    (folder / "meta.json").write_text(with_digest(json.dumps(meta, ensure_ascii=False)), "utf-8")


def _key(source: Source, recipe: Recipe, length: int, vectors: VectorSource, seed: int) -> str:
    # what is not looked up, and a seed that draws nothing, are no part of the name
    looked_up = vectors.identity if recipe.tokens else None
    drawn = seed if recipe.tokens and (vectors.random or recipe.out_of_vocabulary in HALF_WIDTH) else None
    versions = [CACHE_VERSION, PREPARATION_VERSION]
    choices = [versions, source.digest(), recipe.name, recipe.identity, length, looked_up, drawn]
    return digest_of(json.dumps(choices, sort_keys=True))[:32]
