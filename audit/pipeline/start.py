"""From what a user chose (`audit.settings`) to suites of runs; what can be refused is refused here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import AuditError, SettingsError, option
from audit.pipeline.corpus_words import in_run, options_of
from audit.pipeline.remembered import remembered_plan, request_of
from audit.pipeline.session import Session
from audit.pipeline.suite import Suite, check_can_be_written, report_name
from audit.settings import RunSettings, TrainingSettings

if TYPE_CHECKING:
    from rich.console import Console

    from audit.claims.load import Paper
    from audit.record import Audit
    from audit.runner import Settings


def runner_settings(chosen: TrainingSettings) -> Settings:
    """As the runner takes them; raises `AuditError` where they do not go together."""
    from audit.runner import Settings
    from audit.runner.devices import check_precision, device_of
    from reimpl.data.formats import split_name

    run = chosen if isinstance(chosen, RunSettings) else RunSettings(store=chosen.store)
    device = device_of(chosen.device)
    check_precision(chosen.precision, device)
    options = options_of(chosen, spelling=in_run)
    if chosen.data is None:
        if given := [*options.stated, *(["format"] if chosen.format else [])]:
            raise AuditError(f"{in_run(given[0], '')}: says how {option('data')} is read; give that too")
        if chosen.vectors:
            raise AuditError(
                f"{option('vectors', chosen.vectors)}: made words have no vectors; "
                f"give {option('data')} too, or leave it out"
            )
    if run.tuned_on and run.untuned:
        raise AuditError(
            f"{option('untuned', True)} and {option('tuned_on', run.tuned_on)} are opposites; "
            "give one of them"
        )
    if run.tuned_on and not split_name(run.tuned_on)[0].exists():
        raise AuditError(
            f"{option('tuned_on', run.tuned_on)}: no such folder; "
            "name the corpus that `audit tune --data` had"
        )
    return Settings(
        data=chosen.data,
        options=options,
        format=chosen.format,
        protocol=chosen.protocol,
        vectors=chosen.vectors,
        seeds=run.seeds,
        device=device,
        precision=chosen.precision,
        cache=chosen.store / "data",
        untuned=run.untuned,
        tuned_on=run.tuned_on,
        readings=run.readings,
    )


def suites(
    papers: Sequence[tuple[Paper, Path]],
    chosen: RunSettings,
    session: Session,
    console: Console,
    out: Path,
) -> list[tuple[Suite, Path]]:
    """One for each paper, with its claim file. Raises `AuditError` before anything is run."""
    if not papers:
        return []
    settings = runner_settings(chosen)
    if chosen.readings:
        for paper, _ in papers:
            if paper.readings is None:
                what = f"{option('readings', True)}: {paper.paper.key} declares none"
                raise AuditError(f"{what}; leave it out, or add readings")
    check_can_be_written(chosen.store)
    workers = chosen.jobs or (1 if settings.device != "cpu" else os.cpu_count() or 1)
    return [
        (
            Suite(
                paper,
                settings,
                session,
                console,
                out,
                chosen.only,
                workers,
                chosen.retry_failed,
                chosen.rerun_changed,
                session.grown(paper, path),
                request_of(paper, chosen),
            ),
            path,
        )
        for paper, path in papers
    ]


def judged_at_once(
    paper: Paper, path: Path, chosen: RunSettings, session: Session, out: Path
) -> Audit | None:
    """The audit, where this very command was given before and all of its runs are done; else None."""
    if not chosen.store.is_dir() or any(it.command for it in paper.single_experiments.values()):
        return None
    report = report_name(paper, chosen.data)
    plan = remembered_plan(session, paper, request_of(paper, chosen), report)
    if plan is None:
        return None
    check_can_be_written(out / report)
    session.tell(f"{paper.paper.key}: all {len(plan.asked)} runs are on record")
    return session.judge(paper, plan, session.grown(paper, path))


def run_own_commands(suite: Suite, path: Path, chosen: RunSettings) -> bool:
    """The runs of experiments that bring a program of their own; whether any failed."""
    from audit.runner.commands import Commands, run_commands
    from audit.runner.resolve import selected

    wanted = selected(suite.paper, chosen.only)
    only = None if wanted is None else frozenset(wanted)
    tell = suite.session.tell
    commands = Commands(suite.paper, path, suite.session.store, only, chosen.retry_failed, tell)
    failed = run_commands(commands, seeds=chosen.seeds, allowed=chosen.allow_commands)
    suite.session.read_again()
    return failed


@contextmanager
def line_of_bad_settings(path: Path) -> Iterator[None]:
    """Where settings of an experiment cannot be, all that is wrong in its file is told, with the lines."""
    from audit.claims.known import names_here as known_names
    from audit.claims.load import load

    try:
        yield
    except SettingsError:
        load(path, known=known_names(configs=True))
        raise  # where the file by itself is sound
