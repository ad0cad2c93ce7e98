"""An audit, its runs and findings as pandas tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from audit.record import Audit, ExperimentRecord, Finding

_RUNS = (
    *("experiment", "origin", "scope", "split", "specification", "seed", "status", "metric", "value"),
    *("judged", "run"),
)
_FINDINGS = ("id", "check", "result", "weight", "claim", "where", "cells", "arithmetic", "alternatives")


def verdicts_frame(audit: Audit) -> pd.DataFrame:
    """A row for each claim and metric: the printed value, the measured one, the verdict.

    `outcome` is inconclusive also of a claim that no run speaks to: there `tested` is False.
    """
    import pandas as pd

    rows = []
    for claim, verdict in zip(audit.claims, audit.verdicts, strict=True):
        low, high = verdict.ci95 or (None, None)
        rows.append(
            {
                **{name: getattr(claim, name) for name in ("claim", "metric", "kind", "dataset")},
                **{name: getattr(verdict, name) for name in ("outcome", "tested", "reason", "scope")},
                "printed": ", ".join(claim.printed),
                **{name: getattr(verdict, name) for name in ("estimate", "target", "margin")},
                "low": low,
                "high": high,
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

    rows = [
        (
            record.reading_of or record.id,
            "imported" if run.imported else "ours",
            record.scope,
            run.data.split_column,
            ", ".join(f"{name}: {choice}" for name, choice in record.reading.items()),
            run.spec.seed,
            run.status,
            metric,
            value,
            judged,
            run.key,
        )
        for record in experiments
        for runs, judged in ((record.runs, True), (record.unjudged, False))
        for run in runs
        for metric, value in run.metrics.items() or [(None, None)]
    ]
    return pd.DataFrame(rows, columns=list(_RUNS))


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """A row for each finding of the checks without runs."""
    import pandas as pd

    return pd.DataFrame([asdict(finding) for finding in findings], columns=list(_FINDINGS))
