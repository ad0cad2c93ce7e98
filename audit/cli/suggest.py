"""`audit suggest`: claims that a paper's tables would bear, to accept or drop one by one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import app, papers_of, say
from audit.cli.editing import DryRun, Set, ask, claim_path, finish, open_file, sets, the_one
from audit.cli.options import Models
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.authoring.suggesting import Suggestion
    from audit.claims.source import Plain


@app.command("suggest")
def suggest_command(
    paper: Annotated[str, typer.Argument(metavar="KEY|FILE", help="The claim file.")],
    accept: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Add this one without asking; once for each.")
    ] = None,
    says: Annotated[
        str | None, typer.Option(help="With one --accept: the paper's sentence in own short words.")
    ] = None,
    more: Set = None,
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
    """Suggest claims from the numbers of the tables: best ones, and pairs that differ in one thing.

    Each is shown with its kind, its cells and why it is suggested, and added only on your yes. They say what
    a table shows and not what the paper says: give the paper's sentence in your own short words with the yes
    (y TEXT; --says TEXT --set section=3.2 with --accept ID), or replace ours later. What the file claims
    already is not suggested again.
    """
    from audit.authoring.suggesting import suggestions

    if (show or as_json) and accept:
        raise AuditError("--accept adds claims, and --list and --json only show them; say one of them")
    own = _of_the_paper(says, sets(more), accept or ())
    if show or as_json:
        (held,) = papers_of([_readable(paper)])
        found = _of(suggestions(held), table, kind, list(held.tables))
        as_text = json.dumps([asdict(it) for it in found], indent=1, ensure_ascii=False)
        say(as_text if as_json else _list(found))
        return Exit.OK
    file = open_file(paper)
    found = _of(suggestions(file.paper), table, kind, list(file.paper.tables))
    by_id = {it.id: it for it in found}
    chosen = [_addable(the_one("suggestion", id, by_id)).worded(*own) for id in dict.fromkeys(accept or ())]
    chosen = chosen if accept else _asked(found)
    if not chosen:
        say(f"{file.path}: nothing was added; {counted(len(found), 'suggestion')}")
        return Exit.OK
    for content in chosen:
        file.append(("claims",), content)
    return finish(file, dry_run=dry_run)


def _readable(name: str) -> str:
    """A claim file, or the key of a built-in paper, which can be looked at and not changed."""
    try:
        return str(claim_path(name))
    except AuditError:
        return name


def _of(
    found: Sequence[Suggestion],
    tables: Sequence[str] | None,
    kinds: Sequence[str] | None,
    there: Sequence[str],
) -> list[Suggestion]:
    from audit.kinds import KINDS

    for name in tables or ():
        the_one("table", name, dict.fromkeys(there))
    for name in kinds or ():
        the_one("kind of claim", name, KINDS)
    of_kind = [it for it in found if not kinds or it.kind in kinds]
    return [it for it in of_kind if not tables or any(cell.split(".")[0] in tables for cell in it.cells)]


def _of_the_paper(
    says: str | None, words: Mapping[str, str], accept: Sequence[str]
) -> tuple[str | None, dict[str, Plain]]:
    """The paper's sentence and its place; empty where the table's are kept."""
    from audit.authoring.entries import Keys
    from audit.claims.schema import Where

    if (says is not None or words) and len({*accept}) != 1:
        raise AuditError("--says and --set are of one claim: give them with one --accept ID")
    if says is not None and not says.strip():
        raise AuditError("--says is empty; say it in a few words, or leave the option out")
    return says and says.strip(), Keys(Where).entry(words)


def _addable(it: Suggestion) -> Suggestion:
    """Raises `AuditError` for one that cannot be added yet."""
    if it.needs:
        rows = ", ".join(it.needs[:3]) + (f" and {len(it.needs) - 3} more" if len(it.needs) > 3 else "")
        lack = f"{rows} {'has' if len(it.needs) == 1 else 'have'} no experiment"
        raise AuditError(f"{it.id}: {lack}; add one with `audit add experiment ID --row {it.needs[0]}`")
    return it


def _asked(found: Sequence[Suggestion]) -> list[dict[str, Plain]]:
    """One by one. Raises `AuditError` where the input ends: nothing is added without a yes."""
    chosen: list[dict[str, Plain]] = []
    for number, it in enumerate(found, 1):
        say(f"\n{number} of {len(found)}  {_shown(it)}")
        word = ""
        while word not in ("y", "yes", "n", "no", "q", "quit"):
            question = "y adds it, y TEXT with the paper's sentence, n drops it, q ends:"
            word, _, says = ask(question, otherwise="name those to add with --accept ID").partition(" ")
            word = word.lower()
            try:
                if word in ("y", "yes"):
                    chosen.append(_addable(it).worded(says.strip() or None))
            except AuditError as err:
                print(err, file=sys.stderr)
                word = ""
        if word in ("q", "quit"):
            break
    return chosen


def _list(found: Sequence[Suggestion]) -> str:
    how = "--accept ID adds one (--says TEXT: with the paper's sentence), else each is asked for"
    end = f"{counted(len(found), 'suggestion')}; {how}"
    return "\n".join([*(_shown(it) for it in found), end])


def _shown(it: Suggestion) -> str:
    cells = ", ".join(it.cells[:6]) + (f" and {len(it.cells) - 6} more" if len(it.cells) > 6 else "")
    lines = [f"{it.id}  ({it.kind}, {it.place})", f"  {it.says}", f"  why: {it.why}", f"  cells: {cells}"]
    try:
        _addable(it)
    except AuditError as err:
        lines.append(f"  not yet: {str(err).partition(': ')[2]}")
    return "\n".join(lines)
