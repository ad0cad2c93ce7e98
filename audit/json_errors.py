"""What is wrong with a record's JSON, in one brief sentence: key path, what is wanted, what is there."""

from __future__ import annotations

import json
import math
import re
import reprlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

#: JSON has no such numbers, but Python writes and reads them under these names.
_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


#: Beginning of a type of error -> what is wanted.
_WANTED = {
    "float": "a number",
    "finite": "a finite number",
    "int": "a whole number",
    "string": "text",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "keys and values",
    "dataclass": "keys and values",
    "model": "keys and values",
}


class RecordError(ValueError):
    """A text that is no sound record; the message is one line without the name of the file."""


def first_problem(err: ValidationError) -> str:
    """The first of pydantic's problems as `metrics.P@1: 'high' is no number`."""
    first = err.errors(include_url=False)[0]
    return at(".".join(map(str, first["loc"])), _said(first))


def unread(err: Exception) -> str:
    """Why a text could not be read as JSON of ours: of what `json.loads`, `bytes.decode` and we raise."""
    if isinstance(err, UnicodeDecodeError):
        return f"its byte 0x{err.object[err.start]:02x} is no text in UTF-8"
    if isinstance(err, RecursionError):
        return "it is nested too deep"
    if isinstance(err, json.JSONDecodeError):
        if not err.doc[err.pos :].strip() or err.msg.startswith("Unterminated"):
            return "it ends too early"
        return f"it is no JSON from line {err.lineno}, character {err.colno} on"
    if isinstance(err, RecordError):
        return " ".join(str(err).split())[:200]
    if isinstance(err, KeyError):
        return f"the key {err} is missing"
    return "it holds something else than keys and values"


def _said(problem: Mapping[str, Any]) -> str:
    kind, message, value = problem["type"], problem["msg"], problem["input"]
    if kind == "json_invalid":
        return _no_json(message)
    if kind == "missing":
        return "this key is missing"
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return "this key is unknown"
    if kind == "literal_error":
        return f"{reprlib.repr(value)} is not {problem['ctx']['expected']}"
    return f"{reprlib.repr(value)} is not {wanted(kind)}"


def wanted(kind: str) -> str:
    """What is wanted where pydantic has an error of this type: a number, text, a list."""
    return next((words for start, words in _WANTED.items() if kind.startswith(start)), "what belongs here")


def _no_json(message: str) -> str:
    """Where it stops being JSON, which pydantic tells within a sentence."""
    if "recursion" in message:
        return "it is nested too deep"
    if "EOF" in message:
        return "it ends too early"
    place = re.search(r"line (\d+) column (\d+)", message)
    return "it is no JSON" + (f" from line {place[1]}, character {place[2]} on" if place else "")


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
