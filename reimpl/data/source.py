"""What a reader of any format gives to the preparation: documents, split by split."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

MODULUS = 1 << 256


class Document(NamedTuple):
    """One document as it was written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


def line_of(labels: Sequence[str], text: bytes) -> bytes:
    """What counts of a document: its distinct sorted labels, tab, text (UTF-8), line feed.

    Labels are joined by a space. Where one holds a space, a tab or a line feed, or is empty, that would not
    tell two labels from one: such a line starts with a space, which no other does, and has them as JSON.

    >>> line_of(("b", "a", "b"), b"text"), line_of(("a b",), b"text")
    (b'a b\\ttext\\n', b' ["a b"]\\ttext\\n')
    """
    distinct = sorted(set(labels))
    names = " ".join(distinct)
    if distinct and (names.split(" ") != distinct or not distinct[0] or "\t" in names or "\n" in names):
        names = " " + json.dumps(distinct)
    return b"%b\t%b\n" % (names.encode(), text)


class ContentHash:
    """Identity of one split: its documents in order, each as `line_of` it.

    Beside it runs `total`, which is the same in any order: the sum of the documents' SHA-256 modulo 2^256
    (a multiset hash; a document that stands there twice counts twice).
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.documents = 0
        self.total = 0

    def add(self, document: Document) -> None:
        """The next document."""
        line = line_of(document.labels, document.text.encode())
        self.extend(line, 1, int.from_bytes(hashlib.sha256(line).digest(), "big"))

    def extend(self, lines: bytes, documents: int, total: int) -> None:
        """The next documents: their lines one after another, how many, and the sum of their digests."""
        self._digest.update(lines)
        self.total = (self.total + total) % MODULUS
        self.documents += documents

    def __str__(self) -> str:
        return f"{self.documents} {self._digest.hexdigest()}"


def content_of(splits: Mapping[str, ContentHash]) -> str:
    """SHA-256 identity of a corpus: what it says, whatever its format, compression or line ends."""
    lines = [f"{split} {content}" for split, content in splits.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def partition_of(splits: Mapping[str, ContentHash]) -> str:
    """SHA-256 identity of the same documents in the same splits, in whichever order within each.

    It costs nothing more to have: the sums run along while the documents are read.
    """
    return partition_digest({split: (content.documents, content.total) for split, content in splits.items()})


def partition_digest(sums: Mapping[str, tuple[int, int]], kind: str = "partition") -> str:
    """The same of (documents, sum of their digests) of each split; `kind` parts texts from features."""
    lines = [
        f"{split} {documents} {total % MODULUS:064x}" for split, (documents, total) in sorted(sums.items())
    ]
    return hashlib.sha256("\n".join([kind, *lines]).encode()).hexdigest()


def corpus_of(splits: Iterable[ContentHash]) -> str:
    """SHA-256 identity of the documents of all splits together, whichever split and order they stand in.

    Two splits of one corpus share it, so it tells another split from other data.
    """
    return corpus_digest((part.documents, part.total) for part in splits)


def corpus_digest(sums: Iterable[tuple[int, int]], kind: str = "corpus") -> str:
    """The same of (documents, sum of their digests) of each split; `kind` as in `partition_digest`."""
    parts = list(sums)
    documents, total = sum(it[0] for it in parts), sum(it[1] for it in parts) % MODULUS
    return hashlib.sha256(f"{kind} {documents} {total:064x}".encode()).hexdigest()


class Source(Protocol):
    """A corpus on disk. Every format is one class with these members; see `formats.base.TextSource`."""

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
