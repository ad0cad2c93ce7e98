"""What is written beside the page: which of it was asked for, and what is there already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.record import Audit

ALL = "all"
NAMES = ("csv", "markdown", "junit", "latex")

AlsoOption = Annotated[
    str | None,
    typer.Option(
        "--also",
        metavar="NAME,...",
        help=f"Write these beside the page: {', '.join(NAMES)}, or {ALL}. Those that are there are renewed.",
    ),
]


def also_of(text: str | None) -> tuple[str, ...]:
    """The names in `csv,junit`, each once; raises for one that is unknown."""
    if text is None:
        return ()
    names = [name.strip() for name in text.split(",")]
    if names == [ALL]:
        return NAMES
    if unknown := [name for name in names if name not in NAMES]:
        raise AuditError(f"--also {unknown[0]!r} is unknown; known are {', '.join(NAMES)}, and {ALL}")
    return tuple(dict.fromkeys(names))


def write_beside(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """The asked for, and those that an earlier command wrote there: none is older than the page beside it."""
    from audit.files import write
    from reports.exports import EXPORTS

    written = []
    for name, export in EXPORTS.items():
        path = folder / export.file
        if name in also or path.exists():
            write(path, export.write(audit).encode())
            written.append(path)
    return written
