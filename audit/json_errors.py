"""Records from JSON; what is wrong with one is a brief sentence: key path, what is wanted, what is there."""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from collections.abc import Mapping
from functools import cache
from typing import Any

#: Beginning of pydantic's type of error -> what is wanted.
_WANTED = {
    "float": "a number",
    "finite": "a finite number",
    "int": "a whole number",
    "string": "text",
    "bool": "true or false",
    **dict.fromkeys(("tuple", "list"), "a list"),
    **dict.fromkeys(("dict", "dataclass", "model"), "keys and values"),
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


def read_record(kind: Any, text: str) -> Any:
    """The record of a dataclass. Raises `RecordError` for what we never write: "50" for 50, NaN, 1e999."""
    from pydantic import ValidationError

    try:
        json.loads(text, parse_float=_finite, parse_constant=_finite)
        return adapter(kind).validate_json(text, strict=True)
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise RecordError(f"{place}: {_said(first)}" if place else _said(first)) from err
    except (ValueError, RecursionError) as err:
        raise RecordError(unread(err)) from err


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise RecordError(f"{text[:20]} is not a number")
    return value


def unread(err: Exception) -> str:
    """Why a text could not be read as JSON of ours: of what `json.loads`, `bytes.decode` and we raise."""
    if isinstance(err, UnicodeDecodeError):
        return f"its byte 0x{err.object[err.start]:02x} is not UTF-8"
    if isinstance(err, RecursionError):
        return "it is nested too deep"
    if isinstance(err, json.JSONDecodeError):
        if not err.doc[err.pos :].strip() or err.msg.startswith("Unterminated"):
            return "it ends too early"
        return f"it is not JSON from line {err.lineno}, character {err.colno} on"
    if isinstance(err, RecordError):
        return " ".join(str(err).split())[:200]
    if isinstance(err, KeyError):
        return f"the key {err} is missing"
    return "it does not hold keys and values"


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
