"""Claims with runs made by hand, and what the comparator says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.judging.verdicts import compare
from audit.record import ClaimRecord, ExperimentRecord, Margin, Run, Scope, Verdict, Where
from tests.records import make_experiment, make_run

OK = {"xml_cnn": True}
HALF = Margin(value=0.5, rule="field", why="usual")

#: Means 78.54 and 76.88: five seeds each, far apart.
HIGH, LOW = [78.6, 78.1, 78.9, 78.4, 78.7], [76.8, 77.2, 76.5, 77.0, 76.9]


def margin(value: float) -> Margin:
    return Margin(value=value, rule="field", why="usual")


def claim(kind: str, *experiments: str, id: str = "c", **more: Any) -> ClaimRecord:
    """With what its kind needs: a margin of 0.5, and 76.38 as the printed value."""
    given: dict[str, Any] = {"says": "", "metric": "P@1", "where": Where(), "dataset": "toy"}
    given |= {"margin": None if kind == "order" else HALF, "printed": ("76.38",) if kind == "value" else ()}
    return ClaimRecord(id=f"{id}:P@1", claim=id, kind=kind, experiments=experiments, **{**given, **more})


def runs(values: Sequence[float | None], *, prefix: str = "a", **more: Any) -> list[Run]:
    """One run for each value; None is a failed one."""
    return [
        make_run(seed, x, key=f"{prefix}{seed}", status="done" if x is not None else "failed", **more)
        for seed, x in enumerate(values)
    ]


def arms(scope: Scope = "same_data", **values: Sequence[float | None]) -> dict[str, ExperimentRecord]:
    """Experiments by name."""
    return {name: make_experiment(name, runs(v, prefix=name), scope=scope) for name, v in values.items()}


def judge(one: ClaimRecord, experiments: Mapping[str, ExperimentRecord], **more: Any) -> Verdict:
    (verdict,) = compare([one], experiments, **{"fidelity": OK, **more})
    return verdict


def said(verdict: Verdict) -> tuple[str, str]:
    return verdict.outcome, verdict.reason
