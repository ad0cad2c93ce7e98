"""Imported runs as evidence: which ones are judged, what they may say, and what stands beside the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.claims.load import Paper, load
from audit.judging.assemble import assemble, is_judged_by
from audit.judging.evidence import OF_DOCUMENTS, Kind, Provenance, active, scope_of, with_imported
from audit.record import (
    Audit,
    DataInfo,
    DataSheet,
    ExperimentRecord,
    FidelityCheck,
    Run,
    Verdict,
    audit_from_json,
    to_json,
)
from tests.records import make_experiment, make_run
from tests.runner.papers import write_paper

CONTENT = "ab" * 32
SAME = ("content: null", f"content: {CONTENT}")
PASSED = FidelityCheck("xml_cnn", "sizes", True, "as printed")


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path, SAME))


def imported(
    experiment: str,
    values: Sequence[float | None],
    *,
    fingerprint: str | None = None,
    file: str = "r.csv",
    day: int = 1,
    n_test: int = 0,
    margins: str | None = None,
    **provenance: Any,
) -> list[Run]:
    """One run for each value, seeds from 0; None is a failed one."""
    runs = []
    for seed, value in enumerate(values):
        held = Provenance("toy2024", experiment, ((file, "0" * 64),), **provenance)
        spec = held.spec(seed=seed, fingerprint=fingerprint)
        run = make_run(seed, value, key=spec.key, status="failed" if value is None else "done")
        data = DataInfo("Corpus", spec.data, "as imported", 0, n_test, 0)
        fixed = {"toy2024": margins} if margins else {}
        runs.append(
            replace(
                run,
                spec=spec,
                data=data,
                margins=fixed,
                reason="out of memory" if value is None else None,
                finished=f"2024-01-0{day}T00:00:00+00:00",
            )
        )
    return runs


def ours(name: str, values: Sequence[float], **more: Any) -> ExperimentRecord:
    runs = [make_run(seed, x, key=f"{name}{seed}") for seed, x in enumerate(values)]
    return make_experiment(name, runs, **{"dataset": "corpus", "scope": "other_data", **more})


NOTHING = {
    name: replace(ours(name, []), not_run="the store has no run of it")
    for name in ("words", "letters", "again", "lost", "elsewhere")
}
HIGH, LOW = [80.1, 80.3, 80.2], [40.1, 40.3, 40.2]


def judged(
    paper: Paper, *runs: Run, beside: dict[str, ExperimentRecord] | None = None, evidence: Kind = "ours"
) -> Audit:
    experiments = with_imported(
        paper, {**NOTHING, **(beside or {})}, active(runs, "toy2024", Path("store")), evidence=evidence
    )
    return assemble(paper, experiments, fidelity=(PASSED,), command="audit judge")


def order(audit: Audit) -> Verdict:
    """Of the claim that words are above letters."""
    return audit.verdicts[0]


def value(audit: Audit) -> Verdict:
    """Of the claim that words reach 80.00."""
    return audit.verdicts[1]


@pytest.mark.parametrize(
    ("scope", "provenance", "imported_ones"),
    [
        ("other_data", {"fingerprint": CONTENT}, True),
        ("other_data", {"other_split": "their own", "n_test": 400}, True),
        ("other_data", {}, False),
        ("other_split", {}, False),
        ("same_data", {"other_split": "their own", "n_test": 400}, False),
    ],
)
def test_a_printed_value_goes_by_the_runs_whose_data_are_closer_to_the_paper_s(
    paper: Paper, scope: Any, provenance: dict[str, Any], imported_ones: bool
) -> None:
    """Ours where both are equally close; and the other kinds of claims go by ours, both arms alike."""
    here = {
        "words": ours("words", [70.1, 70.2, 70.3], scope=scope),
        "letters": ours("letters", [30.1, 30.2, 30.3], scope=scope),
    }
    runs = [*imported("words", HIGH, **provenance), *imported("letters", LOW, **provenance)]
    audit = judged(paper, *runs, beside=here)
    assert value(audit).values == ((tuple(HIGH),) if imported_ones else ((70.1, 70.2, 70.3),))
    assert order(audit).values == ((70.1, 70.2, 70.3), (30.1, 30.2, 30.3))
    assert is_judged_by(audit_from_json(to_json(audit)))


def test_ours_are_not_compared_with_imported_ones(paper: Paper) -> None:
    audit = judged(paper, *imported("letters", LOW), beside={"words": ours("words", HIGH)})
    assert (order(audit).outcome, order(audit).reason) == ("inconclusive", "mixed_evidence")


def test_the_data_are_the_paper_s_only_by_fingerprint_or_by_a_stated_reason(
    paper: Paper, tmp_path: Path
) -> None:
    assert scope_of(paper, "corpus", imported("words", HIGH)) == "other_data"
    assert scope_of(paper, "corpus", imported("words", HIGH, fingerprint=CONTENT)) == "same_data"
    assert scope_of(paper, "corpus", imported("words", HIGH, fingerprint="cd" * 32)) == "other_data"
    assert scope_of(paper, "corpus", imported("words", HIGH, same_data="their download")) == "same_data"
    mixed = [*imported("words", HIGH, fingerprint=CONTENT)[:2], *imported("words", HIGH)[2:]]
    assert scope_of(paper, "corpus", mixed) == "other_data"
    unknown = load(write_paper(tmp_path))
    assert scope_of(unknown, "corpus", imported("words", HIGH, fingerprint=CONTENT)) == "other_data"


def test_what_is_stated_to_be_the_paper_s_data_must_be_about_as_many_documents(paper: Paper) -> None:
    """100 are printed. 95 may be a slip and are a departure; with 70 nothing is contradicted."""
    stated = {"same_data": "the same files", "authors_code": "https://github.com/x/y"}
    sheet = DataSheet("Corpus", "", "", "", "", (), ("printed 100 test documents, here 1,500",))
    here = {"words": replace(ours("words", HIGH), data=sheet)}
    for n_test, reason in ((95, "reversed"), (70, "stand_in")):
        words, letters = (
            imported(*it, n_test=n_test, **stated) for it in (("words", LOW), ("letters", HIGH))
        )
        audit = judged(paper, *words, *letters, beside=here, evidence="imported")
        assert order(audit).reason == reason and "1,500" not in str(value(audit).badges)
        departs = [it.here for record in audit.experiments for it in record.deviations]
        assert departs.count(f"printed 100 test documents, here {n_test}") == 2


def test_sides_with_other_test_documents_are_not_compared(paper: Paper) -> None:
    """As many documents, and others: of imported predictions they are known."""
    runs = [*imported("words", HIGH, n_test=100), *imported("letters", LOW, n_test=100)]
    known = [OF_DOCUMENTS + it for it in ("ab", "ab", "ab", "cd", "cd", "cd")]
    told = [replace(run, data=replace(run.data, recipe=it)) for run, it in zip(runs, known, strict=True)]
    assert order(judged(paper, *runs)).outcome == "reproduced"
    assert order(judged(paper, *told)).reason == "different_data"


def test_a_printed_value_on_another_split_has_the_noise_of_both_test_sets(paper: Paper) -> None:
    """80 % of 100 printed documents and of 400 stated ones: 4.0 and 2.0 points, together sqrt(20)."""
    split = imported("words", HIGH, other_split="their own", n_test=400)
    verdict = value(judged(paper, *split))
    assert verdict.scope == "other_split"
    assert verdict.se == pytest.approx(20.0**0.5, rel=0.02)
    assert (verdict.outcome, verdict.reason) == ("inconclusive", "other_split")
    assert {"noise of two test sets included", "another split, as stated: their own"} <= set(verdict.badges)
    assert "no fingerprint of the data was declared" not in verdict.badges
    unsized = value(judged(paper, *imported("words", HIGH, other_split="their own")))
    assert (unsized.reason, unsized.p_reproduced) == ("other_split", None)


@pytest.mark.parametrize(
    ("stated", "outcome", "reason"),
    [
        ({"authors_code": "github.com/x@1", "same_data": "theirs"}, "contradicted", "reversed"),
        ({"authors_code": "github.com/x@1", "other_split": "our own"}, "contradicted", "reversed"),
        ({"authors_code": "github.com/x@1"}, "inconclusive", "stand_in"),
        ({"by": "J. Doe"}, "inconclusive", "unverified_import"),
    ],
)
def test_only_the_authors_own_code_on_the_papers_data_contradicts(
    paper: Paper, stated: dict[str, str], outcome: str, reason: str
) -> None:
    audit = judged(paper, *imported("words", LOW, **stated), *imported("letters", HIGH, **stated))
    assert (order(audit).outcome, order(audit).reason) == (outcome, reason)


def test_where_imported_runs_come_from_stands_beside_the_verdict_once(paper: Paper) -> None:
    runs = [*imported("words", HIGH, margins=paper.margins_hash), *imported("letters", LOW)]
    badges = order(judged(paper, *runs)).badges
    assert badges.count("imported, not verified here") == 1
    assert "no fingerprint of the data was declared" in badges
    assert "imported after the margins were fixed; the runs themselves may be older" in badges
    assert "margins not on record before the runs" in badges  # of the second arm


def test_margins_changed_after_an_import_forbid_a_verdict(paper: Paper) -> None:
    runs = [*imported("words", HIGH, margins="0" * 32), *imported("letters", LOW, margins="0" * 32)]
    assert order(judged(paper, *runs)).reason == "margins_changed"
