"""`audit add paper` and `audit add table`: a new claim file, and its tables from the paper's own files."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import add_app, known_names, say
from audit.cli.editing import (
    Beside,
    Decimal,
    DryRun,
    Format,
    Heads,
    Label,
    Names,
    Page,
    Paper,
    Section,
    ask,
    claim_path,
    finish,
)
from audit.cli.options import Models
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.authoring.propose import Mapped
    from audit.authoring.session import Session


@add_app.command("paper")
def paper_command(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Short name of the paper, as in chen2022.")],
    title: Annotated[str | None, typer.Option(help="Asked for when left out, as all that follows.")] = None,
    author: Annotated[list[str] | None, typer.Option(help="Once for each, in their order.")] = None,
    venue: Annotated[str | None, typer.Option(help="Conference or journal.")] = None,
    year: Annotated[int | None, typer.Option(min=1900, max=2100)] = None,
    url: Annotated[str | None, typer.Option(help="Where the paper is.")] = None,
    code: Annotated[str | None, typer.Option(metavar="URL", help="Where its public code is.")] = None,
    commit: Annotated[str | None, typer.Option(help="The commit of it that was read.")] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(metavar="ENTRY", help="Of `audit data list`; once for each.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: KEY.yaml, in claims/ where there is one.")
    ] = None,
    schema: Annotated[bool, typer.Option(help="Write the JSON Schema for editors beside it.")] = True,
) -> int:
    """Begin a claim file that validates as it is, with comments on what goes where.

    Without --title it asks. A file that is there is never overwritten.
    """
    from audit.authoring.scaffold import Citation, write_scaffold
    from audit.claims.load import builtin_claims

    path = to or (Path("claims") if Path("claims").is_dir() else Path()) / f"{key}.yaml"
    if path.exists():
        raise AuditError(f"{path}: there is such a file, and it is kept; choose another key, or --to FILE")
    if key in {it.stem for it in builtin_claims()}:
        raise AuditError(f"{key!r} is the key of a built-in paper; choose another one")
    if title is None:
        title, author, venue, year = _asked(author, venue, year)
    if commit and not code:
        raise AuditError("--commit is of the public code; add --code URL")
    citation = Citation(key, title, tuple(author or ()), venue, year, url, code, commit)
    write_scaffold(path, citation, _entries(dataset or ()), schema=schema, known=known_names())
    say(f"{path}: written, and valid")
    say(f"next: audit add table FILE --paper {key if to is None else path}")
    return Exit.OK


def _asked(
    author: list[str] | None, venue: str | None, year: int | None
) -> tuple[str, list[str], str | None, int | None]:
    """Title, authors, venue and year by questions; Enter leaves out what is not known."""
    title = ask("Title:")
    if not title:
        raise AuditError("a paper needs a title; give --title")
    author = author or [it.strip() for it in ask("Authors, with commas between:").split(",") if it.strip()]
    venue = venue or ask("Venue:") or None
    given = str(year) if year else ask("Year:")
    if given and not (given.isascii() and given.isdecimal() and 1900 <= int(given[:5]) <= 2100):
        raise AuditError(f"{given!r} is no year; give --year")
    return title, author, venue, int(given) if given else None


def _entries(names: Sequence[str]) -> list[tuple[str, str]]:
    from reimpl.data.catalogue import catalogue

    return [(name, catalogue().find(name).name) for name in names]


# --------------------------------------------------------------------------- tables


@add_app.command("table")
def table_command(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="LaTeX, CSV, TSV, Markdown or HTML; - is standard input.")
    ],
    paper: Paper,
    form: Format = None,
    table: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Which table of a file with several.")
    ] = None,
    id: Annotated[str | None, typer.Option(help="Its name in the claim file; default: t1, t2, ...")] = None,
    label: Label = None,
    page: Page = None,
    section: Section = None,
    caption: Annotated[str | None, typer.Option(help="What it shows, in own short words.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Of all numbers whose heading names none.")] = None,
    metric: Annotated[str | None, typer.Option(help="Of all numbers whose heading names none.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="percent|fraction", help="Of the metrics.")] = None,
    origin: Annotated[
        str | None,
        typer.Option("--source", metavar="own_run|copied|code_readme|stated|unknown", help="Whose runs."),
    ] = None,
    copied_from: Annotated[
        str | None, typer.Option("--from", metavar="KEY", help="The paper that copied numbers are from.")
    ] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Runs behind each number.")] = None,
    spread: Annotated[str | None, typer.Option(metavar="sd|se|ci95", help="What stands after ±.")] = None,
    heads: Heads = None,
    names: Names = None,
    decimal: Decimal = None,
    beside: Beside = None,
    separator: Annotated[
        str | None, typer.Option(metavar="comma|semicolon|tab|bar", help="Of a CSV file.")
    ] = None,
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="TEXT", help="A correction, as below; once for each."),
    ] = None,
    new_dataset: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=NAME", help="Add a data set that neither the paper nor the catalogue has."),
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
    source=copied from=liu2017 | cell 5,3: value=75.10 sd=0.2 mark=* | cell 5,4: dash | table: heads=2

    Rows are counted without the heading. What cannot be read is listed cell by cell, and until it is
    settled nothing is written.
    """
    from audit.authoring.corrections import Correction, parsed

    given = {
        "id": id,
        "label": label,
        "page": page,
        "section": section,
        "caption": caption,
        "runs": runs,
        "dataset": dataset,
        "metric": metric,
        "unit": unit,
        "source": origin,
        "from": copied_from,
        "spread": spread,
        "heads": heads,
        "names": names,
        "decimal": decimal,
        "beside": beside,
    }
    settings = {key: str(it) for key, it in given.items() if it is not None}
    if source == "-" and not (yes or dry_run):
        raise AuditError("standard input holds the table, so nobody can be asked; add --yes or --dry-run")
    session = _session(source, paper, form, table, separator, _new_datasets(new_dataset or ()))
    for it in [Correction("table", ((),), settings), *map(parsed, maps or ())]:
        session = session.with_(it)
    session = _settled(session) if not (yes or dry_run) else _stated(session)
    if not again:
        _check_new(session, asks=not (yes or dry_run))
    session.put()
    return finish(session.file, dry_run=dry_run)


