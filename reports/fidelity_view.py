"""The fidelity gate: the checks that each implementation passed, and what hangs on it."""

from __future__ import annotations

from dataclasses import dataclass

from audit.record import FidelityCheck
from reports import wording
from reports.lookup import Lookup
from reports.wording import fidelity as words


@dataclass(frozen=True)
class GateModel:
    """One model whose runs are in the audit, or of which checks are on record."""

    name: str
    sentence: str
    used: str
    """Empty where nothing was run with it."""
    open: bool
    """Whether it may speak against a claim."""
    checks: tuple[FidelityCheck, ...]
    """Those that did not pass first."""


def not_ours(found: Lookup) -> str:
    """What the checks say nothing about; empty where every run is ours."""
    imported = any(run.imported for it in found.audit.experiments for run in it.runs)
    return words.IMPORTED if imported else ""


def gate_models(found: Lookup) -> tuple[GateModel, ...]:
    """In the order in which the checks stand; models that were run without any check at the end."""
    checks = found.audit.fidelity
    used: dict[str, set[str]] = {}
    for it in found.audit.experiments:
        if any(not run.imported for run in it.runs):
            for model in it.models:
                used.setdefault(model, set()).add(it.id)
    models = dict.fromkeys((*(it.model for it in checks), *used))
    return tuple(
        _model(name, tuple(it for it in checks if it.model == name), used.get(name, set()), found)
        for name in models
    )


def _model(name: str, checks: tuple[FidelityCheck, ...], used: set[str], found: Lookup) -> GateModel:
    claims = sum(bool(used & set(it.experiments)) for it in found.audit.claims)
    return GateModel(
        name=name,
        sentence=wording.fidelity_note(name, checks) if checks else words.no_check(name),
        used=words.used_by(len(used), claims) if used else "",
        open=bool(checks) and all(it.passed for it in checks),
        checks=tuple(sorted(checks, key=lambda it: it.passed)),
    )
