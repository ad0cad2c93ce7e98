"""Word vectors as an array with the words beside it: NAME.npy, and a word a line in NAME.txt or the like.

`emb_init.npy` with `vocab.npy` (an array of text), as AttentionXML prepares them, is read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reimpl.data.formats.inputs import File, text_lines
from reimpl.data.formats.npy import read_npy
from reimpl.data.vector_binary import keep_finite
from reimpl.data.vector_reading import MOST_NUMBERS, Chunk, Tally
from reimpl.data.vector_text import trailing_numbers
from reimpl.errors import DataError

#: Where the words of NAME.npy are, first found first. A file of lines may be packed.
WORD_FILES = ("{stem}.txt", "{stem}.vocab", "{stem}.words", "{stem}.vocab.npy", "vocab.npy", "vocab.txt")
_NUMBERS = 1 << 18
"""Numbers of a chunk, about."""


def words_beside(array: File, find: Callable[[str], File | None]) -> File:
    """The file with the words; `find` gives the file of a name in the same folder, packed or not.

    Raises `DataError` that says which names are looked for.
    """
    stem = array.stem.removesuffix(".npy")
    names = [name.format(stem=stem) for name in WORD_FILES]
    found = next((file for name in names if (file := find(name))), None)
    if found is None:
        raise DataError(
            f"{array}: no words beside it; put a word a line, row by row, into {', '.join(names[:3])}"
        )
    return found


def array_chunks(array: File, words: File, tally: Tally, *, dimension: int | None = None) -> Iterator[Chunk]:
    """The vectors row by row; those that are not finite are left out and counted.

    Numbers may be float16, float32 or float64. Raises `DataError` for an array that is damaged or of another
    kind, for another dimension than stated, and where words and rows are not equally many.
    """
    matrix = read_npy(array, "f", 2)
    tally.form, tally.unit, tally.stored = f"array with words in {words.name}", "row", matrix.dtype.name
    tally.dimension = matrix.shape[1]
    if dimension is not None and dimension != tally.dimension:
        raise DataError(
            f"{array}: vectors of {tally.dimension} dimensions, but {dimension} stated; correct the dimension"
        )
    if not 0 < tally.dimension <= MOST_NUMBERS:
        raise DataError(f"{array}: an array of shape {matrix.shape}; give a row of numbers for each word")
    names = _words(words, tally.dimension)
    step = max(1, _NUMBERS // tally.dimension)
    for start in range(0, len(matrix), step):
        rows = _float32(matrix[start : start + step])
        here = list(islice(names, len(rows)))
        if len(here) < len(rows):
            raise _unequal(array, len(matrix), words, start + len(here))
        yield keep_finite(here, rows, tally)
    left = sum(1 for _ in names)
    if left:
        raise _unequal(array, len(matrix), words, len(matrix) + left)


def _float32(rows: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite, and is counted as bad
        return np.ascontiguousarray(rows, dtype=np.float32)


def _words(file: File, dimension: int) -> Iterator[bytes]:
    if file.stem.endswith(".npy"):
        yield from (str(word).encode("utf-8", "surrogatepass") for word in read_npy(file, "U", 1))
        return
    for number, line in text_lines(file):
        word = line.encode()
        if number == 1 and trailing_numbers(word) == dimension:
            raise DataError(
                f"{file}:1: a word with its {dimension} numbers; give this file instead of the array"
            )
        yield word


def _unequal(array: File, n_rows: int, words: File, n_words: int) -> DataError:
    return DataError(
        f"{array}: {n_rows} rows, but {n_words} words in {words.name}; they do not belong together"
    )
