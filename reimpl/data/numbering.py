"""Documents from a reader of any format, their identity, and their numbers: words and labels by first
appearance in the corpus, whatever the number of processes. A worker returns the distinct words of some
hundred documents, and the documents as places among them; here these get the numbers of the corpus. Tokens go
to disk, so memory does not grow with the corpus. Workers import neither scipy nor torch nor pandas."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.files import File, GrowingArray, decoded, digest_of, file_digest, shown
from reimpl.data.text import Tokeniser
from reimpl.errors import DataError, option

MODULUS = 1 << 256


class Document(NamedTuple):
    """One document as written: label names in their order, duplicates included, and the text."""

    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class TextSource:
    """A corpus of raw texts in any format, read and streamed anew at each call of `documents`."""

    name: str
    readers: Mapping[str, Callable[[], Iterator[Document]]]  # split -> its documents
    files: tuple[File, ...]
    choices: str  # format and options, as they enter `digest`
    notes: tuple[str, ...] = ()
    #: Split -> the same documents in chunks (`numbering.Lines`) that a worker process takes apart.
    pieces: Mapping[str, Callable[[], Iterator[Any]]] = field(default_factory=dict)
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
        """SHA-256 over the bytes of the files on disk and the options."""
        packed = {path: file_digest(path) for path in sorted({file.path for file in self.files})}
        names = self.splits if self.by_split else [f"{file.name} {file.member}" for file in self.files]
        parts = [f"{name} {packed[file.path]}" for name, file in zip(names, self.files, strict=True)]
        return digest_of("\n".join([self.choices, *parts]))


def line_of(labels: Sequence[str], text: bytes) -> bytes:
    """A document as its hash sees it: its distinct sorted labels, joined by a space, tab, text (UTF-8), line
    feed. If a label is empty or holds a space, a tab or a line feed, two labels could look like one: such a
    line starts with a space, which no other does, and has the labels as JSON."""
    distinct = sorted(set(labels))
    names = " ".join(distinct)
    if distinct and (names.split(" ") != distinct or not distinct[0] or "\t" in names or "\n" in names):
        names = " " + json.dumps(distinct)
    return b"%b\t%b\n" % (names.encode(), text)


class ContentHash:
    """Identity of one split: its documents in order, and `total`, the same in any: their SHA-256 added up."""

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
    """The bytes that identify each document of numbers: how many labels (8 bytes), label ids, its part of
    `values`, in 4 bytes, little-endian; `offsets` (N+1,) are those of `values`."""
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
    """`corpus` and `partition` by (documents, sum of digests) of each split: two splits share a corpus."""
    documents, total = (sum(column) for column in zip(*sums.values(), strict=True))
    lines = [f"{split} {size} {part % MODULUS:064x}" for split, (size, part) in sorted(sums.items())]
    corpus, partition = f"{kind}corpus {documents} {total % MODULUS:064x}", [f"{kind}partition", *lines]
    return {"corpus": digest_of(corpus), "partition": digest_of("\n".join(partition))}


Ints: TypeAlias = NDArray[np.integer[Any]]

#: Characters of text in a chunk, about.
CHUNK = 1 << 20
#: Packed bytes from which it pays to start processes.
WORTH_IT = 2_000_000
#: Distinct pieces that a process keeps; beyond, it forgets them and starts again, so that memory is bounded.
MOST_PIECES = 1_000_000

#: Codes of pieces that are no word: dropped, and from there down several words.
_DROPPED, _SEVERAL = -1, -2
_BITS = 19
#: Odd numbers with bits all over, to spread slots (the golden ratio's, and one of xxHash).
_MIX, _MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
#: Keeps the first so many bytes of a word that was read little-endian.
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


class Rows(NamedTuple):
    """The documents of a chunk."""

    labels: Sequence[str]  # those of all documents, one after another, as written
    label_counts: Sequence[int]  # how many each document has
    texts: Sequence[bytes]  # UTF-8
    lines: Sequence[bytes]  # what counts for the identity of each document; see `line_of`


class Documents(list[Document]):
    """Documents that their format's reader has already parsed."""

    def rows(self) -> Rows:
        texts = [document.text.encode() for document in self]
        labels = [document.labels for document in self]
        lines = [line_of(*pair) for pair in zip(labels, texts, strict=True)]
        return Rows(list(chain.from_iterable(labels)), list(map(len, labels)), texts, lines)


