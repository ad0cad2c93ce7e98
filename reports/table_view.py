"""The paper's tables drawn again: the printed number, a mark for what was found about it, our mean below."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.record import Cell, Column, Row, Scope, TableRecord
from reports import digits, wording
from reports.findings_view import finding_anchors, finding_key
from reports.lookup import Lookup
from reports.wording import Status, printed_checks, same_runs


@dataclass(frozen=True)
class Mark:
    """The verdict of a claim on a cell: large for the cell's own value, small for a comparison."""

    status: Status
    label: str
    href: str
    small: bool
    again: bool = False
    """Whether the claim rests on the runs of another one, so that it has a sign in place of a mark."""


@dataclass(frozen=True)
class Repeated:
    """Of a cell for which the runs of another one stand: where they do."""

    text: str
    href: str


@dataclass(frozen=True)
class FindingMark:
    """A finding about a cell."""

    label: str
    href: str


@dataclass(frozen=True)
class CellView:
    anchor: str
    printed: str
    marks: tuple[Mark, ...]
    ours: str
    """Our mean ± sd; empty where nothing was run."""
    n: str
    copied: str
    """Where the number was copied from; empty for the paper's own."""
    interval: str = ""
    """Of our mean, where the cell's own value was judged."""
    repeated: Repeated | None = None
    """In place of our mean, which another cell has."""
    findings: tuple[FindingMark, ...] = ()
    """The inconsistent findings in which the number has a part."""


@dataclass(frozen=True)
class RowView:
    label: str
    cells: tuple[CellView, ...]


@dataclass(frozen=True)
class TableView:
    anchor: str
    label: str
    caption: str
    place: str
    columns: tuple[str, ...]
    rows: tuple[RowView, ...]
    footnote: str


def table_views(found: Lookup) -> tuple[TableView, ...]:
    """All tables of the audit."""
    marks = Marks(_marks(found), _finding_marks(found), _intervals(found))
    return tuple(_table(table, found, marks) for table in found.audit.tables)


@dataclass(frozen=True)
class Marks:
    """What stands beside the cells, by address."""

    verdicts: Mapping[str, tuple[Mark, ...]]
    findings: Mapping[str, tuple[FindingMark, ...]]
    intervals: Mapping[str, str]


def _finding_marks(found: Lookup) -> dict[str, tuple[FindingMark, ...]]:
    """Of inconsistent findings; each once a cell."""
    anchors = finding_anchors(found.audit.findings)
    marks: dict[str, list[FindingMark]] = defaultdict(list)
    for it in found.audit.findings:
        if it.result == "inconsistent" and it.claim is None:  # else it is about a sentence, not its cells
            label = printed_checks.mark(it)
            for address in dict.fromkeys(it.cells):
                marks[address].append(FindingMark(label, f"#{anchors[finding_key(it)]}"))
    return {address: tuple(listed) for address, listed in marks.items()}


def _intervals(found: Lookup) -> dict[str, str]:
    """Cell address -> the interval of our mean, from the verdict on the cell's own value."""
    held = {}
    for claim in found.audit.claims:
        verdict = found.verdicts.get(claim.id)
        if claim.kind == "value" and len(claim.cells) == 1 and verdict and verdict.ci95:
            bounds = digits.interval(verdict.ci95, beside=wording.edges(claim, verdict))
            held[claim.cells[0]] = f"{wording.coverage(verdict)[1]}%: {bounds}"
    return held


