"""Lines `label,label feature:value feature:value` to arrays, a block of lines at a time.

No Python step is taken per line or number: bytes are classed by a table, and where a number stands (before a
comma, after a colon, ...) says what it is. Only a block that breaks a rule is looked at line by line, to name
the line. scikit-learn's reader was no choice: it guesses the base, has no header, lets `1:2 1:3` pass and
reads labels in a Python loop.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reimpl.data.dataset import BoolArray, FloatArray, IntArray
from reimpl.data.formats.inputs import File, shown
from reimpl.errors import DataError

Bytes: TypeAlias = NDArray[np.uint8]

_BAD, _DIGIT, _MARK, _COMMA, _COLON, _SPACE, _END = range(7)
_LARGEST = int(np.iinfo(np.int32).max)
_LARGEST_VALUE = float(np.finfo(np.float32).max)


def _table() -> Bytes:
    table = np.full(256, _BAD, dtype=np.uint8)
    for kind, marks in ((_DIGIT, b"0123456789"), (_MARK, b".+-eE"), (_COMMA, b","), (_COLON, b":")):
        table[list(marks)] = kind
    table[list(b" \t")] = _SPACE
    table[ord("\n")] = _END
    return table


_KINDS = _table()

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FEATURES = rb"\d+:%s(?:[ \t]+\d+:%s)*" % (_NUMBER, _NUMBER)
LINE = re.compile(rb"(?:\d+(?:,\d+)*)?(?:[ \t]+|(?:^|[ \t]+)%s[ \t]*)?" % _FEATURES)


@dataclass(frozen=True, eq=False)
class Rows:
    """N lines as they stand there: ids as written, labels and features in the order of the file."""

    indices: IntArray
    """int64 (n,)"""
    values: FloatArray
    """float32 (n,)"""
    lengths: IntArray
    """int64 (N,): features of each line."""
    labels: IntArray
    """int64 (n_positives,)"""
    label_lengths: IntArray
    """int64 (N,)"""

    @property
    def size(self) -> int:
        """N"""
        return len(self.lengths)

    def first(self, size: int) -> Rows:
        """The first lines only."""
        n, n_labels = int(self.lengths[:size].sum()), int(self.label_lengths[:size].sum())
        return Rows(
            self.indices[:n], self.values[:n], self.lengths[:size],
            self.labels[:n_labels], self.label_lengths[:size],
        )  # fmt: skip


_NONE = Rows(np.empty(0, np.int64), np.empty(0, np.float32), *(np.empty(0, np.int64) for _ in range(3)))


def read_rows(file: File, lines: Iterable[tuple[int, bytes]]) -> Rows:
    """All lines of the blocks; raises `DataError` with file and line for the first that breaks the form.

    Also for a feature that stands twice in a line, a value that is not finite, and an id beyond 2^31 - 1.
    """
    # the empty block first, so that a file without lines has arrays of the right kinds too
    parts = [_NONE, *(_parse(file, first, block) for first, block in lines)]
    names = ("indices", "values", "lengths", "labels", "label_lengths")
    arrays: Any = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
    return Rows(*arrays)


def _parse(file: File, first: int, block: bytes) -> Rows:
    text = (block if block.endswith(b"\n") else block + b"\n").replace(b"\r\n", b"\n")
    rows = _fast(text)
    if rows is None or _has_twins(rows) or not np.isfinite(rows.values).all():
        raise DataError(_complaint(file, first, text))
    return rows


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
    ids = _whole(raw, kinds, starts[~is_value], ends[~is_value])
    values = _decimal(text, raw, kinds, starts[is_value], ends[is_value])
    if ids is None or values is None:
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
        and not (is_value & is_feature).any()
        and np.isin(before[is_feature], (_SPACE, _END)).all()
        and np.isin(after[is_value], (_SPACE, _END)).all()
        # labels open the line, each after the line's start or a comma
        and np.isin(before[is_label], (_END, _COMMA)).all()
    )


def _whole(raw: Bytes, kinds: Bytes, starts: IntArray, ends: IntArray) -> IntArray | None:
    """int64 numbers written with digits alone; None when one is not, or is larger than an int32."""
    lengths = ends - starts
    if not len(starts):
        return np.empty(0, dtype=np.int64)
    marks = np.concatenate(([0], np.cumsum(kinds == _MARK, dtype=np.int64)))
    longest = int(lengths.max())
    if (marks[ends] != marks[starts]).any() or longest > 18:
        return None
    numbers = np.zeros(len(starts), dtype=np.int64)
    for place in range(longest):
        here = lengths > place
        numbers[here] += (raw[ends[here] - 1 - place].astype(np.int64) - 48) * 10**place
    return numbers if numbers.max() <= _LARGEST else None


def _decimal(text: bytes, raw: Bytes, kinds: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """float32 values; None when one is no number."""
    whole = _whole(raw, kinds, starts, ends)
    if whole is not None:
        return whole.astype(np.float32)
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
    if len(numbers) != len(starts) or not (np.abs(numbers) <= _LARGEST_VALUE).all():
        return None
    return numbers.astype(np.float32)


def _has_twins(rows: Rows) -> bool:
    key = keys(rows.lengths, rows.indices)
    if (np.diff(key) > 0).all():
        return False
    key.sort()
    return bool((np.diff(key) == 0).any())


def _complaint(file: File, first: int, text: bytes) -> str:
    """What is wrong with the first bad line of a block, and what to do."""
    for number, line in enumerate(text[:-1].split(b"\n"), start=first):
        reason = complaint_of(line)
        if reason:
            return f"{file}:{number}: {reason}"
    return f"{file}:{first}: this line or one after it is not `labels feature:value ...`; correct the file"


def complaint_of(line: bytes) -> str | None:
    """Why a line is no row of the format, or None."""
    if not LINE.fullmatch(line):
        return _where_it_breaks(line)
    written = re.findall(rb"(\d+):", line)
    labels = [it for it in re.split(rb"[ \t]", line)[0].split(b",") if it.isdigit()]
    for number in [*labels, *written]:
        if len(number) > 18 or int(number) > _LARGEST:
            return f"id {shown(number.decode())} is larger than {_LARGEST}; correct it"
    ids = [int(it) for it in written]
    if len(set(ids)) < len(ids):
        twin = next(it for it in ids if ids.count(it) > 1)
        return f"feature {twin} stands there twice; keep one"
    for value in re.findall(rb":(\S+)", line):
        if not abs(float(value)) <= _LARGEST_VALUE:
            return f"value {shown(value.decode())} is too large; correct it"
    return None


def _where_it_breaks(line: bytes) -> str:
    fields = re.split(rb"[ \t]+", line.strip(b" \t"))
    labels = rb"\d+(?:,\d+)*"
    starts_with_labels = not line.startswith((b" ", b"\t")) and re.fullmatch(labels, fields[0])
    for field in fields[1 if starts_with_labels else 0 :]:
        if not re.fullmatch(rb"\d+:" + _NUMBER, field):
            text = shown(field.decode("utf-8", "replace"))
            return f"{text} is no `feature:value` of two numbers; write `label,label feature:value ...`"
    return "not `label,label feature:value ...`; correct the line"


def numbers_of(lines: Sequence[bytes]) -> int:
    """How many of the lines are rows of the format, for telling formats apart."""
    return sum(LINE.fullmatch(line) is not None for line in lines)


def keys(lengths: IntArray, ids: IntArray) -> IntArray:
    """int64 (n,): row and id as one number, so that sorting them sorts the ids within rows."""
    return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths) * (_LARGEST + 1) + ids


def ids_of(keyed: IntArray) -> IntArray:
    """int32 (n,): the ids of `keys`."""
    return (keyed % (_LARGEST + 1)).astype(np.int32)
