"""`--models`: a folder of model files, for every command that looks a model up by its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from audit.errors import AuditError


def _use(context: typer.Context, folder: Path | None) -> Path | None:
    """The models in the folder too, here and in worker processes, until the command is over.

    Raises `AuditError` for a folder without any.
    """
    from reimpl.models import FOLDERS, files_of_models

    if folder is None:
        return None
    before = os.environ.get(FOLDERS)
    context.call_on_close(lambda: _put(FOLDERS, before))
    os.environ[FOLDERS] = os.pathsep.join(filter(None, [str(folder.resolve()), before]))
    if not any(path.parent == folder.resolve() for path in files_of_models().values()):
        _put(FOLDERS, before)  # a command whose options are refused is never closed
        raise AuditError(f"--models {folder}: no model file is there; `audit add model NAME` writes one")
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
