"""The open runs of plans in a store: makes them in whatever process is free, and counts them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from audit.claims.load import load
from audit.errors import AuditError, Exit
from audit.pipeline.session import Session
from audit.pipeline.suite import suites
from audit.runner.channel import SILENT, Pulse, pulses
from audit.runner.execute import running_in
from audit.runner.models import models_of
from audit.settings import RunSettings
from audit.storage.files import check_can_be_written
from audit.storage.manifest import KeptPlan, Ledger
from audit.storage.runs import Store


@dataclass
class Standing:
    """How the runs of one report's plan stand, each by its experiment and seed."""

    report: str
    done: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # With the reason.
    running: list[Pulse] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)  # Stopped or killed; they go on from a checkpoint.
    waiting: list[str] = field(default_factory=list)


def standings(root: Path) -> Iterator[Standing]:
    """The standing of every plan in the store. Raises `AuditError` if there is none."""
    store = Store(root)
    at_work = {key: it for key, it in pulses(running_in(store)).items() if time.time() - it.seen < SILENT}
    for plan in plans_in(root):
        standing, titles = Standing(plan.report), dict[str, str]()
        for name, keys in plan.keys.items():
            titles |= {key: f"{name} seed {seed}" for seed, key in enumerate(keys) if key not in titles}
        for key in plan.asked:
            run, title = store.get(key), titles.get(key, key)
            if key in at_work and (run is None or run.status != "done"):
                standing.running.append(at_work[key])
            elif run is None or run.status == "interrupted":
                (standing.begun if store.has_checkpoint(key) else standing.waiting).append(title)
            elif run.status == "failed":
                standing.failed[title] = run.reason or "no reason is on record"
            else:
                standing.done.append(title)
        yield standing


def plans_in(root: Path) -> list[KeptPlan]:
    """The newest plan of every report. Raises `AuditError`."""
    papers = [path.stem for path in sorted((root / "manifests").glob("*.json"))]
    plans = [plan for paper in papers for plan in Ledger(root, paper).plans() if plan.asked]
    if not plans:
        raise AuditError(f"{root}: no runs are planned there; `audit run --submit` writes a plan")
    return plans


def work_off(root: Path, jobs: str | None, console: Console) -> Exit:
    """Make the open runs of every plan in the store in turn, except those in progress elsewhere. Neither
    judges nor looks. Raises `AuditError`, also if a plan cannot be made again."""
    worst = Exit.OK
    check_can_be_written(root)
    for plan in plans_in(root):
        if not plan.settings:
            raise AuditError(f"{root}: {plan.report} is of an earlier version; give its `audit run` again")
        chosen = RunSettings(**{**plan.settings, "store": root, "jobs": jobs})
        with models_of(chosen.models):
            path = Path(plan.claims)
            session = Session(root, command=plan.command, strict=False)
            (suite,) = suites([(load(path), path)], chosen, session, console, root / "reports")
            made = suite.plan(only=chosen.only)
            if (lost := len({*plan.asked} - {job.spec.key for job in made.jobs})) > 0:
                changed = f"the claim file, the corpus or the code changed, so {lost} of its runs"
                raise AuditError(f"{plan.report}: {changed} are others now; give `audit run` again")
            todo = [job for job in made.jobs if job.spec.key in plan.asked and suite.is_open(job)]
            interrupted = bool(todo) and not suite.carry_out(todo, wait=False)
            if suite.failures(todo):
                worst = Exit.RUNS_FAILED
        if interrupted:
            return Exit.INTERRUPTED
    return worst
