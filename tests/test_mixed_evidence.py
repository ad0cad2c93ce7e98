"""What a claim with our runs on one side and imported ones on the other needs is said, claim by claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from audit.cli.explanation import explanation
from audit.cli.report import write_report
from audit.judging.imported import Provenance
from audit.judging.plan import advice
from audit.record import Audit, ClaimRecord, ExperimentRecord, Run
from tests.explaining.cases import audited
from tests.records import make_experiment, make_run
from tests.reports.every_kind import claim

Has = Literal["ours", "imported", "both", "neither"]


def experiment(name: str, has: Has, evidence: str = "ours") -> ExperimentRecord:
    """With three runs of each kind that it has; those that `evidence` prefers are judged, the rest shown."""
    own = [make_run(k, 70.0 + k / 10, key=f"{name}-own-{k}") for k in range(3)]
    theirs = [_imported(name, k) for k in range(3)]
    there = {"ours": (own, []), "imported": (theirs, []), "both": (own, theirs), "neither": ([], [])}[has]
    if has == "both" and evidence == "imported":
        there = (theirs, own)
    return replace(make_experiment(name, there[0]), unjudged=tuple(there[1]))


def _imported(name: str, seed: int) -> Run:
    run = make_run(seed, 60.0 + seed / 10, key=f"{name}-theirs-{seed}")
    held = Provenance("toy", name, (("r.csv", "0" * 64),), seeds=(0, 1, 2))
    return replace(run, spec=held.spec(seed=seed, fingerprint=None))


def order(name: str, *experiments: str, metric: str = "P@1") -> ClaimRecord:
    kind = "order" if len(experiments) == 2 else "ranking"
    return replace(claim(kind, experiments, metric=metric), id=f"{name}:{metric}", claim=name)


def audit(claims: Sequence[ClaimRecord], evidence: str = "ours", **has: Has) -> Audit:
    return audited(claims, [experiment(name, it, evidence) for name, it in has.items()])


def test_the_other_kind_is_offered_where_it_is_there_for_all_sides() -> None:
    claims = [order("first", "a", "b"), order("second", "b", "a")]
    assert advice(audit(claims, a="both", b="imported")) == (
        "first and second: `audit judge --evidence imported` judges by imported runs throughout",
    )
    assert advice(audit(claims, "imported", a="both", b="ours")) == (
        "first and second: `audit judge --evidence ours` judges by our runs throughout",
    )


def test_what_has_to_be_run_or_imported_is_named_where_neither_kind_is_there_for_all() -> None:
    """Once for all claims, and all metrics, that lack the same."""
    claims = [
        order("first", "a", "b"),
        order("first", "a", "b", metric="P@3"),
        order("second", "b", "a", "c"),
    ]
    found = audit(claims[:2], a="ours", b="imported")
    found = replace(found, verdicts=tuple(replace(it, reason="mixed_evidence") for it in found.verdicts))
    assert advice(found) == ("first: run b here too, or import results of a",)
    assert advice(audit(claims[2:], a="ours", b="imported", c="both")) == (
        "second: run b here too, or import results of a",
    )


def test_it_stands_below_the_verdicts_and_in_the_explanation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = audit([order("first", "a", "b"), order("second", "a", "c")], a="both", b="imported", c="ours")
    write_report(found, tmp_path)
    out = capsys.readouterr().out
    said = "first: `audit judge --evidence imported` judges by imported runs throughout"
    assert f"\none side ours, the other imported:\n  {said}; second would" in out
    text = " ".join("\n".join(explanation(found, found.claims[0])).split())
    assert text.endswith(f"would change {said}")
