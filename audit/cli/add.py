"""`audit add paper` and `audit add table`: a new claim file, and its tables from the paper's own files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import add_app, known_names, say
from audit.cli.editing import DryRun, Paper, Set, ask, asked, finish, open_file, sets
from audit.cli.options import Models
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.authoring.propose import Mapped
    from audit.authoring.session import Session


@add_app.command("paper")
def paper_command(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Short name of the paper, as in chen2022.")],
    title: Annotated[str | None, typer.Option(help="Asked for when left out.")] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(metavar="ENTRY", help="Of `audit data list`; once for each.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: KEY.yaml, in claims/ where there is one.")
    ] = None,
    more: Set = None,
) -> int:
    """Begin a claim file that validates as it is, with comments on what goes where.

    --set has authors, venue, year, url and code, as in --set year=2022 --set 'code={url: ..., commit: ...}'.
    Without --title it asks. A file that is there is never overwritten.
    """
    from audit.authoring.entries import Keys, write_scaffold
    from audit.claims.load import builtin_claims
    from audit.claims.schema import Citation
    from reimpl.data.catalogue import catalogue

    path = to or (Path("claims") if Path("claims").is_dir() else Path()) / f"{key}.yaml"
    if key in {it.stem for it in builtin_claims()}:
        raise AuditError(f"{key!r} is the key of a built-in paper; choose another one")
    keys = Keys(Citation, without=("key",))
    held = keys.entry({"title": title, **sets(more)})
    if "title" not in held:
        held = asked(Keys(Citation, only=("title", "authors", "venue", "year")), held)
    entries = [(name, catalogue().find(name).name) for name in dataset or ()]
    write_scaffold(path, {"key": key, **held}, entries, known=known_names())
    say(f"{path}: written, and valid")
    say(f"next: audit add table FILE --paper {key if to is None else path}")
    return Exit.OK


@add_app.command("table")
def table_command(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="LaTeX, CSV, TSV, Markdown or HTML; - is standard input.")
    ],
    paper: Paper,
    more: Set = None,
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="TEXT", help="A correction, as below; once for each."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking, if nothing is open.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also where a table has the same numbers already.")
    ] = False,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Read a table from a paper's source or a copy of it, and add it to a claim file.

    Every number is kept as the string that was printed. What each column and row is, is proposed, shown, and
    corrected by you, or by --map for scripts:

    column 3: dataset=eurlex metric=P@1 | columns 4-6: skip | column 2: text | row 2: id=kim
    source=copied from=liu2017 | cell 5,3: value=75.10 sd=0.2 mark=* | cell 5,4: dash

    --set says of the table as a whole: id, page, section, label, caption, dataset and metric (of all numbers
    whose heading names none), unit=percent|fraction, source=own_run|copied|code_readme|stated|unknown,
    from=KEY, runs, spread=sd|se|ci95; and of the file: format=latex|csv|tsv|markdown|html, number (which of
    its tables), heads (rows of the heading), names (columns that name rows), decimal=point|comma,
    beside=sd|mark (what (0.2) beside a number is), separator=comma|semicolon|tab|bar.

    Rows are counted without the heading. What cannot be read is listed cell by cell, and until it is
    settled nothing is written.
    """
    from audit.authoring.corrections import of_table, parsed
    from audit.authoring.reading import text_of
    from audit.authoring.session import Session
    from reimpl.data.catalogue import catalogue

    asks = not (yes or dry_run)
    if source == "-" and asks:
        raise AuditError("standard input holds the table, so nobody can be asked; add --yes or --dry-run")
    entries = {key: it.name for key, it in catalogue().entries.items() if not it.stand_in_for}
    session = Session(source, text_of(source), open_file(paper), entries)
    for it in [of_table(sets(more)), *map(parsed, maps or ())]:
        session = session.with_(it)
    if asks:
        session = _settled(session)
    else:
        _show(session.mapped(), with_open=False)
    mapped = session.mapped()
    same = None if again or mapped.open else session.same_as(mapped)
    instead = "say --again if the paper has both"
    if same and not asks:
        raise AuditError(f"{same}; leave it out, or {instead}")
    if same and ask(f"{same}; y to add it all the same, Enter to leave:", otherwise=instead) not in (
        "y",
        "yes",
    ):
        raise AuditError("nothing was written, as you said")
    session.put()
    return finish(session.file, dry_run=dry_run)


def _settled(session: Session) -> Session:
    """Show, take corrections, show again, until the user says yes to a table in which nothing is open."""
    from audit.authoring.corrections import parsed
    from audit.authoring.reading import SeveralTablesError

    changed, mapped = True, None
    while True:
        if changed:
            try:
                mapped = session.mapped()
                _show(mapped)
            except SeveralTablesError:  # no correction says which is meant
                raise
            except AuditError as err:
                print(err, file=sys.stderr)
        question = "Enter to write it, a correction (column 3: metric=P@1), or q to leave:"
        answer = ask(question, otherwise="say --yes to be asked nothing")
        changed = False
        if answer in ("q", "quit"):
            raise AuditError("nothing was written, as you said")
        if not answer and mapped is not None and not mapped.open:
            return session
        if not answer:
            print("some points are open yet; settle them with corrections", file=sys.stderr)
            continue
        try:
            corrected = session.with_(parsed(answer))
            if mapped is not None:
                corrected.mapped()  # one that cannot be meant is not taken
            session, changed = corrected, True
        except AuditError as err:
            print(err, file=sys.stderr)


def _show(mapped: Mapped, *, with_open: bool = True) -> None:
    from rich.console import Console

    from audit.authoring.session import remarks, shown

    width = None if sys.stdout.isatty() else 200
    Console(highlight=False, markup=False, emoji=False, width=width).print(shown(mapped))
    for line in [*remarks(mapped), *(f"open: {point}" for point in mapped.open if with_open)]:
        say(line)
