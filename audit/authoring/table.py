"""A table that was read: cells with the numbers as printed, the heading, the names of the rows.

A printed number stays the string that it is. What could be read in two ways is `unclear`, with the reason,
and is settled by words on the whole table: `decimal`, and `beside` for what a number in brackets is."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib import resources
from typing import Any, Literal

from audit.claims.source import is_visible
from audit.errors import AuditError
from audit.stats.printed import printed

_WORDS = tomllib.loads((resources.files("audit.authoring") / "words.toml").read_text(encoding="utf-8"))


def words(part: str, table: str) -> dict[str, str]:
    """Word -> its meaning: commands of LaTeX, metrics, quantities, units, from `words.toml`."""
    return {word: value for value, listed in _WORDS[part][table].items() for word in listed.split()}


#: Ways to write a metric -> our name of it.
METRICS_AT_K, _WITHOUT_K = words("headings", "metrics_at_k"), words("headings", "metrics")
_K = re.compile(r"(?P<name>[a-z]+?)(?:@|at)\(?(?:k=)?(?P<k>[1-9][0-9]{0,2})\)?")


def metric_of(title: str) -> str | None:
    """Our spelling of a metric: `Prec@1`, `P @ 1 (%)`, `precision_at_1` and `p@1` are P@1."""
    text = re.sub(r"\(%\)|\(in%\)|%|[↑↓]|\(\)|[\s.\-\N{NON-BREAKING HYPHEN}_$]", "", title.casefold())
    match = _K.fullmatch(text)
    if match and match["name"] in METRICS_AT_K:
        return f"{METRICS_AT_K[match['name']]}@{match['k']}"
    return _WITHOUT_K.get(text)


#: Cells of one table: many times what a claim file of 2 MB can hold.
MOST_CELLS = 50_000
#: Styles that place text; any other style of a number becomes one of its marks.
RAISED, LOWERED = "raised", "lowered"
#: A comma that LaTeX sets without a blank behind it, and a number by siunitx: 82.12(15) is 82.12 ± 0.15.
COMMA, COMPACT = "comma", "compact"
_PLACING = frozenset({RAISED, LOWERED, COMMA, COMPACT})
UNSEEN = "contains invisible characters, or ones that reverse text; remove them"


@dataclass(frozen=True)
class Run:
    """Characters in one style."""

    text: str
    styles: frozenset[str] = frozenset()  # bold, italic, underline, struck; raised, lowered.


@dataclass(frozen=True)
class Piece:
    """A cell from a reader of files."""

    runs: tuple[Run, ...]
    line: int  # Line of the file on which it begins, from 1.
    across: int = 1
    down: int = 1  # Columns and rows that it covers; negative where it stands in the last of its rows.
    why: str | None = None  # What the reader could not read in it.

    @property
    def text(self) -> str:
        """What is printed; letters and digits above or below the line are marked by ^ and _."""
        shown = []
        for run in self.runs:
            small = "^" if RAISED in run.styles else "_" if LOWERED in run.styles else ""
            shown.append(small + run.text if run.text.strip()[:1].isalnum() else run.text)
        return " ".join("".join(shown).split())


@dataclass(frozen=True)
class Source:
    """A table from a reader of files."""

    rows: tuple[tuple[Piece, ...], ...]
    line: int
    heads: int | None = None  # How many rows are the heading, where the file itself says so.
    least_heads: bool = False  # Whether there may be more: a rule below the first row of several.
    fills: bool = False  # Whether a cell over several rows has empty ones below it (LaTeX), or none (HTML).
    shown: str | None = None  # The table as text, where the file cannot be looked at as text (PDF).
    area: tuple[float, ...] | None = None  # Its place on the page of a PDF.


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell with its place, columns counted from 1, and its content."""

    text: str
    kind: Literal["number", "dash", "empty", "text", "unclear"]
    """number: one printed number, perhaps with a spread and marks. dash: the paper prints that there is none.
    unclear: made of digits, and no number that can be read in one way. text: everything else."""
    value: str | None = None  # The printed number, as a string; None for any other kind.
    sd: str | None = None  # What stands after the plus-minus sign.
    marks: tuple[str, ...] = ()  # bold, underline, stars, daggers, footnote letters: as printed.
    why: str | None = None  # For `unclear`: why it cannot be read.
    with_unit: tuple[str, str] | None = None  # For `text` that is a number and a unit, as 18s: both.
    column: int = 0
    line: int = 0
    across: int = 1
    hidden: bool = False  # Whether not even its text is known: unknown commands, unseen characters.


@dataclass(frozen=True)
class Row:
    number: int  # From 1, headings not counted: what `row 3` means in a correction.
    line: int
    names: tuple[str, ...]  # Section, group and name, from the outside in, without repeats.
    cells: tuple[Cell, ...]  # One for each column, those of the names among them.


