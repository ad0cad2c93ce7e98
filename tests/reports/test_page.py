"""The page's data: what stands where, before any HTML."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Cell, Finding, Outcome, Verdict
from reports.cards import Card
from reports.lookup import lookup, unique_anchors
from reports.page import build
from reports.protocol import run_rows
from reports.tables import mean_and_sd, table_views
from reports.text import View
from tests.reports import sample


@pytest.fixture(scope="module")
def study() -> Audit:
    return sample.study()


@pytest.fixture(scope="module")
def built(study: Audit) -> View:
    return build(study)


# --------------------------------------------------------------------------- counts and groups


@pytest.mark.parametrize("make", [sample.study, sample.tiny, sample.empty, sample.untested])
def test_four_numbers_add_up(make: object) -> None:
    """Reproduced, contradicted, inconclusive and not tested add up to the number of claims."""
    audit = make()  # type: ignore[operator]
    counts = build(audit).counts
    assert sum(box.count for box in counts) == len(audit.claims)
    assert {box.total for box in counts} == {len(audit.claims)}


def test_each_verdict_on_the_page_is_that_of_the_record(study: Audit, built: View) -> None:
    """Every claim has one card, under the outcome of its verdict; not run, or in vain, is not tested."""
    shown = {
        card.anchor: card.status for group in built.groups for block in group.blocks for card in block.cards
    }
    anchors = lookup(study).anchors
    expected = {
        anchors[verdict.claim]: "not_tested"
        if verdict.reason in ("not_run", "run_failed")
        else verdict.outcome
        for verdict in study.verdicts
    }
    assert shown == expected


def test_values_on_other_data_are_not_tested_everywhere() -> None:
    """On a stand-in corpus the 18 values and the claims without a run, or with failed ones, are not tested:
    in the count, the last group, the marks of the table, and under "not checked"."""
    audit = sample.study("other_data")
    built = build(audit)
    (box,) = [box for box in built.counts if box.status == "not_tested"]
    assert (box.count, box.word) == (20, "Not tested")
    assert (built.groups[-1].status, built.groups[-1].count) == ("not_tested", 20)
    large = {
        mark.status for row in built.tables[0].rows for it in row.cells for mark in it.marks if not mark.small
    }
    assert large == {"not_tested"}
    told = [it.text for group in built.sections.not_checked for it in group.sentences]
    assert "18 claims not tested: not judged on other data than the paper’s." in told
    card = card_of(audit, "kim-words-value:P@1")
    assert card.reason == "not judged on other data than the paper’s"
    assert card.sentence.startswith("Not tested: the runs used other data than the paper")


def test_order_of_groups() -> None:
    """What needs an eye is first; what was not tested is last, and the only group that is folded."""
    kinds: list[tuple[Outcome, str]] = [("reproduced", "tost"), ("inconclusive", "not_run")]
    kinds += [("contradicted", "reversed"), ("inconclusive", "undecided")]
    (claim,) = sample.tiny().claims
    claims = tuple(replace(claim, id=f"c{k}", claim=f"c{k}") for k in range(4))
    verdicts = tuple(Verdict(f"c{k}", outcome, reason) for k, (outcome, reason) in enumerate(kinds))
    groups = build(replace(sample.tiny(), claims=claims, verdicts=verdicts)).groups
    assert [(group.status, group.folded) for group in groups] == [
        ("contradicted", False),
        ("inconclusive", False),
        ("reproduced", False),
        ("not_tested", True),
    ]


def test_only_contradictions_are_open(built: View) -> None:
    """Cards are closed by default except contradictions, which come first."""
    assert built.groups[0].status == "contradicted"
    for group in built.groups:
        assert {card.open for block in group.blocks for card in block.cards} == {
            group.status == "contradicted"
        }


# --------------------------------------------------------------------------- headlines


# --------------------------------------------------------------------------- cards


def card_of(audit: Audit, claim: str) -> Card:
    built = build(audit)
    anchor = lookup(audit).anchors[claim]
    cards = [card for group in built.groups for block in group.blocks for card in block.cards]
    return next(card for card in cards if card.anchor == anchor)


def test_failed_seeds_are_shown() -> None:
    """A seed without a value stays in the strip, with the reason and its record."""
    (card,) = build(sample.tiny()).groups[0].blocks[0].cards
    (strip,) = card.strips
    assert [seed.value for seed in strip.seeds] == ["75.10", "75.30", ""]
    assert strip.seeds[2].note == "ended early: loss became NaN in epoch 3"
    assert strip.seeds[2].run.startswith("r-")


# --------------------------------------------------------------------------- tables


def test_copied_cells_get_no_number_of_ours() -> None:
    """Our mean is not set below another paper's number, even where the row names an experiment."""
    audit = sample.tiny()
    (row,) = audit.tables[0].rows
    cells = tuple(replace(cell, source="copied", copied_from="liu2017") for cell in row.cells)
    table = replace(audit.tables[0], rows=(replace(row, cells=cells),))
    (view,) = table_views(lookup(replace(audit, tables=(table,))))
    assert view.rows[0].cells[0].ours == ""


