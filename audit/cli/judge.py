"""`audit judge`: verdicts and report from what the store holds, without running anything."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit import stored
from audit.cli.app import Claims, app, claim_paths, papers_of, say, verdict_code
from audit.cli.beside import AlsoOption, also_of
from audit.cli.index import write_index
from audit.cli.report import write_files, write_report
from audit.errors import AuditError
from audit.exit_codes import Exit
from audit.split_columns import column_of
from audit.stored import Bench, check_evidence

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.record import Audit, ExperimentRecord, Run

__all__ = ["EvidenceOption", "beside_imported", "check_evidence", "judge_command"]

_DECIDED = ("reproduced", "contradicted")

EvidenceOption = Annotated[
    str,
    typer.Option(
        metavar="ours|imported",
        help="Which runs judge an experiment that has both; the others are shown.",
    ),
]


@app.command("judge")
def judge_command(
    context: typer.Context,
    claims: Claims = None,
    store: Annotated[Path, typer.Option(help="Folder of the run records.")] = Path("audit-runs"),
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("audit-report"),
    evidence: EvidenceOption = "ours",
    also: AlsoOption = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Of split columns, the verdicts of each, and every value.")
    ] = False,
) -> int:
    """Judge the claims by the runs in the store, ours and imported ones, and write the reports.

    Ours are those that the newest `audit run` of each corpus planned, with all their seeds. Needs no data, no
    GPU and no torch.
    """
    from audit.cli.columns import tell, undecided_line

    check_evidence(evidence)
    bench = Bench(store, evidence, ["audit", *context.obj], _on_stderr)
    paths = claim_paths(claims)  # a paper that there is not is told before a store that there is not
    if not store.is_dir():
        raise AuditError(f"{store}: no such folder; `audit run` and `audit import` make it")
    papers = bench.beside = papers_of(claims)
    pairs = zip(papers, paths, strict=True)
    grown = [bench.grown(paper, path) for paper, path in pairs]
    worst, judged, names = Exit.OK, 0, also_of(also)
    for paper, added in zip(papers, grown, strict=True):
        plans, studies = bench.plans(paper), bench.studies(paper)
        brief: dict[str, list[int]] = {}
        if claims and not plans:
            raise AuditError(
                f"{store}: no run of {paper.paper.key} is there; `audit run` makes some, `audit import` "
                "takes others'"
            )
        for plan in plans:
            audit = bench.judge(paper, plan, added)
            column = None if verbose or _is_telling(audit) else column_of(plan.report)
            if column is not None and column[0] in studies:
                write_files(audit, out / plan.report, names)
                brief.setdefault(column[0], []).append(column[1])
            else:
                write_report(audit, out / plan.report, names)
            for said in audit.about_looks:
                _on_stderr(said)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            if found := brief.get(report):
                say(undecided_line(found, out / f"{report}@{found[0]}"))
            tell(study, out / report, values=verbose)
    if not judged:
        raise AuditError(
            f"{store}: no run of a built-in paper is there; name a claim file, or `audit run` first"
        )
    write_index(out)
    return worst


def _is_telling(audit: Audit) -> bool:
    """Whether any claim could be judged, or is decided without a test."""
    return any(it.p_reproduced is not None or it.outcome in _DECIDED for it in audit.verdicts)


def beside_imported(
    paper: Paper,
    experiments: dict[str, ExperimentRecord],
    imported: Mapping[str, tuple[Run, ...]],
    evidence: str,
) -> dict[str, ExperimentRecord]:
    """The experiments with the imported runs in their places; what is not judged is told on stderr."""
    return stored.beside_imported(paper, experiments, imported, evidence, _on_stderr)


def _on_stderr(said: str) -> None:
    print(said, file=sys.stderr)
