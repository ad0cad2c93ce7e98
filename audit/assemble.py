"""Claim file + evidence -> the audit: the one record that reports are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import audit
from audit.checks import all_findings
from audit.claim import Paper
from audit.comparator import compare
from audit.record import Audit, ClaimRecord, ExperimentRecord, FidelityCheck, Verdict


def assemble(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Sequence[FidelityCheck],
    command: str,
) -> Audit:
    """Judge every claim of the paper by the runs of its experiments."""
    claims = paper.claim_records()
    hash_now = paper.margins_hash
    verdicts = compare(
        claims,
        experiments,
        fidelity=_passed(fidelity),
        margins=(paper.paper.key, hash_now),
    )
    runs = [run for experiment in experiments.values() for run in experiment.runs]
    return Audit(
        paper=paper.info(),
        tables=paper.table_records(),
        experiments=tuple(experiments.values()),
        claims=claims,
        verdicts=verdicts,
        findings=all_findings(paper.table_records()),
        fidelity=tuple(fidelity),
        margins_hash=hash_now,
        command=command,
        tool_version=audit.__version__,
        created=max((run.finished for run in runs if run.finished), default=""),
        not_checked=tuple(_not_checked(experiments.values(), claims, verdicts)),
    )


def _passed(checks: Sequence[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks; a model without checks is not there."""
    return {
        model: all(it.passed for it in checks if it.model == model) for model in {it.model for it in checks}
    }


def _not_checked(
    experiments: Iterable[ExperimentRecord], claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]
) -> Iterable[str]:
    """One sentence for each thing that was left out, and why."""
    for experiment in experiments:
        if experiment.not_run:
            yield f"{experiment.title}: {experiment.not_run.rstrip('.')}."
    other = sum(verdict.reason == "other_data" for verdict in verdicts)
    if other:
        yield (
            f"{other} of {len(claims)} claims are about a printed value. The runs used other data than the "
            "paper, so these values are not judged."
        )
