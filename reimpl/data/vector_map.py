"""Word vectors as arrays on disk, mapped into memory: looking up V words touches the rows of these alone.

    matrix.npy   float32 (N, E), in the order of the file
    ends.npy     int64 (N,), where the word of each row ends in words.bin
    words.bin    the words, one after another
    checks.npy   uint32 (N,), CRC-32 of each row
    hashes.npy   uint64 (n,), of the n words that differ, rising
    rows.npy     int64 (n,), the row of each hash
    meta.json    the tally, and size and CRC-32 of the other files

A hash only says where to look; the word itself is compared. Each row that is read is checked, so that damage
is never read in silence, and the matrix is never read as a whole.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reimpl.data.checked_text import read_checked, with_digest
from reimpl.data.dataset import BoolArray, FloatArray, IntArray
from reimpl.data.npy_writer import NpyWriter
from reimpl.data.vector_reading import Chunk, Tally
from reimpl.errors import DataError

VERSION = 1

_SMALL = ("words.bin", "ends.npy", "checks.npy", "hashes.npy", "rows.npy")
"""Checked as a whole when a map is opened: some bytes a word."""
_PART = 4096
"""Rows that are looked up at once."""
_FILES = ("matrix.npy", *_SMALL)


class DamagedMapError(DataError):
    """A map that was not written whole, or was changed since."""


def write_map(folder: Path, chunks: Iterable[Chunk], tally: Tally) -> None:
    """Writes all chunks into an empty folder, and with them `tally`, which reading the chunks fills.

    Memory: one chunk, and at the end 32 bytes a word. Raises `OSError` when the folder cannot be written, and
    whatever reading the chunks raises.
    """
    hashes = _write_rows(folder, iter(chunks))
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    new = _first_of_each(folder, hashes, order)
    tally.duplicates = len(order) - int(new.sum())
    np.save(folder / "hashes.npy", hashes[new])
    np.save(folder / "rows.npy", order[new])
    files = {name: (folder / name).stat().st_size for name in _FILES}
    checks = {name: _check_of(folder / name) for name in _SMALL}
    text = json.dumps({"version": VERSION, "tally": asdict(tally), "files": files, "checks": checks})
    (folder / "meta.json").write_text(with_digest(text), "utf-8")


def _write_rows(folder: Path, chunks: Iterator[Chunk]) -> NDArray[np.uint64]:
    """Everything but the index; gives the hash of each row's word."""
    first = next(chunks)
    hashes, end = [], 0
    with (
        (folder / "words.bin").open("xb") as words,
        NpyWriter(folder / "matrix.npy", "<f4", first.rows.shape[1]) as matrix,
        NpyWriter(folder / "ends.npy", "<i8") as ends,
        NpyWriter(folder / "checks.npy", "<u4") as checks,
    ):
        for chunk in chain((first,), chunks):
            matrix.add(chunk.rows)
            checks.add(_row_checks(chunk.rows))
            words.write(b"".join(chunk.words))
            here = end + np.cumsum([len(word) for word in chunk.words], dtype=np.int64)
            ends.add(here)
            end = int(here[-1]) if len(here) else end
            hashes.append(_hashes(chunk.words))
    return np.concatenate(hashes)


def _first_of_each(folder: Path, hashes: NDArray[np.uint64], rows: IntArray) -> BoolArray:
    """Whether a row is the first with its word; `hashes` rise, and rows of equal hashes do."""
    new = np.ones(len(rows), dtype=np.bool_)
    again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
    if not len(again):
        return new
    words = _Words(folder)
    seen: set[bytes] = set()
    last = -1
    for at in again.tolist():
        if at - 1 != last:  # another hash than before
            seen = {words.at(rows[at - 1 : at])[0]}
        [word] = words.at(rows[at : at + 1])
        new[at], last = word not in seen, at
        seen.add(word)
    return new


def _row_checks(rows: FloatArray) -> NDArray[np.uint32]:
    return np.array([zlib.crc32(row) for row in np.ascontiguousarray(rows)], dtype=np.uint32)


def _check_of(path: Path) -> int:
    return zlib.crc32(np.memmap(path, dtype=np.uint8, mode="r").data)


