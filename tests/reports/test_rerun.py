"""The rerun box, the provenance, and claims that rest on the runs of another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from audit.record import Audit, SpecificationVerdict
from reports.lookup import Lookup
from reports.page import build
from reports.rerun import command_of, only, rerun_box
from tests.reports import sample

STUDY = sample.study()


@pytest.mark.parametrize(
    ("command", "one"),
    [
        ("audit run p --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run 'my paper.yaml'", "audit run 'my paper.yaml' --only x"),
        ("audit run 'unclosed", "audit run 'unclosed"),
        ("audit run q ./p.yaml --readings", "audit run ./p.yaml --readings --only x"),
        ("audit run p --data d --columns 0-9", "audit run p --data d@2 --only x"),
    ],
)
def test_the_command_of_one_experiment(command: str, one: str) -> None:
    assert only(command, "x", paper="p", column=2) == one


def test_every_claim_that_can_be_run_has_its_command() -> None:
    """Once for all its metrics; none of a claim whose experiments cannot be run, or were imported."""
    cards = [it for group in build(STUDY).groups for it in group.cards]
    assert {it.command for it in cards if it.title.startswith("Kim-CNN is dramatically")} == {
        f"{STUDY.command} --only kim-cnn-is-dramatically-worse"
    }
    without = tuple(replace(it, runs=(), model="", not_run="no implementation") for it in STUDY.experiments)
    bare = build(replace(STUDY, experiments=without))
    assert {it.command for group in bare.groups for it in group.cards} == {""}
    assert command_of(STUDY.claims[0], Lookup(replace(STUDY, command="audit judge chen2022"))) == ""


def readings(*seeds: int) -> tuple[SpecificationVerdict, ...]:
    """The default and others, with so many seeds each."""
    return tuple(
        SpecificationVerdict({"a": str(k)} if k else {}, "reproduced", "tost", (n,))
        for k, n in enumerate(seeds)
    )


def with_readings(held: tuple[SpecificationVerdict, ...], declared: int, **more: Any) -> Audit:
    verdicts = (replace(it, readings=held, readings_declared=declared) for it in STUDY.verdicts)
    return replace(STUDY, verdicts=tuple(verdicts), **more)


@pytest.mark.parametrize(
    ("command", "first", "column"),
    [
        (
            "audit run chen2022 --data corpus --seeds 5 --only kim_words && audit judge chen2022",
            "audit run chen2022 --data corpus --seeds 5 --only kim_words --readings && ",
            None,
        ),
        (
            "audit run chen2022 --data splits --columns 0-9 --seeds 5",
            "audit run chen2022 --data splits@0 --seeds 5 --readings && ",
            0.0,
        ),
        ("audit run 'x", "", None),
    ],
)
def test_the_command_of_the_page_makes_the_readings_too(
    command: str, first: str, column: float | None
) -> None:
    """Before the whole command, of one claim file and column; else as it is."""
    counts = {} if column is None else {"split.column": column}
    runs = tuple(replace(it, data=replace(it.data, counts=counts)) for it in STUDY.experiments[0].runs)
    base = replace(STUDY.experiments[0], runs=runs)
    reading = replace(base, id="slow", reading_of=base.id, reading={"rate": "slow"})
    box = rerun_box(Lookup(with_readings(readings(5, 3), 2, experiments=(base, reading), command=command)))
    assert box.command == f"{first}{command}"
    said = f"the first command makes the {len(runs)} runs of other readings"
    assert dict(box.facts).get("Readings", "") == (said if first else "")
    bare = rerun_box(Lookup(with_readings(readings(5, 3), 2, experiments=(base,), command=command)))
    assert bare.command == command
