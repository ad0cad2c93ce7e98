"""`audit data`: corpora."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from audit.cli.app import data_app, say
from audit.exit_codes import Exit


@data_app.command("describe")
def describe_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with train.txt and test.txt.")],
) -> int:
    """Sizes, labels and words of a corpus, and what is odd about it."""
    from reimpl.data.describe import describe

    for name, value in _flat(describe(folder)):
        say(f"{name:38} {value:,.2f}" if isinstance(value, float) else f"{name:38} {value}")
    return Exit.OK


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`splits: {train: {documents: 3}}` becomes `train documents`."""
    for name, value in figures.items():
        words = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, "" if name == "splits" else f"{words} ")
        else:
            yield words, value