def _hashes(words: Iterable[bytes]) -> NDArray[np.uint64]:
    joined = b"".join(hashlib.blake2b(word, digest_size=8).digest() for word in words)
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


class _Words:
    """The words of the rows of a map."""

    def __init__(self, folder: Path) -> None:
        self._ends = np.load(folder / "ends.npy", mmap_mode="r")
        with (folder / "words.bin").open("rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self._ends)

    def at(self, rows: IntArray) -> list[bytes]:
        """The words of some rows."""
        starts = np.where(rows > 0, self._ends[rows - 1], 0).tolist()
        return [self._text[start:end] for start, end in zip(starts, self._ends[rows].tolist(), strict=True)]


class VectorMap:
    """The vectors of a file, as `write_map` laid them down.

    Raises `DamagedMapError` when the folder holds no whole map of this version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.tally = self._read_meta()
            self._words = _Words(folder)
            self._checks, self._hashes, self._rows = (
                np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("checks", "hashes", "rows")
            )
            self._matrix = self._read_matrix((len(self._words), self.tally.dimension))
        except (OSError, ValueError, KeyError, TypeError) as err:
            raise DamagedMapError(f"{folder}: the converted word vectors are damaged ({err})") from err

    def _read_matrix(self, shape: tuple[int, int]) -> NDArray[np.float32]:
        """The rows, from the end of the file: its header is not checked, and so not read."""
        path = self.folder / "matrix.npy"
        offset = path.stat().st_size - 4 * shape[0] * shape[1]
        return np.memmap(path, dtype="<f4", mode="r", offset=offset, shape=shape)

    def _read_meta(self) -> Tally:
        text = read_checked(self.folder / "meta.json")
        if text is None:
            raise ValueError("meta.json is not as it was written")
        meta = json.loads(text)
        if meta["version"] != VERSION:
            raise ValueError(f"version {meta['version']!r}")
        for name, size in meta["files"].items():
            path = self.folder / name
            check = meta["checks"].get(name)
            if path.stat().st_size != size or (check is not None and _check_of(path) != check):
                raise ValueError(f"{name} is not as it was written")
        tally = meta["tally"]
        for name in ("first_bad", "first_not_utf8"):
            tally[name] = tally[name] and tuple(tally[name])
        return Tally(**tally)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum((self.folder / name).stat().st_size for name in _FILES)

    def first_words(self, count: int) -> list[bytes]:
        """The words of the first rows."""
        return self._words.at(np.arange(min(count, len(self._words))))

    def look_up(self, words: Sequence[bytes]) -> tuple[FloatArray, BoolArray]:
        """float32 (V, E), zero where a word is not there, and (V,) whether it is.

        Raises `DamagedMapError` when a row is not as it was written.
        """
        rows = self._rows_of(words)
        values = np.zeros((len(words), self.tally.dimension), dtype=np.float32)
        # in the order of the disk, and in parts, so that no second copy of the result is made
        order = np.argsort(rows, kind="stable")
        order = order[np.searchsorted(rows[order], 0) :]
        for start in range(0, len(order), _PART):
            at = order[start : start + _PART]
            part = self._matrix[rows[at]]
            if not np.array_equal(_row_checks(part), self._checks[rows[at]]):
                raise DamagedMapError(
                    f"{self.folder}: the converted word vectors are damaged (a row is changed)"
                )
            values[at] = part
        return values, rows >= 0

    def _rows_of(self, words: Sequence[bytes]) -> IntArray:
        """int64 (V,): the row of each word; -1 where there is none."""
        hashes = _hashes(words)
        places = np.searchsorted(self._hashes, hashes)
        rows = np.full(len(words), -1, dtype=np.int64)
        left = np.arange(len(words))
        while len(left):
            left = left[places[left] < len(self._hashes)]
            left = left[self._hashes[places[left]] == hashes[left]]
            candidates = self._rows[places[left]]
            there = self._words.at(candidates)
            same = np.array(
                [words[at] == word for at, word in zip(left.tolist(), there, strict=True)], dtype=np.bool_
            )
            rows[left[same]] = candidates[same]
            # another word of the same hash stands next to it
            left = left[~same]
            places[left] += 1
        return rows
