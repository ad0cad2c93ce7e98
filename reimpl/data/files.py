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
from functools import partial
from io import BufferedIOBase
from pathlib import Path

from reimpl.errors import DataError

BOM = b"\xef\xbb\xbf"

#: How to open a file, by the last suffix of its name. Another compression is one more entry.
OPENERS: dict[str, Callable[[Path], BufferedIOBase]] = {
    ".gz": partial(gzip.open, mode="rb"),
    ".xz": partial(lzma.open, mode="rb"),
}


def open_binary(path: Path) -> BufferedIOBase:
    """The decompressed bytes of a file; raises `DataError` when there is no such file."""
    opener = OPENERS.get(path.suffix, _open_plain)
    try:
        return opener(path)
    except OSError as err:
        raise DataError(f"{path}: cannot be opened ({err.strerror or err}); check the path") from err


def _open_plain(path: Path) -> BufferedIOBase:
    return path.open("rb")


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
        except (OSError, zlib.error, lzma.LZMAError) as err:
            raise DataError(
                f"{path}:{number}: no sound {path.suffix} data after this line ({err}); get a whole copy"
            ) from err


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """As `raw_lines`, decoded; raises `DataError` for a line that is not UTF-8 or holds a NUL byte."""
    for number, line in raw_lines(path):
        if b"\0" in line:
            raise DataError(f"{path}:{number}: a NUL byte; the file is binary or UTF-16, convert it to UTF-8")
        yield number, _decode(line, f"{path}:{number}")


def _decode(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as err:
        wrong = line[err.start : err.start + 1]
        hint = (
            "it is gzip data, end its name in .gz" if line[:2] == b"\x1f\x8b" else "convert the file to UTF-8"
        )
        raise DataError(f"{where}: byte {wrong!r} at place {err.start + 1} is not UTF-8; {hint}") from err


def file_digest(path: Path) -> str:
    """SHA-256 of the file as it lies on disk, compressed or not, in hex; read in blocks."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as err:
        raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err