@dataclass(frozen=True)
class Lines:
    """Whole lines `labels<TAB>text` of a file, not yet parsed."""

    packed: bytes
    file: str
    number: int  # of the first line, from 1
    ids: bool

    def rows(self) -> Rows:
        """Raises `DataError` that names the line in which something does not belong."""
        if (rows := self._at_once()) is not None:
            return rows
        documents = Documents()
        for number, line in enumerate(self.packed.removesuffix(b"\n").split(b"\n"), start=self.number):
            where = f"{self.file}:{number}"
            documents.append(parse_line(decoded(line.removesuffix(b"\r"), where), where, ids=self.ids))
        return documents.rows()

    def _at_once(self) -> Rows | None:
        """The documents, if every line is in the form of `line_of`, with one tab, in UTF-8."""
        packed, lines = self.packed, self.packed.splitlines(keepends=True)
        if self.ids or b"\r" in packed or b"\0" in packed or not packed.endswith(b"\n"):
            return None
        if not all(line.count(b"\t") == 1 for line in lines):
            return None
        fields = packed.replace(b"\n", b"\t").split(b"\t")
        try:
            packed.isascii() or packed.decode()
            heads = b"\n".join(fields[:-1:2]).decode().split("\n")
        except UnicodeDecodeError:
            return None
        labels = " ".join(filter(None, heads)).split(" ") if any(heads) else []
        counts = [head.count(" ") + 1 if head else 0 for head in heads]
        up = np.fromiter(map(str.__lt__, labels, islice(labels, 1, None)), dtype=np.bool_)
        ends = np.cumsum(counts)
        up[ends[(ends > 0) & (ends < len(labels))] - 1] = True  # from one document to the next
        if labels != " ".join(labels).split() or not up.all():
            return None
        return Rows(labels, counts, fields[1::2], lines)


#: Some documents, in the form in which they are sent to a worker process.
Chunk: TypeAlias = Documents | Lines


def parse_line(line: str, where: str, *, ids: bool = False) -> Document:
    """Labels and text of a line without its end; `where` (file:line) goes into the `DataError`."""
    fields = line.split("\t")
    if len(fields) == 2 + ids:
        # str.split without argument, as LibMultiLabel: any run of white space parts labels, no name is empty
        return Document(tuple(fields[-2].split()), fields[-1])
    form = "id<TAB>labels<TAB>text" if ids else "labels<TAB>text"
    if len(fields) < 2 + ids:
        what = f"{len(fields) - 1} tabs in {shown(line)}"
        raise DataError(f"{where}: {what}; write {form}, with the tab even when a part is empty")
    advice = "replace tabs inside the text by spaces"
    if not ids and len(fields) == 3:
        advice += f", or say that the first column holds ids ({option('ids', True)})"
    raise DataError(f"{where}: {len(fields)} columns where {form} has {2 + ids}; {advice}")


def chunks_of(source: TextSource, split: str) -> Iterator[Chunk]:
    if own := getattr(source, "pieces", {}).get(split):
        yield from own()
        return
    batch, size = Documents(), 0
    for document in source.documents(split):
        batch.append(document)
        size += len(document.text) + 100
        if size >= CHUNK:
            yield batch
            batch, size = Documents(), 0
    if batch:
        yield batch


@dataclass(frozen=True)
class Task:
    """What to compute from the documents of a split."""

    tokeniser: Tokeniser
    length: int  # Words of a document that are kept
    drop_unlabelled: bool = False
    counts: bool = False  # Whether to count the words of whole documents


