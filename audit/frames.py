"""An audit, its runs and findings as pandas tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from audit.record import Audit, ExperimentRecord, Finding, Run

_RUN_COLUMNS = (
    *("experiment", "origin", "scope", "split", "specification", "seed", "status", "metric", "value"),
    *("judged", "run"),
)


def verdicts_frame(audit: Audit) -> pd.DataFrame:
    """A row for each claim and metric: the printed value, the measured one, the verdict.

    `outcome` is inconclusive also of a claim that no run speaks to: there `tested` is False.
    """
    import pandas as pd

    claims = {it.id: it for it in audit.claims}
    rows = []
    for verdict in audit.verdicts:
        claim = claims[verdict.claim]
        rows.append(
            {
                "claim": claim.claim,
                "metric": claim.metric,
                "kind": claim.kind,
                "dataset": claim.dataset,
                "outcome": verdict.outcome,
                "tested": verdict.tested,
                "reason": verdict.reason,
                "scope": verdict.scope,
                "printed": ", ".join(claim.printed),
                "estimate": verdict.estimate,
                "target": verdict.target,
                "margin": verdict.margin,
                "low": verdict.ci95[0] if verdict.ci95 else None,
                "high": verdict.ci95[1] if verdict.ci95 else None,
                "p_reproduced": verdict.p_reproduced_adjusted,
                "p_contradicted": verdict.p_contradicted_adjusted,
                "level": verdict.level,
                "runs": sum(verdict.n),
                "says": claim.says,
            }
        )
    return pd.DataFrame(rows)


def runs_frame(experiments: Iterable[ExperimentRecord]) -> pd.DataFrame:
    """The evidence: a row for each run and metric, ours and imported; values as recorded (percent).

    A run without a metric, as a failed one, has one row with neither metric nor value.
    """
    import pandas as pd

    return pd.DataFrame([row for it in experiments for row in _rows_of(it)], columns=list(_RUN_COLUMNS))


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """A row for each finding of the checks without runs."""
    import pandas as pd

    columns = ["id", "check", "result", "weight", "claim", "where", "cells", "arithmetic", "alternatives"]
    rows = [[getattr(it, name) for name in columns] for it in findings]
    return pd.DataFrame(rows, columns=columns)


def _rows_of(experiment: ExperimentRecord) -> Iterator[tuple[Any, ...]]:
    specification = ", ".join(f"{name}: {choice}" for name, choice in experiment.reading.items())
    for runs, judged in ((experiment.runs, True), (experiment.unjudged, False)):
        for run in runs:
            for metric, value in dict(run.metrics).items() or ((None, None),):
                yield (
                    experiment.reading_of or experiment.id,
                    _origin(run),
                    experiment.scope,
                    run.data.split_column,
                    specification,
                    run.spec.seed,
                    run.status,
                    metric,
                    value,
                    judged,
                    run.key,
                )


def _origin(run: Run) -> str:
    return "imported" if run.imported else "ours"
