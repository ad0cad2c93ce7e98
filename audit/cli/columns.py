"""`audit run --columns`: the split columns of a corpus, each judged for itself; noise of split and of seed.

The first column is run with all seeds and the others with one: the seeds of a column tell the seed noise, and
one run of each column tells both. Runs of two columns are never seeds of one experiment: each column has its
own plan, its own verdicts and its own report, and only their scatter is shown together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claim_names import counted
from audit.cli.app import say, verdict_code
from audit.cli.corpus_options import IN_RUN, in_our_words
from audit.cli.cost import is_open, to_do
from audit.cli.idle import nothing_to_run, on_record
from audit.cli.report import write_files
from audit.cli.suite import Suite, take_look
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.record import SplitStudy
    from audit.runner import Job, Plan

_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def columns_of(text: str) -> tuple[int, ...]:
    """`0-9` or `0,2,5-7`, in that order. Raises `AuditError` for anything else, a repeat, or a single one.

    >>> columns_of("3,0-2")
    (3, 0, 1, 2)
    """
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or (match[2] is not None and int(match[2]) < int(match[1])):
            raise AuditError(
                f"--columns {text!r}: {part!r} is no column or range; give them as 0-9 or 0,2,5-7"
            )
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    if len(set(found)) < len(found):
        raise AuditError(f"--columns {text!r}: a column stands there twice; name each once")
    if len(found) < 2:
        raise AuditError(f"--columns {text!r}: one column is --data DIR@{found[0]}; give two or more")
    return tuple(found)


def run_columns(suite: Suite, columns: Sequence[int]) -> Exit:
    """Every column with its own report; a record and a table of how much splits and seeds scatter."""
    from audit.label_strata import with_predictions
    from reimpl.data.formats import check_columns

    with in_our_words(IN_RUN):
        check_columns(_corpus(suite), columns, "--columns")
    suites = {column: _on(suite, column, first=column == columns[0]) for column in columns}
    plans = {column: it.plan() for column, it in suites.items()}
    jobs = [_named(job, column) for column, plan in plans.items() for job in plan.jobs]
    first = plans[columns[0]]
    if said := nothing_to_run(suites[columns[0]], first):
        suite.say(said)
        if not any(on_record(it, plans[column]) for column, it in suites.items()):
            return Exit.BAD_INPUT
    _announce(suite, suites[columns[0]], first, columns, jobs)
    for line in to_do(suite, list(plans.values()), jobs, [job for job in jobs if is_open(suite, job)]):
        suite.say(f"  {line}")
    checks = suites[columns[0]].fidelity(plans[columns[0]])
    if suite.carry_out(jobs).interrupted:
        suite.say_what_is_there(jobs)
        return Exit.INTERRUPTED
    worst = Exit.OK
    for column, mine in suites.items():
        mine.runs |= suite.runs
        mine.keep(plans[column], checks)
    study = suite.split_studies().get(suite.folder.name)
    for column, mine in suites.items():
        audit = mine.judge(plans[column], checks, take_look(mine, plans[column]))
        whole = with_predictions(replace(audit, splits=study), suite.records)
        write_files(whole, mine.folder, suite.also)
        worst = max(worst, verdict_code(audit))
    if study is not None:
        tell(study, suite.folder)
    say(f"reports: {suites[columns[0]].folder} and so on, one a column")
    return Exit.RUNS_FAILED if suite.failures(jobs) else worst


def _on(suite: Suite, column: int, *, first: bool) -> Suite:
    """The suite of one column: all seeds of the first, one of each other."""
    data = _corpus(suite)
    settings = replace(
        suite.settings,
        data=data.with_name(f"{data.name}@{column}"),
        seeds=suite.settings.seeds if first else 1,
    )
    return replace(suite, settings=settings, runs={})


def _named(job: Job, column: int) -> Job:
    return replace(job, title=f"{job.title} column {column}")


def _announce(suite: Suite, first: Suite, plan: Plan, columns: Sequence[int], jobs: Sequence[Job]) -> None:
    first.check_writable()
    seeds = suite.settings.seeds
    shown = ", ".join(map(str, columns))
    others = "one seed on the others" if len(columns) > 1 else ""
    suite.say(
        f"{suite.paper.paper.key}: columns {shown} of {_corpus(suite).name}; "
        f"{counted(seeds, 'seed')} on column {columns[0]}, {others}; {counted(len(jobs), 'run')}"
    )
    for remark in plan.remarks:
        suite.say(f"  {remark}")


def _corpus(suite: Suite) -> Path:
    assert suite.settings.data is not None
    return suite.settings.data.resolve()


def undecided_line(columns: Sequence[int], folder: Path) -> str:
    """One line of columns that decide nothing when each is judged alone; `folder` is that of the first."""
    which = f"columns {', '.join(map(str, columns))}" if len(columns) > 1 else f"column {columns[0]}"
    each = ", each by its own runs" if len(columns) > 1 else " by its own runs"
    more = " and so on" if len(columns) > 1 else ""
    return f"{which}: judged alone{each}, nothing decided; {folder}{more}"


def tell(study: SplitStudy, folder: Path, *, values: bool = False) -> None:
    """The record of the study into the folder, its table to the screen; with `values`, each value too."""
    from audit.files import explained, write
    from audit.record import to_json
    from reports.splits import split_table

    path = folder / "columns.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(path, to_json(study).encode())
    every = "" if values else ", with the value of each run"
    say(f"{split_table(study, values=values)}\n\nrecord: {path}{every}")
