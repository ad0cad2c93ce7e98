"""What is about to be run costs: runs on record, runs to do, and the time they take by those on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from audit.names import counted, first_of, span

if TYPE_CHECKING:
    from audit.pipeline.suite import Suite
    from audit.record import ExperimentRecord
    from audit.runner import Job, Plan


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
    from audit.stats.power import KAPPA, contradiction_power, order_power

    records = {it.id: it for it in plan.experiments if not it.not_run and not it.deterministic}
    seeds = max((len(plan.keys.get(name, ())) for name in records), default=0)
    claims = [
        it
        for it in suite.paper.claim_records()
        if KINDS[it.kind].test and it.experiments and records.keys() >= set(it.experiments)
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
        power = contradiction_power(
            seeds,
            sd=sd or _USUAL_SD,
            margin=margin,
            difference=_OFF,
            paper_sd_ratio=KAPPA,
            prior_df=prior_df,
            alpha=level,
        )
        what = f"a printed value that is {_OFF:g} points off is contradicted"
    else:
        power = order_power(seeds, sd=sd or _USUAL_SD, gap=_APART, prior_df=prior_df, alpha=level)
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
