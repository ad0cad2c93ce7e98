"""Finds things in an audit by their ids, once for the whole page; and what rests on the same runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import (
    Audit,
    Cell,
    ClaimRecord,
    Column,
    ExperimentRecord,
    Row,
    Run,
    Scope,
    TableRecord,
    Verdict,
    canonical_json,
    comparable_metric,
    comparison,
)
from reports.numbers import ABSENT
from reports.sentences import UNJUDGED, kind_words
from reports.text import capital, grouped, listed, quoted, slug, unique_slugs

#: The paper's own data before others.
_NEAREST: tuple[Scope | None, ...] = ("same_data", "other_split", "other_data", None)


@dataclass(frozen=True)
class Place:
    """One printed cell with the table, row and column it stands in."""

    table: TableRecord
    row: Row
    column: Column
    cell: Cell
    anchor: str

    @property
    def metric(self) -> str | None:
        """Whether metrics head the columns or the rows."""
        return self.cell.metric or self.column.metric


@dataclass(frozen=True)
class Lookup:
    """The audit with its ids resolved; what is not there is simply absent."""

    audit: Audit
    verdicts: Mapping[str, Verdict]
    """By claim id; a claim without one was not run."""
    experiments: Mapping[str, ExperimentRecord]
    claims: Mapping[str, ClaimRecord]
    metrics: Mapping[str, Sequence[ClaimRecord]]
    """Id in the claim file -> the claims of its metrics."""
    places: Mapping[str, Place]
    """By cell address."""
    anchors: Mapping[str, str]
    """Claim id -> fragment of its deep link, unique in the page."""
    run_anchors: Mapping[str, str]
    """Run key -> fragment of the run's record."""
    same_claims: Mapping[str, str]
    """Id of a claim -> that of the claim whose entry tells of its runs."""
    same_experiments: Mapping[str, str]
    """Id of an experiment -> that of the experiment that has its runs on nearer data, or first."""

    def title(self, experiment: str) -> str:
        record = self.experiments.get(experiment)
        return (record.title if record else "") or experiment

    def names(self, claim: ClaimRecord) -> tuple[str, ...]:
        """Titles of the claim's experiments, in its order; an unknown id stands for itself."""
        return tuple(self.title(experiment) for experiment in claim.experiments)

    def claim_title(self, claim: ClaimRecord) -> str:
        """The claim's own short words, or a plain description where the file has none."""
        if claim.says:
            return claim.says
        names, kind = self.names(claim), kind_words(claim)
        if not kind.title:
            return capital(f"{kind.word} of {listed(quoted(names)) or ABSENT}")
        first, second = [*names, ABSENT, ABSENT][:2]
        return kind.title.format(first=first, second=second, printed=" / ".join(claim.printed) or ABSENT)

    def quoted(self, claim: ClaimRecord) -> list[str]:
        """The same, as they stand within a sentence."""
        return quoted(self.names(claim))

    def records(self, claim: ClaimRecord) -> list[ExperimentRecord]:
        return [self.experiments[name] for name in claim.experiments if name in self.experiments]

    def runs(self, experiment: str) -> tuple[Run, ...]:
        """The runs of an experiment by seed."""
        record = self.experiments.get(experiment)
        return tuple(sorted(record.runs, key=lambda run: run.spec.seed)) if record else ()

    def every_run(self) -> dict[str, Run]:
        """Each once, by its key."""
        return {run.key: run for record in self.audit.experiments for run in record.runs}

    def imported(self, claim: ClaimRecord) -> bool:
        """Whether the claim rests on runs that others made, and that nobody verified here."""
        return any(run.imported for record in self.records(claim) for run in record.runs)

    @property
    def imported_and_judged(self) -> tuple[int, int]:
        """How many of the judged claims rest on imported runs, and how many were judged."""
        judged = [it for it in self.audit.claims if self.verdicts[it.id].reason not in UNJUDGED]
        return sum(self.imported(it) for it in judged), len(judged)

    def again(self, experiment: str) -> list[str]:
        """Titles of the experiments for which the runs of this one stand too."""
        return [self.title(name) for name, first in self.same_experiments.items() if first == experiment]


