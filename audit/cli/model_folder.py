"""`--models`: a folder of model files, for every command that looks a model up by its name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from audit.errors import AuditError


@contextmanager
def models_of(folder: Path | None) -> Iterator[None]:
    """The models in the folder too, here and in worker processes, while the block runs.

    Raises `AuditError` for a folder without any.
    """
    from reimpl.models import FOLDERS, files_of_models

    if folder is None:
        yield
        return
    before = os.environ.get(FOLDERS)
    os.environ[FOLDERS] = os.pathsep.join(filter(None, [str(folder.resolve()), before]))
    try:
        if not any(path.parent == folder.resolve() for path in files_of_models().values()):
            raise AuditError(f"--models {folder}: no model file is there; `audit add model NAME` writes one")
        yield
    finally:
        _put(FOLDERS, before)


def _use(context: typer.Context, folder: Path | None) -> Path | None:
    """Until the command is over."""
    with ExitStack() as held:  # a command whose options are refused is never closed
        held.enter_context(models_of(folder))
        context.call_on_close(held.pop_all().close)
    return folder


def _put(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="DIR",
        callback=_use,
        help="Folder of model files of your own; they are code, and what trains, counts or validates runs "
        "them.",
    ),
]
