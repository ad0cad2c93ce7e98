"""The sentences of the first screen: short, without an interval, and never more than the card says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from audit.record import ClaimRecord, Settling, Verdict
from reports import page, wording
from tests.reports import sample
from tests.reports.every_kind import every_kind
from tests.reports.test_wording import ALIKE, ALIKE_VERDICT, ORDER, PAIR_VERDICT, VALUE, VALUE_VERDICT


def brief(claim: ClaimRecord, verdict: Verdict | None, **more: object) -> str:
    return wording.brief_sentence(claim, verdict, names=("Kim-CNN", "XML-CNN"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "verdict", "expected"),
    [
        (
            VALUE,
            replace(VALUE_VERDICT, outcome="inconclusive", reason="within_seed_spread"),
            "3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. Inconclusive: "
            "one lucky run may explain it; it would be reproduced from a margin of 1.03 points on.",
        ),
        (
            VALUE,
            replace(VALUE_VERDICT, outcome="reproduced", reason="tost"),
            "3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. Reproduced: "
            "with chance allowed for, that is within the margin of 0.50 points.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, outcome="reproduced", reason="direction"),
            "With 3 seeds each, the one said to be better is 1.66 points ahead in P@1. Reproduced, as to "
            "direction: chance alone does not explain it. The paper prints a difference of 1.79.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, outcome="inconclusive", reason="undecided", estimate=-0.4),
            "With 3 seeds each, the one said to be better is 0.40 points behind in P@1. Inconclusive: chance "
            "alone may explain it.",
        ),
        (
            ALIKE,
            replace(ALIKE_VERDICT, outcome="reproduced", reason="tost", scope="other_data"),
            "On stand-in data, with 3 seeds each, the two are 0.12 points apart in P@1. Reproduced: with "
            "chance allowed for, that is within the margin of 0.50 points.",
        ),
        (
            replace(ALIKE, details={"no_loss": True}),
            replace(ALIKE_VERDICT, outcome="reproduced", reason="no_loss", estimate=-0.12),
            "With 3 seeds each, the one said to lose nothing is 0.12 points behind in P@1. Reproduced: with "
            "chance allowed for, that is no loss of 0.50 points.",
        ),
        (VALUE, None, "Not tested: no run stands behind this claim."),
    ],
)
def test_brief_sentence(claim: ClaimRecord, verdict: Verdict | None, expected: str) -> None:
    assert brief(claim, verdict) == expected


def test_a_contradiction_begins_with_what_else_may_explain_it() -> None:
    said = brief(ORDER, replace(PAIR_VERDICT, outcome="contradicted", reason="reversed"), departures=1)
    assert said.startswith("The departure listed under “Protocol”, ")
    assert said.index("may be behind") < said.index("Contradicted: here it is the other way round")


def test_what_would_settle_it_is_said_where_seeds_may() -> None:
    """Not where the card says that no number of our seeds settles it."""
    needed = Settling("6 seeds", (6, 7), (8, 9), 6, {"kim": 3}, 60.0, "CPU")
    open_order = replace(PAIR_VERDICT, outcome="inconclusive", reason="undecided")
    assert brief(ORDER, open_order, settling=needed).endswith("may explain it; to settle it: 6 seeds.")
    lucky = replace(VALUE_VERDICT, outcome="inconclusive", reason="within_seed_spread")
    assert "to settle it" not in brief(VALUE, lucky, settling=needed)


def test_no_brief_sentence_has_an_interval_or_a_p_value() -> None:
    """Of every kind of claim, as claimed and the other way round, and each ends with its verdict's word."""
    for audit in (every_kind(), every_kind(flip=True), sample.study(), sample.study("other_data")):
        verdicts = {it.claim: it for it in audit.verdicts}
        for claim in audit.claims:
            verdict = verdicts.get(claim.id)
            said = brief(claim, verdict)
            assert wording.STATUS_WORDS[wording.status_of(verdict)] in said
            if claim.kind in ("value", "order", "equivalent", "significant") and "multiplicity" not in said:
                assert not re.search(r"% interval|\bp [<>=]|p-value", said), said


def test_the_first_screen_has_the_brief_and_the_card_the_whole_sentence() -> None:
    built = page.build(sample.study())
    cards = {it.anchor: it for group in built.groups for block in group.blocks for it in block.cards}
    for headline in built.headlines:
        full = cards[headline.marks[0].href.removeprefix("#")].sentence
        assert len(headline.sentence) < len(full)
        assert "interval" not in headline.sentence


def test_metrics_that_point_another_way_are_named_in_the_same_sentence() -> None:
    """P@1 alone is not quoted where P@3 and P@5 of the claim lie on the other side."""
    third = replace(ORDER, id="kim:P@3", metric="P@3")
    fifth = replace(ORDER, id="kim:P@5", metric="P@5")
    ahead = replace(PAIR_VERDICT, outcome="inconclusive", reason="undecided")
    behind = [(third, replace(ahead, estimate=-0.5)), (fifth, replace(ahead, estimate=-0.41))]
    said = brief(ORDER, ahead, others=behind)
    assert said.startswith(
        "With 3 seeds each, the one said to be better is 1.66 points ahead in P@1, but 0.50 points behind in "
        "P@3 and 0.41 points behind in P@5. Inconclusive: "
    )
    assert ", but " not in brief(ORDER, ahead, others=[(third, replace(ahead, estimate=0.5))])
    assert ", but " not in brief(ORDER, ahead, others=[(third, replace(ahead, estimate=-0.001))])


def test_a_value_on_the_other_side_or_the_other_verdict_is_named_too() -> None:
    """Of values the side is that of the printed number; of verdicts, reproduced against contradicted."""
    third = replace(VALUE, id="kim:P@3", metric="P@3", printed=("60.00",))
    above = replace(
        VALUE_VERDICT, outcome="inconclusive", reason="straddles_margin", target=60.0, estimate=60.9
    )
    below = replace(VALUE_VERDICT, outcome="contradicted", reason="minimum_effect")
    assert "0.62 points below the printed 76.38, but 0.90 points above in P@3. " in brief(
        VALUE, below, others=[(third, above)]
    )
    kept = replace(VALUE_VERDICT, outcome="reproduced", reason="tost", target=None)
    assert "printed 76.38, but reproduced in P@3. " in brief(VALUE, below, others=[(third, kept)])


def test_what_would_settle_a_claim_on_a_stand_in_settles_no_printed_number() -> None:
    """In the brief sentence and in the whole one, with a number of seeds and without."""
    needed = Settling("6 seeds", (6, 7), (8, 9), 6, {"kim": 3}, 60.0, "CPU")
    judged = replace(PAIR_VERDICT, outcome="inconclusive", reason="undecided", scope="other_data")
    never = "(a stand-in can never settle the printed number, which is about the paper’s own data)."
    whole = wording.verdict_sentence(ORDER, judged, names=("A", "B"), settling=needed)
    for said in (whole, brief(ORDER, judged, settling=needed)):
        assert said.endswith(f"; to settle it on this stand-in: 6 seeds {never}")
    alone = wording.verdict_sentence(ORDER, judged, names=("A", "B"))
    assert alone.endswith("; more seeds may settle it on this stand-in.")
