"""Small corpora on disk and in memory, and the reference vectors that lie beside these tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reimpl.data.numbering import Document
from tests.data.made import PACK

TRAIN = ("b a\tthe cat sat", "a\tthe dog 12 sat", "c\tThe bird")
TEST = ("a\tthe cat flew", "d b\tdog")


def write(path: Path, lines: Sequence[str] | bytes, *, end: str = "\n") -> Path:
    """Lines (or raw bytes) into a file, compressed as its suffix says."""
    content = lines if isinstance(lines, bytes) else "".join(line + end for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PACK.get(path.suffix, bytes)(content))
    return path


def corpus(
    folder: Path, train: Sequence[str] = TRAIN, test: Sequence[str] = TEST, suffix: str = "", end: str = "\n"
) -> Path:
    """A folder with train and test files."""
    write(folder / f"train.txt{suffix}", train, end=end)
    write(folder / f"test.txt{suffix}", test, end=end)
    return folder


@dataclass(frozen=True)
class Made:
    """Documents in memory."""

    parts: Mapping[str, Sequence[Document]]
    name: str = "made"
    tokenised: bool = False

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(self.parts)

    def documents(self, split: str) -> Iterator[Document]:
        return iter(self.parts[split])

    def digest(self) -> str:
        return hashlib.sha256(repr(self.parts).encode()).hexdigest()


def texts(train: Sequence[str], test: Sequence[str] = ()) -> Made:
    """Texts that all have one label."""
    return Made(
        {"train": [Document(("a",), it) for it in train], "test": [Document(("a",), it) for it in test]}
    )


def reference(name: str) -> Any:
    """Content of a reference file."""
    return json.loads((Path(__file__).parent / "reference" / name).read_text("utf-8"))
