"""Compares a second reading of a table with its entry in the claim file, and records who verified it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from audit.authoring.edit import ClaimFile
from audit.authoring.propose import is_same_unit
from audit.authoring.table import STARS, Table
from audit.claims.load import Paper, fingerprint, is_outdated, verified
from audit.claims.schema import Column, Row, Transcription
from audit.claims.schema import Table as Entry
from audit.errors import AuditError
from audit.importing.results import bare
from audit.names import counted


class Difference(NamedTuple):
    """A cell in which the second reading differs."""

    row: int  # Of the table in the claim file, from 0.
    column: int
    here: str  # In the form in which two readings are compared: `75.10 ± 0.2 *`, or `a dash`.
    there: str
    line: int  # Of the second file.


def compared(read: Table, name: str, table: Entry) -> tuple[list[Difference], str]:
    """Compares a second file with the entry cell by cell, as printed but for bold and similar marks; also
    returns what was left out. Rows and columns are matched by their labels if all are there, else by their
    order. Raises `AuditError` if neither matches every one. Units after the numbers are allowed."""

    def size(rows: int, columns: int) -> str:
        return f"{counted(rows, 'row')} and {counted(columns, 'column')}"

    titles, names = read.paths[read.names :], [row.names for row in read.rows]
    columns, rows = _places(table.columns, titles), _places(table.rows, names)
    if rows is None or columns is None:
        theirs, ours = size(len(names), len(titles)), size(len(table.rows), len(table.columns))
        what = f"{theirs}, and {name} has {ours}, whose labels are not all there; give its rows and columns"
        raise AuditError(f"{read.name}:{read.line}: {what} in its order, or with its labels")
    found = []
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        cell, value = read.rows[row].cells[read.names + column], table.rows[i].values[j]
        here = _shown(value.printed, value.sd, (value.mark or "").split()) if value else "a dash"
        if cell.kind in ("dash", "empty"):
            there = "a dash"
        elif cell.with_unit and is_same_unit(cell.with_unit[1], table.rows[i].unit or table.columns[j].unit):
            there = _shown(cell.with_unit[0])
        else:
            there = _shown(cell.value or cell.text, cell.sd, cell.marks)
        if here != there:
            found.append(Difference(i, j, here, there, cell.line))
    more = len(names) - len(rows), len(titles) - len(columns)
    return found, f"{read.name} has {size(*more)} more, not compared" if any(more) else ""


def _shown(text: str, sd: str | None = None, marks: Sequence[str] = ()) -> str:
    """The text with one kind of minus, without typesetting blanks, with stars and daggers in any order."""

    def plain(text: str) -> str:
        return re.sub(r"[\N{MINUS SIGN}\N{EN DASH}]", "-", " ".join(text.split())).replace(" %", "%")

    signs = {mark for mark in marks if all(sign in STARS for sign in mark)}
    return " ".join([plain(text), *(["±", plain(sd)] if sd is not None else []), *sorted(signs)])


def _places(lines: Sequence[Column] | Sequence[Row], paths: Sequence[Sequence[str]]) -> list[int] | None:
    """The place of each label (or id) among titles, by all of their path or its end; None if ambiguous."""
    wanted = [(bare(line.label or line.id), bare(line.id)) for line in lines]
    whole, last = [bare(" ".join(path)) for path in paths], [bare("".join(path[-1:])) for path in paths]
    for titles, ours in product((whole, last), (0, 1)):
        labels = [names[ours] for names in wanted]
        if len(set(labels)) == len(labels) and all(titles.count(label) == 1 for label in labels):
            return [titles.index(label) for label in labels]
    return list(range(len(wanted))) if len(wanted) == len(paths) else None


def state(paper: Paper, name: str) -> str:
    """`verified by A. Reader, 2026-11-28`, `not verified`, or that its numbers have changed since."""
    if person := verified(name, paper.tables, paper.transcription):
        return f"verified by {person}"
    own = paper.tables[name].transcription
    last = own or paper.transcription
    if last is not None and is_outdated(last, {name: paper.tables[name]} if own else paper.tables):
        return f"changed since {last.verified_by} verified it on {last.date or 'an unknown day'}"
    return "not verified"


def record(file: ClaimFile, name: str, *, by: str, date: str, how: str) -> None:
    """Note that the numbers of table `name` are those of the page; writes nothing yet. The table gets a
    record of its own with the fingerprint of its numbers; of an existing one, only the keys that differ are
    written. `how`: what was compared with what."""
    table, place = file.paper.tables[name], ("tables", name, "transcription")
    own = table.transcription
    last = own or file.paper.transcription or Transcription()
    by_hand = last.compared if last.fingerprint is None else None  # else of an earlier verification
    new = {
        "source": last.source,
        "compared": f"{by_hand.rstrip('. ')}; {how}" if by_hand else how,
        "verified_by": by,
        "date": date,
        "fingerprint": fingerprint({name: table}),
    }
    if own is None:
        (file.replace if "transcription" in table.model_fields_set else file.put)(place, new)
        return
    for key, value in new.items():
        if key not in own.model_fields_set:
            file.put((*place, key), value)
        elif getattr(own, key) != value:
            file.replace((*place, key), value)
