"""Documents as numbers: words and labels by first appearance in the corpus, whatever the number of processes.

Some hundred documents are a chunk. A worker gives back the distinct words of each chunk, in the order of
their first appearance, and the documents as places among them; here these words get the numbers of the
corpus. Little is under way at any time and tokens go to a spool, so memory does not grow with the corpus.

What a worker process imports from here is light: neither scipy nor torch nor pandas.
"""

from __future__ import annotations

import hashlib
import logging
import os
import signal
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.source import ContentHash, Document, Source, line_of
from reimpl.data.storage import Spool
from reimpl.data.text import Tokeniser
from reimpl.errors import ConfigError, DataError

Ints: TypeAlias = NDArray[np.integer[Any]]

#: Characters of text in a chunk, about.
CHUNK = 1 << 20
#: Packed bytes from which it pays to start processes.
WORTH_IT = 2_000_000
#: Distinct pieces that a process keeps; beyond, it forgets them and starts again, so that memory is bounded.
MOST_PIECES = 1_000_000

_MODULUS = 1 << 256
#: Codes of pieces that are no word: dropped, and from there down several words.
_DROPPED, _SEVERAL = -1, -2
_BITS = 19
#: Odd numbers with bits all over, to spread slots (the golden ratio's, and one of xxHash).
_MIX, _MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
#: Keeps the first so many bytes of a word that was read little-endian.
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)

log = logging.getLogger(__name__)

# --------------------------------------------------------------------------- chunks


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
    own = getattr(source, "pieces", {}).get(split)
    if own is not None:
        empty = True
        for chunk in own():
            empty = False
            yield chunk
        if empty:
            raise DataError(f"{source.name}: {split} has no documents; give a file that is not empty")
        return
    batch: list[Document] = []
    size = 0
    for document in source.documents(split):
        batch.append(document)
        size += len(document.text) + 100
        if size >= CHUNK:
            yield DocumentChunk(batch)
            batch, size = [], 0
    if batch:
        yield DocumentChunk(batch)


# --------------------------------------------------------------------------- in a worker


@dataclass(frozen=True)
class Task:
    """What is wanted of the documents of a split."""

    tokeniser: Tokeniser
    length: int
    """Words of a document that are kept."""
    drop_unlabelled: bool = False
    counts: bool = False
    """Whether to count the words of whole documents."""


class Counts(NamedTuple):
    """How often each word stands in each document: N rows, one after another, words in any order."""

    words: Ints
    times: Ints
    """int32, 1 or more"""
    lengths: Ints
    """int32 (N,): distinct words of each document"""


class Numbered(NamedTuple):
    """N documents as places among the distinct words and labels of their chunk."""

    words: list[str]
    """In the order of their first appearance."""
    labels: list[str]
    tokens: Ints
    """int32: the words that are kept of all documents, one after another."""
    kept: Ints
    """int32 (N,): how many of each document."""
    lengths: Ints
    """int32 (N,): words of each document before the cut."""
    label_places: Ints
    """int32: as written, unsorted, duplicates included."""
    label_lengths: Ints
    """int32 (N,)"""
    unlabelled: int
    """Documents without labels, dropped or not."""
    counts: Counts | None
    content: bytes | None
    """The lines for `ContentHash`; None when they are the packed bytes of the chunk."""
    read: int
    """Documents of the chunk, the dropped ones included."""
    total: int
    """The sum of the documents' SHA-256 modulo 2^256."""


class _Places(dict[str, int]):
    """Gives every name the next number when it first appears."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def of(self, names: Sequence[str]) -> Ints:
        """int32: the numbers of these names."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))


