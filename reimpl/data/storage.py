"""Files that are whole or not there: digests, cached folders whose every change is seen, growing arrays."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from reimpl.data.files import sha256_of
from reimpl.errors import DataError

log = logging.getLogger(__name__)

Array: TypeAlias = NDArray[Any]
Entry = TypeVar("Entry")

#: Name of the file of digests in the folder of a cache.
MEMORY = "digests.json"
#: Seconds: a file changed within them is read again next time, for its clock may be that coarse.
_COARSE = 2.0
_MOST = 1000
_META = "meta.json"
#: Bytes up to which an array is read at once rather than mapped.
AT_ONCE = 1 << 20

_KNOWN: ContextVar[dict[str, Any] | None] = ContextVar("known", default=None)


def digest_of(value: object) -> str:
    """SHA-256, in hex, of a text, or of what JSON makes of a value, its keys sorted."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of the file as it lies on disk, in hex; raises `DataError`. Within `remembered` a file that did
    not change is not read again: a start from the cache would read gigabytes to learn what it knew."""
    known = _KNOWN.get()
    known = {} if known is None else known
    try:
        name, status = str(path.absolute()), path.stat()
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino]
        if known.get(name, [None])[0] == state:
            return str(known[name][1])
        digest = sha256_of(path)
    except OSError as err:
        raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err
    known.pop(name, None)
    if time.time() - max(state[1:3]) / 1e9 > _COARSE:
        known[name] = [state, digest]
    return digest


@contextmanager
def remembered(memory: Path) -> Iterator[None]:
    """Within it digests are taken from, and added to, a file; a damaged or locked one is no hindrance."""
    try:
        before: dict[str, Any] = dict(json.loads(memory.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        before = {}
    known = dict(before)
    token = _KNOWN.set(known)
    try:
        yield
    finally:
        _KNOWN.reset(token)
    if known != before:
        with suppress(OSError):  # then they are read again the next time
            memory.parent.mkdir(parents=True, exist_ok=True)
            memory.write_text(json.dumps(dict(list(known.items())[-_MOST:])), "utf-8")


def cached_entry(
    place: Path, what: str, opened: Callable[[Path], Entry], make: Callable[[Path], None]
) -> Entry:
    """What `opened` gives of a folder; made under another name first, and renamed when whole, where it is not
    there or `opened` raises `DataError`. Of two processes one makes it and the other waits. Raises what
    `make` raises, and `DataError` naming `what` where the folder cannot be written."""

    def if_there() -> Entry | None:
        try:
            return opened(place) if place.is_dir() else None
        except DataError as err:
            log.warning("%s; %s: made anew", err, what)
            shutil.rmtree(place, ignore_errors=True)
            return None

    if (entry := if_there()) is not None:
        return entry
    work = place.with_name(f".unfinished-{place.name}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"):
            if (entry := if_there()) is not None:
                return entry
            shutil.rmtree(work, ignore_errors=True)  # of a killed process
            try:
                work.mkdir()
                make(work)
                work.rename(place)
            finally:
                shutil.rmtree(work, ignore_errors=True)
            return opened(place)
    except (OSError, NotImplementedError) as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        remedy = "free some space there or choose another folder"
        raise DataError(f"{place.parent}: {what} cannot be kept ({why}); {remedy}") from err


def write_meta(folder: Path, meta: Mapping[str, Any], names: Iterable[str]) -> None:
    """What is to be known of a finished folder, with size and time of its files."""
    files = {name: _state(folder / name) for name in names}
    (folder / _META).write_text(json.dumps({**meta, "files": files}, ensure_ascii=False), "utf-8")


def read_meta(folder: Path) -> dict[str, Any]:
    """The same, if no file was touched since; raises `DataError` naming the first that was."""
    try:
        meta: dict[str, Any] = json.loads((folder / _META).read_text("utf-8"))
        for name, state in meta["files"].items():
            if _state(folder / name) != state:
                raise DataError(f"{folder}: {name} is damaged, or was touched since it was written")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
        raise DataError(f"{folder}: the entry of the cache is damaged ({err})") from err
    return meta


def _state(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


class GrowingArray:
    """A flat array made block by block: in `FOLDER/NAME.npy`, or in memory where there is no folder."""

    def __init__(self, folder: Path | None, name: str, dtype: type[np.generic]) -> None:
        self.path, self._dtype = folder and folder / f"{name}.npy", np.dtype(dtype)
        self.size, self._parts = 0, [np.empty(0, dtype=dtype)]
        self._write_header()

    def append(self, values: Array) -> None:
        """More of it; raises `OSError` when the disk is full."""
        values = np.ascontiguousarray(values, dtype=self._dtype)
        self.size += len(values)
        if self.path is None:
            self._parts.append(values)
        else:
            with self.path.open("ab") as stream:
                stream.write(values.data)

    def done(self) -> Array:
        """The whole of it; from a file it is read as it is needed."""
        if self.path is None:
            self._parts = [np.concatenate(self._parts)]
            return self._parts[0]
        self._write_header()
        return read_array(self.path)

    def filled(self, values: Array) -> Array:
        """The whole of it at once."""
        self.append(values)
        return self.done()

    def _write_header(self) -> None:
        if self.path is not None:
            # numpy leaves room in it for any number, so it is as long at the end as at the start
            kind = np.lib.format.dtype_to_descr(self._dtype)
            header = {"descr": kind, "fortran_order": False, "shape": (self.size,)}
            with self.path.open("r+b" if self.path.exists() else "wb") as stream:
                np.lib.format.write_array_header_1_0(stream, header)


def read_array(path: Path) -> Array:
    """The array of a .npy file: a small one at once, a large one from disk as it is needed. It may be written
    to, which changes no file: torch warns of arrays that cannot be."""
    mode: Any = None if path.stat().st_size <= AT_ONCE else "c"
    return np.asarray(np.load(path, mmap_mode=mode, allow_pickle=False))


def steps(lengths: Array, most: int) -> Iterator[tuple[int, int]]:
    """Rows (first, last + 1) whose `lengths` add up to about `most`, one after another."""
    ends = np.cumsum(lengths, dtype=np.int64)
    first, done = 0, 0
    while first < len(lengths):
        last = max(first + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield first, last
        first, done = last, int(ends[last - 1])
