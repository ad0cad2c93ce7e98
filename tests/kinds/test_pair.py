"""Two experiments in one metric: orders, equivalence, significance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.record import Verdict
from audit.stats.decision import Decision
from tests.judging.made import HIGH, LOW, arms, claim, judge, margin, said
from tests.kinds import band, equivalence, noted, order
from tests.kinds import significant as significant_test
from tests.stats import golden

#: Two arms whose means are 0.004 apart with hardly any spread.
LEVEL_A, LEVEL_B = [53.93, 53.95, 53.92, 53.94, 53.96], [53.94, 53.93, 53.95, 53.92, 53.94]


@golden.cases("order")
def test_order(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    if inputs["paired"]:  # no claim has been of pairs
        return
    got = order(inputs["a"], inputs["b"], printed_gap=inputs["printed_gap"], negligible=inputs["negligible"])
    decision = got.decide(alpha=inputs["alpha"])
    golden.check(
        case,
        diff=got.estimate,
        se=got.se,
        df=got.df,
        p_greater=got.p_reproduced,
        p_reversed_two_sided=noted(got, "p_reversed"),
        p_negligible=case["expected"]["p_negligible"],  # its badge is tested below
        ci95=got.ci95,
        verdict=decision.outcome,
        reason=decision.reason,
    )


def test_reversing_needs_half_the_p_value_that_confirming_does() -> None:
    """d = 1, se = sqrt(2/9): t = 2.12 on 4 df, one-sided p 0.0506 and two-sided 0.101, by tables."""
    a, b = [1.0, 2.0, 3.0], [0.0, 1.0, 2.0]
    forward, backward = order(a, b, negligible=0.0), order(b, a, negligible=0.0)
    assert forward.p_reproduced is not None
    assert backward.p_contradicted == pytest.approx(2 * forward.p_reproduced)


def test_a_tie_is_negligible_unless_the_paper_prints_one() -> None:
    for gap in (None, 1.0, 0.21):
        assert order(LEVEL_A, LEVEL_B, printed_gap=gap).decide() == Decision("contradicted", "negligible")
    for gap in (0.0, -1.0, 0.1, 0.2):  # 0.2 is on the edge: not more than twice 0.1
        got = order(LEVEL_A, LEVEL_B, printed_gap=gap)
        assert got.decide() == Decision("inconclusive", "undecided")


#: Five runs of SD 0.0158 each, so that se = 0.01 with 8 df: t.95 = 1.860 and t.975 = 2.306, by tables.
FIVE = [-0.02, -0.01, 0.0, 0.01, 0.02]


def test_many_claims_do_not_turn_a_negligible_gain_into_a_reproduction() -> None:
    """Holm's price is paid for contradicting; that a gain may matter is no further hypothesis."""
    got = order([50.02 + e for e in FIVE], [50.0 + e for e in FIVE], printed_gap=1.8)
    assert got.decide(p_reproduced=0.04, p_contradicted=0.5) == Decision("inconclusive", "negligible_gain")


@pytest.mark.parametrize(
    ("better", "worse", "reason"),
    [
        ([78.0], [20.0] * 3, "no_variance_estimate"),
        ([78.0, 78.1], [20.0, 20.1, 20.2], "too_few_seeds"),
        ([78.0] * 3, [20.0] * 3, "no_spread"),
    ],
)
def test_too_few_or_still_runs_decide_nothing(better: list[float], worse: list[float], reason: str) -> None:
    got = order(better, worse, printed_gap=10.0)
    assert got.decide() == Decision("inconclusive", reason)
    assert got.estimate == pytest.approx(sum(better) / len(better) - sum(worse) / len(worse))
    estimated = reason == "too_few_seeds"  # two runs are computed and shown, though they decide nothing
    assert [x is not None for x in (got.p_reproduced, got.p_contradicted, got.ci95)] == [estimated] * 3


@pytest.mark.parametrize(
    ("better", "worse", "gap", "decision"),
    [
        (78.0, 77.9, 1.0, Decision("reproduced", "direction")),
        (78.0, 77.95, 1.0, Decision("inconclusive", "negligible_gain")),
        (77.9, 78.0, 1.0, Decision("contradicted", "reversed")),
        (78.0, 78.0 + 1e-12, 1.0, Decision("contradicted", "negligible")),
    ],
)
def test_declared_deterministic_arms_are_compared_exactly(
    better: float, worse: float, gap: float | None, decision: Decision
) -> None:
    got = order([better] * 2, [worse] * 2, printed_gap=gap, deterministic=True)
    assert got.decide() == decision
    assert not got.testable


