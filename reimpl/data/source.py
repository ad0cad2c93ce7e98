"""What a reader of any format gives to the preparation: documents, split by split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Document(NamedTuple):
    """One document as it was written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


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
