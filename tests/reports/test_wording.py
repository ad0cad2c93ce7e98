"""The generated sentences, one by one. Numbers are those of hand-made verdicts, not of any run."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from audit.record import (
    ClaimRecord,
    Estimate,
    FidelityCheck,
    Finding,
    InstanceEvidence,
    Margin,
    Scope,
    SeedPair,
    Share,
    Verdict,
    Where,
)
from reports import wording
from reports.wording import conclusions, controls, notes, words
from tests.reports.every_kind import every_kind

BLAME = re.compile(r"\b(fraud\w*|fake\w*|wrong\w*|failed to|fails to|mislead\w*|guilty|cheat\w*)\b", re.I)
PEOPLE = re.compile(r"\b(authors?|they|he|she|his|her|who)\b", re.I)

VALUE = ClaimRecord(
    id="kim:P@1",
    claim="kim",
    kind="value",
    says="Kim-CNN reaches 76.38",
    metric="P@1",
    where=Where("3.1", 1990),
    cells=("t4.kim.P@1",),
    printed=("76.38",),
    experiments=("kim",),
    margin=Margin(0.5, "field", ""),
)
ORDER = replace(VALUE, kind="order", printed=("76.38", "74.59"), experiments=("a", "b"))
ALIKE = replace(VALUE, kind="equivalent", printed=("76.38", "75.96"), experiments=("a", "b"))

#: STATISTICS.md, worked case 1: 76.38 against 75.50, 75.83, 75.96 at margin 0.5.
VALUE_VERDICT = Verdict(
    claim="kim:P@1",
    outcome="inconclusive",
    reason="within_seed_spread",
    scope="same_data",
    n=(3,),
    attempts=(3,),
    values=((75.50, 75.83, 75.96),),
    seeds=((0, 1, 2),),
    estimate=75.7633,
    target=76.38,
    margin=0.5,
    sd=0.2371,
    ci90=(75.364, 76.163),
    ci95=(75.174, 76.352),
    p_reproduced=0.766,
    p_contradicted=0.723,
    margin_reproduced_from=1.0214,
    margin_contradicted_up_to=0.0,
)
PAIR_VERDICT = replace(
    VALUE_VERDICT,
    n=(3, 3),
    attempts=(3, 3),
    estimate=1.66,
    target=1.79,
    margin=None,
    sd=None,
    ci90=(1.2, 2.1),
    ci95=(1.05, 2.27),
    margin_reproduced_from=None,
    margin_contradicted_up_to=None,
)
ALIKE_VERDICT = replace(
    PAIR_VERDICT,
    estimate=0.12,
    margin=0.5,
    ci90=(-0.1, 0.34),
    ci95=(-0.19, 0.43),
    margin_reproduced_from=0.34,
)

#: STATISTICS.md, section 2: one gap on fixed and on new documents.
DOCUMENTS = InstanceEvidence(
    documents=3865,
    texts=3860,
    difference=0.96,
    sd_documents=38.0,
    these=Estimate(0.1745, 7.9, (0.557, 1.363)),
    new=Estimate(0.636, 1300.0, (-0.288, 2.208)),
    bootstrap=(-0.25, 2.17),
    replicates=2000,
    pairs=(SeedPair((0, 0), 12, 5, 0.14346), SeedPair((1, 1), 30, 4, 0.00001)),
)

#: Claims of every kind with verdicts that the comparator gave: as claimed, and the other way round.
KINDS, FLIPPED = every_kind(), every_kind(flip=True)


def say(claim: ClaimRecord, verdict: Verdict | None, *, departures: int = 0) -> str:
    return wording.verdict_sentence(claim, verdict, names=("Kim-CNN", "XML-CNN"), departures=departures)


# --------------------------------------------------------------------------- value claims


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (
            VALUE_VERDICT,
            "3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. "
            "Inconclusive: one lucky run would explain the difference, and more seeds of ours may never "
            "settle it; taken alone, it would be reproduced from a margin of 1.03 on.",
        ),
        (
            replace(VALUE_VERDICT, reason="straddles_margin"),
            "3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. "
            "Inconclusive: the printed number is neither inside the margin of 0.50 nor, allowing for one "
            "unusual run, outside it; more seeds may settle it.",
        ),
        (
            replace(
                VALUE_VERDICT,
                outcome="reproduced",
                reason="tost",
                estimate=76.41,
                ci90=(76.2, 76.62),
                margin_reproduced_from=0.2449,
            ),
            "3 seeds of “Kim-CNN” give 76.41 ± 0.24 P@1, 0.03 points above the printed 76.38. Reproduced: "
            "the 90% interval, 76.20 to 76.62, lies within 0.50 points of the printed number; taken "
            "alone, any margin from 0.25 on would do.",
        ),
        (
            replace(
                VALUE_VERDICT,
                outcome="contradicted",
                reason="minimum_effect",
                n=(5,),
                attempts=(5,),
                estimate=74.132,
                sd=0.1626,
                margin_contradicted_up_to=1.729,
            ),
            "A setting that the paper leaves open, another preparation of the data, or a slip in printing "
            "may be behind what follows. 5 seeds of “Kim-CNN” give 74.13 ± 0.16 P@1, 2.25 points below "
            "the printed 76.38. Contradicted: even allowing for one unusual run, the printed number lies "
            "outside the margin of 0.50; taken alone, it would for any margin up to "
            "1.72.",
        ),
        (
            replace(VALUE_VERDICT, reason="no_variance_estimate", n=(1,), attempts=(1,), sd=None, ci90=None),
            "1 seed of “Kim-CNN” gives 75.76 P@1, 0.62 points below the printed 76.38. Inconclusive: a "
            "single run says nothing about the spread between seeds.",
        ),
        (
            replace(VALUE_VERDICT, reason="too_few_seeds", n=(2,), attempts=(3,)),
            "2 of 3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. "
            "Inconclusive: so few seeds do not show how far they spread; three are the least.",
        ),
        (
            replace(VALUE_VERDICT, reason="other_split", scope="other_split"),
            "On another split, 3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed "
            "76.38. Inconclusive: the runs used another split, and the noise of both test sets leaves the "
            "margin of 0.50 undecided.",
        ),
        (
            replace(VALUE_VERDICT, reason="multiplicity", p_contradicted=0.03),
            "3 seeds of “Kim-CNN” give 75.76 ± 0.24 P@1, 0.62 points below the printed 76.38. "
            "Inconclusive: taken alone this claim would be contradicted, but not once all claims of the "
            "audit are taken together.",
        ),
        (
            replace(VALUE_VERDICT, outcome="reproduced", reason="deterministic", estimate=76.38, sd=0.0),
            "3 seeds of “Kim-CNN” give 76.38 ± 0.00 P@1, exactly the printed 76.38. Reproduced: every run "
            "gives the same number, and it lies within the margin of 0.50.",
        ),
    ],
    ids=lambda it: it.reason if isinstance(it, Verdict) else "",
)
def test_value_sentence(verdict: Verdict, expected: str) -> None:
    """A printed value: what the seeds gave, how far from it, and what follows."""
    assert say(VALUE, verdict) == expected


def test_value_on_other_data_is_not_compared() -> None:
    """On a stand-in corpus our number is not set beside the printed one, and the claim is not tested."""
    verdict = replace(VALUE_VERDICT, reason="other_data", scope="other_data")
    assert say(VALUE, verdict) == (
        "Not tested: the runs used other data than the paper, on which a printed value is not judged."
    )


def test_a_miss_is_not_rounded_into_the_margin() -> None:
    """0.5004 points off at a margin of 0.50 is not shown as 0.50 points off."""
    verdict = replace(VALUE_VERDICT, estimate=76.38 - 0.5004)
    assert "0.5004 points below the printed" in say(VALUE, verdict)


# --------------------------------------------------------------------------- comparisons


@pytest.mark.parametrize(
    ("claim", "verdict", "expected"),
    [
        (
            ORDER,
            replace(PAIR_VERDICT, outcome="reproduced", reason="direction"),
            "With 3 seeds each, “Kim-CNN” is 1.66 points above “XML-CNN” in P@1 (90% interval of the "
            "difference 1.20 to 2.10). Reproduced, as to direction: the difference is above zero beyond the "
            "spread of the seeds. The paper prints a difference of 1.79; its size is not judged.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, outcome="reproduced", reason="direction", target=None, ci90=None),
            "With 3 seeds each, “Kim-CNN” is 1.66 points above “XML-CNN” in P@1. Reproduced, as to "
            "direction: the difference is above zero beyond the spread of the seeds. The size of the "
            "difference is not judged.",
        ),
        (
            ORDER,
            replace(
                PAIR_VERDICT,
                outcome="contradicted",
                reason="reversed",
                estimate=-1.66,
                ci95=(-2.27, -1.05),
                scope="other_data",
            ),
            "A setting that the paper leaves open, another preparation of the data, or a lucky run may be "
            "behind what follows. On stand-in data, with 3 seeds each, “Kim-CNN” is 1.66 points below "
            "“XML-CNN” in P@1 (95% interval of the difference −2.27 to −1.05). Contradicted: here the "
            "order is the reverse, beyond the spread of the seeds.",
        ),
        (
            ORDER,
            replace(
                PAIR_VERDICT, outcome="contradicted", reason="negligible", estimate=0.02, ci90=(-0.03, 0.07)
            ),
            "A setting that the paper leaves open, another preparation of the data, or a lucky run may be "
            "behind what follows. With 3 seeds each, “Kim-CNN” is 0.02 points above “XML-CNN” in P@1 (90% "
            "interval of the difference −0.03 to 0.07). Contradicted: the difference is less than 0.10 "
            "points here, beyond the spread of the seeds.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, reason="undecided", estimate=0.0, ci90=(-0.3, 0.3), attempts=(3, 4)),
            "With 3 of 3 and 3 of 4 seeds, “Kim-CNN” is level with “XML-CNN” in P@1 (90% interval of the "
            "difference −0.30 to 0.30). Inconclusive: the 90% interval of the difference holds zero; more "
            "seeds may settle it.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, reason="undecided", estimate=-0.3, ci90=(-0.58, -0.02), ci95=(-0.64, 0.04)),
            "With 3 seeds each, “Kim-CNN” is 0.30 points below “XML-CNN” in P@1 (95% interval of the "
            "difference −0.64 to 0.04). Inconclusive: the 95% interval of the difference holds zero; more "
            "seeds may settle it.",
        ),
        (
            ORDER,
            replace(PAIR_VERDICT, reason="unverified_reimplementation", estimate=-1.0, ci95=None),
            "With 3 seeds each, “Kim-CNN” is 1.00 points below “XML-CNN” in P@1. Inconclusive: the "
            "numbers disagree, but our implementation has not passed all of its own checks and may not "
            "speak against a claim before it has.",
        ),
        (
            ALIKE,
            replace(ALIKE_VERDICT, outcome="reproduced", reason="tost"),
            "With 3 seeds each, “Kim-CNN” is 0.12 points above “XML-CNN” in P@1 (90% interval of the "
            "difference −0.10 to 0.34). Reproduced: the whole interval lies within 0.50 points of no "
            "difference; taken alone, any margin from 0.34 on would do.",
        ),
        (
            ALIKE,
            replace(ALIKE_VERDICT, reason="straddles_margin"),
            "With 3 seeds each, “Kim-CNN” is 0.12 points above “XML-CNN” in P@1 (90% interval of the "
            "difference −0.10 to 0.34). Inconclusive: the interval lies neither inside nor outside 0.50 "
            "points of no difference; more seeds may settle it.",
        ),
        (
            ALIKE,
            replace(
                ALIKE_VERDICT, reason="straddles_margin", estimate=0.42, ci90=(0.21, 0.63), ci95=(0.13, 0.71)
            ),
            "With 3 seeds each, “Kim-CNN” is 0.42 points above “XML-CNN” in P@1 (90% interval of the "
            "difference 0.21 to 0.63). Inconclusive: the interval lies neither inside nor outside 0.50 "
            "points of no difference; more seeds may settle it. The whole 95% interval, 0.13 to 0.71, lies "
            "above zero: “Kim-CNN” is higher beyond the spread of the seeds; whether by less or by more "
            "than the margin is open.",
        ),
        (
            ALIKE,
            replace(
                ALIKE_VERDICT,
                reason="multiplicity",
                estimate=-0.42,
                ci90=(-0.63, -0.21),
                ci95=(-0.71, -0.13),
                p_reproduced=0.03,
            ),
            "With 3 seeds each, “Kim-CNN” is 0.42 points below “XML-CNN” in P@1 (90% interval of the "
            "difference −0.63 to −0.21). Inconclusive: taken alone this claim would be reproduced, but not "
            "once all claims of the audit are taken together. The whole 95% interval, −0.71 to −0.13, lies "
            "below zero: “Kim-CNN” is lower beyond the spread of the seeds; whether by less or by more than "
            "the margin is open.",
        ),
        (
            ALIKE,
            replace(ALIKE_VERDICT, outcome="contradicted", reason="minimum_effect", ci95=(1.05, 2.27)),
            "A setting that the paper leaves open, another preparation of the data, or a lucky run may be "
            "behind what follows. With 3 seeds each, “Kim-CNN” is 0.12 points above “XML-CNN” in P@1 (90% "
            "interval of the difference −0.10 to 0.34). Contradicted: the whole 95% interval, 1.05 to "
            "2.27, lies more than 0.50 points from no difference.",
        ),
        (ORDER, replace(PAIR_VERDICT, reason="not_run"), "Not tested: no run stands behind this claim."),
        (ORDER, None, "Not tested: no run stands behind this claim."),
        (
            ORDER,
            Verdict("kim:P@1", "inconclusive", "run_failed"),
            "Not tested: our runs failed, and none came to its end, so that nothing speaks to it.",
        ),
        (
            ORDER,
            Verdict("kim:P@1", "inconclusive", "same_runs"),
            "Inconclusive: both sides rest on the same runs.",
        ),
        (replace(ORDER, kind="trend"), Verdict("k", "inconclusive", "new_code"), "Inconclusive: new code."),
    ],
    ids=lambda it: f"{it.outcome}-{it.reason}" if isinstance(it, Verdict) else "",
)
def test_comparison_sentence(claim: ClaimRecord, verdict: Verdict | None, expected: str) -> None:
    """A comparison: how far apart, with the interval, and what follows; an unknown code is still readable."""
    assert say(claim, verdict) == expected


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (ALIKE, replace(ALIKE_VERDICT, reason="straddles_margin", ci95=(0.0, 0.71))),
        (ALIKE, replace(ALIKE_VERDICT, reason="straddles_margin", ci95=(-0.71, 0.0))),
        (ALIKE, replace(ALIKE_VERDICT, reason="too_few_seeds", ci95=(0.13, 0.71))),
        (ALIKE, replace(ALIKE_VERDICT, reason="unverified_reimplementation", ci95=(1.05, 2.27))),
        (ORDER, replace(PAIR_VERDICT, reason="multiplicity")),
        (VALUE, replace(VALUE_VERDICT, reason="straddles_margin")),
    ],
    ids=["from zero", "to zero", "two seeds", "past the margin", "comparison", "value"],
)
def test_no_direction_where_none_is_shown(claim: ClaimRecord, verdict: Verdict) -> None:
    """Only an undecided likeness whose 95% interval holds no zero says which side is higher."""
    assert "beyond the spread" not in say(claim, verdict)


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("not_run", "not_tested"),
        ("other_data", "not_tested"),
        ("run_failed", "not_tested"),
        ("other_split", "inconclusive"),
        ("too_few_seeds", "inconclusive"),
        ("straddles_margin", "inconclusive"),
    ],
)
def test_status(reason: str, status: wording.Status) -> None:
    """What no run spoke to, or only a run on other data, is not tested; other undecided claims are not so."""
    assert wording.status_of(replace(VALUE_VERDICT, reason=reason)) == status
    assert wording.status_of(None) == "not_tested"


def test_absent_numbers_leave_no_hole() -> None:
    """Where a number of the usual sentence is absent, the reason's few words stand instead of a dash."""
    verdict = replace(VALUE_VERDICT, outcome="reproduced", reason="tost", margin_reproduced_from=None)
    assert say(VALUE, verdict).endswith("Reproduced: the whole interval lies inside the margin.")


