"""Tests of audit.judging.pairs: claims about two experiments, through the comparator."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

from audit.record import Verdict
from tests.judging.made import HIGH, LOW, arms, claim, judge, margin, said
from tests.stats import golden

PRINTED = ("78.60", "76.81")


# --------------------------------------------------------------------------- order


@golden.cases("order")
def test_the_reference_orders_come_out_of_the_claim(case: dict[str, Any]) -> None:
    """The printed pair is made so that its gap is the one of the case."""
    inputs, expected = case["inputs"], case["expected"]
    one = claim(
        "order",
        "a",
        "b",
        printed=(f"{50 + inputs['printed_gap']:.2f}", "50.00"),
        negligible=inputs["negligible"],
        paired="same initial weights and order" if inputs["paired"] else None,
    )
    verdict = judge(one, arms(a=inputs["a"], b=inputs["b"]))
    assert said(verdict) == (expected["verdict"], expected["reason"])
    assert verdict.target == pytest.approx(inputs["printed_gap"])
    golden.check(
        case,
        diff=verdict.estimate,
        se=verdict.se,
        df=verdict.df,
        p_greater=verdict.p_reproduced,
        ci95=list(verdict.ci95 or ()),
        **{name: expected[name] for name in ("p_reversed_two_sided", "p_negligible", "verdict", "reason")},
    )
    assert verdict.p_contradicted is not None
    below = 2 * stats.t.sf((inputs["negligible"] - expected["diff"]) / expected["se"], expected["df"])
    assert verdict.p_contradicted == pytest.approx(min(1.0, below), rel=1e-4, abs=1e-8)


@pytest.mark.parametrize(
    ("gap", "reason"),
    [
        (("50.20", "50.00"), "undecided"),  # not more than twice 0.1
        (("50.21", "50.00"), "negligible"),
        (("49.00", "50.00"), "undecided"),  # the table itself has it the other way
        (("50.21",), "negligible"),
        ((), "negligible"),
    ],
)
def test_a_difference_that_is_nothing_contradicts_unless_the_printed_one_is_nothing_too(
    gap: tuple[str, ...], reason: str
) -> None:
    a, b = [53.93, 53.95, 53.92, 53.94, 53.96], [53.94, 53.93, 53.95, 53.92, 53.94]
    assert judge(claim("order", "a", "b", printed=gap), arms(a=a, b=b)).reason == reason


def test_arms_of_unlike_spread_are_compared_by_welch() -> None:
    wide, narrow = [78.0, 80.5, 76.1], [75.0, 75.1, 75.05, 74.95, 75.0]
    verdict = judge(claim("order", "a", "b"), arms(a=wide, b=narrow))
    theirs = stats.ttest_ind(wide, narrow, equal_var=False, alternative="greater")
    assert verdict.p_reproduced == pytest.approx(theirs.pvalue)
    assert verdict.df == pytest.approx(theirs.df)
    assert verdict.p_reproduced != pytest.approx(stats.ttest_ind(wide, narrow, alternative="greater").pvalue)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([80.0, 80.0], [70.0, 70.0], ("reproduced", "direction")),
        ([70.0, 70.0], [80.0, 80.0], ("contradicted", "reversed")),
        ([70.0, 70.0], [70.0, 70.0], ("contradicted", "negligible")),
        ([80.0], [70.0, 70.0], ("inconclusive", "no_variance_estimate")),
        ([80.0, 80.0], [70.0, 70.1], ("inconclusive", "too_few_seeds")),
    ],
)
def test_arms_declared_deterministic_are_compared_exactly_where_they_are(
    a: list[float], b: list[float], expected: tuple[str, str]
) -> None:
    one = claim("order", "a", "b", deterministic=True, printed=PRINTED)
    assert said(judge(one, arms(a=a, b=b))) == expected


# --------------------------------------------------------------------------- gap


@golden.cases("gap")
def test_the_reference_gaps_come_out_of_the_claim(case: dict[str, Any]) -> None:
    inputs, expected = case["inputs"], case["expected"]
    printed = (inputs["printed_a"], inputs["printed_b"])
    one = claim("gap", "a", "b", printed=printed, margin=margin(inputs["margin"]))
    verdict = judge(one, arms(a=inputs["a"], b=inputs["b"]))
    golden.check(
        case,
        claimed_gap=verdict.target,
        our_gap=verdict.estimate,
        margin_used=verdict.margin,
        p_reproduced=verdict.p_reproduced,
        p_contradicted=verdict.p_contradicted,
        df=verdict.df,
        verdict=verdict.outcome,
    )
    assert verdict.outcome == expected["verdict"]


def test_the_order_can_hold_while_the_gap_is_contradicted() -> None:
    experiments = arms(a=[75.83, 75.60, 75.95, 75.71, 75.88], b=[75.3, 75.5, 75.4, 75.6, 75.5])
    printed = ("76.38", "42.84")
    assert judge(claim("order", "a", "b", printed=printed), experiments).outcome == "reproduced"
    assert judge(claim("gap", "a", "b", printed=printed), experiments).outcome == "contradicted"


@pytest.mark.parametrize("m", [1, 5])
def test_each_arm_of_the_paper_is_a_draw_as_well(m: int) -> None:
    """se_pred^2 = (sA^2 + sB^2) (1/5 + 2^2 / m), in p_con = 2 P[t >= (|d| - D - h) / se_pred]."""
    verdict = judge(claim("gap", "a", "b", printed=("80.00", "76.00"), runs_behind=m), arms(a=HIGH, b=LOW))
    va, vb = stats.tvar(HIGH), stats.tvar(LOW)
    df = (va + vb) ** 2 / ((va**2 + vb**2) / 4)
    t = (4.00 - 1.66 - 2.00 - 0.01) / math.sqrt((va + vb) * (1 / 5 + 4 / m))
    assert verdict.margin == 2.0
    assert verdict.p_contradicted == pytest.approx(2 * stats.t.sf(t, df))


@pytest.mark.parametrize("scope", ["other_split", "other_data"])
def test_a_printed_gap_is_not_judged_on_other_documents_but_ours_is_shown(scope: Any) -> None:
    """A gap is a printed number; the order of the same arms is judged, with its scope beside it."""
    experiments = arms(scope, a=HIGH, b=LOW)
    far = claim("gap", "a", "b", printed=("90.00", "50.00"))
    verdict = judge(far, experiments, test_sizes={"toy": 3865})
    assert said(verdict) == ("inconclusive", scope)
    assert verdict.estimate == pytest.approx(1.66)
    assert verdict.p_contradicted is verdict.margin_contradicted_up_to is None
    assert judge(far, arms(a=HIGH, b=LOW)).outcome == "contradicted"
    assert judge(claim("order", "a", "b", printed=PRINTED), experiments).outcome == "reproduced"


@pytest.mark.parametrize("printed", [(), ("78.60",)])
def test_a_gap_of_which_the_table_prints_only_half_is_not_judged(printed: tuple[str, ...]) -> None:
    one = claim("gap", "a", "b", printed=printed)
    assert said(judge(one, arms(a=HIGH, b=LOW))) == ("inconclusive", "no_printed_number")


@pytest.mark.parametrize(
    ("a", "reason"),
    [
        ([78.60, 78.60], "deterministic"),
        ([79.0], "no_variance_estimate"),
        ([78.6, 78.7], "too_few_seeds"),
    ],
)
def test_a_gap_of_few_runs(a: list[float], reason: str) -> None:
    one = claim("gap", "a", "b", printed=PRINTED, deterministic=True)
    assert judge(one, arms(a=a, b=[76.81, 76.81])).reason == reason


# --------------------------------------------------------------------------- equivalent


@golden.cases("tost_welch")
def test_the_reference_equivalences_come_out_of_the_claim(case: dict[str, Any]) -> None:
    inputs, expected = case["inputs"], case["expected"]
    one = claim("equivalent", "a", "b", margin=margin(inputs["margin"]))
    verdict = judge(one, arms(a=inputs["a"], b=inputs["b"]))
    assert (verdict.outcome == "reproduced") is expected["equivalent"]
    golden.check(
        case,
        diff=verdict.estimate,
        se=verdict.se,
        df=verdict.df,
        p_tost=verdict.p_reproduced,
        ci90=list(verdict.ci90 or ()),
        equivalent=verdict.outcome == "reproduced",
    )


@golden.cases("tost_paired")
def test_the_reference_pairs_come_out_of_the_claim(case: dict[str, Any]) -> None:
    """The right arm is steady, so that the left one shows the differences of the case."""
    inputs, expected = case["inputs"], case["expected"]
    left = [50.0 + d for d in inputs["diffs"]]
    one = claim("equivalent", "a", "b", margin=margin(inputs["margin"]), paired="same weights and order")
    verdict = judge(one, arms(a=left, b=[50.0] * len(left)))
    assert verdict.p_reproduced == pytest.approx(expected["p_tost"], abs=case["tol"])
    assert verdict.estimate == pytest.approx(expected["mean"])
    assert verdict.ci90 == pytest.approx(expected["ci90"])
    assert (verdict.outcome == "reproduced") is expected["equivalent"]
    assert f"{len(left)} pairs of seeds" in verdict.badges


def test_no_loss_asks_for_one_side_only() -> None:
    """Better by 1.66 is no loss, and far from equal; the other way round it is a loss. By scipy."""
    experiments = arms(a=HIGH, b=LOW)
    kept = claim("equivalent", "a", "b", details={"no_loss": True})
    verdict = judge(kept, experiments)
    theirs = stats.ttest_ind([x + 0.5 for x in HIGH], LOW, equal_var=False, alternative="greater")
    assert verdict.p_reproduced == pytest.approx(theirs.pvalue)
    assert said(verdict) == ("reproduced", "no_loss")
    assert judge(claim("equivalent", "a", "b"), experiments).outcome == "contradicted"
    lost = claim("equivalent", "b", "a", details={"no_loss": True})
    assert said(judge(lost, experiments)) == ("contradicted", "loss")


# --------------------------------------------------------------------------- significant


def significant(a: list[float], b: list[float], **more: Any) -> Verdict:
    return judge(claim("significant", "a", "b", **{"printed": PRINTED, **more}), arms(a=a, b=b))


def test_significantly_better_is_better_by_more_than_the_margin() -> None:
    """By scipy's Welch test against the arm raised by the margin; 1.66 exceeds 1.2, and 1.5 is not shown."""
    for D, outcome in ((0.5, "reproduced"), (1.2, "reproduced"), (1.5, "inconclusive")):
        verdict = significant(HIGH, LOW, margin=margin(D))
        theirs = stats.ttest_ind(HIGH, [x + D for x in LOW], equal_var=False, alternative="greater")
        assert verdict.p_reproduced == pytest.approx(theirs.pvalue)
        assert (verdict.outcome, verdict.margin) == (outcome, D)
    assert significant(HIGH, LOW).reason == "exceeds_margin"


