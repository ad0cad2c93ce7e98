"""The names in a claim file and what hangs on them, looked up in its plain data; and where references lead.

A reference is `table.row`, `table.row.column` or an experiment, and a metric picks the column. Nothing is
said of a part that is not of the right type (`audit.claims.schema` does), so that one reading of the file
reports both kinds of problems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from audit.claims.source import KeyPath, Plain, Problem
from audit.names import known_names

PlainMapping = Mapping[str, Plain]


@dataclass(frozen=True)
class CellNames:
    """What the file says about one cell; None where it says nothing readable."""

    printed: str | None
    is_null: bool
    """Whether the file has null there: the paper prints a dash."""
    source: str | None
    copied_from: str | None
    experiment: str | None
    dataset: str | None
    metric: str | None
    quantity: str | None
    unit: str | None
    mark: str | None
    sd: str | None
    note: str | None

    @property
    def is_number(self) -> bool:
        """Whether the cell has to hold a number; other columns hold any text."""
        return self.metric is not None or self.quantity is not None


@dataclass(frozen=True)
class TableNames:
    """One table: its columns and rows by id."""

    plain: PlainMapping
    columns: Mapping[str, PlainMapping]
    rows: Mapping[str, PlainMapping]
    datasets: PlainMapping
    """The file's data sets."""
    families: Mapping[str, Sequence[str]]
    """Experiments on several data sets, with these."""

    @cached_property
    def grid(self) -> Grid:
        cells = {(row, column): self.cell(row, column) for row in self.rows for column in self.columns}
        return Grid(
            tuple(self.rows),
            tuple(self.columns),
            {place: GridCell(cell.metric or cell.quantity, cell.experiment) for place, cell in cells.items()},
        )

    @cached_property
    def _cells(self) -> dict[tuple[str, str], CellNames]:
        return {}

    def cell(self, row: str, column: str) -> CellNames:
        """All that holds for one cell; what a narrower place says goes before what a wider one does."""
        if (row, column) not in self._cells:
            self._cells[row, column] = self._cell(row, column)
        return self._cells[row, column]

    def unit_of(self, row: str, column: str) -> str:
        """The unit of a metric: its column's or row's, or the table's, or else percent."""
        return self.cell(row, column).unit or text_or_none(self.plain.get("unit")) or "percent"

    def _cell(self, row: str, column: str) -> CellNames:
        its_row, its_column = self.rows[row], self.columns[column]
        value = self._value(row, column)
        source = _first("source", value, its_row, its_column, self.plain)
        dataset = _first("dataset", its_column, its_row, self.plain)
        quantity = _first("quantity", its_row, its_column)
        metric = None if quantity else _first("metric", its_column, its_row, self.plain)
        return CellNames(
            printed=text_or_none(value.get("printed")),
            is_null=value == {"printed": None},
            source=source,
            copied_from=_first("from", value, its_row, its_column, self.plain)
            if source in (None, "copied")
            else None,
            experiment=self._experiment(row, column, dataset),
            dataset=_known(dataset, self.datasets),
            metric=metric,
            quantity=quantity,
            unit=_first("unit", its_column, its_row),
            mark=text_or_none(value.get("mark")),
            sd=text_or_none(value.get("sd")),
            note=text_or_none(value.get("note")),
        )

    def named_experiment(self, row: str, column: str) -> str | None:
        """The experiment as the file writes it: one name may stand for several data sets."""
        by_column = mapping(self.rows[row].get("experiments"))
        return (
            text_or_none(self._value(row, column).get("experiment"))
            or text_or_none(self.rows[row].get("experiment"))
            or text_or_none(by_column.get(column))
            or text_or_none(self.columns[column].get("experiment"))
        )

    def _experiment(self, row: str, column: str, dataset: str | None) -> str | None:
        name = self.named_experiment(row, column)
        return f"{name}-{dataset}" if name in self.families and dataset else name

    def _value(self, row: str, column: str) -> PlainMapping:
        values = sequence(self.rows[row].get("values"))
        place = list(self.columns).index(column)
        return value_keys(values[place]) if place < len(values) else {}


