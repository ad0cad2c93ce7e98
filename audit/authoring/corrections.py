"""How a user says what a table's columns, rows and cells are, on the command line and when asked.

column 3: dataset=eurlex metric=P@1
columns 4-6: skip
row 2: label="Our method" source=copied from=liu2017
cell 5,3: value=75.10 sd=0.2 mark=*
cell 5,4: dash
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.errors import AuditError
from audit.names import known_names

#: Target -> words that may stand alone, and keys that take a value.
WORDS: Mapping[str, tuple[str, ...]] = {
    "column": ("skip", "text", "names"),
    "row": ("skip",),
    "cell": ("dash",),
    "table": (),
}
_SUBJECT = ("id", "label", "metric", "quantity", "dataset", "unit", "experiment", "source", "from")
KEYS: Mapping[str, tuple[str, ...]] = {
    "column": _SUBJECT,
    "row": _SUBJECT,
    "cell": ("value", "sd", "mark", "experiment", "source", "from"),
    "table": (
        *("id", "page", "section", "label", "caption", "dataset", "metric", "unit", "source", "from"),
        *("runs", "spread", "heads", "names", "decimal", "beside"),
    ),
}
_TARGET = re.compile(r"(column|row|cell)s?\s+([0-9]{1,6})(?:\s*([-,])\s*([0-9]{1,6}))?", re.ASCII)


@dataclass(frozen=True)
class Correction:
    """What is said of some columns, some rows or one cell."""

    target: str
    """column, row, cell or table."""
    places: tuple[tuple[int, ...], ...]
    """Each (column,), (row,), (row, column) or (), from 1; rows are those of the body."""
    settings: Mapping[str, str]
    """A word that stands alone has itself as value."""


def parsed(text: str) -> Correction:
    """One correction. Raises `AuditError` with the form that it should have."""
    head, colon, rest = text.partition(":")
    if colon and head.strip() == "table":
        return Correction("table", ((),), _settings(text, "table", rest))
    match = _TARGET.fullmatch(head.strip())
    if not colon or match is None:
        raise AuditError(
            f"{text!r} is no correction; write it as 'column 3: dataset=eurlex metric=P@1', 'row 2: id=kim', "
            "'cell 2,3: value=75.1' or 'column 4: skip'"
        )
    target, first, sign, second = match.groups()
    if (target == "cell") != (sign == ","):
        raise AuditError(f"{text!r}: write cell ROW,COLUMN, or columns 3-5, or rows 2-4")
    return Correction(target, _places(text, first, sign, second), _settings(text, target, rest))


def _places(text: str, first: str, sign: str | None, second: str | None) -> tuple[tuple[int, ...], ...]:
    if sign == ",":
        return ((int(first), int(second or 0)),)
    last = int(second) if second else int(first)
    if not 0 < int(first) <= last:
        raise AuditError(f"{text!r}: {first}-{last} counts backwards or from 0; write columns 3-5")
    if last - int(first) > 10_000:
        raise AuditError(f"{text!r}: more than 10,000 places; give those that the table has")
    return tuple((number,) for number in range(int(first), last + 1))


def _settings(text: str, target: str, rest: str) -> dict[str, str]:
    try:
        parts = shlex.split(rest)
    except ValueError as err:
        raise AuditError(f"{text!r}: its quotes do not pair up; close them") from err
    settings: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals and key in WORDS[target]:
            value = key
        elif not equals or key not in KEYS[target] or not value:
            offered = [*WORDS[target], *(f"{it}=" for it in KEYS[target])]
            raise AuditError(f"{text!r}: {part!r} says nothing of a {target}; {known_names(part, offered)}")
        if key in settings:
            raise AuditError(f"{text!r}: {key} stands there twice; say it once")
        settings[key] = value
    if not settings:
        raise AuditError(f"{text!r} says nothing; add what the {target} is, as in metric=P@1")
    return settings


def settings_of(corrections: Sequence[Correction], target: str) -> dict[tuple[int, ...], dict[str, str]]:
    """Place -> what was said of it, the later word before the earlier one."""
    said: dict[tuple[int, ...], dict[str, str]] = {}
    for it in corrections:
        if it.target == target:
            for place in it.places:
                said.setdefault(place, {}).update(it.settings)
    return said
