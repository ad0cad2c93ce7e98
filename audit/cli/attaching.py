"""Rows, columns and cells of a claim file that report an experiment, as `--row` and `--column` name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.claim_model import Table
    from audit.claim_source import Plain
    from audit.record import Cell, TableRecord


def attach_row(file: ClaimFile, id: str, held: Mapping[str, Plain], name: str) -> None:
    """Say that a row reports the experiment: all of it, those columns that are on its data sets, or one cell.

    Raises `AuditError` for a row that reports another, or that holds more than one method.
    """
    from audit.authoring.reporting import instead_of_row, row_cells, twice

    table, row, column = _places(file, name)
    number = [it.id for it in file.paper.tables[table].rows].index(row)
    place, reports = ("tables", table, "rows", number), file.paper.tables[table].rows[number]
    if reports.experiment or (reports.experiments and not column):
        of = reports.experiment or ", ".join(dict.fromkeys((reports.experiments or {}).values()))
        raise AuditError(f"--row {name!r}: it reports {of} already, and that is kept; leave it out")
    if column:
        _attach_cells(file, id, table, {row: column}, f"--row {name!r}")
        return
    record = _record(file, table)
    metrics = [it for it in row_cells(record, row) if it.metric]
    fitting = _on(metrics, held)
    if several := twice(fitting):
        how = instead_of_row(record, row, several)
        raise AuditError(f"--row {name!r}: {_several(several)}, so it holds more than one method; say {how}")
    if len(fitting) == len(metrics):
        file.put((*place, "experiment"), id)
    else:
        file.put((*place, "experiments"), {_column_of(it): id for it in fitting})


def attach_column(file: ClaimFile, id: str, held: Mapping[str, Plain], name: str) -> None:
    """Say that a column reports the experiment: all of it, or those rows that are on its data sets.

    Raises `AuditError` for a column that reports another, or that holds more than one method.
    """
    from audit.authoring.reporting import column_cells, instead_of_column, twice

    table, column = _column(file, name)
    number = [it.id for it in file.paper.tables[table].columns].index(column)
    reports = file.paper.tables[table].columns[number]
    if reports.experiment:
        of = reports.experiment
        raise AuditError(f"--column {name!r}: it reports {of} already, and that is kept; leave it out")
    record = _record(file, table)
    metrics = [it for it in column_cells(record, column) if it.metric]
    fitting = _on(metrics, held)
    if several := twice(fitting):
        how = instead_of_column(record, column, several)
        raise AuditError(
            f"--column {name!r}: {_several(several)}, so it holds more than one method; say {how}"
        )
    place = ("tables", table, "columns", number)
    if len(fitting) < len(metrics):
        rows = {it.address.split(".", 2)[1]: column for it in fitting}
        _attach_cells(file, id, table, rows, f"--column {name!r}")
    elif reports.id == reports.metric and reports.model_fields_set == {"id", "metric"}:
        file.replace(place, {"id": column, "metric": reports.metric, "experiment": id})
    else:
        file.put((*place, "experiment"), id)


def _attach_cells(file: ClaimFile, id: str, table: str, cells: Mapping[str, str], option: str) -> None:
    """Row -> column of the cells that report it, each in the row's `experiments`."""
    for number, row in enumerate(file.paper.tables[table].rows):
        if (column := cells.get(row.id)) is None:
            continue
        place = ("tables", table, "rows", number)
        if row.experiment or column in (row.experiments or {}):
            of = row.experiment or (row.experiments or {})[column]
            raise AuditError(f"{option}: row {row.id!r} reports {of} there, and that is kept; leave it out")
        if row.experiments or (*place, "experiments") in _put(file):
            file.put((*place, "experiments", column), id)
        else:
            file.put((*place, "experiments"), {column: id})


def _put(file: ClaimFile) -> Iterable[object]:
    """Paths of the text with the changes so far: an earlier option may have put something there."""
    from audit.authoring.spans import spans

    return spans(file.text.removeprefix("\ufeff").replace("\r\n", "\n"))


def _on(cells: Iterable[Cell], held: Mapping[str, Plain]) -> list[Cell]:
    """The cells on the data sets of the experiment, and those on none."""
    on = (held.get("dataset"), *held.get("datasets", ()), None)
    return [it for it in cells if it.dataset in on]


def _several(cells: tuple[Cell, ...]) -> str:
    on = f" on {cells[0].dataset}" if cells[0].dataset else ""
    return f"it has {len(cells)} numbers of {cells[0].metric}{on}, and an experiment has one"


def _column_of(cell: Cell) -> str:
    return cell.address.split(".", 2)[2]


def _record(file: ClaimFile, table: str) -> TableRecord:
    return next(it for it in file.paper.table_records() if it.id == table)


def _places(file: ClaimFile, name: str) -> tuple[str, str, str | None]:
    """Table, row and, where one cell is meant, column."""
    from audit.names import known_names as offered

    table, row, column = (*name.split(".", 2), "", "")[:3]
    held = _table(file, name, table, "--row")
    ids = [it.id for it in held.rows]
    if row not in ids:
        raise AuditError(f"--row {name!r}: table {table!r} has no row {row!r}; {offered(row, ids)}")
    columns = [it.id for it in held.columns]
    if column and column not in columns:
        offers = offered(column, columns)
        raise AuditError(f"--row {name!r}: table {table!r} has no column {column!r}; {offers}")
    return table, row, column or None


def _column(file: ClaimFile, name: str) -> tuple[str, str]:
    from audit.names import known_names as offered

    table, _, column = name.partition(".")
    ids = [it.id for it in _table(file, name, table, "--column").columns]
    if column not in ids:
        raise AuditError(
            f"--column {name!r}: table {table!r} has no column {column!r}; {offered(column, ids)}"
        )
    return table, column


def _table(file: ClaimFile, name: str, table: str, option: str) -> Table:
    from audit.names import known_names as offered

    tables = file.paper.tables
    if table not in tables:
        raise AuditError(f"{option} {name!r}: there is no table {table!r}; {offered(table, tables)}")
    return tables[table]