# --------------------------------------------------------------------------- the other kinds

AS_CLAIMED = {
    "gap": "With 5 seeds each, “A” is 8.32 points above “B” in P@1 (90% interval of the difference 8.00 to "
    "8.64); the paper prints +8.60. Reproduced: the 90% interval, 8.00 to 8.64, lies within 4.30 points of "
    "the printed difference; taken alone, any margin from 0.00 on would do.",
    "significant": "With 5 seeds each, “A” is 1.66 points above “B” in P@1 (95% interval of the difference "
    "1.29 to 2.03). Reproduced: the difference is more than 0.50 points, beyond the spread of the seeds.",
    "ranking": "With 5 seeds each, 2 of 2 pairs of neighbours go as claimed by the means. Reproduced: every "
    "neighbour in the ranking is above the next, beyond the spread of the seeds. The sizes of the "
    "differences are not judged.",
    "trend": "With 5 seeds each, 2 of 2 steps go as claimed by the means. Reproduced: P@1 falls along the "
    "sweep by Page’s test, and no step goes back beyond the spread of the seeds. The sizes of the "
    "differences are not judged.",
    "optimum": "With 5 seeds each, 2 of 2 comparisons with another level go as claimed by the means. "
    "Reproduced: it is above every other level, beyond the spread of the seeds. The sizes of the differences "
    "are not judged.",
    "dominance": "With 5 seeds each, 2 of 2 comparisons go as claimed by the means. Reproduced: the method "
    "stands as high as claimed, beyond the spread of the seeds. The sizes of the differences are not judged.",
    "cost": "With 5 seeds each, “B” needs 3.17 times the training time of “A” (90% interval of the ratio "
    "3.04 to 3.31). Reproduced: “A” needs less, beyond the spread of the seeds.",
    "convergence": "With 5 seeds each, the epochs of “A” and “B” to 70.00 P@1 on held-out documents are "
    "compared: 1 against 4, by the medians. Reproduced: “A” reaches 70.00 P@1 in fewer "
    "epochs, beyond the spread of the seeds.",
    "complexity": "Over 5 sizes, the training time grows by the power 0.998 of it; claimed is 1.00. "
    "Reproduced: the 90% interval, 0.99 to 1.01, lies within 0.15 of the claimed exponent; logarithmic "
    "factors cannot be told apart from none.",
}


