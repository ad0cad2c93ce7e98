"""One paper's suite of runs: plan, carry out, judge, report. What the ways of `audit run` have in common."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claim_names import counted
from audit.cli.app import verdict_code
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from rich.console import Console

    from audit.claim import Paper
    from audit.manifest import Ledger
    from audit.record import Audit, ExperimentRecord, FidelityCheck, Look, Run, SplitStudy
    from audit.runner import Job, Plan, Settings
    from audit.runner.execute import Outcome
    from audit.store import Store


@dataclass
class Suite:
    """A paper and what the user chose for it."""

    paper: Paper
    settings: Settings
    only: Sequence[str]
    workers: int
    store: Path
    out: Path
    retry_failed: bool
    command: str
    evidence: str = "ours"
    """Which runs judge an experiment that also has imported ones."""
    grown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Earlier margins of which all claims stand -> claims that were added since."""
    runs: dict[str, Run] = field(default_factory=dict)
    """All records that this command came upon, by key."""
    also: tuple[str, ...] = ()
    """What is written beside the page, by the names of `--also`."""
    beside: Sequence[Paper] = ()
    """The papers that the command names."""
    rerun_changed: bool = False
    """Whether runs by other code than today's are made anew."""

    @cached_property
    def console(self) -> Console:
        from audit.progress import new_console

        return new_console()

    @cached_property
    def records(self) -> Store:
        from audit.store import Store

        return Store(self.store)

    @cached_property
    def ledger(self) -> Ledger:
        from audit.manifest import Ledger

        return Ledger(self.store, self.paper.paper.key)

    @cached_property
    def imported(self) -> Mapping[str, tuple[Run, ...]]:
        """Runs that others made, by experiment; what is unclear about them is told here."""
        from audit.imported import active

        return active(self.records.runs(problems=[]), self.paper.paper.key, self.store)

    @property
    def folder(self) -> Path:
        """One report a paper and corpus: the next corpus does not replace what the last one said."""
        data = self.settings.data
        corpus = f"-{data.resolve().name}" if data else ""
        return self.out / f"{self.paper.paper.key}{corpus}"

    def check_writable(self) -> None:
        """Before the first run, not after hours of them."""
        _check_writable(self.folder)

    def say(self, text: str) -> None:
        self.console.out(text, highlight=False)

    def plan(self, *, seeds: int | None = None, only: Sequence[str] | None = None) -> Plan:
        """The runs of so many seeds of the experiments that `only` names."""
        from audit.cli.corpus_options import IN_RUN, in_our_words
        from audit.runner import make_plan

        settings = self.settings if seeds is None else replace(self.settings, seeds=seeds)
        with in_our_words(IN_RUN):
            return make_plan(
                self.paper,
                settings,
                only=self.only if only is None else only,
                known_readings=self.known_readings,
            )

    @cached_property
    def known_readings(self) -> frozenset[str]:
        """Readings that an earlier command of this report planned: runs of theirs count."""
        from audit.manifest import kept_plans

        if not self.paper.reading_experiments:
            return frozenset()
        kept = kept_plans(self.store, self.paper.paper.key)
        planned = (name for it in kept if it.report == self.folder.name for name in it.keys)
        return frozenset(name for name in planned if name in self.paper.reading_experiments)

    def announce(self, plan: Plan) -> None:
        """What is about to be run, before the first run; what cannot be written or judged ends it here."""
        from audit.cli.cost import cost_lines
        from audit.runner.versions import of_other_versions

        self.check_writable()
        _ = self.imported
        settings = replace(
            self.settings, seeds=max(map(len, plan.keys.values()), default=self.settings.seeds)
        )
        workers = self._workers(plan.jobs)
        if plan.jobs:
            self.say(plan.summary(self.paper.paper.key, settings, workers))
        others = of_other_versions(plan.jobs, self.records.runs(problems=[]))
        for remark in (
            *cost_lines(self, plan),
            *plan.idle,
            *others,
            *(plan.remarks if self.settings.data else ()),
        ):
            self.say(f"  {remark}")

    def fidelity(self, plan: Plan) -> tuple[FidelityCheck, ...]:
        """The gate of the models in the plan, kept with it for `audit judge`; what did not pass is told."""
        from audit.runner.gate import fidelity

        checks = self._with_earlier(fidelity(plan))
        self.keep(plan, checks)
        for check in checks:
            if not check.passed:
                self.say(f"fidelity: {check.model}: {check.name}: {check.detail}")
        return checks

    def _with_earlier(self, checks: tuple[FidelityCheck, ...]) -> tuple[FidelityCheck, ...]:
        """With those of models that only an earlier command ran: what it settled does not open again."""
        from audit.manifest import kept_plans

        models = {check.model for check in checks}
        plans = kept_plans(self.store, self.paper.paper.key)
        earlier = (check for it in plans if it.report == self.folder.name for check in it.fidelity)
        return (*checks, *(check for check in earlier if check.model not in models))

    def keep(self, plan: Plan, checks: Sequence[FidelityCheck]) -> None:
        """For `audit judge`."""
        from audit.fixed_margins import keep_fixed
        from audit.manifest import keep_plan, plan_of

        keep_fixed(self.store, self.paper)
        keep_plan(self.store, plan_of(self.paper, self.folder.name, plan, checks, command=self.command))

    def carry_out(self, jobs: Sequence[Job]) -> Outcome:
        from audit.manifest import note_settled
        from audit.progress import Screen
        from audit.runner.execute import execute

        workers = self._workers(jobs)
        threads = threads_of(workers) if self.settings.device == "cpu" else None
        with Screen(len(jobs), self.console, workers=workers) as screen:
            try:
                outcome = execute(
                    jobs,
                    self.records,
                    screen,
                    workers=workers,
                    threads=threads,
                    retry_failed=self.retry_failed,
                    rerun_changed=self.rerun_changed,
                )
            finally:
                note_settled(self.store, self.paper.paper.key, (job.spec for job in jobs))
        self.runs |= outcome.runs
        return outcome

    def judge(self, plan: Plan, checks: Sequence[FidelityCheck], looks: Sequence[Look]) -> Audit:
        """By the runs of the plan, of what it leaves out by older ones, and by imported ones.

        All stored seeds are there, of which each look takes its first ones.
        """
        from audit.assemble import assemble
        from audit.cli.judge import beside_imported
        from audit.evidence import about_code, about_gone
        from audit.manifest import note_settled, with_lost_imports
        from audit.papers import sheets_beside

        ours = self._stored(plan) if looks else self._asked(plan)
        experiments = with_lost_imports(
            beside_imported(self.paper, ours, self.imported, self.evidence), self._lost
        )
        held = (*(it.runs for it in ours.values()), *self.imported.values())
        note_settled(self.store, self.paper.paper.key, (run.spec for runs in held for run in runs))
        for said in (*about_gone(experiments.values()), *about_code(experiments.values())):
            self.say(said)
        return assemble(
            self.paper,
            experiments,
            fidelity=checks,
            command=self.command,
            looks=looks,
            grown=self.grown,
            others=sheets_beside(self.paper, self.beside),
        )

    def _stored(self, plan: Plan) -> dict[str, ExperimentRecord]:
        from audit.manifest import plan_of, with_stored_runs

        kept = plan_of(self.paper, self.folder.name, plan, (), command=self.command)
        return with_stored_runs(kept, self.paper, self.every_run, self._lost)

    @property
    def every_run(self) -> list[Run]:
        """All that is in the store now, and what this command came upon."""
        stored = {run.key: run for run in self.records.runs(problems=[])}
        return list((stored | self.runs).values())

    def split_studies(self) -> dict[str, SplitStudy]:
        """Of every corpus of which split columns were run, by the report of the corpus."""
        from audit.manifest import kept_plans
        from audit.split_columns import studies_of

        plans = kept_plans(self.store, self.paper.paper.key)
        return studies_of(self.paper, plans, self.every_run, self._lost)

    def with_splits(self, audit: Audit) -> Audit:
        """The audit of one split column with what is known of the others; any other one as it is."""
        from audit.split_columns import column_of, with_splits

        report = self.folder.name
        return audit if column_of(report) is None else with_splits(audit, report, self.split_studies())

    def _asked(self, plan: Plan) -> dict[str, ExperimentRecord]:
        older = {key: run for key in plan.left_out if (run := self.records.get(key))}
        asked = {job.spec.key for job in plan.jobs}
        found: Mapping[str, Run] = {**older, **{key: run for key, run in self.runs.items() if key in asked}}
        return plan.with_runs(found, self._lost)

    @property
    def _lost(self) -> Mapping[str, tuple[int, ...]]:
        from audit.manifest import lost_seeds

        return lost_seeds(self.store, self.paper.paper.key)

    def looks(self, plan: Plan) -> tuple[Look, ...]:
        """All looks at the plan's runs; declared ones are the whole paper's, whatever is asked for now."""
        from audit.looks import ruled

        asked = set(self.ledger.looks(self.seen(plan)))
        every = self.ledger.looks(keys[0] for keys in plan.keys.values())
        return ruled(look for look in every if look.declared or look in asked)

    def seen(self, plan: Plan) -> list[str]:
        """What the ledger knows the plan's experiments by."""
        asked = {job.spec.key for job in plan.jobs}
        return [keys[0] for keys in plan.keys.values() if keys[0] in asked]

    def failures(self, jobs: Sequence[Job]) -> bool:
        """Whether runs failed, which is told."""
        runs = [self.runs[job.spec.key] for job in jobs if job.spec.key in self.runs]
        failed = [run.reason for run in runs if run.status == "failed"]
        if failed:
            reasons = "; ".join(str(reason) for reason in dict.fromkeys(failed))
            of = f"{len(failed)} of {counted(len(jobs), 'run')}"
            self.say(f"{of} failed ({reasons}); --retry-failed runs {_them(failed)} again")
        return bool(failed)

    def say_what_is_there(self, jobs: Sequence[Job]) -> None:
        """After an interrupt, which writes no report."""
        there = sum(job.spec.key in self.runs for job in jobs)
        makes = "; `audit judge` makes one of the runs that are there" if there else ""
        self.say(f"{there} of {counted(len(jobs), 'run')} on record, and no report is written{makes}")

    def say_of_looks(self, audit: Audit) -> None:
        """How the looks share the level."""
        for said in audit.about_looks:
            self.say(said)

    def _workers(self, jobs: Sequence[Job]) -> int:
        return max(1, min(self.workers, len(jobs)))


