"""What a store holds of a paper, judged: one road for the command, the Python interface and pytest."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.manifest import KeptPlan
    from audit.record import Audit, ExperimentRecord, Look, Run, SplitStudy

Tell = Callable[[str], None]
"""Who is told, in one sentence each, what is not judged and why."""


@dataclass
class Bench:
    """A store, and how what it holds is judged."""

    store: Path
    evidence: str = "ours"
    """Which runs judge an experiment that has ours and imported ones."""
    words: Sequence[str] = ("audit", "judge")
    """The command that makes the audit again."""
    tell: Tell = lambda said: None
    on_record: bool = True
    """Whether the look that is taken, and the margins, are written into the store; verdicts are the same."""
    beside: Sequence[Paper] = ()
    """Papers that the user named: their numbers are held against each other."""

    @cached_property
    def runs(self) -> list[Run]:
        """All records. Raises `StoreError` where one is not sound, `AuditError` where there is no store."""
        from audit.store import Store

        if not self.store.is_dir():
            raise AuditError(f"{self.store}: no such folder; `audit run` and `audit import` make it")
        return list(Store(self.store).runs())

    def grown(self, paper: Paper, path: Path) -> Mapping[str, tuple[str, ...]]:
        """Earlier margins that still stand; raises `AuditError` where claims were changed after the runs."""
        from audit.fixed_margins import grown_since
        from audit.manifest import check_there

        check_there(self.store, paper.paper.key, self.runs)
        return grown_since(self.store, paper, self.runs, path=path)

    def imported(self, paper: Paper) -> Mapping[str, tuple[Run, ...]]:
        from audit.imported import active

        return active(self.runs, paper.paper.key, self.store)

    def plans(self, paper: Paper) -> list[KeptPlan]:
        """One for each report of the paper; none where nothing was run or imported."""
        from audit.manifest import kept_plans, no_plan

        found = kept_plans(self.store, paper.paper.key)
        return found or ([no_plan(paper)] if self.imported(paper) else [])

    def studies(self, paper: Paper) -> dict[str, SplitStudy]:
        """Of split columns, by report."""
        from audit.manifest import lost_seeds
        from audit.split_columns import studies_of

        return studies_of(paper, self.plans(paper), self.runs, lost_seeds(self.store, paper.paper.key))

    def judge(self, paper: Paper, plan: KeptPlan, grown: Mapping[str, tuple[str, ...]]) -> Audit:
        """Every claim by the runs that the newest command of that report planned, and by imported ones."""
        from audit.assemble import assemble
        from audit.evidence import about_code, about_gone
        from audit.fixed_margins import keep_fixed
        from audit.label_strata import with_predictions
        from audit.manifest import lost_seeds, note_settled, with_lost_imports, with_stored_runs
        from audit.papers import sheets_beside
        from audit.runner.versions import sources_of
        from audit.split_columns import with_splits
        from audit.store import Store

        key, imported = paper.paper.key, self.imported(paper)
        lost = lost_seeds(self.store, key)
        held_ours = with_stored_runs(plan, paper, self.runs, lost)
        ours = {
            name: replace(it, sources=sources_of(it)) if it.runs else it for name, it in held_ours.items()
        }
        experiments = with_lost_imports(
            beside_imported(paper, ours, imported, self.evidence, self.tell), lost
        )
        if self.on_record:
            held = (*(it.runs for it in ours.values()), *imported.values())
            note_settled(self.store, key, (run.spec for runs in held for run in runs))
        for said in (*about_gone(experiments.values()), *about_code(experiments.values())):
            self.tell(said)
        audit = assemble(
            paper,
            experiments,
            fidelity=plan.fidelity,
            command=" && ".join(it for it in (plan.command, shlex.join(self.words)) if it),
            looks=self._looks(key, experiments.values()),
            grown=grown,
            others=sheets_beside(paper, self.beside),
        )
        if self.on_record:
            keep_fixed(self.store, paper)
        return with_splits(with_predictions(audit, Store(self.store)), plan.report, self.studies(paper))

    def _looks(self, paper: str, experiments: Iterable[ExperimentRecord]) -> tuple[Look, ...]:
        """All looks that were taken at these runs. One with more seeds than any is taken now.

        Not where looks were declared: seeds beyond them wait for the next one.
        """
        from audit.looks import ruled, with_look
        from audit.manifest import Ledger

        tried = [sorted(it.runs, key=lambda run: run.spec.seed) for it in experiments if it.runs]
        done = any(run.status == "done" for runs in tried for run in runs)
        seeds = max((len({run.spec.seed for run in runs}) for runs in tried), default=0) if done else 0
        ledger, seen = Ledger(self.store, paper), [runs[0].spec.arm for runs in tried]
        looks = ruled(ledger.looks(seen))
        declared = any(look.declared for look in looks)
        if declared or seeds <= max((look.seeds for look in looks), default=0):
            return looks
        new = with_look(looks, seeds)
        return ruled(ledger.take(new, seen)) if self.on_record else (*looks, new)


def beside_imported(
    paper: Paper,
    experiments: dict[str, ExperimentRecord],
    imported: Mapping[str, tuple[Run, ...]],
    evidence: str,
    tell: Tell,
) -> dict[str, ExperimentRecord]:
    """The experiments with the imported runs in their places; what is not judged is told."""
    from audit.claim_names import counted
    from audit.imported import strangers, with_imported

    found = with_imported(paper, experiments, imported, evidence=evidence)  # type: ignore[arg-type]
    for name in strangers(experiments, imported):
        tell(f"left out: imported runs of {name!r}, which the claim file does not have")
    shown = [name for name, it in found.items() if it.unjudged and name in experiments]
    if shown:
        kind, other = ("ours", "imported") if evidence == "ours" else ("imported", "ours")
        tell(
            f"{_have(len(shown))} runs of both kinds: {kind} are judged and the others shown "
            f"(--evidence {other} turns that round)"
        )
    if closer := [name for name in found if name not in experiments]:
        tell(
            f"printed values of {counted(len(closer), 'experiment')} are judged by imported runs, whose data "
            "are closer to the paper's than ours"
        )
    return found


def _have(experiments: int) -> str:
    return "1 experiment has" if experiments == 1 else f"{experiments} experiments have"


def check_evidence(evidence: str) -> None:
    """Raises `AuditError` for what is neither ours nor imported."""
    from audit.imported import EVIDENCE

    if evidence not in EVIDENCE:
        raise AuditError(f"--evidence {evidence!r} is unknown; known are {', '.join(EVIDENCE)}")