@pytest.mark.parametrize("kind", AS_CLAIMED)
def test_sentence_of_each_kind(kind: str) -> None:
    """Each kind says what was compared and what follows from it."""
    (found,) = [k for k, claim in enumerate(KINDS.claims) if claim.kind == kind]
    text = wording.verdict_sentence(KINDS.claims[found], KINDS.verdicts[found], names=("A", "B", "C"))
    assert text == AS_CLAIMED[kind]


@pytest.mark.parametrize(
    ("kind", "more", "code", "outcome", "end"),
    [
        ("equivalent", {}, "no_loss", "reproduced", "“A” is not lower by 0.50 points"),
        ("equivalent", {}, "loss", "contradicted", "“A” is lower by more than 0.50 points, beyond"),
        ("trend", {"details": {"direction": "rising"}}, "trend", "reproduced", "P@1 rises along the sweep"),
        ("trend", {}, "step_back", "contradicted", "at least one step of the sweep goes the other way here"),
        ("optimum", {}, "tied", "inconclusive", "the seeds do not tell it from every other level"),
        ("cost", {}, "different_machines", "inconclusive", "the runs were timed on different machines"),
        ("convergence", {}, "never_reached", "inconclusive", "no run of either reaches 70.00 P@1"),
        ("significant", {}, "straddles_margin", "inconclusive", "is there, but no larger than 0.50 points"),
        ("significant", {}, "negligible", "contradicted", "the printed difference of +1.79 is not there"),
        (
            "gap",
            {},
            "other_split",
            "inconclusive",
            "another split, on which a printed difference is not judged",
        ),
        (
            "value",
            {},
            "ambiguous_spread",
            "inconclusive",
            "hangs on what the paper prints after the plus-minus",
        ),
        ("value", {}, "margins_changed", "inconclusive", "the claim file declares no new audit of them"),
    ],
)
def test_conclusion_of_each_reason(
    kind: str, more: dict[str, Any], code: str, outcome: Any, end: str
) -> None:
    """What only some claims come to is said with their own numbers."""
    (found,) = [k for k, claim in enumerate(KINDS.claims) if claim.kind == kind]
    claim = replace(KINDS.claims[found], **more)
    verdict = replace(KINDS.verdicts[found], reason=code, outcome=outcome, margin_reproduced_from=0.3)
    margin = {"equivalent": 0.5, "significant": 0.5}.get(kind, verdict.margin)
    assert end in wording.verdict_sentence(claim, replace(verdict, margin=margin), names=("A", "B", "C"))