arm = st.lists(st.floats(40, 60), min_size=3, max_size=8)
margins = st.floats(0.01, 10)


@golden.cases("tost_welch")
def test_tost_of_two_arms(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = equivalence(inputs["a"], inputs["b"], margin=inputs["margin"])
    golden.check(
        case,
        diff=got.estimate,
        se=got.se,
        df=got.df,
        p_tost=got.p_reproduced,
        ci90=got.ci90,
        equivalent=got.decide(alpha=inputs["alpha"]).outcome == "reproduced",
    )


@given(arm, arm, margins)
def test_contradicted_is_the_95_percent_interval_outside_the_margin(
    a: list[float], b: list[float], margin: float
) -> None:
    """Duality: p <= .05 says what the interval says; D_C and D_R are the margins at which they turn."""
    got = equivalence(a, b, margin=margin)
    assume(got.ci95 is not None and got.ci90 is not None and got.p_contradicted is not None)
    assert got.ci95 and got.ci90 and got.p_contradicted is not None and got.p_reproduced is not None
    assert band(got).contradicted_up_to is not None and band(got).reproduced_from is not None
    assume(abs(got.p_contradicted - 0.05) > 1e-6 and abs(got.p_reproduced - 0.05) > 1e-6)
    outside = got.ci95[0] > margin or got.ci95[1] < -margin
    assert (got.p_contradicted < 0.05) == outside == (margin < band(got).contradicted_up_to)
    inside = -margin < got.ci90[0] and got.ci90[1] < margin
    assert (got.p_reproduced < 0.05) == inside == (margin > band(got).reproduced_from)
    assert not (inside and outside)


@given(arm, arm, margins)
def test_no_loss_is_welch_of_scipy_with_the_margin_added(
    a: list[float], b: list[float], margin: float
) -> None:
    """Its two p-values, and the margins at which they cross .05."""
    assume(np.ptp(a) > 0.01 and np.ptp(b) > 0.01)
    got = equivalence(a, b, margin=margin, details={"no_loss": True})
    lifted = np.array(a) + margin
    kept, lost = (
        stats.ttest_ind(lifted, b, equal_var=False, alternative=x).pvalue for x in ("greater", "less")
    )
    assert got.p_reproduced == pytest.approx(kept, abs=1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * lost), abs=1e-9)
    assert (
        got.ci90
        and got.ci95
        and band(got).reproduced_from is not None
        and band(got).contradicted_up_to is not None
    )
    assert band(got).reproduced_from == pytest.approx(max(0.0, -got.ci90[0]))
    assert band(got).contradicted_up_to == pytest.approx(max(0.0, -got.ci95[1]))


def test_it_is_welch_of_scipy_against_the_shifted_arm() -> None:
    got = significant_test(HIGH, LOW, margin=1.0)
    theirs = stats.ttest_ind(HIGH, [x + 1.0 for x in LOW], equal_var=False, alternative="greater")
    assert got.p_reproduced == pytest.approx(theirs.pvalue)
    assert got.decide() == Decision("reproduced", "exceeds_margin")


PRINTED = ("78.60", "76.81")


def significant(a: list[float], b: list[float], **more: Any) -> Verdict:
    return judge(claim("significant", "a", "b", **{"printed": PRINTED, **more}), arms(a=a, b=b))


@pytest.mark.parametrize(
    ("a", "b", "more", "expected"),
    [
        (LOW, HIGH, {}, ("contradicted", "reversed")),
        ([50.3, 50.29, 50.31], [50.0, 50.01, 49.99], {"margin": margin(1.0)}, ("inconclusive", "undecided")),
        ([50.3, 50.29, 50.31], [50.0, 50.01, 49.99], {"printed": ()}, ("inconclusive", "undecided")),
        ([78.0] * 3, [76.0] * 3, {}, ("inconclusive", "no_spread")),
        ([76.4] * 2, [76.0] * 2, {"deterministic": True}, ("inconclusive", "negligible_gain")),
        ([76.4, 76.39, 76.41], [76.0, 76.01, 75.99], {}, ("inconclusive", "negligible_gain")),
        ([76.01, 76.0, 76.02], [76.0, 76.01, 75.99], {}, ("contradicted", "negligible")),
        (HIGH, LOW, {"margin": margin(0.0)}, ("inconclusive", "no_margin")),
    ],
)
def test_significant_at_its_edges(
    a: list[float], b: list[float], more: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert said(significant(a, b, **more)) == expected
