"""What a store holds of a paper, judged: one road for the commands, the Python interface and pytest."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import AuditError, option
from audit.names import counted, first_of

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.record import Audit, ExperimentRecord, Look, Run, SplitStudy
    from audit.storage.manifest import KeptPlan, Ledger
    from audit.storage.runs import Store

Tell = Callable[[str], None]
"""Gets what the user must know beside the result, one sentence each."""


@dataclass
class Session:
    """A store, and how what it holds is judged."""

    store: Path
    evidence: str = "ours"
    """Which runs judge an experiment that has ours and imported ones."""
    command: str = "audit judge"
    """What makes the audit again."""
    tell: Tell = lambda text: None
    on_record: bool = True
    """Whether the look that is taken, and the margins, are written into the store; verdicts are the same."""
    context: Sequence[Paper] = ()
    """Papers that the user named: their numbers are held against each other."""
    strict: bool = True
    """Whether a record that cannot be read ends the command; else the others are judged."""

    def __post_init__(self) -> None:
        check_evidence(self.evidence)

    @cached_property
    def records(self) -> Store:
        from audit.storage.runs import Store

        return Store(self.store)

    @cached_property
    def runs(self) -> list[Run]:
        """All records. Raises `StoreError` where one is not sound, `AuditError` where there is no store."""
        if self.strict and not self.store.is_dir():
            raise AuditError(f"{self.store}: no such folder; `audit run` and `audit import` make it")
        return list(self.records.runs(problems=None if self.strict else []))

    def read_again(self) -> None:
        """The store has more runs now."""
        self.__dict__.pop("runs", None)

    def ledger(self, paper: Paper) -> Ledger:
        from audit.storage.manifest import Ledger

        return Ledger(self.store, paper.paper.key)

    def grown(self, paper: Paper, path: Path) -> Mapping[str, tuple[str, ...]]:
        """Earlier margins that still stand; raises `AuditError` where claims were changed after the runs."""
        from audit.storage.manifest import check_there
        from audit.storage.margins import grown_since

        check_there(self.store, paper.paper.key, self.runs)
        return grown_since(self.store, paper, self.runs, path=path)

    def imported(self, paper: Paper) -> Mapping[str, tuple[Run, ...]]:
        from audit.judging.imported import active

        return active(self.runs, paper.paper.key, self.store)

    def lost(self, paper: Paper) -> Mapping[str, tuple[int, ...]]:
        from audit.storage.manifest import lost_seeds

        return lost_seeds(self.store, paper.paper.key)

    def plans(self, paper: Paper) -> list[KeptPlan]:
        """One for each report of the paper; none where nothing was run or imported."""
        from audit.storage.manifest import kept_plans, no_plan

        plans = kept_plans(self.store, paper.paper.key)
        return plans or ([no_plan(paper)] if self.imported(paper) else [])

    def studies(self, paper: Paper) -> dict[str, SplitStudy]:
        """Of split columns, by report."""
        from audit.judging.splits import studies_of

        return studies_of(paper, self.plans(paper), self.runs, self.lost(paper))

    def judge(
        self,
        paper: Paper,
        plan: KeptPlan,
        grown: Mapping[str, tuple[str, ...]],
        looks: Sequence[Look] | None = None,
    ) -> Audit:
        """Every claim by the runs that the newest command of that report planned, and by imported ones.

        `looks` are those to judge at; without them this judgement is one, and goes on record.
        """
        from audit.claims.papers import sheets_beside
        from audit.judging.assemble import assemble, family_size
        from audit.judging.documents import with_predictions
        from audit.judging.evidence import about_code, about_gone
        from audit.judging.splits import with_splits
        from audit.storage.manifest import (
            decided,
            note_decided,
            note_settled,
            with_lost_imports,
            with_stored_runs,
        )
        from audit.storage.margins import keep_fixed, superseded
        from reimpl.models import sources_of

        imported, lost = self.imported(paper), self.lost(paper)
        ours = {
            name: replace(it, sources=sources_of(it.models)) if it.runs else it
            for name, it in with_stored_runs(plan, paper, self.runs, lost).items()
        }
        experiments = with_lost_imports(self._with_imported(paper, ours, imported), lost)
        if self.on_record:
            groups = (*(it.runs for it in ours.values()), *imported.values())
            note_settled(self.store, paper.paper.key, (run.spec for runs in groups for run in runs))
            keep_fixed(self.store, paper)
        for text in (*about_gone(experiments.values()), *about_code(experiments.values())):
            self.tell(text)
        key, report = paper.paper.key, f"{plan.report} {self.evidence}"
        audit = assemble(
            paper,
            experiments,
            fidelity=plan.fidelity,
            command=" && ".join(dict.fromkeys(it for it in (plan.command, self.command) if it)),
            looks=self._take_looks(paper, experiments.values()) if looks is None else looks,
            grown=grown,
            others=sheets_beside(paper, self.context),
            earlier=decided(self.store, key, report),
            superseded=superseded(self.store, paper),
        )
        if self.on_record:
            note_decided(self.store, key, report, audit.verdicts, family_size(audit.verdicts))
        if audit.earlier:
            otherwise = f"{counted(len(audit.earlier), 'claim')} decided otherwise at an earlier judgement"
            self.tell(f"{otherwise}, which a badge of each tells: {first_of(list(audit.earlier))}")
        return with_splits(with_predictions(audit, self.records), plan.report, self.studies(paper))

    def _take_looks(self, paper: Paper, experiments: Iterable[ExperimentRecord]) -> tuple[Look, ...]:
        """All looks at these runs, with this one: the seeds that are there, or as many of those declared.

        Looking again at the same runs is no new look; fewer seeds than at an earlier one are none either.
        """
        from audit.judging.looks import ruled, with_look

        groups = {it.runs[0].spec.arm: sorted(it.runs, key=_by_seed) for it in experiments if it.runs}
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
            first = {
                arm: tuple(run.key for run in runs[: n if declared else None]) for arm, runs in groups.items()
            }
            new = {arm: keys for arm, keys in first.items() if not seen.issuperset(keys)}
            look = with_look(looks, n, declared, new)
            looks = ruled(ledger.take(look, arms) if self.on_record else (*looks, look))
        return looks

    def _with_imported(
        self,
        paper: Paper,
        experiments: dict[str, ExperimentRecord],
        imported: Mapping[str, tuple[Run, ...]],
    ) -> dict[str, ExperimentRecord]:
        """The experiments with the imported runs in their places; what is not judged is told."""
        from audit.judging.imported import with_imported

        merged = with_imported(paper, experiments, imported, evidence=self.evidence)  # type: ignore[arg-type]
        for name in (name for name in imported if name not in experiments):
            self.tell(f"left out: imported runs of {name!r}, which the claim file does not have")
        both = [name for name, it in merged.items() if it.unjudged and name in experiments]
        if both:
            ours, other = ("ours", "imported") if self.evidence == "ours" else ("imported", "ours")
            self.tell(
                f"{'1 experiment has' if len(both) == 1 else f'{len(both)} experiments have'} runs of both "
                f"kinds: {ours} are judged and the others shown (--evidence {other} turns that round)"
            )
        if closer := [name for name in merged if name not in experiments]:
            self.tell(
                f"printed values of {counted(len(closer), 'experiment')} are judged by imported runs, whose "
                "data are closer to the paper's than ours"
            )
        return merged


def _by_seed(run: Run) -> int:
    return run.spec.seed


def command_line(words: Sequence[str]) -> str:
    """The command as it is typed."""
    return shlex.join(["audit", *words])


def check_evidence(evidence: str) -> None:
    """Raises `AuditError` for what is neither ours nor imported."""
    from audit.judging.imported import EVIDENCE

    if evidence not in EVIDENCE:
        raise AuditError(f"{option('evidence')} {evidence!r} is unknown; known are {', '.join(EVIDENCE)}")
