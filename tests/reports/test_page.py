"""The page's data: what stands where, before any HTML. Every kind of claim, judged or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from audit.record import (
    Audit,
    Deviation,
    ExperimentRecord,
    Outcome,
    SplitStudy,
    SplitVerdict,
    Verdict,
    audit_from_json,
    to_json,
)
from reports.exports import summary
from reports.lookup import Lookup
from reports.page import build, html
from reports.protocol import protocol_box
from reports.sentences import REASONS
from reports.tables import split_section
from reports.text import View
from tests.reports import sample
from tests.reports.every_kind import every_kind
from tests.reports.markup import parsed


def cards_of(audit: Audit) -> list[View]:
    return [it for group in build(audit).groups for it in group.cards]


def rows_of(audit: Audit) -> dict[str, View]:
    """By claim id of the record."""
    anchors = {anchor: name for name, anchor in Lookup(audit).anchors.items()}
    return {anchors[row.anchor]: row for card in cards_of(audit) for row in card.rows}


# --------------------------------------------------------------------------- claims


@pytest.mark.parametrize("make", [sample.study, sample.tiny, sample.empty, sample.untested])
def test_four_numbers_add_up_and_each_verdict_is_that_of_the_record(make: Any) -> None:
    """Each has one row, under the outcome of its verdict; not run, or in vain, is not tested."""
    audit = make()
    assert sum(box.count for box in build(audit).counts) == len(audit.claims)
    unrun = ("not_run", "run_failed")
    expected = {it.claim: "not_tested" if it.reason in unrun else it.outcome for it in audit.verdicts}
    assert {name: row.status for name, row in rows_of(audit).items()} == expected


def test_a_claim_is_one_card_with_a_row_for_each_metric() -> None:
    audit = sample.study()
    claims = {claim.claim for claim in audit.claims}
    cards = cards_of(audit)
    assert len(cards) == len(claims) == len({it.anchor for it in cards})
    assert sum(len(it.rows) for it in cards) == len(audit.claims)


def test_primary_claims_are_first_and_open_then_what_needs_an_eye() -> None:
    """The others stand by what came out and why; what was not tested is last and folded."""
    kinds: list[tuple[Outcome, str]] = [("reproduced", "tost"), ("inconclusive", "not_run")]
    kinds += [("contradicted", "reversed"), ("inconclusive", "undecided"), ("reproduced", "tost")]
    (claim,) = sample.tiny().claims
    claims = tuple(replace(claim, id=f"c{k}", claim=f"c{k}", primary=k == 4) for k in range(5))
    verdicts = tuple(Verdict(f"c{k}", *kind) for k, kind in enumerate(kinds))
    groups = build(replace(sample.tiny(), claims=claims, verdicts=verdicts)).groups
    order = ["Primary claims", "Contradicted", "Inconclusive", "Reproduced", "Not tested"]
    assert [(it.word, it.folded) for it in groups] == [(it, it == "Not tested") for it in order]
    assert [it.open for group in groups for it in group.cards] == [True, False, False, False, False]
    assert groups[1].why == REASONS["reversed"]


@pytest.mark.parametrize(
    ("reason", "contradicted_up_to", "moved_by"),
    [
        ("straddles_margin", 0.1, "0.3 0.9 - - 0.1"),
        ("hangs_on_spread", 0.4, ""),
        ("multiplicity", 0.4, ""),
        ("most_failed", 0.1, ""),
        ("runs_gone", 0.1, ""),
    ],
)
def test_the_audits_own_margin_shows_the_audits_own_verdict(
    reason: str, contradicted_up_to: float, moved_by: str
) -> None:
    """What the margin alone does not hold open has no what-if: the page would say more than the audit."""
    ends = {"margin_reproduced_from": 0.9, "margin_contradicted_up_to": contradicted_up_to}
    verdict = replace(sample.tiny().verdicts[0], reason=reason, margin=0.3, **ends)
    (card,) = cards_of(replace(sample.tiny(), verdicts=(verdict,)))
    assert card.rows[0].band == moved_by
    assert any("Margin band" in fact[0] for fact in card.facts) == (
        reason not in ("most_failed", "runs_gone")
    )


def test_a_printed_mean_is_no_lucky_run_and_a_cell_shows_the_seeds_of_its_verdict() -> None:
    (claim,), (verdict,) = sample.tiny().claims, sample.tiny().verdicts
    verdict = replace(verdict, outcome="contradicted", reason="minimum_effect", margin_contradicted_up_to=0.6)
    audit = replace(sample.tiny(), claims=(replace(claim, runs_behind=5),), verdicts=(verdict,))
    (card,) = cards_of(audit)
    assert "even allowing for chance in the paper’s 5 runs" in card.reasons[0][2]
    assert any(fact[0] == "Mean of the paper’s runs (95%)" for fact in card.facts)
    cell = build(audit).tables[0].rows[0][1][0]
    assert (cell.ours, cell.n) == ("75.20 ± 0.14", "n = 2")  # of 75.1 and 75.3


def test_a_row_has_both_numbers_their_difference_and_its_interval() -> None:
    (row,) = rows_of(sample.tiny()).values()
    assert (row.paper, row.ours, row.difference) == ("75.83", "75.20 ± 0.14", "−0.63")
    assert (row.interval, row.level, row.margin) == ("−1.26 to 0.001", "90", "0.50")
    assert row.seeds == "2 of 3 seeds"
    order = rows_of(every_kind())["the-order:P@1"]
    assert (order.ours, order.difference) == ("78.54 − 76.88", "+1.66")


@pytest.mark.parametrize(
    ("scope", "seeds", "flip"),
    [
        ("same_data", 0, False),
        ("same_data", 1, False),
        ("same_data", 5, False),
        ("same_data", 5, True),
        ("other_split", 3, False),
        ("other_data", 3, True),
    ],
)
def test_no_kind_breaks_the_page(scope: Any, seeds: int, flip: bool) -> None:
    """With or without runs, on whatever data: a sound page with a card and words for each claim."""
    audit = every_kind(scope, seeds=seeds, flip=flip)
    assert audit_from_json(to_json(audit)) == audit
    text = parsed(html(audit))
    assert text.unclosed == [] and len(text.ids()) == len(set(text.ids()))
    assert len(text.of_class("card")) == len({claim.claim for claim in audit.claims})
    assert not any(code in text.text for code in REASONS if "_" in code) and "{" not in text.text
    assert summary(audit).splitlines()[-1].startswith("12 judgements: ")


# --------------------------------------------------------------------------- the protocol

LAPTOP = "reduced so that a suite of claims runs on a laptop CPU in minutes"


def changed(what: str, paper: float, here: float) -> Deviation:
    return Deviation(what, "", "", LAPTOP, numbers=(paper, here))


CHANGED = (
    Deviation("data", "EUR-Lex (train 15,449)", "stand-in: train 100", "other corpus"),
    changed("maps", 128, 16),
    changed("base maps", 128, 16),  # told once
    Deviation("fully connected", "(512, 256)", "(32,)", LAPTOP),
    changed("learning rate", 0.001, 5e-05),
    changed("words kept per document", 500, 96),
    changed("epochs", 30, 20),
    changed("word vectors", 300, 50),
    changed("hidden", 512, 512),
)


def reduced(deviations: Sequence[Deviation]) -> Audit:
    def small(it: ExperimentRecord) -> ExperimentRecord:
        spec = {"name": "xun2020-small", "deviation": LAPTOP}
        runs = tuple(replace(run, spec=replace(run.spec, protocol=spec)) for run in it.runs)
        return replace(it, protocol="xun2020-small", deviations=tuple(deviations), runs=runs)

    return replace(sample.study(), experiments=tuple(map(small, sample.study().experiments)))


@pytest.mark.parametrize(
    ("deviations", "said"),
    [
        (
            CHANGED,
            "Reduced for a CPU: epochs 20 instead of 30, words kept per document 96 instead of 500, word "
            "vectors 50 instead of 300, maps 16 instead of 128, learning rate 5e-05 instead of 0.001.",
        ),
        (
            [changed("epochs", it, 20) for it in (30, 5, 100)],
            "Reduced for a CPU: epochs 20 instead of 5 to 100.",
        ),
    ],
)
def test_a_reduced_protocol_says_in_what(deviations: Sequence[Deviation], said: str) -> None:
    """First what everybody asks; from the least number to the largest."""
    assert protocol_box(Lookup(reduced(deviations))) == (said, "")


# --------------------------------------------------------------------------- split columns

STUDY = SplitStudy(
    "chen2022", "delicious", "audit run --columns 0-3", (sample.NOISE,), {"kim_words": ("a",)}, failed=1
)


def test_a_printed_number_has_a_verdict_under_each_reading_of_the_split() -> None:
    one = SplitVerdict("contradicted", "minimum_effect", 3, -7.83, 0.5, 1.15, 2, 0.989, 0.0312)
    mean = SplitVerdict("inconclusive", "too_few_seeds", 3, -7.83, 0.5)
    noise = replace(sample.NOISE, claim="kim-words-value:P@1", as_one_split=one, as_mean=mean)
    audit = replace(sample.study(), splits=replace(STUDY, noise=(noise,)))
    section = split_section(Lookup(audit)) or pytest.fail()
    ((row, name, anchor),) = section.noise
    assert (row.as_one_split, name, anchor) == (one, "Kim-CNN, words", "c-kim-words-value-p1")
    text = parsed(html(audit)).text
    for said in (
        "outside the margin, even allowing for one unusual split",
        "p\xa0(reproduced)\xa00.989, p\xa0(contradicted)\xa00.031",
        "too few seeds on one column; at least four are needed",
        "58.06 to 77.94; 75.83 is inside",
        "66.59 to 69.41; 75.83 is 6.42 above",
        "1 run failed.",
        "−7.83",
    ):
        assert said in text, said
