"""Arrays that grow while a corpus is read: in memory when small, on disk when not; and where they go then."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Bytes that a growing array may take in memory.
IN_MEMORY = 1 << 24

#: Bytes up to which a file is read at once rather than mapped.
AT_ONCE = 1 << 20

Array: TypeAlias = NDArray[Any]


class Spool:
    """Numbers of one type, appended now and read once in order later."""

    def __init__(self, dtype: type[np.generic], folder: Path | None) -> None:
        self.dtype = np.dtype(dtype)
        self.size = 0
        self._folder = folder
        self._parts: list[bytes] = []
        self._held = 0
        self._file: IO[bytes] | None = None

    def append(self, values: Array) -> None:
        """More of them; raises `OSError` when the disk is full."""
        part = np.ascontiguousarray(values, dtype=self.dtype).tobytes()
        self._parts.append(part)
        self.size += len(values)
        self._held += len(part)
        if self._held > IN_MEMORY:
            self._to_disk()

    def _to_disk(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - `close` closes it
        self._file.writelines(self._parts)
        self._parts, self._held = [], 0

    def reader(self) -> Callable[[int], Array]:
        """A function that gives the next so many, from the start."""
        stream: IO[bytes]
        if self._file is None:
            stream = io.BytesIO(b"".join(self._parts))
        else:
            self._to_disk()
            stream = self._file
            stream.seek(0)
        return lambda count: np.frombuffer(stream.read(count * self.dtype.itemsize), dtype=self.dtype)

    def close(self) -> None:
        """Gives back memory and disk."""
        self._parts = []
        if self._file is not None:
            with suppress(OSError):  # of a full disk: what was not written yet is not wanted any more
                self._file.close()


class Growing(Protocol):
    """An array that is being made."""

    def append(self, values: Array) -> None:
        """More of it."""

    def done(self) -> Array:
        """The whole of it."""


class Arrays(Protocol):
    """Where finished arrays go."""

    folder: Path | None
    """Where large unfinished ones go; None is the usual place for such files."""

    def new(self, name: str, dtype: type[np.generic]) -> Growing:
        """A flat array, to be read under `name` hereafter."""


class InMemory:
    """Finished arrays in memory."""

    folder: Path | None = None

    def new(self, name: str, dtype: type[np.generic]) -> Growing:
        """As `Arrays`."""
        return _Listed(dtype)


@dataclass(eq=False)
class _Listed:
    dtype: type[np.generic]
    parts: list[Array] = field(default_factory=list)

    def append(self, values: Array) -> None:
        self.parts.append(values.astype(self.dtype, copy=False))

    def done(self) -> Array:
        return np.concatenate([np.empty(0, dtype=self.dtype), *self.parts])


class InFolder:
    """Finished arrays as .npy files, written block by block and read as they are needed."""

    def __init__(self, folder: Path) -> None:
        self.folder: Path | None = folder
        self._to = folder

    def new(self, name: str, dtype: type[np.generic]) -> Growing:
        """As `Arrays`."""
        return NpyFile(self._to / f"{name}.npy", dtype)


class NpyFile:
    """A flat array as a .npy file, of which no more than a block is in memory."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self._path, self._dtype, self._size = path, np.dtype(dtype), 0
        self._header()

    def append(self, values: Array) -> None:
        """More of it; raises `OSError` when the disk is full."""
        with self._path.open("ab") as stream:
            stream.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._size += len(values)

    def done(self) -> Array:
        """The whole of it, read from disk as it is needed."""
        self._header()
        return read_array(self._path)

    def _header(self) -> None:
        head = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._size,),
        }
        # numpy leaves room in it for any number, so it is as long at the end as at the start
        with self._path.open("r+b" if self._path.exists() else "wb") as stream:
            np.lib.format.write_array_header_1_0(stream, head)


def read_array(path: Path) -> Array:
    """The array of a .npy file: a small one at once, a large one from disk as it is needed.

    It may be written to, which changes no file: torch warns of arrays that cannot be.
    """
    if path.stat().st_size <= AT_ONCE:
        array: Array = np.load(path, allow_pickle=False)
        return array
    return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))


def steps(lengths: Array, most: int) -> Iterator[tuple[int, int]]:
    """Rows (first, last + 1) whose `lengths` add up to about `most`, one after another."""
    ends = np.cumsum(lengths, dtype=np.int64)
    first, done = 0, 0
    while first < len(lengths):
        last = max(first + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield first, last
        first, done = last, int(ends[last - 1])
