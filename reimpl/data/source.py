"""What a reader of any format gives to the preparation: documents, split by split, and their identities."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

MODULUS = 1 << 256


class Document(NamedTuple):
    """One document as it was written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


class Source(Protocol):
    """A corpus on disk, in any format; see `formats.base.TextSource`."""

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
        self.documents = self.total = 0

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


def identities(splits: Mapping[str, ContentHash]) -> dict[str, Any]:
    """`content`, `corpus` and `partition` of texts, whatever their format, compression or line ends."""
    lines = [f"{split} {content}" for split, content in splits.items()]
    sums = {split: (content.documents, content.total) for split, content in splits.items()}
    return {"content": hashlib.sha256("\n".join(lines).encode()).hexdigest(), **identities_of_sums(sums)}


def identities_of_sums(sums: Mapping[str, tuple[int, int]], kind: str = "") -> dict[str, Any]:
    """`corpus` and `partition` by (documents, sum of their digests) of each split; `kind` is `bow ` or such.

    The corpus is its documents in whichever split and order: two splits of one corpus share it, so it tells
    another split from other data. The partition is the same documents in the same splits, in any order.
    """
    documents, total = (sum(column) for column in zip(*sums.values(), strict=True))
    corpus = f"{kind}corpus {documents} {total % MODULUS:064x}"
    lines = [f"{split} {size} {part % MODULUS:064x}" for split, (size, part) in sorted(sums.items())]
    texts = {"corpus": corpus, "partition": "\n".join([f"{kind}partition", *lines])}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