def _session(
    source: str,
    paper: str,
    form: str | None,
    table: int | None,
    separator: str | None,
    new_datasets: Mapping[str, str],
) -> Session:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.reading import FORMS, SEPARATORS, Options, text_of
    from audit.authoring.session import Session
    from audit.names import known_names as offered
    from reimpl.data.catalogue import catalogue

    for name, given, choices in (("--format", form, FORMS), ("--separator", separator, SEPARATORS)):
        if given is not None and given not in choices:
            raise AuditError(f"{name} {given!r} is not known; {offered(given, choices)}")
    file = ClaimFile.open(claim_path(paper), known=known_names())
    entries = {key: it.name for key, it in catalogue().entries.items() if not it.stand_in_for}
    options = Options(form=form, number=table, separator=separator)
    return Session(source, text_of(source), file, entries, options, new_datasets)


def _new_datasets(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    bad = [text for text, (id, _, name) in zip(given, pairs, strict=True) if not id or not name.strip()]
    if bad:
        raise AuditError(f"--new-dataset {bad[0]!r}: write ID=NAME, as in toy=Toy corpus")
    return {id: name.strip() for id, _, name in pairs}


def _check_new(session: Session, *, asks: bool) -> None:
    """Raises `AuditError` for a table that the file has already, unless the user says that it is another."""
    mapped = session.mapped()
    if mapped.open:  # `put` refuses it, with all that is open
        return
    same = session.same_as(mapped)
    if same and not asks:
        raise AuditError(f"{same}; leave it out, or say --again if the paper has both")
    if not same:
        return
    question = f"{same}; y to add it all the same, Enter to leave:"
    if ask(question, otherwise="say --again if the paper has both").lower() not in ("y", "yes"):
        raise AuditError("nothing was written, as you said")


def _stated(session: Session) -> Session:
    """Without questions: the preview is shown, and `put` refuses what is open."""
    _show(session.mapped(), with_open=False)
    return session


def _settled(session: Session) -> Session:
    """Show, take corrections, show again, until the user says yes to a table in which nothing is open."""
    shown = None
    while True:
        mapped = _readable(session)
        if mapped is not None and (shown is None or not mapped.open) and mapped != shown:
            _show(mapped)
            shown = mapped
        elif mapped is not None:
            _say_open(mapped)
        question = "Enter to write it, a correction (column 3: metric=P@1), or q to leave:"
        answer = ask(question, otherwise="say --yes to be asked nothing")
        if answer in ("q", "quit"):
            raise AuditError("nothing was written, as you said")
        if answer:
            session = _corrected(session, answer)
        elif mapped is not None and not mapped.open:
            return session
        else:
            print("some points are open yet; settle them with corrections", file=sys.stderr)


def _readable(session: Session) -> Mapped | None:
    from audit.authoring.reading import SeveralTablesError

    try:
        return session.mapped()
    except SeveralTablesError:  # no correction says which is meant
        raise
    except AuditError as err:
        print(err, file=sys.stderr)
        return None


def _mappable(session: Session) -> bool:
    try:
        session.mapped()
    except AuditError:
        return False
    return True


def _corrected(session: Session, answer: str) -> Session:
    """With one more correction, or as it was where that one cannot be meant."""
    from audit.authoring.corrections import parsed

    try:
        corrected = session.with_(parsed(answer))
        if _mappable(session):
            corrected.mapped()
    except AuditError as err:
        print(err, file=sys.stderr)
        return session
    return corrected


def _show(mapped: Mapped, *, with_open: bool = True) -> None:
    from rich.console import Console

    from audit.authoring.session import remarks, shown

    width = None if sys.stdout.isatty() else 200
    Console(highlight=False, markup=False, emoji=False, width=width).print(shown(mapped))
    for line in remarks(mapped):
        say(line)
    if with_open:
        _say_open(mapped)


def _say_open(mapped: Mapped) -> None:
    for point in mapped.open:
        say(f"open: {point}")
