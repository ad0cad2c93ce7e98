"""Judges what a store holds of a paper: the same way for the commands, the Python interface and pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from audit.checks import sheets_beside
from audit.claims.load import Paper
from audit.errors import AuditError, option
from audit.judging.assemble import assemble, column_of, family_size, studies_of
from audit.judging.documents import with_instances
from audit.judging.evidence import EVIDENCE, about_code, about_gone, active, with_imported
from audit.judging.looks import ruled, with_look
from audit.names import counted, first_of
from audit.record import Audit, ExperimentRecord, Look, Run, SplitStudy
from audit.storage.manifest import (
    KeptPlan,
    Ledger,
    grown_since,
    keep_fixed,
    superseded,
    with_lost_imports,
    with_stored_runs,
)
from audit.storage.runs import Store
from reimpl import models
from reimpl.data.catalogue import scope_of

Tell = Callable[[str], None]
"""Gets what the user must know beside the result, one sentence each."""


def _seen_now(paper: Paper, record: ExperimentRecord) -> ExperimentRecord:
    """With the code as it is, and its data to what the claim file says of the paper's own by now."""
    record = replace(record, sources=models.sources_of(record.models))
    printed, data = paper.datasets.get(record.dataset), record.data
    if printed is None or data is None:
        return record
    same, corpora, parts = (of or () for of in (printed.content, printed.corpus, printed.partition))
    scope = scope_of(data.content, data.corpus, data.partition, same=same, corpora=corpora, partitions=parts)
    return replace(record, scope=scope)


