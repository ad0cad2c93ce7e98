"""A table as its file has it: every cell with its text, number, spread and marks, and where it stands.

Readers (`latex`, `separated`, `markdown`, `html`) give a `Found`; `layout` makes a `RawTable` of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from audit.errors import AuditError

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
