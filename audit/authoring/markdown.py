"""Tables of a Markdown file. markdown-it-py, which rich brings along, finds them and their inline marks; the
cells of a row are counted here, since it drops those beyond the heading's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.authoring.cells import STRUCK, Found, Piece, Run
from audit.authoring.html import BLOCKS, STYLES

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong": "bold", "em": "italic", "s": STRUCK}
_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:[\s/][^>]*)?>", re.IGNORECASE)
#: Tags of HTML that change how their text looks, and nothing that is read here; any other <name> is text.
_PLAIN = ("a", "abbr", "big", "center", "code", "font", "kbd", "mark", "small", "span", "tt", "var")


def tables(text: str) -> list[Found]:
    """All tables of the file, in order."""
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    found: list[Found] = []
    rows: list[tuple[Piece, ...]] = []
    row: list[Piece] = []
    begin = line = 1
    for token in parser.parse(text):
        if token.type == "table_open":
            rows, begin = [], _line(token, 1)
        elif token.type == "tr_open":
            row, line = [], _line(token, line)
        elif token.type == "inline" and token.level and row is not None:
            row.append(Piece(tuple(_runs(token.children or ())), line))
        elif token.type == "tr_close":
            rows.append((*row, *_beyond(lines[line - 1], row, line)))
        elif token.type == "table_close":
            found.append(Found(rows=tuple(rows), line=begin, heads=1))
    return found


def _line(token: Token, otherwise: int) -> int:
    return token.map[0] + 1 if token.map else otherwise


def _beyond(source: str, row: Sequence[Piece], line: int) -> Iterator[Piece]:
    """What the line has in more cells than the heading."""
    cells = _BAR.split(re.sub(r"^\s*(>\s*)*\|?|(?<!\\)\|\s*$", "", source))
    for cell in cells[len(row) :]:
        yield Piece((Run(cell.strip()),), line)


def _runs(tokens: Sequence[Token]) -> Iterator[Run]:
    styles: list[str] = []
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind in _STYLES:
            _turn(styles, _STYLES[kind], token.nesting > 0)
        elif token.type == "html_inline":
            yield from _of_tag(token.content, styles)
        elif token.type in ("text", "code_inline", "image"):
            yield Run(token.content, frozenset(styles))
        elif token.type in ("softbreak", "hardbreak"):
            yield Run(" ")


def _turn(styles: list[str], style: str, on: bool) -> None:
    if on:
        styles.append(style)
    elif style in styles:
        styles.remove(style)


def _of_tag(text: str, styles: list[str]) -> Iterator[Run]:
    """A tag within a cell, as a page shows it: <br/> is a blank, <sup> raises what follows."""
    match = _TAG.fullmatch(text)
    name = match[2].casefold() if match else ""
    if name in STYLES:
        _turn(styles, STYLES[name], not (match and match[1]))
    elif name in BLOCKS:
        yield Run(" ")
    elif name not in _PLAIN and not text.startswith("<!--"):
        yield Run(text, frozenset(styles))
