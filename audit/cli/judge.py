"""`audit judge`: verdicts and report from what the store holds, without running anything."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import Claims, app, claim_paths, papers_of, verdict_code
from audit.cli.report import write_report
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.kept_plan import KeptPlan
    from audit.record import Audit, ExperimentRecord, Look, Run

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
) -> int:
    """Judge the claims by the runs in the store, ours and imported ones, and write the reports.

    Ours are those that the newest `audit run` of each corpus planned, with all their seeds. Needs no data, no
    GPU and no torch.
    """
    from audit.cli.columns import tell
    from audit.fixed_margins import grown_since, keep_fixed
    from audit.imported import active
    from audit.instances import with_instances
    from audit.kept_plan import kept_plans, no_plan
    from audit.split_columns import studies_of, with_splits
    from audit.store import Store

    check_evidence(evidence)
    if not store.is_dir():
        raise AuditError(f"{store}: no such folder; `audit run` and `audit import` make it")
    papers = papers_of(claims)
    runs = list(Store(store).runs())
    pairs = zip(papers, claim_paths(claims), strict=True)
    grown = [grown_since(store, paper, runs, path=path) for paper, path in pairs]
    worst, judged = Exit.OK, 0
    for paper, added in zip(papers, grown, strict=True):
        key = paper.paper.key
        imported = active(runs, key, store)
        plans = kept_plans(store, key) or ([no_plan(paper)] if imported else [])
        if claims and not plans:
            raise AuditError(
                f"{store}: no run of {key} is there; `audit run` makes some, `audit import` takes others'"
            )
        studies = studies_of(paper, plans, runs)
        for plan in plans:
            audit = _judged(paper, plan, runs, imported, evidence, ["audit", *context.obj], store, added)
            keep_fixed(store, paper)
            audit = with_splits(with_instances(audit, Store(store)), plan.report, studies)
            write_report(audit, out / plan.report)
            for said in audit.about_looks:
                print(said, file=sys.stderr)
            worst, judged = max(worst, verdict_code(audit)), judged + 1
        for report, study in studies.items():
            tell(study, out / report)
    if not judged:
        raise AuditError(
            f"{store}: no run of a built-in paper is there; name a claim file, or `audit run` first"
        )
    return worst


def _judged(
    paper: Paper,
    plan: KeptPlan,
    runs: Sequence[Run],
    imported: Mapping[str, tuple[Run, ...]],
    evidence: str,
    words: Sequence[str],
    store: Path,
    grown: Mapping[str, tuple[str, ...]],
) -> Audit:
    from audit.assemble import assemble
    from audit.kept_plan import with_stored_runs

    ours = with_stored_runs(plan, paper, runs)
    experiments = beside_imported(paper, ours, imported, evidence)
    command = " && ".join(it for it in (plan.command, shlex.join(words)) if it)
    looks = _looks(store, paper.paper.key, experiments.values())
    return assemble(paper, experiments, fidelity=plan.fidelity, command=command, looks=looks, grown=grown)


def beside_imported(
    paper: Paper,
    experiments: dict[str, ExperimentRecord],
    imported: Mapping[str, tuple[Run, ...]],
    evidence: str,
) -> dict[str, ExperimentRecord]:
    """The experiments with the imported runs in their places; what is not judged is told on stderr."""
    from audit.claim_names import counted
    from audit.imported import strangers, with_imported

    found = with_imported(paper, experiments, imported, evidence=evidence)  # type: ignore[arg-type]
    for name in strangers(experiments, imported):
        print(f"left out: imported runs of {name!r}, which the claim file does not have", file=sys.stderr)
    shown = [name for name, it in found.items() if it.unjudged and name in experiments]
    if shown:
        kind, other = ("ours", "imported") if evidence == "ours" else ("imported", "ours")
        print(
            f"{_have(len(shown))} runs of both kinds: {kind} are judged and the others shown "
            f"(--evidence {other} turns that round)",
            file=sys.stderr,
        )
    if closer := [name for name in found if name not in experiments]:
        print(
            f"printed values of {counted(len(closer), 'experiment')} are judged by imported runs, whose data "
            "are closer to the paper's than ours",
            file=sys.stderr,
        )
    return found


def _have(experiments: int) -> str:
    return "1 experiment has" if experiments == 1 else f"{experiments} experiments have"


def check_evidence(evidence: str) -> None:
    from audit.imported import EVIDENCE

    if evidence not in EVIDENCE:
        raise AuditError(f"--evidence {evidence!r} is unknown; known are {', '.join(EVIDENCE)}")


def _looks(store: Path, paper: str, experiments: Iterable[ExperimentRecord]) -> tuple[Look, ...]:
    """All looks that were taken at these runs. One with more seeds than any goes on record as well.

    Not where looks were declared: seeds beyond them wait for the next one.
    """
    from audit.looks import in_force, in_order
    from audit.record import Look
    from audit.runner.ledger import Ledger
    from audit.stats.decision import ALPHA

    tried = [sorted(it.runs, key=lambda run: run.spec.seed) for it in experiments if it.runs]
    seeds = max((sum(run.status == "done" for run in runs) for runs in tried), default=0)
    ledger, seen = Ledger(store, paper), [runs[0].key for runs in tried]
    looks = in_order(ledger.looks(seen))
    if seeds and not in_force(looks) and seeds > max((look.seeds for look in looks), default=0):
        return ledger.take(Look(seeds, ALPHA), seen)
    return looks
