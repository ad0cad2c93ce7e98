"""What a model lacks on this machine is the reason why its experiments are not run; the others are."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.claims.load import load
from audit.runner import make_plan
from audit.settings import RunSettings
from reimpl import aplc_xlnet
from tests.runner.papers import write_paper

XLNET = "{title: Words, model: aplc_xlnet, variant: code, protocol: ye2020-code,"
WORDS = "{title: Words, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022,"
LACK = "needs the pretrained weights of 'x', which are not on this machine: get them"


def test_experiments_without_their_weights_are_not_run_and_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aplc_xlnet, "missing", lambda config: LACK)
    paper = load(write_paper(tmp_path, (WORDS, XLNET)))
    plan = make_plan(paper, RunSettings(device="cpu", seeds=1, store=tmp_path / "data"))
    why = {it.id: it.not_run for it in plan.experiments}
    assert why["words"] == f"not available on this machine: {LACK}"
    assert (why["letters"], why["again"]) == (None, None)
    assert f"words: left out here: not available on this machine: {LACK}" in plan.idle
    alone = make_plan(paper, RunSettings(device="cpu", seeds=1, store=tmp_path / "data", only=["words"]))
    assert alone.jobs == ()


def test_a_stand_in_needs_no_weights_and_is_told_as_a_departure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a CPU; the paper's own protocol would need them."""
    monkeypatch.setattr(aplc_xlnet, "missing", lambda it: None if it.encoder == "bilstm" else LACK)
    willing = XLNET.replace("variant: code", "variant: code, config: {stand_in: bilstm}")
    paper = load(write_paper(tmp_path, (WORDS, willing)))
    plan = make_plan(paper, RunSettings(device="cpu", seeds=1, store=tmp_path / "data", only=["words"]))
    (words,) = (it for it in plan.experiments if it.id == "words")
    assert (words.not_run, words.protocol) == (None, "ye2020-code-small")
    told = {it.what: (it.paper, it.here) for it in words.deviations}
    assert told["encoder"] == ("xlnet", "bilstm")
    claimed = RunSettings(device="cpu", seeds=1, store=tmp_path / "data", protocol="claimed", only=["words"])
    whole = make_plan(paper, claimed)
    assert {it.id: it.not_run for it in whole.experiments}[
        "words"
    ] == f"not available on this machine: {LACK}"
