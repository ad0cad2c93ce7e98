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
_WORDS: Mapping[str, tuple[str, ...]] = {
    "column": ("skip", "text", "names"),
    "row": ("skip",),
    "cell": ("dash",),
    "table": (),
}
_SUBJECT = ("id", "label", "metric", "quantity", "dataset", "unit", "experiment", "source", "from")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "column": _SUBJECT,
    "row": _SUBJECT,
    "cell": ("value", "sd", "mark", "experiment", "source", "from"),
    "table": (
        *("id", "page", "section", "label", "caption", "dataset", "metric", "unit", "source", "from"),
        *("runs", "spread", "format", "number", "separator", "heads", "names", "decimal", "beside"),
    ),
}
FORMS = ("latex", "csv", "tsv", "markdown", "html")
SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
#: Keys of `table:` that are one of a few words.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "unit": ("percent", "fraction"),
    "source": ("own_run", "copied", "code_readme", "stated", "unknown"),
    "spread": ("sd", "se", "ci95"),
    "decimal": ("point", "comma"),
    "beside": ("sd", "mark"),
    "format": FORMS,
    "separator": tuple(SEPARATORS),
}
#: Those that are whole numbers, from these on.
_LEAST = {"page": 1, "runs": 1, "number": 1, "heads": 1, "names": 0}
_TARGET = re.compile(r"(column|row|cell)s?\s+([0-9]{1,4})(?:\s*([-,])\s*([0-9]{1,4}))?", re.ASCII)
_FORM = "'column 3: dataset=eurlex metric=P@1', 'row 2: id=kim', 'cell 2,3: value=75.1' or 'column 4: skip'"


@dataclass(frozen=True)
class Correction:
    """What is said of some columns, some rows or one cell."""

    target: str
    """column, row, cell or table."""
    places: tuple[tuple[int, ...], ...]
    """Each (column,), (row,), (row, column) or (), from 1; rows are those of the body."""
    settings: Mapping[str, str]
    """A word that stands alone has itself as value."""


def of_table(settings: Mapping[str, str]) -> Correction:
    """What is said of a table as a whole, or of the file that it is in. Raises `AuditError`."""
    for key in settings:
        if key not in _KEYS["table"]:
            raise AuditError(f"--set {key}: a table has no such key; {known_names(key, _KEYS['table'])}")
    _check(settings)
    return Correction("table", ((),), settings)


def parsed(text: str) -> Correction:
    """One correction. Raises `AuditError` with the form that it should have."""
    head, colon, rest = text.partition(":")
    if colon and head.strip() == "table":
        return Correction("table", ((),), _settings(text, "table", rest))
    match = _TARGET.fullmatch(head.strip())
    if not colon or match is None:
        raise AuditError(f"{text!r} is no correction; write it as {_FORM}")
    target, sign, first, last = match[1], match[3], int(match[2]), int(match[4] or match[2])
    places: list[tuple[int, ...]] = [(first, last)]
    if target != "cell":
        places = [(number,) for number in range(first, last + 1)]
    if (target == "cell") != (sign == ",") or not places or first < 1:
        raise AuditError(f"{text!r}: write cell ROW,COLUMN, or columns 3-5, or rows 2-4, counted from 1")
    return Correction(target, tuple(places), _settings(text, target, rest))


def _settings(text: str, target: str, rest: str) -> dict[str, str]:
    try:
        parts = shlex.split(rest)
    except ValueError as err:
        raise AuditError(f"{text!r}: its quotes do not pair up; close them") from err
    settings: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals and key in _WORDS[target]:
            value = key
        elif not equals or key not in _KEYS[target] or not value:
            offered = [*_WORDS[target], *(f"{it}=" for it in _KEYS[target])]
            raise AuditError(f"{text!r}: {part!r} says nothing of a {target}; {known_names(part, offered)}")
        if key in settings:
            raise AuditError(f"{text!r}: {key} stands there twice; say it once")
        settings[key] = value
    if not settings:
        raise AuditError(f"{text!r} says nothing; add what the {target} is, as in metric=P@1")
    return settings


def settings_of(corrections: Sequence[Correction], target: str) -> dict[tuple[int, ...], dict[str, str]]:
    """Place -> what was said of it, the later word before the earlier one.

    Raises `AuditError` for a value that a key of `table:` cannot have.
    """
    settings: dict[tuple[int, ...], dict[str, str]] = {}
    for it in corrections:
        for place in it.places if it.target == target else ():
            settings.setdefault(place, {}).update(it.settings)
    if target == "table":
        _check(settings.get((), {}))
    return settings


def _check(settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        if key in CHOICES and value not in CHOICES[key]:
            raise AuditError(f"{value!r} is no {key}; {known_names(value, CHOICES[key])}")
        if key in _LEAST and not (re.fullmatch("[0-9]{1,6}", value) and int(value) >= _LEAST[key]):
            raise AuditError(f"{key} {value!r} is no whole number from {_LEAST[key]}; give one")
