"""An audit, its runs and findings as pandas tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from audit.record import Audit, ExperimentRecord, Finding, Verdict


_OUTCOMES = ("reproduced", "contradicted", "inconclusive")


def verdicts_frame(audit: Audit) -> pd.DataFrame:
    """A row for each claim and metric: the printed value, the measured one, the verdict.

    `outcome` is inconclusive also of a claim that no run speaks to: there `tested` is False.
    """
    import pandas as pd

    claims = {claim.id: claim for claim in audit.claims}
    rows = [
        {
            **{name: getattr(claims[verdict.claim], name) for name in ("claim", "metric", "kind", "dataset")},
            **{name: getattr(verdict, name) for name in ("outcome", "tested", "reason", "scope")},
            "printed": ", ".join(claims[verdict.claim].printed),
            **{name: getattr(verdict, name) for name in ("estimate", "target", "margin")},
            "low": verdict.ci95[0] if verdict.ci95 else None,
            "high": verdict.ci95[1] if verdict.ci95 else None,
            "p_reproduced": verdict.p_reproduced_adjusted,
            "p_contradicted": verdict.p_contradicted_adjusted,
            "level": verdict.level,
            "runs": sum(verdict.n),
            "says": claims[verdict.claim].says,
        }
        for verdict in audit.verdicts
    ]
    return pd.DataFrame(rows)


def audit_html(audit: Audit, most: int = 40) -> str:
    """Title, counts, and a table of the claims for a notebook, at most so many: judged ones first."""
    table = verdicts_frame(audit)
    counts = ", ".join(f"{sum(table.outcome == word)} {word}" for word in _OUTCOMES)
    more = f"<p>and {len(table) - most} more; audit.report writes them all</p>" if len(table) > most else ""
    columns = ["claim", "metric", "outcome", "reason", "estimate", "target", "margin", "low", "high", "runs"]
    shown = table.sort_values("p_reproduced", key=lambda p: p.isna(), kind="stable")[columns].head(most)
    head = f"<b>{escape(audit.paper.key)}</b>: {escape(audit.paper.title)}<br>{len(table)} claims: {counts}"
    return f"<div><p>{head}</p>{_html(shown)}{more}</div>"


def verdict_html(verdict: Verdict) -> str:
    """A table of one row for a notebook."""
    import pandas as pd

    names = ["claim", "outcome", "reason", "estimate", "target", "margin", "ci95", "n"]
    return _html(pd.DataFrame([{name: getattr(verdict, name) for name in names}]))


def _html(table: pd.DataFrame) -> str:
    html: str = table.to_html(index=False, float_format="{:.2f}".format, na_rep="")
    return html


def runs_frame(experiments: Iterable[ExperimentRecord]) -> pd.DataFrame:
    """The evidence: a row for each run and metric, ours and imported; values as recorded (percent).

    A run without a metric, as a failed one, has one row with neither metric nor value.
    """
    import pandas as pd

    rows = [
        {
            "experiment": record.reading_of or record.id,
            "origin": "imported" if run.imported else "ours",
            "scope": record.scope,
            "split": run.data.split_column,
            "specification": ", ".join(f"{name}: {choice}" for name, choice in record.reading.items()),
            "seed": run.spec.seed,
            "status": run.status,
            "metric": metric,
            "value": value,
            "judged": judged,
            "run": run.key,
        }
        for record in experiments
        for runs, judged in ((record.runs, True), (record.unjudged, False))
        for run in runs
        for metric, value in run.metrics.items() or [(None, None)]
    ]
    columns = ["experiment", "origin", "scope", "split", "specification", "seed", "status", "metric", "value"]
    return pd.DataFrame(rows, columns=[*columns, "judged", "run"])


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """A row for each finding of the checks without runs."""
    import pandas as pd

    columns = ["id", "check", "result", "weight", "claim", "where", "cells", "arithmetic", "alternatives"]
    return pd.DataFrame([asdict(finding) for finding in findings], columns=columns)
