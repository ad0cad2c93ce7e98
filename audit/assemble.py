"""Claim file + evidence -> the audit: the one record that reports are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import audit
from audit.across_papers import across
from audit.checks import Sheet, all_findings
from audit.claim import Paper
from audit.describe import share
from audit.imported import aimed
from audit.looks import Judge, about_looks, judge_by
from audit.plan import settling
from audit.record import Audit, ExperimentRecord, FidelityCheck, Look, Verdict
from audit.split_study import stand
from audit.stats.printed import printed_count
from audit.verdicts import MarginsNow, compare


def assemble(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Sequence[FidelityCheck],
    command: str,
    looks: Sequence[Look] = (),
    grown: Mapping[str, tuple[str, ...]] | None = None,
    others: Sequence[Sheet] = (),
) -> Audit:
    """Judge every claim of the paper by the runs of its experiments; `looks` are all that were taken.

    `grown` are earlier margins of which all claims stand, with the claims that were added since. `others` are
    papers that this one's numbers are held against.
    """
    runs = [run for experiment in experiments.values() for run in experiment.runs]
    claims, sheet = aimed(paper.claim_records(), experiments), sheet_of(paper)
    unjudged = Audit(
        paper=paper.info(),
        tables=paper.table_records(),
        experiments=tuple(experiments.values()),
        claims=claims,
        verdicts=(),
        findings=all_findings([sheet], others),
        fidelity=tuple(fidelity),
        margins_hash=paper.margins_hash,
        margins_superseded=paper.superseded,
        margins_grown=grown or {},
        test_sizes=_printed_test_sizes(paper),
        command=command,
        tool_version=audit.__version__,
        created=max((run.finished for run in runs if run.finished), default=""),
        not_checked=tuple(_not_checked(experiments.values())),
        looks=tuple(looks),
        about_looks=about_looks(looks, experiments.values()),
        readings=paper.readings_record(),
        transcription=paper.read_by,
        missing=paper.missing_records(),
        papers_beside=tuple(it.paper.key for it in others),
        across=across(sheet, others),
        author_response=paper.response_record(),
    )
    verdicts = _verdicts(unjudged)
    judged = replace(unjudged, verdicts=verdicts)
    return replace(
        judged,
        share=share(unjudged.claims, verdicts),
        settling=settling(judged),
    )


def sheet_of(paper: Paper) -> Sheet:
    """The paper as the checks see it."""
    return Sheet(
        paper=paper.info(),
        tables=paper.table_records(),
        datasets={it.id: it for it in paper.dataset_records()},
        statements=paper.statements(),
    )


def is_judged_by(audit: Audit) -> bool:
    """Whether the audit's verdicts are those that its own claims and runs give today.

    What describes them must fit them too; records of before there were descriptions have none.
    """
    found = share(audit.claims, audit.verdicts)
    shared = (audit.share or found) == found
    verdicts = _verdicts(audit) == audit.verdicts
    return verdicts and shared and stand(audit)


def _verdicts(audit: Audit) -> tuple[Verdict, ...]:
    """By the audit's own claims, runs and looks."""
    return judge_by(audit.looks, {it.id: it for it in audit.experiments}, judge_of(audit))


def judge_of(audit: Audit) -> Judge:
    """How the audit's claims are judged, with its own gate, margins and test sizes."""
    margins = MarginsNow(audit.paper.key, audit.margins_hash, audit.margins_superseded, audit.margins_grown)

    def judge(experiments: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        return compare(
            audit.claims,
            experiments,
            fidelity=_passed(audit.fidelity),
            margins=margins,
            test_sizes=audit.test_sizes,
            readings=audit.readings,
            alpha=level,
        )

    return judge


def _printed_test_sizes(paper: Paper) -> dict[str, int]:
    """Data set id -> test documents as printed, where the paper prints them."""
    sizes = {name: data.printed.get("test") for name, data in paper.datasets.items()}
    return {name: int(printed_count(size).value) for name, size in sizes.items() if size}


def _passed(checks: Sequence[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks; a model without checks is not there."""
    return {
        model: all(it.passed for it in checks if it.model == model) for model in {it.model for it in checks}
    }


def _not_checked(experiments: Iterable[ExperimentRecord]) -> Iterable[str]:
    """One sentence for each experiment that was left out; the page derives the rest from the verdicts."""
    for experiment in experiments:
        if experiment.not_run:
            yield f"{experiment.title}: {experiment.not_run.rstrip('.')}."
