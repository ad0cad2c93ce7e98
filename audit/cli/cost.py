"""What is about to be run costs: runs on record, runs to do, and the time they take by those on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from audit.claim_names import counted, first_of
from audit.durations import span

if TYPE_CHECKING:
    from audit.cli.suite import Suite
    from audit.record import ExperimentRecord, Run
    from audit.runner import Job, Plan


def cost_lines(suite: Suite, plan: Plan) -> Iterator[str]:
    """What the plan's runs cost; for the screen, before the first run."""
    missing = [job for job in plan.jobs if is_open(suite, job)]
    if several := _readings(plan):
        names, most = several
        number = f"up to {counted(most, 'reading')} each of {counted(names, 'experiment')}"
        yield f"readings: {number}, {counted(suite.settings.seeds, 'seed')} of each reading"
        if not missing:
            yield f"all {counted(len(plan.jobs), 'run')} are on record"
    yield from to_do(suite, [plan], plan.jobs, missing)


def to_do(suite: Suite, plans: Sequence[Plan], jobs: Sequence[Job], missing: Sequence[Job]) -> Iterator[str]:
    """How many of the jobs are to be run, and how long that takes; nothing where none is."""
    if missing:
        there = len(jobs) - len(missing)
        number = counted(len(missing), "run")
        on_record = f"{counted(there, 'run')} on record, {len(missing)}" if there else number
        seconds = seconds_of_runs(suite, plans, missing)
        takes = "how long is not known before the first one"
        if seconds is not None:
            takes = f"about {span(max(1.0, seconds))} by the runs on record"
        yield f"{on_record} to do, {takes}"
        yield from _begun(suite, missing)


def _begun(suite: Suite, missing: Sequence[Job]) -> Iterator[str]:
    """What an earlier command left unfinished."""
    begun = [job.title for job in missing if suite.records.has_checkpoint(job.spec.key)]
    if begun:
        goes = "goes on from its checkpoint" if len(begun) == 1 else "go on from their checkpoints"
        yield f"{first_of(begun)} {'was' if len(begun) == 1 else 'were'} begun before, and {goes}"


def is_open(suite: Suite, job: Job) -> bool:
    run = suite.records.get(job.spec.key)
    if run is None or run.status == "interrupted" or (run.status == "failed" and suite.retry_failed):
        return True
    return suite.rerun_changed and run.sources != job.sources


def seconds_of_runs(suite: Suite, plans: Sequence[Plan], missing: Sequence[Job]) -> float | None:
    """Wall-clock seconds of the missing runs, by the records; None where nothing tells."""
    from audit.planning import RunTimes

    wanted = {job.spec.key for job in missing}
    runs: Counter[str] = Counter()
    held: dict[str, ExperimentRecord] = {}
    for plan in plans:
        for name, keys in _each_key_once(plan).items():
            runs[name] += sum(key in wanted for key in keys)
        for name, it in _on_record(suite, plan).items():
            held[name] = replace(it, runs=(*held[name].runs, *it.runs)) if name in held else it
    if not any(runs.values()):
        return 0.0
    time = RunTimes(held.values()).of(runs)
    return None if time is None else time.seconds / min(suite.workers, len(missing))


def _on_record(suite: Suite, plan: Plan) -> dict[str, ExperimentRecord]:
    keys = (key for keys in plan.keys.values() for key in keys)
    there: Mapping[str, Run] = {key: run for key in keys if (run := suite.records.get(key)) is not None}
    return plan.with_runs(there)


def _each_key_once(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Two experiments of one configuration share their runs."""
    seen: set[str] = set()
    mine = {}
    for name, keys in plan.keys.items():
        mine[name] = tuple(key for key in keys if key not in seen)
        seen.update(keys)
    return mine


def _readings(plan: Plan) -> tuple[int, int] | None:
    """Experiments that are run under several readings, and the most readings of one; None for none."""
    bases = [it.reading_of for it in plan.asked if it.reading]
    return (len(set(bases)), 1 + max(map(bases.count, bases))) if bases else None
