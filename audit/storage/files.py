"""Files that are whole or absent: written beside their place, synced, renamed; also reads `audit.json`."""

from __future__ import annotations

import errno
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audit.errors import AuditError, StoreError
from audit.json_errors import RecordError, read_record, unread
from audit.record import FORMAT_VERSION, Audit, seal_of

_REMEDIES = {
    errno.ENOSPC: "free some space there or choose another folder",
    errno.EDQUOT: "free some of your quota or choose another folder",
    errno.EISDIR: "a folder is in the place of a file, so move the folder away",
    errno.EROFS: "choose a folder that can be written",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "make it accessible or choose another folder"),
    **dict.fromkeys(
        (errno.EEXIST, errno.ENOTDIR), "a file stands where a folder is needed, so choose another folder"
    ),
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


def check_can_be_written(folder: Path) -> None:
    """Raises `StoreError` if the folder cannot be made or written to; makes nothing."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists() or path.is_symlink())
    with explained(folder):
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "")
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "")


def write(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Give `content` the name `path` in one step; whatever happens, `path` is whole: the old file or the new.
    That holds for a power cut too if `durable`; else once the caller has called `os.sync`. The temporary
    name is `.NAME.PID-RANDOM.tmp` beside it, NAME cut to fit. Only a killed process leaves one; the next
    durable write in that folder removes it, a minute later or more."""
    temporary = path.with_name(f".{path.name[:50]}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
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
        for left in path.parent.glob(".*.[0-9]*-????????.tmp"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > 60:
                    left.unlink()
        with suppress(OSError):  # Windows cannot open a folder
            handle = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def write_texts(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write files by name into the folder, which is made; returns their paths. Raises `StoreError`."""
    paths = [folder / name for name in texts]
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            write(path, text.encode())
    return paths


def write_sealed(path: Path, record: Any) -> None:
    """Write a dataclass as JSON with a seal over it. Raises `OSError`; `ValueError` for a NaN in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.loads(json.dumps(asdict(record), allow_nan=False))
    content["seal"] = seal_of(content)
    write(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def read_sealed(path: Path, kind: Any, newest: int) -> Any:
    """Read a file of `write_sealed`; None if there is none. Raises `RecordError` and `StoreError`."""
    with explained(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "")
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        text = raw.decode()
        content = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise RecordError(unread(err)) from err
    version = content.get("format_version") if isinstance(content, dict) else None
    if isinstance(version, int) and version > newest:
        raise StoreError(f"{path}: a newer version of this tool wrote it; update the tool")
    record = read_record(kind, text)
    if content.get("seal") != seal_of(content):
        raise RecordError("it was changed after this tool wrote it")
    return record


def read_audit(path: Path) -> Audit:
    """The audit in a file. Raises `AuditError` naming the file, and the faulty key if there is one."""
    # Nothing is lost with an audit's record: all runs are in the store.
    if path.is_dir():
        raise AuditError(f"{path} is a folder; give the audit.json in it")
    remedy = "`audit judge` writes it again from the runs in the store; `audit run` makes runs"
    try:
        audit: Audit | None = read_sealed(path, Audit, FORMAT_VERSION)
    except RecordError as err:
        raise AuditError(f"{path}: not an audit record ({err}); {remedy}") from err
    if audit is None:
        raise AuditError(f"{path}: No such file or directory; give an audit.json, or make it: {remedy}")
    if [claim.id for claim in audit.claims] != [verdict.claim for verdict in audit.verdicts]:
        raise AuditError(f"{path}: not an audit record (its verdicts are not those of its claims); {remedy}")
    return audit
