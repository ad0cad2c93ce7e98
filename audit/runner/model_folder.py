"""A folder of model files, for whatever looks a model up by its name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audit.errors import AuditError, option


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
            raise AuditError(
                f"{option('models', folder)}: no model file is there; `audit add model NAME` writes one"
            )
        yield
    finally:
        if before is None:
            os.environ.pop(FOLDERS, None)
        else:
            os.environ[FOLDERS] = before