def run_once(suite: Suite) -> Exit:
    """All seeds that were asked for, and one judgement."""
    from audit.cli.idle import nothing_to_run, on_record
    from audit.cli.report import write_report

    plan = suite.plan()
    idle = nothing_to_run(suite, plan)
    if idle:
        suite.say(idle)
    suite.announce(plan)
    judged = run_and_judge(suite, plan)
    if judged is None:
        return Exit.INTERRUPTED
    write_report(suite.with_splits(judged), suite.folder, suite.also)
    suite.say_of_looks(judged)
    if idle and not on_record(suite, plan):
        return Exit.BAD_INPUT  # the report tells of printed numbers alone
    return Exit.RUNS_FAILED if suite.failures(plan.jobs) else verdict_code(judged)


def run_and_judge(suite: Suite, plan: Plan) -> Audit | None:
    """The audit without what is known of split columns; None where it was interrupted.

    Then nothing is judged: that may take longer than whoever stops a command waits, and would be a look.
    """
    from audit.label_strata import with_predictions

    checks = suite.fidelity(plan)
    if suite.carry_out(plan.jobs).interrupted:
        suite.say_what_is_there(plan.jobs)
        return None
    return with_predictions(suite.judge(plan, checks, take_look(suite, plan)), suite.records)


def take_look(suite: Suite, plan: Plan) -> tuple[Look, ...]:
    """This judgement goes on record: as the declared looks that its seeds come to, where there are any."""
    from audit.looks import with_look

    runs = [suite.runs.get(job.spec.key) for job in plan.jobs]
    tried = {run.key for run in runs if run is not None and run.status != "interrupted"}
    done = any(run is not None and run.status == "done" for run in runs)
    seeds = max((sum(key in tried for key in keys) for keys in plan.keys.values()), default=0) if done else 0
    before = suite.looks(plan)
    declared = max((look.declared for look in before), key=len, default=())
    reached = max((look.seeds for look in before if look.declared), default=0)
    new = [n for n in declared if reached < n <= seeds] if declared else [seeds] if seeds else []
    for n in new:
        suite.ledger.take(with_look(before, n, declared), suite.seen(plan))
    return suite.looks(plan)


def _them(items: Sequence[object]) -> str:
    return "it" if len(items) == 1 else "them"


def _check_writable(folder: Path) -> None:
    from audit.files import explained

    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    check_can_be_written(folder)


def check_can_be_written(folder: Path) -> None:
    """Raises `StoreError` where nothing can be written into the folder, or it cannot be made; makes none."""
    from audit.files import explained

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
