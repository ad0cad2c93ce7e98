"""What all commands that change a claim file share: which file, `--set`, questions, the diff, the writing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from audit.cli.app import known_names, say
from audit.errors import AuditError, Exit
from audit.names import counted
from audit.names import known_names as offered

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.entries import Keys
    from audit.claims.source import Plain

T = TypeVar("T")

Paper = Annotated[str, typer.Option(metavar="KEY|FILE", help="The claim file that gets it.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any other key, its value as in YAML; once for each."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")]
#: What to do where nobody answers, for commands whose every question has its option.
_OPTIONS = "give what is asked for as options, which --help shows"


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


def open_file(paper: str, *, configs: bool = False) -> ClaimFile:
    """The claim file that is to be changed; with `configs`, as `audit validate` reads it."""
    from audit.authoring.edit import ClaimFile

    return ClaimFile.open(claim_path(paper), known=known_names(configs=configs))


def sets(given: Sequence[str] | None) -> dict[str, str]:
    """What --set says, by key. Raises `AuditError` for another form, and for a key that is said twice."""
    held: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise AuditError(f"--set {text!r}: write KEY=VALUE")
        if name in held:
            raise AuditError(f"--set {name}: it is said twice; say it once, lists with commas")
        held[name] = value.strip()
    return held


def the_one(what: str, name: str, there: Mapping[str, T]) -> T:
    """Raises `AuditError` for a name that is not there, offering those that are."""
    if name not in there:
        raise AuditError(f"there is no {what} {name!r}; {offered(name, there)}")
    return there[name]


def finish(file: ClaimFile, *, asks: bool = False, dry_run: bool) -> int:
    """Check the changes, show them, and write them: on one more word where questions were asked."""
    file.check()
    say(file.diff())
    if dry_run:
        say(f"{file.path}: nothing was written (--dry-run); it would be valid")
        return Exit.OK
    if asks and ask("Enter to write it, q to leave:") in ("q", "quit", "n", "no"):
        raise AuditError("nothing was written, as you said")
    paper = file.save()
    say(f"{file.path}: written; {counted(len(paper.tables), 'table')}, {counted(len(paper.claims), 'claim')}")
    return Exit.OK


# --------------------------------------------------------------------------- questions


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


def until_sound(question: str, read: Callable[[str], T], *, otherwise: str = _OPTIONS) -> T:
    """Ask until `read` takes the answer; what it raises is shown."""
    while True:
        answer = ask(question, otherwise=otherwise)
        try:
            return read(answer)
        except AuditError as err:
            print(err, file=sys.stderr)


def asked(
    keys: Keys,
    held: Mapping[str, Plain],
    needed: Sequence[str] = (),
    offers: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, Plain]:
    """Every key that is not given yet, each checked as it is answered; Enter leaves out what may be.

    `offers`: the names that some of the keys may have.
    """
    answers = dict(held)
    for name in (it for it in keys.fields if it not in held):
        required = keys.fields[name].is_required() or name in needed

        def read(text: str, name: str = name, required: bool = required) -> Plain:
            if not text and required:
                raise AuditError(f"{name} is needed")
            return keys.value(name, text) if text else None

        words = ", ".join((offers or {}).get(name, ()))
        may, known = "" if required else " (may be left out)", f" [{words}]" if words else ""
        value = until_sound(f"{name}{may}: {keys.about(name)}{known}\n>", read)
        if value is not None:
            answers[name] = value
    return answers
