"""`audit run`: experiments over seeds, verdicts, a report; `audit tune`: settings sought as the paper did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from audit.claims.links import names_here
from audit.claims.load import check_keys, claim_paths, load, papers_of
from audit.cli.app import Words, app, command, say, say_on_stderr, verdict_code
from audit.cli.report import also_of, command_line, tell_study, write_files, write_report
from audit.errors import AuditError, Exit, SettingsError, corpus_questions, in_run
from audit.names import counted, seconds_of, span
from audit.record import Audit
from audit.runner.engines import engine_of, resources_of
from audit.runner.resolve import checked, questions, study_path
from audit.settings import AUTO, RunSettings, TrainingSettings
from audit.storage.files import check_can_be_written

if TYPE_CHECKING:
    from audit.pipeline.suite import Suite

#: What `audit run` does when it is told nothing.
DEFAULT_PAPER = "chen2022"
_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


@command(app, "run")
def run_command(
    claims: Words = None,
    *,
    context: typer.Context,
    settings: RunSettings,
    columns: str | None = None,
    until_settled: bool = False,
    budget: str | None = None,
    looks: str | None = None,
    out: Path = Path("audit-report"),
    also: str | None = None,
) -> int:
    """Run the experiments of claim files over seeds, judge the claims, and write a report."""
    from audit.pipeline.session import Session
    from audit.pipeline.suite import judged_at_once, looks_of, report_name, suites
    from audit.runner.progress import new_console

    names = also_of(also)
    if not until_settled:
        for option, value in (("--budget", budget), ("--looks", looks)):
            if value is not None:
                raise AuditError(f"{option} goes with --until-settled; give both, or neither")
    elif getattr(context.get_parameter_source("seeds"), "name", "") == "COMMANDLINE":
        raise AuditError("--seeds: --until-settled takes its seeds from --looks; give that, as in 3,5,8")
    seconds = None if budget is None else seconds_of(budget, option="--budget")
    wanted = None if looks is None else looks_of(looks)
    several = columns_of(columns, settings.data)
    if several and (until_settled or settings.readings):
        one = f"take one column, as in --data {settings.data}@0"
        raise AuditError(f"--columns {columns}: with --until-settled or --readings {one}")
    if settings.readings and until_settled:
        raise AuditError("--readings does not go with --until-settled; give --seeds N instead")
    named = claims or [DEFAULT_PAPER]
    papers = papers_of(named)
    check_keys(papers)
    typed = command_line(context)
    if settings.submit and (several or until_settled or settings.on != "local"):
        both = "it does not go with --columns, --until-settled or --on"
        raise AuditError(f"--submit: {both}; leave them out")
    session = Session(settings.store, settings.evidence, typed, say_on_stderr, context=papers, strict=False)
    worst, to_run = Exit.OK, []
    for paper, path in zip(papers, claim_paths(named), strict=True):
        audit = None
        if not (several or until_settled or settings.rerun_changed or settings.submit):
            audit = judged_at_once(paper, path, settings, session, out)
        if audit is None:
            to_run.append((paper, path))
        else:
            worst = max(worst, _reported(audit, out / report_name(paper, settings.data), names))
    for suite in suites(to_run, settings, session, new_console(), out):
        if settings.submit:
            left = sum(map(suite.is_open, suite.submit().jobs))
            work = f"`audit work --store {settings.store}`, on any machine that sees the store"
            suite.say(f"{counted(left, 'run')} to make by {work}" if left else "no run is left")
            suite.say("then the same command without --submit judges them")
            continue
        if suite.run_own_commands():
            worst = Exit.RUNS_FAILED
        try:
            if several:
                code = _run_columns(suite, several, names)
            elif until_settled:
                code = _run_until_settled(suite, wanted, seconds, names)
            else:
                audit, plan = suite.run_once()
                if audit is None:
                    return Exit.INTERRUPTED
                code = _reported(audit, suite.folder, names)
                if suite.nothing_to_run(plan) and not suite.has_evidence(plan):
                    code = Exit.BAD_INPUT  # the report tells of printed numbers alone
                elif suite.failures(plan.jobs):
                    code = Exit.RUNS_FAILED
        except SettingsError:  # all that is wrong in its file is told, with the lines
            load(suite.path, known=names_here(configs=True))
            raise  # where the file by itself is sound
        if code == Exit.INTERRUPTED:
            return code
        worst = max(worst, code)
    return worst


def _reported(audit: Audit, folder: Path, also: Sequence[str]) -> Exit:
    write_report(audit, folder, also)
    for text in audit.about_looks:
        say_on_stderr(text)
    return verdict_code(audit)


def _run_until_settled(
    suite: Suite, wanted: tuple[int, ...] | None, seconds: float | None, also: Sequence[str]
) -> Exit:
    from audit.pipeline.suite import UntilSettled

    ran = UntilSettled(suite, wanted, seconds, lambda audit: write_files(audit, suite.folder)).run()
    if ran.interrupted:
        return Exit.INTERRUPTED
    if ran.nothing_to_run:
        return Exit.BAD_INPUT
    if ran.audit is None:
        suite.say(f"stopped before the first look: {ran.why}; nothing is judged")
        return Exit.OK
    code = _reported(ran.audit, suite.folder, also)
    taken = sum(look.seeds in ran.schedule for look in ran.audit.looks)
    suite.say(f"stopped after {taken} of {len(ran.schedule)} looks: {ran.why}")
    return Exit.RUNS_FAILED if suite.failures(ran.jobs.values()) else code


def columns_of(text: str | None, data: Path | None) -> tuple[int, ...]:
    """`0-9` or `0,2,5-7`, in that order. Raises `AuditError` for anything else, a repeat, or a single one."""
    from reimpl.data.formats import split_name

    if text is None:
        return ()
    if data is None:
        raise AuditError(f"--columns {text}: the synthetic corpus has one split; give --data too")
    if split_name(data)[1] is not None:
        raise AuditError(f"--columns {text}: --data {data} names one column already; leave out one of them")
    ranges: list[range] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        ranges.append(range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0))
    columns = tuple(column for part in ranges for column in part)
    if not all(ranges) or len(columns) < 2 or len(set(columns)) < len(columns):
        raise AuditError(f"--columns {text!r}: give two columns or more, each once, as 0-9 or 0,2,5-7")
    return columns


def _run_columns(suite: Suite, columns: Sequence[int], also: Sequence[str]) -> Exit:
    """Every column with its own plan, verdicts and report; a record and a table of how much splits and seeds
    scatter. The first column is run with all seeds, for the seed noise, and the others with one."""
    from reimpl.data.formats import check_columns

    assert suite.settings.data is not None
    corpus, seeds, first = suite.settings.data.resolve(), suite.settings.seeds, columns[0]
    with corpus_questions(in_run):
        check_columns(corpus, columns, "--columns")
    suites = {}
    for column in columns:
        data = corpus.with_name(f"{corpus.name}@{column}")
        settings = replace(suite.settings, data=data, seeds=seeds if column == first else 1)
        suites[column] = replace(suite, settings=settings, runs={})
    plans = {column: of_column.plan() for column, of_column in suites.items()}
    jobs = [replace(job, title=f"{job.title} column {k}") for k, plan in plans.items() for job in plan.jobs]
    if idle := suites[first].nothing_to_run(plans[first]):
        suite.say(idle)
        if not any(suites[column].has_evidence(plan) for column, plan in plans.items()):
            return Exit.BAD_INPUT
    check_can_be_written(suites[first].folder)
    suite.say(
        f"{suite.paper.paper.key}: columns {', '.join(map(str, columns))} of {corpus.name}; "
        f"{counted(seeds, 'seed')} on column {first}, one seed on the others; {counted(len(jobs), 'run')}"
    )
    for remark in (*plans[first].remarks, *suite.to_do(list(plans.values()), jobs)):
        suite.say(f"  {remark}")
    checks = suites[first].fidelity(plans[first])
    if not suite.carry_out(jobs):
        return Exit.INTERRUPTED
    worst = Exit.OK
    for column, of_column in suites.items():
        of_column.keep(plans[column], checks)
    for of_column in suites.values():
        audit = of_column.judge()
        write_files(audit, of_column.folder, also)
        worst = max(worst, verdict_code(audit))
    if study := suite.session.studies(suite.paper).get(suite.folder.name):
        tell_study(study, suite.folder)
    return Exit.RUNS_FAILED if suite.failures(jobs) else worst


@command(app, "tune")
def tune_command(
    claims: list[str],
    *,
    settings: TrainingSettings,
    trials: int | None = None,
    timeout: str | None = None,
    storage: str = "",
) -> int:
    """Search the settings that a paper tuned, on held-out documents."""
    from audit.pipeline.suite import threads_of
    from audit.runner.progress import new_console
    from audit.runner.search import carry_on

    papers = papers_of(claims)
    check_keys(papers)
    settings = checked(settings)
    check_can_be_written(settings.store)
    seconds = None
    if timeout is not None:  # a bare number is minutes
        minutes = timeout.isascii() and timeout.isdecimal()
        seconds = seconds_of(f"{timeout}m" if minutes else timeout, option="--timeout")
    with corpus_questions(in_run):
        asked = [question for paper in papers for question in questions(paper, settings)]
    jobs = int(settings.jobs) if settings.jobs and settings.jobs != AUTO else None
    jobs, worst = jobs or (1 if settings.on == "local" else None), Exit.OK
    engine = engine_of(settings.on, jobs, resources_of(settings.resources), settings.device)
    for question in asked:
        study = carry_on(
            question,
            settings.store,
            new_console(),
            engine,
            trials=trials or question.trials,
            threads=threads_of(jobs) if settings.device == "cpu" and jobs else None,
            timeout=seconds,
            storage=storage,
        )
        if study is None:
            return Exit.INTERRUPTED
        kept = f"study: {study_path(settings.store, study.key)}"
        say(f"{study.summary}\n{span(study.seconds)} in all; {kept}")
        if study.best is None:
            reasons = dict.fromkeys(trial.reason or "" for trial in study.trials)
            say(f"no trial gave a score ({'; '.join(list(reasons)[:2])})")
            worst = Exit.RUNS_FAILED
    return worst
