"""Readings that were run for one data set are those of another one for which the same corpus stands in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit import cli
from audit.claims.load import Paper, load
from audit.record import Audit
from audit.runner import Plan, Settings, make_plan
from audit.storage.files import read_audit

CLAIMS = """format: 1
paper: {key: toy, title: Toy}
datasets: {d: {name: D}, e: {name: E}}
tables:
  t:
    where: {label: T}
    caption: c
    columns: [{id: d, metric: P@1, dataset: d}, {id: e, metric: P@1, dataset: e}]
    rows:
      - {id: a, experiment: a, source: own_run, values: ["50.0", "51.0"]}
      - {id: b, experiment: b, source: own_run, values: ["40.0", "41.0"]}
readings:
  limit: one_at_a_time
  open:
    rate: {why: No learning rate is stated., choices: {usual: {}, fast: {training: {learning_rate: 0.05}}}}
    divisor: {why: The divisor is not stated., choices: {words: {}, slots: {config: {pooling: slots}}}}
experiments:
  a:
    {title: A, datasets: [d, e], model: rank_ae, variant: paper, config: {hidden: 4, encoder: 4},
    protocol: wang2019, training: {epochs: 1, dimension: 4}, recipe: study2022, readings: [rate, divisor]}
  b:
    {title: B, datasets: [d, e], model: rank_ae, variant: bce, config: {hidden: 4, encoder: 4},
    protocol: wang2019, training: {epochs: 1, dimension: 4}, recipe: study2022, readings: [rate]}
margins: {default: {value: 0.5, rule: field, why: usual}}
claims:
  - {id: on-d, kind: order, better: a-d, worse: b-d, metric: P@1, says: A is better, where: {section: "1"}}
  - {id: on-e, kind: order, better: a-e, worse: b-e, metric: P@1, says: A is better, where: {section: "1"}}
"""
OF_E = ["a-e~rate=fast", "a-e~divisor=slots"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("toy.yaml").write_text(CLAIMS)
    return tmp_path


def paper(*changes: tuple[str, str]) -> Paper:
    text = CLAIMS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("toy.yaml").write_text(text)
    return load(Path("toy.yaml"))


def plan(of: Paper, *only: str) -> Plan:
    return make_plan(of, Settings(seeds=2, readings=True), only=list(only))


def audit() -> Audit:
    return read_audit(Path("audit-report/toy/audit.json"))


def test_readings_of_the_named_experiment_are_those_of_its_twin_and_cost_nothing() -> None:
    """They have the very keys that the twin's readings have where they are asked for."""
    it = paper()
    named, every = plan(it, "a-d"), plan(it)
    assert {name: named.keys[name] for name in OF_E} == {name: every.keys[name] for name in OF_E}
    assert named.keys["a-e~rate=fast"] == named.keys["a-d~rate=fast"]
    assert len(named.jobs) == 3 * 2  # three readings, two seeds
    assert len(every.jobs) == (3 + 2) * 2  # those of b, and none for the second data set
    assert "b-e~rate=fast" not in named.keys
    said = named.summary("toy", Settings(seeds=2), 1)
    assert said.startswith("toy: 1 experiment and 2 other readings of them, 2 seeds, 6 runs on")
    assert [it.id for it in named.asked] == ["a-d", "a-d~rate=fast", "a-d~divisor=slots"]


SECOND = """  a2:
    {title: A, dataset: e, model: rank_ae, variant: paper, config: {hidden: 4, encoder: 4, pooling: words},
    protocol: wang2019, training: {epochs: 1, dimension: 4}, recipe: study2022, readings: [rate, divisor]}
  b:
"""


def test_an_experiment_that_is_described_otherwise_shares_nothing() -> None:
    """Its file writes out what the variant has: the default run is the same, and a reading might not be."""
    row = 'experiment: a, source: own_run, values: ["50.0", "51.0"]'
    apart = (
        ("{title: A, datasets: [d, e]", "{title: A, dataset: d"),
        ("  b:\n", SECOND),
        ("a-d", "a"),
        ("a-e", "a2"),
        (row, row.replace("experiment: a", "experiments: {d: a, e: a2}")),
    )
    found = plan(paper(*apart), "a")
    assert found.keys["a"] == found.keys["a2"]
    assert [name for name in found.keys if "~" in name] == ["a~rate=fast", "a~divisor=slots"]


def test_claims_about_both_data_sets_rest_on_the_same_readings(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "toy.yaml", "--seeds", "3", "--jobs", "1", "--readings"]) in (0, 1)
    verdicts = audit().verdicts
    Path("audit-report/toy/audit.json").unlink()
    only = ["--only", "a-d", "--only", "b-d"]
    capsys.readouterr()
    assert cli.main(["run", "toy.yaml", "--seeds", "3", "--jobs", "1", "--readings", *only]) in (0, 1)
    assert "[1/" not in capsys.readouterr().err.replace("[15/15]", "")  # nothing was run again
    on_d, on_e = audit().verdicts
    assert len(on_d.readings) == on_d.readings_declared == 3
    assert replace(on_e, claim=on_d.claim) == on_d
    assert audit().verdicts == verdicts
