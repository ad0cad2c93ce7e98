"""Corpora in memory, as sources and as numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reimpl.data.numbering import Numbers, Task
from reimpl.data.source import Document
from reimpl.data.text import Tokeniser


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


def numbered(source: Made, tokeniser: Tokeniser, *, length: int = 10**9) -> Numbers:
    """All splits as numbers, with everything counted."""
    numbers = Numbers(None)
    for split in source.splits:
        numbers.read(source, split, Task(tokeniser, length, counts=True), None, features=True)
    return numbers