def test_what_is_exact_is_not_said_of_seeds() -> None:
    """Where nothing is random there is no spread to speak of."""
    (found,) = [k for k, claim in enumerate(KINDS.claims) if claim.kind == "cost"]
    claim = replace(KINDS.claims[found], details={"quantity": "parameters"})
    verdict = replace(KINDS.verdicts[found], p_reproduced=None, p_contradicted=None, ci90=None)
    assert wording.verdict_sentence(claim, verdict, names=("A", "B")) == (
        "With 5 seeds each, “B” needs 3.17 times the number of parameters of “A”. Reproduced: “A” needs "
        "less, in every run."
    )


def test_titles_of_kinds_without_words_of_their_own() -> None:
    """A claim that brings no words is described by its kind and its experiments."""
    titles = {claim.kind: wording.claim_title(claim, ("A", "B", "C")) for claim in KINDS.claims}
    assert titles["ranking"] == "Ranking of “A”, “B” and “C”"
    assert titles["significant"] == titles["gap"] == "“A” is above “B”"
    assert wording.claim_title(KINDS.claims[-1], ()) == "Growth of –"


@pytest.mark.parametrize(
    ("kind", "subject"),
    [("order", "P@1"), ("cost", "training time"), ("dominance", "P@1"), ("complexity", "time an epoch")],
)
def test_subject(kind: str, subject: str) -> None:
    """A claim about no metric is headed by what it compares instead."""
    (claim,) = [it for it in KINDS.claims if it.kind == kind]
    assert wording.subject(claim) == subject


