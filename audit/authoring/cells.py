"""A table as a reader gives it, and what one cell says: a number with spread and marks, a dash, or text.

A printed number stays the string that it is. What could be read in two ways is `unclear`, with the reason:
decimal commas, two numbers, numbers in brackets. `Notation` says how the user wants those to be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.claims.source import is_visible
from audit.errors import AuditError
from audit.stats.printed import printed

#: Cells of one table: many times what a claim file of 2 MB can hold.
MOST_CELLS = 50_000
#: Styles that place or cancel text; any other style of a number becomes one of its marks.
RAISED, LOWERED, STRUCK = "raised", "lowered", "struck"


def check_size(name: str, line: int, cells: int) -> None:
    """Raises `AuditError` for more cells than a table has, before all of a large file is read."""
    if cells > MOST_CELLS:
        raise AuditError(f"{name}:{line}: more than {MOST_CELLS:,} cells; give the table in parts")


@dataclass(frozen=True)
class Run:
    """Characters in one style."""

    text: str
    styles: frozenset[str] = frozenset()
    """bold, italic, underline, a colour; raised, lowered, struck."""


@dataclass(frozen=True)
class Piece:
    """A cell as a reader of files gives it."""

    runs: tuple[Run, ...]
    line: int
    """Line of the file on which it begins, from 1."""
    across: int = 1
    """Columns that it covers."""
    down: int = 1
    """Rows that it covers; negative where it stands in the last of them."""
    why: str | None = None
    """What the reader could not read in it."""

    @property
    def text(self) -> str:
        """What is printed; letters and digits above or below the line are told by ^ and _."""
        shown = []
        for run in self.runs:
            small = "^" if RAISED in run.styles else "_" if LOWERED in run.styles else ""
            shown.append(small + run.text if run.text.strip()[:1].isalnum() else run.text)
        return " ".join("".join(shown).split())


@dataclass(frozen=True)
class Source:
    """A table as a reader of files gives it."""

    rows: tuple[tuple[Piece, ...], ...]
    line: int
    heads: int | None = None
    """How many rows are the heading, where the file itself says so."""
    least_heads: bool = False
    """Whether there may be more of them than `heads`: a rule below the first row of several."""
    fills: bool = False
    """Whether a cell over several rows has empty ones below it in the file (LaTeX), or none (HTML)."""
    caption: str = ""
    left_out: tuple[tuple[Piece, int, str], ...] = ()
    """Cells that are no part of the table, each with its column from 1, and why."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a cell says."""

    kind: Literal["number", "dash", "empty", "text", "unclear"]
    """number: one printed number, perhaps with a spread and marks. dash: the paper prints that there is none.
    unclear: made of digits, and no number that can be read in one way. text: everything else."""
    value: str | None = None
    """The printed number, as a string; None for any other kind."""
    sd: str | None = None
    """What stands after the plus-minus sign."""
    marks: tuple[str, ...] = ()
    """bold, underline, stars, daggers, footnote letters: as printed, without the number."""
    why: str | None = None
    """For `unclear`: why it cannot be read."""
    with_unit: tuple[str, str] | None = None
    """For `text` that is a number and a unit behind it, as 18s: both."""


@dataclass(frozen=True, kw_only=True)
class Cell(Content):
    """A cell in its place."""

    text: str
    row: int
    """From 1, headings included."""
    column: int
    """From 1."""
    line: int
    across: int = 1
    hidden: bool = False
    """Whether not even its text is known: a command that nobody defines, characters that are not seen."""
    carried: bool = False
    """Whether it is blank in the file, and goes on with the name above it."""

    @property
    def respelled(self) -> bool:
        """Whether the value is spelled otherwise than it was printed: a decimal comma, a thin space."""
        return self.value is not None and self.value.rstrip("%") not in self.text


@dataclass(frozen=True)
class Row:
    """One row of the body."""

    number: int
    """From 1, headings not counted: what `row 3` means in a correction."""
    line: int
    names: tuple[str, ...]
    """Section, group and name, from the outside in, without repeats."""
    cells: tuple[Cell, ...]
    """One for each column, those of the names among them."""


