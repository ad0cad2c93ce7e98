"""From `table.row`, `table.row.column` or an experiment, and a metric, to what a claim is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from audit.names import known_names

Address = tuple[str, str, str]
"""Table, row and column ids."""


@dataclass(frozen=True)
class GridCell:
    """What decides whether a reference leads to this cell."""

    metric: str | None
    """None where the cell holds no metric."""
    experiment: str | None = None


@dataclass(frozen=True)
class Grid:
    """The names of one table."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], GridCell]
    """(row, column) to what stands there."""

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.metric for cell in self.cells.values() if cell.metric))


class UnresolvedError(Exception):
    """A reference that leads nowhere, or to several cells; the message says which names there are."""


def is_experiment(reference: str) -> bool:
    """Whether it names an experiment rather than a cell."""
    return "." not in reference


def check_experiment(reference: str, experiments: Collection[str]) -> None:
    """Raises `UnresolvedError` unless there is an experiment of that name."""
    if reference not in experiments:
        raise UnresolvedError(f"there is no experiment {reference!r}; {known_names(reference, experiments)}")


def check_row(reference: str, grids: Mapping[str, Grid]) -> None:
    """Raises `UnresolvedError` unless table and row (or the table's experiment) of `reference` are there."""
    table, row, *_ = reference.split(".")
    if table not in grids:
        raise UnresolvedError(f"there is no table {table!r}; {known_names(table, grids)}")
    grid = grids[table]
    if row not in grid.rows and not any(row == cell.experiment for cell in grid.cells.values()):
        raise UnresolvedError(f"table {table!r} has no row {row!r}; {known_names(row, grid.rows)}")


def address(reference: str, metric: str | None, grids: Mapping[str, Grid]) -> Address:
    """The cell that `reference` names; `metric` picks the column where the reference names none.

    `table.row` may also be `table.experiment`: the cell in which the table reports that experiment.
    Raises `UnresolvedError`.
    """
    check_row(reference, grids)
    table, row, *column = reference.split(".")
    if column:
        return table, row, _named(row, column[0], metric, table, grids[table])
    if row in grids[table].rows:
        fitting = [place for place in grids[table].cells if place[0] == row]
    else:
        fitting = [place for place, cell in grids[table].cells.items() if cell.experiment == row]
    return (table, *_of_metric(str(metric), reference, fitting, grids[table]))


def _named(row: str, column: str, metric: str | None, table: str, grid: Grid) -> str:
    if column not in grid.columns:
        offer = known_names(column, grid.columns)
        raise UnresolvedError(f"table {table!r} has no column {column!r}; {offer}")
    if row not in grid.rows:
        raise UnresolvedError(f"table {table!r} has no row {row!r}; {known_names(row, grid.rows)}")
    held = grid.cells[row, column].metric
    if metric is not None and held != metric:
        raise UnresolvedError(
            f"column {table}.{column} holds {held or 'no metric'}, not {metric}; name another"
        )
    return column


def _of_metric(metric: str, reference: str, places: Sequence[tuple[str, str]], grid: Grid) -> tuple[str, str]:
    table = reference.split(".")[0]
    fitting = [place for place in places if grid.cells[place].metric == metric]
    if not fitting:
        offer = ", ".join(grid.metrics) or "none"
        raise UnresolvedError(f"table {table!r} has no column of metric {metric!r}; it has {offer}")
    if len(fitting) > 1:
        choice = " or ".join(f"{table}.{row}.{column}" for row, column in fitting)
        raise UnresolvedError(f"table {table!r} has several columns of {metric}; name one: {choice}")
    return fitting[0]


def metrics_of(
    references: Iterable[str], stated: Sequence[str] | None, grids: Mapping[str, Grid]
) -> tuple[str, ...]:
    """The metrics that a claim is about: those stated, or else those of the cells that it names."""
    if stated is not None:
        return tuple(stated)
    named: dict[str, None] = {}
    for reference in references:
        table, *place = reference.split(".")
        cell = grids[table].cells.get((place[0], place[1])) if len(place) == 2 and table in grids else None
        if cell and cell.metric:
            named[cell.metric] = None
    return tuple(named)