class _Pieces(dict[bytes, int]):
    """The code of each distinct piece that this process has met: the number of its word, or see above."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__()
        self.tokeniser = tokeniser
        self.words = _Places()
        self._names: list[str] = []
        self.several: list[list[int]] = []
        self._table = np.zeros((2, 1 << _BITS), dtype=np.uint64)
        self._codes = np.zeros(1 << _BITS, dtype=np.int32)

    def __missing__(self, piece: bytes) -> int:
        numbers = [self.words[word] for word in self.tokeniser.words(piece)]
        code = numbers[0] if len(numbers) == 1 else _DROPPED
        if len(numbers) > 1:
            code = _SEVERAL - len(self.several)
            self.several.append(numbers)
        self[piece] = code
        return code

    def names_of(self, numbers: Ints) -> list[str]:
        """The words of these numbers."""
        # a dict has no slices, but gives its last keys first when read backwards
        new = list(islice(reversed(self.words), len(self.words) - len(self._names)))
        self._names.extend(reversed(new))
        return list(map(self._names.__getitem__, numbers.tolist()))

    def numbered(self, texts: Sequence[bytes]) -> tuple[Ints, Ints]:
        """Numbers of the words of all texts, and int64 (N,) how many each text has."""
        flat = self.tokeniser.flat(texts)
        signs = np.frombuffer(flat, dtype=np.uint8)
        edges = np.flatnonzero(np.diff((signs != 32) & (signs != 0), prepend=False, append=False))
        starts, stops = edges[::2], edges[1::2]
        codes = self._codes_of(flat, starts, stops)
        counts = (codes >= 0).astype(np.int64)
        several = np.flatnonzero(codes <= _SEVERAL)
        numbers = [self.several[_SEVERAL - code] for code in codes[several].tolist()]
        counts[several] = list(map(len, numbers))
        # how many words stand before the end of each text
        ends = np.append(0, np.cumsum(counts))[np.searchsorted(starts, np.flatnonzero(signs == 0))]
        lengths = np.diff(ends, prepend=0)
        tokens: Ints = np.repeat(codes, counts) if len(several) else codes[codes >= 0]
        tokens[tokens < 0] = list(chain.from_iterable(numbers))
        if self.tokeniser.empty is None or lengths.all():
            return tokens, lengths
        bare = lengths == 0
        number = self.words[self.tokeniser.empty]
        return np.insert(tokens, ends[bare], number), lengths + bare

    def _codes_of(self, flat: bytes, starts: Ints, stops: Ints) -> Ints:
        """int32: the code of each piece of a text.

        A piece of up to 16 bytes is two 64-bit words, taken straight out of the text and compared with the
        two in their slot of a table: a third of the time that a bytes object, its hash and a look-up take.
        The table keeps whichever piece came to a slot first; all others go through the dict.
        """
        lengths = stops - starts
        words = np.ndarray((len(flat) + 9,), dtype="<u8", buffer=flat + bytes(16), strides=(1,))
        first = words[starts] & _FIRST_BYTES[np.minimum(lengths, 8)]
        second = words[starts + 8] & _FIRST_BYTES[np.clip(lengths - 8, 0, 8)]
        mixed = first * _MIX ^ second * _MIX_TOO
        slots = ((mixed ^ mixed >> np.uint64(29)) * _MIX >> np.uint64(64 - _BITS)).astype(np.int64)
        codes: Ints = self._codes[slots]
        known = (self._table[0][slots] == first) & (self._table[1][slots] == second) & (lengths <= 16)
        rest = np.flatnonzero(~known)
        spans = zip(starts[rest].tolist(), stops[rest].tolist(), strict=True)
        pieces = [flat[start:stop] for start, stop in spans]
        codes[rest] = np.fromiter(map(self.__getitem__, pieces), np.int32, len(rest))
        new = rest[(lengths[rest] <= 16) & (self._table[0][slots[rest]] == 0)]
        _, earliest = np.unique(slots[new], return_index=True)
        new = new[earliest]
        self._table[:, slots[new]], self._codes[slots[new]] = (first[new], second[new]), codes[new]
        return codes


@lru_cache(maxsize=1)
def _pieces(tokeniser: Tokeniser) -> _Pieces:
    return _Pieces(tokeniser)


def number(chunk: Chunk, task: Task) -> Numbered:
    """The chunk as numbers; raises `DataError` as the chunk does."""
    labels, label_counts, texts, lines = chunk.rows()
    content = b"".join(lines)
    label_lengths = np.array(label_counts, dtype=np.int32)
    unlabelled, read = int((label_lengths == 0).sum()), len(texts)
    if task.drop_unlabelled and unlabelled:
        texts = [text for text, count in zip(texts, label_counts, strict=True) if count]
        label_lengths = label_lengths[label_lengths > 0]
    pieces = _pieces(task.tokeniser)
    if len(pieces) > MOST_PIECES:
        _pieces.cache_clear()
        pieces = _pieces(task.tokeniser)
    numbers, lengths = pieces.numbered(texts)
    distinct, tokens = _by_first_appearance(numbers, len(pieces.words))
    label_places = _Places()
    place = np.arange(len(tokens)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    sha256 = hashlib.sha256
    return Numbered(
        words=pieces.names_of(distinct),
        tokens=tokens[place < task.length],
        kept=np.minimum(lengths, task.length).astype(np.int32),
        lengths=lengths.astype(np.int32),
        label_places=label_places.of(labels),
        labels=list(label_places),
        label_lengths=label_lengths,
        unlabelled=unlabelled,
        counts=_counts(tokens, lengths) if task.counts else None,
        content=None if content == chunk.packed else content,
        read=read,
        total=sum(int.from_bytes(sha256(line).digest(), "big") for line in lines) % _MODULUS,
    )


def _by_first_appearance(numbers: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct ones of n numbers below `size`, first met first; and int32 (n,) places among them."""
    n = len(numbers)
    first = np.full(size, n, dtype=np.int64)
    # written back to front, so that the earliest place is the one that stays
    first[numbers[::-1]] = np.arange(n)[::-1]
    distinct = np.flatnonzero(first < n)
    distinct = distinct[np.argsort(first[distinct])]
    place = np.empty(size, dtype=np.int32)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[numbers]


