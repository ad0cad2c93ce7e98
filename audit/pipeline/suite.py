"""One paper's runs on one corpus: plans, announces and makes them; its session judges them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from audit.claims.load import Paper
from audit.errors import AuditError, corpus_questions, in_run, option
from audit.judging.looks import ruled, with_look
from audit.judging.plan import Outlook, RunTimes, outlooks
from audit.kinds import KINDS
from audit.names import counted, first_of, span
from audit.pipeline.session import Session
from audit.record import BY_COMMAND, LEFT_OUT, Audit, ExperimentRecord, FidelityCheck, Look, Run, digest
from audit.runner import Job, Plan, make_plan
from audit.runner.commands import Commands
from audit.runner.engines import Engine, engine_of, fitting, resources_of
from audit.runner.execute import Means, execute, stands
from audit.runner.models import fidelity
from audit.runner.progress import Screen
from audit.runner.resolve import checked, selected
from audit.settings import AUTO, RunSettings
from audit.stats.power import FUTILE
from audit.storage.files import check_can_be_written, explained
from audit.storage.manifest import KeptPlan, definitions, keep_fixed
from reimpl.data.formats import split_name


def suites(
    papers: Sequence[tuple[Paper, Path]], chosen: RunSettings, session: Session, console: Console, out: Path
) -> list[Suite]:
    """One for each paper with its claim file. Raises `AuditError` before anything is run."""
    if not papers:
        return []
    settings = checked(chosen)
    for paper, path in papers:
        session.grown(paper, path)
        if chosen.readings and paper.readings is None:
            what = f"{option('readings', True)}: {paper.paper.key} declares none"
            raise AuditError(f"{what}; leave it out, or add readings")
    check_can_be_written(chosen.store)
    engine_of(settings.on, None, resources_of(settings.resources))  # what it lacks is told before all else
    requests = [request_of(paper, chosen) for paper, _ in papers]
    return [
        Suite(paper, path, settings, request, session, console, out)
        for (paper, path), request in zip(papers, requests, strict=True)
    ]


def threads_of(workers: int) -> int:
    """Threads of each of so many processes: its share of the cores, at most OMP_NUM_THREADS."""
    share = max(1, (os.cpu_count() or 1) // workers)
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(share, int(asked)) if asked.isdecimal() and int(asked) > 0 else share


def report_name(paper: Paper, data: Path | None) -> str:
    """Name of the report's folder; a report on another corpus does not replace the last one."""
    return f"{paper.paper.key}-{data.resolve().name}" if data else paper.paper.key


#: What does not change which runs a command plans, or is looked at anew.
_IDLE: dict[str, Any] = {
    "jobs": None,
    "on": "",
    "resources": None,
    "submit": False,
    "retry_failed": False,
    "allow_commands": False,
    "evidence": "ours",
}


def judged_at_once(
    paper: Paper, path: Path, chosen: RunSettings, session: Session, out: Path
) -> Audit | None:
    """The audit, if this command was given before and all of its runs are done; else None. Needs no torch:
    what determines the plan is compared by its digest."""
    if not chosen.store.is_dir() or any(it.command for it in paper.single_experiments.values()):
        return None
    report = report_name(paper, chosen.data)
    plan = session.ledger(paper).plan(report)
    if plan is None or not plan.asked or plan.request != request_of(paper, chosen):
        return None
    if not {run.key for run in session.runs if run.status == "done"}.issuperset(plan.asked):
        return None
    check_can_be_written(out / report)
    session.tell(f"{paper.paper.key}: all {len(plan.asked)} runs are on record")
    return session.judge(paper, path, plan)


