"""Files that are whole or not there: written beside their place, synced, renamed.

What a file system refuses is told in one sentence with a remedy.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from audit.errors import StoreError

_REMEDIES = {
    errno.ENOSPC: "free some space there or choose another folder",
    errno.EDQUOT: "free some of your quota or choose another folder",
    errno.EACCES: "make it accessible or choose another folder",
    errno.EPERM: "make it accessible or choose another folder",
    errno.EROFS: "choose a folder that can be written",
    errno.EEXIST: "a file stands where a folder is needed, so choose another folder",
    errno.ENOTDIR: "a file stands where a folder is needed, so choose another folder",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an `OSError` about `path` into a `StoreError` of one sentence: what, where and what to do."""
    try:
        yield
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        remedy = _REMEDIES.get(err.errno or 0, "choose another folder")
        raise StoreError(f"{path}: {reason}; {remedy}") from err


def write(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Give `content` the name `path` in one step; whatever happens, `path` is whole: the old file or the new.

    That holds for a power cut too if `durable`; else once the caller has called `sync_all`.
    The temporary name is `.NAME.PID-RANDOM.tmp` in the same folder. Only a killed process leaves one behind.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):  # gone after the rename; and an error here must not hide the real one
            temporary.unlink(missing_ok=True)
    if durable:
        _sync_folder(path.parent)


def sync_all() -> None:
    """Make all that was written outlast a power cut: one wait for thousands of files."""
    if hasattr(os, "sync"):
        os.sync()


def _sync_folder(folder: Path) -> None:
    """Make a rename outlast a power cut, where the system can (Windows cannot open a folder)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
