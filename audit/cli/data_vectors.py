"""`audit data vectors`: what a file of word vectors holds, converted once for all runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import data_app, say
from audit.errors import Exit

if TYPE_CHECKING:
    from reimpl.data.vectors import ConvertedFile, Progress

_FIRST = 8
"""Words that are shown."""


@data_app.command("vectors")
def vectors_command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Text (GloVe, word2vec, fastText), word2vec's .bin, or NAME.npy with words in NAME.txt; "
            "packed too. Of a .zip with several: FILE.zip/MEMBER.",
        ),
    ],
    dimension: Annotated[
        int | None,
        typer.Option(min=1, help="What it must be; of GloVe's .zip files it chooses the member."),
    ] = None,
    store: Annotated[Path, typer.Option(help="Folder of the run records, where converted files lie.")] = Path(
        "audit-runs"
    ),
) -> int:
    """Say what a file of word vectors holds, and convert it once for all runs with --vectors FILE."""
    from reimpl.data.vectors import converted

    with _bar(file.name) as progress:
        found = converted(file, store / "data" / "vectors", dimension=dimension, progress=progress)
    for line in _lines(file, found):
        say(line)
    return Exit.OK


def _lines(file: Path, found: ConvertedFile) -> Iterator[str]:
    tally = found.tally
    differ = tally.lines - tally.bad - tally.duplicates
    words = f"{differ:,} word{'s' if differ != 1 else ''}"
    yield f"{file}: {tally.form}, {words} of {tally.dimension} {tally.stored} numbers"
    for note in tally.notes(file.name)[1:]:
        yield f"    {note.removeprefix('Word vectors: ')}"
    first = ", ".join(repr(word.decode("utf-8", "backslashreplace")) for word in found.first_words(_FIRST))
    yield f"    first words: {first}"
    yield f"kept: {found.folder}, {found.size / 1e6:,.1f} MB"


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    """A bar on a terminal for each step that is told; nothing elsewhere."""
    from audit.runner.progress import bytes_bar

    with bytes_bar(name) as show:
        yield lambda what, done, total: show(done, total or None, what)
