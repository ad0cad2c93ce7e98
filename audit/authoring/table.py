"""A table as it is read: cells with the numbers as printed, the heading, the names of the rows.

A printed number stays the string that it is. What could be read in two ways is `unclear`, with the reason;
the user settles it by words on the whole table: `decimal` is point or comma, `beside` (sd or mark) is what a
number in brackets, or a small one above or below the line, is; digits: it counts units of the last digit.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from importlib import resources
from itertools import count
from typing import Any, Literal

from audit.claims.source import is_visible
from audit.errors import AuditError
from audit.stats.printed import printed

_WORDS = tomllib.loads((resources.files("audit.authoring") / "words.toml").read_text(encoding="utf-8"))


def words(part: str, table: str) -> dict[str, str]:
    """Word -> what it stands for: commands of LaTeX, metrics, quantities, units, from `words.toml`."""
    return {word: value for value, listed in _WORDS[part][table].items() for word in listed.split()}


#: Cells of one table: many times what a claim file of 2 MB can hold.
MOST_CELLS = 50_000
#: Styles that place text; any other style of a number becomes one of its marks.
RAISED, LOWERED = "raised", "lowered"
#: A comma that LaTeX sets without a blank behind it, and a number by siunitx: 82.12(15) is 82.12 ± 0.15.
COMMA, COMPACT = "comma", "compact"
_PLACING = frozenset({RAISED, LOWERED, COMMA, COMPACT})
UNSEEN = "holds characters that are not seen, or turn text round; take them out"


@dataclass(frozen=True)
class Run:
    """Characters in one style."""

    text: str
    styles: frozenset[str] = frozenset()  # bold, italic, underline, struck; raised, lowered.


@dataclass(frozen=True)
class Piece:
    """A cell as a reader of files gives it."""

    runs: tuple[Run, ...]
    line: int  # Line of the file on which it begins, from 1.
    across: int = 1
    down: int = 1
    """Columns and rows that it covers; `down` is negative where it stands in the last of its rows."""
    why: str | None = None  # What the reader could not read in it.

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
    heads: int | None = None  # How many rows are the heading, where the file itself says so.
    least_heads: bool = False
    """Whether there may be more of them than `heads`: a rule below the first row of several."""
    fills: bool = False
    """Whether a cell over several rows has empty ones below it in the file (LaTeX), or none (HTML)."""
    shown: str | None = None  # The table as text, where the file cannot be looked at as text (PDF).


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell in its place, columns counted from 1, and what it says."""

    text: str
    kind: Literal["number", "dash", "empty", "text", "unclear"]
    """number: one printed number, perhaps with a spread and marks. dash: the paper prints that there is none.
    unclear: made of digits, and no number that can be read in one way. text: everything else."""
    value: str | None = None  # The printed number, as a string; None for any other kind.
    sd: str | None = None  # What stands after the plus-minus sign.
    marks: tuple[str, ...] = ()
    """bold, underline, stars, daggers, footnote letters: as printed, without the number."""
    why: str | None = None  # For `unclear`: why it cannot be read.
    with_unit: tuple[str, str] | None = None
    """For `text` that is a number and a unit behind it, as 18s: both."""
    column: int = 0
    line: int = 0
    across: int = 1
    hidden: bool = False  # Whether not even its text is known: unknown commands, unseen characters.


@dataclass(frozen=True)
class Row:
    """One row of the body."""

    number: int  # From 1, headings not counted: what `row 3` means in a correction.
    line: int
    names: tuple[str, ...]  # Section, group and name, from the outside in, without repeats.
    cells: tuple[Cell, ...]  # One for each column, those of the names among them.


