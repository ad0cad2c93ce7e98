"""Options that `audit run` and `audit tune` have in common, and what is checked of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.corpus_options import IN_RUN
from audit.errors import AuditError

if TYPE_CHECKING:
    from reimpl.data.formats import Options

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="An experiment, claim, table or data set; may be repeated."),
]


def check_made(data: Path | None, options: Options, *, format: str | None, vectors: str | None) -> None:
    """Raises `AuditError` where something is said of a corpus, and there is none but the made one."""
    if data is not None:
        return
    if given := [*options.stated, *(["format"] if format else [])]:
        raise AuditError(f"{IN_RUN.names[given[0]]}: says how --data is read; give that too")
    if vectors:
        raise AuditError(f"--vectors {vectors}: made words have no vectors; give --data too, or leave it out")
