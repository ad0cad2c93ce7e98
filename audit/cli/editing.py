"""What all commands that change a claim file share: which file, options, questions, the diff, the writing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import known_names, say
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.entry_keys import Key
    from audit.claims.source import Plain


def claim_path(name: str) -> Path:
    """The claim file that is to be changed: a path, or KEY for claims/KEY.yaml or KEY.yaml.

    Built-in files are part of the installation and are not changed by their key.
    """
    from audit.claims.load import builtin_claims
    from audit.claims.papers import own_file

    own = own_file(name)
    if own is not None:
        return own
    if name in {path.stem for path in builtin_claims()}:
        raise AuditError(f"{name!r} is a built-in paper; give the path of the file that is to be changed")
    raise AuditError(f"{name!r} is no claim file; give its path, or begin one with `audit add paper {name}`")


#: What to do where nobody answers, for commands whose every question has its option.
_OPTIONS = "give what is asked for as options, which --help shows"


def ask(question: str, *, otherwise: str = _OPTIONS) -> str:
    """One line from the user. Raises `AuditError` where the input ends: nothing is written without a yes.

    `otherwise`: what to do for not being asked.
    """
    print(question, end=" ", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        print(file=sys.stderr)
        raise AuditError(f"nothing was written: the input ended before a yes; {otherwise}")
    return line.strip()


def finish(file: ClaimFile, *, dry_run: bool) -> int:
    """Show the changes; check and write them, or only check them."""
    say(file.diff())
    if dry_run:
        file.check()
        say(f"{file.path}: nothing was written (--dry-run); it would be valid")
        return Exit.OK
    paper = file.save()
    say(f"{file.path}: written; {counted(len(paper.tables), 'table')}, {counted(len(paper.claims), 'claim')}")
    return Exit.OK


Paper = Annotated[str, typer.Option(metavar="KEY|FILE", help="The claim file that gets it.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any other key; lists with commas, the rest as in YAML."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")]
Section = Annotated[str | None, typer.Option(help="Where it stands, as in 3.2.")]
Page = Annotated[int | None, typer.Option(min=1, help="Page number as printed.")]
Label = Annotated[str | None, typer.Option(help='As in "Table 4".')]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="latex|csv|tsv|markdown|html", help="Default: by the file's name."),
]
Heads = Annotated[int | None, typer.Option(min=1, help="Rows of the heading.")]
Names = Annotated[int | None, typer.Option(min=0, help="Columns at the left that name rows.")]
Decimal = Annotated[str | None, typer.Option(metavar="point|comma", help="In 75,1 it is a comma.")]
Beside = Annotated[
    str | None, typer.Option(metavar="sd|mark", help="What (0.2) beside or small below a number is.")
]


def open_file(paper: str, *, configs: bool = False) -> ClaimFile:
    """The claim file that is to be changed; with `configs`, as `audit validate` reads it."""
    from audit.authoring.edit import ClaimFile

    return ClaimFile.open(claim_path(paper), known=known_names(configs=configs))


def check_free(id: str, what: str, there: Sequence[str]) -> None:
    """Raises `AuditError` where there is such an entry: nothing is replaced."""
    if id in there:
        raise AuditError(f"{what} {id!r} is there already, and is kept; choose another name")


def with_sets(given: Mapping[str, str | None], sets: Sequence[str] | None) -> list[str]:
    """The flags that were given, and what --set says, each as KEY=VALUE."""
    return [*(f"{key}={it}" for key, it in given.items() if it), *(sets or ())]


def finish_entry(file: ClaimFile, *, asks: bool, dry_run: bool) -> int:
    """Check the entry before anything is shown; where questions were asked, write it on one more word."""
    file.check()
    if asks and not dry_run:
        say(file.diff())
        if ask("Enter to write it, q to leave:") in ("q", "quit", "n", "no"):
            raise AuditError("nothing was written, as you said")
        file.save()
        say(f"{file.path}: written")
        return Exit.OK
    return finish(file, dry_run=dry_run)


def asked(keys: Mapping[str, Key], held: Mapping[str, Plain]) -> dict[str, Plain]:
    """Every key that is not given yet, each checked as it is answered; Enter leaves out what may be."""
    answers = dict(held)
    for key in keys.values():
        if key.name in answers:
            continue
        value = answer(key)
        if value is not None:
            answers[key.name] = value
    return answers


def answer(key: Key) -> Plain:
    """The value of one key; None where it may be left out and is."""
    words = f" [{', '.join(key.choices)}]" if key.choices else ""
    while True:
        text = ask(f"{key.name}{'' if key.required else ' (may be left out)'}: {key.about}{words}\n>")
        if not text and not key.required:
            return None
        if not text:
            print(f"{key.name} is needed", file=sys.stderr)
            continue
        try:
            return key.value(text)
        except AuditError as err:
            print(err, file=sys.stderr)


def choice(what: str, names: Sequence[str], about: Callable[[str], str] = lambda name: "") -> str:
    """One of a few names, shown with what each is."""
    from audit.names import known_names as offered

    width = max([14, *map(len, names)])
    for name in names:
        say(f"  {name:{width}} {about(name)}".rstrip())
    while True:
        given = ask(f"{what}:")
        if given in names:
            return given
        print(f"{given!r} is none of them; {offered(given, names)}", file=sys.stderr)


def needed(what: str) -> str:
    """An answer that is not empty."""
    while not (given := ask(f"{what}:")):
        print("it is needed", file=sys.stderr)
    return given
