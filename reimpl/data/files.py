"""Lines of plain and compressed files, with the line number in every complaint.

Lines end at the line feed alone: a form feed, `\\x85` or `\\u2028` inside a text is text, so `str.splitlines`
and files opened as text are not used here.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from reimpl.data.meter import open_counted
from reimpl.errors import DataError

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20
"""Bytes read at once."""

#: How to unpack a file, by the last suffix of its name. Another compression is one more entry.
OPENERS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": lambda raw: cast(BinaryIO, gzip.GzipFile(fileobj=raw)),
    ".xz": lambda raw: cast(BinaryIO, lzma.LZMAFile(raw)),  # noqa: SIM115 - it is entered where it is used
}

#: What reading a damaged file raises, beside `EOFError` for one that is cut off.
_DAMAGE = (OSError, zlib.error, lzma.LZMAError)


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file; raises `DataError` when there is no such file."""
    try:
        raw = open_counted(path)
    except OSError as err:
        raise DataError(f"{path}: cannot be opened ({err.strerror or err}); check the path") from err
    unpack = OPENERS.get(path.suffix)
    with raw:
        if unpack is None:
            yield raw
        else:
            with unpack(raw) as stream:
                yield stream


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and lines without their ends (`\\n` or `\\r\\n`), without a byte-order mark.

    Raises `DataError` with the last line read when a compressed file is cut off or damaged.
    """
    number = 0
    with open_binary(path) as stream:
        try:
            for number, line in enumerate(stream, start=1):
                if number == 1:
                    line = line.removeprefix(BOM)
                yield number, line.removesuffix(b"\n").removesuffix(b"\r")
        except EOFError as err:
            raise DataError(
                f"{path}:{number}: the file is cut off after this line; get a whole copy"
            ) from err
        except _DAMAGE as err:
            raise DataError(
                f"{path}:{number}: no sound {path.suffix} data after this line ({err}); get a whole copy"
            ) from err


def line_blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Whole lines, about a block at a time: the number of the first (from 1) and their bytes.

    Without a byte-order mark; only the last line may lack its end. Raises as `raw_lines`.
    """
    number = 1
    parts: list[bytes] = []
    with open_binary(path) as stream:
        while block := _next_block(path, stream):
            cut = block.rfind(b"\n") + 1
            if cut:
                lines = b"".join((*parts, block[:cut]))
                yield number, lines.removeprefix(BOM) if number == 1 else lines
                number += lines.count(b"\n")
                parts = []
            parts.append(block[cut:])
    rest = b"".join(parts)
    if rest := rest.removeprefix(BOM) if number == 1 else rest:
        yield number, rest


def _next_block(path: Path, stream: BinaryIO) -> bytes:
    try:
        return stream.read(BLOCK)
    except (EOFError, *_DAMAGE) as err:
        for _ in raw_lines(path):  # says behind which line
            pass
        raise DataError(f"{path}: cannot be read ({err}); get a whole copy") from err


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """As `raw_lines`, decoded; raises `DataError` for a line that is not UTF-8 or holds a NUL byte."""
    for number, line in raw_lines(path):
        yield number, decoded(line, f"{path}:{number}")


def decoded(line: bytes, where: str) -> str:
    """The line as text; `where` (file:line) goes into the error that `text_lines` raises."""
    if b"\0" in line:
        raise DataError(f"{where}: a NUL byte; the file is binary or UTF-16, convert it to UTF-8")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as err:
        wrong = line[err.start : err.start + 1]
        hint = (
            "it is gzip data, end its name in .gz" if line[:2] == b"\x1f\x8b" else "convert the file to UTF-8"
        )
        raise DataError(f"{where}: byte {wrong!r} at place {err.start + 1} is not UTF-8; {hint}") from err


def sha256_of(path: Path) -> str:
    """That of the file now, always read. Raises `OSError`."""
    with open_counted(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
