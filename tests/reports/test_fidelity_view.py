"""The fidelity gate: which checks each implementation passed, and what hangs on it."""

from __future__ import annotations

from dataclasses import replace

from audit.record import FidelityCheck
from reports.fidelity_view import gate_models
from reports.lookup import lookup
from tests.reports import sample


def test_a_model_that_ran_without_a_check_is_shown() -> None:
    (model,) = gate_models(lookup(replace(sample.tiny(), fidelity=())))
    assert (model.name, model.open, model.checks) == ("xml_cnn", False, ())
    assert model.sentence.startswith("xml_cnn: no check is on record")
    assert model.used == "1 experiment and 1 claim rest on it."


def test_checks_that_did_not_pass_come_first_and_close_the_gate() -> None:
    checks = (FidelityCheck("xml_cnn", "a", True, ""), FidelityCheck("xml_cnn", "b", False, "3 for 4"))
    (model,) = gate_models(lookup(replace(sample.tiny(), fidelity=checks)))
    assert [it.name for it in model.checks] == ["b", "a"]
    assert not model.open
