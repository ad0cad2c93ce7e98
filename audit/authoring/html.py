"""Tables of an HTML page. The standard library's parser reads them, since it tells the line of each cell and
takes the pages that there are; pandas and lxml would turn numbers to floats, or not say where they stood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from audit.authoring.cells import LOWERED, RAISED, STRUCK, Found, Piece, Run, check_size

STYLES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "del", "strike"), STRUCK),
    "sup": RAISED,
    "sub": LOWERED,
}
_SILENT = ("script", "style", "template", "noscript")
#: Tags that part what stands before and after them.
BLOCKS = ("br", "p", "div", "li", "tr", "td", "th")
_MOST_SPAN = 500
#: Attribute with a line of the Markdown behind a page.
LINE = "data-line"


@dataclass
class _Table:
    line: int
    rows: list[tuple[Piece, ...]] = field(default_factory=list)
    row: list[Piece] = field(default_factory=list)
    heads: int = 0
    heading: bool = True
    """Whether all rows so far are of the heading."""
    only_th: bool = True
    caption: str = ""


class _Cell:
    def __init__(self, line: int, across: int, down: int, bold: bool) -> None:
        self.line, self.across, self.down = line, across, down
        self.runs: list[Run] = []
        self.styles: list[tuple[str, str]] = [("", "bold")] if bold else []


def tables(name: str, text: str, *, made: bool = False) -> list[Found]:
    """All tables of the page, in order; one within a cell of another is a table of its own.

    `made`: whether the page was made here, and says the lines itself.
    """
    reader = _Reader(name, made)
    reader.feed(text)
    reader.close()
    while reader.open:
        reader.end_table()
    return [
        Found(tuple(it.rows), it.line, it.heads or None, it.heads == 0, caption=it.caption)
        for it in sorted(reader.found, key=lambda it: it.line)
        if it.rows
    ]


class _Reader(HTMLParser):
    """Rows and cells end where the next one begins: their end tags may be left out."""

    def __init__(self, name: str, made: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.name, self.made, self.held = name, made, 0
        self.found: list[_Table] = []
        self.open: list[_Table] = []
        self.cells: list[_Cell | None] = []
        """The open cell of each open table."""
        self.silent: str | None = None
        self.caption = False

    # ------------------------------------------------------------------ tags

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _SILENT:
            self.silent = tag
        elif tag == "table":
            self.open.append(_Table(self._line(given)))
            self.cells.append(None)
        elif not self.open:
            return
        elif tag == "tr":
            self.end_row()
        elif tag in ("td", "th"):
            self._begin_cell(tag, given)
        elif tag in ("thead", "tbody", "tfoot"):
            self.end_row()
            self.open[-1].heading = tag == "thead"
        elif tag == "caption":
            self.caption = True
        elif (cell := self.cells[-1]) is not None:
            self._style(cell, tag, given)

    def _line(self, given: dict[str, str | None]) -> int:
        """Of the page, or that of the Markdown which it was made from."""
        return int(given.get(LINE) or self.getpos()[0]) if self.made else self.getpos()[0]

    def _begin_cell(self, tag: str, given: dict[str, str | None]) -> None:
        self.end_cell()
        table = self.open[-1]
        table.only_th &= tag == "th"
        across, down = (_span(given.get(name)) for name in ("colspan", "rowspan"))
        bold = tag == "td" and _is_bold(given)
        self.cells[-1] = _Cell(self._line(given), across, down, bold)

    def _style(self, cell: _Cell, tag: str, given: dict[str, str | None]) -> None:
        if tag in BLOCKS:
            cell.runs.append(Run(" "))
        if tag in STYLES:
            cell.styles.append((tag, STYLES[tag]))
        elif tag == "span" and _is_bold(given):
            cell.styles.append((tag, "bold"))
        elif tag == "span":
            cell.styles.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = None
        elif tag == "caption":
            self.caption = False
        elif not self.open:
            return
        elif tag == "table":
            self.end_table()
        elif tag == "tr":
            self.end_row()
        elif tag in ("td", "th"):
            self.end_cell()
        elif tag == "thead":
            self.end_row()
            self.open[-1].heading = False
        elif (cell := self.cells[-1]) is not None:
            place = next((k for k in reversed(range(len(cell.styles))) if cell.styles[k][0] == tag), None)
            if place is not None:
                del cell.styles[place]

    def handle_data(self, data: str) -> None:
        if self.silent or not self.open:
            return
        if self.caption:
            self.open[-1].caption = " ".join(f"{self.open[-1].caption} {data}".split())
        elif (cell := self.cells[-1]) is not None:
            cell.runs.append(Run(data, frozenset(style for _, style in cell.styles if style)))

    # ------------------------------------------------------------------ ends

    def end_cell(self) -> None:
        cell, self.cells[-1] = self.cells[-1], None
        if cell is not None:
            piece = Piece(tuple(cell.runs) or (Run(""),), cell.line, cell.across, cell.down)
            self.open[-1].row.append(piece)

    def end_row(self) -> None:
        self.end_cell()
        table = self.open[-1]
        if table.row and any(piece.text for piece in table.row):
            table.rows.append(tuple(table.row))
            self.held += len(table.row)
            check_size(self.name, table.line, self.held)
            table.heading &= table.only_th or len(table.rows) == 1 or table.heading
            if table.heading and table.only_th and table.heads == len(table.rows) - 1:
                table.heads = len(table.rows)
        table.row, table.only_th = [], True

    def end_table(self) -> None:
        self.end_row()
        table = self.open.pop()
        self.cells.pop()
        self.caption = False
        self.found.append(table)


def _span(given: str | None) -> int:
    text = (given or "1").strip()
    return min(max(int(text), 1), _MOST_SPAN) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


def _is_bold(given: dict[str, str | None]) -> bool:
    """As pages made from LaTeX write it: a class ltx_font_bold, or a style."""
    style = f"{given.get('style') or ''} {given.get('class') or ''}"
    return re.search(r"font-weight:\s*(bold|[6-9]00)|font_bold|\bbold\b", style) is not None
