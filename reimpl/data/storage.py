"""Files that are whole or not there: small texts, arrays, and folders whose every change is seen."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.files import sha256_of
from reimpl.errors import DataError

Array: TypeAlias = NDArray[Any]

# --------------------------------------------------------------------------- small texts


def write_whole(path: Path, text: str) -> None:
    """Gives UTF-8 `text` the name `path` in one step, in a folder that is made where it lacks.

    Raises `OSError` where it cannot be written; then what stood there is as it was, and nothing is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    work = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        work.write_text(text, "utf-8")
        work.replace(path)
    except BaseException:
        work.unlink(missing_ok=True)
        raise


def digest_of(text: str) -> str:
    """SHA-256 of its UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def with_digest(text: str) -> str:
    """The text with its digest as first line, so that a cut or changed file is noticed."""
    return f"{digest_of(text)}\n{text}"


def read_checked(path: Path) -> str | None:
    """The text without its digest; None where it is not as it was written. Raises `OSError`, `ValueError`."""
    digest, _, text = path.read_text("utf-8").partition("\n")
    return text if digest == digest_of(text) else None


# --------------------------------------------------------------------------- digests that are remembered

#: Name of the file of digests in the folder of a cache.
MEMORY = "digests.json"
_COARSE = 2.0
"""Seconds: a file that was changed within them is read again next time, for its clock may be that coarse."""
_MOST = 1000

Known: TypeAlias = dict[str, list[object]]
_KNOWN: ContextVar[Known | None] = ContextVar("known", default=None)


def state(path: Path) -> list[int]:
    """What changes when a file does (size, times, device, number); raises `OSError` when there is none."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino]


def file_digest(path: Path) -> str:
    """SHA-256 of the file as it lies on disk, packed or not, in hex; raises `DataError`.

    Within `remembered` a file that did not change is not read again: a start from the cache would otherwise
    read gigabytes to learn what it knew the day before.
    """
    try:
        known = _KNOWN.get()
        if known is None:
            return sha256_of(path)
        name, here = str(path.absolute()), state(path)
        if name in known and known[name][0] == here:
            return str(known[name][1])
        digest = sha256_of(path)
    except OSError as err:
        raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err
    known.pop(name, None)
    if time.time() - max(here[1:3]) / 1e9 > _COARSE:
        known[name] = [here, digest]
    return digest


@contextmanager
def remembered(memory: Path) -> Iterator[None]:
    """Within it digests are taken from, and added to, a file; a damaged or locked one is no hindrance."""
    known = _json_object(memory)
    known = {name: pair for name, pair in known.items() if isinstance(pair, list) and len(pair) == 2}
    before = json.dumps(known)
    token = _KNOWN.set(known)
    try:
        yield
    finally:
        _KNOWN.reset(token)
    after = json.dumps(dict(list(known.items())[-_MOST:]))
    if after != before:
        with suppress(OSError):  # then they are read again the next time
            write_whole(memory, after)


def _json_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


# --------------------------------------------------------------------------- sealed folders

_SEAL = "seen.json"
_SAMPLE_ALL = 1 << 20
"""Bytes up to which all of a file is its sample."""
_END, _SAMPLE, _SAMPLES = 1 << 16, 1 << 12, 62


def sealed(folder: Path, names: Iterable[str]) -> dict[str, list[Any]]:
    """Size, digest, and digest of samples of finished files: for `check`, which then knows their state."""
    names = list(names)
    paths = [folder / name for name in names]
    seals = [[path.stat().st_size, sha256_of(path), _samples(path)] for path in paths]
    _stamp(folder, names)
    return dict(zip(names, seals, strict=True))


def check(folder: Path, expected: Mapping[str, list[Any]], *, everything: bool) -> None:
    """Raises `DataError` naming the first file that is not as it was sealed, `OSError` if it is missing.

    Size and samples are looked at every time; all bytes of what was touched since it was last found right, as
    the file system says, or of `everything`.
    """
    seen = _json_object(folder / _SEAL)
    touched = [name for name in expected if everything or state(folder / name) != seen.get(name)]
    for name, (size, digest, sampled) in expected.items():
        path = folder / name
        whole = name not in touched or sha256_of(path) == digest
        if path.stat().st_size != size or _samples(path) != sampled or not whole:
            raise DataError(f"{folder}: {name} is damaged")
    if touched:
        _stamp(folder, expected)


def _samples(path: Path) -> str:
    """SHA-256 of both ends of a file and of places between them; of all of a small one."""
    size, digest = path.stat().st_size, hashlib.sha256()
    with path.open("rb") as stream:
        if size <= _SAMPLE_ALL:
            digest.update(stream.read())
            return digest.hexdigest()
        digest.update(stream.read(_END))
        for n in range(1, _SAMPLES + 1):
            stream.seek(size * n // (_SAMPLES + 1))
            digest.update(stream.read(_SAMPLE))
        stream.seek(max(size - _END, 0))
        digest.update(stream.read())
    return digest.hexdigest()


def _stamp(folder: Path, names: Iterable[str]) -> None:
    # a folder that cannot be written to is read in full each time
    with suppress(OSError):
        write_whole(folder / _SEAL, json.dumps({name: state(folder / name) for name in names}))


# --------------------------------------------------------------------------- arrays

#: Bytes that a spool may take in memory.
IN_MEMORY = 1 << 24
#: Bytes up to which a file is read at once rather than mapped.
AT_ONCE = 1 << 20


class Spool:
    """int32 numbers, appended now and read in order later; on disk when they are many."""

    def __init__(self, folder: Path | None) -> None:
        self.size = 0
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(folder) if folder else None)  # noqa: SIM115 - `close` closes it

    def append(self, values: Array) -> None:
        """More of them; raises `OSError` when the disk is full."""
        self._file.write(np.ascontiguousarray(values, dtype=np.int32).tobytes())
        self.size += len(values)

    def reader(self) -> Callable[[int], Array]:
        """A function that gives the next so many, from the start."""
        self._file.seek(0)
        return lambda count: np.frombuffer(self._file.read(4 * count), dtype=np.int32)

    def close(self) -> None:
        """Gives back memory and disk."""
        with suppress(OSError):  # of a full disk: what was not written yet is not wanted any more
            self._file.close()


class GrowingArray:
    """A flat array made block by block: in `FOLDER/NAME.npy`, or in memory where there is no folder."""

    def __init__(self, folder: Path | None, name: str, dtype: type[np.generic]) -> None:
        self._path, self._dtype = folder and folder / f"{name}.npy", np.dtype(dtype)
        self._size, self._parts = 0, [np.empty(0, dtype=dtype)]
        self._write_header()

    def append(self, values: Array) -> None:
        """More of it; raises `OSError` when the disk is full."""
        values = np.ascontiguousarray(values, dtype=self._dtype)
        self._size += len(values)
        if self._path is None:
            self._parts.append(values)
        else:
            with self._path.open("ab") as stream:
                stream.write(values.data)

    def done(self) -> Array:
        """The whole of it; from a file it is read as it is needed."""
        if self._path is None:
            return np.concatenate(self._parts)
        self._write_header()
        return read_array(self._path)

    def _write_header(self) -> None:
        if self._path is None:
            return
        kind = np.lib.format.dtype_to_descr(self._dtype)
        # numpy leaves room in it for any number, so it is as long at the end as at the start
        with self._path.open("r+b" if self._path.exists() else "wb") as stream:
            header = {"descr": kind, "fortran_order": False, "shape": (self._size,)}
            np.lib.format.write_array_header_1_0(stream, header)


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
