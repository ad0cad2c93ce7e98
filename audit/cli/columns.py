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

from audit.cli.app import say, verdict_code
from audit.cli.report import write_files
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.pipeline.suite import Suite
    from audit.record import SplitStudy

_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def columns_of(text: str | None, data: Path | None) -> tuple[int, ...]:
    """`0-9` or `0,2,5-7`, in that order. Raises `AuditError` for anything else, a repeat, or a single one.

    >>> columns_of("3,0-2", Path("corpus"))
    (3, 0, 1, 2)
    """
    from reimpl.data.formats import split_name

    if text is None:
        return ()
    if data is None:
        raise AuditError(f"--columns {text}: the made corpus has one split; give --data too")
    if split_name(data)[1] is not None:
        raise AuditError(f"--columns {text}: --data {data} is one column already; leave out one of them")
    columns: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        last = int(match[2] or match[1]) if match else -1
        if match is None or last < int(match[1]):
            wanted = "give them as 0-9 or 0,2,5-7"
            raise AuditError(f"--columns {text!r}: {part!r} is no column or range; {wanted}")
        columns += range(int(match[1]), last + 1)
    if len(set(columns)) < len(columns):
        raise AuditError(f"--columns {text!r}: a column stands there twice; name each once")
    if len(columns) < 2:
        raise AuditError(f"--columns {text!r}: one column is --data DIR@{columns[0]}; give two or more")
    return tuple(columns)


def run_columns(suite: Suite, columns: Sequence[int], also: Sequence[str]) -> Exit:
    """Every column with its own report; a record and a table of how much splits and seeds scatter."""
    from audit.pipeline.suite import check_can_be_written, corpus_questions, in_run, to_do
    from audit.storage.manifest import kept_plans
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
    plans = {column: it.plan() for column, it in suites.items()}
    jobs = [
        replace(job, title=f"{job.title} column {column}")
        for column, plan in plans.items()
        for job in plan.jobs
    ]
    if idle := suites[first].nothing_to_run(plans[first]):
        suite.say(idle)
        if not any(it.has_evidence(plans[column]) for column, it in suites.items()):
            return Exit.BAD_INPUT
    check_can_be_written(suites[first].folder)
    suite.say(
        f"{suite.paper.paper.key}: columns {', '.join(map(str, columns))} of {corpus.name}; "
        f"{counted(seeds, 'seed')} on column {first}, one seed on the others; {counted(len(jobs), 'run')}"
    )
    missing = [job for job in jobs if suite.is_open(job)]
    for remark in (*plans[first].remarks, *to_do(suite, list(plans.values()), jobs, missing)):
        suite.say(f"  {remark}")
    suites[first].fidelity(plans[first])
    if not suite.carry_out(jobs):
        return Exit.INTERRUPTED
    kept = kept_plans(suite.session.store, suite.paper.paper.key)
    checks = next(it.fidelity for it in kept if it.report == suites[first].folder.name)
    for column, mine in suites.items():
        mine.keep(plans[column], checks)
    worst = Exit.OK
    for mine in suites.values():
        audit = mine.judge()
        write_files(audit, mine.folder, also)
        worst = max(worst, verdict_code(audit))
    if study := suite.session.studies(suite.paper).get(suite.folder.name):
        tell(study, suite.folder)
    say(f"reports: {suites[first].folder} and so on, one a column")
    return Exit.RUNS_FAILED if suite.failures(jobs) else worst


def undecided_line(columns: Sequence[int], folder: Path) -> str:
    """One line of columns that decide nothing when each is judged alone; `folder` is that of the first."""
    several = len(columns) > 1
    which = f"column{'s' if several else ''} {', '.join(map(str, columns))}"
    each, more = (", each by its own runs", " and so on") if several else (" by its own runs", "")
    return f"{which}: judged alone{each}, nothing decided; {folder}{more}"


def tell(study: SplitStudy, folder: Path) -> None:
    """The record of the study into the folder, its table to the screen."""
    from audit.record import to_json
    from audit.storage.files import explained, write
    from reports.splits import split_table

    path = folder / "columns.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(path, to_json(study).encode())
    say(f"{split_table(study, values=False)}\n\nrecord: {path}, with the value of each run")
