"""A second reading of a table against the first one in a claim file, cell by cell; and who made it.

`83.5` is not `83.50`. Styles (bold, underlined, coloured) say nothing about a number and are not compared;
stars and daggers are. The second reading is a `RawTable` of any form that is read, or lines that were typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from audit.authoring.cells import STARS, RawCell, RawTable, Reading, Run, said
from audit.authoring.edit import ClaimFile
from audit.authoring.propose import is_same_unit
from audit.claim import Paper
from audit.claim_model import Row, Table, Transcription, Value
from audit.claim_names import counted
from audit.claim_source import KeyPath
from audit.claim_verified import fingerprint, is_outdated, verified
from audit.errors import AuditError
from audit.importing.results import bare

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
    line: int | None = None
    """Of the second reading's file."""

    @property
    def key(self) -> tuple[str | None, str | None, frozenset[str]]:
        return self.text, self.sd, self.marks

    def __str__(self) -> str:
        if self.text is None:
            return "a dash"
        sd = f" ± {self.sd}" if self.sd is not None else ""
        return f"{self.text}{sd}{' ' if self.marks else ''}{' '.join(sorted(self.marks))}"


@dataclass(frozen=True)
class Difference:
    """One cell in which the two readings are not the same."""

    row: int
    column: int
    here: Seen
    """In the claim file."""
    there: Seen


def differences(table: Table, second: Cells) -> list[Difference]:
    """Every cell in which the second reading is another one, row by row."""
    found = []
    for row, column in product(range(len(table.rows)), range(len(table.columns))):
        here, there = first_reading(table.rows[row].values[column]), second[row, column]
        if here.key != there.key:
            found.append(Difference(row, column, here, there))
    return found


def first_reading(value: Value | None) -> Seen:
    """A cell of the claim file."""
    if value is None:
        return Seen(None)
    return Seen(_plain(value.printed), _plain_or_none(value.sd), _signs((value.mark or "").split()))


def _second_reading(
    text: str, value: str | None, sd: str | None, marks: Sequence[str], line: int | None = None
) -> Seen:
    if value is None:
        return Seen(_plain(text), line=line)
    return Seen(_plain(value), _plain_or_none(sd), _signs(marks), line)


def _plain(text: str) -> str:
    """With one kind of minus, and without blanks that only set the type."""
    return re.sub(r"[\N{MINUS SIGN}\N{EN DASH}]", "-", " ".join(text.split())).replace(" %", "%")


def _plain_or_none(text: str | None) -> str | None:
    return None if text is None else _plain(text)


def _signs(marks: Sequence[str]) -> frozenset[str]:
    """Stars, daggers and the like, of which `**` is another one than `*`."""
    return frozenset(it for it in marks if it and all(sign in STARS for sign in it))


# --------------------------------------------------------------------------- from a file


def of_raw(raw: RawTable, name: str, table: Table) -> tuple[Cells, str]:
    """The cells of a second file that are those of the table, and what of that file was not compared.

    Rows and columns are found by their labels where all are there, and else by their order where there are
    as many. Raises `AuditError` where neither leads to every row and column.
    """
    titles = [(bare(" ".join(path)), bare(path[-1] if path else "")) for path in raw.paths[raw.names :]]
    names = [(bare(" ".join(row.names)), bare(row.names[-1] if row.names else "")) for row in raw.rows]
    columns = _found([_spellings(it.label, it.id) for it in table.columns], titles)
    rows = _found([_spellings(it.label, it.id) for it in table.rows], names)
    if rows is None or columns is None:
        theirs, ours = _size(len(names), len(titles)), _size(len(table.rows), len(table.columns))
        raise AuditError(
            f"{raw.name}:{raw.line}: {theirs}, and {name} has {ours}, whose labels are not all there; give "
            f"the rows and columns of {name} in its order, or with its labels"
        )
    cells = {
        (i, j): _of_cell(raw.rows[row].cells[raw.names + column], table.rows[i].unit or table.columns[j].unit)
        for (i, row), (j, column) in product(enumerate(rows), enumerate(columns))
    }
    more = len(names) - len(rows), len(titles) - len(columns)
    left_out = f"{raw.name} has {_size(*more)} more, which were not compared" if any(more) else ""
    return cells, left_out


def _size(rows: int, columns: int) -> str:
    return f"{rows} row{'' if rows == 1 else 's'} and {columns} column{'' if columns == 1 else 's'}"


def _spellings(label: str | None, id: str) -> tuple[str, str]:
    return bare(label or id), bare(id)


def _found(wanted: Sequence[tuple[str, str]], there: Sequence[tuple[str, str]]) -> list[int] | None:
    """The place of each wanted label among those that are there; None where that cannot be told."""
    for theirs, ours in product((0, 1), (0, 1)):
        held = [it[theirs] for it in there]
        labels = [it[ours] for it in wanted]
        if len(set(labels)) == len(labels) and all(held.count(it) == 1 for it in labels):
            return [held.index(it) for it in labels]
    return list(range(len(wanted))) if len(wanted) == len(there) else None


