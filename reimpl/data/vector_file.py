"""Files of word vectors in any form that is passed around, told apart by their content.

Text (GloVe, word2vec, fastText), word2vec's binary form, and arrays with the words beside them; plain, packed
(.gz, .xz, .bz2) or in a .zip. Of a .zip with several files one is named as `FILE.zip/MEMBER`, or told by the
dimension: GloVe's hold `glove.6B.50d.txt` to `glove.6B.300d.txt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from reimpl.data.dataset import BoolArray, FloatArray
from reimpl.data.formats.inputs import PACKED, File, head
from reimpl.data.formats.tree import Tree, tree
from reimpl.data.vector_array import array_chunks, words_beside
from reimpl.data.vector_binary import binary_chunks, header_of
from reimpl.data.vector_reading import Chunk, Tally, check
from reimpl.data.vector_text import text_chunks, trailing_numbers
from reimpl.errors import DataError

#: First bytes of what is no file of word vectors, and what to do with it.
_OTHERS: Mapping[bytes, str] = {
    b"\x1f\x8b": "gzip data; end its name in .gz",
    b"PK\x03\x04": "a .zip; end its name in .zip",
    b"BZh": "bzip2 data; end its name in .bz2",
    b"\xfd7zXZ": "xz data; end its name in .xz",
    b"\x80\x02": "a pickle, which may run code when read; save the vectors as text",
    b"\x80\x03": "a pickle, which may run code when read; save the vectors as text",
    b"\x80\x04": "a pickle, which may run code when read; save the vectors as text",
    b"\xba\x16\x4f\x2f": "a fastText model, not its vectors; give the .vec file",
    b"\xff\xfe": "UTF-16 text; convert it to UTF-8",
    b"\xfe\xff": "UTF-16 text; convert it to UTF-8",
    b"\x93NUMPY": "an array of numpy; end its name in .npy",
}
#: Bytes that no text holds and binary numbers do.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r"))


@dataclass(frozen=True)
class Located:
    """A file of vectors and, for an array, the file of its words."""

    file: File
    words: File | None = None

    @property
    def on_disk(self) -> tuple[Path, ...]:
        """The files whose bytes decide what is read."""
        return tuple(dict.fromkeys(it.path for it in (self.file, self.words) if it))


@dataclass(frozen=True, eq=False)
class ReadVectors:
    """The vectors of V wanted words and what was met on the way."""

    rows: FloatArray
    """float32 (V, E), zero where a word was not found."""
    found: BoolArray
    """(V,)"""
    tally: Tally
    """Of the whole file; its `duplicates` are of wanted words alone, unless the file was converted."""


def is_vector_file(path: Path) -> bool:
    """Whether a file is there, on disk or in a .zip."""
    return path.is_file() or _archive(path) is not None


def locate(path: Path, dimension: int | None = None) -> Located:
    """The file at a path, or in the .zip there; raises `DataError` when it is not there or one of several."""
    archive = _archive(path)
    if archive is None:
        file = File(path)
        if not path.is_file():
            raise DataError(f"{path}: cannot be opened (no such file); check the path")
        find: Callable[[str], File | None] = partial(_beside, path.parent)
    else:
        found = tree(archive)
        file, find = _member(path, found, path.relative_to(archive).as_posix(), dimension), found.find
    return Located(file, words_beside(file, find) if _is_array(file) else None)


def _archive(path: Path) -> Path | None:
    return next((it for it in (path, *path.parents) if it.suffix.lower() == ".zip" and it.is_file()), None)


def _beside(folder: Path, name: str) -> File | None:
    paths = [folder / f"{name}{packing}" for packing in ("", *PACKED)]
    return next((File(path) for path in paths if path.is_file()), None)


def _is_array(file: File) -> bool:
    return file.stem.lower().endswith(".npy")


def _member(path: Path, archive: Tree, inside: str, dimension: int | None) -> File:
    """The member of that name; without a name the only one, or the one for the dimension."""
    files = {file.member: file for found in archive.files.values() for file in found}
    if inside != ".":
        named = [file for name, file in files.items() if inside in (name, file.name, file.stem)]
        if len(named) == 1:
            return named[0]
    # words beside an array are no vectors themselves
    arrays = [file for file in files.values() if _is_array(file) and "vocab" not in file.name]
    choice = arrays or list(files.values())
    if inside == "." and len(choice) > 1 and dimension is not None:
        choice = [file for file in choice if f".{dimension}d." in file.name] or choice
    if inside == "." and len(choice) == 1:
        return choice[0]
    what = f"no {inside!r} in it, but" if inside != "." else "it holds"
    names = ", ".join(sorted(file.name for file in choice)[:8])
    raise DataError(f"{path}: {what} {names}; name one of them, as {archive.path}/{choice[0].name}")


def chunks(located: Located, tally: Tally, *, dimension: int | None = None) -> Iterator[Chunk]:
    """All vectors in the order of the file, in any form. Fills `tally`, which is whole after the last chunk.

    Raises `DataError`, with file and line where there are lines, for what is no sound file of word vectors,
    has another dimension than stated, or has more bad lines than `vector_reading.tolerated`.
    """
    file = located.file
    if located.words is not None:
        yield from array_chunks(file, located.words, tally, dimension=dimension)
    elif is_binary(file):
        yield from binary_chunks(file, tally, dimension=dimension)
    else:
        yield from text_chunks(file, tally, dimension=dimension)
    check(file, tally)


def is_binary(file: File) -> bool:
    """Whether it is word2vec's binary form; raises `DataError` for what is no file of word vectors at all."""
    start = head(file)
    for magic, what in _OTHERS.items():
        if start.startswith(magic):
            raise DataError(f"{file}: {what}")
    header = header_of(start)
    if header is None:
        return file.stem.lower().endswith(".bin")
    rest = start[header.end() :]
    if rest.translate(None, _CONTROL) != rest:
        return True
    first_line = rest.partition(b"\n")[0]
    return file.stem.lower().endswith(".bin") and trailing_numbers(first_line) != int(header[2])


def read_vectors(path: Path, words: Sequence[str], *, dimension: int | None = None) -> ReadVectors:
    """Vectors of `words`, in their order, from reading the whole file; `vector_cache` reads it only once.

    Raises `DataError` as `chunks`, and when the file has not one of the words.
    """
    located, tally = locate(path, dimension), Tally()
    wanted = {encoded(word): row for row, word in enumerate(words)}
    rows, found = np.zeros((len(words), 0), dtype=np.float32), np.zeros(len(words), dtype=np.bool_)
    for chunk in chunks(located, tally, dimension=dimension):
        if not rows.shape[1]:
            rows = np.zeros((len(words), tally.dimension), dtype=np.float32)
        for at, word in enumerate(chunk.words):
            row = wanted.get(word)
            if row is None:
                continue
            tally.duplicates += bool(found[row])
            if not found[row]:
                rows[row], found[row] = chunk.rows[at], True
    return checked(located.file, ReadVectors(rows, found, tally))


def encoded(word: str) -> bytes:
    """A word as files have it; what is no sound text (half a surrogate pair) matches nothing."""
    return word.encode("utf-8", "surrogatepass")


def checked(file: File, read: ReadVectors) -> ReadVectors:
    """Raises `DataError` when not one of the words was found."""
    if len(read.found) and not read.found.any():
        raise DataError(
            f"{file}: none of the {len(read.found)} words of the corpus has a vector; is it the right file?"
        )
    return read