@dataclass(frozen=True)
class Table:
    """A table with its heading and the names of its rows."""

    name: str  # The file, as the user named it.
    form: str  # latex, csv, tsv, markdown or html.
    line: int
    heading: tuple[tuple[Cell, ...], ...]
    """Rows of the heading, one cell for each column; a cell over several columns stands in each."""
    names: int  # How many columns at the left name the rows.
    rows: tuple[Row, ...]
    spread: str | None = None  # sd or se, where titles of columns say so.
    notes: tuple[str, ...] = ()  # What was put together, in sentences for the user.

    @property
    def width(self) -> int:
        return len(self.heading[0])

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The titles of each column from top to bottom, without blanks and repeats."""
        return tuple(
            tuple(dict.fromkeys(cell.text for cell in column if cell.text))
            for column in zip(*self.heading, strict=True)
        )


def check_size(name: str, line: int, cells: int) -> None:
    """Raises `AuditError` for more cells than a table has, before all of a large file is read."""
    if cells > MOST_CELLS:
        raise AuditError(f"{name}:{line}: more than {MOST_CELLS:,} cells; give the table in parts")


# --------------------------------------------------------------------------- what a cell says

STARS = "*\N{ASTERISK OPERATOR}\N{LOW ASTERISK}\N{FULLWIDTH ASTERISK}†‡§¶#★☆⋆↑↓▲▼△▽◦•✓^°"
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
_DASH = re.compile(
    r"[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}–—―−_]{1,4}|n/?a\.?|nan|/", re.IGNORECASE
)
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
    """What the cell with these characters says; `settings` and `place` as in `Cell` and above."""
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
            raise _UnclearError("holds two numbers; give each a cell of its own")
        if any(sign.isdigit() and sign not in "0123456789" for sign in line):
            raise _UnclearError("has digits that are not 0 to 9; write those")
        if any(sign.isalpha() for sign in line) or small:
            return {"kind": "text"}
        raise _UnclearError("is no plain number")
    digits = [styles for sign, styles in signs[slice(*match.span("value"))] if sign.isdigit()]
    styles = {own - _PLACING for own in digits}
    compact = any(COMPACT in own for own in digits)
    if len(styles) > 1:
        raise _UnclearError("has only some of its digits in bold or another style")
    if any("struck" in own for own in styles):
        raise _UnclearError("is struck out; say what it counts as with a correction")
    marks = [*sorted(styles.pop()), *match["before"].split(), *match["after"].split()]
    value, sd = _spelled(match["value"], decimal), match["sd"] and _spelled(match["sd"], decimal)
    beside = [match["beside"][1:-1].strip()] if match["beside"] else []
    for text, lowered in small:
        if lowered or not _RAISED_MARK.fullmatch(text):
            beside.append(text.strip("()[] "))
        else:
            marks += [mark for mark in re.split(r"[,\s]+", text) if mark]
    for text in beside:
        units = text.isdecimal() and "." in value  # 82.12(15): 0.15 as physics writes it, or 15
        told = (
            "digits" if compact and text.isdecimal() else "sd" if text[:1] == "±" else settings.get("beside")
        )
        if _CHANGE.match(text) or told == "mark":
            marks.append(text.replace(" ", "_"))
        elif told is None:
            say = "digits" if units else "sd"
            raise _UnclearError(f"has {text!r} beside the number; say --set beside={say} or beside=mark")
        elif sd is not None:
            raise _UnclearError(f"has two spreads, {sd!r} and {text!r}; give it with a correction")
        elif units and told == "sd":
            what = f"has {text!r} beside the number, which may be {_units(text, value)}"
            raise _UnclearError(f"{what}; say --set beside=digits if so, or give its sd with a correction")
        else:
            sd = _units(text, value) if units else _spelled(text.lstrip("± "), decimal)
    return {"kind": "number", "value": value, "sd": sd, "marks": tuple(dict.fromkeys(marks))}


def _units(count: str, value: str) -> str:
    """A spread in units of the last digit of a number: 15 of 82.12 is 0.15."""
    decimals = len(value.rstrip("%").partition(".")[2])
    return f"{Decimal(count).scaleb(-decimals):f}"


def _on_the_line(
    runs: Sequence[Run], decimal: str | None
) -> tuple[list[tuple[str, frozenset[str]]], list[tuple[str, bool]]]:
    """The characters on the line with styles (a spread set smaller too), and those raised or lowered."""
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
    """The number with the point and the commas that claim files have; the digits are those printed."""
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
        why = "is no printed number: its points, commas or blanks stand where none can"
        raise _UnclearError(why) from err
    return text


# --------------------------------------------------------------------------- heading, names, rows

Grid = list[list[Cell]]


def laid_out(source: Source, name: str, form: str, settings: Mapping[str, str]) -> Table:
    """The table that a reader gives. Raises `AuditError` for rows of different lengths, and for none."""
    at = f"{name}:{source.line}"
    pieces = _placed(source, name)
    width = max(map(len, pieces), default=0)
    check_size(name, source.line, len(pieces) * width)
    grid: Grid = []
    for row in pieces:
        blanks = [Piece((Run(""),), row[0].line if row else 0)] * (width - len(row))
        grid.append([_cell(piece, column, settings) for column, piece in enumerate([*row, *blanks], 1)])
    if not grid:
        raise AuditError(f"{at}: the table has no rows; give one with a heading and rows")
    top = int(settings["heads"]) if "heads" in settings else _heads(grid, source)
    if not 0 < top < len(grid):
        what = "no heading" if top == 0 else "no rows below its heading"
        raise AuditError(f"{at}: the table has {what}; say --set heads=N, its number of rows")
    if "heads" not in settings and _INDEX.fullmatch(grid[top][0].text) and _is_section(grid[top]):
        top += len(grid) > top + 1  # pandas: the name of the index, on a line of its own below the heading
    body = grid[top:]
    columns = max(map(len, pieces[:top]))
    for row, cells in zip(pieces[top:], body, strict=True):
        if len(row) != columns and not _is_section(cells):
            what = f"{len(row)} cells under {columns} columns; write one for each"
            raise AuditError(f"{name}:{cells[0].line}: {what}, an empty one where there is none")
    left = int(settings["names"]) if "names" in settings else width
    if "names" not in settings:  # columns at the left without a number; the first one in any case
        for column, of_body in enumerate(zip(*body, strict=True)):
            if any(
                cell.kind == "number"
                or cell.with_unit is not None
                or (cell.kind == "unclear" and not any(map(str.isalpha, cell.text)))
                for cell in of_body
            ):
                left = max(1, column)
                break
    if left >= width:
        raise AuditError(f"{at}: no column holds numbers; is this a table of results?")
    spread, notes = _put_together(grid, top, left)
    heading, body = tuple(map(tuple, grid[:top])), grid[top:]
    return Table(name, form, source.line, heading, left, _rows(body, left), spread, notes)


_INDEX = re.compile(
    r"methods?|models?|algorithms?|systems?|names?|classifiers?|approach|runs?", re.IGNORECASE
)
_OF_MEAN = r"(?:mean|avg|average)"
_STATISTIC = re.compile(
    rf"(?P<of>.+?)[\s_/.:|,(-]+(?:{_OF_MEAN}"
    r"|(?P<sd>std|sd|st\.?d\.?|std\.? ?dev\.?|stdev|stddev|standard deviation|±|σ)|"
    r"(?P<se>se|sem|stderr|std\.? ?err\.?|standard error))\)?",
    re.IGNORECASE,
)


def _put_together(grid: Grid, top: int, left: int) -> tuple[str | None, tuple[str, ...]]:
    """Columns of means and of their spreads become one, as pandas and evaluation scripts part them."""
    titles = [
        " ".join(dict.fromkeys(row[k].text for row in grid[:top] if row[k].text)) for k in range(len(grid[0]))
    ]
    parts = {k: _STATISTIC.fullmatch(titles[k]) for k in range(left, len(titles))}
    spreads = {k: it for k, it in parts.items() if it and (it["sd"] or it["se"])}
    pairs: dict[int, int] = {}
    for k, part in spreads.items():
        names = {part["of"].casefold()}
        own = [
            j
            for j, it in parts.items()
            if j not in spreads and (it["of"] if it else titles[j]).casefold() in names
        ]
        if len(own) == 1 and own[0] not in pairs:
            pairs[own[0]] = k
    for j, k in pairs.items():
        for row in grid[:top]:
            plain = re.sub(rf"(?:^|[\s_/.:|,(-]+){_OF_MEAN}\)?$", "", row[j].text, flags=re.IGNORECASE)
            row[j] = replace(row[j], text=plain)
        for row in grid[top:]:
            if row[j].kind == "number" and row[k].kind == "number" and not (row[j].sd or row[k].sd):
                row[j] = replace(row[j], sd=row[k].value)
            elif row[k].kind not in ("empty", "dash"):
                why = f"has a spread beside it that is no plain number: {row[k].text!r}"
                row[j] = replace(row[j], kind="unclear", value=None, why=why)
    notes = [
        f"columns {titles[j]!r} and {titles[k]!r} of the file are read as one, with its spread"
        for j, k in pairs.items()
    ]
    gone = set(pairs.values())
    for row in grid:
        row[:] = [
            replace(cell, column=k)
            for k, cell in enumerate((c for n, c in enumerate(row) if n not in gone), 1)
        ]
    kinds = {"sd" if spreads[k]["sd"] else "se" for k in gone}
    return kinds.pop() if len(kinds) == 1 else None, tuple(notes)


def _placed(source: Source, name: str) -> list[list[Piece]]:
    """The rows with each piece in all the columns and rows that it covers."""
    places: dict[tuple[int, int], Piece] = {}
    spans: list[tuple[int, int, Piece]] = []
    for row, pieces in enumerate(source.rows):
        column = 0
        for piece in pieces:
            column = next(free for free in count(column) if (row, free) not in places)
            rows = range(row, row + (1 if source.fills else piece.down))
            covered = range(column, column + piece.across)
            places |= {(down, across): piece for down in rows for across in covered}
            check_size(name, source.line, len(places))
            if source.fills and abs(piece.down) > 1:
                spans.append((row, column, piece))
    for row, column, piece in spans:  # empty cells that a cell above or below covers take its content
        step = 1 if piece.down > 0 else -1
        for down in range(row, row + piece.down, step):
            for across in range(column, column + piece.across):
                if (down, across) in places and not places[down, across].text:
                    places[down, across] = piece
    placed: list[list[Piece]] = []
    for row in range(len(source.rows)):
        cells: list[Piece] = []
        while (row, len(cells)) in places:
            cells.append(places[row, len(cells)])
        placed.append(cells)
    return placed


def _cell(piece: Piece, column: int, settings: Mapping[str, str]) -> Cell:
    place: dict[str, Any] = {"column": column, "line": piece.line, "across": piece.across}
    if piece.why:
        return Cell(text=piece.text, kind="unclear", why=piece.why, hidden=True, **place)
    return replace(cell_of(piece.runs, settings, **place), text=piece.text)


def _is_section(row: Sequence[Cell]) -> bool:
    """One text at the left, or over the whole width, and nothing else."""
    filled = {(cell.text, cell.line) for cell in row if cell.kind != "empty"}
    return len(filled) == 1 and row[0].kind == "text" and row[0].across in (1, len(row))


def _heads(grid: Grid, source: Source) -> int:
    """Rows of the heading: those that the file says, or those down to the first line across the table.

    A row with gaps or with titles over several columns goes on in the next one, as long as that has no
    number. Whole numbers may stand in it (the k of P@k).
    """
    if source.heads is not None and not source.least_heads:
        return source.heads
    results = [
        any(cell.kind not in ("empty", "text") or cell.with_unit is not None for cell in row[1:])
        for row in grid
    ]
    by_content = results.index(True) if True in results else len(grid)
    while by_content > 1 and _is_section(grid[by_content - 1]):
        by_content -= 1
    heads = source.heads or min(1, by_content)
    if any("." in (cell.value or "") for row in grid[by_content:heads] for cell in row):
        heads = by_content
    used = [k for k in range(1, len(grid[0])) if any(row[k].kind != "empty" for row in grid)]
    while 0 < heads < by_content and (
        any(grid[heads - 1][k].kind == "empty" or grid[heads - 1][k].across > 1 for k in used)
        or len({tuple(row[k].text for row in grid[:heads]) for k in used}) < len(used)  # P@1, P@1
    ):
        heads += 1
    return heads


def _rows(body: Grid, names: int) -> tuple[Row, ...]:
    """The rows with their names, those of the sections above them first."""
    titles = [len(row) > 1 and _is_section(row) and row is not body[-1] for row in body]
    rows: list[Row] = []
    section: tuple[str, ...] = ()
    for k, (row, title) in enumerate(zip(body, titles, strict=True)):
        if title:
            section = (*section, row[0].text) if k and titles[k - 1] else (row[0].text,)
        else:
            own = [cell.text for cell in row[:names] if cell.text]
            path = tuple(dict.fromkeys([*section, *own]))
            rows.append(Row(len(rows) + 1, row[-1].line, path, tuple(row)))
    return tuple(rows)
