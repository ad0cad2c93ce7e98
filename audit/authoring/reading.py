"""A file, or what was pasted, as a table: of which form it is, which of its tables is meant."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from audit.authoring import html, latex, markdown, separated
from audit.authoring.cells import Found, RawTable, Reading, is_decimal_comma
from audit.authoring.layout import laid_out
from audit.errors import AuditError
from audit.names import known_names

#: A paper's whole source has less; a claim file may have 2 MB.
MOST_BYTES = 16 << 20

FORMS = ("latex", "csv", "tsv", "markdown", "html")
_SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".tex", ".latex", ".ltx"), "latex"),
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
}
#: What only one form has.
_SIGNS = (
    ("latex", re.compile(r"\\begin\s*\{(?:tabular|longtable|tabu|NiceTabular|supertabular)")),
    ("html", re.compile(r"<table\b", re.IGNORECASE)),
    ("markdown", re.compile(r"^[ >]*\|?[ ]*:?-+:?[ ]*\|[ |:-]*$", re.MULTILINE)),
)


class DecimalCommaError(AuditError):
    """Numbers that can only have decimal commas, and nobody said so."""


class SeveralTablesError(AuditError):
    """A file has several tables, and nobody said which is meant."""


@dataclass(frozen=True)
class Options:
    """What the user says about the file; None where it is to be found out, or told as unclear."""

    form: str | None = None
    number: int | None = None
    """Which table of the file, from 1."""
    heads: int | None = None
    names: int | None = None
    separator: str | None = None
    reading: Reading = field(default_factory=Reading)
    settled: frozenset[tuple[int, ...]] = frozenset()
    """Row and column of the cells whose content the user gives: nobody asks how it is read."""


def read(source: str, options: Options) -> RawTable:
    """The table that is meant, of the file `source`, or of standard input for `-`.

    Raises `AuditError`: no file, no text, no table, several, or one that is malformed.
    """
    return table_of(source, text_of(source), options)


def table_of(source: str, text: str, options: Options) -> RawTable:
    """`read` for a text that was read already."""
    name = _name(source)
    form = options.form or _form(source, name, text)
    found = _chosen(_tables(name, text, form, options), name, form, options.number)
    table = laid_out(
        found, name=name, form=form, reading=options.reading, heads=options.heads, names=options.names
    )
    _check_commas(table, options.reading, options.settled)
    return table


def _name(source: str) -> str:
    return "standard input" if source == "-" else source


def text_of(source: str) -> str:
    """The characters of a file, or of standard input for `-`, with line ends \\n."""
    name = _name(source)
    try:
        if source == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(source).open("rb") as stream:
                content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as err:  # ValueError: a null character in the name
        reason = getattr(err, "strerror", None) or str(err)
        raise AuditError(f"{name}: {reason}; give a file with a table, or - for standard input") from err
    if len(content) > MOST_BYTES:
        raise AuditError(f"{name}: more than {MOST_BYTES >> 20} MB; give a file with the table alone")
    if b"\0" in content:
        raise AuditError(f"{name}: no text, it has null characters; give LaTeX, CSV, Markdown or HTML")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = content.count(b"\n", 0, err.start) + 1
        what = f"byte 0x{content[err.start]:02x} is not UTF-8"
        raise AuditError(f"{name}:{line}: {what}; save the file as UTF-8, if it is a text") from err
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _form(source: str, name: str, text: str) -> str:
    """By the ending of the name, or by what no other form has."""
    by_name = _SUFFIXES.get(Path(source).suffix.casefold()) if source != "-" else None
    if by_name:
        return by_name
    signs = [form for form, sign in _SIGNS if sign.search(text)]
    if len(signs) != 1:
        raise AuditError(f"{name}: of which form it is cannot be told; say --format {'|'.join(FORMS)}")
    return signs[0]


def _tables(name: str, text: str, form: str, options: Options) -> list[Found]:
    if form == "latex":
        return latex.tables(name, text)
    if form == "markdown":
        return markdown.tables(name, text)
    if form == "html":
        return html.tables(name, text)
    if form in ("csv", "tsv"):
        sign = "\t" if form == "tsv" else None
        if options.separator is not None:
            sign = separated.SEPARATORS[options.separator]
        return separated.tables(name, text, separator=sign, commas=options.reading.decimal == "comma")
    raise AuditError(f"{form!r} is no format of tables; {known_names(form, FORMS)}")


_WHAT = {
    "latex": "no tabular, tabularx or longtable; \\input is not followed, so give the file that has it",
    "markdown": "no table with a line of dashes below its heading; is it another format? see --format",
    "html": "no <table>; is it another format? see --format",
}


def _chosen(found: list[Found], name: str, form: str, number: int | None) -> Found:
    if not found:
        raise AuditError(f"{name}: {_WHAT.get(form, 'it is empty; give one with a heading and rows')}")
    if number is not None and not 1 <= number <= len(found):
        raise AuditError(f"{name}: there is no table {number}; say --table with a number up to {len(found)}")
    if number is None and len(found) > 1:
        listed = "; ".join(f"{k} on line {it.line}{_captioned(it)}" for k, it in enumerate(found[:12], 1))
        more = f"; and {len(found) - 12} more" if len(found) > 12 else ""
        raise SeveralTablesError(f"{name}: {len(found)} tables; say --table N ({listed}{more})")
    return found[(number or 1) - 1]


def _captioned(found: Found) -> str:
    text = found.caption
    return f", {text[:40] + '...' if len(text) > 40 else text!r}" if text else ""


def _check_commas(table: RawTable, reading: Reading, settled: frozenset[tuple[int, ...]]) -> None:
    """75,1 beside 15,449: whether the second is a count or a decimal number is for the user to say."""
    if reading.decimal is not None:
        return
    commas = [
        cell
        for row in table.rows
        for cell in row.cells
        if cell.kind == "unclear" and is_decimal_comma(cell.text)
        if (row.number, cell.column) not in settled
    ]
    if commas:
        first, many = commas[0], f"{len(commas)} cells such as" if len(commas) > 1 else "the cell"
        have = "have decimal commas" if len(commas) > 1 else "has a decimal comma"
        raise DecimalCommaError(
            f"{table.name}:{first.line}: {many} {first.text!r} {have}, or two numbers; say "
            "--decimal comma, or --decimal point if they are none"
        )
