"""The command line: parses, calls, prints, and returns a named exit code. The only module that knows all."""

from __future__ import annotations

import errno
import io
import os
import shlex
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audit.errors import AuditError
from audit.exit_codes import Exit
from reimpl.errors import ReimplError

if TYPE_CHECKING:
    from audit.claim import KnownNames, Paper
    from audit.record import Audit
    from audit.runner import Settings

app = typer.Typer(
    help="Do the numbers in this paper hold? Runs a paper's claims, judges them, and writes a report.",
    epilog="Exit codes: 0 nothing contradicted, 1 something contradicted or inconsistent, 2 bad input, "
    "3 runs failed, 70 a fault of this tool, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(help="Look at corpora.", no_args_is_help=True)
app.add_typer(data_app, name="data")

#: click's base of all usage errors; typer carries click under a name that changes between releases.
_UsageProblem: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

#: What `audit run` does when it is told nothing.
DEFAULT_PAPER = "chen2022"

Claims = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CLAIMS]...", help="Claim files or keys of built-in ones; default: all built-in ones."
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="An experiment, claim, table or data set; may be repeated."),
]


def run() -> None:
    """Entry point of the console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a tick still shows the rest
    code = main(sys.argv[1:])
    _let_go_of_streams()
    sys.exit(code)


def _let_go_of_streams() -> None:
    """All is said. What a reader who left did not take must not turn the exit code into Python's own 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def main(arguments: Sequence[str]) -> int:
    """Carry out one command; what is wrong with the input becomes sentences on stderr."""
    try:
        _check_text(arguments)
        code = app(list(arguments), prog_name="audit", standalone_mode=False, obj=list(arguments))
    except _UsageProblem as err:
        err.show()  # type: ignore[attr-defined]
        return Exit.BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        code = Exit.INTERRUPTED
    except (AuditError, ReimplError) as err:
        print(f"audit: {err}" if "\n" not in str(err) else str(err), file=sys.stderr)
        return Exit.BAD_INPUT
    except Exception:  # else Python would exit with 1, which says that a claim was contradicted
        traceback.print_exc()
        return Exit.FAULT
    if code == Exit.INTERRUPTED:  # some releases of typer turn Ctrl-C into this code themselves
        print("audit: interrupted; the same command goes on where it was", file=sys.stderr)
    return int(code or Exit.OK)


