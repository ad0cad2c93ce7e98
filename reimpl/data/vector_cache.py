"""Files of word vectors, converted once: the next use reads the rows of the words it needs, and no more.

    FOLDER/KEY/            a converted file, named by the SHA-256 of its bytes:
        matrix.bin         float32 (N, E), in the order of the file
        words.bin          the N words, each with a NUL behind it
        meta.json          the tally, the size, and what `storage.check` needs to see every change
    FOLDER/KEY.lock        held while it is made: of two processes one converts and the other waits
    FOLDER/.unfinished-KEY what is being made; renamed when whole, removed when not

Legend: N words of a file, E numbers of a word, V words that are looked up.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from filelock import FileLock, Timeout

from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.files import counted
from reimpl.data.storage import MEMORY, check, file_digest, read_checked, remembered, sealed, with_digest
from reimpl.data.vector_file import Chunk, Located, Tally, chunks, encoded, locate
from reimpl.errors import DataError

log = logging.getLogger(__name__)

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, and how many bytes of the files on disk of how many are done."""

#: Counts up when a converted file looks otherwise than before.
VERSION = 2

_FILES = ("matrix.bin", "words.bin")
_BLOCK = 1 << 20


class NotKeptError(DataError):
    """The folder of the cache cannot be written; the vectors can still be read from their file."""


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The vectors of V wanted words and what was met on the way."""

    rows: FloatArray
    """float32 (V, E), zero where a word was not there."""
    found: BoolArray
    """(V,)"""
    tally: Tally
    """Of the whole file; its `duplicates` are of wanted words alone, unless the file was converted."""

    def checked(self, file: object) -> WordVectors:
        """Raises `DataError` when not one of the words is there."""
        if len(self.found) and not self.found.any():
            raise DataError(
                f"{file}: none of the {len(self.found)} words of the corpus has a vector; "
                "is it the right file?"
            )
        return self


def read_vectors(path: Path, words: Sequence[str], *, dimension: int | None = None) -> WordVectors:
    """Vectors of `words`, in their order, from reading the whole file. Raises `DataError` as `chunks` does,
    and when the file has not one of the words."""
    located, tally = locate(path, dimension), Tally()
    wanted = {encoded(word): row for row, word in enumerate(words)}
    rows, found = np.zeros((len(words), 0), dtype=np.float32), np.zeros(len(words), dtype=np.bool_)
    for chunk in chunks(located, tally, dimension=dimension):
        if not rows.shape[1]:
            rows = np.zeros((len(words), tally.dimension), dtype=np.float32)
        for at, word in enumerate(chunk.words):
            row = wanted.get(word)
            if row is not None and found[row]:
                tally.duplicates += 1
            elif row is not None:
                rows[row], found[row] = chunk.rows[at], True
    return WordVectors(rows, found, tally).checked(located.file)


@dataclass(frozen=True)
class ConvertedFile:
    """A file of word vectors as arrays on disk."""

    folder: Path
    tally: Tally
    rows: int

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum((self.folder / name).stat().st_size for name in _FILES)

    def words(self) -> Iterator[bytes]:
        """The words of all rows."""
        rest = b""
        with (self.folder / "words.bin").open("rb") as stream:
            while block := stream.read(_BLOCK):
                *words, rest = (rest + block).split(b"\0")
                yield from words

    def first_words(self, count: int) -> list[bytes]:
        """The words of the first rows."""
        return list(islice(self.words(), count))

    def look_up(self, words: Sequence[str]) -> WordVectors:
        """Vectors of `words`, in their order; only their rows are read."""
        wanted = [encoded(word) for word in words]
        row_of: dict[bytes, int] = dict.fromkeys(wanted, -1)
        for row, word in enumerate(self.words()):
            if word in row_of and row_of[word] < 0:
                row_of[word] = row
        at = np.array([row_of[word] for word in wanted], dtype=np.int64)
        values = np.zeros((len(words), self.tally.dimension), dtype=np.float32)
        shape = (self.rows, self.tally.dimension)
        if self.rows:
            matrix = np.memmap(self.folder / "matrix.bin", dtype="<f4", mode="r", shape=shape)
            values[at >= 0] = matrix[at[at >= 0]]
        return WordVectors(values, at >= 0, self.tally)


@dataclass(frozen=True)
class VectorCache:
    """The converted files under one folder."""

    folder: Path
    progress: Progress = lambda what, done, total: None

    def look_up(self, path: Path, words: Sequence[str], *, dimension: int | None = None) -> WordVectors:
        """Vectors of `words`, in their order; the file is converted when it is not yet.

        Raises `DataError` as `read_vectors`, and `NotKeptError` when there is no place for it.
        """
        return self.open(path, dimension=dimension).look_up(words).checked(locate(path, dimension).file)

    def open(self, path: Path, *, dimension: int | None = None) -> ConvertedFile:
        """The converted file, made when it is not there or damaged; errors as `look_up`."""
        located = locate(path, dimension)
        place = self.folder / self.key(located)
        with self._place_for(located):
            converted = _opened(place)
            if converted is None:
                with self._locked(place):
                    # another process may have made it meanwhile
                    converted = _opened(place) or self._convert(located, place)
        if dimension is not None:
            converted.tally.check_dimension(located.file, dimension)
        return converted

    def key(self, located: Located) -> str:
        """Names what is made of these files: their content, and which member of an archive."""
        size = sum(path.stat().st_size for path in located.on_disk)
        memory, hashing = self.folder / MEMORY, counted(size, partial(self.progress, "hashing"))
        with remembered(memory), hashing:
            contents = [file_digest(path) for path in located.on_disk]
        files = [file for file in (located.file, located.words) if file]
        # what a name says of how a file is read
        kinds = [[file.member, file.packing, Path(file.stem).suffix.lower()] for file in files]
        return hashlib.sha256(json.dumps([VERSION, contents, kinds]).encode()).hexdigest()[:32]

    @contextmanager
    def _place_for(self, located: Located) -> Iterator[None]:
        """The folder; what keeps it from being written becomes one sentence."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except (OSError, NotImplementedError) as err:
            why = getattr(err, "strerror", None) or str(err) or type(err).__name__
            raise NotKeptError(
                f"{self.folder}: the converted word vectors of {located.file.name} cannot be kept ({why}); "
                "free some space there or choose another folder"
            ) from err

    @contextmanager
    def _locked(self, place: Path) -> Iterator[None]:
        lock = FileLock(f"{place}.lock")
        try:
            lock.acquire(timeout=0.0)
        except Timeout:
            self.progress("waiting for another process", 0, 0)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _convert(self, located: Located, place: Path) -> ConvertedFile:
        """Makes it under another name. The lock is ours, so what a killed process left there can go."""
        work = place.with_name(f".unfinished-{place.name}")
        shutil.rmtree(work, ignore_errors=True)
        try:
            work.mkdir()
            tally, size = Tally(), sum(path.stat().st_size for path in located.on_disk)
            with counted(size, partial(self.progress, "converting")):
                rows = _write(work, chunks(located, tally), tally)
            meta = {"rows": rows, "tally": asdict(tally), "files": sealed(work, _FILES)}
            (work / "meta.json").write_text(with_digest(json.dumps(meta)), "utf-8")
            shutil.rmtree(place, ignore_errors=True)
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return ConvertedFile(place, tally, rows)


