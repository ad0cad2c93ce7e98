"""`audit explain`: one verdict with every number of its derivation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import app, say
from audit.cli.options import command
from audit.cli.report import numbers_explained, read_sound, records_in
from audit.errors import AuditError, Exit
from audit.names import SHOWN, known_names

if TYPE_CHECKING:
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

    paths = records or records_in(out)
    audits = [(path, read_sound(path)) for path in paths]
    found = [(*pair, it) for pair in audits for it in pair[1].claims if claim in (it.id, it.claim)]
    if not found:
        where = str(paths[0]) if len(paths) == 1 else f"{len(paths)} records"
        raise AuditError(_not_there(claim, [audit for _, audit in audits], where))
    for k, (path, audit, it) in enumerate(found):
        with numbers_explained(path):
            lines = explanation(_with_documents(audit, it, store), it)
        place = f"{audit.paper.key} ({path})"
        say("\n".join([*([""] if k else []), place, *lines]))
    return Exit.OK


def _with_documents(audit: Audit, claim: ClaimRecord, store: Path) -> Audit:
    """With what single documents say of the claim, where the audit does not have it and the store does."""
    from audit.judging.documents import with_instances
    from audit.storage.runs import Store

    if claim.id in audit.instances or not store.is_dir():
        return audit
    verdicts = tuple(it for it in audit.verdicts if it.claim == claim.id)
    found = with_instances(replace(audit, claims=(claim,), verdicts=verdicts), Store(store))
    return replace(audit, instances=found.instances)


def _not_there(name: str, audits: Sequence[Audit], where: str) -> str:
    """Why no verdict has that name, and what to ask for instead."""
    claim, _, metric = name.partition(":")
    metrics = [it.metric for audit in audits for it in audit.claims if it.claim == claim]
    if metric and metrics:
        return f"{claim!r} is not about {metric!r} in {where}; {known_names(metric, metrics)}"
    for audit in audits:
        stated = [it.id for it in audit.findings if claim in it.id.split(":")[1:]]
        if stated:
            shows = f"`audit check {audit.paper.key} --explain {stated[0]}` shows it"
            return f"{claim!r} is a claim about printed numbers alone, which no run tests; {shows}"
    known = list(dict.fromkeys(it.claim for audit in audits for it in audit.claims))
    more = "; `audit list` shows all" if len(known) > SHOWN else ""
    return f"no claim {name!r} in {where}; {known_names(name, known)}{more}"
