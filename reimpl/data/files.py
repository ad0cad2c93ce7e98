"""Files of corpora: on disk or in a .zip, plain or packed, read in blocks, with progress; nothing is unpacked
to disk. Only a line feed ends a line: a form feed inside a text is text."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import json
import logging
import lzma
import shutil
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from reimpl.errors import DataError

if TYPE_CHECKING:
    from typing_extensions import Buffer


BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20
#: Bytes that one line may have; the longest documents of the field have some megabytes.
LONGEST_LINE = 1 << 26

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all, the last time with both equal."""

#: What is called with the bytes of each read.
_METER: ContextVar[Callable[[int], None] | None] = ContextVar("meter", default=None)


class _Counted(io.FileIO):
    def readinto(self, buffer: Buffer, /) -> int:
        count = super().readinto(buffer)
        if meter := _METER.get():
            meter(count)
        return count


@contextmanager
def counted(total: int, show: Progress | None) -> Iterator[None]:
    """Shows the progress of reading while the block runs; without an error the bar ends complete."""
    done = 0

    def meter(count: int) -> None:
        nonlocal done
        done = min(done + count, total)  # a file may be looked at twice
        if show:
            show(done, total)

    token = _METER.set(meter if show else None)
    try:
        yield
    finally:
        _METER.reset(token)
    if show and done:
        show(total, total)


def _open(path: Path) -> io.BufferedReader:
    return io.BufferedReader(_Counted(path, "rb"), 1 << 17)  # some hundred steps for a corpus worth a bar


