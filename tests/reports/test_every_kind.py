"""The page shows claims of every kind, judged or not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from audit.claim_kinds import KINDS as FILE_KINDS
from audit.record import Part, audit_from_json, to_json
from reports import page, wording
from reports.render import html
from reports.terminal import summary
from tests.reports.every_kind import KINDS, every_kind
from tests.reports.markup import parsed
from tests.reports.test_wording import DOCUMENTS


def cards(**more: Any) -> dict[str, page.Card]:
    groups = page.build(every_kind(**more)).groups
    return {
        card.claim.removeprefix("the-"): card for group in groups for it in group.blocks for card in it.cards
    }


def test_every_kind_that_runs_decide_is_here() -> None:
    assert {kind for kind, _, _ in KINDS} == {name for name, kind in FILE_KINDS.items() if kind.by_runs}


@pytest.mark.parametrize("seeds", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("scope", ["same_data", "other_split", "other_data"])
def test_no_kind_breaks_the_page(seeds: int, flip: bool, scope: Any) -> None:
    """With or without runs, on whatever data: a sound page with a card and words for each claim."""
    audit = every_kind(scope, seeds=seeds, flip=flip)
    assert audit_from_json(to_json(audit)) == audit
    text = parsed(html(audit))
    assert text.unclosed == []
    assert len(text.ids()) == len(set(text.ids()))
    assert len(text.of_class("card")) == len(audit.claims)
    assert not any(code in text.text for code in wording.REASONS if "_" in code)
    assert "{" not in text.text
    assert summary(audit).splitlines()[-1].startswith("12 claims: ")


def test_comparisons_of_a_claim_are_a_table() -> None:
    """Each comparison has its titles, its difference and both p-values; adjusted within the claim by Holm."""
    found = cards()
    rows = found["ranking"].parts
    assert [row.says for row in rows] == ["“Method A” > “Method B”", "“Method B” > “Method C”"]
    assert [row.difference for row in rows] == ["+1.66", "+6.66"]  # 78.54, 76.88, 70.22
    assert {row.p_as_claimed for row in rows} == {"< 0.001"}
    assert {row.p_reverse for row in rows} == {"1.000"}
    assert [row.says for row in found["dominance"].parts] == [
        "toy P@1: “Method A” > “Method B”",
        "toy P@1: “Method A” > “Method C”",
    ]
    markup = parsed(html(every_kind()))
    tables = [it for it in markup.elements if "parts" in it.attributes.get("class", "").split()]
    assert len(tables) == 4
    assert "“Method B” > “Method C”" in tables[0].text
    assert found["order"].parts == ()


def test_comparisons_without_numbers_are_dashes() -> None:
    """What was not measured or tested stays empty, and a sentence that is not made of ids stays as it is."""
    audit = every_kind()
    parts = (Part("by hand", ("a", "b")), Part("a > b", ("a", "b"), 0.001, 0.0004, None))
    verdicts = tuple(
        replace(it, parts=parts) if it.claim == "the-ranking:P@1" else it for it in audit.verdicts
    )
    blocks = [b for g in page.build(replace(audit, verdicts=verdicts)).groups for b in g.blocks]
    (card,) = [card for block in blocks for card in block.cards if card.claim == "the-ranking"]
    first, second = card.parts
    assert (first.says, first.difference, first.p_as_claimed, first.p_reverse) == ("by hand", "–", "–", "–")
    assert (second.difference, second.p_as_claimed, second.p_reverse) == ("+0.001", "< 0.001", "–")


def test_costs_are_shown_in_their_own_unit() -> None:
    """Seconds of each run, and the ratio; never as a metric that is missing."""
    card = cards()["cost"]
    assert card.metric == "training time"
    assert [seed.value for seed in card.strips[0].seeds] == ["10 s", "10 s", "11 s", "11 s", "11 s"]
    assert {fact.term: fact.text for fact in card.facts}["Ratio"] == "3.17"
    assert "ratio of training time" in card.plot
    assert "training time, seconds" in card.plot


@pytest.mark.parametrize(
    ("quantity", "shown"), [("parameters", "1,000"), ("model_size", "0 MiB"), ("prediction_time", "")]
)
def test_other_costs(quantity: str, shown: str) -> None:
    """Numbers of weights and bytes; a cost that no record has is no value."""
    audit = every_kind()
    claims = tuple(
        replace(it, details={"quantity": quantity}) if it.kind == "cost" else it for it in audit.claims
    )
    blocks = [b for g in page.build(replace(audit, claims=claims)).groups for b in g.blocks]
    (card,) = [card for block in blocks for card in block.cards if card.claim == "the-cost"]
    assert {seed.value for strip in card.strips for seed in strip.seeds} == {shown}


def test_seeds_say_when_they_had_the_score() -> None:
    """A convergence claim shows the epoch beside each seed; a run that never came there says so."""
    audit = every_kind()
    notes = [[seed.note for seed in strip.seeds] for strip in cards()["convergence"].strips]
    assert notes == [[f"70.00 held out reached in epoch {k}"] * 5 for k in (1, 4)]
    claims = tuple(
        replace(it, details={"target": 72.0}) if it.kind == "convergence" else it for it in audit.claims
    )
    blocks = [b for g in page.build(replace(audit, claims=claims)).groups for b in g.blocks]
    (card,) = [card for block in blocks for card in block.cards if card.claim == "the-convergence"]
    assert card.strips[0].seeds[0].note == "72.00 held out not reached in 4 epochs"


def test_a_score_to_be_reached_is_told_from_the_scores_beside_it() -> None:
    """The seeds have the score on test documents, the curve is of held-out ones; the row has the result."""
    audit = every_kind()
    card = cards()["convergence"]
    name = "on test documents, and when the curve of held-out ones reached the score"
    assert [strip.name.partition(": P@1 ")[2] for strip in card.strips] == [name, name]
    facts = {it.term: it.text for it in card.facts}
    assert facts["To be reached"].startswith("70.00 P@1 on held-out documents, as the claim file fixes it")
    assert card.numbers == "here epochs 1 / 4"
    judged = {it.claim: it for it in audit.verdicts}
    told = next(it for it in audit.claims if it.kind == "convergence")
    bare = replace(judged[told.id], badges=())
    assert "held-out documents are compared. " in wording.verdict_sentence(told, bare, names=("A", "B"))


def test_a_ratio_and_a_power_stand_in_the_row_whatever_the_verdict() -> None:
    audit = every_kind()
    open_ones = tuple(replace(it, outcome="inconclusive", reason="undecided") for it in audit.verdicts)
    for verdicts in (audit.verdicts, open_ones):
        blocks = [b for g in page.build(replace(audit, verdicts=verdicts)).groups for b in g.blocks]
        found = {card.kind_key: card.numbers for block in blocks for card in block.cards}
        assert (found["cost"], found["complexity"]) == ("here × 3.17", "here power 0.998")


def test_plots() -> None:
    """Arms of a ranking share an axis; what shares none is not drawn, and that is said."""
    found = cards()
    assert len(re.findall(r"M[\d.]+ \d+h0", found["ranking"].plot)) == 15
    assert "<title>Intervals and seeds</title>" in found["ranking"].plot
    assert found["dominance"].plot == ""
    assert found["dominance"].no_plot.startswith("Not drawn: the comparisons share no axis")
    assert found["convergence"].no_plot.startswith("Not drawn: what counts is the epoch")
    assert cards(scope="other_data")["gap"].plot == ""


def test_the_margin_of_a_gap_lies_around_the_printed_gap() -> None:
    """The band is around the printed difference; half of a large one is the margin, and that is said."""
    card = cards()["gap"]
    facts = {fact.term: fact.text for fact in card.facts}
    assert facts["Margin"] == ("4.30 points (half of the printed difference; fixed was 0.50), rule “field”")
    assert facts["Difference"] == "+8.32 (printed +8.60)"
    band = re.search(r'<path class="band" d="M([\d.]+) 18H([\d.]+)V', card.plot)
    target = re.search(r'<path class="target" d="M([\d.]+) ', card.plot)
    assert band is not None
    assert target is not None
    assert (float(band[1]) + float(band[2])) / 2 == pytest.approx(float(target[1]), abs=0.11)
    (claim,) = [it for it in every_kind().claims if it.kind == "gap"]
    (verdict,) = [it for it in every_kind().verdicts if it.claim == claim.id]
    assert wording.edges(claim, verdict) == pytest.approx((8.6, 4.3, 12.9))


def test_the_strip_of_several_metrics_names_its_own() -> None:
    """A claim over several metrics shows the first that the experiment is named for, and says which."""
    assert [strip.name for strip in cards()["dominance"].strips] == [
        "Method A, P@1",
        "Method B, P@1",
        "Method C, P@1",
    ]


def test_a_headline_of_a_claim_without_metric_reads_well() -> None:
    """A primary cost claim is headed by what it compares."""
    audit = every_kind()
    claims = tuple(replace(it, primary=it.kind == "cost") for it in audit.claims)
    (headline,) = page.build(replace(audit, claims=claims)).headlines
    assert headline.summary == "Reproduced at training time."
    assert [mark.metric for mark in headline.marks] == ["training time"]


def test_a_comparison_says_what_holds_for_new_documents() -> None:
    """A card shows what single documents say beside the verdict; others have no such line."""
    audit = replace(every_kind(), instances={"the-order:P@1": DOCUMENTS})
    blocks = [b for g in page.build(audit).groups for b in g.blocks]
    shown = {card.claim: {fact.term: fact.text for fact in card.facts} for b in blocks for card in b.cards}
    assert shown["the-order"]["For new documents"].startswith("+0.96 points, 95% interval −0.29 to 2.21")
    assert shown["the-order"]["For these documents"].endswith("seeds alone vary")
    assert "seeds 0 and 0: 12 to 5" in shown["the-order"]["McNemar"]
    assert "For new documents" not in shown["the-significant"]
    assert "For new documents" in parsed(html(audit)).text
