"""From what a user chose (`audit.settings`) to suites of runs; what can be refused is refused here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import AuditError, SettingsError, option
from audit.pipeline.session import Session
from audit.pipeline.suite import Suite, check_can_be_written, in_run, options_of, report_name
from audit.record import digest
from audit.settings import RunSettings, TrainingSettings
from audit.storage.manifest import kept_plans

if TYPE_CHECKING:
    from rich.console import Console

    from audit.claims.load import Paper
    from audit.pipeline.session import Session
    from audit.record import Audit
    from audit.runner import Settings
    from audit.settings import RunSettings
    from audit.storage.manifest import KeptPlan


#: What does not change which runs a command plans, or is looked at anew.
_IDLE = {"jobs": None, "retry_failed": False, "allow_commands": False, "evidence": "ours"}


def request_of(paper: Paper, chosen: RunSettings) -> str:
    """Digest of all that decides which runs the command plans for the paper."""
    from reimpl.data.formats import split_name

    settings = {name: str(value) for name, value in asdict(replace(chosen, **_IDLE)).items()}  # type: ignore[arg-type]
    places = [chosen.tuned_on, chosen.data, chosen.data_file, chosen.models, chosen.store / "studies"]
    places += [Path(chosen.vectors)] if chosen.vectors else []
    dated = [[str(it), _dated(split_name(it)[0])] for it in places if it is not None]
    content: list[Any] = [paper.model_dump(mode="json"), settings, dated, _tool(), _machine()]
    return digest(content)


def remembered_plan(session: Session, paper: Paper, request: str, report: str) -> KeptPlan | None:
    """The newest plan of the report, if it is of this very request and all of its runs are done."""
    plan = next((it for it in kept_plans(session.store, paper.paper.key) if it.report == report), None)
    if plan is None or plan.request != request or not plan.asked:
        return None
    done = {run.key for run in session.runs if run.status == "done"}
    return plan if done.issuperset(plan.asked) else None


def _dated(place: Path) -> list[tuple[str, int, int]]:
    """Name, size and date of a file, or of all files below a folder."""
    files: Iterator[Path] = (Path(at, name) for at, _, names in os.walk(place) for name in names)
    stats = ((path, path.stat()) for path in ([place] if place.is_file() else sorted(files)))
    return [(str(path), it.st_size, it.st_mtime_ns) for path, it in stats]


@cache
def _tool() -> list[Any]:
    """The files of this tool, and the libraries that decide numbers."""
    root = Path(__file__).resolve().parents[2]
    folders = [root / "audit", root / "reimpl"]
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return [[(path.name, digest(path.read_text("utf-8"))) for path in files], _version("torch")]


def _machine() -> list[Any]:
    """What decides which device `auto` is, without loading torch."""
    driver = any(Path("/dev", name).exists() for name in ("nvidiactl", "kfd", "dxg"))
    return [driver, os.environ.get("CUDA_VISIBLE_DEVICES")]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def runner_settings(chosen: TrainingSettings) -> Settings:
    """As the runner takes them; raises `AuditError` where they do not go together."""
    from audit.runner import Settings
    from audit.runner.resolve import check_precision, device_of
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
    from audit.runner.commands import Commands
    from audit.runner.resolve import selected

    only, session = selected(suite.paper, chosen.only), suite.session
    commands = Commands(suite.paper, path, session.store, only, chosen.retry_failed, session.tell)
    failed = commands.run(seeds=chosen.seeds, allowed=chosen.allow_commands)
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
