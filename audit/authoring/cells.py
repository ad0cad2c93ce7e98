"""A table as a reader found it, and what one cell says: a number with spread and marks, a dash, or text.

A printed number stays the string that it is. What could be read in two ways is `unclear`, with the reason:
decimal commas, two numbers, numbers in brackets. `Reading` says how the user wants those to be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.claim_text import is_visible
from audit.errors import AuditError
from audit.stats.printed import printed

Kind = Literal["number", "dash", "empty", "text", "unclear"]
"""number: one printed number, perhaps with a spread and marks. dash: the paper prints that there is none.
unclear: made of digits, and no number that can be read in one way. text: everything else."""

#: Cells of one table: many times what a claim file of 2 MB can hold.
MOST_CELLS = 50_000

#: Styles that place or cancel text; any other style of a number becomes one of its marks.
RAISED, LOWERED, STRUCK = "raised", "lowered", "struck"


def check_size(name: str, line: int, cells: int) -> None:
    """Raises `AuditError` for more cells than a table has, before all of a large file is read."""
    if cells > MOST_CELLS:
        what = f"more than {MOST_CELLS:,} cells"
        raise AuditError(f"{name}:{line}: {what}; give the table in parts")


@dataclass(frozen=True)
class Run:
    """Characters in one style."""

    text: str
    styles: frozenset[str] = frozenset()
    """bold, italic, underline, a colour; raised, lowered, struck."""


@dataclass(frozen=True)
class Piece:
    """A cell as a reader found it."""

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
        return " ".join("".join(map(_shown, self.runs)).split())


def _shown(run: Run) -> str:
    if not run.text.strip()[:1].isalnum():
        return run.text
    return ("^" if RAISED in run.styles else "_" if LOWERED in run.styles else "") + run.text


@dataclass(frozen=True)
class Unread:
    """A place of the file that is in no cell of the result, or whose content is not clear."""

    line: int
    column: int | None
    """Column of the table, from 1; None for what is in no column."""
    text: str
    why: str

    def __str__(self) -> str:
        place = f"line {self.line}" + (f", column {self.column}" if self.column else "")
        return f"{place}: {self.text!r} {self.why}"


@dataclass(frozen=True)
class Found:
    """A table as a reader found it."""

    rows: tuple[tuple[Piece, ...], ...]
    line: int
    heads: int | None = None
    """How many rows are the heading, where the file itself says so."""
    least_heads: bool = False
    """Whether there may be more of them than `heads`: a rule below the first row of several."""
    fills: bool = False
    """Whether a cell over several rows has empty ones below it in the file (LaTeX), or none (HTML)."""
    caption: str = ""
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True)
class RawCell:
    """One cell: what was printed, and what was read from it."""

    text: str
    kind: Kind
    row: int
    """From 1, headings included."""
    column: int
    """From 1."""
    line: int
    value: str | None = None
    """The printed number, as a string; None for any other kind."""
    sd: str | None = None
    """What stands after the plus-minus sign."""
    marks: tuple[str, ...] = ()
    """bold, underline, stars, daggers, footnote letters: as printed, without the number."""
    why: str | None = None
    """For `unclear`: why it cannot be read."""
    across: int = 1
    hidden: bool = False
    """Whether not even its text is known: a command that nobody defines, characters that are not seen."""
    with_unit: tuple[str, str] | None = None
    """For `text` that is a number and a unit behind it, as 18s: both."""
    carried: bool = False
    """Whether it is blank in the file, and goes on with the name above it."""

    @property
    def changed(self) -> bool:
        """Whether the value is spelled otherwise than it was printed: a decimal comma, a thin space."""
        return self.value is not None and self.value.rstrip("%") not in self.text


@dataclass(frozen=True)
class RawRow:
    """One row of the body."""

    number: int
    """From 1, headings not counted: what `row 3` means in a correction."""
    line: int
    names: tuple[str, ...]
    """Section, group and name, from the outside in, without repeats."""
    cells: tuple[RawCell, ...]
    """One for each column, those of the names among them."""


@dataclass(frozen=True)
class RawTable:
    """A table: heading paths, rows, and all that could not be placed."""

    name: str
    """The file, as the user named it."""
    form: str
    """latex, csv, tsv, markdown or html."""
    line: int
    heading: tuple[tuple[RawCell, ...], ...]
    """Rows of the heading, one cell for each column; a cell over several columns stands in each."""
    names: int
    """How many columns at the left name the rows."""
    rows: tuple[RawRow, ...]
    caption: str = ""
    unread: tuple[Unread, ...] = ()

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

    def values(self) -> Iterator[RawCell]:
        """All cells right of the names."""
        for row in self.rows:
            yield from row.cells[self.names :]


Decimal = Literal["point", "comma"]
Beside = Literal["sd", "mark"]

#: Why a cell with control characters is unclear.
UNSEEN = "holds characters that are not seen, or turn text round; take them out"

#: No number with all that may stand beside it is longer.
_LONGEST = 200
_SIGNS = "-+\N{MINUS SIGN}\N{EN DASH}"
_THIN = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
STARS = "*†‡§¶#★☆⋆↑↓▲▼△▽◦•✓^°"
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


@dataclass(frozen=True)
class Reading:
    """How to read what has two readings; None: as neither, it is told."""

    decimal: Decimal | None = None
    beside: Beside | None = None
    """What a number in brackets, or a small one below or above the line, is: a spread, or a mark."""


@dataclass(frozen=True)
class Said:
    """What a cell says; the fields are those of `audit.authoring.cells.RawCell`."""

    kind: Kind
    value: str | None = None
    sd: str | None = None
    marks: tuple[str, ...] = ()
    why: str | None = None
    with_unit: tuple[str, str] | None = None


class _UnclearError(ValueError):
    """The message says why."""


def said(runs: Sequence[Run], reading: Reading) -> Said:
    """What the cell with these characters says."""
    text = " ".join("".join(run.text for run in runs).split())
    if not is_visible(text) or any(unicodedata.category(it) in ("Cc", "Cf") for it in text):
        return Said("unclear", why=UNSEEN)
    if not text:
        return Said("empty")
    if _DASH.fullmatch(text):
        return Said("dash")
    if len(text) > _LONGEST or not any(it.isdigit() for it in text):
        return Said("text")
    try:
        return _number(runs, reading)
    except _UnclearError as err:
        return Said("unclear", why=str(err))


def _number(runs: Sequence[Run], reading: Reading) -> Said:
    line, styles, raised = _on_the_line(runs)
    if not (match := _CELL.fullmatch(line)):
        return _with_unit(line, bool(raised), reading) or _no_number(line, bool(raised))
    marks = [*_styled(styles[match.start("value") : match.end("value")], match["value"])]
    marks += [*match["before"].split(), *match["after"].split()]
    value, sd = _spelled(match["value"], reading), match["sd"] and _spelled(match["sd"], reading)
    beside = [match["beside"][1:-1].strip()] if match["beside"] else []
    beside += [it.strip("()[] ") for it, low in raised if low or not _RAISED_MARK.fullmatch(it)]
    marks += [it for text, low in raised if not low and _RAISED_MARK.fullmatch(text) for it in _parts(text)]
    for text in beside:
        if reading.beside is None:
            raise _UnclearError(f"has {text!r} beside the number; say --beside sd or --beside mark")
        if reading.beside == "mark":
            marks.append(text.replace(" ", "_"))
        elif sd is not None:
            raise _UnclearError(f"has two spreads, {sd!r} and {text!r}; give it with a correction")
        else:
            sd = _spelled(text, reading)
    return Said("number", value, sd, tuple(dict.fromkeys(marks)))


def _on_the_line(runs: Sequence[Run]) -> tuple[str, list[frozenset[str]], list[tuple[str, bool]]]:
    """What is neither raised nor lowered, with the styles of each character; and the rest, with whether it
    is lowered. A spread may be set smaller (75.1 with ±0.2 below): that is told by its sign."""
    characters: list[tuple[str, frozenset[str]]] = []
    apart: list[tuple[str, bool]] = []
    for run in runs:
        small = run.styles & {RAISED, LOWERED}
        text = run.text.strip() if small else run.text
        if small and text and not re.match(r"±|\+/?-|%", text):
            apart.append((text, LOWERED in small))
        else:
            characters += [(it, run.styles) for it in (f" {text}" if small and text else text)]
    if any(STRUCK in styles for it, styles in characters if it.isdigit()):
        raise _UnclearError("is struck out; say what it counts as with a correction")
    before = [" ", *(it for it, _ in characters)]
    kept = [
        (it, styles)
        for (it, styles), last in zip(characters, before, strict=False)
        if not (it + last).isspace()
    ]
    line = "".join(it for it, _ in kept)
    left = len(line) - len(line.lstrip())
    stripped = line.strip()
    return stripped, [styles for _, styles in kept[left : left + len(stripped)]], apart


def _styled(styles: Iterable[frozenset[str]], value: str) -> list[str]:
    """The styles of a number's digits; all have them, or it is not clear what is meant."""
    of_digits = [it - {RAISED, LOWERED} for it, sign in zip(styles, value, strict=True) if sign.isdigit()]
    everywhere = frozenset.intersection(*of_digits)
    if any(it != everywhere for it in of_digits):
        raise _UnclearError("has only some of its digits in bold or another style")
    return sorted(everywhere)


