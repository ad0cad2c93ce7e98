"""`audit explain`: one verdict with every number of its derivation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from audit.cli.app import app, command, say
from audit.cli.report import numbers_explained, read_sound, records_in
from audit.errors import AuditError, Exit
from audit.names import SHOWN, known_names
from audit.record import Audit, ClaimRecord


@command(app, "explain")
def explain_command(
    claim: str,
    records: list[Path] | None = None,
    *,
    out: Path = Path("audit-report"),
    store: Path = Path("audit-runs"),
) -> int:
    """Show how a verdict came about: every number, with the formula that gives it, and what would change it.

    Needs no data, no GPU and no torch.
    """
    from audit.cli.explanation import explanation

    audits = [(path, read_sound(path)) for path in records or records_in(out)]
    found = [
        (path, audit, record)
        for path, audit in audits
        for record in audit.claims
        if claim in (record.id, record.claim)
    ]
    if not found:
        where = str(audits[0][0]) if len(audits) == 1 else f"{len(audits)} records"
        raise AuditError(_not_there(claim, [audit for _, audit in audits], where))
    for k, (path, audit, record) in enumerate(found):
        with numbers_explained(path):
            lines = explanation(_with_documents(audit, record, store), record)
        say("\n".join([*([""] if k else []), f"{audit.paper.key} ({path})", *lines]))
    return Exit.OK


def _with_documents(audit: Audit, claim: ClaimRecord, store: Path) -> Audit:
    """With what single documents say of the claim, where the audit does not have it and the store does."""
    from audit.judging.documents import with_instances
    from audit.storage.runs import Store

    if claim.id in audit.instances or not store.is_dir():
        return audit
    verdicts = tuple(verdict for verdict in audit.verdicts if verdict.claim == claim.id)
    found = with_instances(replace(audit, claims=(claim,), verdicts=verdicts), Store(store))
    return replace(audit, instances=found.instances)


def _not_there(name: str, audits: Sequence[Audit], where: str) -> str:
    """Why no verdict has that name, and what to ask for instead."""
    claim, _, metric = name.partition(":")
    claims = [record for audit in audits for record in audit.claims]
    metrics = [record.metric for record in claims if record.claim == claim]
    if metric and metrics:
        return f"{claim!r} is not about {metric!r} in {where}; {known_names(metric, metrics)}"
    for audit in audits:
        stated = [finding.id for finding in audit.findings if claim in finding.id.split(":")[1:]]
        if stated:
            shows = f"`audit check {audit.paper.key} --explain {stated[0]}` shows it"
            return f"{claim!r} is a claim about printed numbers alone, which no run tests; {shows}"
    known = list(dict.fromkeys(record.claim for record in claims))
    more = "; `audit list` shows all" if len(known) > SHOWN else ""
    return f"no claim {name!r} in {where}; {known_names(name, known)}{more}"
