"""The rerun box, and the provenance of the verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.main import get_command

from audit.cli.app import app
from audit.record import Audit, ReadingVerdict
from reports.lookup import lookup
from reports.page import build
from reports.render import html
from reports.rerun import SWITCHES, of_claim, only, provenance, rerun_box
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


@pytest.mark.parametrize(
    ("command", "one"),
    [
        ("audit run p q.yaml --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run q ./p.yaml --readings", "audit run ./p.yaml --readings --only x"),
        ("audit run q r --seeds 3", "audit run q r --seeds 3"),  # which of them is not to be told
        ("audit run p --data d --columns 0-9", "audit run p --data d@2 --only x"),
        ("audit run p --data d@1", "audit run p --data d@1 --only x"),
    ],
)
def test_of_several_files_and_columns_the_pages_own_is_kept(command: str, one: str) -> None:
    """Another claim file would not know the name, and other columns have pages of their own."""
    assert only(command, "x", paper="p", column=2) == one


def test_every_claim_that_can_be_run_has_its_command(study: Audit) -> None:
    """Once for all its metrics; none of a claim whose experiments cannot be run, or were imported."""
    blocks = [it for group in build(study).groups for it in group.blocks]
    assert {it.command for it in blocks if it.title.startswith("Kim-CNN is dramatically")} == {
        "audit run claims/chen2022.yaml --data eurlex-4k --seeds 3 --device cuda "
        "--only kim-cnn-is-dramatically-worse"
    }
    without = tuple(replace(it, runs=(), model="", not_run="no implementation") for it in study.experiments)
    bare = build(replace(study, experiments=without))
    assert {it.command for group in bare.groups for it in group.blocks} == {""}
    assert of_claim(study.claims[0], lookup(replace(study, command="audit judge chen2022"))) == ""


def test_a_claim_under_several_readings_makes_all_of_them_again(study: Audit) -> None:
    """With the seeds they had, before the command that gives the verdicts; not where some were never run."""
    claim = study.claims[0]
    held = (
        ReadingVerdict({}, "reproduced", "tost", (3, 3)),
        ReadingVerdict({"rate": "slow"}, "reproduced", "tost", (2, 2)),
    )
    whole = of_claim(claim, lookup(study))

    def said(readings: tuple[ReadingVerdict, ...], declared: int) -> str:
        verdicts = tuple(
            replace(it, readings=readings, readings_declared=declared) if it.claim == claim.id else it
            for it in study.verdicts
        )
        return of_claim(claim, lookup(replace(study, verdicts=verdicts)))

    assert said(held, 2) == f"{whole.replace('--seeds 3', '--seeds 2')} --readings && {whole}"
    assert said((held[0], replace(held[1], n=(3, 3))), 2) == f"{whole} --readings"
    assert said(held, 3) == said((), 0) == whole


def test_the_command_of_the_page_makes_the_readings_too(study: Audit) -> None:
    """Before the whole command, with the seeds that they had, and of one claim file; else as it is."""
    base = study.experiments[0]
    reading = replace(base, id=f"{base.id}--slow", reading_of=base.id, reading={"rate": "slow"})
    held = (
        ReadingVerdict({}, "reproduced", "tost", (5, 5)),
        ReadingVerdict({"rate": "slow"}, "reproduced", "tost", (3, 3)),
    )

    def said(command: str, *, ran: bool = True) -> str:
        verdicts = tuple(replace(it, readings=held, readings_declared=2) for it in study.verdicts)
        experiments = (*study.experiments, *((reading,) if ran else ()))
        audit = replace(study, verdicts=verdicts, experiments=experiments, command=command)
        return rerun_box(lookup(audit)).command

    whole = "audit run chen2022 --data corpus --seeds 5 --only kim_words && audit judge chen2022"
    first = "audit run chen2022 --data corpus --only kim_words --seeds 3 --readings"
    assert said(whole) == f"{first} && {whole}"
    assert said(whole, ran=False) == whole
    settled = "audit run chen2022 you2019 --data corpus --until-settled"
    assert said(settled) == f"audit run chen2022 --data corpus --seeds 3 --readings && {settled}"
    for kept in ("audit run chen2022 --seeds 3 --readings", "audit judge chen2022", "audit run 'x"):
        assert said(kept) == kept


@pytest.mark.parametrize(
    ("column", "first"), [(0.0, "audit run chen2022 --data splits@0 --seeds 3 --readings && "), (None, "")]
)
def test_readings_are_made_on_the_column_of_the_page(study: Audit, column: float | None, first: str) -> None:
    """As `--readings` takes no more than one; none where it cannot be told which."""
    counts = {} if column is None else {"split.column": column}
    runs = tuple(replace(it, data=replace(it.data, counts=counts)) for it in study.experiments[0].runs)
    base = replace(study.experiments[0], runs=runs)
    reading = replace(base, id="slow", reading_of=base.id)
    held = tuple(ReadingVerdict(it, "reproduced", "tost", (3,)) for it in ({}, {"a": "b"}))
    verdicts = tuple(replace(it, readings=held, readings_declared=2) for it in study.verdicts)
    command = "audit run chen2022 --data splits --columns 0-9 --seeds 5"
    audit = replace(study, verdicts=verdicts, experiments=(base, reading), command=command)
    box = rerun_box(lookup(audit))
    assert box.command == f"{first}{command}"
    said = f"{len(runs)} of the runs are of other readings: the first command makes them, with 3 seeds each"
    assert dict(box.facts).get("Readings", "") == (said if first else "")


def test_its_switches_are_those_of_the_command() -> None:
    """What takes no value is known here by name."""
    of_run = get_command(app).commands["run"].params  # type: ignore[attr-defined]
    flags = [it for it in of_run if getattr(it, "is_flag", False)]
    names = {name for it in flags for name in (*it.opts, *it.secondary_opts)} - {"--help"}
    assert names == SWITCHES


def test_every_command_has_a_button_that_a_script_may_show(study: Audit) -> None:
    """Without a script there is none: it could do nothing."""
    buttons = [e for e in parsed(html(study)).elements if "data-copy" in e.attributes]
    whole = [it for it in buttons if it.attributes["data-copy"]]
    assert whole[0].attributes["data-copy"] == study.command
    assert 7 == len(whole) < len(buttons)  # those of single claims copy the text beside them
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
