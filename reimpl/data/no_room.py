"""A preparation that cannot be kept on disk: a small corpus goes on in memory, a larger one ends here."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

from reimpl.errors import DataError

#: Bytes of a corpus's files, packed as they are, up to which it is prepared in memory.
MOST_IN_MEMORY = 256_000_000

_NO_SPACE = 1 << 16

log = logging.getLogger(__name__)


def go_on_in_memory(name: str, size: int, folder: Path, err: OSError, *, most: int | None) -> None:
    """Logs a warning where files of `size` bytes are no more than `most`; None is `MOST_IN_MEMORY`.

    Raises `DataError` elsewhere, with why `folder` cannot be written and what to do.
    """
    most = MOST_IN_MEMORY if most is None else most
    what = f"{folder}: the prepared {name} cannot be kept ({reason(err, folder)})"
    if not most or size > most:
        larger = f" and is too large for memory ({_mega(size)}, at most {_mega(most)})" if most else ""
        raise DataError(f"{what}{larger}; free some space there or choose another folder") from err
    log.warning("%s; it is prepared in memory at each start", what)


def reason(err: OSError, folder: Path) -> str:
    """Why it failed, in the system's words; numpy's only count what it could not write."""
    if err.errno:
        return os.strerror(err.errno)
    try:
        full = shutil.disk_usage(folder).free < _NO_SPACE
    except OSError:
        full = False
    return "No space left on device" if full else str(err)


def _mega(size: int) -> str:
    return f"{size / 1e6:,.0f} MB of files"
