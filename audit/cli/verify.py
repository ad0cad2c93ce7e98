"""`audit verify`: a second pair of eyes on the numbers of a claim file."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import app, say
from audit.cli.editing import DryRun, Set, finish, open_file, sets, the_one, until_sound
from audit.cli.options import Models
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.reading import Options
    from audit.authoring.verifying import Cells, Seen
    from audit.claims.load import Paper
    from audit.claims.schema import Table


@app.command("verify")
def verify_command(
    paper: Annotated[str, typer.Argument(metavar="KEY|FILE", help="The claim file.")],
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Which table; once for each. Default: all that are not verified."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A second transcription: LaTeX, CSV, TSV, Markdown or HTML."),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who reads the page; default: git's user.name.")] = None,
    date: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="Default: today.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Show which tables are verified, and stop.")] = False,
    more: Set = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Read a table a second time from the page, and compare it with the claim file, cell by cell.

    Asks to type or paste each row without showing what the file has, or takes a second file. Numbers are
    compared as printed: 83.5 is not 83.50. Where all agree, who verified them and when is recorded, with a
    fingerprint: once a number is changed, the table counts as unverified again. Where a cell differs,
    nothing is recorded for its table, and the exit code is 1.

    How the second file is read, --set says as for `audit add table`: format, number, heads, names, decimal,
    beside, separator.
    """
    from audit.authoring.corrections import of_table
    from audit.authoring.reading import Options
    from audit.authoring.verifying import state

    file = open_file(paper)
    if show:
        for name, held in file.paper.tables.items():
            label = f" ({held.where.label})" if held.where.label else ""
            say(f"{name}{label}: {state(file.paper, name)}")
        return Exit.OK
    chosen = _chosen(file.paper, table, against)
    if not chosen:
        say(f"{file.path}: every table is verified; --table ID looks at one again")
        return Exit.OK
    who, when = by or _user(), _day(date)
    if not who.strip():
        raise AuditError("--by is empty; say who reads the page")
    options = Options.of(of_table(sets(more)).settings)
    code = Exit.OK
    for at, name in enumerate(chosen):
        file = open_file(paper) if at else file
        held = file.paper.tables[name]
        second = _typed(name, held) if against is None else _from_file(file, name, against, options)
        if second is None:
            continue
        if not _agree(file, name, second, against):
            code = Exit.CONTRADICTED
            continue
        _record(file, name, who.strip(), when, against, dry_run=dry_run)
    return code


def _chosen(paper: Paper, named: Sequence[str] | None, against: str | None) -> list[str]:
    from audit.claims.load import verified

    for name in named or ():
        the_one("table", name, paper.tables)
    tables, whole = paper.tables, paper.transcription
    chosen = list(dict.fromkeys(named or (it for it in tables if verified(it, tables, whole) is None)))
    if against is not None and len(chosen) > 1:
        raise AuditError(f"--against is one table; say which with --table ID, of {', '.join(chosen[:12])}")
    return chosen


def _user() -> str:
    try:
        ran = subprocess.run(["git", "config", "user.name"], capture_output=True, text=True, timeout=10)
        name = ran.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        name = ""
    if not name:
        raise AuditError("who reads the page is not known, and git has no user.name; say --by NAME")
    return name


def _day(given: str | None) -> str:
    try:
        return (datetime.strptime(given, "%Y-%m-%d") if given else datetime.now()).date().isoformat()
    except ValueError as err:
        raise AuditError(f"--date {given!r} is no day; write it as 2026-11-28") from err


# --------------------------------------------------------------------------- the second reading


def _from_file(file: ClaimFile, name: str, against: str, options: Options) -> Cells:
    from audit.authoring.reading import read
    from audit.authoring.verifying import of_table

    table = file.paper.tables[name]
    source = (table.transcription.source or "") if table.transcription else ""
    if against != "-" and source.startswith(f"{Path(against).name} ("):
        raise AuditError(
            f"{against}: {name} was read from a file of this name, which is no second reading; type the "
            "table from the page (leave out --against), or give another transcription"
        )
    cells, left_out = of_table(read(against, options), name, table)
    if left_out:
        say(left_out)
    return cells


def _typed(name: str, table: Table) -> Cells | None:
    """Row by row from standard input, which may be pasted; None for a table that is left out."""
    from audit.authoring.verifying import of_line

    def read(line: str) -> list[Seen] | str:
        words = ("q", "quit", "s", "skip")
        return line if line in words else of_line(line, row, [it.unit for it in table.columns])

    columns = " | ".join(it.label or it.id for it in table.columns)
    of = table.where
    page, section = of.page and f"page {of.page}", of.section and f"section {of.section}"
    place = ", ".join(it for it in (of.label, page, section) if it) or "no place is given"
    rows = counted(len(table.rows), "row")
    say(f"\n{name}: {place} ({table.caption})\n{rows} of {len(table.columns)}: {columns}")
    say("type or paste each row as it is printed, - for a dash; s skips this table, q leaves")
    seen: dict[tuple[int, int], Seen] = {}
    for at, row in enumerate(table.rows):
        cells = until_sound(f"{row.label or row.id}:", read, otherwise=f"row {row.id} is next")
        if isinstance(cells, str) and cells[0] == "q":
            raise AuditError("nothing was recorded for this table, as you said")
        if isinstance(cells, str):
            return None
        seen |= {(at, column): it for column, it in enumerate(cells)}
    return seen


# --------------------------------------------------------------------------- the result


def _agree(file: ClaimFile, name: str, second: Cells, against: str | None) -> bool:
    """Whether the two readings are one; each cell in which they are not is shown with its place."""
    from audit.authoring.verifying import differences
    from audit.claims.source import read

    table = file.paper.tables[name]
    found = list(differences(table, second))
    cells = f"{len(table.rows) * len(table.columns)} cells"
    if not found:
        say(f"{name}: {cells} compared, no difference")
        return True
    lines = read(file.path).lines
    for (row, column), here, there in found:
        line = lines.get(("tables", name, "rows", row, "values", column), 1)
        address = f"{name}.{table.rows[row].id}.{table.columns[column].id}"
        place = f" ({'standard input' if against == '-' else against}:{there.line})" if against else ""
        say(f"{file.path}:{line}: {address}: {here} here, {there} in the second reading{place}")
    differ = "1 differs" if len(found) == 1 else f"{len(found)} differ"
    say(f"{name}: {cells} compared, {differ}; nothing was recorded: look at the page, and correct the file")
    return False


def _record(file: ClaimFile, name: str, who: str, when: str, against: str | None, *, dry_run: bool) -> None:
    from audit.authoring.verifying import record

    table = file.paper.tables[name]
    cells = counted(len(table.rows) * len(table.columns), "cell")
    other = "pasted text" if against == "-" else Path(against or "").name
    what = f"{cells} typed again" if against is None else f"{cells} against {other}, a second reading"
    record(file, name, by=who, date=when, how=f"{what}, compared by program: no difference")
    finish(file, dry_run=dry_run)
