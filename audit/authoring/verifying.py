"""A second reading of a table against the first one in a claim file, cell by cell; and who made it.

`83.5` is not `83.50`. Styles (bold, underlined, coloured) say nothing about a number and are not compared;
stars and daggers are. The second reading is a table of any form that is read, or lines that were typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from audit.authoring.cells import STARS, Content, Notation, Run, content
from audit.authoring.cells import Table as ReadTable
from audit.authoring.edit import ClaimFile
from audit.authoring.propose import is_same_unit
from audit.claims.load import Paper, fingerprint, is_outdated, verified
from audit.claims.schema import Row, Table, Transcription, Value
from audit.claims.source import KeyPath
from audit.errors import AuditError
from audit.importing.results import bare
from audit.names import counted

Place = tuple[int, int]
"""Row and column of the table in the claim file, from 0."""
Cells = Mapping[Place, "Seen"]


@dataclass(frozen=True)
class Seen:
    """What one cell prints, in the form in which two readings are compared."""

    text: str | None
    """None for a dash and for an empty cell."""
    sd: str | None = None
    marks: frozenset[str] = frozenset()
    """Stars, daggers and the like, of which `**` is another one than `*`."""
    line: int | None = None
    """Of the second reading's file."""

    def agrees(self, other: Seen) -> bool:
        return (self.text, self.sd, self.marks) == (other.text, other.sd, other.marks)

    def __str__(self) -> str:
        if self.text is None:
            return "a dash"
        sd = f" ± {self.sd}" if self.sd is not None else ""
        return " ".join([f"{self.text}{sd}", *sorted(self.marks)])


def differences(table: Table, second: Cells) -> Iterator[tuple[Place, Seen, Seen]]:
    """Every cell in which the second reading is another one, row by row: its place, ours, the other."""
    for i, row in enumerate(table.rows):
        for j, value in enumerate(row.values):
            here = Seen(None)
            if value is not None:
                here = _seen(value.printed, value.sd, (value.mark or "").split())
            if not here.agrees(second[i, j]):
                yield (i, j), here, second[i, j]


def _seen(text: str, sd: str | None = None, marks: Sequence[str] = (), line: int | None = None) -> Seen:
    signs = frozenset(mark for mark in marks if mark and all(sign in STARS for sign in mark))
    return Seen(_plain(text), None if sd is None else _plain(sd), signs, line)


def _plain(text: str) -> str:
    """With one kind of minus, and without blanks that only set the type."""
    return re.sub(r"[\N{MINUS SIGN}\N{EN DASH}]", "-", " ".join(text.split())).replace(" %", "%")


def _second_reading(text: str, said: Content, unit: str | None, line: int | None = None) -> Seen:
    """A cell of the second reading; the unit of its row or column may stand behind its number."""
    if said.kind in ("dash", "empty"):
        return Seen(None, line=line)
    if said.with_unit and is_same_unit(said.with_unit[1], unit):
        return _seen(said.with_unit[0], line=line)
    return _seen(text, line=line) if said.value is None else _seen(said.value, said.sd, said.marks, line)


# --------------------------------------------------------------------------- from a file


def of_table(read: ReadTable, name: str, table: Table) -> tuple[Cells, str]:
    """The cells of a second file that are those of the table, and what of that file was not compared.

    Rows and columns are found by their labels where all are there, and else by their order where there are
    as many. Raises `AuditError` where neither leads to every row and column.
    """
    titles, names = read.paths[read.names :], [row.names for row in read.rows]
    columns = _places([(bare(it.label or it.id), bare(it.id)) for it in table.columns], titles)
    rows = _places([(bare(it.label or it.id), bare(it.id)) for it in table.rows], names)
    if rows is None or columns is None:
        theirs, ours = _size(len(names), len(titles)), _size(len(table.rows), len(table.columns))
        raise AuditError(
            f"{read.name}:{read.line}: {theirs}, and {name} has {ours}, whose labels are not all there; give "
            f"the rows and columns of {name} in its order, or with its labels"
        )
    cells = {}
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        cell = read.rows[row].cells[read.names + column]
        unit = table.rows[i].unit or table.columns[j].unit
        cells[i, j] = _second_reading(cell.text, cell, unit, cell.line)
    more = len(names) - len(rows), len(titles) - len(columns)
    return cells, f"{read.name} has {_size(*more)} more, which were not compared" if any(more) else ""


def _size(rows: int, columns: int) -> str:
    return f"{counted(rows, 'row')} and {counted(columns, 'column')}"


def _places(wanted: Sequence[tuple[str, str]], paths: Sequence[Sequence[str]]) -> list[int] | None:
    """The place of each wanted label (or id) among titles that are there; None where that cannot be told.

    A title is known by all of its path, or by the last part.
    """
    whole, last = [bare(" ".join(it)) for it in paths], [bare(it[-1] if it else "") for it in paths]
    for titles, ours in product((whole, last), (0, 1)):
        labels = [it[ours] for it in wanted]
        if len(set(labels)) == len(labels) and all(titles.count(it) == 1 for it in labels):
            return [titles.index(it) for it in labels]
    return list(range(len(wanted))) if len(wanted) == len(paths) else None


# --------------------------------------------------------------------------- typed


