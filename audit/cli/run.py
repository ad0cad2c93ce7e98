"""`audit run`: experiments over seeds, verdicts, report."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import Claims, app, check_keys, claim_paths, known_names, papers_of
from audit.cli.beside import AlsoOption, also_of
from audit.cli.corpus_options import (
    Base,
    FormatName,
    Ids,
    LabelsField,
    Raw,
    Separator,
    TextFields,
)
from audit.cli.judge import EvidenceOption, check_evidence
from audit.cli.model_folder import Models
from audit.cli.run_options import Only, check_readings, settings_of
from audit.errors import AuditError, SettingsError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit.claim import Paper
    from audit.cli.looks import Budget

#: What `audit run` does when it is told nothing.
DEFAULT_PAPER = "chen2022"


@app.command("run")
def run_command(
    context: typer.Context,
    claims: Claims = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A corpus in any format that `audit data add` reads; DIR@N is split column N of DIR; "
            "default: a synthetic corpus."
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="N-M",
            help="Split columns of --data, as 0-9: --seeds on the first, one seed on each other; "
            "each is judged for itself.",
        ),
    ] = None,
    data_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The data file of split columns, where it lies elsewhere."),
    ] = None,
    base: Base = None,
    format: FormatName = None,
    text_field: TextFields = None,
    labels_field: LabelsField = None,
    separator: Separator = None,
    ids: Ids = False,
    raw: Raw = None,
    only: Only = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Seeds 0 .. N-1; seeds that were run are kept.")
    ] = 3,
    until_settled: Annotated[
        bool,
        typer.Option(
            "--until-settled", help="Add seeds look by look where claims are open; each look has its level."
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(metavar="SPAN", help="Time for --until-settled, as 90s, 30m, 2h, 1h30m; default: none."),
    ] = None,
    looks: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Seeds at which --until-settled judges; default: 3,5,8,12,20."),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            help="claimed: the paper's; auto: that on a GPU, and on a CPU its reduced form (NAME-small), or "
            "small; or a name that `audit list` shows."
        ),
    ] = "auto",
    vectors: Annotated[
        str | None,
        typer.Option(
            help="Word vectors: a file (text, .bin or .npy), glove (the extra), or random:E; default: random."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    precision: Annotated[
        str, typer.Option(help="float32, tf32 or bf16; recorded with each run.")
    ] = "float32",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Worker processes; default: the CPU's cores, 1 on a GPU.")
    ] = None,
    store: Annotated[Path, typer.Option(help="Folder of the run records.")] = Path("audit-runs"),
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("audit-report"),
    retry_failed: Annotated[bool, typer.Option(help="Run failed seeds again.")] = False,
    rerun_changed: Annotated[
        bool,
        typer.Option("--rerun-changed", help="Run again what was run by other code than today's."),
    ] = False,
    untuned: Annotated[
        bool,
        typer.Option(
            "--untuned", help="Run what asks for tuning with the claim file's settings; the report says so."
        ),
    ] = False,
    tuned_on: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Use the studies that `audit tune --data DIR` made; default: those of --data."
        ),
    ] = None,
    models: Models = None,
    allow_commands: Annotated[
        bool,
        typer.Option(
            "--allow-commands",
            help="Start the programs that experiments bring as their own command: read them first.",
        ),
    ] = False,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings", help="Run every declared reading of what the paper leaves open; all must agree."
        ),
    ] = False,
    evidence: EvidenceOption = "ours",
    also: AlsoOption = None,
) -> int:
    """Run the experiments of claim files over seeds, judge the claims, and write a report.

    Without claims: Chen et al. 2022; without --data: a synthetic corpus. About two minutes on two cores.

    --until-settled stops at the first look at which all is settled that seeds can settle, at the last look,
    before a look that the budget has no time for, or where no open claim has 20 % power at the last look.
    Exit codes: 0 nothing contradicted, 1 something contradicted, 2 bad input, 3 runs failed, 130 interrupted.
    """
    from audit.cli.columns import run_columns
    from audit.cli.index import write_index
    from audit.cli.suite import Suite, check_can_be_written, run_once
    from audit.cli.until_settled import run_until_settled
    from audit.fixed_margins import grown_since
    from audit.manifest import check_there
    from audit.store import Store

    names = also_of(also)
    way = _way(context, until_settled, budget, looks)
    several = _columns(columns, data, until_settled)
    papers = papers_of(claims or [DEFAULT_PAPER])
    check_keys(papers)
    check_evidence(evidence)
    settings = settings_of(
        data=data,
        data_file=data_file,
        base=base,
        format=format,
        text_field=text_field,
        labels_field=labels_field,
        separator=separator,
        ids=ids,
        raw=raw,
        protocol=protocol,
        vectors=vectors,
        seeds=seeds,
        device=device,
        precision=precision,
        store=store,
        untuned=untuned,
        tuned_on=tuned_on,
        readings=readings,
    )
    if readings:
        _check_readings(papers, one_split=not several, one_look=way is None)
    check_can_be_written(store)
    workers = jobs or (1 if settings.device != "cpu" else os.cpu_count() or 1)
    command = shlex.join(["audit", *context.obj])
    stored = list(Store(store).runs(problems=[]))
    pairs = list(zip(papers, claim_paths(claims or [DEFAULT_PAPER]), strict=True))
    for paper in papers:
        check_there(store, paper.paper.key, stored)
    grown = [grown_since(store, paper, stored, path=path) for paper, path in pairs]
    worst = Exit.OK
    for (paper, path), added in zip(pairs, grown, strict=True):
        if _by_commands(paper, path, store, only, seeds, allowed=allow_commands, retry_failed=retry_failed):
            worst = Exit.RUNS_FAILED
        suite = Suite(
            paper,
            settings,
            only or [],
            workers,
            store,
            out,
            retry_failed,
            command,
            evidence,
            added,
            also=names,
            beside=papers,
            rerun_changed=rerun_changed,
        )
        with _line_told(path):
            if several:
                code = run_columns(suite, several)
            else:
                code = run_once(suite) if way is None else run_until_settled(suite, *way)
        if code == Exit.INTERRUPTED:
            return code
        worst = max(worst, code)
    write_index(out)
    return worst


@contextmanager
def _line_told(path: Path) -> Iterator[None]:
    """Where settings of an experiment cannot be, all that is wrong in its file is told, with the lines."""
    from audit.claim import load

    try:
        yield
    except SettingsError:
        load(path, known=known_names(configs=True))
        raise  # where the file by itself is sound


def _way(
    context: typer.Context, until_settled: bool, budget: str | None, looks: str | None
) -> tuple[tuple[int, ...] | None, Budget] | None:
    """Looks and time of --until-settled; None without it."""
    from audit.cli.looks import Budget, looks_of
    from audit.durations import seconds_of

    if not until_settled:
        options = {"--budget": budget, "--looks": looks}
        if given := [name for name, value in options.items() if value is not None]:
            raise AuditError(f"{given[0]} belongs to --until-settled; give both, or neither")
        return None
    source = context.get_parameter_source("seeds")
    if source is not None and source.name == "COMMANDLINE":
        raise AuditError("--seeds: with --until-settled the looks say how many; use --looks, as in 3,5,8")
    wanted = None if looks is None else looks_of(looks)
    return wanted, Budget(None if budget is None else seconds_of(budget, option="--budget"))


def _check_readings(papers: Sequence[Paper], *, one_split: bool, one_look: bool) -> None:
    if not one_split:
        raise AuditError("--readings: with --columns take one column, as in --data DIR@0")
    if not one_look:
        raise AuditError("--readings: with --until-settled give --seeds instead, which all readings get")
    check_readings(papers)


def _columns(text: str | None, data: Path | None, until_settled: bool) -> tuple[int, ...]:
    from audit.cli.columns import columns_of
    from reimpl.data.formats import split_name

    if text is None:
        return ()
    if data is None:
        raise AuditError(f"--columns {text}: the made corpus has one split; give --data too")
    if split_name(data)[1] is not None:
        raise AuditError(f"--columns {text}: --data {data} is one column already; leave out one of them")
    if until_settled:
        raise AuditError(f"--columns {text}: with --until-settled take one column, as in --data {data}@0")
    return columns_of(text)


def _by_commands(
    paper: Paper,
    path: Path,
    store: Path,
    only: list[str] | None,
    seeds: int,
    *,
    allowed: bool,
    retry_failed: bool,
) -> bool:
    """The runs of experiments that bring a command of their own; whether any failed."""
    from audit.commanded import Commands, run_commands
    from audit.runner.plan import selected

    wanted = selected(paper, only or [])
    chosen = None if wanted is None else frozenset(wanted)
    commands = Commands(paper, path, store, chosen, retry_failed, lambda said: print(said, file=sys.stderr))
    return run_commands(commands, seeds=seeds, allowed=allowed)
