"""The cross-paper view: a row for a method and metric on a collection, a column for each paper, and ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import AcrossPapers, PrintedIn
from reports import digits
from reports.lookup import Lookup
from reports.table_view import mean_and_sd, measured
from reports.wording import across as words


@dataclass(frozen=True)
class AcrossNumber:
    """A number of one paper."""

    text: str
    origin: str
    """`from liu2017`; empty for the paper's own."""
    copied: bool
    place: str
    href: str
    """Of the cell in this page; empty for another paper's."""


@dataclass(frozen=True)
class AcrossRow:
    method: str
    metric: str
    differs: str
    """Whether numbers differ, and whether other test sets may be why; empty where none do."""
    cells: tuple[tuple[AcrossNumber, ...], ...]
    """One for each paper of the table; empty where it prints nothing."""
    ours: str
    n: str


@dataclass(frozen=True)
class AcrossTable:
    """One collection."""

    collection: str
    title: str
    ours: bool
    """Whether some number of ours is in it."""
    papers: tuple[tuple[str, str], ...]
    """Key, and its number of test documents."""
    rows: tuple[AcrossRow, ...]
    stand_in: bool
    """Whether some of our numbers are not of the paper's own data."""


@dataclass(frozen=True)
class AcrossSection:
    summary: str
    tables: tuple[AcrossTable, ...]


def across_section(found: Lookup) -> AcrossSection:
    """By collection; those first that hold a number of ours."""
    rows = found.audit.across
    if not rows:
        return AcrossSection(words.none(found.audit.papers_beside), ())
    key = found.audit.paper.key
    papers = sorted({it.paper for row in rows for it in row.prints} - {key})
    held: dict[str, list[AcrossPapers]] = {}
    for row in rows:
        held.setdefault(row.collection, []).append(row)
    tables = sorted(
        (_table(name, mine, key, found) for name, mine in held.items()), key=lambda it: not it.ours
    )
    differing = [row for row in rows if row.differ]
    sized = sum(row.differ_on_one_size for row in differing)
    return AcrossSection(words.summary(len(rows), len(differing), sized, papers), tuple(tables))


def _table(collection: str, rows: Sequence[AcrossPapers], key: str, found: Lookup) -> AcrossTable:
    printed = [it for row in rows for it in row.prints]
    papers = [key, *sorted({it.paper for it in printed} - {key})]
    shown = tuple(_row(row, papers, found) for row in rows)
    return AcrossTable(
        collection=collection,
        title=words.collection(collection, len(rows)),
        ours=any(row.ours for row in shown),
        papers=tuple(
            (it, words.sizes([one.test_size for one in printed if one.paper == it])) for it in papers
        ),
        rows=shown,
        stand_in=any("†" in row.ours for row in shown),
    )


def _row(row: AcrossPapers, papers: Sequence[str], found: Lookup) -> AcrossRow:
    ours, n = _ours(row, found)
    return AcrossRow(
        method=row.method.replace("_", " "),
        metric=row.metric,
        differs=words.differs(row.differ_on_one_size) if row.differ else "",
        cells=tuple(_numbers([it for it in row.prints if it.paper == paper], found) for paper in papers),
        ours=ours,
        n=n,
    )


def _numbers(printed: Sequence[PrintedIn], found: Lookup) -> tuple[AcrossNumber, ...]:
    """A paper's numbers; one that stands in two places alike is one."""
    seen: dict[tuple[str, str], AcrossNumber] = {}
    for it in printed:
        origin = words.origin(it)
        mine = it.paper == found.audit.paper.key and it.address in found.places
        href = f"#{found.places[it.address].anchor}" if mine else ""
        number = AcrossNumber(it.text, origin.replace("_", " "), it.source == "copied", it.place, href)
        seen.setdefault((it.text, origin), number)
    return tuple(seen.values())


def _ours(row: AcrossPapers, found: Lookup) -> tuple[str, str]:
    """Mean ± sd over the runs of the first of this paper's cells that has any, and how many they are."""
    for it in row.prints:
        place = found.places.get(it.address) if it.paper == found.audit.paper.key else None
        values = measured(place.cell, place.column, found) if place else ()
        if place and values:
            record = found.experiments.get(place.cell.experiment or "")
            dagger = "" if record is None or record.scope == "same_data" else " †"
            return digits.mean_sd(*mean_and_sd(values)) + dagger, f"n = {len(values)}"
    return "", ""