def of_line(line: str, row: Row, units: Sequence[str | None]) -> list[Seen]:
    """The cells of one row as it was typed or pasted; a label before them is passed over.

    `units`: one for each column, None where it has none; 18s in a column or row of seconds is 18.

    Cells stand between tabs, &, | or ;, and else between blanks. Raises `AuditError` for fewer cells than
    the table has columns, and for one that is no number where the claim file has one.
    """
    parts, width = _parts(line), len(units)
    if len(parts) < width:
        what = f"{len(parts)} of {width} cells"
        raise AuditError(f"row {row.id}: {line.strip()!r} has {what}; type it again, with - for a dash")
    seen = []
    for part, value, unit in zip(parts[len(parts) - width :], row.values, units, strict=True):
        said, unit = content([Run(part)], Notation()), row.unit or unit
        with_unit = said.with_unit and is_same_unit(said.with_unit[1], unit)
        if said.kind == "unclear" or (said.kind == "text" and not with_unit and _is_number(value)):
            why = said.why or "is no number"
            raise AuditError(f"row {row.id}: {part!r} {why}; type the row again, with - for a dash")
        seen.append(_second_reading(part, said, unit))
    return seen


def _is_number(value: Value | None) -> bool:
    return value is None or content([Run(value.printed)], Notation()).kind == "number"


def _parts(line: str) -> list[str]:
    joined = re.sub(r"\s*(?:±|\\pm|\$\\pm\$|\+/-)\s*", "±", line.strip().removesuffix("\\\\").strip())
    for sign in "\t&|;":
        if sign in joined:
            return [part.strip() for part in joined.strip("|").split(sign)]
    return [part.rstrip(",") for part in joined.split()]


# --------------------------------------------------------------------------- the record

#: Keys of `transcription` in the order in which they are written.
_KEYS = ("source", "compared", "verified_by", "date", "fingerprint")


def state(paper: Paper, name: str) -> str:
    """`verified by A. Reader, 2026-11-28`, `not verified`, or that its numbers were changed since."""
    if said := verified(name, paper.tables, paper.transcription):
        return f"verified by {said}"
    own = paper.tables[name].transcription
    of = own or paper.transcription
    if of is not None and is_outdated(of, {name: paper.tables[name]} if own else paper.tables):
        return f"changed since {of.verified_by} verified it on {of.date or 'an unknown day'}"
    return "not verified"


def record(file: ClaimFile, name: str, *, by: str, date: str, how: str) -> None:
    """Note that the numbers of table `name` are those of the page; nothing is written yet.

    The table gets a record of its own, with the fingerprint of its numbers. Once every table of the paper
    has one, the paper's record says so too. `how`: what was compared with what, behind what its author wrote.
    """
    paper = file.paper
    table = paper.tables[name]
    there = table.transcription or paper.transcription or Transcription()
    words = there.compared if there.fingerprint is None else None  # else of an earlier verification
    new = {
        "source": there.source,
        "compared": f"{words.rstrip('. ')}; {how}" if words else how,
        "verified_by": by,
        "date": date,
        "fingerprint": fingerprint({name: table}),
    }
    _write(file, ("tables", name, "transcription"), table, new)
    people = {other: verified(other, paper.tables, paper.transcription) for other in paper.tables}
    people[name] = f"{by}, {date}"
    if all(people.values()):
        records = {other: it.transcription for other, it in paper.tables.items()}
        records[name] = Transcription.model_validate(new)
        _record_whole(file, [str(it) for it in people.values()], list(records.values()))


def _record_whole(file: ClaimFile, people: Sequence[str], records: Sequence[Transcription | None]) -> None:
    """`people`: who verified each table, and when."""
    paper = file.paper
    there = paper.transcription or Transcription()
    by, dates = zip(*(it.rsplit(", ", 1) for it in people), strict=True)
    sources = [it.source if it else None for it in records]
    compared = there.compared if there.fingerprint is None else None  # else of an earlier verification
    if not compared and all(it and it.fingerprint for it in records):  # none by hand, which says what it says
        cells = counted(sum(len(it.rows) * len(it.columns) for it in paper.tables.values()), "cell")
        tables = f"{len(records)} tables, each table read a second time"
        compared = f"{cells} of {tables} and compared by program: no difference"
        if len(records) == 1 and records[0]:
            compared = records[0].compared
    new = {
        "source": there.source or ("; ".join(dict.fromkeys(filter(None, sources))) if all(sources) else None),
        "compared": compared or there.compared,
        "verified_by": ", ".join(dict.fromkeys(by)),
        "date": max((it for it in dates if it != "no date"), default=None),
        "fingerprint": fingerprint(paper.tables),
    }
    _write(file, ("transcription",), paper, new)


def _write(file: ClaimFile, place: KeyPath, holder: Table | Paper, new: Mapping[str, str | None]) -> None:
    """Key by key where the record is there already, so that what its author wrote stays as it is."""
    there = holder.transcription
    if there is None:
        how = file.replace if "transcription" in holder.model_fields_set else file.put
        how(place, {key: new[key] for key in _KEYS})
        return
    for key in _KEYS:
        if key not in there.model_fields_set:
            file.put((*place, key), new[key])
        elif getattr(there, key) != new[key]:
            file.replace((*place, key), new[key])