# --------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("departures", "start"),
    [
        (0, "A setting that the paper leaves open, "),
        (1, "The departure listed under “Protocol”, a setting that the paper leaves open, "),
        (4, "One of the 4 departures listed under “Protocol”, a setting that the paper leaves open, "),
    ],
)
def test_alternatives_come_before_the_conclusion(departures: int, start: str) -> None:
    """A contradiction begins with what else could explain it, our own departures first."""
    verdict = replace(
        VALUE_VERDICT, outcome="contradicted", reason="minimum_effect", margin_contradicted_up_to=0.6
    )
    text = say(VALUE, verdict, departures=departures)
    assert text.startswith(start)
    assert text.index("may be behind") < text.index("Contradicted")


def all_generated() -> list[str]:
    """Every sentence that can be generated: all kinds, codes, outcomes and scopes, and all constants."""
    texts = [*words.REASONS.values(), *words.STATUS_WORDS.values(), *words.SCOPE_WORDS.values()]
    texts += [text for name, text in inspect.getmembers(notes) if name.isupper() and isinstance(text, str)]
    texts += conclusions.CONCLUSIONS.values()
    texts += [conclusions.LEANING, conclusions.SIZE_NOT_JUDGED, conclusions.SIZE_UNKNOWN]
    texts += [conclusions.SIZES_UNKNOWN, *words.KIND_WORDS.values()]
    texts += [
        wording.counted_once(Share(2, 4, (0.1, 0.9), (1, 2))),
        *(text for pair in controls.MEANINGS for text in pair),
    ]
    texts += [wording.resting([scope, None]) for scope in get_args(Scope)]
    texts += [*wording.of_documents(DOCUMENTS), wording.mcnemar(DOCUMENTS)]
    texts += [wording.reached(epoch, target=70.0, last=9.0) for epoch in (None, 4.0)]
    judged = [
        *zip(KINDS.claims, KINDS.verdicts, strict=True),
        *zip(KINDS.claims, FLIPPED.verdicts, strict=True),
    ]
    for claim, plain in ((VALUE, VALUE_VERDICT), (ORDER, PAIR_VERDICT), (ALIKE, ALIKE_VERDICT), *judged):
        for code in words.REASONS:
            for outcome in ("reproduced", "contradicted", "inconclusive"):
                for scope in get_args(Scope):
                    verdict = replace(plain, reason=code, outcome=outcome, scope=scope)
                    texts += [say(claim, verdict, departures=2), wording.plot_description(claim, verdict)]
                    texts.append(wording.brief_sentence(claim, verdict, names=("A", "B"), departures=2))
                    texts.append(wording.no_plot(claim, verdict))
    texts += [wording.scope_made(runs=3, data="“x”", datasets=("eurlex",))]
    texts += [wording.scope_means(scope) for scope in get_args(Scope)]
    checks = (FidelityCheck("xml_cnn", "shapes", True, ""), FidelityCheck("xml_cnn", "vectors", False, ""))
    texts += [wording.fidelity_note("xml_cnn", checks), wording.fidelity_note("xml_cnn", checks[:1])]
    texts += [wording.seed_note(status, None) for status in ("done", "failed", "interrupted")]
    texts += [wording.unjudged(2, code=code) for code in words.UNJUDGED]
    texts += []
    texts += [wording.margins_note("0" * 32, same=same, runs=3) for same in (0, 3)]
    return [*texts, wording.stand_in_footnote(["other_data"]), wording.tally(total=3, judged=2, decided=1)]


