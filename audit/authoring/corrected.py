"""Cells with what the user says they hold, and the unit of numbers that could be of either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.authoring.cells import Reading, said
from audit.authoring.mapped import Line, Whole
from audit.authoring.raw import RawCell, Run
from audit.errors import AuditError
from audit.stats.printed import printed


def corrected(cell: RawCell, said_of: Mapping[str, str]) -> RawCell:
    """The cell with what the user says it holds."""
    if "dash" in said_of:
        cell = replace(cell, kind="dash", value=None, sd=None, marks=(), why=None)
    if "value" in said_of:
        it = said((Run(said_of["value"]),), Reading("point"))
        if it.kind != "number":
            raise AuditError(f"{said_of['value']!r} is no printed number; write it as in value=75.10")
        cell = replace(cell, kind="number", value=it.value, sd=it.sd, marks=it.marks, why=None)
    marks = tuple(said_of["mark"].split()) if "mark" in said_of else cell.marks
    return replace(cell, sd=said_of.get("sd", cell.sd), marks=marks)


def open_units(
    whole: Whole, columns: Sequence[Line], rows: Sequence[Line], cells: Mapping[tuple[int, int], RawCell]
) -> Iterator[str]:
    """Metrics of at most 1 are fractions, or very low percentages: the user says which."""
    if whole.unit:
        return
    quantities = {it.number for it in columns if "quantity" in it.settings or it.role == "text"}
    values = [
        printed(cell.value).value
        for (_, column), cell in cells.items()
        if cell.value is not None and column not in quantities
    ]
    of_metric = whole.metric or any("metric" in it.settings for it in (*columns, *rows))
    if of_metric and values and max(values) <= 1:
        yield "no value is above 1; say --unit fraction, or --unit percent"