@dataclass(frozen=True)
class Table:
    """A table with its heading and the names of its rows."""

    name: str  # The file, as the user named it.
    form: str  # latex, csv, tsv, markdown or html.
    source: Source
    heading: tuple[tuple[Cell, ...], ...]  # One cell for each column; one over several stands in each.
    names: int  # How many columns at the left name the rows.
    rows: tuple[Row, ...]
    spread: str | None = None  # sd or se, where titles of columns say so.
    notes: tuple[str, ...] = ()  # What was put together, in sentences for the user.

    @property
    def line(self) -> int:
        return self.source.line

    @property
    def width(self) -> int:
        return len(self.heading[0])

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The titles of each column from top to bottom, without blanks and repeats."""
        columns = zip(*self.heading, strict=True)
        return tuple(tuple(dict.fromkeys(it.text for it in column if it.text)) for column in columns)


def check_size(name: str, line: int, cells: int) -> None:
    """Raises `AuditError` for more cells than a table can have, before all of a large file is read."""
    if cells > MOST_CELLS:
        raise AuditError(f"{name}:{line}: more than {MOST_CELLS:,} cells; give the table in parts")


# --------------------------------------------------------------------------- what a cell says

STARS = "*\N{ASTERISK OPERATOR}\N{LOW ASTERISK}\N{FULLWIDTH ASTERISK}†‡§¶#★☆⋆↑↓▲▼△▽◦•✓^°🥇🥈🥉"
#: No number with all that may stand beside it is longer.
_LONGEST = 200
_SIGNS = "-+\N{MINUS SIGN}\N{EN DASH}"
_THIN = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
_POWER = r"[eE](?:-[0-9]{1,2}|\+?00?)"
_NUMBER = rf"[{_SIGNS}]?\s?(?:[0-9][0-9.,'’{_THIN}]*|[.,][0-9]+)(?:{_POWER})?\s?%?"
_CELL = re.compile(
    rf"(?P<before>[{re.escape(STARS)}\s]*)(?P<value>{_NUMBER})\s*"
    rf"(?:(?:±|\+/?[-\N{{MINUS SIGN}}])\s*(?P<sd>{_NUMBER}))?\s*"
    rf"(?:(?P<beside>[(\[][^()\[\]]*[)\]]))?(?P<after>[{re.escape(STARS)}\s]*)"
)
_DASH = re.compile(r"(?i)[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}–—―−_]{1,4}|n/?a\.?|nan|/")
_SEVERAL = re.compile(rf"{_NUMBER}(?:\s*[/|;&]\s*|\s+){_NUMBER}.*")
#: Units of time and of memory; 200K and 300d are parts of names.
_WITH_UNIT = re.compile(
    rf"(?P<value>{_NUMBER})\s?(?P<unit>ms|s|secs?\.?|seconds?|m|mins?\.?|minutes?|h|hrs?\.?|hours?|[kKMGT]i?B)"
)
_GROUPED = re.compile(rf"[1-9][0-9]{{0,2}}(?:[{_THIN}'’][0-9]{{3}})+(?![0-9])")
#: Before a difference; a spread has no sign.
_CHANGE = re.compile(rf"[{_SIGNS}↑↓▲▼△▽Δ∆]")
_RAISED_MARK = re.compile(rf"[{re.escape(STARS)},a-zA-Z\s]{{1,12}}")


class _UnclearError(ValueError):
    """The message says why."""


def cell_of(runs: Sequence[Run], settings: Mapping[str, str], **place: Any) -> Cell:
    """The content of the cell with these characters; `settings` and `place` as in `Cell` and above."""
    text = " ".join("".join(run.text for run in runs).split())
    fields: dict[str, Any] = {"text": text, **place}
    if not is_visible(text) or any(unicodedata.category(sign) in ("Cc", "Cf") for sign in text):
        return Cell(kind="unclear", why=UNSEEN, hidden=True, **fields)
    if not text or _DASH.fullmatch(text):
        return Cell(kind="dash" if text else "empty", **fields)
    if len(text) > _LONGEST or not any(sign.isdigit() for sign in text):
        return Cell(kind="text", **fields)
    try:
        return Cell(**_number(runs, settings), **fields)
    except _UnclearError as err:
        return Cell(kind="unclear", why=str(err), **fields)


def _number(runs: Sequence[Run], settings: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a number with spread and marks, or of text. Raises `_UnclearError`."""
    decimal = settings.get("decimal")
    signs, small = _on_the_line(runs, decimal)
    line = "".join(sign for sign, _ in signs)
    match = _CELL.fullmatch(line)
    if match is None:  # text, perhaps a number with its unit: 18s
        unit = None if small else _WITH_UNIT.fullmatch(line)
        if unit and "%" not in unit["value"]:
            return {"kind": "text", "with_unit": (_spelled(unit["value"], decimal), unit["unit"])}
        if _SEVERAL.fullmatch(line):
            raise _UnclearError("holds two numbers; give each its own cell")
        if any(sign.isdigit() and sign not in "0123456789" for sign in line):
            raise _UnclearError("has digits other than 0 to 9; write 0 to 9")
        if any(sign.isalpha() for sign in line) or small:
            return {"kind": "text"}
        raise _UnclearError("is not a plain number")
    digits = [styles for sign, styles in signs[slice(*match.span("value"))] if sign.isdigit()]
    styles = {own - _PLACING for own in digits}
    compact = any(COMPACT in own for own in digits)
    if len(styles) > 1:
        raise _UnclearError("has only some of its digits in bold or another style")
    if any("struck" in own for own in styles):
        raise _UnclearError("is struck out; give its value with a correction")
    marks = [*sorted(styles.pop()), *match["before"].split(), *match["after"].split()]
    value, sd = _spelled(match["value"], decimal), match["sd"] and _spelled(match["sd"], decimal)
    beside = [match["beside"]] if match["beside"] else []
    for text, lowered in small:
        if lowered or not _RAISED_MARK.fullmatch(text):
            beside.append(text)
        else:
            marks += [mark for mark in re.split(r"[,\s]+", text) if mark]
    for printed_so in beside:
        text = printed_so.strip("()[] ")
        # 82.12(15): 0.15 as physics writes it, or 15; a footnote and a reference have no such brackets
        units = printed_so[:1] == "(" and text.isdecimal() and "." in value
        is_near = compact and f"{match['value'].strip()}(" in line
        meaning = "sd" if text[:1] == "±" else settings.get("beside")
        meaning = "digits" if is_near and text.isdecimal() else meaning
        if _CHANGE.match(text) or meaning == "mark":
            marks.append(text.replace(" ", "_"))
        elif meaning is None or (meaning == "digits" and not units and not is_near):
            say = "digits" if units else "sd"
            raise _UnclearError(f"has {text!r} beside the number; say --set beside={say} or beside=mark")
        elif sd is not None:
            raise _UnclearError(f"has two spreads, {sd!r} and {text!r}; give it with a correction")
        elif units and meaning == "sd":
            what = f"has {text!r} beside the number, which may be {_units(text, value)}"
            raise _UnclearError(f"{what}; say --set beside=digits if so, or give its sd with a correction")
        else:
            sd = _units(text, value) if units else _spelled(text.lstrip("± "), decimal)
    return {"kind": "number", "value": value, "sd": sd, "marks": tuple(dict.fromkeys(marks))}


