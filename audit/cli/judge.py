"""`audit judge`: verdicts and report from what the store holds, without running anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from audit.cli.app import app, claim_paths, papers_of, say, verdict_code
from audit.cli.options import command
from audit.cli.report import also_of, write_files, write_index, write_report
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.record import Audit


@command(app, "judge")
def judge_command(
    claims: list[str] | None = None,
    *,
    context: typer.Context,
    store: Path = Path("audit-runs"),
    out: Path = Path("audit-report"),
    evidence: str = "ours",
    also: str | None = None,
) -> int:
    """Judge the claims by the runs in the store, ours and imported ones, and write the reports.

    Ours are those that the newest `audit run` of each corpus planned, with all their seeds. Needs no data, no
    GPU and no torch.
    """
    from audit.cli.columns import tell, undecided_line
    from audit.judging.splits import column_of
    from audit.pipeline.session import Session, command_line

    session = Session(store, evidence, command_line(context.obj), _on_stderr)
    paths = claim_paths(claims)  # a paper that there is not is told before a store that there is not
    _ = session.runs
    papers = session.context = papers_of(claims)
    grown = [session.grown(paper, path) for paper, path in zip(papers, paths, strict=True)]
    worst, judged, names = Exit.OK, 0, also_of(also)
    for paper, added in zip(papers, grown, strict=True):
        plans, studies = session.plans(paper), session.studies(paper)
        undecided: dict[str, list[int]] = {}
        if claims and not plans:
            key = paper.paper.key
            how = "`audit run` makes some, `audit import` takes others'"
            raise AuditError(f"{store}: no run of {key} is there; {how}")
        for plan in plans:
            audit = session.judge(paper, plan, added)
            column = None if _decides(audit) else column_of(plan.report)
            if column is not None and column[0] in studies:
                write_files(audit, out / plan.report, names)
                undecided.setdefault(column[0], []).append(column[1])
            else:
                write_report(audit, out / plan.report, names)
            for text in audit.about_looks:
                _on_stderr(text)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            if columns := undecided.get(report):
                say(undecided_line(columns, out / f"{report}@{columns[0]}"))
            tell(study, out / report)
    if not judged:
        raise AuditError(
            f"{store}: no run of a built-in paper is there; name a claim file, or `audit run` first"
        )
    write_index(out)
    return worst


def _decides(audit: Audit) -> bool:
    """Whether any claim could be judged, or is decided without a test."""
    decided = ("reproduced", "contradicted")
    return any(it.p_reproduced is not None or it.outcome in decided for it in audit.verdicts)


def _on_stderr(text: str) -> None:
    print(text, file=sys.stderr)