@pytest.mark.parametrize(
    ("values", "mean", "sd"),
    [
        ([75.0, 76.0, 77.0], 76.0, 1.0),
        ([75.0], 75.0, None),
        ([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 5.0, 2.138),
    ],
)
def test_mean_and_sd(values: list[float], mean: float, sd: float | None) -> None:
    """The standard deviation has n - 1 below; one value has none."""
    got_mean, got_sd = mean_and_sd(values)
    assert got_mean == pytest.approx(mean)
    assert got_sd == (None if sd is None else pytest.approx(sd, abs=5e-4))


# --------------------------------------------------------------------------- protocol and records


def test_every_run_has_a_record(study: Audit) -> None:
    """Each run once, with seed, device, time, memory and code; a failed one with its reason."""
    rows = run_rows(lookup(study))
    assert len(rows) == len({row.key for row in rows}) == 19
    lost = [row for row in rows if row.status != "done"]
    assert [row.status for row in lost] == ["ended early: loss became NaN in epoch 3"]
    assert (rows[0].seed, rows[0].device, rows[0].seconds, rows[0].memory) == (
        "0",
        "cuda: NVIDIA H100",
        "2.2 min",
        "2.2 GiB",
    )


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("5d41402abc4b2a76b9719d911017c592", "all 3 runs began under them"),
        ("0" * 32, "0 of 3 runs began under them"),
    ],
)
def test_margins_are_compared_with_the_runs(mark: str, text: str) -> None:
    """Margins that were changed after the runs are seen."""
    ribbon = build(replace(sample.tiny(), margins_hash=mark)).sections.provenance
    assert text in dict(ribbon.facts)["Margins"]
    assert ribbon.mismatch == text.startswith("0 of")


# --------------------------------------------------------------------------- gate, findings, left out


def test_ragged_tables_and_unknown_ids_do_not_break_the_page() -> None:
    """A claim about a cell or an experiment that is not there, and a longer row, are still shown."""
    audit = sample.tiny()
    table = audit.tables[0]
    row = replace(table.rows[0], cells=(*table.rows[0].cells, Cell("t4.x.y", "1", "unknown")))
    claim = replace(audit.claims[0], cells=("t9.a.b",), experiments=("nobody",), says="")
    finding = Finding("identity", "untestable", (), "Nothing to compare.")
    changed = replace(audit, tables=(replace(table, rows=(row,)),), claims=(claim,), findings=(finding,))
    built = build(changed)
    assert built.groups[0].blocks[0].title == "“nobody” scores 75.83"


def test_anchors_are_unique_and_stable() -> None:
    """Ids that would share a fragment are numbered in order, and one id keeps its fragment."""
    assert unique_anchors("c", ["a:P@1", "a P1", "b", "b"]) == {
        "a:P@1": "c-a-p1",
        "a P1": "c-a-p1-2",
        "b": "c-b",
    }
