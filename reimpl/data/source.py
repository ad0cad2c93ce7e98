"""What a reader of any format gives to the preparation: documents, split by split, and their identities."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from numpy.typing import NDArray

from reimpl.data.files import File
from reimpl.data.storage import digest_of, file_digest
from reimpl.errors import DataError

MODULUS = 1 << 256


class Document(NamedTuple):
    """One document as it was written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class TextSource:
    """A corpus of raw texts in any format; it is read anew, and streamed, at each call of `documents`."""

    name: str
    readers: Mapping[str, Callable[[], Iterator[Document]]]  # split -> its documents
    files: tuple[File, ...]
    choices: str  # format and options, as they enter `digest`
    notes: tuple[str, ...] = ()
    pieces: Mapping[str, Callable[[], Iterator[Any]]] = field(default_factory=dict)
    """Split -> the same documents in chunks (`numbering.Lines`) that a worker process takes apart."""
    by_split: bool = False  # whether `digest` calls the files, one a split, by their splits
    tokenised: bool = False  # whether a program has parted the words by blanks already

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(self.readers)

    def documents(self, split: str) -> Iterator[Document]:
        """Documents of a split, in order; raises `DataError` with file and line, or if there is none."""
        document = None
        for document in self.readers[split]():
            yield document
        if document is None:
            raise DataError(f"{self.name}: {split} has no documents; give a file that is not empty")

    def digest(self) -> str:
        """SHA-256 over the files' bytes as they lie on disk and over the options."""
        packed = {path: file_digest(path) for path in sorted({file.path for file in self.files})}
        names = self.splits if self.by_split else [f"{file.name} {file.member}" for file in self.files]
        parts = [f"{name} {packed[file.path]}" for name, file in zip(names, self.files, strict=True)]
        return digest_of("\n".join([self.choices, *parts]))


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
    """Identity of one split: its documents in order, each as `line_of` it, and `total`, the same in any
    order: the sum of their SHA-256 modulo 2^256."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.documents = self.total = 0

    def add(self, lines: Sequence[bytes]) -> None:
        self.extend(b"".join(lines), len(lines), sum_of_digests(lines))

    def extend(self, lines: bytes, documents: int, total: int) -> None:
        """The same of lines joined, with their number and the sum of their digests."""
        self._digest.update(lines)
        self.total = (self.total + total) % MODULUS
        self.documents += documents

    def __str__(self) -> str:
        return f"{self.documents} {self._digest.hexdigest()}"


def sum_of_digests(parts: Iterable[bytes]) -> int:
    """The sum of the SHA-256 of each part, modulo 2^256."""
    return sum(int.from_bytes(hashlib.sha256(part).digest(), "big") for part in parts) % MODULUS


def rows_as_bytes(
    label_ids: NDArray[Any], label_offsets: NDArray[Any], offsets: NDArray[Any], *values: NDArray[Any]
) -> Iterator[bytes]:
    """What counts of each document of numbers: how many labels (8 bytes), label ids, its part of `values`, in
    4 bytes, little-endian; `offsets` (N+1,) are those of `values`."""
    arrays = [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in (label_ids, *values)]
    ends = zip(label_offsets.tolist(), offsets.tolist(), strict=True)
    for (start, first), (stop, last) in pairwise(ends):
        own = [arrays[0][4 * start : 4 * stop], *(array[4 * first : 4 * last] for array in arrays[1:])]
        yield b"".join(((stop - start).to_bytes(8, "little"), *own))


def identities(splits: Mapping[str, ContentHash]) -> dict[str, Any]:
    """`content`, `corpus` and `partition` of texts, whatever their format, compression or line ends."""
    lines = [f"{split} {content}" for split, content in splits.items()]
    sums = {split: (content.documents, content.total) for split, content in splits.items()}
    return {"content": digest_of("\n".join(lines)), **identities_of_sums(sums)}


def identities_of_sums(sums: Mapping[str, tuple[int, int]], kind: str = "") -> dict[str, Any]:
    """`corpus` and `partition` by (documents, sum of their digests) of each split. Two splits of one corpus
    share the corpus; the partition is the same documents in the same splits, in any order."""
    documents, total = (sum(column) for column in zip(*sums.values(), strict=True))
    lines = [f"{split} {size} {part % MODULUS:064x}" for split, (size, part) in sorted(sums.items())]
    corpus, partition = f"{kind}corpus {documents} {total % MODULUS:064x}", [f"{kind}partition", *lines]
    return {"corpus": digest_of(corpus), "partition": digest_of("\n".join(partition))}