def _units(count: str, value: str) -> str:
    """A spread in units of the last digit of a number: 15 of 82.12 is 0.15."""
    return f"{Decimal(count).scaleb(-len(value.rstrip('%').partition('.')[2])):f}"


def _on_the_line(
    runs: Sequence[Run], decimal: str | None
) -> tuple[list[tuple[str, frozenset[str]]], list[tuple[str, bool]]]:
    """The characters on the line with their styles (a smaller spread too), and those raised or lowered."""
    signs: list[tuple[str, frozenset[str]]] = []
    small: list[tuple[str, bool]] = []
    for run in runs:
        text = run.text
        if run.styles & {RAISED, LOWERED} and (text := text.strip()):
            if not re.match(r"±|\+/?-|%", text):
                small.append((text, LOWERED in run.styles))
                continue
            text = f" {text}"
        if COMMA in run.styles:
            text = "." if decimal != "comma" else ","
        for sign in text:
            if not (sign.isspace() and (not signs or signs[-1][0].isspace())):
                signs.append((sign, run.styles))
    if signs and signs[-1][0].isspace():
        signs.pop()
    return signs, small


def _spelled(number: str, decimal: str | None) -> str:
    """The number with the point and commas of claim files; the digits are those printed."""
    text = re.sub(rf"(?<=[{_SIGNS}])\s|\s(?=%)", "", number.strip())
    if decimal == "comma":
        text = text.translate({ord(","): ".", ord("."): ","})
    if _GROUPED.match(text.rstrip("%").lstrip(_SIGNS)):
        text = re.sub(rf"[{_THIN}'’]", ",", text)
    if power := re.search(_POWER, text):  # 6.8e-1 is 0.68, digit by digit
        with suppress(InvalidOperation):
            text = f"{Decimal(text[: power.end()]):f}{text[power.end() :]}"
    try:
        printed(text)
    except ValueError as err:
        comma = re.search(r"(?<![0-9.,])([0-9]*),([0-9]+)(?![0-9.,])", number)
        if decimal is None and comma:  # it can only be a decimal one: 75,1 and 0,751, not 15,449
            why = "has a decimal comma; say --set decimal=comma, or decimal=point if it has none"
            raise _UnclearError(why) from err
        why = "is not a printed number: its points, commas or blanks are misplaced"
        raise _UnclearError(why) from err
    return text
