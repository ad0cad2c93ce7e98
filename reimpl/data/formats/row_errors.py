"""What a line of `label,label feature:value ...` must look like, and what is wrong with one that does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from reimpl.data.formats.inputs import File, shown

#: Of an id (int32) and of a value (float32).
LARGEST = int(np.iinfo(np.int32).max)
LARGEST_VALUE = float(np.finfo(np.float32).max)

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FEATURES = rb"\d+:%s(?:[ \t]+\d+:%s)*" % (_NUMBER, _NUMBER)
LINE = re.compile(rb"(?:\d+(?:,\d+)*)?(?:[ \t]+|(?:^|[ \t]+)%s[ \t]*)?" % _FEATURES)


def complaint(file: File, first: int, text: bytes) -> str:
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
        if len(number) > 18 or int(number) > LARGEST:
            return f"id {shown(number.decode())} is larger than {LARGEST}; correct it"
    ids = [int(it) for it in written]
    if len(set(ids)) < len(ids):
        twin = next(it for it in ids if ids.count(it) > 1)
        return f"feature {twin} stands there twice; keep one"
    for value in re.findall(rb":(\S+)", line):
        if not abs(float(value)) <= LARGEST_VALUE:
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
