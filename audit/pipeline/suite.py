"""One paper's runs on one corpus: plan, announce, carry out; its session judges them."""

from __future__ import annotations

import errno
import math
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from audit.errors import AuditError, option
from audit.names import counted, first_of, span
from audit.pipeline.session import Session
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from rich.console import Console

    from audit.claims.load import Paper
    from audit.record import Audit, ExperimentRecord, FidelityCheck, Look, Run
    from audit.runner import Job, Plan, Settings
    from reimpl.data.formats import Options
    from reimpl.errors import Spelling


#: Options of the readers -> the fields of `audit.settings`.
_FIELDS = {"features_from": "base", "labels_from": "base", "text": "text_field", "labels": "labels_field"}
_FIELDS |= {"data": "data_file"}


def in_data(name: str, value: str) -> str:
    """`audit data`, where the corpus is an argument."""
    if name == "_one_base":
        return "; it holds for labels and features: where they count from different ones, renumber one"
    if name == "column":
        return f"DIR@{value or 'N'}"
    return "" if name.startswith("_") else option(_FIELDS.get(name, name), value)


def in_tune(name: str, value: str) -> str:
    """`audit tune`, where `--data` is the corpus and has the split column behind it."""
    return option("data", f"DIR@{value or 'N'}") if name == "column" else in_data(name, value)


def in_run(name: str, value: str) -> str:
    """`audit run`, which also takes all split columns at once."""
    return f", or {option('columns', value)} for all of them" if name == "_columns" else in_tune(name, value)


def options_of(chosen: CorpusSettings, *, spelling: Spelling = in_data) -> Options:
    """What was given; raises `AuditError` for an empty name or separator."""
    from reimpl.data.formats import Options

    with corpus_questions(spelling):
        return Options(
            features_from=chosen.base,  # type: ignore[arg-type]
            labels_from=chosen.base,  # type: ignore[arg-type]
            data=chosen.data_file,
            text=tuple(chosen.text_field) or None,
            labels=chosen.labels_field,
            separator=chosen.separator,
            ids=chosen.ids or None,
            raw=chosen.raw,
        )


@contextmanager
def corpus_questions(spelling: Spelling = in_data) -> Iterator[None]:
    """What the readers ask for, as `AuditError` with the options of the command."""
    from reimpl.errors import ReimplError, spelled

    try:
        yield
    except ReimplError as err:
        raise AuditError(spelled(err.message, spelling)) from err


def cost_lines(suite: Suite, plan: Plan) -> Iterator[str]:
    """What the plan's runs cost; for the screen, before the first run."""
    missing = [job for job in plan.jobs if suite.is_open(job)]
    if readings := Counter(it.reading_of for it in plan.asked if it.reading):
        most = counted(1 + max(readings.values()), "reading")
        number = f"up to {most} each of {counted(len(readings), 'experiment')}"
        yield f"readings: {number}, {counted(suite.settings.seeds, 'seed')} of each reading"
        if not missing:
            yield f"all {counted(len(plan.jobs), 'run')} are on record"
    yield from to_do(suite, [plan], plan.jobs, missing)
    yield from what_it_decides(suite, plan)


#: How far off a printed value or two methods are of which the power is told, in points.
_OFF, _APART = 2.5, 1.0
#: SD over seeds where no run tells, in points.
_USUAL_SD = 0.3


