"""The rerun box, the provenance, and claims that rest on the runs of another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from typer.main import get_command

from audit.cli.app import app
from audit.record import Audit, Cell, Outcome, ReadingVerdict, Row, Scope, TableRecord
from reports.cards import ON_STAND_IN, STAND_IN_NOTE
from reports.lookup import lookup
from reports.page import build
from reports.render import html
from reports.rerun import SWITCHES, command_of, only, provenance, rerun_box
from reports.tables import table_views
from tests.reports import sample

STUDY = sample.study()


@pytest.mark.parametrize(
    ("command", "one"),
    [
        ("audit run p --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run p --only a --only b --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run 'my paper.yaml'", "audit run 'my paper.yaml' --only x"),
        ("audit judge p", "audit judge p"),
        ("audit run 'unclosed", "audit run 'unclosed"),
        # of several files and columns the page's own is kept: another claim file would not know the name
        ("audit run p q.yaml --seeds 3", "audit run p --seeds 3 --only x"),
        ("audit run q ./p.yaml --readings", "audit run ./p.yaml --readings --only x"),
        ("audit run q r --seeds 3", "audit run q r --seeds 3"),  # which of them is not to be told
        ("audit run p --data d --columns 0-9", "audit run p --data d@2 --only x"),
    ],
)
def test_the_command_of_one_experiment(command: str, one: str) -> None:
    assert only(command, "x", paper="p", column=2) == one


def test_its_switches_are_those_of_the_command() -> None:
    """What takes no value is known here by name."""
    of_run = get_command(app).commands["run"].params  # type: ignore[attr-defined]
    flags = [it for it in of_run if getattr(it, "is_flag", False)]
    assert {name for it in flags for name in (*it.opts, *it.secondary_opts)} - {"--help"} == SWITCHES


def test_every_claim_that_can_be_run_has_its_command() -> None:
    """Once for all its metrics; none of a claim whose experiments cannot be run, or were imported."""
    blocks = [it for group in build(STUDY).groups for it in group.blocks]
    assert {it.command for it in blocks if it.title.startswith("Kim-CNN is dramatically")} == {
        f"{STUDY.command} --only kim-cnn-is-dramatically-worse"
    }
    without = tuple(replace(it, runs=(), model="", not_run="no implementation") for it in STUDY.experiments)
    bare = build(replace(STUDY, experiments=without))
    assert {it.command for group in bare.groups for it in group.blocks} == {""}
    assert command_of(STUDY.claims[0], lookup(replace(STUDY, command="audit judge chen2022"))) == ""


def readings(*seeds: int) -> tuple[ReadingVerdict, ...]:
    """The default and others, with so many seeds each."""
    return tuple(
        ReadingVerdict({"a": str(k)} if k else {}, "reproduced", "tost", (n,)) for k, n in enumerate(seeds)
    )


def with_readings(held: tuple[ReadingVerdict, ...], declared: int, **more: Any) -> Audit:
    verdicts = (replace(it, readings=held, readings_declared=declared) for it in STUDY.verdicts)
    return replace(STUDY, verdicts=tuple(verdicts), **more)


@pytest.mark.parametrize(
    ("command", "first", "column"),
    [
        (
            "audit run chen2022 --data corpus --seeds 5 --only kim_words && audit judge chen2022",
            "audit run chen2022 --data corpus --only kim_words --seeds 3 --readings && ",
            None,
        ),
        (
            "audit run chen2022 you2019 --data corpus --until-settled",
            "audit run chen2022 --data corpus --seeds 3 --readings && ",
            None,
        ),
        (
            "audit run chen2022 --data splits --columns 0-9 --seeds 5",
            "audit run chen2022 --data splits@0 --seeds 3 --readings && ",
            0.0,
        ),
        ("audit judge chen2022", "", None),
        ("audit run 'x", "", None),
    ],
)
def test_the_command_of_the_page_makes_the_readings_too(
    command: str, first: str, column: float | None
) -> None:
    """Before the whole command, with the seeds that they had, of one claim file and column; else as it is."""
    counts = {} if column is None else {"split.column": column}
    runs = tuple(replace(it, data=replace(it.data, counts=counts)) for it in STUDY.experiments[0].runs)
    base = replace(STUDY.experiments[0], runs=runs)
    reading = replace(base, id="slow", reading_of=base.id, reading={"rate": "slow"})
    box = rerun_box(lookup(with_readings(readings(5, 3), 2, experiments=(base, reading), command=command)))
    assert box.command == f"{first}{command}"
    said = f"{len(runs)} of the runs are of other readings: the first command makes them, with 3 seeds each"
    assert dict(box.facts).get("Readings", "") == (said if first else "")
    bare = rerun_box(lookup(with_readings(readings(5, 3), 2, experiments=(base,), command=command)))
    assert bare.command == command


def test_margins_that_differ_are_seen() -> None:
    """Not where they merely grew, nor of imported runs: when those began nobody knows."""
    fine = provenance(lookup(STUDY))
    assert not fine.mismatch and dict(fine.facts)["Margins"].endswith("all 19 runs began under them.")
    moved = replace(STUDY, margins_hash="0" * 32)
    other = provenance(lookup(moved))
    assert other.mismatch and "0 of 19 runs began under them" in dict(other.facts)["Margins"]
    assert 'class="settings ribbon mismatch"' in html(moved)
    grown = provenance(lookup(replace(moved, margins_grown={STUDY.margins_hash: ("x",)})))
    assert not grown.mismatch and grown.remarks[0].startswith("1 claim was added after runs")
    experiments = []
    for it in STUDY.experiments:
        specs = (replace(run.spec, model="imported", protocol={"name": "imported"}) for run in it.runs)
        runs = tuple(replace(run, spec=spec) for run, spec in zip(it.runs, specs, strict=True))
        experiments.append(replace(it, runs=runs))
    imported = provenance(lookup(replace(moved, experiments=tuple(experiments))))
    assert not imported.mismatch and dict(imported.facts)["Hardware"] == "no run"


# --------------------------------------------------------------------------- the same runs again

OTHERS = ("mediamill", "wiki10")
SWEEP = "kim-cnn-is-dramatically-worse"


def stood_in(scope: Scope = "other_split", *, own: Outcome = "inconclusive") -> Audit:
    """The comparison on its own corpus, and the same for two more data sets for which that corpus was run.

    One of those is the primary claim; on the paper's own data `own` came out, on the stand-in a tick.
    """
    claims = [it for it in STUDY.claims if it.claim == SWEEP]
    verdicts = {it.claim: it for it in STUDY.verdicts}
    arms = [it for it in STUDY.experiments if it.id in claims[0].experiments]
    reason = "undecided" if own == "inconclusive" else "direction"
    made = [replace(it, scope=scope) for it in arms]
    pairs = [
        (replace(it, primary=False), replace(verdicts[it.id], scope=scope, outcome=own, reason=reason))
        for it in claims
    ]
    for name in OTHERS:
        made += [
            replace(it, id=f"{it.id}-{name}", title=f"{it.title} on {name}", dataset=name, scope="other_data")
            for it in arms
        ]
        for claim in claims:
            about = {"dataset": name, "says": f"So on {name}", "cells": (), "primary": name == OTHERS[0]}
            experiments = tuple(f"{it}-{name}" for it in claim.experiments)
            other = replace(
                claim,
                id=f"{SWEEP}-{name}:{claim.metric}",
                claim=f"{SWEEP}-{name}",
                experiments=experiments,
                **about,
            )
            verdict = replace(verdicts[claim.id], claim=other.id, scope="other_data", outcome="reproduced")
            pairs.append((other, replace(verdict, reason="direction")))
    return replace(
        STUDY,
        experiments=tuple(made),
        claims=tuple(claim for claim, _ in pairs),
        verdicts=tuple(verdict for _, verdict in pairs),
        tables=(),
    )


def test_claims_about_other_data_sets_lead_to_the_claim_about_the_corpus_itself() -> None:
    """Metric by metric; a claim with runs of its own, and one that was not run, leads nowhere."""
    audit = stood_in()
    found = lookup(audit)
    expected = {f"{SWEEP}-{name}:P@{k}": f"{SWEEP}:P@{k}" for name in OTHERS for k in (1, 3, 5)}
    assert found.same_claims == expected
    assert sorted(found.same_experiments.values()) == ["kim_emb"] * 2 + ["kim_words"] * 2

    def first_of(changed: Audit) -> list[str]:
        return [it for it in lookup(changed).same_claims if it.endswith("P@1")]

    fewer = replace(audit.experiments[-1], runs=audit.experiments[-1].runs[:2])
    assert first_of(replace(audit, experiments=(*audit.experiments[:-1], fewer))) == [
        f"{SWEEP}-mediamill:P@1"
    ]
    own = [replace(it, scope="same_data") if "wiki10" in it.claim else it for it in audit.verdicts]
    assert first_of(replace(audit, verdicts=tuple(own))) == [f"{SWEEP}-mediamill:P@1"]
    unrun = tuple(replace(it, outcome="inconclusive", reason="not_run") for it in audit.verdicts)
    assert first_of(replace(audit, verdicts=unrun)) == first_of(sample.study("other_data")) == []


def test_claims_on_the_papers_own_data_stand_first() -> None:
    """A tick or a cross on a stand-in stands below, under a heading that says so; a primary claim with the
    runs of another one has no marks, and says how that one came out."""
    (headline,) = build(stood_in()).headlines
    assert (headline.title, headline.marks, headline.heading) == ("So on mediamill", (), ON_STAND_IN)
    assert headline.sentence.startswith("On stand-in data, with 3 seeds each, ")
    assert headline.sentence.endswith(
        "It rests on the very runs of another claim, which is inconclusive at P@1, P@3 and P@5:"
    )
    audit = stood_in()
    experiments = []
    for it in audit.experiments:
        other = tuple(replace(run, key=f"{run.key}x") for run in it.runs)
        experiments.append(replace(it, runs=other) if it.scope == "other_data" else it)
    claims = tuple(replace(it, primary=it.dataset != "wiki10") for it in audit.claims)
    audit = replace(audit, experiments=tuple(experiments), claims=claims)
    built = build(audit)
    assert [(it.anchor, it.part, it.data) for it in built.groups] == [
        ("g-inconclusive", "On the paper’s own data, or another split of it", "own"),
        ("g-reproduced-s", ON_STAND_IN, "stand-in"),
        ("g-again", "", ""),  # of the two other data sets, whose runs are the same
    ]
    assert built.groups[1].note == STAND_IN_NOTE
    assert [(it.stand_in, it.heading) for it in built.headlines] == [(False, ""), (True, ON_STAND_IN)]
    crossed = []
    for verdict in audit.verdicts:
        cross = replace(verdict, outcome="contradicted", reason="reversed")
        crossed.append(cross if verdict.scope == "other_data" else verdict)
    assert not build(replace(audit, verdicts=tuple(crossed))).headlines[0].stand_in


def test_a_cell_of_another_data_set_leads_to_the_cell_that_has_the_runs() -> None:
    """In place of the same mean again; and the verdict of its claim is a sign, no mark."""
    audit = stood_in()
    names = ("kim_words", "kim_words-mediamill")
    rows = tuple(Row(it, it, (Cell(f"t.{it}.P@1", "80.00", "own_run", it),)) for it in names)
    claims = tuple(
        replace(it, cells=(f"t.{names[1]}.P@1",)) if it.id == f"{SWEEP}-mediamill:P@1" else it
        for it in audit.claims
    )
    table = TableRecord("t", "Table 1", "P@1", STUDY.tables[0].columns[:1], rows)
    audit = replace(audit, claims=claims, tables=(table,))
    (view,) = table_views(lookup(audit))
    (own,), (other,) = (cells for _, cells in view.rows)
    assert own.ours.endswith(" †") and own.repeated is None
    assert other.ours == "" and other.repeated == ("same runs as Kim-CNN, words", f"#{own.anchor}")
    (mark,) = other.marks
    assert (mark.again, mark.href) == (True, f"#{lookup(audit).anchors[f'{SWEEP}:P@1']}")
    assert mark.label.startswith("Reproduced on stand-in data, on the same runs as: ")
    assert ">″</a>" in html(audit)
    assert view.footnote == "† Ours on another split: judged with the noise of both test sets added."
