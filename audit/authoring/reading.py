"""A file, or what was pasted, as a table: of which form it is, which of its tables is meant."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from audit.authoring import latex
from audit.authoring.cells import Notation, Piece, Run, Source, Table, check_size, is_decimal_comma
from audit.authoring.corrections import FORMS, SEPARATORS
from audit.authoring.layout import laid_out
from audit.authoring.markup import html_tables, markdown_tables
from audit.errors import AuditError

#: A paper's whole source has less; a claim file may have 2 MB.
MOST_BYTES = 16 << 20

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
_NO_TABLE = {
    "latex": "no tabular, tabularx or longtable; \\input is not followed, so give the file that has it",
    "markdown": "no table with a line of dashes below its heading; is it another format? say --set format=",
    "html": "no <table>; is it another format? say --set format=",
}


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
    notation: Notation = field(default_factory=Notation)
    settled: frozenset[tuple[int, ...]] = frozenset()
    """Row and column of the cells whose content the user gives: nobody asks how it is read."""

    @classmethod
    def of(cls, said: Mapping[str, str], settled: Iterable[tuple[int, ...]] = ()) -> Options:
        """From the words of a correction of the whole table."""
        number, heads, names = (
            int(said[key]) if key in said else None for key in ("number", "heads", "names")
        )
        notation = Notation(said.get("decimal"), said.get("beside"))  # type: ignore[arg-type]
        form, separator = said.get("format"), said.get("separator")
        return cls(form, number, heads, names, separator, notation, frozenset(settled))


def read(source: str, options: Options) -> Table:
    """The table that is meant, of the file `source`, or of standard input for `-`.

    Raises `AuditError`: no file, no text, no table, several, or one that is malformed.
    """
    return table_of(source, text_of(source), options)


def table_of(source: str, text: str, options: Options) -> Table:
    """`read` for a text that was read already."""
    name = _name(source)
    form = options.form or _form(source, name, text)
    table = laid_out(
        _chosen(_tables(name, text, form, options), name, form, options.number),
        name=name,
        form=form,
        notation=options.notation,
        heads=options.heads,
        names=options.names,
    )
    if options.notation.decimal is None:
        _check_commas(table, options.settled)
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
    signs = [form for form, sign in _SIGNS if sign.search(text)] if by_name is None else [by_name]
    if len(signs) != 1:
        raise AuditError(f"{name}: of which form it is cannot be told; say --set format={'|'.join(FORMS)}")
    return signs[0]


def _tables(name: str, text: str, form: str, options: Options) -> list[Source]:
    match form:
        case "latex":
            return latex.tables(name, text)
        case "markdown":
            return markdown_tables(name, text)
        case "html":
            return html_tables(name, text)
        case "csv" | "tsv":
            separator = options.separator or ("tab" if form == "tsv" else None)
            separator = separator or _separator(name, text, options.notation.decimal == "comma")
            rows = _separated(name, text, separator)
            return [Source(tuple(rows), rows[0][0].line)] if rows else []
    raise ValueError(form)


def _chosen(found: list[Source], name: str, form: str, number: int | None) -> Source:
    if not found:
        raise AuditError(f"{name}: {_NO_TABLE.get(form, 'it is empty; give one with a heading and rows')}")
    if number is not None and not 1 <= number <= len(found):
        raise AuditError(f"{name}: there is no table {number}; say --set number=N up to {len(found)}")
    if number is None and len(found) > 1:
        captions = [it.caption[:40] + "..." if len(it.caption) > 40 else it.caption for it in found]
        listed = "; ".join(
            f"{k} on line {it.line}" + (f", {caption!r}" if caption else "")
            for k, (it, caption) in enumerate(zip(found[:12], captions, strict=False), 1)
        )
        more = f"; and {len(found) - 12} more" if len(found) > 12 else ""
        raise SeveralTablesError(f"{name}: {len(found)} tables; say --set number=N ({listed}{more})")
    return found[(number or 1) - 1]


def _check_commas(table: Table, settled: frozenset[tuple[int, ...]]) -> None:
    """75,1 beside 15,449: whether the second is a count or a decimal number is for the user to say."""
    commas = [
        cell
        for row in table.rows
        for cell in row.cells
        if cell.kind == "unclear" and is_decimal_comma(cell.text) and (row.number, cell.column) not in settled
    ]
    if commas:
        first, many = commas[0], f"{len(commas)} cells such as" if len(commas) > 1 else "the cell"
        have = "have decimal commas" if len(commas) > 1 else "has a decimal comma"
        raise DecimalCommaError(
            f"{table.name}:{first.line}: {many} {first.text!r} {have}, or two numbers; say "
            "--set decimal=comma, or decimal=point if they are none"
        )


# --------------------------------------------------------------------------- separated values


def _separator(name: str, text: str, commas: bool) -> str:
    """The one that stands in the most lines; no comma where the numbers have decimal commas.

    Raises `AuditError` where none does, or several.
    """
    possible = [word for word in SEPARATORS if not (commas and word == "comma")]
    lines = text.split("\n")[:1_000]
    counts = {word: sum(SEPARATORS[word] in line for line in lines) for word in possible}
    fitting = [word for word, count in counts.items() if 0 < count == max(counts.values())]
    if not text.strip():
        raise AuditError(f"{name}: it is empty; give a table with a heading and rows")
    if len(fitting) != 1:
        parts = f"{' and '.join(fitting)} part" if fitting else "no character parts"
        raise AuditError(f"{name}: {parts} its rows; say --set separator={'|'.join(possible)}")
    return fitting[0]


def _separated(name: str, text: str, separator: str) -> list[tuple[Piece, ...]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[separator], strict=True)
    rows: list[tuple[Piece, ...]] = []
    line, cells = 1, 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(tuple(Piece((Run(cell.strip()),), line) for cell in row))
                cells += len(row)
                check_size(name, 1, cells)
            line = reader.line_num + 1
    except csv.Error as err:
        what = "its quotes do not pair up"
        if "field limit" in str(err):
            what = f"a cell has more than {csv.field_size_limit():,} characters"
        raise AuditError(f"{name}:{max(1, reader.line_num)}: no CSV: {what}; correct that line") from err
    return rows
