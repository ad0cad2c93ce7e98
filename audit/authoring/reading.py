"""Reads a table from a file or pasted text: LaTeX, CSV, TSV, Markdown (through HTML), HTML, text with aligned
columns, or PDF.

The standard library's parsers read CSV and pages: pandas has floats and no line numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from audit.authoring import latex, places
from audit.authoring.layout import laid_out
from audit.authoring.table import LOWERED, RAISED, Piece, Run, Source, Table, check_size
from audit.errors import AuditError
from audit.importing.tables import csv_lines

#: A paper's whole source has less; a claim file may have 2 MB.
MOST_BYTES = 16 << 20
FORMS = ("latex", "csv", "tsv", "markdown", "html", "text")
SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}

_SUFFIXES = dict(zip((".tex", ".csv", ".tsv", ".md", ".html", ".txt"), FORMS, strict=True))
#: What only one form has.
_SIGNS = {
    "latex": re.compile(r"\\begin\s*\{(?:tabular|longtable|NiceTabular|supertabular)"),
    "html": re.compile(r"<table\b", re.IGNORECASE),
    "markdown": re.compile(r"^[ >]*\|?[ ]*:?-+:?[ ]*\|[ |:-]*$", re.MULTILINE),
}
_NO_TABLE = {
    "latex": "no tabular, tabularx or longtable; \\input is not followed, so give the file that has it",
    "markdown": "no table with a line of dashes below its heading; for another format say --set format=",
    "html": "no <table>; for another format say --set format=",
    "pdf": "no numbers between lines across a table; give the table as text (.txt)",
}


def read(source: str, settings: Mapping[str, str]) -> Table:
    """The chosen table of the file `source`, or of standard input for `-`. `settings` from the user: format,
    number (which table), heads, names, separator, decimal, beside. Raises `AuditError`: no file, no text, no
    table, several, or a malformed one."""
    name = "standard input" if source == "-" else source
    try:
        if source == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(source).open("rb") as stream:
                content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as err:  # ValueError: a null character in the name
        reason = getattr(err, "strerror", None) or str(err)
        raise AuditError(f"{name}: {reason}; give a file with a table, or - for standard input") from err
    if content.startswith(b"%PDF-"):
        page = int(settings["page"]) if "page" in settings else None
        return _chosen(name, "pdf", places.of_pdf(name, content, page), settings)
    if len(content) > MOST_BYTES:
        raise AuditError(f"{name}: more than {MOST_BYTES >> 20} MB; give a file with the table alone")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        at, what = content.count(b"\n", 0, err.start) + 1, f"byte 0x{content[err.start]:02x} is not UTF-8"
        raise AuditError(f"{name}:{at}: {what}; save the file as UTF-8, if it is a text") from err
    return table_of(name, text.replace("\r\n", "\n").replace("\r", "\n"), settings)


def table_of(name: str, text: str, settings: Mapping[str, str]) -> Table:
    """`read` for a text that is already in memory."""
    form = settings.get("format") or _SUFFIXES.get(Path(name).suffix.casefold())
    if form is None:  # by what no other form has
        forms = [form for form, sign in _SIGNS.items() if sign.search(text)]
        if len(forms) != 1:
            offer = f"say --set format={'|'.join(FORMS)}"
            raise AuditError(f"{name}: its format cannot be recognised; {offer}")
        form = forms[0]
    readers = {"latex": latex.tables, "markdown": _of_markdown, "html": _of_html, "text": places.of_text}
    if form in readers:
        tables = readers[form](name, text)
    else:
        tables = _of_csv(name, text, settings, "tab" if form == "tsv" else None)
    return _chosen(name, form, tables, settings)


def _chosen(name: str, form: str, tables: Sequence[Source], settings: Mapping[str, str]) -> Table:
    number = settings.get("number")
    if not tables:
        raise AuditError(f"{name}: {_NO_TABLE.get(form, 'it is empty; give one with a heading and rows')}")
    if number is not None and int(number) > len(tables):
        raise AuditError(f"{name}: there is no table {number}; say --set number=N up to {len(tables)}")
    if number is None and len(tables) > 1:
        part = "page" if form == "pdf" else "line"
        listed = "; ".join(f"{k} on {part} {table.line}" for k, table in enumerate(tables[:12], 1))
        more = f"; and {len(tables) - 12} more" if len(tables) > 12 else ""
        raise AuditError(f"{name}: {len(tables)} tables; say --set number=N ({listed}{more})")
    return laid_out(tables[int(number or 1) - 1], name, form, settings)


def _of_csv(name: str, text: str, settings: Mapping[str, str], separator: str | None) -> list[Source]:
    separator = settings.get("separator") or separator
    if separator is None:  # the one in the most lines; no comma where the numbers have decimal commas
        no_comma = settings.get("decimal") == "comma"
        possible = [word for word in SEPARATORS if not (no_comma and word == "comma")]
        lines = text.split("\n")[:1_000]
        counts = {word: sum(SEPARATORS[word] in line for line in lines) for word in possible}
        fitting = [word for word, count in counts.items() if 0 < count == max(counts.values())]
        if len(fitting) != 1:
            parts = f"{' and '.join(fitting)} part" if fitting else "no character parts"
            raise AuditError(f"{name}: {parts} its rows; say --set separator={'|'.join(possible)}")
        separator = fitting[0]
    numbered = csv_lines(name, text, SEPARATORS[separator])
    rows = [tuple(Piece(_with_math([Run(it.strip())]), line) for it in row) for line, row in numbered]
    is_index = len(rows) > 1 and all(row[0].text == str(k) for k, row in enumerate(rows[1:]))
    if is_index and rows[0][0].text in ("", "Unnamed: 0"):  # as pandas numbers rows
        rows = [row[1:] for row in rows]
    return [Source(tuple(rows), rows[0][0].line)] if rows else []


#: LaTeX within another text; a sum of money is none.
_MATH = re.compile(r"\$([^$]*[\\^_][^$]*|[-+0-9.,%() ]+)\$|\\\((.+?)\\\)")


def _with_math(runs: Sequence[Run]) -> tuple[Run, ...]:
    r"""The runs with math such as $50.3 \pm 0.1$ as it is printed."""
    shown: list[Run] = []
    for run in runs:
        end = 0
        for match in _MATH.finditer(run.text):
            written = re.sub(r"(\\[A-Za-z]+\s)|\s+", lambda it: it[1] or "", match[1] or match[2])
            if (math := latex.shown(written)) is not None:  # blanks print nothing there
                shown.append(Run(run.text[end : match.start()], run.styles))
                shown += [Run(it.text, it.styles | run.styles) for it in math]
                end = match.end()
        shown.append(Run(run.text[end:], run.styles))
    return tuple(run for run in shown if run.text) or (Run(""),)


_STYLES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "del", "strike"), "struck"),
    "sup": RAISED,
    "sub": LOWERED,
}
_SILENT = ("script", "style", "template", "noscript", "annotation", "annotation-xml")
#: Tags that part what stands before and after them.
_BLOCKS = ("br", "p", "div", "li", "tr", "td", "th", "mn")
_MOST_SPAN = 500
#: Attribute with a line of the Markdown behind a page.
_LINE = "data-line"


def _of_html(name: str, text: str) -> list[Source]:
    """All tables of the page, in order; a table inside a cell of another is separate."""
    page = _Page(name)
    end = text.rfind("-->") + 1  # comments without an end would take quadratic time
    page.feed(text[:end] + text[end:].replace("<!--", ""))
    page.close()
    while page.open:
        page.handle_endtag("table")
    found = [table for table in sorted(page.tables, key=lambda table: table.line) if table.rows]
    return [Source(tuple(it.rows), it.line, it.heads or None, least_heads=True) for it in found]


@dataclass
class _Cell:
    line: int
    across: int
    down: int
    styles: list[tuple[str, str]]  # Open tags, each with its style or none.
    runs: list[Run] = field(default_factory=list)

    @property
    def now(self) -> frozenset[str]:
        return frozenset(style for _, style in self.styles if style)


@dataclass
class _Table:
    line: int
    rows: list[tuple[Piece, ...]] = field(default_factory=list)
    row: list[Piece] = field(default_factory=list)
    cell: _Cell | None = None
    heads: int = 0
    in_head: bool = True  # Whether rows may be of the heading: before or within <thead>.
    has_head: bool = False
    only_th: bool = True


class _Page(HTMLParser):
    """Rows and cells end where the next one begins, because their end tags are optional."""

    def __init__(self, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self.name, self.cells = name, 0
        self.tables: list[_Table] = []
        self.open: list[_Table] = []
        self.silent: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        number = attributes.get(_LINE) or ""
        line = int(number) if number.isdecimal() else self.getpos()[0]
        if self.silent:
            return
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
            styles = [("", "bold")] if tag == "td" and _is_bold(attributes) else []
            spans = [(attributes.get(name) or "1").strip() for name in ("colspan", "rowspan")]
            numbers = [int(span) if re.fullmatch("[0-9]{1,5}", span) else 1 for span in spans]
            across, down = (min(max(number, 1), _MOST_SPAN) for number in numbers)
            self.open[-1].cell = _Cell(line, across, down, styles)
        elif tag in ("thead", "tbody", "tfoot"):
            self._end_row()
            self.open[-1].in_head = tag == "thead"
            self.open[-1].has_head |= tag == "thead"
        elif (cell := self.open[-1].cell) is not None:
            written = attributes.get("alttext") if tag == "math" else None
            if written and (math := latex.shown(written)) is not None:
                cell.runs += [Run(it.text, it.styles | cell.now) for it in math]
                self.silent = tag
            elif tag in _BLOCKS:
                cell.runs.append(Run(" "))
            elif tag in _STYLES or tag == "span":
                cell.styles.append((tag, _STYLES.get(tag) or ("bold" if _is_bold(attributes) else "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = None
        elif not self.open:
            return
        elif tag == "table":
            self._end_row()
            self.tables.append(self.open.pop())
        elif tag in ("tr", "thead"):
            self._end_row()
            self.open[-1].in_head &= tag != "thead"
        elif tag in ("td", "th"):
            self._end_cell()
        elif (cell := self.open[-1].cell) is not None:
            tags = [name for name, _ in cell.styles]
            if tag in tags:
                del cell.styles[len(tags) - 1 - tags[::-1].index(tag)]

    def handle_data(self, data: str) -> None:
        cell = self.open[-1].cell if self.open and not self.silent else None
        if cell is not None:
            cell.runs.append(Run(data, cell.now))

    def _end_cell(self) -> None:
        table = self.open[-1]
        if (cell := table.cell) is not None:
            table.row.append(Piece(_with_math(cell.runs), cell.line, cell.across, cell.down))
            table.cell = None

    def _end_row(self) -> None:
        self._end_cell()
        table = self.open[-1]
        if any(piece.text for piece in table.row):
            table.rows.append(tuple(table.row))
            self.cells += len(table.row)
            check_size(self.name, table.line, self.cells)
            of_head = table.in_head and (table.only_th or table.has_head)
            table.heads += of_head and table.heads == len(table.rows) - 1
        table.row, table.only_th = [], True


def _is_bold(attributes: Mapping[str, str | None]) -> bool:
    """Bold as pages made from LaTeX write it: a class ltx_font_bold, or a style."""
    style = f"{attributes.get('style') or ''} {attributes.get('class') or ''}"
    return re.search(r"font-weight:\s*(bold|[6-9]00)|font_bold|\bbold\b", style) is not None


def _of_markdown(name: str, text: str) -> list[Source]:
    """The tables of a Markdown file, with its line numbers."""
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML

    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    page: list[str] = []
    line, written = 1, RendererHTML()
    for token in reader.parse(text):
        if token.type in ("table_open", "tr_open", "th_open", "td_open"):
            line = token.map[0] + 1 if token.map else line
            page.append(f'<{token.tag} {_LINE}="{line}">')
        elif token.type in ("table_close", "tr_close"):
            page.append(f"</{token.tag}>")
        elif token.type == "inline" and page and page[-1].startswith(("<th", "<td")):
            page.append(written.renderInline(token.children or [], reader.options, {}))
        elif token.type == "html_block":
            lines = enumerate(token.content.split("\n"), token.map[0] + 1 if token.map else line)
            tag = r"(?i)<(table|tr|td|th)\b"
            page += [re.sub(tag, rf'<\1 {_LINE}="{k}"', text) + "\n" for k, text in lines]
    return _of_html(name, "".join(page))
