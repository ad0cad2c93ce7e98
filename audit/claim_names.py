"""The names in a claim file and what hangs on them, looked up in its plain data.

Says nothing of a part that is not of the right type (`audit.claim_model` does) and reads past it, so that one
reading of the file reports both kinds of problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.claim_reference import Grid
from audit.claim_source import KeyPath, Plain, Problem
from audit.names import known_names

PlainMapping = Mapping[str, Plain]


@dataclass(frozen=True)
class CellNames:
    """What the file says about one cell; None where it says nothing readable."""

    is_null: bool
    """Whether the file has null there: the paper prints a dash."""
    source: str | None
    copied_from: str | None
    experiment: str | None
    dataset: str | None


@dataclass(frozen=True)
class TableNames:
    """One table: its columns and rows by id."""

    columns: Mapping[str, PlainMapping]
    rows: Mapping[str, PlainMapping]
    datasets: Mapping[str, str | None]
    """Data set of each column; None too where the file has no data set of that name."""
    grid: Grid

    def cell(self, row: str, column: str) -> CellNames:
        plain, values = self.rows[row], sequence(self.rows[row].get("values"))
        place = list(self.columns).index(column)
        by_column = mapping(plain.get("experiments"))
        return CellNames(
            is_null=place < len(values) and values[place] is None,
            source=text_or_none(plain.get("source")),
            copied_from=text_or_none(plain.get("from")),
            experiment=text_or_none(plain.get("experiment")) or text_or_none(by_column.get(column)),
            dataset=self.datasets[column],
        )


class FileNames:
    """All of a claim file's names."""

    def __init__(self, content: PlainMapping) -> None:
        self.content = content
        self.datasets = mapping(content.get("datasets"))
        self.experiments = mapping(content.get("experiments"))
        self.tables = {
            str(path[-1]): _table(entry, self.datasets) for path, entry in entries(content, "tables")
        }
        self.grids = {name: table.grid for name, table in self.tables.items()}

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


def counted(number: int, noun: str) -> str:
    """`1 table`, `2 tables`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def mapping(value: Plain) -> PlainMapping:
    return value if isinstance(value, dict) else {}


def sequence(value: Plain) -> Sequence[Plain]:
    return value if isinstance(value, list) else []


def text_or_none(value: Plain) -> str | None:
    return value if isinstance(value, str) else None


def column_keys(plain: Plain) -> PlainMapping:
    """A column's keys; a metric name alone stands for a column with that id and metric."""
    return {"id": plain, "metric": plain} if isinstance(plain, str) else mapping(plain)


def _known(name: Plain, names: PlainMapping) -> str | None:
    return name if isinstance(name, str) and name in names else None


def _table(entry: PlainMapping, datasets: PlainMapping) -> TableNames:
    columns: dict[str, PlainMapping] = {}
    for place, column in enumerate(map(column_keys, sequence(entry.get("columns")))):
        columns.setdefault(str(column.get("id", f"[{place}]")), column)
    rows: dict[str, PlainMapping] = {}
    for row in map(mapping, sequence(entry.get("rows"))):
        if isinstance(name := row.get("id"), str):
            rows.setdefault(name, row)
    return TableNames(
        columns=columns,
        rows=rows,
        datasets={
            name: _known(column.get("dataset", entry.get("dataset")), datasets)
            for name, column in columns.items()
        },
        grid=Grid(
            {name: text_or_none(column.get("metric")) for name, column in columns.items()}, tuple(rows)
        ),
    )
