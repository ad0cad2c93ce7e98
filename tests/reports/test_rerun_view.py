"""The rerun box, and the provenance of the verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit
from reports.lookup import lookup
from reports.render import html
from reports.rerun_view import only, provenance, rerun_box
from tests.reports import sample
from tests.reports.markup import parsed


@pytest.fixture(scope="module")
def study() -> Audit:
    return sample.study()


@pytest.mark.parametrize(
    ("command", "one"),
    [
        ("audit run p --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run p --only a --only b --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run p --only=a && audit judge", "audit run p --only x"),
        ("audit run 'my paper.yaml'", "audit run 'my paper.yaml' --only x"),
        ("audit judge p", "audit judge p"),
        ("audit run 'unclosed", "audit run 'unclosed"),
    ],
)
def test_the_command_of_one_experiment(command: str, one: str) -> None:
    assert only(command, "x") == one


def test_the_box_has_data_seeds_time_memory_and_code(study: Audit) -> None:
    box = rerun_box(lookup(study))
    facts = dict(box.facts)
    runs = {run.key: run for it in study.experiments for run in it.runs}
    assert facts["Data"] == "eurlex-4k, recipe study2022: 9f86d081884c7d659a2feaa0c55ad015"
    assert facts["Seeds"] == "0 to 3"
    assert facts["Time"].endswith(f"for {len(runs)} runs, one after another")
    assert facts["Peak memory"] == "2.2 GiB"
    assert facts["Our code"] == "commit 0123456789"
    assert [it.command for it in box.experiments][:1] == [
        "audit run claims/chen2022.yaml --data eurlex-4k --seeds 3 --device cuda --only kim_emb"
    ]


def test_every_command_has_a_button_that_a_script_may_show(study: Audit) -> None:
    """Without a script there is none: it could do nothing."""
    buttons = [e for e in parsed(html(study)).elements if "data-copy" in e.attributes]
    assert buttons[0].attributes["data-copy"] == study.command
    assert len(buttons) == 7
    assert all("hidden" in e.attributes and e.attributes["type"] == "button" for e in buttons)


def test_margins_that_differ_are_seen(study: Audit) -> None:
    fine = provenance(lookup(study))
    assert not fine.mismatch
    assert dict(fine.facts)["Margins"].endswith("all 19 runs began under them.")
    other = provenance(lookup(replace(study, margins_hash="0" * 32)))
    assert other.mismatch
    assert 'class="settings ribbon mismatch"' in html(replace(study, margins_hash="0" * 32))
    grown = replace(study, margins_hash="0" * 32, margins_grown={study.margins_hash: ("x",)})
    assert not provenance(lookup(grown)).mismatch
    assert provenance(lookup(grown)).remarks[0].startswith("1 claim was added after runs")


def test_imported_runs_are_no_mismatch(study: Audit) -> None:
    """When they began nobody knows."""
    spec = {"model": "imported", "protocol": {"name": "imported"}}
    experiments = tuple(
        replace(it, runs=tuple(replace(run, spec=replace(run.spec, **spec)) for run in it.runs))
        for it in study.experiments
    )
    found = provenance(lookup(replace(study, experiments=experiments, margins_hash="0" * 32)))
    assert not found.mismatch
    assert dict(found.facts)["Hardware"] == "no run"


def test_without_a_run_that_is_said() -> None:
    facts = dict(provenance(lookup(sample.untested())).facts)
    assert (facts["First run began"], facts["Environment"], facts["Hardware"]) == ("no run",) * 3
    assert rerun_box(lookup(sample.untested())).facts == ()