def _counts(tokens: Ints, lengths: Ints) -> Counts:
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    keys, times = np.unique(rows << 32 | tokens, return_counts=True)
    return Counts(
        words=(keys & 0xFFFFFFFF).astype(np.int32),
        times=times.astype(np.int32),
        lengths=np.bincount(keys >> 32, minlength=len(lengths)).astype(np.int32),
    )


# --------------------------------------------------------------------------- the processes


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def processes(workers: int | None, packed: int) -> Iterator[Any]:
    """A pool of `workers` processes; None is one for each core where there are `packed` bytes enough.

    None where this process does the work: for one worker, or where none can be started. At the end, also
    after an error or an interruption, the processes are ended.
    """
    if workers is not None and workers < 1:
        raise ConfigError(f"workers is {workers!r}; give at least 1")
    if workers is None:
        workers = cores() if packed >= WORTH_IT else 1
    if workers == 1:
        yield None
        return
    # loky does not import the main module anew: a script without the usual guard, or a notebook, can prepare
    # a corpus too. It sends what is passed to it in any case, a lambda too.
    from joblib.externals.loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(workers, initializer=_ignore_interrupts, env=_ONE_THREAD)
    pool.workers = workers
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, kill_workers=True)


#: A worker has one core: it must not start threads for linear algebra that it never does.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _ignore_interrupts() -> None:
    # Ctrl-C is for the parent, which ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def numbered(chunks: Iterable[Chunk], task: Task, pool: Any) -> Iterator[tuple[Chunk, Numbered]]:
    """Each chunk and its numbers, in order; raises `DataError` as the chunks do, or when a process ended."""
    if pool is None:
        yield from ((chunk, number(chunk, task)) for chunk in chunks)
        return
    waiting: deque[tuple[Chunk, Future[Numbered]]] = deque()
    reading = iter(chunks)
    broken: DataError | None = None
    more = True
    try:
        while more or waiting:
            while more and len(waiting) < 2 * pool.workers:
                try:
                    chunk = next(reading)
                except StopIteration:
                    more = False
                except DataError as err:
                    # what stands before it comes first, and may hold an earlier error
                    more, broken = False, err
                else:
                    waiting.append((chunk, pool.submit(number, chunk, task)))
            if waiting:
                chunk, future = waiting.popleft()
                yield chunk, future.result()
    except BrokenProcessPool as err:
        raise DataError(
            "a process that prepares the corpus was ended; if memory was short, prepare it with workers=1"
        ) from err
    finally:
        # the pool cannot be ended in peace while results are on their way
        wait([future for _, future in waiting], timeout=10)
    if broken is not None:
        raise broken


