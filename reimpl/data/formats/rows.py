"""Lines `label,label feature:value feature:value` to arrays, a block of lines at a time.

A plain block is read by pandas; one that breaks a rule, or is written oddly, is read line by line, which
names the line. scikit-learn's reader was no choice: it guesses the base, has no header, lets `1:2 1:3` pass
and reads labels in a Python loop.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reimpl.data.dataset import FloatArray, IntArray
from reimpl.data.files import File, exact_floats, shown
from reimpl.errors import DataError

#: Of an id (int32) and of a value (float32).
LARGEST = int(np.iinfo(np.int32).max)
LARGEST_VALUE = float(np.finfo(np.float32).max)

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FEATURES = rb"\d+:%s(?:[ \t]+\d+:%s)*" % (_NUMBER, _NUMBER)
_LABELS = rb"\d+(?:,\d+)*"
LINE = re.compile(rb"(?:%s)?(?:[ \t]+|(?:^|[ \t]+)%s[ \t]*)?" % (_LABELS, _FEATURES))


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

    Also for a feature that stands twice in a line, a value that is not finite, and an id beyond 2^31 - 1. An
    id is the number that is written, however many zeros stand in front.
    """
    # the empty array first, so that a file without lines has arrays of the right kinds too
    parts: dict[str, list[Any]] = {name: [np.empty(0, kind)] for name, kind in _ARRAYS.items()}
    repeated = 0
    for first, block in lines:
        text = (block if block.endswith(b"\n") else block + b"\n").replace(b"\r\n", b"\n")
        rows = _at_once(text)
        if rows is None:
            rows = _line_by_line(file, first, text)
        repeated += rows.repeated
        for name, kind in _ARRAYS.items():
            parts[name].append(getattr(rows, name).astype(kind, copy=False))
    # popped, so that one array at most is there twice
    return Rows(**{name: np.concatenate(parts.pop(name)) for name in _ARRAYS}, repeated=repeated)


def _at_once(text: bytes) -> Rows | None:
    """The rows of a block that ends in a line feed; None when something in it may break the form."""
    import pandas

    if text.translate(None, b"0123456789.+-eE,: \n"):
        return None
    heads, tails = [], []
    for line in text[:-1].split(b"\n"):
        head, _, tail = line.partition(b" ")
        heads.append(b"" if b":" in head else head)
        tails.append(line if b":" in head else tail)
    pairs = b"\n".join(filter(None, tails)).replace(b" ", b"\n") + b"\n"
    lengths = [tail.count(b" ") + 1 if tail else 0 for tail in tails]
    ids, values = np.empty(0, dtype=np.int64), np.empty(0)
    try:
        labels = list(map(int, b",".join(filter(None, heads)).split(b","))) if any(heads) else []
        if any(lengths):
            frame = pandas.read_csv(
                io.BytesIO(pairs),
                sep=":",
                lineterminator="\n",
                header=None,
                low_memory=False,
                dtype={1: np.float64},
                na_filter=False,
                quoting=3,
                **exact_floats(),
            )
            if frame.shape != (sum(lengths), 2) or frame[0].dtype != np.int64:
                return None
            ids, values = frame[0].to_numpy(), frame[1].to_numpy()
    except ValueError:
        return None
    signed = any(sign in text for sign in (b" +", b" -", b"\n+", b"\n-", b",+", b",-"))
    if signed or text[:1] in b"+-" or max(labels, default=0) > LARGEST or ids.max(initial=0) > LARGEST:
        return None
    counts = [head.count(b",") + 1 if head else 0 for head in heads]
    return _ordered(ids, values, np.array(lengths), np.array(labels, dtype=np.int64), np.array(counts))


def _line_by_line(file: File, first: int, text: bytes) -> Rows:
    """The same, with a complaint that names the line."""
    ids, values, lengths, labels, label_lengths = [], [], [], [], []
    for number, line in enumerate(text[:-1].split(b"\n"), start=first):
        reason = complaint_of(line)
        if reason:
            raise DataError(f"{file}:{number}: {reason}")
        fields = line.split()
        own = fields.pop(0).split(b",") if fields and b":" not in fields[0] else []
        pairs = [field.split(b":") for field in fields]
        ids += [int(feature) for feature, _ in pairs]
        values += [float(value) for _, value in pairs]
        labels += list(map(int, own))
        lengths.append(len(pairs))
        label_lengths.append(len(own))
    arrays = (np.array(numbers, dtype=np.int64) for numbers in (ids, lengths, labels, label_lengths))
    at, counts, own_labels, label_counts = arrays
    rows = _ordered(at, np.array(values, dtype=np.float64), counts, own_labels, label_counts)
    assert rows is not None
    return rows


def _ordered(
    ids: IntArray, values: FloatArray, lengths: IntArray, labels: IntArray, label_lengths: IntArray
) -> Rows | None:
    """Ids sorted within each line, repeated labels left out; None for a feature twice in a line, or a value
    that float32 cannot hold."""
    if not (np.abs(values) <= LARGEST_VALUE).all():
        return None
    features = _keys(lengths, ids)
    if not (np.diff(features) > 0).all():
        order = np.argsort(features)
        features, values = features[order], values[order]
        if (np.diff(features) == 0).any():
            return None
    keys = _keys(label_lengths, labels)
    if not (np.diff(keys) > 0).all():
        keys = np.unique(keys)
    counts = np.bincount(keys >> 31, minlength=len(lengths))
    return Rows(
        features & LARGEST,
        values.astype(np.float32),
        lengths,
        keys & LARGEST,
        counts,
        len(labels) - len(keys),
    )


def _keys(lengths: IntArray, ids: IntArray) -> IntArray:
    """int64 (n,): row and id (31 bits) as one number, so that sorting them sorts the ids within rows."""
    return np.repeat(np.arange(len(lengths), dtype=np.int64) << 31, lengths) + ids


def complaint_of(line: bytes) -> str | None:
    """Why a line is no row of the format, and what to do; None where it is one."""
    if not LINE.fullmatch(line):
        return _where_it_breaks(line)
    written = re.findall(rb"(\d+):", line)
    labels = [label for label in re.split(rb"[ \t]", line)[0].split(b",") if label.isdigit()]
    for number in [*labels, *written]:
        if len(number.lstrip(b"0")) > 10 or int(number) > LARGEST:
            return f"id {shown(number.decode())} is larger than {LARGEST}; correct it"
    ids = [int(feature) for feature in written]
    if len(set(ids)) < len(ids):
        twin = next(feature for feature in ids if ids.count(feature) > 1)
        return f"feature {twin} stands there twice; keep one"
    for value in re.findall(rb":(\S+)", line):
        if not abs(float(value)) <= LARGEST_VALUE:
            return f"value {shown(value.decode())} is too large; correct it"
    return None


def _where_it_breaks(line: bytes) -> str:
    fields = re.split(rb"[ \t]+", line.strip(b" \t"))
    starts_with_labels = not line.startswith((b" ", b"\t")) and re.fullmatch(_LABELS, fields[0])
    for field in fields[1 if starts_with_labels else 0 :]:
        if not re.fullmatch(rb"\d+:" + _NUMBER, field):
            text = shown(field.decode("utf-8", "replace"))
            return f"{text} is no `feature:value` of two numbers; write `label,label feature:value ...`"
    return "not `label,label feature:value ...`; correct the line"


def numbers_of(lines: Sequence[bytes]) -> int:
    """How many of the lines are rows of the format, for telling formats apart."""
    return sum(LINE.fullmatch(line) is not None for line in lines)
