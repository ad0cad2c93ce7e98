"""Writes small corpora to disk for the tests."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Sequence
from pathlib import Path

TRAIN = ("b a\tthe cat sat", "a\tthe dog 12 sat", "c\tThe bird")
TEST = ("a\tthe cat flew", "d b\tdog")


def pack(content: bytes, suffix: str) -> bytes:
    """The bytes of a file with this suffix."""
    if suffix == ".gz":
        return gzip.compress(content)
    return lzma.compress(content) if suffix == ".xz" else content


def write(path: Path, lines: Sequence[str] | bytes, *, end: str = "\n") -> Path:
    """Lines (or raw bytes) into a file, compressed as its suffix says."""
    content = lines if isinstance(lines, bytes) else "".join(line + end for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(content, path.suffix))
    return path


def corpus(
    folder: Path, train: Sequence[str] = TRAIN, test: Sequence[str] = TEST, suffix: str = "", end: str = "\n"
) -> Path:
    """A folder with train and test files."""
    write(folder / f"train.txt{suffix}", train, end=end)
    write(folder / f"test.txt{suffix}", test, end=end)
    return folder
