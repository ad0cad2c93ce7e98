"""What stands side by side in a table: the competitors on one data set, with their numbers by metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.authoring.suggesting_labels import is_difference, is_mean
from audit.checks.sheet import Number, Sheet
from audit.claim_reference import UnresolvedError, address
from audit.record import TableRecord


@dataclass(frozen=True)
class Competitor:
    """What one row (or column, or cell of a matrix) stands for on one data set."""

    label: str
    name: str
    """Row, column, or row-column: what ids of suggestions are made of."""
    numbers: Mapping[str, Number]
    """By metric."""

    @property
    def experiment(self) -> str | None:
        return next(iter(self.numbers.values())).cell.experiment

    @property
    def method(self) -> str | None:
        return next(iter(self.numbers.values())).cell.method


@dataclass(frozen=True)
class Field:
    """All competitors of one table on one data set."""

    table: TableRecord
    dataset: str
    dataset_name: str
    competitors: tuple[Competitor, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for it in self.competitors for metric in it.numbers))

    @property
    def labels(self) -> list[str]:
        return [it.label for it in self.competitors]


def fields(sheet: Sheet) -> Iterator[Field]:
    """Every table and data set on which two or more compete; rows of averages and differences do not."""
    tables = {table.id: table for table in sheet.tables}
    lines: dict[tuple[str, str], dict[str, list[Number]]] = {}
    for (name, dataset, metric), numbers in sheet.lines.items():
        kept = [it for it in numbers if not _is_derived(tables[name], it)]
        lines.setdefault((name, dataset), {})[metric] = kept
    for (name, dataset), by_metric in lines.items():
        competitors = tuple(_competitors(tables[name], by_metric))
        if len(competitors) > 1:
            shown = sheet.datasets[dataset].name if dataset in sheet.datasets else dataset
            yield Field(tables[name], dataset, shown, competitors)


def _is_derived(table: TableRecord, number: Number) -> bool:
    labels = label_of(table, row=number.row), label_of(table, column=number.column)
    return any(is_mean(it) or is_difference(it) for it in labels)


def label_of(table: TableRecord, *, row: str | None = None, column: str | None = None) -> str:
    """As printed."""
    if row is not None:
        return next(it.label for it in table.rows if it.id == row)
    return next(it.label for it in table.columns if it.id == column)


def _competitors(table: TableRecord, by_metric: Mapping[str, Sequence[Number]]) -> Iterator[Competitor]:
    """By row where each metric has one number a row, else by column, else each cell for itself."""
    by = _subject(by_metric.values())
    found: dict[str, dict[str, Number]] = {}
    names: dict[str, tuple[str, str]] = {}
    for metric, numbers in by_metric.items():
        for it in numbers:
            row, column = label_of(table, row=it.row), label_of(table, column=it.column)
            if by == "row":
                key, named = it.row, (row, it.row)
            elif by == "column":
                key, named = it.column, (column, it.column)
            else:
                key = it.cell.experiment or f"{it.row}.{it.column}"
                named = f"{row}, {column}", f"{it.row}-{it.column}"
            found.setdefault(key, {})[metric] = it
            names.setdefault(key, named)
    for key, of_metrics in found.items():
        yield Competitor(*names[key], of_metrics)


def _subject(lines: Iterable[Sequence[Number]]) -> str:
    held = [line for line in lines if line]
    if all(len({it.row for it in line}) == len(line) for line in held) and any(len(it) > 1 for it in held):
        return "row"
    if all(len({it.column for it in line}) == len(line) for line in held):
        return "column"
    return "cell"


# --------------------------------------------------------------------------- references


def references(
    sheet: Sheet, table: str, competitors: Sequence[Competitor], metrics: Sequence[str]
) -> list[tuple[list[str], list[str] | None]]:
    """How a claim names these competitors: references, and the metrics where they name no columns.

    One entry for all metrics where rows or experiments lead to each cell, else one for each metric.
    """
    short = [_short(sheet, table, it, metrics) for it in competitors]
    if all(short):
        return [([str(it) for it in short], list(metrics))]
    return [([it.numbers[metric].address for it in competitors], None) for metric in metrics]


def _short(sheet: Sheet, table: str, of: Competitor, metrics: Sequence[str]) -> str | None:
    """`table.row` or `table.experiment`, if that and each metric lead to the competitor's own cells."""
    rows = {of.numbers[metric].row for metric in metrics}
    for name in (*(rows if len(rows) == 1 else ()), of.experiment):
        if name and all(
            _leads_to(sheet, f"{table}.{name}", of.numbers[metric], metric) for metric in metrics
        ):
            return f"{table}.{name}"
    return None


def _leads_to(sheet: Sheet, reference: str, number: Number, metric: str) -> bool:
    try:
        return ".".join(address(reference, metric, sheet.grids)) == number.address
    except UnresolvedError:
        return False
