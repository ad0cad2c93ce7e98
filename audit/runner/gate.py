"""The fidelity gate: what our implementations pass before they may contradict anybody."""

from __future__ import annotations

from audit.record import FidelityCheck, models_of
from audit.runner.plan import Plan


def fidelity(plan: Plan) -> tuple[FidelityCheck, ...]:
    """The checks of every model that the plan runs, and of models that those hold; imports torch."""
    from reimpl.fidelity import check

    models = dict.fromkeys(name for job in plan.jobs for name in models_of(job.spec.model, job.spec.config))
    return tuple(
        FidelityCheck(model=it.model, name=it.name, passed=it.passed, detail=it.detail)
        for model in models
        for it in check(model)
    )
