"""Lines of a word and E numbers to arrays: each number exactly as `float` reads it, all of them at once.

Eight digits are one 64-bit word, and three multiplications turn it into a whole number. A number is then
m * 10^p with a whole m below 2^53 and p between -22 and 22: both sides are exact doubles, so the product or
quotient is the nearest double, as `float` gives it (W. Clinger, "How to read floating point numbers
accurately", 1990). What has more digits, or is no number at all, goes through `number`, one by one. The
arithmetic on words is that of D. Lemire, "Number parsing at a gigabyte per second", 2021.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.dataset import BoolArray, FloatArray, IntArray

_Words: TypeAlias = NDArray[np.uint64]

_SPACE, _END, _POINT, _MINUS, _PLUS, _E, _ZERO = b" \n.-+e0"
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_EIGHT = 8
"""Digits that a 64-bit word holds."""
_EXACT = float(2**53)
"""Whole numbers below this are exact doubles."""
_LARGEST_POWER = 22
"""Powers of ten up to this are exact doubles."""
_TENS = 10.0 ** np.arange(_LARGEST_POWER + 1)
#: Of a word's bytes, the last k as they stand in memory.
_LAST = np.array([(1 << 64) - (1 << 8 * (_EIGHT - k)) for k in range(_EIGHT + 1)], dtype=np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_TO_HIGH = np.uint64(0x7676767676767676)
"""Added to a byte of 0 to 9 it leaves the high bit clear; to any other it sets it."""
_HIGH = np.uint64(0x8080808080808080)
#: Multiplier, shift and mask that join neighbours: digits to pairs, pairs to fours, fours to eight.
_JOIN = (
    (np.uint64(10 * (1 << 8) + 1), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100 * (1 << 16) + 1), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10_000 * (1 << 32) + 1), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)


@dataclass(frozen=True, eq=False)
class WordRows:
    """n lines of a word and E numbers."""

    words: list[bytes]
    numbers: FloatArray
    """float64 (n, E); NaN where no number stands."""


def number(field: bytes) -> float:
    """The number as `float` reads it; NaN for what is no decimal number, as `1_0` and `nan`."""
    return float(field) if _NUMBER.fullmatch(field) else float("nan")


def word_rows(block: bytes, dimension: int) -> WordRows | None:
    """The rows of whole lines `word number ... number`; None when a line has more or fewer than E spaces.

    What stands between the spaces is not judged: an empty word, or NaN for an empty number, is the caller's
    to refuse.
    """
    raw = np.frombuffer(block, dtype=np.uint8)
    marks = raw == _SPACE
    marks |= raw == _END
    marks |= raw == _POINT
    places = np.flatnonzero(marks)
    gaps = np.flatnonzero(raw[places] != _POINT)
    n = block.count(b"\n")
    if len(gaps) != n * (dimension + 1):
        return None
    after = gaps.reshape(n, dimension + 1)
    ends = places[after]
    if not (raw[ends[:, -1]] == _END).all():
        return None
    starts = [0, *(ends[:-1, -1] + 1).tolist()]
    words = [block[start:end] for start, end in zip(starts, ends[:, 0].tolist(), strict=False)]
    fields = _Fields(
        ends[:, :-1].ravel() + 1,
        ends[:, 1:].ravel(),
        (after[:, 1:] - after[:, :-1]).ravel() - 1,
        places[after[:, 1:].ravel() - 1],
    )
    return WordRows(words, _numbers(block, fields).reshape(n, dimension))


def finite_rows(numbers: FloatArray) -> tuple[FloatArray, BoolArray]:
    """float32 (n, E), and (n,) whether nothing in a row is NaN, infinite or beyond float32."""
    with np.errstate(over="ignore"):
        rows: FloatArray = numbers.astype(np.float32)
    return rows, np.asarray(np.isfinite(rows).all(axis=1))


@dataclass(frozen=True, eq=False)
class _Fields:
    """m fields of a text."""

    first: IntArray
    last: IntArray
    """Behind the last byte."""
    points: IntArray
    """How many points are in it."""
    point: IntArray
    """Where the last of them is."""

    def at(self, chosen: IntArray) -> _Fields:
        return _Fields(self.first[chosen], self.last[chosen], self.points[chosen], self.point[chosen])


class _Text:
    """A text as bytes, and as words of eight bytes."""

    def __init__(self, text: bytes) -> None:
        self.raw = np.frombuffer(text, dtype=np.uint8)
        # zeros in front, so that there are eight bytes before any place
        padded = bytes(2 * _EIGHT) + text
        self.before, self.earlier = (
            np.ndarray((len(text) + 1,), dtype="<u8", buffer=padded, strides=(1,), offset=offset)
            for offset in (_EIGHT, 0)
        )
        """The eight bytes that end at a place, and the eight before them."""


def _numbers(block: bytes, fields: _Fields) -> FloatArray:
    """float64 (m,): first those that are digits and a point, then those with an exponent, then the rest."""
    text = _Text(block)
    values, decimals, odd = _digits(text, fields, fields.last)
    values /= _TENS[decimals]
    left = np.flatnonzero(odd)
    if len(left):
        values[left] = _with_exponent(text, fields.at(left))
        left = left[np.isnan(values[left])]
    for at in left.tolist():
        values[at] = number(block[fields.first[at] : fields.last[at]])
    return values


def _digits(text: _Text, fields: _Fields, last: IntArray) -> tuple[FloatArray, IntArray, BoolArray]:
    """Digits up to `last` as a signed whole number, how many are behind the point, and where that failed."""
    # a second point is no digit, and so found below
    pointed = fields.points == 1
    whole_end = np.where(pointed, fields.point, last)
    minus = text.raw[fields.first] == _MINUS
    n_rest = last - whole_end
    n_rest -= pointed
    odd: BoolArray = (n_rest < 0) | (n_rest > 2 * _EIGHT)
    if odd.any():
        n_rest = np.where(odd, 0, n_rest)
    values = _before_the_point(text, whole_end, whole_end - fields.first - minus, n_rest, odd)
    rest, flags = _eight(text.before, last, np.minimum(n_rest, _EIGHT))
    long = np.flatnonzero(n_rest > _EIGHT)
    if len(long):
        more, more_flags = _eight(text.earlier, last[long], n_rest[long] - _EIGHT)
        rest[long] += more * 10.0**_EIGHT
        flags[long] |= more_flags
    if np.bitwise_or.reduce(flags) & _HIGH:
        odd |= (flags & _HIGH) != 0
    values *= _TENS[n_rest]
    values += rest
    odd |= values >= _EXACT
    np.negative(values, out=values, where=minus)
    return values, n_rest, odd


def _before_the_point(
    text: _Text, ends: IntArray, lengths: IntArray, n_rest: IntArray, odd: BoolArray
) -> FloatArray:
    """float64 (m,): the digits before `ends`; marks in `odd` where one is none, or there are none at all."""
    digit = text.raw[ends - 1] ^ _ZERO
    values: FloatArray = digit.astype(np.float64)
    # nearly all have just one; the others are read again
    single = lengths == 1
    odd |= single & (digit > 9)
    others = np.flatnonzero(~single)
    if len(others):
        here = lengths[others]
        values[others], flags = _eight(text.before, ends[others], np.clip(here, 0, _EIGHT))
        odd[others] |= (here < 0) | (here > _EIGHT) | (here + n_rest[others] < 1) | ((flags & _HIGH) != 0)
    return values


def _with_exponent(text: _Text, fields: _Fields) -> FloatArray:
    """float64 (m,) of fields that end in e5, e-5, e-05 or the like; NaN for others."""
    width = np.zeros(len(fields.first), dtype=np.int64)
    for letters in (2, 3, 4):
        here = (text.raw[fields.last - letters] | 32) == _E
        width[here & (fields.last - letters > fields.first)] = letters
    behind = text.raw[fields.last - np.maximum(width, 1) + 1]
    signed = (behind == _MINUS) | (behind == _PLUS)
    n_digits = width - 1 - signed
    exponent, flags = _eight(text.before, fields.last, np.clip(n_digits, 0, _EIGHT))
    values, decimals, odd = _digits(text, fields, fields.last - width)
    power = np.where(behind == _MINUS, -exponent, exponent) - decimals
    odd |= (n_digits < 1) | ((flags & _HIGH) != 0) | (np.abs(power) > _LARGEST_POWER)
    power = np.clip(power, -_LARGEST_POWER, _LARGEST_POWER).astype(np.int64)
    values *= _TENS[np.maximum(power, 0)]
    values /= _TENS[np.maximum(-power, 0)]
    values[odd] = np.nan
    return values


def _eight(before: _Words, ends: IntArray, lengths: IntArray) -> tuple[FloatArray, _Words]:
    """float64 (m,): the 0 to 8 digits before `ends`; and flags with a high bit where a byte is no digit."""
    words: Any = before[ends]
    words ^= _ZEROS
    words &= _LAST[lengths]
    flags = words + _TO_HIGH
    flags |= words
    for factor, shift, mask in _JOIN:
        words *= factor
        words >>= shift
        words &= mask
    # signed, since only such numbers have an instruction that makes them doubles
    return words.view(np.int64).astype(np.float64), flags