def request_of(paper: Paper, chosen: RunSettings) -> str:
    """Digest of everything that determines which runs the command plans for the paper."""
    settings = {name: str(value) for name, value in asdict(replace(chosen, **_IDLE)).items()}
    places = [chosen.tuned_on, chosen.data, chosen.data_file, chosen.models, chosen.store / "studies"]
    places += [Path(chosen.vectors)] if chosen.vectors else []
    dated = []  # name, size and date of each file, and of all files below each folder
    for place in (split_name(place)[0] for place in places if place is not None):
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        dated.append([str(place), *((str(it), (of := it.stat()).st_size, of.st_mtime_ns) for it in files)])
    # what decides which device `auto` is, without loading torch
    driver = any(Path("/dev", name).exists() for name in ("nvidiactl", "kfd", "dxg"))
    machine = [driver, os.environ.get("CUDA_VISIBLE_DEVICES")]
    return digest([paper.model_dump(mode="json"), settings, dated, _code(), machine])


@cache
def _code() -> list[Any]:
    root = Path(__file__).resolve().parents[2]
    files = sorted(path for folder in ("audit", "reimpl") for path in (root / folder).rglob("*.py"))
    try:
        torch = version("torch")
    except PackageNotFoundError:
        torch = ""
    return [[(path.name, digest(path.read_text("utf-8"))) for path in files], torch]