def _of_cell(cell: RawCell, unit: str | None) -> Seen:
    if cell.with_unit and is_same_unit(cell.with_unit[1], unit):
        return Seen(_plain(cell.with_unit[0]), line=cell.line)
    if cell.kind in ("dash", "empty"):
        return Seen(None, line=cell.line)
    return _second_reading(cell.text, cell.value, cell.sd, cell.marks, cell.line)


# --------------------------------------------------------------------------- typed


def of_line(line: str, row: Row, width: int, units: Sequence[str | None] = ()) -> list[Seen]:
    """The cells of one row as it was typed or pasted; a label before them is passed over.

    `units`: those of the columns; 18s in a column or row of seconds is 18.

    Cells stand between tabs, &, | or ;, and else between blanks. Raises `AuditError` for fewer cells than
    the table has columns, and for one that is no number where the claim file has one.
    """
    parts = _parts(line)
    if len(parts) < width:
        what = f"{len(parts)} of {width} cells"
        raise AuditError(f"row {row.id}: {line.strip()!r} has {what}; type it again, with - for a dash")
    seen = []
    own = units or (None,) * width
    for part, value, unit in zip(parts[len(parts) - width :], row.values, own, strict=True):
        it = said([Run(part)], Reading())
        if it.with_unit and is_same_unit(it.with_unit[1], row.unit or unit):
            seen.append(Seen(_plain(it.with_unit[0])))
            continue
        if it.kind == "unclear" or (it.kind == "text" and _is_number(value)):
            why = it.why or "is no number"
            raise AuditError(f"row {row.id}: {part!r} {why}; type the row again, with - for a dash")
        none = it.kind in ("dash", "empty")
        seen.append(Seen(None) if none else _second_reading(part, it.value, it.sd, it.marks))
    return seen


def _is_number(value: Value | None) -> bool:
    return value is None or said([Run(value.printed)], Reading()).kind == "number"


def _parts(line: str) -> list[str]:
    joined = re.sub(r"\s*(?:±|\\pm|\$\\pm\$|\+/-)\s*", "±", line.strip().removesuffix("\\\\").strip())
    for sign in "\t&|;":
        if sign in joined:
            return [it.strip() for it in joined.strip("|").split(sign)]
    return [it.rstrip(",") for it in joined.split()]


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
    held = table.transcription or paper.transcription or Transcription()
    new = {
        "source": held.source,
        "compared": _compared(held, how),
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
        _record_whole(file, paper, [str(it) for it in people.values()], list(records.values()))


def _compared(held: Transcription, how: str) -> str:
    """In place of what an earlier verification wrote (it has a fingerprint), and behind an author's words."""
    words = held.compared if held.fingerprint is None else None
    return f"{words.rstrip('. ')}; {how}" if words else how


def _record_whole(
    file: ClaimFile, paper: Paper, people: list[str], records: Sequence[Transcription | None]
) -> None:
    held = paper.transcription or Transcription()
    by, dates = zip(*(it.rsplit(", ", 1) for it in people), strict=True)
    days = [it for it in dates if it != "no date"]
    own = held.fingerprint is None  # else what stands there is of an earlier verification
    new = {
        "source": held.source or _sources(records),
        "compared": (held.compared if own else None) or _ways(paper, records) or held.compared,
        "verified_by": ", ".join(dict.fromkeys(by)),
        "date": max(days) if days else None,
        "fingerprint": fingerprint(paper.tables),
    }
    _write(file, ("transcription",), paper, new)


def _sources(records: Sequence[Transcription | None]) -> str | None:
    """Where the numbers of all tables come from; None where that of one is not known."""
    sources = [it.source if it else None for it in records]
    return "; ".join(dict.fromkeys(filter(None, sources))) if all(sources) else None


def _ways(paper: Paper, records: Sequence[Transcription | None]) -> str | None:
    """How all tables were compared; None where one was verified by hand, which says what it says."""
    if not all(it and it.fingerprint for it in records):
        return None
    if len(records) == 1:
        return records[0].compared if records[0] else None
    cells = sum(len(it.rows) * len(it.columns) for it in paper.tables.values())
    return (
        f"{counted(cells, 'cell')} of {len(records)} tables, each table read a second time and compared by "
        "program: no difference"
    )


def _write(file: ClaimFile, place: KeyPath, holder: Table | Paper, new: Mapping[str, str | None]) -> None:
    """Key by key where the record is there already, so that what its author wrote stays as it is."""
    if "transcription" not in holder.model_fields_set:
        file.put(place, {key: new[key] for key in _KEYS})
    elif holder.transcription is None:
        file.replace(place, {key: new[key] for key in _KEYS})
    else:
        there = holder.transcription.model_fields_set
        for key in _KEYS:
            if key not in there:
                file.put((*place, key), new[key])
            elif getattr(holder.transcription, key) != new[key]:
                file.replace((*place, key), new[key])
