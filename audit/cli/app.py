"""The command line's application and what all its commands share."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from audit.claims.known import names_here as known_names
from audit.claims.papers import check_keys, claim_paths, papers_of
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from rich.table import Table

    from audit.record import Audit

__all__ = [
    "app",
    "check_keys",
    "claim_paths",
    "data_app",
    "known_names",
    "papers_of",
    "say",
    "say_table",
    "verdict_code",
]

app = typer.Typer(
    help="Do the numbers in this paper hold? Runs a paper's claims, judges them, and writes a report.",
    epilog="Exit codes: 0 nothing contradicted, 1 something contradicted or inconsistent, 2 bad input, "
    "3 runs failed, 70 a fault of this tool, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(name="data", help="Look at corpora, download and prepare them.", no_args_is_help=True)
app.add_typer(data_app)
add_app = typer.Typer(name="add", help="Write claim files: a new paper, its tables.", no_args_is_help=True)
app.add_typer(add_app)


def say(text: str) -> None:
    """Print to stdout; where it cannot be written the command ends."""
    try:
        print(text, flush=True)
    except OSError as err:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise AuditError(f"standard output: {os.strerror(err.errno or 0)}; send it elsewhere") from err


def say_table(table: Table) -> None:
    """As wide as the terminal; in a file or a pipe as COLUMNS says, or 110 characters."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        console = Console(highlight=False, width=max(40, int(columns)) if columns.isdecimal() else 110)
    with console.capture() as captured:
        console.print(table)
    say("\n".join(line.rstrip() for line in captured.get().splitlines()).rstrip() + "\n")


def verdict_code(audit: Audit) -> Exit:
    return Exit.CONTRADICTED if any(v.outcome == "contradicted" for v in audit.verdicts) else Exit.OK