@dataclass(frozen=True)
class Table:
    """A table with its heading and the names of its rows."""

    name: str
    """The file, as the user named it."""
    form: str
    """latex, csv, tsv, markdown or html."""
    line: int
    heading: tuple[tuple[Cell, ...], ...]
    """Rows of the heading, one cell for each column; a cell over several columns stands in each."""
    names: int
    """How many columns at the left name the rows."""
    rows: tuple[Row, ...]
    caption: str = ""
    left_out: tuple[tuple[Piece, int, str], ...] = ()

    @property
    def width(self) -> int:
        return len(self.rows[0].cells) if self.rows else 0

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The heading as a tree: the titles of each column from top to bottom, without blanks and repeats."""
        return tuple(
            tuple(dict.fromkeys(row[column].text for row in self.heading if row[column].text))
            for column in range(self.width)
        )

    def values(self) -> Iterator[Cell]:
        """All cells right of the names."""
        for row in self.rows:
            yield from row.cells[self.names :]


# --------------------------------------------------------------------------- what a cell says


@dataclass(frozen=True)
class Notation:
    """How to read what has two readings; None: as neither, it is told."""

    decimal: Literal["point", "comma"] | None = None
    beside: Literal["sd", "mark"] | None = None
    """What a number in brackets, or a small one below or above the line, is: a spread, or a mark."""


#: Why a cell with control characters is unclear.
UNSEEN = "holds characters that are not seen, or turn text round; take them out"
STARS = "*†‡§¶#★☆⋆↑↓▲▼△▽◦•✓^°"

#: No number with all that may stand beside it is longer.
_LONGEST = 200
_SIGNS = "-+\N{MINUS SIGN}\N{EN DASH}"
_THIN = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
_NUMBER = rf"[{_SIGNS}]?\s?(?:[0-9][0-9.,'’{_THIN}]*|[.,][0-9]+)\s?%?"
_CELL = re.compile(
    rf"(?P<before>[{re.escape(STARS)}\s]*)(?P<value>{_NUMBER})\s*"
    rf"(?:(?:±|\+/?[-\N{{MINUS SIGN}}])\s*(?P<sd>{_NUMBER}))?\s*"
    rf"(?:(?P<beside>[(\[][^()\[\]]*[)\]]))?(?P<after>[{re.escape(STARS)}\s]*)"
)
_DASH = re.compile(r"[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}–—―−_]{1,4}|n/?a\.?|/", re.IGNORECASE)
_SEVERAL = re.compile(rf"{_NUMBER}(?:\s*[/|;&]\s*|\s+){_NUMBER}.*")
#: Units of time and of memory; 200K and 300d are parts of names.
_WITH_UNIT = re.compile(
    rf"(?P<value>{_NUMBER})\s?(?P<unit>ms|s|secs?\.?|seconds?|m|mins?\.?|minutes?|h|hrs?\.?|hours?|[kKMGT]i?B)"
)
_GROUPED = re.compile(rf"[1-9][0-9]{{0,2}}(?:[{_THIN}'’][0-9]{{3}})+(?![0-9])")
_RAISED_MARK = re.compile(rf"[{re.escape(STARS)},a-zA-Z\s]{{1,12}}")


class _UnclearError(ValueError):
    """The message says why."""


def content(runs: Sequence[Run], notation: Notation) -> Content:
    """What the cell with these characters says."""
    text = " ".join("".join(run.text for run in runs).split())
    if not is_visible(text) or any(unicodedata.category(sign) in ("Cc", "Cf") for sign in text):
        return Content(kind="unclear", why=UNSEEN)
    if not text:
        return Content(kind="empty")
    if _DASH.fullmatch(text):
        return Content(kind="dash")
    if len(text) > _LONGEST or not any(sign.isdigit() for sign in text):
        return Content(kind="text")
    try:
        return _number(runs, notation)
    except _UnclearError as err:
        return Content(kind="unclear", why=str(err))


def _number(runs: Sequence[Run], notation: Notation) -> Content:
    line, styles, small = _on_the_line(runs)
    match = _CELL.fullmatch(line)
    if match is None:
        return _no_number(line, bool(small), notation)
    marks = [*_styles_of(styles[match.start("value") : match.end("value")], match["value"])]
    marks += [*match["before"].split(), *match["after"].split()]
    value, sd = _spelled(match["value"], notation), match["sd"] and _spelled(match["sd"], notation)
    beside = [match["beside"][1:-1].strip()] if match["beside"] else []
    for text, lowered in small:
        if lowered or not _RAISED_MARK.fullmatch(text):
            beside.append(text.strip("()[] "))
        else:
            marks += [mark for mark in re.split(r"[,\s]+", text) if mark]
    for text in beside:
        if notation.beside is None:
            raise _UnclearError(f"has {text!r} beside the number; say --set beside=sd or beside=mark")
        if notation.beside == "mark":
            marks.append(text.replace(" ", "_"))
        elif sd is not None:
            raise _UnclearError(f"has two spreads, {sd!r} and {text!r}; give it with a correction")
        else:
            sd = _spelled(text, notation)
    return Content(kind="number", value=value, sd=sd, marks=tuple(dict.fromkeys(marks)))


def _on_the_line(runs: Sequence[Run]) -> tuple[str, list[frozenset[str]], list[tuple[str, bool]]]:
    """What is neither raised nor lowered, with the styles of each character; and the rest, with whether it
    is lowered. A spread may be set smaller (75.1 with ±0.2 below): that is told by its sign."""
    characters: list[tuple[str, frozenset[str]]] = []
    small: list[tuple[str, bool]] = []
    for run in runs:
        text = run.text
        if run.styles & {RAISED, LOWERED} and (text := text.strip()):
            if not re.match(r"±|\+/?-|%", text):
                small.append((text, LOWERED in run.styles))
                continue
            text = f" {text}"
        for sign in text:
            if not (sign.isspace() and (not characters or characters[-1][0].isspace())):
                characters.append((sign, run.styles))
    if any(STRUCK in styles for sign, styles in characters if sign.isdigit()):
        raise _UnclearError("is struck out; say what it counts as with a correction")
    if characters and characters[-1][0].isspace():
        characters.pop()
    return "".join(sign for sign, _ in characters), [styles for _, styles in characters], small


def _styles_of(styles: Sequence[frozenset[str]], value: str) -> list[str]:
    """The styles of a number's digits; all have them, or it is not clear what is meant."""
    of_digits = {own - {RAISED, LOWERED} for own, sign in zip(styles, value, strict=True) if sign.isdigit()}
    if len(of_digits) > 1:
        raise _UnclearError("has only some of its digits in bold or another style")
    return sorted(of_digits.pop())


