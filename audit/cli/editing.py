"""What all commands that change a claim file share: which file, the diff, the question, the writing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claim_names import counted
from audit.cli.app import say
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile


def claim_path(name: str) -> Path:
    """The claim file that is to be changed: a path, or KEY for claims/KEY.yaml or KEY.yaml.

    Built-in files are part of the installation and are not changed by their key.
    """
    from audit.claim import builtin_claims
    from audit.papers import own_file

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
