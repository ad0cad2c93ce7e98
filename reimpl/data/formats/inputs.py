"""Files as the readers see them: on disk or in a .zip, plain or packed, read in blocks of bounded size."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import IO, cast

from reimpl.data.files import BOM
from reimpl.data.meter import open_counted
from reimpl.errors import DataError

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
            yield number, _decoded(line.removesuffix(b"\r"), f"{file}:{number}")


def _decoded(line: bytes, where: str) -> str:
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
