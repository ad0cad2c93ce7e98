"""The sections of the page below its claims, with their text already formatted; the templates print it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Audit
from reports.across_view import AcrossSection, across_section
from reports.authors_view import AuthorSlot, History, author_slot, claim_history
from reports.fidelity_view import GateModel, gate_models, not_ours
from reports.findings_view import FindingsSection, findings_section
from reports.learning_curves import LearningCurve, learning_curves
from reports.lookup import Lookup
from reports.not_checked import NotCheckedGroup, not_checked
from reports.protocol_diff import ProtocolDiff, protocol_diff
from reports.rerun_view import Provenance, RerunBox, provenance, rerun_box


@dataclass(frozen=True)
class Sections:
    findings: FindingsSection | None
    """None where no check is on record."""
    across: AcrossSection
    gate: tuple[GateModel, ...]
    not_ours: str
    protocol: ProtocolDiff
    curves: tuple[LearningCurve, ...]
    not_checked: tuple[NotCheckedGroup, ...]
    authors: AuthorSlot
    history: History | None
    """None where no earlier audit was given."""
    rerun: RerunBox
    provenance: Provenance


def sections(found: Lookup, previous: Sequence[Audit] = ()) -> Sections:
    """All of them, of one audit; `previous` are earlier audits of its paper."""
    return Sections(
        findings=findings_section(found),
        across=across_section(found),
        gate=gate_models(found),
        not_ours=not_ours(found),
        protocol=protocol_diff(found),
        curves=learning_curves(found),
        not_checked=not_checked(found),
        authors=author_slot(found),
        history=claim_history(found, previous),
        rerun=rerun_box(found),
        provenance=provenance(found),
    )
