"""What changed between two audits of a paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from audit.record import Audit, Margin, Run, Verdict
from reports.compare import changes, changes_text
from reports.page import changes_html
from tests.reports import sample
from tests.reports.hostile import HOSTILE, study_saying

OLD = sample.tiny()


def reproduced(audit: Audit = OLD, **more: Any) -> Audit:
    """With the one verdict turned round."""
    (verdict,) = audit.verdicts
    return replace(audit, verdicts=(replace(verdict, outcome="reproduced", reason="tost", **more),))


def with_claim(audit: Audit, **more: Any) -> Audit:
    return replace(audit, claims=(replace(audit.claims[0], **more),))


def with_runs(audit: Audit, change: Callable[[Run], Run]) -> Audit:
    """Every run changed."""
    experiment = audit.experiments[0]
    return replace(audit, experiments=(replace(experiment, runs=tuple(map(change, experiment.runs))),))


def with_spec(audit: Audit, **more: Any) -> Audit:
    """Every run made anew under another spec, and so with another key."""
    made = with_runs(audit, lambda run: replace(run, spec=replace(run.spec, **more)))
    return with_runs(made, lambda run: replace(run, key=run.spec.key))


def with_data(audit: Audit, **more: Any) -> Audit:
    return with_runs(audit, lambda run: replace(run, data=replace(run.data, **more)))


def with_scores(audit: Audit, score: float) -> Audit:
    return with_runs(audit, lambda run: replace(run, metrics={"P@1": score} if run.metrics else {}))


def gate(passed: bool) -> Audit:
    return replace(OLD, fidelity=(replace(OLD.fidelity[0], passed=passed),))


NEW = reproduced()
CAUSES: dict[str, tuple[Audit, Audit, str]] = {
    "seeds": (OLD, reproduced(n=(5,), attempts=(5,)), "5 seeds, before 2 of 3 seeds"),
    "first runs": (sample.untested(), NEW, "2 of 3 seeds, before no run"),
    "margin": (OLD, with_claim(NEW, margin=Margin(1.0, "field", "")), "a margin of 1.00, before 0.50"),
    "printed": (OLD, with_claim(NEW, printed=("75.20",)), "the claim file states it otherwise (printed)"),
    "data": (OLD, with_data(NEW, name="rcv1", fingerprint="f"), "runs on rcv1, before on eurlex-4k"),
    "settings": (
        OLD,
        with_spec(NEW, protocol={"epochs": 8}, precision="bf16"),
        "other runs of the same seeds (another protocol and precision)",
    ),
    "revision": (OLD, with_spec(NEW, revision=2), "other runs of the same seeds (another revision)"),
    "results": (OLD, with_scores(NEW, 75.9), "the same runs with other results"),
    "level": (OLD, reproduced(level=0.01), "the level of 1%, before 5%"),
    "readings": (OLD, reproduced(readings_declared=4), "readings of what the paper leaves open: 4, before 0"),
    "others": (OLD, reproduced(p_reproduced_adjusted=0.9), "another correction for the paper’s other claims"),
    "none": (OLD, NEW, "with nothing on record explains it"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_changed_verdict_comes_with_what_differs_behind_it(cause: str) -> None:
    old, new, said = CAUSES[cause]
    (change,) = changes(old, new).flipped
    assert change.causes.startswith("with ") and said in change.causes
    assert change.causes.count(";") == 0  # and with nothing else


def test_the_gate_is_named_where_it_decides() -> None:
    def contradicted(audit: Audit) -> Audit:
        (verdict,) = audit.verdicts
        return replace(audit, verdicts=(replace(verdict, outcome="contradicted", reason="minimum_effect"),))

    (change,) = changes(gate(False), contradicted(gate(True))).flipped
    assert change.causes == "with our implementation has passed all of its checks since"
    (back,) = changes(contradicted(gate(True)), gate(False)).flipped
    assert "has not passed all of its checks any more" in back.causes
    (other,) = changes(gate(False), reproduced(gate(True))).flipped
    assert "checks" not in other.causes


def test_what_became_contradicted_comes_first_and_is_worse() -> None:
    new = sample.study()
    verdicts = tuple(Verdict(it.claim, "inconclusive", "undecided") for it in new.verdicts)
    found = changes(replace(new, verdicts=verdicts), new)
    ends = [it.after for it in found.flipped]
    number = ends.count("contradicted")
    assert number and ends[:number] == ["contradicted"] * number
    assert found.worse and not changes(new, replace(new, verdicts=verdicts)).worse


@pytest.mark.parametrize("show", [changes_text, changes_html])
@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_is_shown_as_text(show: Callable[[Any], str], text: str) -> None:
    new = study_saying(text)
    open_ = tuple(replace(it, outcome="inconclusive", reason="undecided") for it in new.verdicts)
    shown = show(changes(replace(new, verdicts=open_), new))
    shown.encode()
    assert "\u202e" not in shown
    if show is changes_html:
        assert "<script" not in shown and shown.startswith("<!DOCTYPE html>\n")
        assert shown.count("<li>") == shown.count("</li>") > 10