def _parts(text: str) -> list[str]:
    """The marks of one superscript: `a,b` are two."""
    return [it for it in re.split(r"[,\s]+", text) if it]


def _with_unit(line: str, raised: bool, reading: Reading) -> Said | None:
    """`18s` is a text, which may be a number with its unit."""
    match = None if raised else _WITH_UNIT.fullmatch(line)
    if match is None or "%" in match["value"]:
        return None
    try:
        return Said("text", with_unit=(_spelled(match["value"], reading), match["unit"]))
    except _UnclearError:
        return None


def _no_number(line: str, raised: bool) -> Said:
    if _SEVERAL.fullmatch(line):
        raise _UnclearError("holds two numbers; give each a cell of its own")
    if any(it.isdigit() and it not in "0123456789" for it in line):
        raise _UnclearError("has digits that are not 0 to 9; write those")
    if any(it.isalpha() for it in line) or raised:
        return Said("text")
    raise _UnclearError("is no plain number")


def _spelled(number: str, reading: Reading) -> str:
    """The number with the point and the commas that claim files have; the digits are those printed."""
    text = number.strip()
    text = re.sub(rf"(?<=[{_SIGNS}])\s|\s(?=%)", "", text)
    if reading.decimal == "comma":
        text = text.translate({ord(","): ".", ord("."): ","})
    bare = text.rstrip("%").lstrip(_SIGNS)
    if _GROUPED.match(bare):
        text = re.sub(rf"[{_THIN}'’]", ",", text)
    try:
        printed(text)
    except ValueError as err:
        raise _UnclearError(_why_not(number.strip(), reading)) from err
    return text


def _why_not(number: str, reading: Reading) -> str:
    if is_decimal_comma(number) and reading.decimal is None:
        return "has a decimal comma; say --decimal comma, or --decimal point if it has none"
    return "is no printed number: its points, commas or blanks stand where none can"


def is_decimal_comma(text: str) -> bool:
    """Whether a comma can only be a decimal one: 75,1 and 0,751, not 15,449."""
    match = re.search(r"(?<![0-9.,])([0-9]*),([0-9]+)(?![0-9.,])", text)
    return bool(match and (len(match[2]) != 3 or not 1 <= len(match[1]) <= 3 or match[1][:1] == "0"))
