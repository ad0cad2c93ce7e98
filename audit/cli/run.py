"""`audit run`: experiments over seeds, verdicts, report."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import Claims, app, papers_of, verdict_code
from audit.cli.report import write_report
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.record import Audit
    from audit.runner import Settings

#: What `audit run` does when it is told nothing.
DEFAULT_PAPER = "chen2022"

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="An experiment, claim, table or data set; may be repeated."),
]


@app.command("run")
def run_command(
    context: typer.Context,
    claims: Claims = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of a corpus in the LibMultiLabel format; default: a synthetic corpus."),
    ] = None,
    only: Only = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Seeds 0 .. N-1; seeds that were run are kept.")
    ] = 3,
    protocol: Annotated[
        str,
        typer.Option(
            help="claimed: the paper's; small: reduced for a CPU; auto: claimed on a GPU, else small."
        ),
    ] = "auto",
    vectors: Annotated[
        str | None,
        typer.Option(help="Word vectors: a text file, glove (the extra), or random:E; default: random."),
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
) -> int:
    """Run the experiments of claim files over seeds, judge the claims, and write a report.

    Without claims: Chen et al. 2022; without --data: a synthetic corpus. 90 seconds on two cores.
    """
    from audit.runner import Settings

    papers = papers_of(claims or [DEFAULT_PAPER])
    _check_keys(papers)
    chosen = _device(device)
    _check_precision(precision, chosen)
    if vectors and data is None:
        raise AuditError(f"--vectors {vectors}: made words have no vectors; give --data too, or leave it out")
    settings = Settings(
        data=data,
        protocol=protocol,
        vectors=vectors,
        seeds=seeds,
        device=chosen,
        precision=precision,
        cache=store / "data",
    )
    workers = jobs or (1 if chosen != "cpu" else os.cpu_count() or 1)
    worst = Exit.OK
    for paper in papers:
        command = shlex.join(["audit", *context.obj])
        code = _run_paper(paper, settings, only or [], workers, store, out, retry_failed, command)
        if code == Exit.INTERRUPTED:
            return code
        worst = max(worst, code)
    return worst


def _run_paper(
    paper: Paper,
    settings: Settings,
    only: Sequence[str],
    workers: int,
    store: Path,
    out: Path,
    retry_failed: bool,
    command: str,
) -> Exit:
    from audit.assemble import assemble
    from audit.progress import Screen, new_console
    from audit.runner import make_plan
    from audit.runner.execute import execute
    from audit.runner.gate import fidelity
    from audit.store import Store

    console = new_console()
    plan = make_plan(paper, settings, only=only)
    folder = _report_folder(out, paper, settings)
    _check_writable(folder)
    workers = max(1, min(workers, len(plan.jobs)))
    console.out(plan.summary(paper.paper.key, settings, workers), highlight=False)
    for remark in plan.remarks if settings.data else ():
        console.out(f"  {remark}", highlight=False)
    checks = fidelity(plan)
    for check in checks:
        if not check.passed:
            console.out(f"fidelity: {check.model}: {check.name}: {check.detail}", highlight=False)
    threads = max(1, (os.cpu_count() or 1) // workers) if settings.device == "cpu" else None
    records = Store(store)
    with Screen(len(plan.jobs), console) as screen:
        outcome = execute(
            plan.jobs, records, screen, workers=workers, threads=threads, retry_failed=retry_failed
        )
    older = {key: run for key in plan.left_out if (run := records.get(key))}
    audit = assemble(paper, plan.with_runs({**older, **outcome.runs}), fidelity=checks, command=command)
    if outcome.interrupted and _holds_more(folder / "audit.json", audit):
        return Exit.INTERRUPTED
    write_report(audit, folder)
    if outcome.interrupted:
        return Exit.INTERRUPTED
    failed = [run.reason for run in outcome.runs.values() if run.status == "failed"]
    if failed:
        reasons = "; ".join(str(reason) for reason in dict.fromkeys(failed))
        console.out(
            f"{len(failed)} of {len(plan.jobs)} runs failed ({reasons}); --retry-failed runs them again",
            highlight=False,
        )
        return Exit.RUNS_FAILED
    return verdict_code(audit)


def _report_folder(out: Path, paper: Paper, settings: Settings) -> Path:
    """One report a paper and corpus: the next corpus does not replace what the last one said."""
    corpus = f"-{settings.data.resolve().name}" if settings.data else ""
    return out / f"{paper.paper.key}{corpus}"


def _holds_more(path: Path, audit: Audit) -> bool:
    """Whether the report of an earlier command rests on more runs than that of this, interrupted one."""
    from audit.audit_file import read_audit

    try:
        earlier = read_audit(path)
    except AuditError:
        return False
    return _count_runs(earlier) > _count_runs(audit)


def _count_runs(audit: Audit) -> int:
    return len({run.key for experiment in audit.experiments for run in experiment.runs})


def _check_writable(folder: Path) -> None:
    """Before the first run, not after hours of them."""
    from audit.files import explained

    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "")


def _check_keys(papers: Sequence[Paper]) -> None:
    keys = [paper.paper.key for paper in papers]
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if twice:
        raise AuditError(f"{twice[0]!r} is the key of two claim files, and so of two reports; change one key")


def _device(wanted: str) -> str:
    kind, _, number = wanted.partition(":")
    if wanted not in ("auto", "cpu", "cuda") and not (kind == "cuda" and number.isdecimal()):
        raise AuditError(f"--device {wanted!r} is unknown; known are auto, cpu, cuda and cuda:N")
    if wanted == "cpu":
        return wanted
    import torch

    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "auto":
        return "cuda" if there else "cpu"
    if int(number or 0) >= there:
        raise AuditError(
            f"--device {wanted}: torch {torch.__version__} finds {there} CUDA devices, counted from 0; "
            "use another one or --device cpu"
        )
    return wanted


def _check_precision(precision: str, device: str) -> None:
    known = ("float32", "tf32", "bf16")
    if precision not in known:
        raise AuditError(f"--precision {precision!r} is unknown; known are {', '.join(known)}")
    if precision == "tf32" and device == "cpu":
        raise AuditError("--precision tf32: a CPU has none; use float32 or bf16")