class FileNames:
    """All of a claim file's names."""

    def __init__(self, content: PlainMapping) -> None:
        self.content = content
        self.datasets = mapping(content.get("datasets"))
        self.families: dict[str, Sequence[str]] = {}
        self.experiments: dict[str, PlainMapping] = {}
        """Each on one data set."""
        for name, entry in mapping(content.get("experiments")).items():
            self._add_experiment(str(name), mapping(entry))
        self.tables = {
            str(path[-1]): _table(entry, self.datasets, self.families)
            for path, entry in entries(content, "tables")
        }
        self.grids = {name: table.grid for name, table in self.tables.items()}
        self.methods = {str(it["method"]): None for it in self.experiments.values() if it.get("method")}

    def _add_experiment(self, name: str, entry: PlainMapping) -> None:
        names = [it for it in sequence(entry.get("datasets")) if isinstance(it, str)]
        if names:
            self.families[name] = names
            self.experiments |= {f"{name}-{it}": {**entry, "dataset": it} for it in names}
        else:
            self.experiments[name] = entry

    @property
    def named_experiments(self) -> dict[str, None]:
        """What a cell may name: an experiment, or one that stands for several data sets."""
        return dict.fromkeys([*mapping(self.content.get("experiments")), *self.experiments])

    def dataset_of(self, experiment: str) -> str | None:
        return _known(mapping(self.experiments.get(experiment)).get("dataset"), self.datasets)


def entries(content: PlainMapping, section: str) -> Iterator[tuple[KeyPath, PlainMapping]]:
    """Path and content of each entry of a section that holds keys and values."""
    held = content.get(section)
    pairs = held.items() if isinstance(held, dict) else enumerate(sequence(held))
    for key, entry in pairs:
        if isinstance(entry, dict):
            yield (section, key), entry


def unknown(path: KeyPath, name: Plain, what: str, known: Mapping[str, object]) -> Iterator[Problem]:
    """A problem where `name` is text and not among the known names."""
    if isinstance(name, str) and name not in known:
        yield Problem(path, f"there is no {what} {name!r}; {known_names(name, known)}")


def repeated(path: KeyPath, section: str, names: Sequence[Plain]) -> Iterator[Problem]:
    """A problem for each name of a list that stood before."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if isinstance(name, str) and name in first:
            text = f"{name!r} stands twice (first as {section}[{first[name]}]); keep one or rename this one"
            yield Problem((*path, section, index), text)
        elif isinstance(name, str):
            first[name] = index


def mapping(value: Plain) -> PlainMapping:
    return value if isinstance(value, dict) else {}


def sequence(value: Plain) -> Sequence[Plain]:
    return value if isinstance(value, list | tuple) else []


def text_or_none(value: Plain) -> str | None:
    return value if isinstance(value, str) else None


def column_keys(plain: Plain) -> PlainMapping:
    """A column's keys; a metric name alone stands for a column with that id and metric."""
    return {"id": plain, "metric": plain} if isinstance(plain, str) else mapping(plain)


def value_keys(plain: Plain) -> PlainMapping:
    """A number's keys; the number alone stands for one without mark or spread."""
    return plain if isinstance(plain, dict) else {"printed": plain}


def _known(name: Plain, names: PlainMapping) -> str | None:
    return name if isinstance(name, str) and name in names else None


def _table(entry: PlainMapping, datasets: PlainMapping, families: Mapping[str, Sequence[str]]) -> TableNames:
    columns: dict[str, PlainMapping] = {}
    for place, column in enumerate(map(column_keys, sequence(entry.get("columns")))):
        columns.setdefault(str(column.get("id", f"[{place}]")), column)
    rows: dict[str, PlainMapping] = {}
    for row in map(mapping, sequence(entry.get("rows"))):
        if isinstance(name := row.get("id"), str):
            rows.setdefault(name, row)
    return TableNames(entry, columns, rows, datasets, families)


def _first(key: str, *places: PlainMapping) -> str | None:
    return next((name for place in places if (name := text_or_none(place.get(key))) is not None), None)


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
