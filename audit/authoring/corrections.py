"""The user's corrections of a table: of the whole by keys (dataset=eurlex) and of its parts by words:
`columns 4-6, 8: skip`, `row 2: label="Our method" source=copied`, `cell 5,3: value=75.10 sd=0.2 mark=*`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from audit.authoring.reading import FORMS, SEPARATORS
from audit.errors import AuditError
from audit.names import known_names

#: Target -> words that may stand alone.
_WORDS: Mapping[str, tuple[str, ...]] = {"column": ("skip", "text"), "row": ("skip",), "cell": ("dash",)}
SUBJECT = ("metric", "quantity", "dataset", "unit", "experiment", "source", "from")
OF_CELL = ("experiment", "source", "from")
#: Target -> keys that take a value.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "column": ("id", "label", *SUBJECT),
    "row": ("id", "label", *SUBJECT),
    "cell": ("value", "sd", "mark", *OF_CELL),
    "table": (
        *("id", "page", "section", "label", "caption", "dataset", "metric", "unit", "source", "from"),
        *("runs", "spread", "format", "number", "separator", "heads", "names", "decimal", "beside"),
    ),
}
#: Keys of the file that are one of a few words, and those that are whole numbers, from these on.
_CHOICES: Mapping[str, Sequence[str]] = {
    "decimal": ("point", "comma"),
    "beside": ("sd", "mark", "digits"),
    "format": FORMS,
    "separator": tuple(SEPARATORS),
}
_LEAST = {"page": 1, "runs": 1, "number": 1, "heads": 1, "names": 0}
_TARGET = re.compile(r"(column|row|cell)s?\s+([0-9]{1,4}(?:\s*[-,]\s*[0-9]{1,4})*)", re.ASCII)
_FORM = "'column 3: dataset=eurlex metric=P@1', 'row 2: id=kim', 'cell 2,3: value=75.1' or 'column 4: skip'"


@dataclass
class Corrections:
    """The user's corrections of a whole table, and of its columns, rows and cells, all counted from 1."""

    table: dict[str, str] = field(default_factory=dict)
    column: dict[int, dict[str, str]] = field(default_factory=dict)
    row: dict[int, dict[str, str]] = field(default_factory=dict)
    cell: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)


def corrections(whole: Mapping[str, str], texts: Sequence[str] = ()) -> Corrections:
    """Keys of the whole table, and corrections of its parts; a later one replaces an earlier one."""
    for key, value in whole.items():
        if key not in _KEYS["table"]:
            raise AuditError(f"--set {key}: a table has no such key; {known_names(key, _KEYS['table'])}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise AuditError(f"{value!r} is not a valid {key}; {known_names(value, _CHOICES[key])}")
        if key in _LEAST and not (re.fullmatch("[0-9]{1,6}", value) and int(value) >= _LEAST[key]):
            raise AuditError(f"{key} must be a whole number from {_LEAST[key]} on, not {value!r}")
    parts = Corrections(dict(whole))
    for text in texts:
        head, colon, rest = text.partition(":")
        match = _TARGET.fullmatch(head.strip())
        if not colon or match is None:
            raise AuditError(f"{text!r} is not a correction; write it as {_FORM}")
        target, ends = match[1], [[int(number) for number in it.split("-")] for it in match[2].split(",")]
        spans = [range(it[0], it[-1] + 1) if len(it) < 3 and it[0] else () for it in ends]
        if not all(spans) or (target == "cell" and [len(it) for it in ends] != [1, 1]):
            raise AuditError(f"{text!r}: write cell ROW,COLUMN, or columns 3-5, or rows 2, 4, counted from 1")
        try:
            words = shlex.split(rest)
        except ValueError as err:
            raise AuditError(f"{text!r}: unbalanced quotes; close them") from err
        settings: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals and key in _WORDS[target]:
                value = key  # a word that stands alone has itself as value
            elif key not in _KEYS[target] or not value:
                offered = [*_WORDS[target], *(f"{key}=" for key in _KEYS[target])]
                what = f"{word!r} is not a key of a {target}"
                raise AuditError(f"{text!r}: {what}; {known_names(word, offered)}")
            settings[key] = value
        numbers = tuple(number for span in spans for number in span)
        for place in [numbers] if target == "cell" else numbers:
            getattr(parts, target).setdefault(place, {}).update(settings)
    return parts