def what_it_decides(suite: Suite, plan: Plan) -> Iterator[str]:
    """The power of the plan's seeds, in one line: for printed values where they are judged, else for orders.

    The claim alone is off, so that Holm leaves it its share of the level; variances are moderated over the
    experiments of the plan.
    """
    from audit.judging.looks import next_level
    from audit.kinds import KINDS
    from audit.stats.families import level_of
    from audit.stats.power import KAPPA, Noise, contradiction_power, order_power

    records = {it.id: it for it in plan.experiments if not it.not_run and not it.deterministic}
    seeds = max((len(plan.keys.get(name, ())) for name in records), default=0)
    claims = [
        it
        for it in suite.paper.claim_records()
        if KINDS[it.kind].by_runs and it.experiments and records.keys() >= set(it.experiments)
    ]
    values = [
        it
        for it in claims
        if KINDS[it.kind].of_one_printed and records[it.experiments[0]].scope != "other_data"
    ]
    orders = [it for it in claims if it.kind == "order"]
    if not seeds or not (values or orders):
        return
    if seeds < 3:
        yield f"{counted(seeds, 'seed')}: nothing random is decided by fewer than three"
        return
    sd = _sd_on_record(suite, plan)
    looks = suite.looks(plan)
    level = (next_level(looks) if looks else level_of(1)) / len(claims)
    prior_df = len(records) * (seeds - 1) / 2.0 if len(records) > 2 else 0.0
    if values:
        margin = median(it.margin.value for it in values if it.margin)
        noise = Noise(sd or _USUAL_SD, math.inf, 1, prior_df)
        power = contradiction_power(seeds, noise, margin, _OFF, theirs=KAPPA**2, alpha=level)
        what = f"a printed value that is {_OFF:g} points off is contradicted"
    else:
        noise = Noise(sd or _USUAL_SD, math.inf, 2, prior_df)
        power = order_power(seeds, noise, _APART, alpha=level)
        what = f"a method that is better by {_APART:g} point is shown to be so"
    scatter = f"by the runs on record (SD {sd:.2g})" if sd else f"if seeds scatter by {_USUAL_SD:g} points"
    share = "hardly any" if power < 0.05 else f"about {100.0 * power:.0f} % of"
    others = counted(len(claims) - 1, "other claim")
    yield f"{seeds} seeds: {what} in {share} cases, {scatter}, beside {others}"


def _sd_on_record(suite: Suite, plan: Plan) -> float | None:
    """Median SD of P@1 over seeds, of experiments of three runs or more; None where there are none."""
    from audit.stats.sample import sample

    values: dict[str, list[float]] = {}
    for job in plan.jobs:
        run = suite.session.records.get(job.spec.key)
        if run is not None and run.status == "done" and "P@1" in run.metrics:
            values.setdefault(job.spec.arm, []).append(run.metrics["P@1"])
    sds = [sd for it in values.values() if len(it) > 2 and (sd := sample(it).sd)]
    return median(sds) if sds else None


def to_do(suite: Suite, plans: Sequence[Plan], jobs: Sequence[Job], missing: Sequence[Job]) -> Iterator[str]:
    """How many of the jobs are to be run, how long that takes, and which were begun before."""
    if not missing:
        return
    there, number = len(jobs) - len(missing), counted(len(missing), "run")
    on_record = f"{counted(there, 'run')} on record, {len(missing)}" if there else number
    seconds = seconds_of_runs(suite, plans, missing)
    takes = "how long is not known before the first one"
    if seconds is not None:
        takes = f"about {span(max(1.0, seconds))} by the runs on record"
    yield f"{on_record} to do, {takes}"
    begun = [job.title for job in missing if suite.session.records.has_checkpoint(job.spec.key)]
    if len(begun) == 1:
        yield f"{begun[0]} was begun before, and goes on from its checkpoint"
    elif begun:
        yield f"{first_of(begun)} were begun before, and go on from their checkpoints"


def seconds_of_runs(suite: Suite, plans: Sequence[Plan], missing: Sequence[Job]) -> float | None:
    """Wall-clock seconds of the missing runs, by the records; None where nothing tells."""
    from audit.judging.plan import RunTimes

    wanted, get = {job.spec.key for job in missing}, suite.session.records.get
    runs: Counter[str] = Counter()
    records: dict[str, ExperimentRecord] = {}
    for plan in plans:
        seen: set[str] = set()  # two experiments of one configuration share their runs
        for name, keys in plan.keys.items():
            runs[name] += len(wanted.intersection(keys) - seen)
            seen.update(keys)
        stored = {key: run for key in seen if (run := get(key)) is not None}
        for name, it in plan.with_runs(stored).items():
            records[name] = replace(it, runs=(*records[name].runs, *it.runs)) if name in records else it
    if not any(runs.values()):
        return 0.0
    time = RunTimes(records.values()).of(runs)
    return None if time is None else time.seconds / min(suite.workers, len(missing))


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
        remarks = plan.remarks if self.settings.data else ()
        for remark in (*cost_lines(self, plan), *plan.idle, *remarks):
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

    def arms(self, plan: Plan) -> dict[str, tuple[str, ...]]:
        """What the ledger knows the plan's experiments by, and the keys of their runs."""
        asked = {job.spec.key for job in plan.jobs}
        return {keys[0]: keys for keys in plan.keys.values() if keys[0] in asked}


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
