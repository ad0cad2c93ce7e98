"""One paper's runs on one corpus: plan, announce, carry out; its session judges them."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from audit.names import counted
from audit.pipeline.session import Session

if TYPE_CHECKING:
    from rich.console import Console

    from audit.claims.load import Paper
    from audit.record import Audit, FidelityCheck, Look, Run
    from audit.runner import Job, Plan, Settings


@dataclass
class Suite:
    """A paper and what the user chose for it."""

    paper: Paper
    settings: Settings
    session: Session
    console: Console
    out: Path
    only: Sequence[str] = ()
    workers: int = 1
    retry_failed: bool = False
    rerun_changed: bool = False
    """Whether runs by other code than today's are made anew."""
    grown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Earlier margins of which all claims stand -> claims that were added since."""
    request: str = ""
    """Digest of what decides the plan."""
    runs: dict[str, Run] = field(default_factory=dict)
    """All records that this command came upon, by key."""

    @property
    def folder(self) -> Path:
        """One report a paper and corpus: the next corpus does not replace what the last one said."""
        return self.out / report_name(self.paper, self.settings.data)

    def say(self, text: str) -> None:
        self.console.out(text, highlight=False)

    # ----------------------------------------------------------------- before the runs

    def plan(self, *, seeds: int | None = None, only: Sequence[str] | None = None) -> Plan:
        """The runs of so many seeds of the experiments that `only` names."""
        from audit.pipeline.corpus_words import corpus_questions, in_run
        from audit.runner import make_plan

        settings = self.settings if seeds is None else replace(self.settings, seeds=seeds)
        only = self.only if only is None else only
        with corpus_questions(in_run):
            return make_plan(self.paper, settings, only=only, known_readings=self._known_readings)

    @cached_property
    def _known_readings(self) -> frozenset[str]:
        """Readings that an earlier command of this report planned: runs of theirs count."""
        from audit.storage.manifest import kept_plans

        if not self.paper.reading_experiments:
            return frozenset()
        kept = kept_plans(self.session.store, self.paper.paper.key)
        planned = {name for it in kept if it.report == self.folder.name for name in it.keys}
        return frozenset(planned & self.paper.reading_experiments.keys())

    def announce(self, plan: Plan) -> None:
        """What is about to be run; what cannot be written or judged ends the command here."""
        from audit.pipeline.estimates import cost_lines
        from audit.runner.versions import of_other_versions
        from audit.storage.files import explained

        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        check_can_be_written(self.folder)
        self.session.imported(self.paper)  # raises where two imports contradict each other
        settings = replace(
            self.settings, seeds=max(map(len, plan.keys.values()), default=self.settings.seeds)
        )
        if plan.jobs:
            self.say(plan.summary(self.paper.paper.key, settings, self._workers(plan.jobs)))
        others = of_other_versions(plan.jobs, self.session.runs)
        remarks = plan.remarks if self.settings.data else ()
        for remark in (*cost_lines(self, plan), *plan.idle, *others, *remarks):
            self.say(f"  {remark}")

    def nothing_to_run(self, plan: Plan) -> str:
        """Why the plan holds no run, in a sentence; empty where it holds some, or commands are to run."""
        from audit.runner.plan import LEFT_OUT
        from audit.runner.resolve import selected
        from audit.storage.manifest import BY_COMMAND

        wanted = selected(self.paper, self.only)
        idle = [it for it in plan.experiments if it.not_run and it.not_run != LEFT_OUT]
        idle = [it for it in idle if wanted is None or it.id in wanted]
        if plan.jobs or any(it.not_run == BY_COMMAND for it in idle):
            return ""
        key, named = self.paper.paper.key, f" by --only {', '.join(self.only)}" if self.only else ""
        if not idle:
            return f"{key}: nothing was run: no experiment is selected{named}; `audit list {key}` shows all"
        reasons = list(dict.fromkeys(it.not_run.rstrip(".") for it in idle if it.not_run))
        more = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
        return (
            f"{key}: nothing was run: {counted(len(idle), 'experiment')} selected{named}, and none can be "
            f"run here ({idle[0].id}: {reasons[0]}{more}); `audit list {key}` shows which can, "
            f"and `audit check {key}` needs no run"
        )

    def has_evidence(self, plan: Plan) -> bool:
        """Whether there is anything to judge by: runs of an earlier command, or others' results."""
        keys = {key for keys in plan.keys.values() for key in keys}
        there = {run.key for run in self.session.runs}
        return bool(keys & there or self.session.imported(self.paper))

    # ----------------------------------------------------------------- runs

    def fidelity(self, plan: Plan) -> None:
        """The gate of the models in the plan, kept with it for the judge; what did not pass is told."""
        from audit.runner.models import fidelity
        from audit.storage.manifest import kept_plans

        checks = fidelity(plan)
        models = {check.model for check in checks}
        # Those of models that only an earlier command ran: what it settled does not open again.
        kept = kept_plans(self.session.store, self.paper.paper.key)
        earlier = (check for it in kept if it.report == self.folder.name for check in it.fidelity)
        checks = (*checks, *(check for check in earlier if check.model not in models))
        self.keep(plan, checks)
        for check in checks:
            if not check.passed:
                self.say(f"fidelity: {check.model}: {check.name}: {check.detail}")

    def keep(self, plan: Plan, checks: Sequence[FidelityCheck]) -> None:
        """On record, with the margins, before the first run."""
        from audit.storage.manifest import keep_plan, plan_of
        from audit.storage.margins import keep_fixed

        keep_fixed(self.session.store, self.paper)
        kept = plan_of(
            self.paper,
            self.folder.name,
            plan,
            checks,
            command=self.session.command,
            request=self.request,
        )
        keep_plan(self.session.store, kept)

    def carry_out(self, jobs: Sequence[Job]) -> bool:
        """The records of all jobs into `runs`; False where the user interrupted."""
        from audit.runner.execute import execute
        from audit.runner.progress import Screen
        from audit.storage.manifest import note_settled

        workers = self._workers(jobs)
        with Screen(len(jobs), self.console, workers=workers) as screen:
            try:
                outcome = execute(
                    jobs,
                    self.session.records,
                    screen,
                    workers=workers,
                    threads=threads_of(workers) if self.settings.device == "cpu" else None,
                    retry_failed=self.retry_failed,
                    rerun_changed=self.rerun_changed,
                )
            finally:
                note_settled(self.session.store, self.paper.paper.key, (job.spec for job in jobs))
                self.session.read_again()
        self.runs |= outcome.runs
        if outcome.interrupted:
            there = sum(job.spec.key in self.runs for job in jobs)
            makes = "; `audit judge` makes one of the runs that are there" if there else ""
            self.say(f"{there} of {counted(len(jobs), 'run')} on record, and no report is written{makes}")
        return not outcome.interrupted

    def is_open(self, job: Job) -> bool:
        """Whether the job needs a run."""
        run = self.session.records.get(job.spec.key)
        if run is None or run.status == "interrupted" or (run.status == "failed" and self.retry_failed):
            return True
        return self.rerun_changed and run.sources != job.sources

    def failures(self, jobs: Collection[Job]) -> bool:
        """Whether runs failed, which is told."""
        runs = [self.runs[job.spec.key] for job in jobs if job.spec.key in self.runs]
        failed = [run.reason for run in runs if run.status == "failed"]
        if failed:
            reasons = "; ".join(str(reason) for reason in dict.fromkeys(failed))
            them = "it" if len(failed) == 1 else "them"
            total = counted(len(jobs), "run")
            self.say(f"{len(failed)} of {total} failed ({reasons}); --retry-failed runs {them} again")
        return bool(failed)

    def _workers(self, jobs: Sequence[Job]) -> int:
        return max(1, min(self.workers, len(jobs)))

    # ----------------------------------------------------------------- verdicts

    def judge(self, looks: Sequence[Look] | None = None) -> Audit:
        """By all stored seeds of what this report planned, and by imported runs; as `audit judge` does."""
        plans = {it.report: it for it in self.session.plans(self.paper)}
        return self.session.judge(self.paper, plans[self.folder.name], self.grown, looks)

    def looks(self, plan: Plan) -> tuple[Look, ...]:
        """All looks at the runs that are asked for; declared ones are the whole paper's."""
        from audit.judging.looks import ruled

        ledger = self.session.ledger(self.paper)
        asked = set(ledger.looks(self.arms(plan)))
        every = ledger.looks(keys[0] for keys in plan.keys.values())
        return ruled(look for look in every if look.declared or look in asked)

    def arms(self, plan: Plan) -> list[str]:
        """What the ledger knows the plan's experiments by."""
        asked = {job.spec.key for job in plan.jobs}
        return [keys[0] for keys in plan.keys.values() if keys[0] in asked]


def report_name(paper: Paper, data: Path | None) -> str:
    """Of the report's folder."""
    return f"{paper.paper.key}-{data.resolve().name}" if data else paper.paper.key


def run_once(suite: Suite) -> tuple[Audit | None, Plan]:
    """All seeds that were asked for, and one judgement; no audit where it was interrupted.

    Then nothing is judged: that may take longer than whoever stops a command waits, and would be a look.
    """
    plan = suite.plan()
    if idle := suite.nothing_to_run(plan):
        suite.say(idle)
    suite.announce(plan)
    suite.fidelity(plan)
    return (suite.judge() if suite.carry_out(plan.jobs) else None), plan


def check_can_be_written(folder: Path) -> None:
    """Raises `StoreError` where nothing can be written into the folder, or it cannot be made; makes none."""
    from audit.storage.files import explained

    there = next(it for it in (folder, *folder.absolute().parents) if it.exists() or it.is_symlink())
    with explained(folder):
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "")
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "")


def threads_of(workers: int) -> int:
    """Threads of each of so many processes: its share of the cores, at most OMP_NUM_THREADS."""
    share = max(1, (os.cpu_count() or 1) // workers)
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(share, int(asked)) if asked.isdecimal() and int(asked) > 0 else share
