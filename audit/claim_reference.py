"""From `table.row` or `table.row.column` and a metric to the address of one printed cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from audit.names import known_names

Address = tuple[str, str, str]
"""Table, row and column ids."""


@dataclass(frozen=True)
class Grid:
    """The names of one table."""

    columns: Mapping[str, str | None]
    """Column id to metric; None where the column holds no metric."""
    rows: tuple[str, ...]


class UnresolvedError(Exception):
    """A reference that leads to no cell, or to several; the message says which names there are."""


def row_of(reference: str, grids: Mapping[str, Grid]) -> tuple[str, str]:
    """Table and row that `reference` names; raises `UnresolvedError`."""
    table, row, *_ = reference.split(".")
    if table not in grids:
        raise UnresolvedError(f"there is no table {table!r}; {known_names(table, grids)}")
    if row not in grids[table].rows:
        raise UnresolvedError(f"table {table!r} has no row {row!r}; {known_names(row, grids[table].rows)}")
    return table, row


def address(reference: str, metric: str | None, grids: Mapping[str, Grid]) -> Address:
    """The cell that `reference` names; `metric` picks the column where the reference names none.

    Raises `UnresolvedError`.
    """
    table, row = row_of(reference, grids)
    column = reference.split(".")[2:]
    if column:
        return table, row, _named(column[0], metric, table, grids[table])
    return table, row, _of_metric(str(metric), reference, grids[table])


def _named(column: str, metric: str | None, table: str, grid: Grid) -> str:
    if column not in grid.columns:
        offer = known_names(column, grid.columns)
        raise UnresolvedError(f"table {table!r} has no column {column!r}; {offer}")
    held = grid.columns[column]
    if metric is not None and held != metric:
        raise UnresolvedError(
            f"column {table}.{column} holds {held or 'no metric'}, not {metric}; name another"
        )
    return column


def _of_metric(metric: str, reference: str, grid: Grid) -> str:
    table = reference.split(".")[0]
    fitting = [name for name, held in grid.columns.items() if held == metric]
    if not fitting:
        offer = ", ".join(dict.fromkeys(held for held in grid.columns.values() if held)) or "none"
        raise UnresolvedError(f"table {table!r} has no column of metric {metric!r}; it has {offer}")
    if len(fitting) > 1:
        choice = " or ".join(f"{reference}.{name}" for name in fitting)
        raise UnresolvedError(f"table {table!r} has several columns of {metric}; name one: {choice}")
    return fitting[0]


def metrics_of(
    references: Iterable[str], stated: Sequence[str] | None, grids: Mapping[str, Grid]
) -> tuple[str, ...]:
    """The metrics that a claim is about: those stated, or else those of the columns that it names."""
    if stated is not None:
        return tuple(stated)
    named: dict[str, None] = {}
    for reference in references:
        table, _, *column = reference.split(".")
        if column and table in grids and (held := grids[table].columns.get(column[0])):
            named[held] = None
    return tuple(named)
