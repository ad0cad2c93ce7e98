"""Finds things in an audit by their ids, once for the whole page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from reports import digits
from reports.text import plural, slug
from reports.words import UNJUDGED


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
        places=_lookup_places(audit.tables),
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


def _lookup_places(tables: Sequence[TableRecord]) -> dict[str, Place]:
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


#: The paper's own data before others.
_NEAREST: tuple[Scope | None, ...] = ("same_data", "other_split", "other_data", None)
#: Kinds that are about a printed number, which each has for itself.
_PRINTED = ("value", "gap")


@dataclass(frozen=True)
class SameRuns:
    """Of what repeats others, and of nothing else."""

    claims: Mapping[str, str]
    """Id of a claim -> that of the claim whose entry tells of its runs."""
    experiments: Mapping[str, str]
    """Id of an experiment -> that of the experiment that has its runs on nearer data, or first."""

    def again(self, experiment: str) -> tuple[str, ...]:
        """The experiments for which the runs of this one stand too."""
        return tuple(name for name, first in self.experiments.items() if first == experiment)


def same_runs(audit: Audit) -> SameRuns:
    return SameRuns(_same_runs_claims(audit), _same_runs_experiments(audit))


def distinct(pairs: Iterable[tuple[ClaimRecord, Verdict]]) -> int:
    """How many different comparisons these claims are, as the record counts them (`Share.once`)."""
    return len({(comparison(claim, it), it.outcome) for claim, it in pairs})


def _same_runs_claims(audit: Audit) -> dict[str, str]:
    """Of claims about other data sets than the one that tells; a claim of which an arm was not run stays."""
    runs = {it.id: tuple(sorted(run.key for run in it.runs)) for it in audit.experiments}
    verdicts = {it.claim: it for it in audit.verdicts}
    groups: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
    for claim in audit.claims:
        it, arms = verdicts.get(claim.id), [runs.get(name, ()) for name in claim.experiments]
        if it is not None and it.scope is not None and it.reason != "not_run" and arms and all(arms):
            margin = claim.margin.value if claim.margin and claim.kind not in _PRINTED else None
            key = canonical_json([claim.kind, arms, comparable_metric(claim), margin, claim.details])
            groups.setdefault(key, []).append((claim, it))
    found: dict[str, str] = {}
    for members in groups.values():
        first, _ = min(members, key=lambda pair: (_NEAREST.index(pair[1].scope), not pair[0].primary))
        found |= {
            claim.id: first.id
            for claim, it in members
            if it.scope == "other_data" and claim.dataset != first.dataset
        }
    return found


def _same_runs_experiments(audit: Audit) -> dict[str, str]:
    groups: dict[tuple[str, ...], list[ExperimentRecord]] = {}
    for it in audit.experiments:
        if it.runs:
            groups.setdefault(tuple(sorted(run.key for run in it.runs)), []).append(it)
    found: dict[str, str] = {}
    for members in groups.values():
        first = min(members, key=lambda it: _NEAREST.index(it.scope))
        found |= {
            it.id: first.id for it in members if it.scope == "other_data" and it.dataset != first.dataset
        }
    return found


SAME_ON_STAND_IN = "On stand-in data: what holds there may not hold on the paper’s own"
ON_OWN_DATA = "Printed values, on the paper’s own corpus"
SAME_STAND_IN_NOTE = (
    "Another corpus was run in place of the paper’s. A verdict here is about that corpus, and settles "
    "nothing that is printed for the paper’s own."
)
AGAIN = "The same runs again"
AGAIN_NOTE = (
    "Claims about other data sets for which the same corpus was run. Each rests on the very runs of the "
    "claim that its line leads to, and adds no evidence."
)
#: In a redrawn table, in place of a mark.
SIGN = "″"
KEY = "″: judged on the very runs of the claim that it leads to, and no further evidence."
SAME = "same runs as"


def part_heading(scopes: Iterable[Scope | None]) -> str:
    """Above the claims that were judged on the paper's own data, where others were not."""
    if "other_split" in set(scopes):
        return "On the paper’s own data, or another split of it"
    return "On the paper’s own data"


def same_elsewhere(first: str) -> str:
    """Behind the sentence of a primary claim: how the claim came out on whose runs it rests."""
    other = first[:1].lower() + first[1:].rstrip(".")
    return f"It rests on the very runs of another claim, which is {other}:"


def mark_again(word: str, title: str) -> str:
    """What is said of a sign in a redrawn table."""
    return f"{word} on stand-in data, on the same runs as: {title}"


def aside(number: int, distinct: int, stand_in: int, imported: int = 0) -> str:
    """`7 different comparisons, all on stand-in data`, below one of the four numbers; empty where plain."""
    parts = []
    if 0 < distinct < number:
        parts.append(plural(distinct, "different comparison"))
    if stand_in:
        parts.append(f"{'all' if stand_in == number else digits.count(stand_in)} on stand-in data")
    if imported:
        parts.append(f"{'all' if imported == number else digits.count(imported)} on imported numbers")
    return ", ".join(parts)


def same_also(titles: Sequence[str]) -> str:
    """`the same runs stand for 2 further experiments: A; B`; empty where there are none."""
    if not titles:
        return ""
    return f"the same runs stand for {plural(len(titles), 'further experiment')}: {'; '.join(titles)}"


def rest_on_same_runs(number: int) -> str:
    """Below the claims that could be settled: those that the same runs would settle."""
    rests = "rests" if number == 1 else "rest"
    return f"{plural(number, 'further claim')} on stand-in data {rests} on the same runs as one of these."
