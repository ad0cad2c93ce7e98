"""Tables of a Markdown file: markdown-it-py, which rich brings along, finds them, and they are read as HTML.

The cells of a row are counted here, since it drops those beyond the heading's.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from audit.authoring import html
from audit.authoring.cells import Found

if TYPE_CHECKING:
    from markdown_it.token import Token

_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:[\s/][^>]*)?>", re.IGNORECASE)
#: Tags of HTML that change how their text looks, and nothing that is read here; any other <name> is text.
_PLAIN = ("a", "abbr", "big", "center", "code", "font", "kbd", "mark", "small", "span", "tt", "var")


def tables(name: str, text: str) -> list[Found]:
    """All tables of the file, in order."""
    from markdown_it import MarkdownIt

    lines, page = text.split("\n"), list[str]()
    cell, line, width = "", 1, 0
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        line = token.map[0] + 1 if token.map and token.type in ("table_open", "tr_open") else line
        if token.type == "table_open":
            page.append(f"<table {html.LINE}={line}>")
        elif token.type == "tr_open":
            page.append("<tr>")
            width = 0
        elif token.type in ("th_open", "td_open"):
            cell = f"<{token.tag} {html.LINE}={line}>"
            width += 1
        elif token.type == "inline" and cell:
            page.append(cell + "".join(map(_shown, token.children or ())))
            cell = ""
        elif token.type == "tr_close":
            parts = _BAR.split(re.sub(r"^\s*(>\s*)*\|?|(?<!\\)\|\s*$", "", lines[line - 1]))
            page += [f"<td {html.LINE}={line}>{escape(it.strip())}" for it in parts[width:]]
            page.append("</tr>")
        elif token.type == "table_close":
            page.append("</table>")
    return html.tables(name, "".join(page), made=True)


def _shown(token: Token) -> str:
    """A part of a cell as HTML; a tag within it is as a page shows it: <br/> is a blank."""
    if token.type == "html_inline":
        match = _TAG.fullmatch(token.content)
        name = match[2].casefold() if match else ""
        if name in html.STYLES:
            return token.content
        if name in html.BLOCKS:
            return " "
        return "" if name in _PLAIN or token.content.startswith("<!--") else escape(token.content)
    if token.tag in html.STYLES:
        return f"<{'/' if token.nesting < 0 else ''}{token.tag}>"
    return " " if token.type in ("softbreak", "hardbreak") else escape(token.content)
