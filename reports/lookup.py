"""Finds things in an audit by their ids, once for the whole page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.record import (
    Audit,
    Cell,
    ClaimRecord,
    Column,
    ExperimentRecord,
    Row,
    Run,
    TableRecord,
    Verdict,
)
from reports.same_runs import SameRuns, same_runs
from reports.strings import slug
from reports.wording import UNJUDGED


@dataclass(frozen=True)
class Place:
    """One printed cell with the table, row and column it stands in."""

    table: TableRecord
    row: Row
    column: Column
    cell: Cell
    anchor: str


@dataclass(frozen=True)
class Lookup:
    """The audit with its ids resolved; what is not there is simply absent."""

    audit: Audit
    verdicts: Mapping[str, Verdict]
    experiments: Mapping[str, ExperimentRecord]
    places: Mapping[str, Place]
    """By cell address."""
    anchors: Mapping[str, str]
    """Claim id -> fragment of its deep link, unique in the page."""
    table_anchors: Mapping[str, str]
    run_anchors: Mapping[str, str]
    """Run key -> fragment of the run's record."""
    same: SameRuns
    """What rests on the runs of another claim or experiment."""

    def names(self, claim: ClaimRecord) -> tuple[str, ...]:
        """Titles of the claim's experiments, in its order; an unknown id stands for itself."""
        return tuple(self.title(experiment) for experiment in claim.experiments)

    def quoted(self, claim: ClaimRecord) -> tuple[str, ...]:
        """The same, as they stand within a sentence."""
        return tuple(f"“{name}”" for name in self.names(claim))

    def title(self, experiment: str) -> str:
        record = self.experiments.get(experiment)
        return (record.title if record else "") or experiment

    def imported(self, claim: ClaimRecord) -> bool:
        """Whether the claim rests on runs that others made, and that nobody verified here."""
        held = (self.experiments[name] for name in claim.experiments if name in self.experiments)
        return any(run.imported for it in held for run in it.runs)

    @property
    def imported_and_judged(self) -> tuple[int, int]:
        """How many of the judged claims rest on imported runs, and how many were judged."""
        judged = [
            it
            for it in self.audit.claims
            if (verdict := self.verdicts.get(it.id)) is not None and verdict.reason not in UNJUDGED
        ]
        return sum(self.imported(it) for it in judged), len(judged)

    def runs(self, experiment: str) -> tuple[Run, ...]:
        """The runs of an experiment by seed."""
        record = self.experiments.get(experiment)
        return tuple(sorted(record.runs, key=lambda run: run.spec.seed)) if record else ()


def lookup(audit: Audit) -> Lookup:
    """Index `audit`. Verdicts are found by claim id, so a claim without one shows as not tested."""
    return Lookup(
        audit=audit,
        verdicts={verdict.claim: verdict for verdict in audit.verdicts},
        experiments={experiment.id: experiment for experiment in audit.experiments},
        places=_places(audit.tables),
        anchors=unique_anchors("c", [claim.id for claim in audit.claims]),
        table_anchors=unique_anchors("table", [table.id for table in audit.tables]),
        run_anchors=_run_anchors(audit),
        same=same_runs(audit),
    )


def _run_anchors(audit: Audit) -> dict[str, str]:
    """The first five digits of a key where no other run has them: a page names each run many times."""
    keys = list(dict.fromkeys(run.key for record in audit.experiments for run in record.runs))
    short = [key[:5] for key in keys]
    number = Counter(short)
    return {key: f"r-{slug(short[k] if number[short[k]] == 1 else key)}" for k, key in enumerate(keys)}


def unique_anchors(prefix: str, ids: Sequence[str]) -> dict[str, str]:
    """A fragment for each id; a second id with the same fragment gets `-2`, and so on."""
    anchors: dict[str, str] = {}
    taken: set[str] = set()
    for key in dict.fromkeys(ids):
        stem = anchor = f"{prefix}-{slug(key)}"
        number = 1
        while anchor in taken:
            number += 1
            anchor = f"{stem}-{number}"
        taken.add(anchor)
        anchors[key] = anchor
    return anchors


def _places(tables: Sequence[TableRecord]) -> dict[str, Place]:
    found = [
        (table, row, column, cell)
        for table in tables
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=False)
    ]
    anchors = unique_anchors("t", [cell.address for *_, cell in found])
    return {
        cell.address: Place(table, row, column, cell, anchors[cell.address])
        for table, row, column, cell in found
    }
