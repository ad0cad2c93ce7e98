"""What a reader of any format gives to the preparation: documents, split by split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

_MODULUS = 1 << 256


class Document(NamedTuple):
    """One document as it was written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


class ContentHash:
    """Identity of one split: its documents in order, each as distinct sorted labels, tab, text, line feed.

    Beside it runs `total`, which is the same in any order: the sum of the documents' SHA-256 modulo 2^256
    (a multiset hash; a document that stands there twice counts twice).
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.documents = 0
        self.total = 0

    def add(self, document: Document) -> None:
        """The next document."""
        line = f"{' '.join(sorted(set(document.labels)))}\t{document.text}\n".encode()
        self._digest.update(line)
        self.total = (self.total + int.from_bytes(hashlib.sha256(line).digest(), "big")) % _MODULUS
        self.documents += 1

    def __str__(self) -> str:
        return f"{self.documents} {self._digest.hexdigest()}"


def content_of(splits: Mapping[str, ContentHash]) -> str:
    """SHA-256 identity of a corpus: what it says, whatever its format, compression or line ends."""
    lines = [f"{split} {content}" for split, content in splits.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def corpus_of(splits: Iterable[ContentHash]) -> str:
    """SHA-256 identity of the documents of all splits together, whichever split and order they stand in.

    Two splits of one corpus share it, so it tells another split from other data.
    """
    parts = list(splits)
    total = sum(part.total for part in parts) % _MODULUS
    return hashlib.sha256(f"corpus {sum(part.documents for part in parts)} {total:064x}".encode()).hexdigest()


class Source(Protocol):
    """A corpus on disk. Every format is one class with these members; see `reimpl.data.lml.LmlFolder`."""

    @property
    def name(self) -> str:
        """Short name, for people."""

    @property
    def splits(self) -> tuple[str, ...]:
        """`train`, `test` and maybe `dev`, in this order."""

    def documents(self, split: str) -> Iterator[Document]:
        """The documents of a split in file order, read as they are asked for."""

    def digest(self) -> str:
        """SHA-256 of the bytes on disk and of the reading options: cheap, decodes nothing."""
