"""What would settle the open claims: on each card, in its sentence, and in a short list by cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Settling
from reports import page, wording
from reports.lookup import lookup
from reports.open_claims import open_claims
from reports.render import html
from tests.reports import sample
from tests.reports.every_kind import every_kind


def opened(**found: Settling) -> Audit:
    """Every kind of claim with two seeds, which leave all of them open."""
    audit = every_kind(seeds=2)
    ids = {it.claim: it.id for it in audit.claims}
    return replace(audit, settling={ids[name.replace("_", "-")]: it for name, it in found.items()})


SIX = Settling("6 seeds, 0.4 GPU-hours", (6, 7), (None, None), 6, {"a": 3}, 1440.0, "GPU")
NINETY = Settling("90 seeds, 20 CPU-minutes", (90, None), (90, 99), 90, {"a": 87}, 1200.0, "CPU")
NEVER = Settling("no number of our seeds settles this; the authors' seeds would")


def test_the_list_is_in_the_order_of_the_record_and_the_rest_is_counted() -> None:
    found = open_claims(lookup(opened(the_order=SIX, the_equivalent=NINETY, the_value=NEVER)))
    assert [it.text for it in found.claims] == [
        "6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none",
        "90 seeds, 20 CPU-minutes: to reproduce it 90 (more than 100), to contradict it 90 (99)",
    ]
    assert found.rest == ("1 claim: no number of our seeds settles this; the authors' seeds would.",)


def test_its_columns_are_seeds_runs_time_and_chance() -> None:
    audit = opened(the_order=replace(SIX, missing={"a": 3, "b": 4}), the_value=NEVER)
    (claim,) = open_claims(lookup(audit)).claims
    assert (claim.seeds, claim.runs, claim.time) == ("6", "7", "24.0 min on a GPU")
    assert claim.chance == (
        "To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: no number of seeds."
    )


def test_what_was_settled_or_not_tested_is_not_in_the_list() -> None:
    audit = every_kind()
    settled = replace(audit, settling={it.id: SIX for it in audit.claims})
    shown = open_claims(lookup(settled))
    assert len(shown.claims) == sum(it.outcome == "inconclusive" for it in audit.verdicts)


def test_the_page_says_it_on_the_card_in_its_sentence_and_in_the_list() -> None:
    audit = opened(the_order=SIX)
    cards = {it.anchor: it for g in page.build(audit).groups for b in g.blocks for it in b.cards}
    (card,) = (it for it in cards.values() if it.claim == "the-order")
    assert ("To settle it", "6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none") in [
        (fact.term, fact.text) for fact in card.facts
    ]
    text = html(audit)
    assert "What would settle the open claims" in text
    assert f'<th scope="row"><a href="#{card.anchor}">' in text
    assert "What would settle" not in html(replace(audit, settling={}))


def test_a_sentence_that_hopes_for_more_seeds_says_how_many() -> None:
    audit = every_kind()
    claim = next(it for it in audit.claims if it.kind == "equivalent")
    verdict = next(it for it in audit.verdicts if it.claim == claim.id)
    straddling = replace(verdict, outcome="inconclusive", reason="straddles_margin")
    hopeful = wording.verdict_sentence(claim, straddling, names=("A", "B"))
    assert "more seeds may settle it" in hopeful
    told = wording.verdict_sentence(claim, straddling, names=("A", "B"), settling=NEVER)
    assert "more seeds may settle it" not in told
    assert "; to settle it: no number of our seeds settles this" in told


@pytest.mark.parametrize(
    ("settling", "text"), [(NEVER, NEVER.text), (replace(SIX, reproduce=(None, None)), SIX.text)]
)
def test_without_numbers_the_text_stands_alone(settling: Settling, text: str) -> None:
    assert wording.to_settle(settling) == text


def test_what_settles_a_claim_on_a_stand_in_says_so_and_stands_last() -> None:
    """On the card, in the table, and in a note below its head; the paper's own data come first."""
    audit = sample.study()
    first, second = [it.id for it in audit.claims if it.kind == "order"][:2]
    verdicts = tuple(
        replace(
            it,
            outcome="inconclusive",
            reason="undecided",
            scope="other_data" if it.claim == first else "same_data",
        )
        if it.claim in (first, second)
        else it
        for it in audit.verdicts
    )
    audit = replace(audit, verdicts=verdicts, settling={first: SIX, second: SIX})
    shown = open_claims(lookup(audit))
    own, stand_in = shown.claims
    assert stand_in.text == (
        f"on this stand-in: {wording.to_settle(SIX)}; a stand-in can never settle the printed number, which "
        "is about the paper’s own data"
    )
    assert (own.text, own.chance[:11]) == (wording.to_settle(SIX), "To reproduc")
    assert stand_in.chance == f"On this stand-in. {own.chance}"
    assert shown.stand_in.startswith("What runs on a stand-in settle holds for the stand-in")
    assert open_claims(lookup(replace(audit, settling={second: SIX}))).stand_in == ""
