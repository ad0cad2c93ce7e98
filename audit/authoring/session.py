"""One table on its way into a claim file: all that the user has said of it so far, what it looks like, and
the entry under `tables` that it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from audit.authoring.cells import Cell
from audit.authoring.corrections import Correction, settings_of
from audit.authoring.edit import ClaimFile
from audit.authoring.headings import Known
from audit.authoring.propose import Line, Mapped, mapped
from audit.authoring.reading import Options, table_of
from audit.claims.source import Plain
from audit.errors import AuditError

if TYPE_CHECKING:
    from rich.table import Table

#: Fewer numbers may be alike by chance, or since a row is printed in two tables.
LEAST = 4


@dataclass(frozen=True)
class Session:
    """Everything that decides what is written; `with_` gives one more correction."""

    source: str
    text: str
    file: ClaimFile
    catalogue: Mapping[str, str]
    """Keys of the catalogue of corpora, with their names."""
    corrections: tuple[Correction, ...] = ()

    def with_(self, correction: Correction) -> Session:
        """Raises `AuditError` for what cannot be meant, so that it is said at once."""
        new = replace(self, corrections=(*self.corrections, correction))
        settings_of(new.corrections, "table")
        return new

    @cached_property
    def said(self) -> Mapping[str, str]:
        """What is said of the table as a whole."""
        return settings_of(self.corrections, "table").get((), {})

    @property
    def id(self) -> str:
        """As the user says, or t1, or the first one after it that no table has."""
        taken = self.file.paper.tables
        return self.said.get("id") or next(
            id for k in range(1, len(taken) + 2) if (id := f"t{k}") not in taken
        )

    def mapped(self) -> Mapped:
        """The table with what its parts are. Raises `AuditError` where it cannot be read."""
        said, of_cells = self.said, settings_of(self.corrections, "cell")
        options = Options.of(said, (place for place, it in of_cells.items() if {"value", "dash"} & set(it)))
        table = table_of(self.source, self.text, options)
        return mapped(table, Known(self.file.paper, self.catalogue), self.corrections)

    def put(self) -> None:
        """Add the table, and the data sets that it needs, to what is to be written; nothing is replaced.

        Raises `AuditError` with all that is open.
        """
        table = self.mapped()
        for id, dataset in table.new_datasets.items():
            self.file.put(("datasets", id), dict(dataset))
        self.file.put(("tables", self.id), entry(table))

    def same_as(self, table: Mapped) -> str | None:
        """`t3 has the same 24 numbers as t2`, or None. Nothing may be open in the table."""
        values = [value for row in entry(table)["rows"] for value in row["values"]]
        new = [str(it["printed"] if isinstance(it, dict) else it) for it in values if it is not None]
        for name, other in self.file.paper.tables.items():
            old = [it.printed for row in other.rows for it in row.values if it is not None]
            if len(new) >= LEAST and old == new:
                return f"{self.id} has the same {len(new)} numbers as {name}"
        return None


# --------------------------------------------------------------------------- the entry

_ORDER = ("metric", "quantity", "unit", "dataset", "experiment", "source", "from")


def entry(table: Mapped) -> dict[str, Plain]:
    """The table as plain data. Raises `AuditError` while anything is open."""
    if table.open:
        raise AuditError("\n".join(f"{table.table.name}: {point}" for point in table.open))
    columns, rows, said = table.value_columns(), table.kept_rows(), table.whole
    of_metrics = "metric" in said or any("metric" in line.settings for line in (*columns, *rows))
    page = int(said["page"]) if "page" in said else None
    where = {"section": said.get("section"), "page": page, "label": said.get("label")}
    name = table.table.name
    file = "pasted text" if name == "standard input" else name.rpartition("/")[2]
    spread = any(cell.sd for cell in table.cells.values())
    keys = {
        "where": _given(where),
        "caption": said.get("caption") or caption(table),
        "dataset": said.get("dataset"),
        "metric": said.get("metric"),
        "unit": said.get("unit", "percent" if of_metrics else None),
        "source": said.get("source", "copied" if "from" in said else "unknown"),
        "from": said.get("from"),
        "runs": int(said["runs"]) if "runs" in said else None,
    }
    return {
        **_given(keys),
        **({"spread": said.get("spread")} if spread else {}),
        "transcription": {"source": f"{file} ({table.table.form}), read by program", "verified_by": None},
        "columns": [_column(line) for line in columns],
        "rows": [_row(table, line, columns) for line in rows],
    }


def caption(table: Mapped) -> str:
    """What the table shows, from what its columns and rows are."""
    rows = table.kept_rows()
    settings = [line.settings for line in (*table.value_columns(), *rows)]
    names = _distinct(
        [*(it.get("metric") or it.get("quantity") for it in settings), table.whole.get("metric")]
    )
    names = names or ["Values"]
    on = _distinct(it.get("dataset") for it in settings) or _distinct([table.whole.get("dataset")])
    many = f" and {len(names) - 4} more" if len(names) > 4 else ""
    of = f" in {len(rows)} row{'s' if len(rows) > 1 else ''}"
    where = f" on {', '.join(on[:4])}" if on else ""
    return f"{', '.join(names[:4])}{many}{of}{where}"


def _column(line: Line) -> Plain:
    settings = {key: line.settings[key] for key in _ORDER if key in line.settings}
    if line.role == "text":
        settings = {key: it for key, it in settings.items() if key not in ("metric", "quantity")}
    if settings == {"metric": line.id} and line.label in ("", line.id):
        return line.id
    label = {"label": line.label} if line.label and line.label != line.id else {}
    return {"id": line.id, **label, **settings}


def _row(table: Mapped, line: Line, columns: list[Line]) -> dict[str, Plain]:
    label = {"label": line.label} if line.label != line.id else {}
    settings = {key: line.settings[key] for key in _ORDER if key in line.settings}
    values = [_value(table, line.number, column) for column in columns]
    return {"id": line.id, **label, **settings, "values": values}


def _value(table: Mapped, row: int, column: Line) -> Plain:
    cell = table.cells[row, column.number]
    more = dict(table.extra.get((row, column.number), {}))
    if column.role == "text":
        printed = None if cell.kind in ("empty", "dash") else cell.text
    else:
        printed = cell.value
        more |= {"mark": " ".join(cell.marks)} if cell.marks else {}
        more |= {"sd": cell.sd} if cell.sd is not None else {}
    return {"printed": printed, **more} if more and printed is not None else printed


def _given(keys: Mapping[str, Plain]) -> dict[str, Plain]:
    return {key: it for key, it in keys.items() if it is not None}


def _distinct(names: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


# --------------------------------------------------------------------------- what the user sees

#: Longer names and texts are cut on the screen, and nowhere else.
_MOST = 40
#: Rows of a table that are shown.
_ROWS = 60


def shown(table: Mapped) -> Table:
    """The table with its rows and columns numbered as corrections count them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    page = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    page.add_column("row", justify="right")
    page.add_column("id")
    roles = {"names": "names", "skip": "left out", "text": "text"}
    for line in table.columns:
        keys = ("dataset", "metric", "quantity", "unit")
        parts = " ".join(line.settings[key] for key in keys if line.settings.get(key)) or "values"
        title = f"{line.number}\n{_cut(line.label)}\n[{roles.get(line.role, parts)}]"
        page.add_column(Text(title), justify="right" if line.role == "values" else "left")
    for row in table.rows[:_ROWS]:
        own = table.table.rows[row.number - 1].cells
        cells = [table.cells.get((row.number, cell.column), cell) for cell in own]
        settings = " ".join(f"{key}={it}" for key, it in row.settings.items())
        about = "left out" if row.role == "skip" else f" [{settings}]" if settings else ""
        texts = [_text(cell, line) for cell, line in zip(cells, table.columns, strict=True)]
        page.add_row(*map(Text, (str(row.number), f"{_cut(row.id)}{about}", *texts)))
    return page


