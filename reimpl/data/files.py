"""Files of corpora: on disk or in a .zip, plain or packed, read in blocks of bounded size, with progress.

What a user points at (one file, a folder, or a .zip) is a `Tree` of files by name. Nothing is unpacked to
disk, so a member's name cannot lead anywhere; names that try are refused all the same, since such an archive
was not made by someone who means well. Lines end at the line feed alone: a form feed inside a text is text.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from reimpl.errors import DataError

if TYPE_CHECKING:
    from typing_extensions import Buffer

BOM = b"\xef\xbb\xbf"

# --------------------------------------------------------------------------- how much has been read

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all, the last time with both equal."""


@dataclass
class Meter:
    """Bytes read of `total`."""

    total: int
    show: Progress
    done: int = 0

    def add(self, count: int) -> None:
        """So many bytes more; never beyond the total, for a file may be looked at twice."""
        self.done = min(self.done + count, self.total)
        self.show(self.done, self.total)


#: Bytes that are read, and told, at once: some hundred steps for a corpus worth a bar.
_STEP = 1 << 17

_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


class _Counted(io.FileIO):
    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: Buffer, /) -> int:
        count = super().readinto(buffer)
        self._meter.add(count)
        return count


def open_counted(path: Path) -> io.BufferedReader:
    """The file, to be read; raises `OSError` as `Path.open` does."""
    meter = _METER.get()
    if meter is None:
        return path.open("rb")
    return io.BufferedReader(_Counted(path, meter), _STEP)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Within it what is read is told to the meter."""
    token = _METER.set(meter)
    try:
        yield
    finally:
        _METER.reset(token)


@contextmanager
def counted(total: int, show: Progress | None) -> Iterator[None]:
    """Within it what is read is told to `show`; at its end, unless by an error, all is."""
    if show is None:
        yield
        return
    with metered(Meter(total, show)):
        yield
    show(total, total)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file as it lies on disk, in hex, read in blocks. Raises `OSError`."""
    with open_counted(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# --------------------------------------------------------------------------- blocks and lines

BLOCK = 1 << 20
#: Bytes that one line may have; the longest documents of the field have some megabytes.
LONGEST_LINE = 1 << 26
#: A packed file may unpack to this much in any case ...
FREE = 1 << 26
#: ... and beyond that to so many times its size on disk. Text packs to a third or a tenth.
MOST_TIMES = 250

_UNPACK: Mapping[str, Callable[[IO[bytes]], object]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
}
PACKED = tuple(_UNPACK)
_DAMAGE = (
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True)
class File:
    """A file on disk, or a member of a .zip on disk."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    @property
    def name(self) -> str:
        """Its own name, without folders."""
        return PurePosixPath(self.member).name if self.member else self.path.name

    @property
    def stem(self) -> str:
        """Its name without the suffix of a packing: `train.txt` of `train.txt.gz`."""
        name = self.name
        return name[: name.rindex(".")] if self.packing else name

    @property
    def packing(self) -> str:
        """`.gz`, `.xz`, `.bz2` or nothing."""
        return next((suffix for suffix in PACKED if self.name.lower().endswith(suffix)), "")

    @property
    def plain(self) -> bool:
        """Whether the bytes on disk are the content."""
        return not (self.member or self.packing)


@contextmanager
def opened(file: File) -> Iterator[IO[bytes]]:
    """The unpacked bytes; raises `DataError` for a file that is missing, damaged, cut off or encrypted."""
    with explained(file), ExitStack() as stack:
        raw: IO[bytes]
        if file.member:
            archive = stack.enter_context(zipfile.ZipFile(file.path))
            raw = stack.enter_context(archive.open(file.member))
        else:
            raw = stack.enter_context(open_counted(file.path))
        unpack = _UNPACK.get(file.packing)
        yield raw if unpack is None else stack.enter_context(cast(IO[bytes], unpack(raw)))


@contextmanager
def explained(file: File) -> Iterator[None]:
    try:
        yield
    except EOFError as err:
        raise DataError(f"{file}: the file is cut off; get a whole copy") from err
    except FileNotFoundError as err:
        raise DataError(f"{file}: no such file; check the path") from err
    except _DAMAGE as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        raise DataError(f"{file}: cannot be read ({why[:120]}); get a sound copy") from err


def blocks(file: File, size: int = BLOCK) -> Iterator[bytes]:
    """The content in blocks of at most `size` bytes; raises `DataError` also when it unpacks to too much."""
    total, limit = 0, _limit(file)
    with opened(file) as stream:
        while block := stream.read(size):
            total += len(block)
            if total > limit:
                raise DataError(
                    f"{file}: unpacks to more than {limit:,} bytes, {MOST_TIMES} times its size; "
                    "unpack it yourself if it is meant to"
                )
            yield block


def most_bytes(packed: int) -> int:
    """What a file of so many packed bytes may unpack to."""
    return max(FREE, MOST_TIMES * packed)


def _limit(file: File) -> float:
    if file.plain:
        return float("inf")
    with explained(file):
        if not file.member:
            return most_bytes(file.path.stat().st_size)
        with zipfile.ZipFile(file.path) as archive:
            return most_bytes(archive.getinfo(file.member).compress_size)


def line_blocks(file: File, size: int = BLOCK) -> Iterator[tuple[int, bytes]]:
    """Whole lines: the number of the first (from 1) and their bytes; only the last line may lack its end.

    About `size` bytes at a time, or one line where it is longer. Without a byte-order mark. Raises
    `DataError` for a line longer than `LONGEST_LINE`, else as `blocks`.
    """
    number, rest = 1, b""
    content = blocks(file, size)
    for n in count():
        try:
            block = next(content, b"")
        except DataError as err:
            raise _placed(err, file, number - 1) from err
        if not block:
            break
        whole = rest + (block.removeprefix(BOM) if n == 0 else block)
        cut = whole.rfind(b"\n") + 1
        rest = whole[cut:]
        if cut:
            yield number, whole[:cut]
            number += whole.count(b"\n", 0, cut)
        if len(rest) > LONGEST_LINE:
            raise DataError(
                f"{file}:{number}: a line of more than {LONGEST_LINE:,} bytes; "
                "is it a text file with a document a line?"
            )
    if rest:
        yield number, rest


def _placed(err: DataError, file: File, after: int) -> DataError:
    """The same complaint, with the line after which the damage is."""
    where, what = f"{file}: ", str(err)
    if not after or not what.startswith(where):
        return err
    return DataError(f"{file}:{after}: somewhere after this line, {what.removeprefix(where)}")


def text_lines(file: File) -> Iterator[tuple[int, str]]:
    """Numbers and lines without their ends; raises `DataError` for bytes that are not UTF-8 or a NUL byte."""
    for first, block in line_blocks(file):
        lines = block.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines, start=first):
            yield number, decoded(line.removesuffix(b"\r"), f"{file}:{number}")


def decoded(line: bytes, where: str) -> str:
    if b"\0" in line:
        raise DataError(f"{where}: a NUL byte; the file is binary or UTF-16, convert it to UTF-8")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as err:
        wrong = line[err.start : err.start + 1]
        raise DataError(
            f"{where}: byte {wrong!r} at place {err.start + 1} is not UTF-8; convert the file to UTF-8"
        ) from err


def shown(value: object) -> str:
    """A value as it goes into a message: its repr, cut short."""
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."


def head(file: File, size: int = 1 << 16) -> bytes:
    """The first bytes of the content, without a byte-order mark."""
    with opened(file) as stream:
        return stream.read(size).removeprefix(BOM)


def exact_floats() -> dict[str, Any]:
    """Makes `pandas.read_csv` read each number as `float` does; from 3.1 on it does so anyway."""
    import pandas

    old = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if old else {}


# --------------------------------------------------------------------------- what a user points at

MOST_MEMBERS = 10_000
_ARCHIVES = (".zip", ".tar", ".tgz", ".7z", ".rar", ".tar.gz", ".tar.xz", ".tar.bz2")


@dataclass(frozen=True)
class Tree:
    """What a user points at: a file, a folder or a .zip, as the files by their names without packing."""

    path: Path
    files: Mapping[str, tuple[File, ...]]
    single: bool = False
    """Whether the path is one file that is no archive."""

    @property
    def name(self) -> str:
        """Name of the folder or file, without suffixes."""
        name = self.path.resolve().name
        return name.split(".")[0] or name if self.path.is_file() else name

    def find(self, name: str) -> File | None:
        """The file of that name, packed or not; raises `DataError` when it is there twice."""
        found = self.files.get(name, ())
        if len(found) > 1:
            raise DataError(f"{self.path}: {' and '.join(it.name for it in found)} are both there; keep one")
        return found[0] if found else None


def tree(path: Path, *, archive: bool = False) -> Tree:
    """The files at a path; raises `DataError` when there are none or the archive is not to be trusted.

    `archive` says that a file is a .zip whatever its name (as .npz are).
    """
    # what the system says of a path (no permission, too long, ...) becomes a sentence too
    with explained(File(path)):
        if path.is_dir():
            return Tree(path, _by_stem(_folder(path)))
        if not path.is_file():
            raise DataError(f"{path}: no such file or folder; check the path")
        if archive or path.name.lower().endswith(".zip"):
            return Tree(path, _by_stem(_members(path)))
    if path.name.lower().endswith(_ARCHIVES):
        raise DataError(f"{path}: an archive that is not read; unpack it and give the folder")
    return Tree(path, _by_stem([File(path)]), single=True)


def _folder(path: Path) -> list[File]:
    """The files of a folder; one folder within a folder, and nothing else, is looked through."""
    entries = sorted(it for it in path.iterdir() if not it.name.startswith("."))
    files = [File(it) for it in entries if it.is_file()]
    if not files and len(entries) == 1 and entries[0].is_dir():
        return _folder(entries[0])
    if not files:
        raise DataError(f"{path}: no files in this folder; give the folder that holds the corpus")
    return files


def _members(path: Path) -> list[File]:
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise DataError(f"{path}: {len(infos):,} members; unpack it and give the folder of the corpus")
    infos = [it for it in infos if not it.filename.endswith("/")]
    for info in infos:
        _check_member(path, info)
    names = [info.filename for info in infos if not _is_litter(info.filename)]
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(f"{path}: member {name!r} is there twice; pack it anew")
    if not names:
        raise DataError(f"{path}: no files in this archive; give one that holds a corpus")
    return [File(path, name) for name in sorted(_of_top_folder(path, names))]


def _of_top_folder(path: Path, names: list[str]) -> list[str]:
    """The names in the outermost folder that holds files; raises `DataError` when that is not one folder."""
    least = min(len(PurePosixPath(name).parts) for name in names)
    top = [name for name in names if len(PurePosixPath(name).parts) == least]
    folders = sorted({str(PurePosixPath(name).parent) for name in top})
    if len(folders) > 1:
        raise DataError(
            f"{path}: files in {folders[0]!r} and in {folders[1]!r}; unpack it and give one folder"
        )
    return top


def _is_litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


def _check_member(path: Path, info: zipfile.ZipInfo) -> None:
    name, parts = info.filename, PurePosixPath(info.filename).parts
    # zipfile turns a backslash into a slash on Windows only, and cuts at a NUL; both are in orig_filename
    written = getattr(info, "orig_filename", name)
    if not parts:
        raise DataError(f"{path}: member {name!r} has no name; pack it anew")
    if name.startswith("/") or ".." in parts or any(mark in written for mark in "\\\0") or ":" in parts[0]:
        raise DataError(f"{path}: member {written!r} has a path that leads out of the archive; do not use it")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise DataError(f"{path}: member {name!r} is a link; pack the file itself")
    if info.flag_bits & 1:
        raise DataError(f"{path}: member {name!r} is encrypted; unpack it with its password first")
    if name.lower().endswith(_ARCHIVES):
        raise DataError(f"{path}: member {name!r} is an archive in the archive; unpack it first")
    if info.file_size > most_bytes(info.compress_size):
        raise DataError(
            f"{path}: member {name!r} says it unpacks to {info.file_size:,} bytes, more than "
            f"{MOST_TIMES} times its size; unpack it yourself if it is meant to"
        )


def _by_stem(files: list[File]) -> dict[str, tuple[File, ...]]:
    found: dict[str, tuple[File, ...]] = {}
    for file in files:
        found[file.stem] = (*found.get(file.stem, ()), file)
    return found