@dataclass
class Suite:
    """A paper, its claim file, and the user's choices for it."""

    paper: Paper
    path: Path
    settings: RunSettings
    request: str  # What another command must ask for to be answered by this one's plan.
    session: Session
    console: Console
    out: Path
    runs: dict[str, Run] = field(default_factory=dict)  # All records that this command came upon, by key.

    @property
    def folder(self) -> Path:
        return self.out / report_name(self.paper, self.settings.data)

    @property
    def kept(self) -> KeptPlan | None:
        """The plan of an earlier command for this report."""
        return self.session.ledger(self.paper).plan(self.folder.name)

    def say(self, text: str) -> None:
        self.console.out(text, highlight=False)

    def plan(self, *, seeds: int | None = None, only: Sequence[str] | None = None) -> Plan:
        """Plan the runs of that many seeds of the experiments that `only` names."""
        settings = self.settings if seeds is None else replace(self.settings, seeds=seeds)
        settings = settings if only is None else replace(settings, only=only)
        # Other specifications that an earlier command of this report planned: runs of theirs count.
        others = self.paper.specified_experiments
        kept = self.kept if others else None
        with corpus_questions(in_run):
            return make_plan(self.paper, settings, known=kept.keys.keys() & others.keys() if kept else ())

    def announce(self, plan: Plan) -> None:
        """Prints what will be run; the command ends here if something cannot be written or judged."""
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        check_can_be_written(self.folder)
        self.session.imported(self.paper)  # raises where two imports contradict each other
        seeds = max(map(len, plan.keys.values()), default=self.settings.seeds)
        if plan.jobs:
            self.say(plan.summary(self.paper.paper.key, seeds, self.workers(plan.jobs)))
        remarks = [*self.to_do([plan], plan.jobs), *plan.idle, *(plan.remarks if self.settings.data else ())]
        remarks += self._unknown_data(plan) if plan.jobs else ()
        if 0 < seeds < 3 and not all(record.deterministic for record in plan.asked):
            remarks.append(f"{counted(seeds, 'seed')}: fewer than three seeds cannot decide a claim")
        for remark in remarks:
            self.say(f"  {remark}")

    def _unknown_data(self, plan: Plan) -> Iterator[str]:
        """Why printed values are not judged if nobody has declared which content is the paper's."""
        data, claims = self.settings.data, self.paper.claim_records()
        for name, described in self.paper.datasets.items():
            runs = {record.id for record in plan.asked if record.dataset == name}
            judged = [of for of in claims if KINDS[of.kind].of_printed and runs.intersection(of.experiments)]
            if data and judged and not (described.content or described.partition or described.corpus):
                values = counted(len(judged), "printed value")
                yield (
                    f"{values} on {name} cannot be judged on this corpus: if it is the paper's "
                    f"{described.name}, `audit data describe {data}` prints its content for "
                    f"datasets.{name} in {self.path}"
                )

    def to_do(self, plans: Sequence[Plan], jobs: Sequence[Job]) -> Iterator[str]:
        """How many of the jobs must be run, how long that takes, and which have been begun before."""
        missing = [job for job in jobs if self.is_open(job)]
        if not missing:
            return
        there, number = len(jobs) - len(missing), counted(len(missing), "run")
        on_record = f"{counted(there, 'run')} on record, {len(missing)}" if there else number
        seconds = self.seconds_of_runs(plans, missing)
        takes = "duration unknown until the first one ends"
        if seconds is not None:
            takes = f"about {span(max(1.0, seconds))} by the runs on record"
        yield f"{on_record} to do, {takes}"
        if begun := [job.title for job in missing if self.session.records.has_checkpoint(job.spec.key)]:
            were = "was begun before and continues" if len(begun) == 1 else "were begun before and continue"
            yield f"{first_of(begun)} {were} from the last checkpoint"

    def seconds_of_runs(self, plans: Sequence[Plan], missing: Sequence[Job]) -> float | None:
        """Wall-clock seconds of the missing runs, by the records; None if there is no basis."""
        wanted, get = {job.spec.key for job in missing}, self.session.records.get
        runs: Counter[str] = Counter()
        records: dict[str, ExperimentRecord] = {}
        for plan in plans:
            seen: set[str] = set()  # two experiments of one configuration share their runs
            for name, keys in plan.keys.items():
                runs[name] += len(wanted.intersection(keys) - seen)
                seen.update(keys)
            stored = {key: run for key in seen if (run := get(key)) is not None}
            for name, record in plan.with_runs(stored).items():
                before = records[name].runs if name in records else ()
                records[name] = replace(record, runs=(*before, *record.runs))
        if not any(runs.values()):
            return 0.0
        time = RunTimes(records.values()).of(runs)
        return None if time is None else time.seconds / self.workers(missing)

    def nothing_to_run(self, plan: Plan) -> str:
        """Why the plan has no run, in a sentence; empty if it has some, or commands will run."""
        wanted = selected(self.paper, self.settings.only)
        idle = [record for record in plan.experiments if record.not_run and record.not_run != LEFT_OUT]
        idle = [record for record in idle if wanted is None or record.id in wanted]
        if plan.jobs or any(record.not_run == BY_COMMAND for record in idle):
            return ""
        key, reasons = self.paper.paper.key, dict.fromkeys(str(record.not_run).rstrip(".") for record in idle)
        why = f"{counted(len(idle), 'experiment')} selected, none can be run here ({first_of(list(reasons))})"
        why = why if idle else "the claim file names no experiment"
        return f"{key}: nothing was run: {why}; `audit check {key}` and `audit import` need none"

    def has_evidence(self, plan: Plan) -> bool:
        """Whether there is anything to judge: runs of an earlier command, or imported results."""
        keys = {key for keys in plan.keys.values() for key in keys}
        there = {run.key for run in self.session.runs}
        return bool(keys & there or self.session.imported(self.paper))

    def fidelity(self, plan: Plan, *, request: str | None = None) -> tuple[FidelityCheck, ...]:
        """Fidelity checks of the models in the plan, kept with it for judging; failures are printed."""
        checks = fidelity(plan)
        models = {check.model for check in checks}
        # Those of models that only an earlier command ran: what it settled does not open again.
        earlier = self.kept.fidelity if self.kept else ()
        checks = (*checks, *(check for check in earlier if check.model not in models))
        self.keep(plan, checks, request=request)
        for check in checks:
            if not check.passed:
                self.say(f"fidelity: {check.model}: {check.name}: {check.detail}")
        return checks

    def keep(self, plan: Plan, checks: Sequence[FidelityCheck], *, request: str | None = None) -> None:
        """Record plan and margins before the first run. `request` is "" for a plan of the first part only."""
        keep_fixed(self.session.store, self.paper)
        earlier, asked = self.kept, tuple(job.spec.key for job in plan.jobs)
        commands = [self.session.command]
        if earlier and not {*earlier.asked}.issubset(asked):  # its runs stand on the page too
            commands = list(dict.fromkeys([*earlier.command.split(" && "), *commands]))
        kept = KeptPlan(
            self.paper.paper.key,
            self.folder.name,
            plan.experiments,
            dict(plan.keys),
            definitions(self.paper),
            tuple(checks),
            " && ".join(commands),
            asked,
            self.request if request is None else request,
            str(self.path.resolve()),
            plan.settings.as_json(),
        )
        self.session.ledger(self.paper).keep(kept)

    def run_own_commands(self) -> bool:
        """Make the runs of experiments with a program of their own; returns whether any failed."""
        only, session, chosen = selected(self.paper, self.settings.only), self.session, self.settings
        commands = Commands(self.paper, self.path, session.store, only, chosen.retry_failed, session.tell)
        failed = commands.run(seeds=chosen.seeds, allowed=chosen.allow_commands)
        session.read_again()
        return failed

    def engine(self, jobs: Sequence[Job]) -> Engine:
        """The engine that makes the runs."""
        chosen = self.settings
        at_once = int(chosen.jobs) if chosen.jobs and chosen.jobs != AUTO else None
        if chosen.on == "local" and at_once is None and not chosen.submit:
            arms = {job.spec.arm for job in jobs} if chosen.jobs == AUTO else set()
            peaks = [run.peak_memory_bytes or 0 for run in self.session.runs if run.spec.arm in arms]
            at_once = fitting(chosen.device, max(peaks, default=0))
        return engine_of(chosen.on, at_once, resources_of(chosen.resources), chosen.device)

    def workers(self, jobs: Sequence[Job]) -> int:
        """How many jobs run at one time."""
        return max(1, min(self.engine(jobs).at_once or len(jobs), len(jobs)))

    def means(self, jobs: Sequence[Job]) -> Means:
        chosen = self.settings
        cores = resources_of(chosen.resources).cpus
        if cores is None and chosen.device == "cpu" and chosen.on == "local":
            cores = threads_of(self.workers(jobs))
        return Means(self.session.records, cores, chosen.retry_failed, chosen.rerun_changed)

    def carry_out(self, jobs: Sequence[Job], *, wait: bool = True) -> bool:
        """Make the records of all jobs, into `runs`; False if the user interrupted."""
        with Screen(len(jobs), self.console, workers=self.workers(jobs)) as screen:
            try:
                outcome = execute(jobs, self.means(jobs), screen, self.engine(jobs), wait=wait)
            finally:
                self.session.ledger(self.paper).note_settled(job.spec for job in jobs)
                self.session.read_again()
        self.runs |= outcome.runs
        if outcome.interrupted:
            there = sum(job.spec.key in self.runs for job in jobs)
            makes = "; `audit judge` writes one from the runs on record" if there else ""
            report = f", and no report is written{makes}" if wait else ""
            self.say(f"{there} of {counted(len(jobs), 'run')} on record{report}")
        return not outcome.interrupted

    def run_once(self) -> tuple[Audit | None, Plan]:
        """Run all seeds asked for, and judge once, unless interrupted: judging takes long and is a look."""
        plan = self.submit()
        return (self.judge() if self.carry_out(plan.jobs) else None), plan

    def submit(self) -> Plan:
        """Announce the plan and store it for whoever makes the runs."""
        plan = self.plan()
        if idle := self.nothing_to_run(plan):
            self.say(idle)
        self.announce(plan)
        self.fidelity(plan)
        return plan

    def is_open(self, job: Job) -> bool:
        """Whether the job needs a run."""
        run = self.session.records.get(job.spec.key)
        chosen = self.settings
        means = Means(self.session.records, None, chosen.retry_failed, chosen.rerun_changed)
        return run is None or not stands(run, job, means)

    def failures(self, jobs: Collection[Job]) -> bool:
        """Whether runs failed; prints it."""
        runs = [self.runs[job.spec.key] for job in jobs if job.spec.key in self.runs]
        failed = [str(run.reason) for run in runs if run.status == "failed"]
        if failed:
            reasons = "; ".join(dict.fromkeys(failed))
            them, total = "it" if len(failed) == 1 else "them", counted(len(jobs), "run")
            self.say(f"{len(failed)} of {total} failed ({reasons}); --retry-failed runs {them} again")
        return bool(failed)

    def judge(self, looks: Sequence[Look] | None = None) -> Audit:
        """Judge by all stored seeds of this report's plan and by imported runs, as `audit judge` does."""
        plans = {plan.report: plan for plan in self.session.plans(self.paper)}
        return self.session.judge(self.paper, self.path, plans[self.folder.name], looks)

    def looks(self, plan: Plan) -> tuple[Look, ...]:
        """All looks at the runs that are asked for; declared looks hold for the whole paper."""
        ledger = self.session.ledger(self.paper)
        asked = set(ledger.looks(self.arms(plan)))
        every = ledger.looks(keys[0] for keys in plan.keys.values())
        return ruled(look for look in every if look.declared or look in asked)

    def arms(self, plan: Plan) -> dict[str, tuple[str, ...]]:
        """The plan's experiments as the ledger names them, and the keys of their runs."""
        asked = {job.spec.key for job in plan.jobs}
        return {keys[0]: keys for keys in plan.keys.values() if keys[0] in asked}


