"""Files that are whole or not there: written beside their place, synced, renamed; and `audit.json` read.

What a file system refuses, and why a file is no audit, is told in one sentence with a remedy.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from audit.errors import AuditError, StoreError
from audit.json_errors import RecordError, first_problem, refuse_non_finite, unread
from audit.record import FORMAT_VERSION, Audit, audit_from_json, seal_of

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


def write_sealed(path: Path, record: Any) -> None:
    """A dataclass as JSON with a seal over its content. Raises `OSError`; `ValueError` for a NaN in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.loads(json.dumps(asdict(record), allow_nan=False))
    content["seal"] = seal_of(content)
    write(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def read_sealed(path: Path, kind: Any, newest: int) -> Any:
    """What `write_sealed` wrote, None where there is no file.

    Raises `RecordError` saying what is wrong with it, and `StoreError`.
    """
    from pydantic import ValidationError

    with explained(path):
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        content = json.loads(text.decode())
        version = content.get("format_version") if isinstance(content, dict) else None
        if isinstance(version, int) and version > newest:
            raise StoreError(f"{path}: a newer version of this tool wrote it; update the tool")
        record = _adapter(kind).validate_json(text, strict=True)
        refuse_non_finite(content)
    except ValidationError as err:
        raise RecordError(first_problem(err)) from err
    except (ValueError, RecursionError) as err:
        raise RecordError(unread(err)) from err
    if content.get("seal") != seal_of(content):
        raise RecordError("it was changed after it was written")
    return record


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


#: Nothing is lost with a record: all runs are in the store.
REMEDY = "`audit judge` writes it anew from the runs in the store, `audit run` makes runs"


def read_audit(path: Path) -> Audit:
    """The audit in a file. Raises `AuditError` naming the file, and the key where one is to blame."""
    content = _read(path)
    try:
        audit = audit_from_json(content.decode())
    except UnicodeDecodeError as err:
        byte = content[err.start]
        raise AuditError(
            f"{path}: its byte 0x{byte:02x} is no text, so it is no audit record; {REMEDY}"
        ) from err
    except ValueError as err:
        raise AuditError(f"{path}: no audit record ({err}); {REMEDY}") from err
    if audit.format_version > FORMAT_VERSION:
        raise AuditError(
            f"{path}: format {audit.format_version} was written by a newer version of this tool, and this "
            f"one reads up to {FORMAT_VERSION}; update the tool"
        )
    claims, verdicts = [it.id for it in audit.claims], [it.claim for it in audit.verdicts]
    if claims != verdicts:
        raise AuditError(
            f"{path}: no audit record (its {len(verdicts)} verdicts are not those of its {len(claims)} "
            f"claims); {REMEDY}"
        )
    _check_seals(path, json.loads(content))
    return audit


def _check_seals(path: Path, content: Mapping[str, Any]) -> None:
    """Raises where the audit, or a run in it, is not as it was written.

    Audits of before there were looks have no seal.
    """
    runs = [run for it in content["experiments"] for run in (*it["runs"], *it.get("unjudged", ()))]
    broken = [it for it in (content, *runs) if it.get("seal") not in (None, "", seal_of(it))]
    unsealed = "looks" in content and not content.get("seal")
    if unsealed or any(
        it.get("sources") != {} or it["seal"] != seal_of(_without_sources(it)) for it in broken
    ):
        raise AuditError(f"{path}: it was changed after it was written; {REMEDY}")


def _without_sources(run: Mapping[str, Any]) -> dict[str, Any]:
    """As it was sealed before a record told of its sources."""
    return {key: value for key, value in run.items() if key != "sources"}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as err:
        raise AuditError(f"{path}: there is no such file; give an audit.json, or make it: {REMEDY}") from err
    except IsADirectoryError as err:
        raise AuditError(
            f"{path}: is a folder; give the audit.json in it, or --out for all below it"
        ) from err
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        raise AuditError(f"{path}: {reason}; give an audit.json that can be read") from err