class Numbered(NamedTuple):
    """N documents as places among the distinct words and labels of their chunk; places are int32."""

    words: list[str]  # in the order of their first appearance
    labels: list[str]
    tokens: Ints  # the words that are kept of all documents, one after another
    per_document: dict[str, Ints]  # (N,) each: `kept` words, `lengths` before the cut, ...
    label_places: Ints  # as written, unsorted, duplicates included
    unlabelled: int  # documents without labels, dropped or not
    counts: tuple[Ints, Ints] | None  # distinct words of whole documents, and how often they stand there
    content: tuple[bytes, int, int]  # lines, documents (the dropped ones too) and sum, for `ContentHash`


class _Places(dict[str, int]):
    """Gives every name the next number when it first appears."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.names.append(name)
        return number

    def of(self, names: Sequence[str]) -> Ints:
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))


class _Pieces(dict[bytes, int]):
    """The code of each distinct piece seen by this process: the number of its word, or one of those above."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__()
        self.tokeniser = tokeniser
        self.words = _Places()
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

    def numbers_of(self, texts: Sequence[bytes]) -> tuple[Ints, Ints]:
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
        return np.insert(tokens, ends[bare], self.words[self.tokeniser.empty]), lengths + bare

    def _codes_of(self, flat: bytes, starts: Ints, stops: Ints) -> Ints:
        """int32 code of each piece. A piece of up to 16 bytes is two 64-bit words, compared with the two in
        their slot of a table, in a third of the time of a bytes object, its hash and a look-up. The table
        keeps the first piece of each slot; all others use the dict."""
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
        new = new[np.unique(slots[new], return_index=True)[1]]
        self._table[:, slots[new]], self._codes[slots[new]] = (first[new], second[new]), codes[new]
        return codes


_pieces = lru_cache(maxsize=1)(_Pieces)


