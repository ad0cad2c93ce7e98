"""Readings of experiments that are tuned: what was sought for the experiment holds, but for what they set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from audit.claims.load import Paper, load
from audit.runner import make_plan
from tests.runner.papers import write_corpus, write_paper
from tests.runner.test_tuning_runs import PLACE, put_study, question, settings

READINGS = """readings:
  limit: one_at_a_time
  open:
    dropout: {why: not stated, choices: {sought: {}, none: {config: {dropout_output: 0.0}}}}
    batch: {why: not stated, choices: {usual: {}, large: {training: {weight_decay: 0.5}}}}
experiments:
"""


def paper(folder: Path, tuning: str = "tuning: {protocol: chen2022, trials: 2}, ") -> Paper:
    changes = (PLACE, f"{tuning}readings: [dropout, batch], {PLACE}"), ("experiments:\n", READINGS)
    return load(write_paper(folder, *changes, name="readings.yaml"))


def test_a_reading_has_the_values_that_were_sought_but_for_its_own(tmp_path: Path) -> None:
    """0.4 was sought for the dropout of the output: the reading that sets it has its own, the other 0.4."""
    write_corpus(tmp_path / "corpus")
    study = put_study(tmp_path, question(tmp_path))
    plan = make_plan(paper(tmp_path), settings(tmp_path, readings=True, only=["words"]))
    specs = {job.title.partition(" ")[0]: job.spec for job in plan.jobs}
    assert list(specs) == ["words", "words~dropout=none", "words~batch=large"]
    assert {spec.study for spec in specs.values()} == {study.key}
    assert {name: spec.config["dropout_output"] for name, spec in specs.items()} == {
        "words": 0.4,
        "words~dropout=none": 0.0,
        "words~batch=large": 0.4,
    }
    assert {spec.protocol["learning_rate"] for spec in specs.values()} == {3e-3}
    decay = [spec.protocol.get("weight_decay") for spec in specs.values()]
    assert decay == [None, None, 0.5]  # what is as usual is left out


def test_without_a_study_a_reading_is_not_planned_either(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    plan = make_plan(paper(tmp_path), settings(tmp_path, readings=True))
    assert not [it.id for it in plan.experiments if it.reading_of]


def test_readings_are_planned_where_they_are_asked_for_or_known(tmp_path: Path) -> None:
    """Known ones keep their keys, so that runs of theirs count, and are not run."""
    write_corpus(tmp_path / "corpus")
    chosen, it = settings(tmp_path), paper(tmp_path, "")
    assert "words~dropout=none" not in make_plan(it, chosen).keys
    known = make_plan(it, chosen, known=["words~dropout=none"])
    asked = make_plan(it, replace(chosen, readings=True))
    assert known.keys["words~dropout=none"] == asked.keys["words~dropout=none"]
    assert known.keys["words~dropout=none"][0] not in {job.spec.key for job in known.jobs}
    assert len(asked.jobs) == len(known.jobs) + 2 * 2