# --------------------------------------------------------------------------- a corpus


@dataclass(eq=False)
class SplitNumbers:
    """One split as numbers of the corpus."""

    tokens: Spool
    """The kept words of all documents, one after another."""
    counted: tuple[Spool, Spool] | None
    """The distinct words of whole documents and how often they stand there."""
    content: ContentHash = field(default_factory=ContentHash)
    unlabelled: int = 0
    _parts: dict[str, list[Ints]] = field(default_factory=lambda: defaultdict(list))

    def add(self, **arrays: Ints) -> None:
        """Numbers of the next documents, by name."""
        for name, array in arrays.items():
            self._parts[name].append(array)

    def joined(self, name: str) -> Ints:
        """int32: those of all documents."""
        return np.concatenate([np.empty(0, dtype=np.int32), *self._parts[name]])

    @property
    def kept(self) -> Ints:
        """int32 (N,): kept words of each document."""
        return self.joined("kept")

    @property
    def lengths(self) -> Ints:
        """int32 (N,): words of each document before any cut."""
        return self.joined("lengths")

    @property
    def size(self) -> int:
        """N"""
        return sum(map(len, self._parts["kept"]))


@dataclass(eq=False)
class Numbers:
    """A corpus as numbers. `close` it, also after an error."""

    folder: Path | None
    """Where large spools go; None is the usual place for such files."""
    words: _Places = field(default_factory=_Places)
    """Word -> number, in the order of first appearance."""
    labels: _Places = field(default_factory=_Places)
    splits: dict[str, SplitNumbers] = field(default_factory=dict)
    _documents_with: Ints = field(default_factory=lambda: np.zeros(1024, dtype=np.int64))

    @property
    def documents_with(self) -> Ints:
        """int64 (W,): in how many training documents (whole ones) each word stands."""
        return self._room(len(self.words))[: len(self.words)]

    def read(self, source: Source, split: str, task: Task, pool: Any, *, features: bool) -> None:
        """Numbers one split; `features` keeps its word counts. Raises `DataError` as the source does."""
        counted = (Spool(self.folder), Spool(self.folder)) if features else None
        part = self.splits[split] = SplitNumbers(Spool(self.folder), counted)
        for chunk, result in numbered(chunks_of(source, split), task, pool):
            words, labels = self.words.of(result.words), self.labels.of(result.labels)
            content = chunk.packed if result.content is None else result.content
            part.content.extend(content or b"", result.read, result.total)
            part.unlabelled += result.unlabelled
            part.tokens.append(words[result.tokens])
            part.add(
                kept=result.kept,
                lengths=result.lengths,
                labels=labels[result.label_places],
                label_lengths=result.label_lengths,
            )
            if result.counts is not None:
                distinct = words[result.counts.words]
                if split == "train":
                    # a word stands once in a row, so these are documents
                    np.add.at(self._room(len(self.words)), distinct, 1)
                if counted is not None:
                    part.add(distinct=result.counts.lengths)
                    counted[0].append(distinct)
                    counted[1].append(result.counts.times)

    def _room(self, size: int) -> Ints:
        missing = size - len(self._documents_with)
        if missing > 0:
            self._documents_with = np.pad(self._documents_with, (0, max(missing, len(self._documents_with))))
        return self._documents_with

    def close(self) -> None:
        """Gives back memory and disk."""
        for part in self.splits.values():
            for spool in (part.tokens, *(part.counted or ())):
                spool.close()
