"""Finds things in an audit by their ids, once for the whole page; and what rests on the same runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from audit.record import (
    Audit,
    Cell,
    ClaimRecord,
    Column,
    Deviation,
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
from reports import sentences as words
from reports.numbers import ABSENT
from reports.text import capital, grouped, listed, plural, quoted, slug, unique_slugs

#: Of an experiment that has no runs and can have none.
NEVER = "cannot be run here"
#: Of a claim whose experiments have runs, and of one of which only some have.
NO_NUMBER, ONE_SIDE = "the runs do not give this number", "one of the two sides has not been run"
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


class Lookup:
    """The audit with its ids resolved; what is not there is simply absent. Verdicts are found by claim id, so
    a claim without one shows as not tested."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.verdicts = {claim.id: Verdict(claim.id, "inconclusive", "not_run") for claim in audit.claims}
        self.verdicts |= {verdict.claim: verdict for verdict in audit.verdicts}
        self.claims = {claim.id: claim for claim in audit.claims}
        self.pairs = [(claim, self.verdicts[claim.id]) for claim in audit.claims]
        self.inconsistent = [finding for finding in audit.findings if finding.result == "inconsistent"]
        #: Those that have runs.
        self.run_experiments = [experiment for experiment in audit.experiments if experiment.runs]
        self.experiments = {experiment.id: experiment for experiment in audit.experiments}
        #: Claim id -> fragment of the deep link to its row.
        self.anchors = unique_slugs("c", self.claims)
        by_file = unique_slugs("claim", [claim.claim for claim in audit.claims])
        self.card_anchors = {claim.id: by_file[claim.claim] for claim in audit.claims}

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """By cell address."""
        cells = [
            (table, row, column, cell)
            for table in self.audit.tables
            for row in table.rows
            for column, cell in zip(table.columns, row.cells, strict=False)
        ]
        anchors = unique_slugs("t", [cell.address for *_, cell in cells])
        return {cell[-1].address: Place(*cell, anchors[cell[-1].address]) for cell in cells}

    @cached_property
    def run_anchors(self) -> Mapping[str, str]:
        """Run key -> fragment of its record: its first five digits where no other run has them."""
        number = Counter(key[:5] for key in self.every_run)
        return {key: f"r-{slug(key[:5] if number[key[:5]] == 1 else key)}" for key in self.every_run}

    @cached_property
    def settings_anchors(self) -> Mapping[str, str]:
        """Experiment -> fragment of what was run; of one for which another's runs stand, that one's."""
        names = [experiment.id for experiment in self.run_experiments]
        anchors = unique_slugs("s", names)
        return {name: anchors[self.same_experiments.get(name, name)] for name in names}

    @cached_property
    def every_run(self) -> Mapping[str, Run]:
        """Each once, by its key."""
        return {run.key: run for record in self.audit.experiments for run in record.runs}

    @cached_property
    def shared_badges(self) -> tuple[str, ...]:
        """Those of every verdict that rests on runs: the head of the claims has them once."""
        judged = [of.badges for claim, of in self.pairs if self.status(claim) != "not_tested"]
        first = judged[0] if len(judged) > 1 else ()
        return tuple(badge for badge in first if all(badge in own for own in judged))

    @cached_property
    def same_claims(self) -> Mapping[str, str]:
        """Id of a claim -> that of the claim about a nearer data set whose entry tells of its runs. A claim
        of which an arm was not run stands for itself."""
        runs = {name: _run_keys(experiment) for name, experiment in self.experiments.items()}
        groups: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
        for claim, verdict in self.pairs:
            arms = [runs.get(name, ()) for name in claim.experiments]
            if verdict.scope is not None and verdict.reason != "not_run" and arms and all(arms):
                margin = claim.margin.value if claim.margin and not words.kind_words(claim).printed else None
                key = canonical_json([claim.kind, arms, comparable_metric(claim), margin, claim.details])
                groups.setdefault(key, []).append((claim, verdict))
        same: dict[str, str] = {}
        for members in groups.values():
            first, _ = min(members, key=lambda pair: (_NEAREST.index(pair[1].scope), not pair[0].primary))
            for claim, verdict in members:
                if verdict.scope == "other_data" and claim.dataset != first.dataset:
                    same[claim.id] = first.id
        return same

    @cached_property
    def asked_again(self) -> Mapping[str, list[ClaimRecord]]:
        """Claim of the file -> the first metric of each other one that asks about the same comparison."""
        others: dict[str, dict[str, ClaimRecord]] = {}
        here = (pair for pair in self.pairs if words.status_of(pair[1]) != "not_tested")
        tested = [pair for pair in here if pair[0].id not in self.same_claims]
        for pairs in grouped(tested, lambda pair: comparison(*pair)).values():
            for claim, _ in pairs:
                own = others.setdefault(claim.claim, {})
                own |= {of.claim: of for of, _ in pairs if of.claim not in (claim.claim, *own)}
        return {name: list(own.values()) for name, own in others.items()}

    @cached_property
    def same_experiments(self) -> Mapping[str, str]:
        """Id of an experiment -> that of the experiment that has its runs on nearer data, or first."""
        same: dict[str, str] = {}
        for members in by_runs(self.run_experiments):
            first = min(members, key=lambda member: _NEAREST.index(member.scope))
            for member in members:
                if member.scope == "other_data" and member.dataset != first.dataset:
                    same[member.id] = first.id
        return same

    @cached_property
    def different_experiments(self) -> list[ExperimentRecord]:
        """Those that have runs, of the same runs once."""
        return [record for record in self.run_experiments if record.id not in self.same_experiments]

    @cached_property
    def level(self) -> float:
        """At which most of the tests were made."""
        levels = Counter(verdict.level for _, verdict in self.pairs if verdict.p_reproduced is not None)
        return max(levels, key=levels.__getitem__, default=Verdict.level)

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
        names, kind = self.names(claim), words.kind_words(claim)
        if not kind.title:
            return capital(f"{kind.word} of {listed(quoted(names)) or ABSENT}")
        first, second = [*names, ABSENT, ABSENT][:2]
        return kind.title.format(first=first, second=second, printed=" / ".join(claim.printed) or ABSENT)

    def sentence(self, claim: ClaimRecord) -> str:
        """The verdict on `claim` in a sentence or two; a claim without a verdict is not tested."""
        return words.verdict_sentence(
            claim,
            self.verdicts[claim.id],
            names=self.names(claim),
            departures=len(self.departures(claim)),
            settling=self.audit.settling.get(claim.id),
            lacking=self.lacking(claim),
            imported=self.imported(claim),
        )

    def lacking(self, claim: ClaimRecord) -> list[str]:
        """Why each of the claim's experiments has no runs; empty of one that has some, or that is unknown."""
        records = [self.experiments.get(name) for name in claim.experiments]
        said = [(of.not_run or "").rstrip(".") if of and not of.runs else "" for of in records]
        return [
            f"{NEVER}. {why}" if why and of and of.unavailable else why
            for of, why in zip(records, said, strict=True)
        ]

    def unrun(self, claim: ClaimRecord) -> str | None:
        """As `sentences.unrun`, with the titles of the experiments."""
        return words.unrun(self.verdicts[claim.id], quoted(self.names(claim)), self.lacking(claim))

    def obstacle(self, claim: ClaimRecord) -> str:
        """Why it was not tested, as such claims are counted: without what is special to one experiment."""
        verdict, why = self.verdicts[claim.id], next(filter(None, self.lacking(claim)), "")
        if verdict.reason != "not_run" or not (why or any(verdict.attempts)):
            return words.general_reason(verdict, verdict.level)
        return NEVER if why.startswith(NEVER) else why or (NO_NUMBER if all(verdict.attempts) else ONE_SIDE)

    def unjudged_lines(self, codes: Iterable[str]) -> list[str]:
        """How many judgements each of the reasons `codes` left open, under the status that the page gives."""
        by_reason = {code: Counter[str]() for code in codes}
        for claim, verdict in self.pairs:
            if verdict.reason in by_reason and verdict.p_reproduced is None:
                by_reason[verdict.reason][self.obstacle(claim)] += 1
        status = {code: words.status_of(Verdict("", "inconclusive", code)) for code in by_reason}
        return [
            f"{number} {words.STATUS_WORDS[status[code]].lower()}: {why}."
            for code, whys in by_reason.items()
            for why, number in whys.items()
        ]

    def status(self, claim: ClaimRecord) -> words.Status:
        return words.status_of(self.verdicts[claim.id])

    def most_pressing(self, claims: Sequence[ClaimRecord]) -> ClaimRecord:
        """Of one claim's metrics, the first with the verdict that most needs a reader's eye."""
        return min(claims, key=lambda claim: words.PRESSING.index(self.status(claim)))

    def records(self, claim: ClaimRecord) -> list[ExperimentRecord]:
        return [self.experiments[name] for name in claim.experiments if name in self.experiments]

    def departures(self, claim: ClaimRecord) -> list[Deviation]:
        """The departures from the paper behind the claim's runs, each once."""
        records = self.records(claim)
        return list(dict.fromkeys(departure for record in records for departure in record.deviations))

    def runs(self, experiment: str) -> tuple[Run, ...]:
        """The runs of an experiment by seed."""
        record = self.experiments.get(experiment)
        return tuple(sorted(record.runs, key=lambda run: run.spec.seed)) if record else ()

    def imported(self, claim: ClaimRecord) -> bool:
        """Whether the claim rests on runs that others made, and that nobody verified here."""
        return any(run.imported for record in self.records(claim) for run in record.runs)

    def declared(self, claim: ClaimRecord) -> bool:
        """Whether it rests on imported runs whose data are the paper's by their own word."""
        runs = (run for record in self.records(claim) for run in record.runs)
        return any(run.imported and run.spec.config.get("same_data") for run in runs)

    def run_on(self, claim: ClaimRecord, verdict: Verdict) -> str:
        """`on stand-in data`"""
        declared = verdict.scope == "same_data" and self.declared(claim)
        own = words.run_on(verdict.scope, self.imported(claim))
        return "on data declared to be the paper’s" if declared else own

    def again(self, experiment: str) -> str:
        """`the same runs stand for 2 further experiments: A; B`; empty where for none."""
        titles = [self.title(name) for name, first in self.same_experiments.items() if first == experiment]
        further = plural(len(titles), "further experiment")
        return f"the same runs stand for {further}: {'; '.join(titles)}" if titles else ""


def _run_keys(experiment: ExperimentRecord) -> tuple[str, ...]:
    return tuple(sorted(run.key for run in experiment.runs))


def by_runs(experiments: Iterable[ExperimentRecord]) -> list[list[ExperimentRecord]]:
    """Experiments of the same runs together, in the order of the first of each."""
    return list(grouped(experiments, _run_keys).values())


def by_claim(claims: Iterable[ClaimRecord]) -> list[list[ClaimRecord]]:
    """What is one claim of the file together, over its metrics."""
    return list(grouped(claims, lambda claim: claim.claim).values())