def _no_number(line: str, small: bool, notation: Notation) -> Content:
    """Text, perhaps a number with its unit: 18s. Raises `_UnclearError` for what looks like numbers."""
    unit = None if small else _WITH_UNIT.fullmatch(line)
    if unit and "%" not in unit["value"]:
        try:
            return Content(kind="text", with_unit=(_spelled(unit["value"], notation), unit["unit"]))
        except _UnclearError:
            pass
    if _SEVERAL.fullmatch(line):
        raise _UnclearError("holds two numbers; give each a cell of its own")
    if any(sign.isdigit() and sign not in "0123456789" for sign in line):
        raise _UnclearError("has digits that are not 0 to 9; write those")
    if any(sign.isalpha() for sign in line) or small:
        return Content(kind="text")
    raise _UnclearError("is no plain number")


def _spelled(number: str, notation: Notation) -> str:
    """The number with the point and the commas that claim files have; the digits are those printed."""
    text = re.sub(rf"(?<=[{_SIGNS}])\s|\s(?=%)", "", number.strip())
    if notation.decimal == "comma":
        text = text.translate({ord(","): ".", ord("."): ","})
    if _GROUPED.match(text.rstrip("%").lstrip(_SIGNS)):
        text = re.sub(rf"[{_THIN}'’]", ",", text)
    try:
        printed(text)
    except ValueError as err:
        if notation.decimal is None and is_decimal_comma(number):
            why = "has a decimal comma; say --set decimal=comma, or decimal=point if it has none"
            raise _UnclearError(why) from err
        why = "is no printed number: its points, commas or blanks stand where none can"
        raise _UnclearError(why) from err
    return text


def is_decimal_comma(text: str) -> bool:
    """Whether a comma can only be a decimal one: 75,1 and 0,751, not 15,449."""
    match = re.search(r"(?<![0-9.,])([0-9]*),([0-9]+)(?![0-9.,])", text)
    return bool(match and (len(match[2]) != 3 or not 1 <= len(match[1]) <= 3 or match[1][:1] == "0"))