@dataclass
class Session:
    """A store, and how its contents are judged."""

    store: Path
    evidence: str = "ours"  # Which runs judge an experiment that has ours and imported ones.
    command: str = "audit judge"  # What makes the audit again.
    tell: Tell = lambda text: None
    on_record: bool = True  # Whether look and margins are written into the store; verdicts are the same.
    context: Sequence[Paper] = ()  # Papers that the user named: their numbers are held against each other.
    strict: bool = True  # Whether a record that cannot be read ends the command; else the others are judged.

    def __post_init__(self) -> None:
        if self.evidence not in EVIDENCE:
            known = ", ".join(EVIDENCE)
            raise AuditError(f"{option('evidence')} {self.evidence!r} is unknown; known are {known}")

    @cached_property
    def records(self) -> Store:
        return Store(self.store)

    @cached_property
    def runs(self) -> list[Run]:
        """All records. Raises `StoreError` if one is unsound, `AuditError` if there is no store."""
        if self.strict and not self.store.is_dir():
            raise AuditError(f"{self.store}: no such folder; `audit run` and `audit import` make it")
        return list(self.records.runs(problems=None if self.strict else []))

    def read_again(self) -> None:
        """Read the store again after new runs."""
        self.__dict__.pop("runs", None)

    def ledger(self, paper: Paper) -> Ledger:
        return Ledger(self.store, paper.paper.key)

    def grown(self, paper: Paper, path: Path) -> Mapping[str, tuple[str, ...]]:
        """Earlier margins that still hold; raises `AuditError` if claims were changed after the runs."""
        return grown_since(self.store, paper, self.runs, path=path)

    def imported(self, paper: Paper) -> Mapping[str, tuple[Run, ...]]:
        return active(self.runs, paper.paper.key, self.store)

    def plans(self, paper: Paper) -> list[KeptPlan]:
        """One plan for each report of the paper; none if nothing was run or imported."""
        key, plans = paper.paper.key, self.ledger(paper).plans()
        return plans or ([KeptPlan(key, key, (), {}, {}, (), "")] if self.imported(paper) else [])

    def studies(self, paper: Paper) -> dict[str, SplitStudy]:
        """Studies of split columns, by report."""
        return studies_of(paper, self.plans(paper), self.runs, self.ledger(paper).lost_seeds())

    def judge(self, paper: Paper, path: Path, plan: KeptPlan, looks: Sequence[Look] | None = None) -> Audit:
        """Every claim by the runs that the newest command of that report planned, and by imported ones.
        `looks` are those to judge at: without them this judgement is one, and goes on record."""
        ledger, imported = self.ledger(paper), self.imported(paper)
        lost = ledger.lost_seeds()
        ours = {
            name: _seen_now(paper, record) if record.runs else record
            for name, record in with_stored_runs(plan, paper, self.runs, lost).items()
        }
        merged = with_imported(paper, ours, imported, evidence=self.evidence)  # type: ignore[arg-type]
        for text in self._about_imported(ours, merged, imported):
            self.tell(text)
        experiments = with_lost_imports(merged, lost)
        if self.on_record:
            groups = (*(record.runs for record in ours.values()), *imported.values())
            ledger.note_settled(run.spec for runs in groups for run in runs)
            keep_fixed(self.store, paper)
        for text in (*about_gone(experiments.values()), *about_code(experiments.values())):
            self.tell(text)
        report = f"{plan.report} {self.evidence}"
        audit = assemble(
            paper,
            experiments,
            fidelity=plan.fidelity,
            command=" && ".join(dict.fromkeys(filter(None, [*plan.command.split(" && "), self.command]))),
            looks=self._take_looks(paper, experiments.values()) if looks is None else looks,
            grown=self.grown(paper, path),
            others=sheets_beside(paper, self.context),
            earlier=ledger.decided(report),
            superseded=superseded(self.store, paper),
        )
        if self.on_record:
            ledger.note_decided(report, audit.verdicts, family_size(audit.verdicts))
        if audit.earlier:
            otherwise = f"{counted(len(audit.earlier), 'claim')} decided otherwise at an earlier judgement"
            self.tell(f"{otherwise}, as a badge on each shows: {first_of(list(audit.earlier))}")
        audit, column = with_instances(audit, self.records), column_of(plan.report)
        return replace(audit, splits=self.studies(paper).get(column[0])) if column else audit

    def _take_looks(self, paper: Paper, experiments: Iterable[ExperimentRecord]) -> tuple[Look, ...]:
        """All looks at these runs, and this one unless it has the same runs or fewer seeds."""
        records = [record.runs for record in experiments if record.runs]
        groups = {runs[0].spec.arm: sorted(runs, key=lambda run: run.spec.seed) for runs in records}
        every = [run for runs in groups.values() for run in runs]
        seeds = max((len({run.spec.seed for run in runs}) for runs in groups.values()), default=0)
        older = [replace(run.spec, seed=0).key for run in every if run.imported]  # as arms were once named
        arms, ledger = [*groups, *older], self.ledger(paper)
        looks = ruled(ledger.looks(arms))
        if not any(run.status == "done" for run in every):
            return looks
        declared = max((look.declared for look in looks), key=len, default=())
        reached = max((look.seeds for look in looks if look.declared or not declared), default=0)
        for n in [n for n in declared if reached < n <= seeds] if declared else [max(seeds, reached)]:
            seen = {key for look in looks for keys in look.runs.values() for key in keys}
            most = n if declared else None
            first = {arm: tuple(run.key for run in runs[:most]) for arm, runs in groups.items()}
            new = {arm: keys for arm, keys in first.items() if not seen.issuperset(keys)}
            look = with_look(looks, n, declared, new)
            looks = ruled(ledger.take(look, arms) if self.on_record else (*looks, look))
        return looks

    def _about_imported(
        self,
        ours: Mapping[str, ExperimentRecord],
        merged: Mapping[str, ExperimentRecord],
        imported: Mapping[str, object],
    ) -> Iterator[str]:
        for name in (name for name in imported if name not in ours):
            yield f"left out: imported runs of {name!r}, which the claim file does not have"
        if both := [name for name, record in merged.items() if record.unjudged and name in ours]:
            first, other = ("ours", "imported") if self.evidence == "ours" else ("imported", "ours")
            have = "1 experiment has" if len(both) == 1 else f"{len(both)} experiments have"
            yield f"{have} runs of both kinds: {first} are judged (--evidence {other}: the others)"
        if closer := [name for name in merged if name not in ours]:
            of = counted(len(closer), "experiment")
            yield f"imported runs judge the printed values of {of}: their data are closer to the paper's"
