"""Tables of an HTML page, and of a Markdown file, which is read as the HTML that it stands for.

The standard library's parser reads pages, since it tells the line of each cell and takes the pages that
there are; pandas would turn numbers to floats, and say neither where they stood nor what was bold. Tables of
Markdown are found by markdown-it-py, which rich brings along; the cells of a row are counted here, since it
drops those beyond the heading's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from audit.authoring.cells import LOWERED, RAISED, STRUCK, Piece, Run, Source, check_size

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "del", "strike"), STRUCK),
    "sup": RAISED,
    "sub": LOWERED,
}
_SILENT = ("script", "style", "template", "noscript")
#: Tags that part what stands before and after them.
_BLOCKS = ("br", "p", "div", "li", "tr", "td", "th")
_MOST_SPAN = 500
#: Attribute with a line of the Markdown behind a page.
_LINE = "data-line"


def html_tables(name: str, text: str, *, made: bool = False) -> list[Source]:
    """All tables of the page, in order; one within a cell of another is a table of its own.

    `made`: whether the page was made here, and says the lines itself.
    """
    page = _Page(name, made)
    page.feed(text)
    page.close()
    while page.open:
        page.handle_endtag("table")
    return [
        Source(tuple(it.rows), it.line, it.heads or None, it.heads == 0, caption=it.caption)
        for it in sorted(page.tables, key=lambda it: it.line)
        if it.rows
    ]


@dataclass
class _Cell:
    line: int
    across: int
    down: int
    styles: list[tuple[str, str]]
    """Open tags, each with its style or none."""
    runs: list[Run] = field(default_factory=list)


@dataclass
class _Table:
    line: int
    rows: list[tuple[Piece, ...]] = field(default_factory=list)
    row: list[Piece] = field(default_factory=list)
    cell: _Cell | None = None
    heads: int = 0
    in_head: bool = True
    """Whether rows may be of the heading: before or within <thead>, or of <th> alone."""
    only_th: bool = True
    caption: str = ""


class _Page(HTMLParser):
    """Rows and cells end where the next one begins: their end tags may be left out."""

    def __init__(self, name: str, made: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.name, self.made, self.cells = name, made, 0
        self.tables: list[_Table] = []
        self.open: list[_Table] = []
        self.silent: str | None = None
        self.caption = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        line = int(given.get(_LINE) or self.getpos()[0]) if self.made else self.getpos()[0]
        if tag in _SILENT:
            self.silent = tag
        elif tag == "table":
            self.open.append(_Table(line))
        elif not self.open:
            return
        elif tag == "tr":
            self._end_row()
        elif tag in ("td", "th"):
            self._end_cell()
            self.open[-1].only_th &= tag == "th"
            styles = [("", "bold")] if tag == "td" and _is_bold(given) else []
            across, down = (_span(given.get(it)) for it in ("colspan", "rowspan"))
            self.open[-1].cell = _Cell(line, across, down, styles)
        elif tag in ("thead", "tbody", "tfoot"):
            self._end_row()
            self.open[-1].in_head = tag == "thead"
        elif tag == "caption":
            self.caption = True
        elif (cell := self.open[-1].cell) is not None:
            if tag in _BLOCKS:
                cell.runs.append(Run(" "))
            if tag in _STYLES or tag == "span":
                style = _STYLES.get(tag) or ("bold" if _is_bold(given) else "")
                cell.styles.append((tag, style))

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = None
        elif tag == "caption":
            self.caption = False
        elif not self.open:
            return
        elif tag == "table":
            self._end_row()
            self.tables.append(self.open.pop())
            self.caption = False
        elif tag in ("tr", "thead"):
            self._end_row()
            self.open[-1].in_head &= tag != "thead"
        elif tag in ("td", "th"):
            self._end_cell()
        elif (cell := self.open[-1].cell) is not None:
            tags = [it for it, _ in cell.styles]
            if tag in tags:
                del cell.styles[len(tags) - 1 - tags[::-1].index(tag)]

    def handle_data(self, data: str) -> None:
        if self.silent or not self.open:
            return
        table = self.open[-1]
        if self.caption:
            table.caption = " ".join(f"{table.caption} {data}".split())
        elif table.cell is not None:
            styles = frozenset(style for _, style in table.cell.styles if style)
            table.cell.runs.append(Run(data, styles))

    def _end_cell(self) -> None:
        table = self.open[-1]
        if (cell := table.cell) is not None:
            runs = tuple(cell.runs) or (Run(""),)
            table.row.append(Piece(runs, cell.line, cell.across, cell.down))
            table.cell = None

    def _end_row(self) -> None:
        self._end_cell()
        table = self.open[-1]
        if any(piece.text for piece in table.row):
            table.rows.append(tuple(table.row))
            self.cells += len(table.row)
            check_size(self.name, table.line, self.cells)
            if table.in_head and table.only_th and table.heads == len(table.rows) - 1:
                table.heads += 1
        table.row, table.only_th = [], True


def _span(given: str | None) -> int:
    text = (given or "1").strip()
    return min(max(int(text), 1), _MOST_SPAN) if re.fullmatch("[0-9]{1,5}", text) else 1


def _is_bold(given: dict[str, str | None]) -> bool:
    """As pages made from LaTeX write it: a class ltx_font_bold, or a style."""
    style = f"{given.get('style') or ''} {given.get('class') or ''}"
    return re.search(r"font-weight:\s*(bold|[6-9]00)|font_bold|\bbold\b", style) is not None


# --------------------------------------------------------------------------- Markdown

_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:[\s/][^>]*)?>", re.IGNORECASE)
#: Tags of HTML that change how their text looks, and nothing that is read here; any other <name> is text.
_PLAIN = ("a", "abbr", "big", "center", "code", "font", "kbd", "mark", "small", "span", "tt", "var")


def markdown_tables(name: str, text: str) -> list[Source]:
    """All tables of the file, in order."""
    from markdown_it import MarkdownIt

    lines, page = text.split("\n"), list[str]()
    cell, line, width = "", 1, 0
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        line = token.map[0] + 1 if token.map and token.type in ("table_open", "tr_open") else line
        match token.type:
            case "table_open":
                page.append(f"<table {_LINE}={line}>")
            case "tr_open":
                page.append("<tr>")
                width = 0
            case "th_open" | "td_open":
                cell = f"<{token.tag} {_LINE}={line}>"
                width += 1
            case "inline" if cell:
                page.append(cell + "".join(map(_as_html, token.children or ())))
                cell = ""
            case "tr_close":
                parts = _BAR.split(re.sub(r"^\s*(>\s*)*\|?|(?<!\\)\|\s*$", "", lines[line - 1]))
                page += [f"<td {_LINE}={line}>{escape(it.strip())}" for it in parts[width:]]
                page.append("</tr>")
            case "table_close":
                page.append("</table>")
    return html_tables(name, "".join(page), made=True)


def _as_html(token: Token) -> str:
    """A part of a cell as HTML; a tag within it is as a page shows it: <br/> is a blank."""
    if token.type == "html_inline":
        match = _TAG.fullmatch(token.content)
        name = match[2].casefold() if match else ""
        if name in _STYLES:
            return token.content
        if name in _BLOCKS:
            return " "
        return "" if name in _PLAIN or token.content.startswith("<!--") else escape(token.content)
    if token.tag in _STYLES:
        return f"<{'/' if token.nesting < 0 else ''}{token.tag}>"
    return " " if token.type in ("softbreak", "hardbreak") else escape(token.content)
