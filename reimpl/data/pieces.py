"""Codes of the pieces of many texts at once: a table that numpy looks up, and a dict for what is not there.

A piece of up to 16 bytes is two 64-bit words, taken straight out of the text. They are compared with the two
in their slot of a table, so nearly every piece costs some vector operations instead of a bytes object, its
hash and a look-up in a dict: a third of the time. The table keeps whichever piece came to a slot first, which
mostly is a frequent one; everything else, and every new piece, goes through the dict. The comparison is of
whole pieces, so nothing rests on a hash being unique.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Codes of pieces that are no word: dropped, and from here down several words.
DROPPED, SEVERAL = -1, -2

_BITS = 19
_LONGEST = 16
_BLANK, _END = 32, 0
#: Odd numbers with bits all over, to spread slots (the golden ratio's, and one of xxHash).
_MIX, _MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
#: Keeps the first so many bytes of a word that was read little-endian.
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)

Ints = NDArray[np.integer[Any]]
Words = NDArray[np.uint64]


class Pieces(dict[bytes, int]):
    """Gives each distinct piece its code: the number of its word, or one of those above."""

    def __init__(self, words_of: Callable[[bytes], Sequence[str]], numbers: dict[str, int]) -> None:
        """`numbers` gives a number for every word, the next one for a new word."""
        super().__init__()
        self._words_of, self._numbers = words_of, numbers
        self._several: list[list[int]] = []
        self._table = np.zeros((2, 1 << _BITS), dtype=np.uint64)
        self._codes = np.zeros(1 << _BITS, dtype=np.int32)

    def __missing__(self, piece: bytes) -> int:
        words = self._words_of(piece)
        if len(words) == 1:
            code = self._numbers[words[0]]
        elif not words:
            code = DROPPED
        else:
            code = SEVERAL - len(self._several)
            self._several.append([self._numbers[word] for word in words])
        self[piece] = code
        return code

    def numbered(self, flat: bytes) -> tuple[Ints, Ints]:
        """Numbers of all words int32, and int64 (N,) how many of them stand before each end of a text.

        `flat` is what `Tokeniser.flat` gives: pieces parted by spaces, NUL behind each text.
        """
        signs = np.frombuffer(flat, dtype=np.uint8)
        inside = (signs != _BLANK) & (signs != _END)
        edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
        starts, stops = edges[::2], edges[1::2]
        ends = np.searchsorted(starts, np.flatnonzero(signs == _END))
        return self._expanded(self._looked_up(flat, starts, stops), ends)

    def _looked_up(self, flat: bytes, starts: Ints, stops: Ints) -> Ints:
        lengths = stops - starts
        first, second = _two_words(flat, starts, lengths)
        mixed = first * _MIX ^ second * _MIX_TOO
        slots = ((mixed ^ mixed >> np.uint64(29)) * _MIX >> np.uint64(64 - _BITS)).astype(np.int64)
        codes: Ints = self._codes[slots]
        known = (self._table[0][slots] == first) & (self._table[1][slots] == second) & (lengths <= _LONGEST)
        rest = np.flatnonzero(~known)
        if len(rest):
            spans = zip(starts[rest].tolist(), stops[rest].tolist(), strict=True)
            pieces = [flat[start:stop] for start, stop in spans]
            codes[rest] = np.fromiter(map(self.__getitem__, pieces), np.int32, len(rest))
            self._keep(rest[lengths[rest] <= _LONGEST], slots, first, second, codes)
        return codes

    def _keep(self, new: Ints, slots: Ints, first: Words, second: Words, codes: Ints) -> None:
        """In slots that are free; of several pieces for one slot the first."""
        new = new[self._table[0][slots[new]] == 0]
        _, earliest = np.unique(slots[new], return_index=True)
        new = new[earliest]
        at = slots[new]
        self._table[0][at], self._table[1][at], self._codes[at] = first[new], second[new], codes[new]

    def _expanded(self, codes: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Without what is dropped, and with all words of what holds several."""
        counts = (codes != DROPPED).astype(np.int64)
        several = np.flatnonzero(codes <= SEVERAL)
        found = [self._several[SEVERAL - code] for code in codes[several].tolist()]
        counts[several] = [len(numbers) for numbers in found]
        before = np.append(0, np.cumsum(counts))
        if not len(several):
            return codes[codes != DROPPED], before[ends]
        expanded = np.repeat(codes, counts)
        expanded[expanded <= SEVERAL] = [number for numbers in found for number in numbers]
        return expanded, before[ends]


def _two_words(flat: bytes, starts: Ints, lengths: Ints) -> tuple[Words, Words]:
    """The first and the second eight bytes of each piece, with zeros behind its end."""
    padded = flat + bytes(_LONGEST)
    # one word at every byte, without a copy
    words = np.ndarray((len(padded) - 7,), dtype="<u8", buffer=padded, strides=(1,))
    first = words[starts] & _FIRST_BYTES[np.minimum(lengths, 8)]
    second = words[starts + 8] & _FIRST_BYTES[np.clip(lengths - 8, 0, 8)]
    return first, second