@pytest.mark.parametrize(
    ("a", "b", "more", "expected"),
    [
        (LOW, HIGH, {}, ("contradicted", "reversed")),
        # a difference of 0.3, well within -+ 1: printed as 1.79 it is no more than twice the margin
        ([50.3, 50.29, 50.31], [50.0, 50.01, 49.99], {"margin": margin(1.0)}, ("inconclusive", "undecided")),
        ([50.3, 50.29, 50.31], [50.0, 50.01, 49.99], {}, ("contradicted", "negligible")),
        ([50.3, 50.29, 50.31], [50.0, 50.01, 49.99], {"printed": ()}, ("inconclusive", "undecided")),
        (HIGH, [76.0, 76.1], {}, ("inconclusive", "too_few_seeds")),
        ([78.0] * 3, [76.0] * 3, {}, ("inconclusive", "no_spread")),
        ([78.0] * 2, [76.0] * 2, {"deterministic": True}, ("reproduced", "direction")),
        ([76.4] * 2, [76.0] * 2, {"deterministic": True}, ("inconclusive", "straddles_margin")),
        (HIGH, LOW, {"margin": None}, ("inconclusive", "no_margin")),
        (HIGH, LOW, {"margin": margin(0.0)}, ("inconclusive", "no_margin")),
    ],
)
def test_significant_at_its_edges(
    a: list[float], b: list[float], more: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert said(significant(a, b, **more)) == expected


def test_a_paper_that_names_no_test_is_said_to() -> None:
    assert significant(HIGH, LOW).badges == ("no test is named in the paper",)
    assert significant(HIGH, LOW, details={"test": None}).badges == ("no test is named in the paper",)
    assert significant(HIGH, LOW, details={"test": "t test"}).badges == ()


# --------------------------------------------------------------------------- pairs of seeds


@pytest.mark.parametrize("kind", ["order", "equivalent", "significant"])
def test_pairs_are_matched_by_seed(kind: str) -> None:
    """By scipy's paired test on seeds 1, 2, 3; seed 0 of the first arm failed."""
    a, b = [None, 86.2, 86.6, 86.1], [80.0, 86.1, 86.2, 85.5]
    one = claim(kind, "a", "b", paired="same weights and order")
    verdict = judge(one, arms(a=a, b=b))
    interval = stats.ttest_rel(a[1:], b[1:]).confidence_interval(0.95)
    assert verdict.ci95 == pytest.approx(tuple(interval))
    assert verdict.n == (3, 4)
    assert "3 pairs of seeds" in verdict.badges


@pytest.mark.parametrize("kind", ["order", "gap", "equivalent", "significant"])
def test_pairs_without_a_common_seed_are_too_few(kind: str) -> None:
    experiments = arms(a=[78.0, 78.1, 78.2, None, None, None], b=[None, None, None, 70.0, 70.1, 70.2])
    one = claim(kind, "a", "b", paired="same weights and order", printed=PRINTED)
    verdict = judge(one, experiments)
    assert said(verdict) == ("inconclusive", "too_few_seeds")
    assert verdict.target == 1.79


def test_an_arm_without_spread_is_named() -> None:
    verdict = judge(claim("order", "a", "b"), arms(a=HIGH, b=[20.0] * 3))
    assert verdict.badges == ("b: no spread",)
    assert verdict.se == pytest.approx(stats.tstd(HIGH) / math.sqrt(5))
