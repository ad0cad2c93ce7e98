"""Documents on their way to where they are numbered: some hundreds at a time, light to send to a process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol

from reimpl.data.source import Document, Source, line_of

#: Characters of text in a chunk, about.
CHUNK = 1 << 20

_MODULUS = 1 << 256


class Rows(NamedTuple):
    """The documents of a chunk."""

    labels: Sequence[str]
    """Those of all documents, one after another, as written: unsorted, duplicates included."""
    label_counts: Sequence[int]
    """How many each document has."""
    texts: Sequence[bytes]
    """UTF-8."""
    lines: Sequence[bytes]
    """What counts for the identity of each document; see `source.line_of`."""


class Chunk(Protocol):
    """Some documents, in whatever form they are sent."""

    @property
    def packed(self) -> bytes | None:
        """The bytes that the chunk holds already, which may equal its `lines` joined."""

    def rows(self) -> Rows:
        """The documents; raises `DataError` as the reader of their format does."""


@dataclass(frozen=True)
class DocumentChunk:
    """Documents that their format's reader has taken apart."""

    documents: Sequence[Document]
    packed: None = None

    def rows(self) -> Rows:
        """The documents."""
        return rows_of(self.documents)


def rows_of(documents: Sequence[Document]) -> Rows:
    """Documents that have been read one by one."""
    texts = [text.encode() for _, text in documents]
    labels = [labels for labels, _ in documents]
    lines = [line_of(*pair) for pair in zip(labels, texts, strict=True)]
    return Rows(list(chain.from_iterable(labels)), list(map(len, labels)), texts, lines)


def chunks_of(source: Source, split: str) -> Iterator[Chunk]:
    """The chunks of a split: as the source has them, else of the documents that it reads."""
    own = getattr(source, "chunks", None)
    return own(split) if own is not None else _batched(source.documents(split))


def _batched(documents: Iterable[Document]) -> Iterator[Chunk]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text) + 100
        if size >= CHUNK:
            yield DocumentChunk(batch)
            batch, size = [], 0
    if batch:
        yield DocumentChunk(batch)


def total_of(lines: Iterable[bytes]) -> int:
    """The sum of the documents' SHA-256 modulo 2^256."""
    sha256 = hashlib.sha256
    return sum(int.from_bytes(sha256(line).digest(), "big") for line in lines) % _MODULUS