def _text(cell: Cell, line: Line) -> str:
    if line.role != "values":
        return _cut(cell.text)
    if cell.kind == "number":
        return f"{cell.value}{_beside(cell)}"
    return {"dash": "-", "empty": ""}.get(cell.kind, f"? {_cut(cell.text)}")


def _beside(cell: Cell) -> str:
    sd = f" ±{cell.sd}" if cell.sd is not None else ""
    return sd + (f" {{{' '.join(cell.marks)}}}" if cell.marks else "")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."


def remarks(table: Mapped) -> Iterator[str]:
    """What the table does not show: what is left out, what was spelled anew, what could not be read."""
    file = table.table
    heads = f"{len(file.heading)} row{'s' if len(file.heading) > 1 else ''}"
    yield f"{file.name}:{file.line}: {file.form}; the heading has {heads} (else --set heads=N)"
    if len(table.rows) > _ROWS:
        yield f"{len(table.rows) - _ROWS} more rows are not shown here"
    for what, lines, without_name in (("column", table.columns, "empty"), ("row", table.rows, "")):
        for line in lines:
            if line.role == "skip":
                yield f"{what} {line.number} ({line.label or without_name}) is left out"
    yield from _carried(table)
    for (row, column), cell in table.cells.items():
        if (row, column) in table.corrected:
            written = "null" if cell.value is None else f"{cell.value!r}{_beside(cell)}"
            yield f"cell {row},{column}: {cell.text!r} is taken as {written}, as you said"
        elif cell.respelled:
            yield f"cell {row},{column}: {cell.text!r} is taken as {cell.value!r}"
    empty = [f"{row},{column}" for (row, column), cell in table.cells.items() if cell.kind == "empty"]
    if empty:
        more = f" and {len(empty) - 8} more" if len(empty) > 8 else ""
        yield f"empty in the file, and null like a dash: {' '.join(empty[:8])}{more}"
    for id, dataset in table.new_datasets.items():
        yield f"data set {id} ({dataset['name']}) is added to the claim file"
    for piece, column, why in file.left_out:
        yield f"not taken: line {piece.line}, column {column}: {piece.text!r} {why}"


def _carried(table: Mapped) -> Iterator[str]:
    """Names that are blank in the file and were taken from above, one line for each."""
    above: dict[tuple[int, str], list[int]] = {}
    for row in table.table.rows:
        for cell in row.cells:
            if cell.carried:
                above.setdefault((cell.column, cell.text), []).append(row.number)
    for (column, text), rows in above.items():
        of = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
        is_blank = "is blank, and goes" if len(rows) == 1 else "are blank, and go"
        other = f"say row {rows[0]}: label=... dataset=... if not"
        yield f"column {column}, {of} {is_blank} on with {text!r} above; {other}"
