"""Records from JSON; what is wrong with one is a brief sentence: key path, what is wanted, what is there."""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

#: JSON has no such numbers, but Python writes and reads them under these names.
_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
#: Beginning of pydantic's type of error -> what is wanted.
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


def canonical_json(content: Any) -> str:
    """JSON with sorted keys and no blanks, refusing NaN: the form that is hashed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(content: Any) -> str:
    """First 32 hex digits of the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:32]


class RecordError(ValueError):
    """A text that is no sound record; the message is one line without the name of the file."""


@cache
def adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter  # 0.1 s, needed only where JSON is read or a schema written

    return TypeAdapter(kind)


def read_record(kind: Any, text: str) -> tuple[Any, Any]:
    """The record of a dataclass, and its JSON as parsed. Raises `RecordError` for what we cannot have
    written: "50" is no 50, and neither NaN nor 1e999 is a number."""
    from pydantic import ValidationError

    try:
        content = json.loads(text)
        record = adapter(kind).validate_json(text, strict=True)
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        raise RecordError(at(".".join(map(str, first["loc"])), _said(first))) from err
    except (ValueError, RecursionError) as err:
        raise RecordError(unread(err)) from err
    for place, value in _numbers(content, ""):
        if not math.isfinite(value):
            raise RecordError(at(place, f"{_NAMES[str(value)]} is not a number"))
    return record, content


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
    kind, value = problem["type"], reprlib.repr(problem["input"])
    if kind == "missing":
        return "this key is missing"
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return "this key is unknown"
    return f"{value} is not {problem['ctx']['expected'] if kind == 'literal_error' else wanted(kind)}"


def wanted(kind: str) -> str:
    """What is wanted where pydantic has an error of this type: a number, text, a list."""
    return next((words for start, words in _WANTED.items() if kind.startswith(start)), "what belongs here")


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
