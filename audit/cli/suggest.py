"""`audit suggest`: claims that a paper's tables would bear, to accept or drop one by one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import app, known_names, papers_of, say
from audit.cli.editing import DryRun, Page, Section, ask, claim_path, finish
from audit.cli.options import Models
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.suggesting import Suggestion
    from audit.claims.source import Plain

    Own = tuple[str | None, Mapping[str, Plain]]
    """The paper's sentence, and where it stands."""


@app.command("suggest")
def suggest_command(
    paper: Annotated[str, typer.Argument(metavar="KEY|FILE", help="The claim file.")],
    accept: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Add this one without asking; once for each.")
    ] = None,
    says: Annotated[
        str | None, typer.Option(help="With one --accept: the paper's sentence in own short words.")
    ] = None,
    section: Section = None,
    page: Page = None,
    table: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Of this table only; once for each.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Of this kind only; once for each.")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="Show them, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON, and stop.")] = False,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Suggest claims from the numbers of the tables: best ones, one thing changed, best throughout.

    Each is shown with its kind, its cells and why it is suggested, and added only on your yes. They say what
    a table shows and not what the paper says: give the paper's sentence in your own short words with the yes
    (y TEXT; --says TEXT with --accept ID), or replace ours later. What the file claims already is not
    suggested again.
    """
    from audit.authoring.edit import ClaimFile
    from audit.authoring.suggesting import suggestions

    if (show or as_json) and accept:
        raise AuditError("--accept adds claims, and --list and --json only show them; say one of them")
    own = _of_the_paper(says, section, page, accept or ())
    if show or as_json:
        (held,) = papers_of([paper if _is_builtin(paper) else str(claim_path(paper))])
        found = _of(suggestions(held), list(held.tables), table, kind)
        say(
            json.dumps([asdict(it) for it in found], indent=1, ensure_ascii=False)
            if as_json
            else _list(found)
        )
        return Exit.OK
    file = ClaimFile.open(claim_path(paper), known=known_names())
    there = suggestions(file.paper)
    found = _of(there, list(file.paper.tables), table, kind)
    chosen = _named(found, accept, own) if accept else _asked(found)
    if not chosen:
        say(f"{file.path}: nothing was added; {counted(len(found), 'suggestion')}")
        return Exit.OK
    return _add(file, chosen, dry_run=dry_run)


def _is_builtin(name: str) -> bool:
    """Whether it is the key of a paper that comes with the toolkit, and no file beside it is meant."""
    from audit.claims.load import builtin_claims

    try:
        claim_path(name)
    except AuditError:
        return name in {path.stem for path in builtin_claims()}
    return False


def _of(
    found: Sequence[Suggestion],
    names: Sequence[str],
    tables: Sequence[str] | None,
    kinds: Sequence[str] | None,
) -> list[Suggestion]:
    from audit.kinds import KINDS
    from audit.names import known_names as offered

    for what, given, known in (("table", tables, names), ("kind of claim", kinds, list(KINDS))):
        for name in given or ():
            if name not in known:
                raise AuditError(f"there is no {what} {name!r}; {offered(name, known)}")
    return [
        it
        for it in found
        if (not kinds or it.kind in kinds)
        and (not tables or any(cell.split(".")[0] in tables for cell in it.cells))
    ]


def _of_the_paper(says: str | None, section: str | None, page: int | None, accept: Sequence[str]) -> Own:
    """The paper's sentence and its place; empty where the table's are kept."""
    given = {"--says": says, "--section": section, "--page": page}
    named = [name for name, value in given.items() if value is not None]
    if named and len({*accept}) != 1:
        raise AuditError(
            f"{named[0]} is of one claim: give it with one --accept ID, each in a command of its own"
        )
    for name, text in (("--says", says), ("--section", section)):
        if text is not None and not text.strip():
            raise AuditError(f"{name} is empty; say it in a few words, or leave the option out")
    where = {"section": section and section.strip(), "page": page}
    return says and says.strip(), {key: it for key, it in where.items() if it is not None}


def _named(found: Sequence[Suggestion], accept: Sequence[str], own: Own) -> list[dict[str, Plain]]:
    """The entries with the given ids. Raises `AuditError` for one that is none, or cannot be added yet."""
    from audit.names import known_names as offered

    by_id = {it.id: it for it in found}
    for id in accept:
        if id not in by_id:
            raise AuditError(f"there is no suggestion {id!r}; {offered(id, by_id)}")
        if why := _not_yet(by_id[id]):
            raise AuditError(why)
    return [by_id[id].worded(*own) for id in dict.fromkeys(accept)]


def _not_yet(it: Suggestion) -> str | None:
    if not it.needs:
        return None
    rows = ", ".join(it.needs[:3]) + (f" and {len(it.needs) - 3} more" if len(it.needs) > 3 else "")
    verb = "has" if len(it.needs) == 1 else "have"
    how = f"{it.option} {it.needs[0]}"
    return f"{it.id}: {rows} {verb} no experiment; add one with `audit add experiment ID {how}`"


def _asked(found: Sequence[Suggestion]) -> list[dict[str, Plain]]:
    """One by one. Raises `AuditError` where the input ends: nothing is added without a yes."""
    chosen: list[dict[str, Plain]] = []
    for number, it in enumerate(found, 1):
        say(f"\n{number} of {len(found)}  {_shown(it)}")
        while True:
            question = "y adds it, y TEXT with the paper's sentence, n drops it, q ends:"
            word, _, says = ask(question, otherwise="name those to add with --accept ID").partition(" ")
            if word.lower() in ("y", "yes"):
                if why := _not_yet(it):
                    print(why, file=sys.stderr)
                    continue
                chosen.append(it.worded(says.strip() or None))
            if word.lower() in ("y", "yes", "n", "no", "q", "quit"):
                break
        if word.lower() in ("q", "quit"):
            break
    return chosen


def _add(file: ClaimFile, chosen: Sequence[dict[str, Plain]], *, dry_run: bool) -> int:
    for content in chosen:
        file.append(("claims",), content)
    return finish(file, dry_run=dry_run)


def _list(found: Sequence[Suggestion]) -> str:
    how = "--accept ID adds one (--says TEXT: with the paper's sentence), else each is asked for"
    end = f"{counted(len(found), 'suggestion')}; {how}"
    return "\n".join([*(_shown(it) for it in found), end])


def _shown(it: Suggestion) -> str:
    cells = ", ".join(it.cells[:6]) + (f" and {len(it.cells) - 6} more" if len(it.cells) > 6 else "")
    lines = [f"{it.id}  ({it.kind}, {it.place})", f"  {it.says}", f"  why: {it.why}", f"  cells: {cells}"]
    if it.kind == "arithmetic":
        expect = str(it.content["expect"])
        lines.append(f"  expect: {expect if len(expect) < 200 else expect[:197] + '...'}")
    if why := _not_yet(it):
        lines.append(f"  not yet: {why.partition(': ')[2]}")
    return "\n".join(lines)
