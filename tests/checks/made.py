"""Hand-made sheets for the tests of the checks: a table in three lines, a statement in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.checks import Sheet
from audit.record import (
    Cell,
    ClaimRecord,
    Column,
    DatasetRecord,
    Finding,
    Margin,
    PaperInfo,
    Row,
    Source,
    TableRecord,
    Where,
)


@dataclass(frozen=True, kw_only=True)
class Of:
    """What a column, a row or one cell is about; the narrower place goes first, None says nothing."""

    id: str = ""
    metric: str | None = None
    quantity: str | None = None
    dataset: str | None = None
    method: str | None = None
    experiment: str | None = None
    """Empty text: none at all."""
    source: Source | None = None
    copied_from: str | None = None
    unit: str | None = None
    sd: str | None = None
    printed: str | None = None
    note: str | None = None


def table(
    columns: Iterable[str | Of],
    rows: Mapping[str | Of, Sequence[str | Of | None]],
    *,
    id: str = "t",
    dataset: str | None = "eurlex",
    source: Source = "own_run",
    runs: int | None = None,
    verified: str | None = None,
) -> TableRecord:
    """Columns that are text are metrics; rows that are text are methods, each of its own experiment."""
    places = [Of(id=it, metric=it) if isinstance(it, str) else it for it in columns]
    whole = Of(dataset=dataset, source=source)
    held = []
    for key, values in rows.items():
        row = Of(id=key, method=key) if isinstance(key, str) else key
        assert len(values) == len(places), f"row {row.id} needs {len(places)} values"
        cells = tuple(
            _cell(id, Of(printed=value) if not isinstance(value, Of) else value, place, row, whole)
            for place, value in zip(places, values, strict=True)
        )
        held.append(Row(row.id, row.id, cells))
    return TableRecord(
        id=id,
        label=id,
        caption="",
        columns=tuple(Column(it.id, it.id, it.metric, it.dataset or dataset) for it in places),
        rows=tuple(held),
        runs=runs,
        verified=verified,
    )


def _cell(table: str, value: Of, column: Of, row: Of, whole: Of) -> Cell:
    def first(name: str) -> Any:
        return next(
            (v for place in (value, row, column, whole) if (v := getattr(place, name)) is not None), None
        )

    quantity, dataset, method = first("quantity"), first("dataset"), first("method")
    experiment = first("experiment")
    if experiment is None and method:
        experiment = f"{method}-{dataset}"
    metric = None if quantity else first("metric")
    return Cell(
        address=f"{table}.{row.id}.{column.id}",
        printed=value.printed,
        source=first("source"),
        experiment=experiment or None,
        copied_from=first("copied_from"),
        metric=metric,
        dataset=dataset,
        quantity=quantity,
        unit=first("unit") or ("percent" if metric else None),
        method=method,
        sd=value.sd,
        note=value.note,
    )


def data_set(id: str = "eurlex", catalogue: str | None = "eurlex-4k", **printed: str) -> DatasetRecord:
    return DatasetRecord(id, id, catalogue, printed)


def paper(
    *tables: TableRecord,
    key: str = "toy",
    datasets: Sequence[DatasetRecord] = (),
    says: Sequence[ClaimRecord] = (),
) -> Sheet:
    return Sheet(PaperInfo(key, key), tables, {it.id: it for it in datasets}, tuple(says))


def states(
    kind: str,
    *cells: str,
    metric: str = "P@1",
    dataset: str = "eurlex",
    id: str = "claim",
    expect: str | None = None,
    margin: float | None = None,
    experiments: int | None = None,
    **details: Any,
) -> ClaimRecord:
    """A statement about these cells, in the order in which its kind reads them."""
    count = len(cells) if experiments is None else experiments
    return ClaimRecord(
        id=id,
        claim=id,
        kind=kind,
        says="own short words",
        metric=metric,
        where=Where(),
        cells=cells,
        experiments=tuple(f"e{i}" for i in range(count)),
        dataset=dataset,
        expect=expect,
        margin=None if margin is None else Margin(margin, "field", "a test"),
        details=details,
    )


def results(findings: Iterable[Finding]) -> list[str]:
    return [it.result for it in findings]


def only(findings: Iterable[Finding]) -> Finding:
    (found,) = findings
    return found