def lookup(audit: Audit) -> Lookup:
    """Index `audit`. Verdicts are found by claim id, so a claim without one shows as not tested."""
    verdicts = {claim.id: Verdict(claim.id, "inconclusive", "not_run") for claim in audit.claims}
    verdicts |= {verdict.claim: verdict for verdict in audit.verdicts}
    return Lookup(
        audit=audit,
        verdicts=verdicts,
        claims={claim.id: claim for claim in audit.claims},
        experiments={experiment.id: experiment for experiment in audit.experiments},
        metrics=grouped(audit.claims, lambda it: it.claim),
        places=_places(audit.tables),
        anchors=unique_slugs("c", [claim.id for claim in audit.claims]),
        run_anchors=_run_anchors(audit),
        same_claims=_same_claims(audit, verdicts),
        same_experiments=_same_experiments(audit),
    )


def _places(tables: Sequence[TableRecord]) -> dict[str, Place]:
    cells = [
        (table, row, column, cell)
        for table in tables
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=False)
    ]
    anchors = unique_slugs("t", [cell.address for *_, cell in cells])
    return {it[-1].address: Place(*it, anchors[it[-1].address]) for it in cells}


def _run_anchors(audit: Audit) -> dict[str, str]:
    """The first five digits of a key where no other run has them: a page names each run many times."""
    keys = dict.fromkeys(run.key for record in audit.experiments for run in record.runs)
    number = Counter(key[:5] for key in keys)
    return {key: f"r-{slug(key[:5] if number[key[:5]] == 1 else key)}" for key in keys}


def by_runs(experiments: Iterable[ExperimentRecord]) -> list[list[ExperimentRecord]]:
    """Experiments of the same runs together, in the order of the first of each."""
    return list(grouped(experiments, lambda it: tuple(sorted(run.key for run in it.runs))).values())


def _same_claims(audit: Audit, verdicts: Mapping[str, Verdict]) -> dict[str, str]:
    """Of claims about other data sets than the one that tells; a claim of which an arm was not run stays."""
    runs = {it.id: tuple(sorted(run.key for run in it.runs)) for it in audit.experiments}
    groups: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
    for claim in audit.claims:
        it, arms = verdicts[claim.id], [runs.get(name, ()) for name in claim.experiments]
        if it.scope is not None and it.reason != "not_run" and arms and all(arms):
            margin = claim.margin.value if claim.margin and not kind_words(claim).printed else None
            key = canonical_json([claim.kind, arms, comparable_metric(claim), margin, claim.details])
            groups.setdefault(key, []).append((claim, it))
    same: dict[str, str] = {}
    for members in groups.values():
        first, _ = min(members, key=lambda pair: (_NEAREST.index(pair[1].scope), not pair[0].primary))
        again = [
            claim for claim, it in members if it.scope == "other_data" and claim.dataset != first.dataset
        ]
        same |= {claim.id: first.id for claim in again}
    return same


def _same_experiments(audit: Audit) -> dict[str, str]:
    same: dict[str, str] = {}
    for members in by_runs(it for it in audit.experiments if it.runs):
        first = min(members, key=lambda it: _NEAREST.index(it.scope))
        again = [it for it in members if it.scope == "other_data" and it.dataset != first.dataset]
        same |= {it.id: first.id for it in again}
    return same


def distinct(pairs: Iterable[tuple[ClaimRecord, Verdict]]) -> int:
    """How many different comparisons these claims are, as the record counts them (`Share.once`)."""
    return len({(comparison(claim, it), it.outcome) for claim, it in pairs})


def by_claim(claims: Iterable[ClaimRecord]) -> list[list[ClaimRecord]]:
    """Neighbours that are one claim of the file, over its metrics."""
    return [list(members) for _, members in groupby(claims, key=lambda it: it.claim)]
