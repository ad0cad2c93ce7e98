"""Small files that are whole or not there."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Gives UTF-8 `text` the name `path` in one step, in a folder that is made where it lacks.

    Raises `OSError` where it cannot be written; then what stood there is as it was, and nothing is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    work = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        work.write_text(text, "utf-8")
        work.replace(path)
    except BaseException:
        work.unlink(missing_ok=True)
        raise
