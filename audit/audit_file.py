"""Reads `audit.json`, and says in one sentence why a file is none."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.errors import AuditError
from audit.record import FORMAT_VERSION, Audit, audit_from_json, seal_of

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
    """Raises where the audit, or a run in it, is not as it was written; older audits have no seal."""
    runs = [run for it in content["experiments"] for run in (*it["runs"], *it.get("unjudged", ()))]
    broken = [it for it in (content, *runs) if it.get("seal") not in (None, "", seal_of(it))]
    if any(it.get("sources") != {} or it["seal"] != seal_of(_without_sources(it)) for it in broken):
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