def test_no_word_of_blame() -> None:
    """No generated sentence blames."""
    assert [text for text in all_generated() if BLAME.search(text)] == []


def test_verdicts_are_about_claims_not_people() -> None:
    """No generated sentence has a person in it."""
    said = [re.sub(r"(how far|disagree, but|where) they", "", text) for text in all_generated()]
    assert [text for text in said if PEOPLE.search(text)] == []


def test_not_different_is_never_the_same() -> None:
    """What was not shown to differ is not called the same, equal or identical unless it was tested so."""
    for code in ("undecided", "within_seed_spread", "straddles_margin", "multiplicity", "too_few_seeds"):
        for claim, plain in ((VALUE, VALUE_VERDICT), (ORDER, PAIR_VERDICT), (ALIKE, ALIKE_VERDICT)):
            text = say(claim, replace(plain, reason=code))
            assert not re.search(r"\b(same|equal|identical|alike|no difference between)\b", text), text


def test_every_unjudged_reason_has_words() -> None:
    """Reasons that end up under "not checked" are known reasons."""
    assert set(wording.UNJUDGED) <= set(wording.REASONS)


def test_patterns_ask_only_for_what_there_is() -> None:
    """No sentence asks for a number that does not exist, and braces in a title are left alone."""
    odd = wording.verdict_sentence(VALUE, VALUE_VERDICT, names=("{margin} {0} %s",))
    assert "“{margin} {0} %s”" in odd


# --------------------------------------------------------------------------- smaller sentences


@pytest.mark.parametrize(
    ("n", "attempts", "expected"),
    [
        ((3,), (3,), "3 seeds"),
        ((1,), (1,), "1 seed"),
        ((1, 1), (1, 1), "1 seed each"),
        ((3, 3), (3, 3), "3 seeds each"),
        ((3, 5), (3, 5), "3 and 5 seeds"),
        ((5,), (6,), "5 of 6 seeds"),
        ((3, 3), (3, 4), "3 of 3 and 3 of 4 seeds"),
        ((2, 2), (3, 3), "2 of 3 seeds each"),
        ((0,), (1,), "0 of 1 seed"),
        ((3,), (), "3 seeds"),
        ((), (), "no seeds"),
        ((5, 5, 5, 5), (5, 5, 5, 5), "5 seeds each"),
        ((3, 5, 5, 4), (3, 5, 5, 4), "3 to 5 seeds each"),
        ((3, 3, 3, 2), (3, 3, 4, 3), "2 to 3 seeds each (2 runs without a value)"),
        ((3, 3, 3, 3), (3, 3, 3, 4), "3 seeds each (1 run without a value)"),
    ],
)
def test_seeds(n: tuple[int, ...], attempts: tuple[int, ...], expected: str) -> None:
    """How many runs, and how many attempts where some have no value."""
    assert wording.seeds(n, attempts) == expected


def test_headline() -> None:
    """One claim over its metrics in one sentence."""
    marks: list[tuple[str, wording.Status]] = [
        ("P@1", "reproduced"),
        ("P@3", "inconclusive"),
        ("P@5", "reproduced"),
    ]
    assert wording.headline(marks) == "Reproduced at P@1 and P@5; inconclusive at P@3."
    assert wording.headline([("P@1", "not_tested")]) == "Not tested at P@1."
    assert wording.headline([("", "contradicted")]) == "Contradicted."
    assert wording.headline([]) == ""


def test_claim_title() -> None:
    """The claim's own words, or a description where it has none."""
    assert wording.claim_title(VALUE, ("Kim-CNN",)) == "Kim-CNN reaches 76.38"
    assert wording.claim_title(replace(VALUE, says=""), ("Kim-CNN",)) == "“Kim-CNN” scores 76.38"
    assert wording.claim_title(replace(ORDER, says=""), ("A", "B")) == "“A” is above “B”"
    assert wording.claim_title(replace(ALIKE, says=""), ("A", "B")) == "“A” and “B” are alike"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1.0214, 0.0, "reproduced from 1.03 on; contradicted by none"),
        (2.7, 1.729, "reproduced from 2.70 on; contradicted up to 1.72"),
        (None, None, ""),
    ],
)
def test_margin_band(start: float | None, end: float | None, expected: str) -> None:
    """Both bounds of the margin, so that a reader can apply their own."""
    verdict = replace(VALUE_VERDICT, margin_reproduced_from=start, margin_contradicted_up_to=end)
    assert wording.margin_band(verdict) == expected


@pytest.mark.parametrize(
    ("band", "expected"),
    [
        ((None, 1.239, None, 0.0), "reproduced up to 1.23; contradicted by none"),
        ((None, 0.0, 0.0, None), "reproduced by none; contradicted at any margin"),
        (
            (None, 0.0, 0.301, 0.909),
            "reproduced by none; contradicted from 0.31 up to 0.90",
        ),
    ],
)
def test_margin_band_of_what_a_small_margin_reproduces(band: tuple[float | None, ...], expected: str) -> None:
    """Rounded towards the band: at the number shown the verdict holds."""
    names = ("reproduced_from", "reproduced_up_to", "contradicted_from", "contradicted_up_to")
    ends = {f"margin_{name}": end for name, end in zip(names, band, strict=True)}
    assert wording.margin_band(replace(VALUE_VERDICT, **ends)) == expected


