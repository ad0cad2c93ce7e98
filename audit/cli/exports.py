"""What is written beside the page: exports, and the figures as files for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.record import Audit
    from reports.figures import Format

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
FiguresOption = Annotated[
    Path | None,
    typer.Option(
        "--figures",
        metavar="DIR",
        help="Also draw the figures as files for a paper; of several reports, a folder each.",
    ),
]
FormatOption = Annotated[
    str | None, typer.Option("--figure-format", metavar="svg,pdf,png", help="Default: svg.")
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


def write_exports(audit: Audit, folder: Path, also: Sequence[str] = ()) -> list[Path]:
    """The asked for, and those that an earlier command wrote there: none is older than the page beside it."""
    from audit.storage.files import write
    from reports.exports import EXPORTS

    written = []
    for name, export in EXPORTS.items():
        path = folder / export.file
        if name in also or path.exists():
            write(path, export.write(audit).encode())
            written.append(path)
    return written


def formats_of(text: str | None, figures: Path | None) -> tuple[Format, ...]:
    """The formats in `svg,pdf`; raises for an unknown one, and without a folder."""
    from reports.figures import FORMATS

    if figures is None:
        if text is not None:
            raise AuditError(f"--figure-format {text}: no folder to draw in; give --figures DIR too")
        return ()
    names = [name.strip() for name in (text or "svg").split(",")]
    if unknown := [name for name in names if name not in FORMATS]:
        raise AuditError(f"--figure-format {unknown[0]!r} is unknown; known are {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in names)


def draw_figures(audit: Audit, folder: Path, formats: tuple[Format, ...]) -> list[Path]:
    """The audit's figures in the folder, each in each format; other files there stay."""
    from audit.storage.files import explained, write
    from reports.figures import draw_figure, paper_figures

    written = []
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for figure in paper_figures(audit):
            for kind in formats:
                path = folder / f"{figure.name}.{kind}"
                write(path, draw_figure(figure, kind))
                written.append(path)
    return written
