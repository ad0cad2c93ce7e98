"""Tables of a Markdown file. markdown-it-py, which rich brings along, finds them and their inline marks; the
cells of a row are counted here, since it drops those beyond the heading's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.authoring.raw import STRUCK, Found, Piece, Run

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong": "bold", "em": "italic", "s": STRUCK}
_BAR = re.compile(r"(?<!\\)\|")


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
            if token.nesting > 0:
                styles.append(_STYLES[kind])
            elif _STYLES[kind] in styles:
                styles.remove(_STYLES[kind])
        elif token.type in ("text", "code_inline", "html_inline", "image"):
            yield Run(token.content, frozenset(styles))
        elif token.type in ("softbreak", "hardbreak"):
            yield Run(" ")