DEFAULT_LOOKS = (3, 5, 8, 12, 20)
_clock = time.monotonic


def looks_of(text: str) -> tuple[int, ...]:
    """Parse looks such as `3,5,8`. Raises `AuditError`."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and len(part) < 5 for part in parts):
        looks = tuple(int(part) for part in parts)
        if list(looks) == sorted(set(looks)) and looks[0] >= 2 and looks[-1] <= 1000:
            return looks
    raise AuditError(f"--looks {text!r}: write growing numbers of seeds from 2 to 1000, as in 3,5,8")


def declared(wanted: tuple[int, ...] | None, taken: Sequence[Look]) -> dict[int, float]:
    """Number of seeds -> level, of the looks to use: a new plan, which shares what earlier looks left, or the
    one already begun. Raises `AuditError` for other looks than those already begun."""
    old = max((look.declared for look in taken), key=len, default=())
    if old and wanted not in (None, old):
        raise AuditError(
            f"--looks {_listed(wanted or ())}: {_listed(old)} were declared and share the level; use those"
        )
    looks = old or wanted or DEFAULT_LOOKS
    before = [*taken, Look(looks[-1], 0.0, looks)]
    return {n: with_look(before, n, looks).level for n in looks}


def _listed(looks: Sequence[int]) -> str:
    return ",".join(map(str, looks))


@dataclass
class UntilSettled:
    """Takes the looks one after another; reads from the records what an earlier command did."""

    suite: Suite
    wanted: tuple[int, ...] | None  # Looks that the user asks for; None: those that were begun, or the usual.
    seconds: float | None  # Wall-clock time of the whole command; None for no limit.
    publish: Callable[[Audit], object]  # Gets the audit as each look leaves it.
    began: float = field(default_factory=lambda: _clock())
    audit: Audit | None = field(default=None, init=False)  # As the last look left it.
    jobs: dict[str, Job] = field(default_factory=dict, init=False)  # All that belong to the looks taken.
    why: str = field(default="no open claim can be settled by seeds", init=False)  # Why it ended.
    interrupted: bool = field(default=False, init=False)
    nothing_to_run: bool = field(default=False, init=False)

    def run(self) -> UntilSettled:
        """Run look by look until seeds can settle no open claim, or looks, time or chances run out."""
        suite, first = self.suite, self.suite.plan(seeds=1)
        self.schedule = declared(self.wanted, suite.looks(first))
        self.runnable = frozenset(record.id for record in first.experiments if record.not_run is None)
        if idle := suite.nothing_to_run(first):
            suite.say(idle)
            if not suite.has_evidence(first):
                self.nothing_to_run = True
                return self
        looks, wanted = tuple(self.schedule), self._worth_running(first)
        if wanted:
            suite.announce(suite.plan(seeds=looks[0], only=sorted(wanted)))
            suite.say(f"looks at {_listed(looks)} seeds, which share the level")
        suite.fidelity(first, request="")
        for number, seeds in enumerate(looks, start=1):
            plan = suite.plan(seeds=seeds, only=sorted(wanted)) if wanted else None
            if plan is None or not self._in_time(plan, seeds):
                break
            if not suite.carry_out(plan.jobs):
                self.interrupted = True
                break
            worth_more = self._outcome(number, seeds, self._look(plan, seeds))
            wanted = frozenset(name for claim in worth_more for name in claim.seeds_now) & self.runnable
        return self

    def _look(self, plan: Plan, seeds: int) -> list[Outlook]:
        """Judge, record it, and return the open claims that seeds can settle and that we may run."""
        runs = self.suite.arms(plan)
        look = Look(seeds, self.schedule[seeds], tuple(self.schedule), runs)
        self.suite.session.ledger(self.suite.paper).take(look, runs)
        self.jobs |= {job.spec.key: job for job in plan.jobs}
        self.audit = self.suite.judge(self.suite.looks(plan))
        self.publish(self.audit)
        return [
            claim
            for claim in outlooks(self.audit, alpha=self.schedule[max(self.schedule)])
            if claim.by_seeds and self.runnable.issuperset(claim.seeds_now)
        ]

    def _outcome(self, number: int, seeds: int, claims: Sequence[Outlook]) -> list[Outlook]:
        """The claims for which the next look is worth its time; `why` says why there is none."""
        last, level = max(self.schedule), self.schedule[seeds]
        further = claims if seeds < last else []
        worth_more = [claim for claim in further if (power := claim.chance(last)) is None or power >= FUTILE]
        futile = len(further) - len(worth_more)
        hopeless = f", {futile} of them with less than 20% power at {last} seeds" if futile else ""
        self.suite.say(
            f"look {number} of {len(self.schedule)}, {seeds} seeds, level {100.0 * level:.3g}%: "
            f"{counted(len(claims), 'claim')} open that seeds may settle{hopeless}"
        )
        self.why = f"that was the last look, at {last} seeds"
        if not claims:
            self.why = "everything that seeds can settle is settled"
        elif futile and not worth_more:
            self.why = f"futile: no open claim has 20% power at {last} seeds"
        return worth_more

    def _in_time(self, plan: Plan, seeds: int) -> bool:
        """Whether the look fits into the remaining time; `why` says by how much it does not."""
        if self.seconds is None:
            return True
        missing = [job for job in plan.jobs if self.suite.is_open(job)]
        needed = self.suite.seconds_of_runs([plan], missing)
        if needed is None:  # one run is the price of knowing
            if not self.suite.carry_out(missing[:1]):
                raise KeyboardInterrupt
            return self._in_time(plan, seeds)
        left = self.seconds - (_clock() - self.began)
        if not missing or needed <= left:
            return True
        runs = f"about {span(needed)} for {counted(len(missing), 'run')}"
        self.why = f"budget: the look at {seeds} seeds needs {runs}, and {span(left)} are left"
        return False

    def _worth_running(self, plan: Plan) -> frozenset[str]:
        """Experiments behind claims that seeds can settle: all arms can be run, on data that count."""
        elsewhere = {record.id for record in plan.experiments if record.scope != "same_data"}
        return frozenset(
            name
            for claim in self.suite.paper.claim_records()
            if KINDS[claim.kind].by_runs
            and self.runnable.issuperset(claim.experiments)
            and not (KINDS[claim.kind].of_printed and elsewhere & set(claim.experiments))
            for name in claim.experiments
        )
