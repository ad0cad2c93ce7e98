"""Claim file and runs become one record, whose verdicts can be made again from it alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.claims.load import Paper, load
from audit.judging.assemble import assemble, is_judged_by
from audit.record import Audit, ExperimentRecord, FidelityCheck, audit_from_json, to_json
from tests.records import make_experiment, make_run
from tests.runner.papers import write_paper

PASSED = FidelityCheck("xml_cnn", "sizes", True, "as printed")
FAILED = FidelityCheck("xml_cnn", "pooling", False, "3 for 4")


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


def found(words: float, letters: float) -> dict[str, ExperimentRecord]:
    """Four seeds of each, a tenth of a point apart; one seed of the second has failed as well."""
    runs = {
        name: [
            make_run(seed, mean + seed / 10, key=f"{name}{seed}", finished=f"2024-01-0{seed + 1}T00:00:00")
            for seed in range(4)
        ]
        for name, mean in {"words": words, "letters": letters}.items()
    }
    runs["letters"].append(make_run(4, None, key="letters4", status="failed", reason="nan"))
    records = {name: make_experiment(name, it, dataset="corpus") for name, it in runs.items()}
    lost = replace(make_experiment("lost", []), title="Lost", not_run="its code was never published.")
    return {**records, "lost": lost}


def assembled(paper: Paper, words: float = 80.0, letters: float = 40.0, *checks: FidelityCheck) -> Audit:
    return assemble(paper, found(words, letters), fidelity=checks or (PASSED,), command="audit run")


def test_the_names_of_machines_are_not_passed_on(paper: Paper) -> None:
    """Pages and exports are written from the audit."""
    records = {"words": make_experiment("words", [make_run(0, 80.0, host="node7")], dataset="corpus")}
    records["words"] = replace(records["words"], unjudged=(make_run(1, 80.0, host="node8"),))
    audit = assemble(paper, records, fidelity=(PASSED,), command="audit run")
    assert len(audit.runs_frame()) == 2 and "node" not in to_json(audit)


def test_every_claim_has_its_verdict_and_failed_runs_count_as_attempts(paper: Paper) -> None:
    audit = assembled(paper)
    assert [verdict.claim for verdict in audit.verdicts] == [claim.id for claim in paper.claim_records()]
    assert audit.verdicts[0].outcome == "reproduced"
    assert (audit.verdicts[0].n, audit.verdicts[0].attempts) == ((4, 4), (4, 5))


@pytest.mark.parametrize(
    ("checks", "outcome"),
    [((PASSED,), "contradicted"), ((PASSED, FAILED), "inconclusive")],
    ids=["all", "one failed"],
)
def test_a_model_contradicts_only_when_it_passed_all_its_checks(
    paper: Paper, checks: tuple[FidelityCheck, ...], outcome: str
) -> None:
    assert assembled(paper, 40.0, 80.0, *checks).verdicts[0].outcome == outcome


def test_the_record_alone_gives_the_same_verdicts_and_a_changed_one_does_not(paper: Paper) -> None:
    audit = audit_from_json(to_json(assembled(paper)))
    assert is_judged_by(audit)
    first = replace(audit.verdicts[0], outcome="contradicted")
    assert not is_judged_by(replace(audit, verdicts=(first, *audit.verdicts[1:])))
    assert not is_judged_by(replace(audit, experiments=audit.experiments[1:]))
