"""The page shows claims of every kind, judged or not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from audit.claim_kinds import KINDS as FILE_KINDS
from audit.record import audit_from_json, to_json
from reports.cards import Card
from reports.fields import edges
from reports.page import build
from reports.render import html
from reports.terminal import summary
from reports.words import REASONS
from tests.reports.every_kind import KINDS, every_kind
from tests.reports.markup import parsed


def cards(**more: Any) -> dict[str, Card]:
    groups = build(every_kind(**more)).groups
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
    assert not any(code in text.text for code in REASONS if "_" in code)
    assert "{" not in text.text
    assert summary(audit).splitlines()[-1].startswith("12 claims: ")


@pytest.mark.parametrize(
    ("quantity", "shown"), [("parameters", "1,000"), ("model_size", "0 MiB"), ("prediction_time", "")]
)
def test_other_costs(quantity: str, shown: str) -> None:
    """Numbers of weights and bytes; a cost that no record has is no value."""
    audit = every_kind()
    claims = tuple(
        replace(it, details={"quantity": quantity}) if it.kind == "cost" else it for it in audit.claims
    )
    blocks = [b for g in build(replace(audit, claims=claims)).groups for b in g.blocks]
    (card,) = [card for block in blocks for card in block.cards if card.claim == "the-cost"]
    assert {seed.value for strip in card.strips for seed in strip.seeds} == {shown}


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
    assert edges(claim, verdict) == pytest.approx((8.6, 4.3, 12.9))
