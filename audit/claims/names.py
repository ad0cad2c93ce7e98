"""Where references lead: `table.row`, `table.row.column` or an experiment; a metric picks the column."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from audit.names import known_names
from audit.record import Cell, TableRecord

Tables = Mapping[str, TableRecord]


class UnresolvedError(Exception):
    """A reference that leads nowhere, or to several cells; the message says which names there are."""


def is_experiment(reference: str) -> bool:
    """Whether it names an experiment rather than a cell."""
    return "." not in reference


def check_known(what: str, name: str, known: Collection[str], *, of: str = "there is") -> None:
    """Raises `UnresolvedError` unless the name is among the known ones."""
    if name not in known:
        raise UnresolvedError(f"{of} no {what} {name!r}; {known_names(name, known)}")


def row_of(reference: str, tables: Tables) -> list[Cell]:
    """The cells of the row that `table.row` begins with; `row` may also be an experiment of the table.

    Raises `UnresolvedError`.
    """
    name, row, *_ = reference.split(".")
    check_known("table", name, tables)
    rows = {line.id: line.cells for line in tables[name].rows}
    if row in rows:
        return list(rows[row])
    cells = [cell for line in rows.values() for cell in line if cell.experiment == row]
    if not cells:
        check_known("row", row, rows, of=f"table {name!r} has")
    return cells


def cell_of(reference: str, metric: str | None, tables: Tables) -> Cell:
    """The cell that `reference` names; `metric` (or a quantity) picks it where the reference has no column.

    Raises `UnresolvedError`.
    """
    cells = row_of(reference, tables)
    table, row, *column = reference.split(".")
    if column:
        columns, rows = ([line.id for line in lines] for lines in (tables[table].columns, tables[table].rows))
        check_known("column", column[0], columns, of=f"table {table!r} has")
        check_known("row", row, rows, of=f"table {table!r} has")
        (cell,) = (cell for cell in cells if cell.address == reference)
        if metric is not None and of_what(cell) != metric:
            what = f"column {table}.{column[0]} holds {of_what(cell) or 'no metric'}"
            raise UnresolvedError(f"{what}, not {metric}; name another")
        return cell
    fitting = [cell for cell in cells if of_what(cell) == metric]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        there = dict.fromkeys(of_what(cell) for line in tables[table].rows for cell in line.cells)
        offer = ", ".join(filter(None, there)) or "none"
        raise UnresolvedError(f"table {table!r} has no column of metric {metric!r}; it has {offer}")
    choice = " or ".join(cell.address for cell in fitting)
    raise UnresolvedError(f"table {table!r} has several columns of {metric}; name one: {choice}")


def of_what(cell: Cell) -> str | None:
    """Its metric, or what it counts instead."""
    return cell.metric or cell.quantity


def metrics_of(references: Iterable[str], stated: Sequence[str] | None, tables: Tables) -> tuple[str, ...]:
    """The metrics that a claim is about: those stated, or else those of the cells that it names."""
    if stated is not None:
        return tuple(stated)
    named: dict[str, None] = {}
    for reference in references:
        if reference.count(".") == 2:
            try:
                metric = of_what(cell_of(reference, None, tables))
            except UnresolvedError:
                continue
            named |= {metric: None} if metric else {}
    return tuple(named)