def _marks(found: Lookup) -> dict[str, tuple[Mark, ...]]:
    """Cell address -> marks; the cell's own value first, then comparisons in the order of the claims."""
    marks: dict[str, list[Mark]] = defaultdict(list)
    for claim in found.audit.claims:
        status = wording.status_of(found.verdicts.get(claim.id))
        title = wording.claim_title(claim, found.names(claim))
        of = "" if claim.metric else f" ({wording.subject(claim)})"  # a metric heads the column
        word, first = wording.STATUS_WORDS[status], found.same.claims.get(claim.id)
        mark = Mark(
            status=status,
            label=f"{word}: {title}{of}" if first is None else same_runs.mark(word, f"{title}{of}"),
            href=f"#{found.anchors[claim.id if first is None else first]}",
            small=claim.kind != "value",
            again=first is not None,
        )
        for address in dict.fromkeys(claim.cells):
            marks[address].append(mark)
    return {address: tuple(sorted(listed, key=lambda mark: mark.small)) for address, listed in marks.items()}


def _table(table: TableRecord, found: Lookup, marks: Marks) -> TableView:
    rows = tuple(_row(table, row, found, marks) for row in table.rows)
    return TableView(
        anchor=found.table_anchors[table.id],
        label=table.label,
        caption=table.caption,
        place=f"page {table.page}" if table.page is not None else "",
        columns=tuple(column.label for column in table.columns),
        rows=rows,
        footnote=wording.stand_in_footnote(_scopes(table, found), split_known=found.audit.splits is None),
    )


def _row(table: TableRecord, row: Row, found: Lookup, marks: Marks) -> RowView:
    pairs = zip(table.columns, row.cells, strict=False)
    return RowView(row.label, tuple(_cell(column, cell, found, marks) for column, cell in pairs))


def _cell(column: Column, cell: Cell, found: Lookup, marks: Marks) -> CellView:
    repeated = _repeated(cell, column, found)
    values = () if repeated else measured(cell, column, found)
    record = found.experiments.get(cell.experiment or "")
    dagger = "" if record is None or record.scope == "same_data" else " †"
    return CellView(
        anchor=found.places[cell.address].anchor,
        printed=digits.ABSENT if cell.printed is None else cell.printed,
        marks=marks.verdicts.get(cell.address, ()),
        ours=digits.mean_sd(*mean_and_sd(values)) + dagger if values else "",
        n=f"n = {len(values)}" if values else "",
        copied=wording.copied_from(cell.copied_from) if cell.source == "copied" else "",
        interval=marks.intervals.get(cell.address, "") if values else "",
        repeated=repeated,
        findings=marks.findings.get(cell.address, ()),
    )


def _repeated(cell: Cell, column: Column, found: Lookup) -> Repeated | None:
    """The cell of the experiment that has these runs on nearer data, where one holds this metric."""
    first, metric = found.same.experiments.get(cell.experiment or ""), cell.metric or column.metric
    if first is None or metric is None or cell.source == "copied":
        return None
    for place in found.places.values():
        it = place.cell
        if it.experiment == first and (it.metric or place.column.metric) == metric and it.source != "copied":
            return Repeated(f"{same_runs.SAME} {found.title(first)}", f"#{place.anchor}")
    return None


def measured(cell: Cell, column: Column, found: Lookup) -> tuple[float, ...]:
    """The cell's metric of every finished run of its experiment; nothing for copied cells.

    Where metrics head the rows, the column has none: the cell's own counts.
    """
    metric = cell.metric or column.metric
    if cell.experiment is None or metric is None or cell.source == "copied":
        return ()
    runs = [run for run in found.runs(cell.experiment) if run.status == "done"]
    return tuple(run.metrics[metric] for run in runs if metric in run.metrics)


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard deviation with n - 1 below; no deviation of a single value.

    >>> mean_and_sd([75.0, 76.0, 77.0])
    (76.0, 1.0)
    """
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _scopes(table: TableRecord, found: Lookup) -> list[Scope]:
    """The scopes of those experiments whose numbers stand in the table."""
    pairs = [
        (cell, column) for row in table.rows for column, cell in zip(table.columns, row.cells, strict=False)
    ]
    shown = {
        cell.experiment
        for cell, column in pairs
        if measured(cell, column, found) and not _repeated(cell, column, found)
    }
    return [found.experiments[key].scope for key in sorted(key for key in shown if key)]