def number(chunk: Chunk, task: Task) -> Numbered:
    labels, label_counts, texts, lines = chunk.rows()
    label_lengths = np.array(label_counts, dtype=np.int32)
    unlabelled = int((label_lengths == 0).sum())
    if task.drop_unlabelled and unlabelled:
        texts = [text for text, count in zip(texts, label_counts, strict=True) if count]
        label_lengths = label_lengths[label_lengths > 0]
    if len(_pieces(task.tokeniser)) > MOST_PIECES:
        _pieces.cache_clear()
    pieces, label_places, counts = _pieces(task.tokeniser), _Places(), None
    numbers, lengths = pieces.numbers_of(texts)
    # distinct words by first appearance: written back to front, so that the earliest place stays
    n, size = len(numbers), len(pieces.words)
    first, at = np.full(size, n, dtype=np.int64), np.empty(size, dtype=np.int32)
    first[numbers[::-1]] = np.arange(n)[::-1]
    distinct = np.flatnonzero(first < n)
    distinct = distinct[np.argsort(first[distinct])]
    at[distinct] = np.arange(len(distinct))
    tokens = at[numbers]
    place = np.arange(len(tokens)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept = np.minimum(lengths, task.length)
    per_document = {"kept": kept, "lengths": lengths, "label_lengths": label_lengths}
    if task.counts:
        rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        keys, times = np.unique(rows << 32 | tokens, return_counts=True)
        per_document["distinct"] = np.bincount(keys >> 32, minlength=len(lengths))
        counts = (keys & 0xFFFFFFFF).astype(np.int32), times.astype(np.int32)
    return Numbered(
        words=[pieces.words.names[place] for place in distinct.tolist()],
        tokens=tokens[place < task.length],
        per_document={name: values.astype(np.int32) for name, values in per_document.items()},
        label_places=label_places.of(labels),
        labels=label_places.names,
        unlabelled=unlabelled,
        counts=counts,
        content=(b"".join(lines), len(lines), sum_of_digests(lines)),
    )


def cores() -> int:
    # not on every system
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def processes(workers: int | None, packed: int) -> Iterator[Any]:
    """A pool of `workers` processes (None: one a core if `packed` bytes suffice), or None for one."""
    if workers is None:
        workers = cores() if packed >= WORTH_IT else 1
    if workers == 1:
        yield None
        return
    # loky does not import the main module anew: a script without the usual guard, or a notebook, can prepare
    # a corpus too. It sends what is passed to it in any case, a lambda too.
    from joblib.externals.loky import ProcessPoolExecutor

    # a worker has one core: it must not start threads for linear algebra that it never does
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # Ctrl-C is for the parent, which ends its workers
    ignore = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    pool = ProcessPoolExecutor(workers, **ignore, env=one_thread)
    pool.workers = workers
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def numbered(chunks: Iterable[Chunk], task: Task, pool: Any) -> Iterator[Numbered]:
    """The numbers of each chunk, in order; raises `DataError` as the chunks do, or if a process ended."""
    if pool is None:
        yield from (number(chunk, task) for chunk in chunks)
        return
    waiting: deque[Future[Numbered]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(number, chunk, task))
            if len(waiting) == 2 * pool.workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as err:
        short = "if memory was short, prepare it with workers=1"
        raise DataError(f"a process that prepares the corpus was ended; {short}") from err
    finally:
        wait(waiting, timeout=10)  # the pool cannot be ended in peace while results are on their way


class SplitNumbers:
    """One split as numbers of the corpus; flat arrays are on disk if there is a folder."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self.folder, self.name = folder, name
        self.tokens = self.array("tokens.part", np.int32)  # kept words of all documents
        self.distinct = self.array("distinct.part", np.int32)  # distinct words of whole documents
        self.times = self.array("times.part", np.int32)  # how often they stand there
        self.content = ContentHash()
        self.unlabelled = 0
        self.parts: dict[str, list[Ints]] = defaultdict(list)

    def array(self, name: str, kind: type[np.generic]) -> GrowingArray:
        return GrowingArray(self.folder, f"{self.name}.{name}", kind)

    def joined(self, name: str) -> Ints:
        """int32: those of all documents: their labels, or one number a document as in `Numbered`."""
        return np.concatenate([np.empty(0, dtype=np.int32), *self.parts[name]])


class Numbers:
    """A corpus as numbers. `close` it, also after an error."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder  # of large arrays; None is memory
        self.words, self.labels = _Places(), _Places()  # name -> number, in the order of first appearance
        self.splits: dict[str, SplitNumbers] = {}
        # int64 (W,): in how many training documents (whole ones) each word stands
        self.documents_with: Ints = np.zeros(0, dtype=np.int64)

    def read(self, source: TextSource, split: str, task: Task, pool: Any, *, features: bool) -> None:
        """Numbers one split; `features` keeps its word counts. Raises `DataError` as the source does."""
        part = self.splits[split] = SplitNumbers(self.folder, split)
        for result in numbered(chunks_of(source, split), task, pool):
            words, labels = self.words.of(result.words), self.labels.of(result.labels)
            part.content.extend(*result.content)
            part.unlabelled += result.unlabelled
            part.tokens.append(words[result.tokens])
            for name, array in {"labels": labels[result.label_places], **result.per_document}.items():
                part.parts[name].append(array)
            places, times = result.counts or (result.tokens[:0], result.tokens[:0])
            distinct = words[places]
            # a word stands once in a row, so these are documents
            counts = np.bincount(distinct if split == "train" else words[:0], minlength=len(self.words))
            counts[: len(self.documents_with)] += self.documents_with
            self.documents_with = counts
            if features:
                part.distinct.append(distinct)
                part.times.append(times)

    def close(self) -> None:
        for part in self.splits.values():
            for array in (part.tokens, part.distinct, part.times):
                if array.path is not None:
                    array.path.unlink(missing_ok=True)
