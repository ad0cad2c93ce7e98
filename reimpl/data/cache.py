"""Prepared corpora on disk: the next start takes a second, and nothing half-made is ever seen.

An entry is a folder of .npy files named by a digest of the source's bytes, the recipe and the options. Its
arrays are read from disk as they are needed, so a corpus larger than memory can be trained on. It is written
under another name and renamed when whole; an entry that was touched is prepared anew.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reimpl.data.dataset import Dataset, Split, csr
from reimpl.data.files import Progress
from reimpl.data.prepare import PREPARATION_VERSION, as_source, as_vectors, prepare
from reimpl.data.recipe import Recipe, find_recipe
from reimpl.data.source import TextSource
from reimpl.data.storage import MEMORY, cached_entry, digest_of, read_array, read_meta, remembered, write_meta
from reimpl.data.vectors import VectorFile, VectorSource
from reimpl.errors import DataError

CACHE_VERSION = 5

_ARRAYS = ("tokens", "offsets", "label_ids", "label_offsets")
_FEATURES = ("data", "indices", "indptr")
_NAMES = ("labels", "vocabulary")
_PLAIN = (
    "name",
    "recipe",
    "fingerprint",
    "content",
    "partition",
    "corpus",
    "padding_id",
    "padding_trainable",
)

log = logging.getLogger(__name__)


def load_or_prepare(
    source: TextSource | Path,
    *,
    recipe: str | Recipe,
    length: int,
    vectors: VectorSource | str,
    cache: Path,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """The prepared corpus from `cache` if it is there, else prepared and kept there.

    The same arrays either way, read from disk as they are needed. The vectors of words that have none are
    drawn alike each time. `workers` and `progress` are as in `prepare`. Errors as there; `DataError` where
    nothing can be kept.
    """
    source, vectors = as_source(source), as_vectors(vectors)
    if isinstance(vectors, VectorFile):
        vectors = replace(vectors, cache=cache / "vectors")
    recipe, name = find_recipe(recipe).of(source), source.name
    with remembered(cache / MEMORY):
        # what is not looked up is no part of the key
        looked_up = vectors.identity if recipe.tokens else None
        versions = [CACHE_VERSION, PREPARATION_VERSION]
        key = [versions, source.digest(), recipe.name, recipe.identity, length, looked_up]
        entry = cache / digest_of(key)[:32]

    def make(work: Path) -> None:
        rng = np.random.default_rng(0)
        choices: dict[str, Any] = {"recipe": recipe, "length": length, "vectors": vectors, "rng": rng}
        _write(prepare(source, **choices, workers=workers, progress=progress, folder=work), work)

    def warn(err: DataError) -> None:
        log.warning("%s; preparing %s anew", err, name)

    try:
        return cached_entry(entry, partial(load, name=name), make, warn)
    except OSError as err:
        what = f"{cache}: the prepared {name} cannot be kept ({err.strerror or err})"
        raise DataError(f"{what}; free some space there or choose another folder") from err


def load(entry: Path, *, name: str | None = None) -> Dataset:
    """Opens an entry, maybe under another `name`; raises `DataError` when it was touched or is damaged."""
    meta = read_meta(entry)
    try:
        parts: dict[str, Any] = {key: meta[key] for key in _PLAIN} | ({} if name is None else {"name": name})
        parts |= {key: tuple(json.loads((entry / f"{key}.json").read_text("utf-8"))) for key in _NAMES}
        parts |= {split: _split(entry, split, columns) for split, columns in meta["splits"].items()}
        vectors, notes = read_array(entry / "vectors.npy"), tuple(meta["notes"])
        return Dataset(**parts, vectors=vectors, counts=meta["counts"], notes=notes)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise DataError(f"{entry}: the prepared corpus is damaged ({err})") from err


def _split(entry: Path, split: str, columns: int | None) -> Split:
    features = None
    if columns is not None:
        data, indices, offsets = (read_array(entry / f"{split}.features.{part}.npy") for part in _FEATURES)
        features = csr(data, indices, offsets, columns)
    arrays = {name: read_array(entry / f"{split}.{name}.npy") for name in _ARRAYS}
    return Split(**arrays, features=features)


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
        splits[split] = columns
    for name, array in arrays.items():
        if not (folder / name).exists():
            np.save(folder / name, array, allow_pickle=False)
    for name in _NAMES:
        text = json.dumps(getattr(dataset, name), ensure_ascii=False)
        (folder / f"{name}.json").write_text(text, "utf-8")
    meta = {name: getattr(dataset, name) for name in _PLAIN}
    meta |= {"splits": splits, "counts": dict(dataset.counts), "notes": dataset.notes}
    write_meta(folder, meta, [*arrays, *(f"{name}.json" for name in _NAMES)])
