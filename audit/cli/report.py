"""`audit report`: the page again from its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import app, say, verdict_code
from audit.cli.diff import tell_changes
from audit.cli.exports import (
    AlsoOption,
    FiguresOption,
    FormatOption,
    also_of,
    draw_figures,
    formats_of,
    write_exports,
)
from audit.cli.index import common_folder, write_index
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.record import Audit


#: Where `audit run` writes.
_OUT = Path("audit-report")


@app.command("report")
def report_command(
    records: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[AUDIT_JSON]...", help="Records that `audit run` wrote; default: all in --out."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder whose records are read, where none is named.  [default: audit-report]"),
    ] = None,
    also: AlsoOption = None,
    figures: FiguresOption = None,
    figure_format: FormatOption = None,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="OLD NEW", help="Instead of a report: what changed between two records of one paper."
        ),
    ] = None,
) -> int:
    """Write the HTML page again from audit.json; needs no data, no GPU and no torch.

    --diff tells verdicts, claims and findings that changed, with what differs behind each, and writes
    changes.html and changes.md beside NEW. Its exit code is 1 if something became contradicted or
    inconsistent, else 0.
    """
    names, formats = also_of(also), formats_of(figure_format, figures)
    if diff:
        if records or also or figures:
            raise AuditError("--diff compares two records and writes no report; leave out the other options")
        return tell_changes(*diff)
    if records and out:
        raise AuditError(
            f"--out {out} says where to look for records, and here they are named; a page is written beside "
            "its record, so leave --out out, or copy the record there first"
        )
    worst, paths = Exit.OK, records or records_in(out or _OUT)
    audits = {path: read_sound(path) for path in paths}
    for path, audit in audits.items():
        with numbers_explained(path):
            write_report(audit, path.parent, names)
        if figures:
            own = figures if len(audits) == 1 else figures / path.parent.name
            say(f"figures: {len(draw_figures(audit, own, formats))} in {own}")
        worst = max(worst, verdict_code(audit))
    if folder := common_folder(list(audits)):
        write_index(folder)
    return worst


def records_in(out: Path) -> list[Path]:
    """All that `audit run` wrote there; raises where it wrote nothing."""
    paths = sorted(out.glob("*/audit.json"))
    if not paths:
        raise AuditError(f"{out}: no audit.json there; `audit run` makes one")
    return paths


def read_sound(path: Path) -> Audit:
    """The audit in a file; raises where its verdicts are not those that its own runs give."""
    from audit.judging.assemble import is_judged_by
    from audit.storage.files import read_audit

    audit = read_audit(path)
    with numbers_explained(path):
        sound = is_judged_by(audit)
    if not sound:
        raise AuditError(
            f"{path}: its verdicts are not those that its runs give; it was changed, or another version "
            "of this tool wrote it: `audit judge` makes it again from the runs in the store"
        )
    return audit


@contextmanager
def numbers_explained(path: Path) -> Iterator[None]:
    """Numbers that no run of ours gives are a fault of the file."""
    try:
        yield
    except (ValueError, ArithmeticError, LookupError) as err:
        problem = " ".join(str(err).split())[:200]
        raise AuditError(
            f"{path}: holds what cannot be judged ({problem}); `audit judge` makes it again"
        ) from err


def write_report(audit: Audit, folder: Path, also: Sequence[str] = ()) -> None:
    """Page, record and what is wanted beside them into the folder, the verdicts to the screen."""
    from audit.judging.mixed_evidence import advice
    from reports.exports import summary

    page, record, *beside = write_files(audit, folder, also)
    lines = [f"report: {page}", f"record: {record}", *(f"beside: {path}" for path in beside)]
    mixed = [f"  {it}" for it in advice(audit)]
    mixed = ["", "one side ours, the other imported:", *mixed] if mixed else []
    say("\n".join([summary(audit), *mixed, "", *lines]))


def write_files(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """Page, record, and what stands beside them."""
    from audit.record import to_json
    from audit.storage.files import explained, write
    from reports.render import html

    page, record = folder / "report.html", folder / "audit.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(record, to_json(audit).encode())
        write(page, html(audit).encode())
        return [page, record, *write_exports(audit, folder, also)]