_UNPACK: Mapping[str, Callable[[IO[bytes]], object]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
}
#: What the libraries raise for damaged, encrypted or unknown archives and for files that cannot be read.
_DAMAGE = (OSError, EOFError, RuntimeError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True)
class File:
    """A file on disk, or a member of a .zip on disk."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    @property
    def name(self) -> str:
        return PurePosixPath(self.member or self.path.as_posix()).name

    @property
    def packing(self) -> str:
        """`.gz`, `.xz`, `.bz2` or nothing."""
        return next((suffix for suffix in _UNPACK if self.name.lower().endswith(suffix)), "")

    @property
    def stem(self) -> str:
        """Its name without the suffix of a packing: `train.txt` of `train.txt.gz`."""
        return self.name[: len(self.name) - len(self.packing)]

    @property
    def plain(self) -> bool:
        return not (self.member or self.packing)


@contextmanager
def _explained(where: object) -> Iterator[None]:
    """Turns errors of the system or a library about a file into a `DataError`."""
    try:
        yield
    except EOFError as err:
        raise DataError(f"{where}: the file is cut off; get a whole copy") from err
    except FileNotFoundError as err:
        raise DataError(f"{where}: no such file; check the path") from err
    except _DAMAGE as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        raise DataError(f"{where}: cannot be read ({why[:120]}); get a sound copy") from err


@contextmanager
def opened(file: File) -> Iterator[IO[bytes]]:
    """The unpacked bytes; raises `DataError` for a file that is missing, damaged, cut off or encrypted."""
    with _explained(file), ExitStack() as stack:
        raw: IO[bytes]
        if file.member:
            archive = stack.enter_context(zipfile.ZipFile(file.path))
            raw = stack.enter_context(archive.open(file.member))
        else:
            raw = stack.enter_context(_open(file.path))
        unpack = _UNPACK.get(file.packing)
        yield raw if unpack is None else stack.enter_context(cast(IO[bytes], unpack(raw)))


def head(file: File, size: int = 1 << 16) -> bytes:
    """The first bytes of the content, without a byte-order mark."""
    return next(blocks(file, size), b"").removeprefix(BOM)


def blocks(file: File, size: int = BLOCK) -> Iterator[bytes]:
    """The content; UTF-16, as spreadsheets save it, is converted to UTF-8."""
    with opened(file) as stream:
        block = stream.read(size)
        wide = block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        decoder = codecs.getincrementaldecoder("utf-16")() if wide else None
        while block:
            yield decoder.decode(block).encode() if decoder else block
            block = stream.read(size)
        if decoder:
            decoder.decode(b"", final=True)


def line_blocks(file: File, size: int = BLOCK) -> Iterator[tuple[int, bytes]]:
    """Whole lines of about `size` bytes together, and the number of the first, from 1. Raises `DataError`."""
    number, rest = 1, b""
    for n, block in enumerate(blocks(file, max(size, len(BOM)))):
        rest += block if n else block.removeprefix(BOM)
        if cut := rest.rfind(b"\n") + 1:
            yield number, rest[:cut]
            number += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
        if len(rest) > LONGEST_LINE:
            long = f"a line of more than {LONGEST_LINE:,} bytes"
            raise DataError(f"{file}:{number}: {long}; is it a text file with a document a line?")
    if rest:
        yield number, rest


def text_lines(file: File) -> Iterator[tuple[int, str]]:
    """Numbers and lines without their ends; raises `DataError` for bytes that are not UTF-8 or a NUL byte."""
    for first, block in line_blocks(file):
        for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=first):
            yield number, decoded(line.removesuffix(b"\r"), f"{file}:{number}")


def decoded(line: bytes, where: str) -> str:
    """The text; raises `DataError` for bytes that are not UTF-8 or a NUL byte."""
    if b"\0" in line:
        raise DataError(f"{where}: a NUL byte; the file is binary or UTF-16 without its mark, convert it")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as err:
        wrong = f"byte {line[err.start : err.start + 1]!r} at place {err.start + 1}"
        raise DataError(f"{where}: {wrong} is not UTF-8; convert the file to UTF-8") from err


def shown(value: object) -> str:
    """A value for a message: its repr, cut short; bytes as the text that they encode."""
    text = repr(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)
    return text if len(text) <= 40 else text[:40] + "..."


def exact_floats() -> dict[str, Any]:
    """Makes `pandas.read_csv` read each number as `float` does; from pandas 3.1 on it always does."""
    import pandas

    old = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if old else {}


@dataclass(frozen=True)
class Tree:
    """What a user names: a file, a folder or a .zip, as files by their names without packing."""

    path: Path
    files: Mapping[str, tuple[File, ...]]

    @property
    def name(self) -> str:
        name = self.path.resolve().name
        return name.split(".")[0] or name if self.path.is_file() else name

    def find(self, name: str) -> File | None:
        """The file of that name, packed or not; raises `DataError` if there are two."""
        same = self.files.get(name, ())
        if len(same) > 1:
            names = " and ".join(file.name for file in same)
            raise DataError(f"{self.path}: {names} are both there; keep one")
        return same[0] if same else None


def tree(path: Path) -> Tree:
    """The files at a path; raises `DataError` if there are none or they cannot be read."""
    with _explained(path):
        if path.is_dir():
            files = _folder(path)
        elif not path.is_file():
            raise DataError(f"{path}: no such file or folder; check the path")
        elif path.name.lower().endswith(".zip"):
            files = _members(path)
        else:
            files = [File(path)]
    by_stem: dict[str, tuple[File, ...]] = {}
    for file in files:
        by_stem[file.stem] = (*by_stem.get(file.stem, ()), file)
    return Tree(path, by_stem)


def _folder(path: Path) -> list[File]:
    """The files of a folder; if it holds one folder and nothing else, the files of that one."""
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    files = [File(entry) for entry in entries if entry.is_file()]
    if not files and len(entries) == 1 and entries[0].is_dir():
        return _folder(entries[0])
    if not files:
        raise DataError(f"{path}: no files in this folder; give the folder that holds the corpus")
    return files


def _members(path: Path) -> list[File]:
    """The files in the outermost folder of an archive that holds any; raises `DataError` if there are two."""
    with zipfile.ZipFile(path) as archive:
        names = sorted({info.filename for info in archive.infolist() if not info.is_dir()})
    inside = {name: PurePosixPath(name) for name in names if not name.startswith("__MACOSX/")}
    inside = {name: member for name, member in inside.items() if not member.name.startswith(".")}
    if not inside:
        raise DataError(f"{path}: no files in this archive; give one that holds a corpus")
    least = min(len(member.parts) for member in inside.values())
    top = [name for name, member in inside.items() if len(member.parts) == least]
    folders = sorted({str(inside[name].parent) for name in top})
    if len(folders) > 1:
        raise DataError(f"{path}: files in {' and '.join(folders[:2])}; unpack it and give one folder")
    return [File(path, name) for name in top]


# ---------------------------------------------------------------------------------------------- what is kept
# Files that are whole or not there: cached folders whose every change is seen, growing arrays.

log = logging.getLogger(__name__)

Array: TypeAlias = NDArray[Any]
Entry = TypeVar("Entry")

_META = "meta.json"
AT_ONCE = 1 << 20  # Bytes up to which an array is read at once rather than mapped.


def digest_of(value: object) -> str:
    """SHA-256, in hex, of a text, or of a value's JSON with sorted keys."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of the file, in hex; raises `DataError`."""
    try:
        with _open(path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as err:
        raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err


def cached_entry(
    place: Path, what: str, opened: Callable[[Path], Entry], make: Callable[[Path], None]
) -> Entry:
    """The folder as `opened` returns it; made under another name and renamed when complete, if it does not
    exist or `opened` raises `DataError`. One process makes it, others wait. Raises `DataError`."""

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
            shutil.rmtree(work, ignore_errors=True)  # of a killed process, as others whose lock is free
            for left in place.parent.glob(".unfinished-*"):
                name = left.name.removeprefix(".unfinished-")
                with suppress(OSError), FileLock(place.with_name(f"{name}.lock"), timeout=0):
                    if time.time() - left.stat().st_mtime > 3600:
                        shutil.rmtree(left)
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
    """Write a finished folder's metadata, with size and time of its files."""
    files = {name: _state(folder / name) for name in names}
    (folder / _META).write_text(json.dumps({**meta, "files": files}, ensure_ascii=False), "utf-8")


def read_meta(folder: Path) -> dict[str, Any]:
    """Read the metadata of a folder; raises `DataError` naming the first file that has changed since."""
    try:
        meta: dict[str, Any] = json.loads((folder / _META).read_text("utf-8"))
        for name, state in meta["files"].items():
            if _state(folder / name) != state:
                raise DataError(f"{folder}: {name} is damaged, or was changed since it was written")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
        raise DataError(f"{folder}: the entry of the cache is damaged ({err})") from err
    return meta


def _state(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


class GrowingArray:
    """A flat array built block by block: in `FOLDER/NAME.npy`, or in memory if there is no folder."""

    def __init__(self, folder: Path | None, name: str, dtype: type[np.generic]) -> None:
        self.path, self._dtype = folder and folder / f"{name}.npy", np.dtype(dtype)
        self.size, self._parts = 0, [np.empty(0, dtype=dtype)]
        self._write_header()

    def append(self, values: Array) -> None:
        """Add a block; raises `OSError` if the disk is full."""
        values = np.ascontiguousarray(values, dtype=self._dtype)
        self.size += len(values)
        if self.path is None:
            self._parts.append(values)
        else:
            with self.path.open("ab") as stream:
                stream.write(values.data)

    def done(self) -> Array:
        """The whole array; from a file it is read as needed."""
        if self.path is None:
            self._parts = [np.concatenate(self._parts)]
            return self._parts[0]
        self._write_header()
        return read_array(self.path)

    def filled(self, values: Array) -> Array:
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
    """The array: a small one at once, a large one from disk as needed. Writing to it changes no file."""
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
