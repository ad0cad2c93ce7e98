"""Which line of a table reports an experiment: a row, a column, or no more than a cell.

An experiment has one P@1 on a data set. A row with two of them holds two methods, as where the columns
are the methods; a column P@1 under several rows does so in most tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audit.authoring.edit import ClaimFile
from audit.claims.source import Plain
from audit.errors import AuditError
from audit.names import known_names
from audit.record import Cell, TableRecord


def attach(file: ClaimFile, id: str, entry: Mapping[str, Plain], name: str) -> None:
    """Say that `table.row`, `table.column` or `table.row.column` reports the experiment, on its data sets.

    Raises `AuditError` for a line that is not there, that reports another, or that holds several methods.
    """
    option = f"--row {name!r}"
    table, _, line = name.partition(".")
    if table not in file.paper.tables:
        raise AuditError(f"{option}: there is no table {table!r}; {known_names(table, file.paper.tables)}")
    record = next(it for it in file.paper.table_records() if it.id == table)
    lines = _lines(record)
    cells = lines.get(line) or [it for row in record.rows for it in row.cells if it.address == name]
    if not cells:
        raise AuditError(
            f"{option}: table {table!r} has no row or column {line!r}; {known_names(line, lines)}"
        )
    on = (entry.get("dataset"), *entry.get("datasets", ()), None)
    metrics = [it for it in cells if it.metric] or list(cells)
    fitting = [it for it in metrics if it.dataset in on] if line in lines else list(cells)
    if several := _twice(fitting):
        where = f" on {several[0].dataset}" if several[0].dataset else ""
        offers = dict.fromkeys(f"--row {reported(record, it)}" for it in several)
        raise AuditError(
            f"{option}: it has {len(several)} numbers of {several[0].metric}{where}, and an experiment has "
            f"one, so it holds more than one method; say {' or '.join([*offers][:3])}"
        )
    for cell in fitting:
        if cell.experiment:
            of = f"it reports {cell.experiment} already"
            raise AuditError(f"{option}: {of}, and that is kept; leave it out")
    whole = line in lines and len(fitting) == len(metrics)
    rows = [it.id for it in record.rows]
    if whole and line in rows and not file.paper.tables[table].rows[rows.index(line)].experiments:
        file.put(("tables", table, "rows", rows.index(line), "experiment"), id)
    elif whole and line not in rows:
        number = [it.id for it in record.columns].index(line)
        place, column = ("tables", table, "columns", number), file.paper.tables[table].columns[number]
        if column.model_fields_set == {"id", "metric"} and column.id == column.metric:
            file.replace(place, {"id": line, "metric": line, "experiment": id})
        else:
            file.put((*place, "experiment"), id)
    else:
        for cell in fitting:
            row, _, column_id = cell.address.removeprefix(f"{table}.").partition(".")
            file.put(("tables", table, "rows", rows.index(row), "experiments", column_id), id)


def reported(table: TableRecord, cell: Cell) -> str:
    """Address of the line, or the cell alone, that reports what this cell does."""
    row, _, column = cell.address.removeprefix(f"{table.id}.").partition(".")
    lines = _lines(table)
    line = next((it for it in (row, column) if not _twice(lines[it])), f"{row}.{column}")
    return f"{table.id}.{line}"


def _lines(table: TableRecord) -> dict[str, Sequence[Cell]]:
    """Rows and columns by their ids; a row counts before a column of that name."""
    columns = {it.id: [row.cells[k] for row in table.rows] for k, it in enumerate(table.columns)}
    return {**columns, **{it.id: it.cells for it in table.rows}}


def _twice(cells: Iterable[Cell]) -> Sequence[Cell]:
    """The first cells that hold one metric on one data set; none where each stands once."""
    held: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in cells:
        if cell.metric is not None:
            held.setdefault((cell.metric, cell.dataset), []).append(cell)
    return next((it for it in held.values() if len(it) > 1), ())
