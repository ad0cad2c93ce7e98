"""Reads `audit.json`, and says in one sentence why a file is none."""

from __future__ import annotations

from pathlib import Path

from audit.errors import AuditError
from audit.files import explained
from audit.record import FORMAT_VERSION, Audit, audit_from_json


def read_audit(path: Path) -> Audit:
    """The audit in a file. Raises `AuditError` naming the file, and the key where one is to blame."""
    with explained(path):
        content = path.read_bytes()
    try:
        audit = audit_from_json(content.decode())
    except ValueError as err:
        raise AuditError(f"{path}: no audit record ({err}); `audit run` makes one") from err
    if audit.format_version > FORMAT_VERSION:
        raise AuditError(
            f"{path}: format {audit.format_version} was written by a newer version of this tool, and this "
            f"one reads up to {FORMAT_VERSION}; update the tool"
        )
    claims, verdicts = [it.id for it in audit.claims], [it.claim for it in audit.verdicts]
    if claims != verdicts:
        raise AuditError(
            f"{path}: no audit record (its {len(verdicts)} verdicts are not those of its {len(claims)} "
            "claims); `audit run` makes one"
        )
    return audit