def _write(folder: Path, parts: Iterator[Chunk], tally: Tally) -> int:
    """Writes all chunks and counts repeated words. Memory: one chunk, and 16 bytes a word."""
    hashes = [np.empty(0, dtype=np.int64)]
    with (folder / "matrix.bin").open("xb") as matrix, (folder / "words.bin").open("xb") as words:
        for chunk in parts:
            matrix.write(np.ascontiguousarray(chunk.rows, dtype="<f4").data)
            words.writelines(word.replace(b"\0", b" ") + b"\0" for word in chunk.words)
            hashes.append(np.fromiter(map(hash, chunk.words), np.int64, len(chunk.words)))
    together = np.concatenate(hashes)
    tally.duplicates = len(together) - len(np.unique(together))
    return len(together)


def _opened(place: Path) -> ConvertedFile | None:
    if not place.is_dir():
        return None
    try:
        text = read_checked(place / "meta.json")
        if text is None:
            raise DataError(f"{place}: meta.json is damaged")
        meta = json.loads(text)
        check(place, meta["files"], everything=False)
        tally = Tally(**meta["tally"])
    except (OSError, ValueError, DataError) as err:
        log.warning("%s: the converted word vectors are damaged (%s); converting the file anew", place, err)
        return None
    for name in ("first_bad", "first_not_utf8"):
        setattr(tally, name, getattr(tally, name) and tuple(getattr(tally, name)))
    return ConvertedFile(place, tally, meta["rows"])
