"""What is wrong with a record's JSON, in one brief sentence: key path, what is wanted, what is there."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

#: JSON has no such numbers, but Python writes and reads them under these names.
_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class RecordError(ValueError):
    """A text that is no sound record; the message is one line without the name of the file."""


def first_problem(err: ValidationError) -> str:
    """The first of pydantic's problems as `metrics.P@1: Input should be a valid number, here 'high'`."""
    first = err.errors(include_url=False)[0]
    shown = "" if first["type"] in ("missing", "json_invalid") else f", here {reprlib.repr(first['input'])}"
    return at(".".join(map(str, first["loc"])), f"{first['msg']}{shown}")


def refuse_non_finite(content: Any) -> None:
    """Raise `RecordError` for the first NaN or infinity in parsed JSON, `1e999` among them."""
    for place, value in _numbers(content, ""):
        if not math.isfinite(value):
            raise RecordError(at(place, f"{_NAMES[str(value)]} is not a number"))


def at(place: str, problem: str) -> str:
    """`place: problem`, or the problem alone when it concerns the whole record."""
    return f"{place}: {problem}" if place else problem


def _numbers(content: Any, place: str) -> Iterator[tuple[str, float]]:
    """All floats below `content` with their key paths."""
    if isinstance(content, float):
        yield place, content
    elif isinstance(content, int) and abs(content) > sys.float_info.max:
        yield place, math.inf if content > 0 else -math.inf  # what a field of floats makes of it
    elif isinstance(content, dict | list):
        entries = content.items() if isinstance(content, dict) else enumerate(content)
        for name, value in entries:
            yield from _numbers(value, f"{place}.{name}" if place else str(name))
