"""The entry of a mapped table under `tables` of a claim file, and whether the file has such a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.authoring.cells import RawCell
from audit.authoring.edit import ClaimFile
from audit.authoring.propose import Line, Mapped
from audit.claim import Paper
from audit.claim_source import Plain
from audit.errors import AuditError

_ORDER = ("metric", "quantity", "unit", "dataset", "experiment", "source", "from")


@dataclass(frozen=True)
class About:
    """What the table's file does not say, or not in our words."""

    id: str
    page: int | None = None
    section: str | None = None
    label: str | None = None
    caption: str | None = None
    """What it shows, in own short words; made from its columns when left out."""
    runs: int | None = None
    spread: str | None = None


def entry(mapped: Mapped, about: About) -> dict[str, Plain]:
    """The table as plain data. Raises `AuditError` while anything is open."""
    if mapped.open:
        raise AuditError("\n".join(f"{mapped.table.name}: {point}" for point in mapped.open))
    columns, whole = mapped.value_columns(), mapped.whole
    rows = [_row(mapped, row, columns) for row in mapped.kept_rows()]
    held: dict[str, Plain] = {
        "where": _given(section=about.section, page=about.page, label=about.label),
        "caption": about.caption or made_caption(mapped),
        **_given(dataset=whole.dataset, metric=whole.metric),
        **({"unit": whole.unit or "percent"} if _of_metrics(mapped) or whole.unit else {}),
        "source": whole.source,
        **({"from": whole.copied_from} if whole.copied_from else {}),
        **_given(runs=about.runs),
    }
    if any(cell.sd for cell in mapped.cells.values()):
        held["spread"] = about.spread
    of = "pasted text" if mapped.table.name == "standard input" else mapped.table.name.rpartition("/")[2]
    held["transcription"] = {"source": f"{of} ({mapped.table.form}), read by program", "verified_by": None}
    return {**held, "columns": [_column(it) for it in columns], "rows": rows}


def _of_metrics(mapped: Mapped) -> bool:
    lines = (*mapped.value_columns(), *mapped.kept_rows())
    return bool(mapped.whole.metric) or any("metric" in it.settings for it in lines)


def put(file: ClaimFile, mapped: Mapped, about: About) -> None:
    """Add the table, and the data sets that it needs, to what is to be written. Never in place of another."""
    for id, dataset in mapped.new_datasets.items():
        file.put(("datasets", id), dict(dataset))
    file.put(("tables", about.id), entry(mapped, about))


def free_id(taken: Mapping[str, Any]) -> str:
    """t1, or the first one after it that no table has."""
    return next(id for number in range(1, len(taken) + 2) if (id := f"t{number}") not in taken)


def made_caption(mapped: Mapped) -> str:
    """What the table shows, from what its columns and rows are."""
    lines = [*mapped.value_columns(), *mapped.kept_rows()]
    whole = mapped.whole
    shown = [it.settings.get("metric") or it.settings.get("quantity") for it in lines] + [whole.metric]
    names = list(dict.fromkeys(it for it in shown if it)) or ["Values"]
    on = list(dict.fromkeys(it for line in lines if (it := line.settings.get("dataset"))))
    on = on or ([whole.dataset] if whole.dataset else [])
    many = f" and {len(names) - 4} more" if len(names) > 4 else ""
    rows = len(mapped.kept_rows())
    of = f" in {rows} row{'s' if rows > 1 else ''}"
    where = f" on {', '.join(on[:4])}" if on else ""
    return f"{', '.join(names[:4])}{many}{of}{where}"


def _column(line: Line) -> Plain:
    settings = _ordered(line)
    if line.role == "text":
        settings = {key: it for key, it in settings.items() if key not in ("metric", "quantity")}
    if settings == {"metric": line.id} and line.label in ("", line.id):
        return line.id
    label = {"label": line.label} if line.label and line.label != line.id else {}
    return {"id": line.id, **label, **settings}


def _row(mapped: Mapped, line: Line, columns: list[Line]) -> dict[str, Plain]:
    label = {"label": line.label} if line.label != line.id else {}
    values = [_value(mapped, line.number, column) for column in columns]
    return {"id": line.id, **label, **_ordered(line), "values": values}


def _value(mapped: Mapped, row: int, column: Line) -> Plain:
    cell = mapped.cells[row, column.number]
    printed = _printed(cell, column)
    if printed is None:
        return None
    more = dict(mapped.extra.get((row, column.number), {}))
    if cell.marks and column.role != "text":
        more["mark"] = " ".join(cell.marks)
    if cell.sd is not None and column.role != "text":
        more["sd"] = cell.sd
    return {"printed": printed, **more} if more else printed


def _printed(cell: RawCell, column: Line) -> str | None:
    if column.role == "text":
        return None if cell.kind in ("empty", "dash") else cell.text
    return cell.value


def _ordered(line: Line) -> dict[str, str]:
    return {key: line.settings[key] for key in _ORDER if key in line.settings}


def _given(**settings: Plain) -> dict[str, Plain]:
    return {key: it for key, it in settings.items() if it is not None}


#: Fewer numbers may be alike by chance, or since a row is printed in two tables.
LEAST = 4


def same_as(paper: Paper, mapped: Mapped, about: About) -> str | None:
    """`t3 has the same 24 numbers as t2`, or None. Nothing may be open in the table."""
    new = _all_printed(value for row in entry(mapped, about)["rows"] for value in row["values"])
    if len(new) < LEAST:
        return None
    for name, table in paper.tables.items():
        old = [it.printed for row in table.rows for it in row.values if it is not None]
        if old == new:
            return f"{about.id} has the same {len(new)} numbers as {name}"
    return None


def _all_printed(values: Iterable[Plain]) -> list[str]:
    """Row by row, dashes left out."""
    return [str(it["printed"] if isinstance(it, dict) else it) for it in values if it is not None]
