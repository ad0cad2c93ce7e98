"""The fidelity checks of every model that a plan runs, and of no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import reimpl.fidelity
from audit.record import FidelityCheck
from audit.runner import Plan
from audit.runner.models import fidelity
from reimpl.fidelity import Check
from tests.runner.jobs import make_jobs


def test_each_model_of_the_plan_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def check(model: str) -> tuple[Check, ...]:
        asked.append(model)
        return (Check(model, "sizes", model == "good", "14,176 features"),)

    monkeypatch.setattr(reimpl.fidelity, "check", check)
    job = make_jobs(tmp_path)[0]
    jobs = [replace(job, spec=replace(job.spec, model=model)) for model in ("good", "bad", "good")]
    assert fidelity(Plan((), {}, tuple(jobs))) == (
        FidelityCheck("good", "sizes", True, "14,176 features"),
        FidelityCheck("bad", "sizes", False, "14,176 features"),
    )
    assert asked == ["good", "bad"]


def test_a_model_that_holds_another_is_checked_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CorNet on CorNet on Kim-CNN: both models, each once."""
    monkeypatch.setattr(reimpl.fidelity, "check", lambda model: (Check(model, "sizes", True, ""),))
    job = make_jobs(tmp_path)[0]
    config = {"base": "cornet", "base_config": {"base": "xml_cnn", "base_config": {"maps": 3}}}
    jobs = (replace(job, spec=replace(job.spec, model="cornet", config=config)),)
    assert [it.model for it in fidelity(Plan((), {}, jobs))] == ["cornet", "xml_cnn"]
