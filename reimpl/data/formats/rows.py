"""Lines `label,label feature:value feature:value` to arrays, a block of lines at a time.

No Python step is taken per line or number: bytes are classed by a table, and where a number stands (before a
comma, after a colon, ...) says what it is. Only a block that breaks a rule is looked at line by line, to name
the line. scikit-learn's reader was no choice: it guesses the base, has no header, lets `1:2 1:3` pass and
reads labels in a Python loop.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.dataset import BoolArray, FloatArray, IntArray
from reimpl.data.formats.inputs import File
from reimpl.data.formats.row_errors import LARGEST, LARGEST_VALUE, complaint
from reimpl.errors import DataError

Bytes: TypeAlias = NDArray[np.uint8]

_BAD, _DIGIT, _MARK, _COMMA, _COLON, _SPACE, _END = range(7)


#: Digits that a float64 always holds.
_EXACT_DIGITS = 15


def _table() -> Bytes:
    table = np.full(256, _BAD, dtype=np.uint8)
    for kind, marks in ((_DIGIT, b"0123456789"), (_MARK, b".+-eE"), (_COMMA, b","), (_COLON, b":")):
        table[list(marks)] = kind
    table[list(b" \t")] = _SPACE
    table[ord("\n")] = _END
    return table


_KINDS = _table()


@dataclass(frozen=True, eq=False)
class Rows:
    """N lines: ids as they are written there, rising within a line, a label once a line."""

    indices: IntArray
    """int32 (n,)"""
    values: FloatArray
    """float32 (n,)"""
    lengths: IntArray
    """int64 (N,): features of each line."""
    labels: IntArray
    """int32 (n_positives,)"""
    label_lengths: IntArray
    """int64 (N,)"""
    repeated: int = 0
    """Labels that were left out because they stood in their line before."""

    @property
    def size(self) -> int:
        """N"""
        return len(self.lengths)

    def first(self, size: int) -> Rows:
        """The first lines only."""
        n, n_labels = int(self.lengths[:size].sum()), int(self.label_lengths[:size].sum())
        return Rows(
            self.indices[:n], self.values[:n], self.lengths[:size],
            self.labels[:n_labels], self.label_lengths[:size], self.repeated,
        )  # fmt: skip


_ARRAYS = {
    "indices": np.int32,
    "values": np.float32,
    "lengths": np.int64,
    "labels": np.int32,
    "label_lengths": np.int64,
}


def read_rows(file: File, lines: Iterable[tuple[int, bytes]]) -> Rows:
    """All lines of the blocks; raises `DataError` with file and line for the first that breaks the form.

    Also for a feature that stands twice in a line, a value that is not finite, and an id beyond 2^31 - 1.
    """
    # the empty array first, so that a file without lines has arrays of the right kinds too
    parts: dict[str, list[Any]] = {name: [np.empty(0, kind)] for name, kind in _ARRAYS.items()}
    repeated = 0
    for first, block in lines:
        rows = _parse(file, first, block)
        repeated += rows.repeated
        for name, kind in _ARRAYS.items():
            parts[name].append(getattr(rows, name).astype(kind, copy=False))
    # popped, so that one array at most is there twice
    return Rows(**{name: np.concatenate(parts.pop(name)) for name in _ARRAYS}, repeated=repeated)


def _parse(file: File, first: int, block: bytes) -> Rows:
    text = (block if block.endswith(b"\n") else block + b"\n").replace(b"\r\n", b"\n")
    rows = _fast(text)
    rows = _ordered(rows) if rows is not None else None
    if rows is None:
        raise DataError(complaint(file, first, text))
    return rows


def _ordered(rows: Rows) -> Rows | None:
    """Ids sorted within each line, repeated labels left out; None when a feature stands twice in a line."""
    features, values = _keys(rows.lengths, rows.indices), rows.values
    if not (np.diff(features) > 0).all():
        order = np.argsort(features)
        features, values = features[order], values[order]
        if (np.diff(features) == 0).any():
            return None
    labels = _keys(rows.label_lengths, rows.labels)
    if not (np.diff(labels) > 0).all():
        labels = np.unique(labels)
    label_lengths = np.bincount(labels >> 31, minlength=rows.size)
    repeated = len(rows.labels) - len(labels)
    return Rows(features & LARGEST, values, rows.lengths, labels & LARGEST, label_lengths, repeated)


def _keys(lengths: IntArray, ids: IntArray) -> IntArray:
    """int64 (n,): row and id (31 bits) as one number, so that sorting them sorts the ids within rows."""
    return np.repeat(np.arange(len(lengths), dtype=np.int64) << 31, lengths) + ids


def _fast(text: bytes) -> Rows | None:
    """The rows of a block that ends in a line feed; None when something in it breaks the form."""
    raw = np.frombuffer(text, dtype=np.uint8)
    kinds = _KINDS[raw]
    is_token = (kinds == _DIGIT) | (kinds == _MARK)
    edges = np.diff(is_token, prepend=False)
    starts, ends = np.flatnonzero(edges)[::2], np.flatnonzero(edges)[1::2]
    before = np.where(starts > 0, kinds[starts - 1], _END)
    after = kinds[ends]
    is_value, is_feature = before == _COLON, after == _COLON
    is_label = ~(is_value | is_feature)
    if (kinds == _BAD).any() or not _well_formed(kinds, before, after, is_value, is_feature, is_label):
        return None
    ids = _whole(raw, starts[~is_value], ends[~is_value])
    values = _decimal(raw, starts[is_value], ends[is_value])
    if ids is None or values is None or ids.max(initial=0) > LARGEST:
        return None
    n_lines = int((kinds == _END).sum())
    lines = np.searchsorted(np.flatnonzero(kinds == _END), starts)
    among_ids = is_label[~is_value]
    return Rows(
        ids[~among_ids],
        values,
        np.bincount(lines[is_feature], minlength=n_lines),
        ids[among_ids],
        np.bincount(lines[is_label], minlength=n_lines),
    )


def _well_formed(
    kinds: Bytes, before: Bytes, after: Bytes, is_value: BoolArray, is_feature: BoolArray, is_label: BoolArray
) -> bool:
    """Whether every comma and colon joins two numbers, and labels, ids and values stand where they may."""
    n_colons, n_commas = (kinds == _COLON).sum(), (kinds == _COMMA).sum()
    return bool(
        n_colons == is_value.sum() == is_feature.sum()
        and n_commas == (after == _COMMA).sum() == (before == _COMMA).sum()
        # so no id is a value as well
        and np.isin(before[is_feature], (_SPACE, _END)).all()
        and np.isin(after[is_value], (_SPACE, _END)).all()
        # labels open the line, each after the line's start or a comma
        and np.isin(before[is_label], (_END, _COMMA)).all()
    )


def _whole(raw: Bytes, starts: IntArray, ends: IntArray) -> IntArray | None:
    """int64 numbers written with digits alone (none at all is 0); None when one is not, or is too long."""
    lengths = ends - starts
    numbers = np.zeros(len(starts), dtype=np.int64)
    if not len(starts):
        return numbers
    shortest, longest = int(lengths.min()), int(lengths.max())
    if longest > 18:
        return None
    for place in range(longest):
        # a byte that is no digit wraps around to more than 9
        if place < shortest:
            digits = raw[ends - (1 + place)] - 48
            numbers += digits * np.int64(10**place)
        else:
            here = np.flatnonzero(lengths > place)
            digits = raw[ends[here] - (1 + place)] - 48
            numbers[here] += digits * np.int64(10**place)
        if (digits > 9).any():
            return None
    return numbers


def _decimal(raw: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """float32 values; None when one is no number."""
    numbers = _fixed_point(raw, starts, ends)
    if numbers is None:
        numbers = _any_number(raw, starts, ends)
    if numbers is None or not (np.abs(numbers) <= LARGEST_VALUE).all():
        return None
    return numbers.astype(np.float32)


def _fixed_point(raw: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """float64 values written with digits and at most one point; None when one is not.

    The digits as a whole number below 2^53, over a power of ten up to 10^22: both are exact, so the quotient
    is the nearest double, as `float` gives it.
    """
    points = np.flatnonzero(raw == ord("."))
    owner = np.searchsorted(starts, points, side="right") - 1
    # a point outside of the values, two in one, or one that is all there is
    if len(points) and (owner[0] < 0 or (np.diff(owner) == 0).any() or (points >= ends[owner]).any()):
        return None
    dots = ends.copy()
    dots[owner] = points
    decimals = np.maximum(ends - dots - 1, 0)
    digits = ends - starts - (dots < ends)
    if len(starts) and not (digits.min() >= 1 and digits.max() <= _EXACT_DIGITS):
        return None
    before, behind = _whole(raw, starts, dots), _whole(raw, ends - decimals, ends)
    if before is None or behind is None:
        return None
    numbers: FloatArray = (before * 10**decimals + behind) / 10.0**decimals
    return numbers


def _any_number(raw: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """float64 values in any form that C reads; None when one is no number."""
    # all but the values becomes spaces; then numpy reads them in C, and says when it meets no number
    step = np.zeros(len(raw) + 1, dtype=np.int8)
    step[starts] += 1
    step[ends] -= 1
    inside = np.cumsum(step[:-1], dtype=np.int8).astype(np.bool_)
    alone = np.where(inside, raw, np.uint8(32)).tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # numpy below 2.3 only warns
        try:
            numbers = np.fromstring(alone, dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return numbers if len(numbers) == len(starts) else None
