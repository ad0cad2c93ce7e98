"""The sections of the page below its claims, with their text already formatted; the templates print it."""

from __future__ import annotations

from dataclasses import dataclass

from reports.across_view import AcrossSection, across_section
from reports.authors_view import AuthorSlot, author_slot
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
    rerun: RerunBox
    provenance: Provenance


def sections(found: Lookup) -> Sections:
    """All of them, of one audit."""
    return Sections(
        findings=findings_section(found),
        across=across_section(found),
        gate=gate_models(found),
        not_ours=not_ours(found),
        protocol=protocol_diff(found),
        curves=learning_curves(found),
        not_checked=not_checked(found),
        authors=author_slot(found),
        rerun=rerun_box(found),
        provenance=provenance(found),
    )
