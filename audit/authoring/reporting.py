"""Which line of a table can report one experiment: its row, its column, or no more than a cell.

An experiment has one P@1 on a data set. A row with two of them holds two methods, as where the columns
are the methods; a column P@1 under several rows does so in most tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audit.record import Cell, TableRecord

#: The options of `audit add experiment`.
ROW, COLUMN = "--row", "--column"


def twice(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The first cells that hold one metric on one data set; none where each stands once."""
    held: dict[tuple[str | None, str | None], list[Cell]] = {}
    for cell in cells:
        if cell.metric is not None:
            held.setdefault((cell.metric, cell.dataset), []).append(cell)
    return next((tuple(it) for it in held.values() if len(it) > 1), ())


def row_cells(table: TableRecord, row: str) -> tuple[Cell, ...]:
    """The cells of a row."""
    return next(it.cells for it in table.rows if it.id == row)


def column_cells(table: TableRecord, column: str) -> tuple[Cell, ...]:
    """The cells of a column."""
    at = [it.id for it in table.columns].index(column)
    return tuple(it.cells[at] for it in table.rows)


def reported(table: TableRecord, row: str, column: str) -> tuple[str, str]:
    """What to give `audit add experiment` for a cell: option, and address of the line that it is of."""
    if not twice(row_cells(table, row)):
        return ROW, f"{table.id}.{row}"
    if not twice(column_cells(table, column)):
        return COLUMN, f"{table.id}.{column}"
    return ROW, f"{table.id}.{row}.{column}"


def instead_of_row(table: TableRecord, row: str, cells: Sequence[Cell]) -> str:
    """What to give for a row that holds the metric of these cells more than once."""
    return _instead([reported(table, row, it.address.split(".", 2)[2]) for it in cells])


def instead_of_column(table: TableRecord, column: str, cells: Sequence[Cell]) -> str:
    """The same for a column."""
    return _instead([reported(table, it.address.split(".", 2)[1], column) for it in cells])


def _instead(offers: Sequence[tuple[str, str]]) -> str:
    said = [f"{option} {address}" for option, address in dict.fromkeys(offers)]
    return " or ".join(said[:3]) + (", ..." if len(said) > 3 else "")
