"""What the commands that add one entry of a claim file share: options, questions, the last word."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import known_names, say
from audit.cli.editing import ask, claim_path, finish
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.entry_keys import Key
    from audit.claim_source import Plain

Paper = Annotated[str, typer.Option(metavar="KEY|FILE", help="The claim file that gets it.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any other key; lists with commas, the rest as in YAML."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")]


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