def test_intervals_and_sentence_are_of_the_level_at_which_the_claim_was_tested() -> None:
    """At a look of 1 % the intervals of both tests have 98 and 99 %, and the sentence says the level."""
    alike = replace(ALIKE_VERDICT, outcome="inconclusive", reason="straddles_margin", level=0.01)
    said = say(ALIKE, alike)
    assert "(98% interval of the difference −0.10 to 0.34)" in said
    assert "Inconclusive, at the level of 1 %: " in said
    assert "98% interval" in wording.plot_description(ALIKE, alike)
    assert "99% interval" in wording.plot_description(ALIKE, alike)
    assert "level" not in say(ALIKE, replace(alike, level=0.05))


def test_plot_description() -> None:
    """A plot is described by its numbers."""
    assert wording.plot_description(VALUE, VALUE_VERDICT) == (
        "Printed 76.38; margin 0.50 points either way; mean 75.76 from 3 seeds; 90% interval 75.36 to "
        "76.16; 95% interval 75.17 to 76.35."
    )
    assert wording.plot_description(ORDER, PAIR_VERDICT) == (
        "Printed difference +1.79; difference of the means +1.66 from 3 seeds each; 90% interval 1.20 to "
        "2.10; 95% interval 1.05 to 2.27."
    )


@pytest.mark.parametrize(
    ("total", "judged", "decided", "expected"),
    [
        (0, 0, 0, "Nothing was tested."),
        (4, 0, 0, "Of 4 claims, none could be judged."),
        (40, 37, 23, "Of 40 claims, 37 could be judged and 23 were decided."),
        (76, 27, 0, "Of 76 claims, 27 could be judged and none was decided."),
        (2, 2, 1, "Of 2 claims, all could be judged and 1 was decided."),
    ],
)
def test_tally(total: int, judged: int, decided: int, expected: str) -> None:
    """Denominators are shown; an empty audit says so."""
    assert wording.tally(total=total, judged=judged, decided=decided) == expected


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        ([], ""),
        ([None], ""),
        (["same_data"] * 3, "What was judged rests on the paper’s own data."),
        (
            ["other_data"] * 3,
            "All that was judged rests on stand-in data: what holds there may not hold on the paper’s own.",
        ),
        (
            ["same_data", "other_data", "other_data", "other_split"],
            "Of those judged, 2 on stand-in data and 1 on another split: what holds there may not hold on "
            "the paper’s own.",
        ),
        (
            ["other_data", None],
            "Of those judged, 1 on stand-in data: what holds there may not hold on the paper’s own.",
        ),
    ],
)
def test_on_whose_data_the_judged_claims_rest(scopes: list[Scope | None], expected: str) -> None:
    """Said beside the four numbers, so that none is taken for more than it is."""
    assert wording.resting(scopes) == expected


def test_claims_that_rest_on_the_same_runs_are_not_taken_for_more_evidence() -> None:
    """Said beside the counts; nothing where each claim is a comparison of its own."""
    assert wording.counted_once(None) == wording.counted_once(Share(7, 10, (0.3, 0.9), (7, 10))) == ""
    assert wording.counted_once(Share(21, 21, (0.6, 1.0), (6, 6))) == (
        "The 21 decided claims are 6 different comparisons: some say the same of several data sets, or in "
        "other words, and rest on the same runs."
    )
    some = wording.counted_once(Share(7, 10, (0.3, 0.9), (5, 8)))
    assert some.startswith("The 10 decided claims are 8 different comparisons, 5 of them reproduced: some")


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (
            "same_data",
            "the paper’s own, by content. Values and comparisons are judged.",
        ),
        (
            "other_split",
            "the same corpus in another split. Values are judged with the noise of both test sets added; "
            "comparisons are judged on this split.",
        ),
        (
            "other_data",
            "another corpus than the paper’s, on which its values are not judged. Comparisons are, and what "
            "is found holds for this stand-in; whether it holds on the paper’s data is open.",
        ),
    ],
)
def test_scope_note(scope: Scope, expected: str) -> None:
    """What the data allow on which runs were made."""
    assert wording.scope_means(scope) == expected
    assert wording.scope_made(runs=3, data="“x”", datasets=("a", "b")) == "3 runs for “a” and “b” used “x”"


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        ((True,), "xml_cnn: its one check passed, so its runs may speak against a claim."),
        ((True, True), "xml_cnn: all 2 checks passed, so its runs may speak against a claim."),
        (
            (True, False),
            "xml_cnn: 1 of 2 checks passed. Until all have, no claim is called contradicted on its runs.",
        ),
    ],
)
def test_fidelity_note(passed: tuple[bool, ...], expected: str) -> None:
    """Whether the gate is open for a model, with the number of checks."""
    checks = [FidelityCheck("xml_cnn", "check", it, "") for it in passed]
    assert wording.fidelity_note("xml_cnn", checks) == expected


def test_finding_says_alternatives_first() -> None:
    """A finding lists what it may be, then the arithmetic, then the result."""
    finding = Finding(
        "granularity", "inconsistent", ("t1",), "76.38 is no share of 3,809.", ("truncation", "another N")
    )
    assert wording.finding_sentence(finding) == (
        "May be truncation or another N. 76.38 is no share of 3,809. Inconsistent. Numbers not "
        "yet verified by a second reader."
    )


