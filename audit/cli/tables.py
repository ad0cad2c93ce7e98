"""`audit suggest` and `audit verify`: what a paper's tables would bear, and a second reading of them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claims.papers import papers_of
from audit.cli.app import app, say
from audit.cli.options import claim_path, command, finish, open_file, sets, the_one
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.authoring.suggesting import Suggestion


@command(app, "suggest")
def suggest_command(
    paper: str,
    *,
    accept: list[str] | None = None,
    says: str | None = None,
    more: list[str] | None = None,
    table: list[str] | None = None,
    kind: list[str] | None = None,
    as_json: bool = False,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Suggest claims from the numbers of the tables: best ones, and pairs that differ in one thing.

    Each is shown with its kind, its cells and why it is suggested, and added only with --accept. They say
    what a table shows and not what the paper says: give the paper's sentence in your own short words (--says
    TEXT --set section=3.2 with one --accept ID), or replace ours later. What the file claims already is not
    suggested again.
    """
    from audit.authoring.entries import entry
    from audit.authoring.suggesting import suggestions
    from audit.claims.schema import Where
    from audit.kinds import KINDS

    place = entry(Where, sets(more))
    if (says is not None or place) and len({*(accept or ())}) != 1:
        raise AuditError("--says and --set are of one claim: give them with one --accept ID")
    if accept:
        file = open_file(paper)
        held = file.paper
    else:
        (held,) = papers_of([_readable(paper)])
    for name in table or ():
        the_one("table", name, held.tables)
    for name in kind or ():
        the_one("kind of claim", name, KINDS)
    offered = [
        it
        for it in suggestions(held)
        if (not kind or it.kind in kind)
        and (not table or any(cell.split(".")[0] in table for cell in it.cells))
    ]
    if as_json:
        say(json.dumps([vars(it) for it in offered], indent=1, ensure_ascii=False))
    elif not accept:
        end = f"{counted(len(offered), 'suggestion')}; --accept ID adds one (--says TEXT: with the paper's"
        say("\n".join([*map(_shown, offered), f"{end} sentence)"]))
    if as_json or not accept:
        return Exit.OK
    by_id = {it.id: it for it in offered}
    for id in dict.fromkeys(accept):
        it = the_one("suggestion", id, by_id)
        if it.needs:
            raise AuditError(f"{it.id}: {_lacks(it)}")
        file.append(("claims",), it.worded(says and says.strip(), place))
    return finish(file, dry_run=dry_run)


def _readable(name: str) -> str:
    """A claim file, or the key of a built-in paper, which can be looked at and not changed."""
    try:
        return str(claim_path(name))
    except AuditError:
        return name


def _lacks(it: Suggestion) -> str:
    rows = ", ".join(it.needs[:3]) + (f" and {len(it.needs) - 3} more" if len(it.needs) > 3 else "")
    has = "has" if len(it.needs) == 1 else "have"
    return f"{rows} {has} no experiment; add one with `audit add experiment ID --row {it.needs[0]}`"


def _shown(it: Suggestion) -> str:
    cells = ", ".join(it.cells[:6]) + (f" and {len(it.cells) - 6} more" if len(it.cells) > 6 else "")
    lines = [f"{it.id}  ({it.kind}, {it.place})", f"  {it.says}", f"  why: {it.why}", f"  cells: {cells}"]
    return "\n".join([*lines, *([f"  not yet: {_lacks(it)}"] if it.needs else [])])


@command(app, "verify")
def verify_command(
    paper: str,
    *,
    table: list[str] | None = None,
    against: str | None = None,
    by: str = "",
    date: str | None = None,
    more: list[str] | None = None,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Compare a table of the claim file with a second reading of it from the page, cell by cell.

    Without --against it shows which tables are verified; --against - reads what is typed or pasted. Numbers
    are compared as printed: 83.5 is not 83.50. Where all agree, who verified them and when is on record, with
    a fingerprint: once a number is changed, the table counts as unverified again. Where a cell differs,
    nothing is recorded, and the exit code is 1.

    How the second reading is read, --set says as for `audit add table`: format, number, heads, names,
    decimal, beside, separator.
    """
    from audit.authoring import verifying
    from audit.authoring.propose import said
    from audit.authoring.reading import read
    from audit.claims.load import verified
    from audit.claims.source import read as read_yaml

    file = open_file(paper)
    tables = file.paper.tables
    for name in table or ():
        the_one("table", name, tables)
    if against is None:
        for name in table or tables:
            label = f" ({tables[name].where.label})" if tables[name].where.label else ""
            say(f"{name}{label}: {verifying.state(file.paper, name)}")
        return Exit.OK
    if not by.strip():
        raise AuditError("--by is missing; say who reads the page")
    chosen = table or [it for it in tables if verified(it, tables, file.paper.transcription) is None]
    if len({*chosen}) != 1:
        raise AuditError(f"--against is one table; say which with --table ID, of {', '.join([*tables][:12])}")
    (name,) = {*chosen}
    held = tables[name]
    source = (held.transcription.source or "") if held.transcription else ""
    if against != "-" and source.startswith(f"{Path(against).name} ("):
        raise AuditError(
            f"{against}: {name} was read from a file of this name, which is no second reading; give another "
            "transcription of the page"
        )
    second, left_out = verifying.second_reading(read(against, said(sets(more)).table), name, held)
    if left_out:
        say(left_out)
    differences = list(verifying.differences(held, second))
    lines = read_yaml(file.path).lines if differences else {}
    for (row, column), here, there in differences:
        line = lines.get(("tables", name, "rows", row, "values", column), 1)
        address = f"{name}.{held.rows[row].id}.{held.columns[column].id}"
        place = f"{'standard input' if against == '-' else against}:{there.line}"
        say(f"{file.path}:{line}: {address}: {here} here, {there} in the second reading ({place})")
    cells = counted(len(held.rows) * len(held.columns), "cell")
    if differences:
        differ = f"{len(differences)} differ{'s' if len(differences) == 1 else ''}"
        say(f"{name}: {cells} compared, {differ}; nothing was recorded: look at the page, correct the file")
        return Exit.CONTRADICTED
    say(f"{name}: {cells} compared, no difference")
    other = "pasted text" if against == "-" else Path(against).name
    how = f"{cells} against {other}, a second reading, compared by program: no difference"
    verifying.record(file, name, by=by.strip(), date=date or datetime.now().date().isoformat(), how=how)
    return finish(file, dry_run=dry_run)