def _check_text(arguments: Sequence[str]) -> None:
    """Reports and records are text, and they name their files."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as err:
            raise AuditError(f"{argument!r} is not text in UTF-8; rename the file or folder") from err


def _say(text: str) -> None:
    """Print to stdout. Who reads may have had enough (`audit list | head`): the exit code still counts."""
    try:
        print(text, flush=True)
    except OSError as err:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(err, BrokenPipeError):
            raise AuditError(f"standard output: {os.strerror(err.errno or 0)}; send it elsewhere") from err


# --------------------------------------------------------------------------- run


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

    papers = _papers(claims or [DEFAULT_PAPER])
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
    _write_report(audit, folder)
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
    return _verdict_code(audit)


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


def _verdict_code(audit: Audit) -> Exit:
    return Exit.CONTRADICTED if any(v.outcome == "contradicted" for v in audit.verdicts) else Exit.OK


def _write_report(audit: Audit, folder: Path) -> None:
    from audit.files import explained, write
    from audit.record import to_json
    from reports.render import html
    from reports.terminal import summary

    page, record = folder / "report.html", folder / "audit.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(record, to_json(audit).encode())
        write(page, html(audit).encode())
    _say(f"{summary(audit)}\n\nreport: {page}\nrecord: {record}")


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


# --------------------------------------------------------------------------- without running


@app.command("report")
def report_command(
    records: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[AUDIT_JSON]...", help="Records that `audit run` wrote; default: all in --out."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder where `audit run` wrote.")] = Path("audit-report"),
) -> int:
    """Write the HTML page again from audit.json; needs no data, no GPU and no torch."""
    from audit.assemble import is_judged_by
    from audit.audit_file import read_audit

    paths = records or sorted(out.glob("*/audit.json"))
    if not paths:
        raise AuditError(f"{out}: no audit.json there; `audit run` makes one")
    worst = Exit.OK
    for path in paths:
        audit = read_audit(path)
        try:
            sound = is_judged_by(audit)
            if sound:
                _write_report(audit, path.parent)
        except (ValueError, ArithmeticError, LookupError) as err:  # numbers that no run of ours gives
            problem = " ".join(str(err).split())[:200]
            raise AuditError(
                f"{path}: holds what cannot be judged ({problem}); `audit run` makes it again"
            ) from err
        if not sound:
            raise AuditError(
                f"{path}: its verdicts are not those that its runs give; it was changed, or another version "
                "of this tool wrote it: `audit run` makes it again"
            )
        worst = max(worst, _verdict_code(audit))
    return worst


@app.command("check")
def check_command(claims: Claims = None) -> int:
    """Test the tables of claim files against themselves, without any run."""
    from audit.checks import CHECKS, all_findings

    findings = 0
    for paper in _papers(claims):
        tables = paper.table_records()
        cells = sum(cell.printed is not None for table in tables for row in table.rows for cell in row.cells)
        found = [it for it in all_findings(tables) if it.result == "inconsistent"]
        findings += len(found)
        for it in found:
            _say(f"{paper.paper.key}: {it.check}: {' and '.join(it.cells)}: {it.arithmetic}")
            _say(f"    first consider: {'; '.join(it.alternatives)}")
        names = ", ".join(check.__name__ for check in CHECKS)
        _say(
            f"{paper.paper.key}: {cells} printed numbers in {len(tables)} tables; "
            f"{len(found)} findings ({names})"
        )
    return Exit.CONTRADICTED if findings else Exit.OK


@app.command("validate")
def validate_command(
    claims: Claims = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of claim files.")] = False,
) -> int:
    """Check claim files: every problem of every file, as file:line: key: what, and what to do."""
    import json

    from audit.claim import json_schema, load
    from audit.claim_names import counted

    if schema:
        _say(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return Exit.OK
    broken, known = False, _known_names()
    for path in _paths(claims):
        try:
            paper = load(path, known=known)
        except AuditError as err:
            broken = True
            print(err, file=sys.stderr)
        else:
            parts = (
                counted(len(paper.tables), "table"),
                counted(len(paper.experiments), "experiment"),
                f"{counted(len(paper.claims), 'claim')} over {counted(len(paper.claim_records()), 'number')}",
            )
            _say(f"{path}: valid; {', '.join(parts)}")
    return Exit.BAD_INPUT if broken else Exit.OK


@app.command("list")
def list_command(claims: Claims = None) -> int:
    """Show papers, their experiments and claims, and the names that a claim file may use."""
    for paper in _papers(claims):
        published = " ".join(str(it) for it in (paper.paper.venue, paper.paper.year) if it is not None)
        _say(f"{paper.paper.key}: {paper.paper.title}{f' ({published})' if published else ''}")
        _say("  experiments")
        for name, it in paper.experiments.items():
            how = (
                f"not available: {it.unavailable}"
                if it.unavailable
                else f"{it.model}, {it.variant}, {it.protocol}"
            )
            _say(f"    {name:18} {it.title} [{how}]")
        _say("  claims")
        for claim in paper.claims:
            _say(f"    {claim.id:28} {claim.kind:11} {'*' if claim.primary else ' '} {claim.says}")
    known = _known_names()
    for model, variants in known.models.items():
        _say(f"model {model}: {', '.join(variants) if variants else 'variants not known without loading it'}")
    _say(f"protocols: {', '.join(known.protocols)}\nrecipes: {', '.join(known.recipes)}")
    return Exit.OK


@data_app.command("describe")
def describe_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with train.txt and test.txt.")],
) -> int:
    """Sizes, labels and words of a corpus, and what is odd about it."""
    from reimpl.data.describe import describe

    for name, value in _flat(describe(folder)):
        _say(f"{name:38} {value:,.2f}" if isinstance(value, float) else f"{name:38} {value}")
    return Exit.OK


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`splits: {train: {documents: 3}}` becomes `train documents`."""
    for name, value in figures.items():
        words = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, "" if name == "splits" else f"{words} ")
        else:
            yield words, value


def _known_names() -> KnownNames:
    """What a claim file may name, found without loading torch."""
    from audit.claim import KnownNames
    from reimpl.data.recipe import RECIPES
    from reimpl.models import known_models, known_variants
    from reimpl.protocol import PROTOCOLS

    models = {name: known_variants(name) for name in known_models()}
    return KnownNames(models, tuple(PROTOCOLS), tuple(RECIPES))


def _paths(claims: Sequence[str] | None) -> list[Path]:
    from audit.claim import builtin_claims

    builtin = {path.stem: path for path in builtin_claims()}
    if not claims:
        return list(builtin.values())
    paths = []
    for name in claims:
        if name in builtin and not Path(name).exists():
            paths.append(builtin[name])
        elif "/" not in name and "." not in name and not Path(name).exists():
            raise AuditError(f"{name!r} is no file and no built-in paper; built-in are {', '.join(builtin)}")
        else:
            paths.append(Path(name))
    return paths


def _papers(claims: Sequence[str] | None) -> list[Paper]:
    """All claim files; raises one error with the problems of all of them."""
    from audit.claim import load
    from audit.errors import ClaimFileError

    papers, problems = [], []
    for path in _paths(claims):
        try:
            papers.append(load(path))
        except ClaimFileError as err:
            problems += err.problems
    if problems:
        raise ClaimFileError(problems)
    return papers