def test_margins_note() -> None:
    """Whether the margins stood before the runs began."""
    mark = "5d41402abc4b2a76b9719d911017c592"
    assert wording.margins_note(mark, same=3, runs=3) == (
        "Margins 5d41402abc4b: fixed before the first run; all 3 runs began under them."
    )
    assert wording.margins_note(mark, same=1, runs=3) == (
        "Margins 5d41402abc4b: 1 of 3 runs began under them, the others did not."
    )
    assert wording.margins_note(mark, same=0, runs=0) == "Margins 5d41402abc4b: no run has begun under them."


def test_margins_note_of_imported_runs() -> None:
    """They were imported under the margins, and nobody knows when they began."""
    mark = "5d41402abc4b2a76b9719d911017c592"
    assert wording.margins_note(mark, same=4, runs=4, imported=4) == (
        "Margins 5d41402abc4b: fixed before the import of all 4 runs, which may be older."
    )
    assert wording.margins_note(mark, same=1, runs=1, imported=1) == (
        "Margins 5d41402abc4b: fixed before the import of the one run, which may be older."
    )
    assert wording.margins_note(mark, same=5, runs=5, imported=2) == (
        "Margins 5d41402abc4b: fixed before our first run; 2 of 5 runs came by import and may be older."
    )
    assert wording.margins_note(mark, same=1, runs=3, imported=3) == (
        "Margins 5d41402abc4b: 1 of 3 runs began or were imported under them; imported ones may be older."
    )


@pytest.mark.parametrize(
    ("number", "code", "expected"),
    [
        (28, "other_data", "28 claims not tested: not judged on other data than the paper’s."),
        (1, "not_run", "1 claim not tested: no run on record."),
        (15, "run_failed", "15 claims not tested: our runs failed, so that nothing speaks to it."),
        (2, "too_few_seeds", "2 claims inconclusive: too few seeds; three is the least."),
    ],
)
def test_undecided_claims_are_counted_under_their_status(number: int, code: str, expected: str) -> None:
    """A count of undecided claims has the word that the four numbers have, and the reason in words."""
    assert wording.unjudged(number, code=code) == expected


def test_small_notes() -> None:
    """Notes beside numbers."""
    assert wording.stand_in_footnote(["same_data"]) == ""
    assert wording.stand_in_footnote(["other_data", "same_data"]) == (
        "† Ours on stand-in data: not comparable with the printed number above it."
    )
    judged = "judged with the noise of both test sets added"
    assert wording.stand_in_footnote(["other_split"]) == f"† Ours on another split: {judged}."
    assert wording.stand_in_footnote(["other_split", "other_data"]) == (
        f"† Ours on another split, {judged}, or on stand-in data, not comparable with the printed "
        "number above it."
    )
    unknown = "a split that need not be the paper’s"
    assert wording.stand_in_footnote(["other_split"], split_known=False) == f"† Ours on {unknown}: {judged}."
    assert f"the same corpus in {unknown}. Values" in wording.scope_means("other_split", split_known=False)
    assert "the same corpus in another split. Values" in wording.scope_means("other_split")
    assert wording.seed_note("failed", "loss became NaN") == "ended early: loss became NaN"
    assert wording.seed_note("done", None) == "no value of this metric"
    assert wording.no_plot(VALUE, None) == "Not drawn: there is no number to show."
    assert wording.listed(["a", "b", "c"], word="or") == "a, b or c"
    assert wording.plural(1204, "claim") == "1,204 claims"
    assert wording.plural(1, "claim") == "1 claim"
    assert wording.plural(0, "claim") == "0 claims"


def test_what_single_documents_say() -> None:
    """One gap, clear on these documents and open on new ones; McNemar for each pair of seeds by itself."""
    these, new = wording.of_documents(DOCUMENTS)
    assert these == "+0.96 points, 95% interval 0.56 to 1.36: seeds alone vary"
    assert new == (
        "+0.96 points, 95% interval −0.29 to 2.21: the 3,865 test documents (3,860 different texts) are a "
        "sample too; drawing documents alone anew gives −0.25 to 2.17"
    )
    assert wording.mcnemar(DOCUMENTS) == (
        "documents that only one side gets right, seeds 0 and 0: 12 to 5, p 0.143; seeds 1 and 1: 30 to 4, "
        "p < 0.001"
    )
    alone = replace(DOCUMENTS, these=None, new=None, pairs=())
    assert (*wording.of_documents(alone), wording.mcnemar(alone)) == ("", "", "")
    few = replace(DOCUMENTS, bootstrap=None, texts=3865)
    assert wording.of_documents(few)[1].endswith(": the 3,865 test documents are a sample too")


@pytest.mark.parametrize(
    ("epoch", "last", "text"),
    [
        (4.0, 9.0, "70.00 held out reached in epoch 4"),
        (80 / 43, 9.0, "70.00 held out reached after 1.86 epochs"),
        (None, 140 / 43, "70.00 held out not reached in 3.26 epochs"),
    ],
)
def test_a_score_within_an_epoch_has_its_place_in_it(epoch: float | None, last: float, text: str) -> None:
    assert wording.reached(epoch, target=70.0, last=last) == text
