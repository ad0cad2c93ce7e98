"""Tests of audit.stats.order."""

from __future__ import annotations

import math
from typing import Any

import pytest

from audit.stats.decision import Decision
from audit.stats.order import order
from tests.stats import golden

HIGH, LOW = [78.6, 78.1, 78.9, 78.4, 78.7], [76.8, 77.2, 76.5, 77.0, 76.9]
#: Two arms whose means are 0.004 apart with hardly any spread.
LEVEL_A, LEVEL_B = [53.93, 53.95, 53.92, 53.94, 53.96], [53.94, 53.93, 53.95, 53.92, 53.94]


@golden.cases("order")
def test_order(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = order(
        inputs["a"],
        inputs["b"],
        printed_gap=inputs["printed_gap"],
        negligible=inputs["negligible"],
        pair=inputs["paired"],
    )
    decision = got.decide(alpha=inputs["alpha"])
    golden.check(
        case,
        diff=got.difference,
        se=got.se,
        df=got.df,
        p_greater=got.p_reproduced,
        p_reversed_two_sided=got.p_reversed,
        p_negligible=got.p_negligible,
        ci95=got.ci95,
        verdict=decision.outcome,
        reason=decision.reason,
    )


def test_swapped_arms_turn_the_verdict_round() -> None:
    assert order(HIGH, LOW).decide() == Decision("reproduced", "direction")
    assert order(LOW, HIGH).decide() == Decision("contradicted", "reversed")


def test_reversing_needs_half_the_p_value_that_confirming_does() -> None:
    """d = 1, se = sqrt(2/9): t = 2.12 on 4 df, one-sided p 0.0506 and two-sided 0.101, by tables."""
    a, b = [1.0, 2.0, 3.0], [0.0, 1.0, 2.0]
    forward, backward = order(a, b, negligible=0.0), order(b, a, negligible=0.0)
    assert forward.p_reproduced is not None
    assert backward.p_contradicted == pytest.approx(2 * forward.p_reproduced)


def test_both_one_sided_p_values_are_there() -> None:
    got = order(LOW, HIGH)
    assert got.p_worse == order(HIGH, LOW).p_reproduced
    assert got.p_reversed == pytest.approx(2 * (got.p_worse or 0.0))
    assert order(HIGH, LOW).p_worse == pytest.approx(1.0, abs=1e-4)
    assert order([78.0], [20.0]).p_worse is None


def test_a_tie_is_negligible_unless_the_paper_prints_one() -> None:
    for gap in (None, 1.0, 0.21):
        assert order(LEVEL_A, LEVEL_B, printed_gap=gap).decide() == Decision("contradicted", "negligible")
    for gap in (0.0, -1.0, 0.1, 0.2):  # 0.2 is on the edge: not more than twice 0.1
        got = order(LEVEL_A, LEVEL_B, printed_gap=gap)
        assert got.decide() == Decision("inconclusive", "undecided")
        assert got.p_negligible is not None
        assert got.p_negligible < 1e-4


#: Five runs of SD 0.0158 each, so that se = 0.01 with 8 df: t.95 = 1.860 and t.975 = 2.306, by tables.
FIVE = [-0.02, -0.01, 0.0, 0.01, 0.02]


@pytest.mark.parametrize(
    ("d", "decision"),
    [
        (0.015, Decision("contradicted", "negligible")),
        (0.0185, Decision("contradicted", "negligible")),
        (0.0187, Decision("inconclusive", "negligible_gain")),  # above 1.860 se
        (0.0768, Decision("inconclusive", "negligible_gain")),  # below 0.1 - 2.306 se
        (0.0771, Decision("reproduced", "direction")),
        (-0.0229, Decision("contradicted", "negligible")),
        (-0.0232, Decision("contradicted", "reversed")),
    ],
)
def test_between_a_gain_and_none_lies_a_negligible_one(d: float, decision: Decision) -> None:
    """The regions of d, with d0 = 0.1 and a printed gap of 1.8."""
    assert order([50.0 + d + e for e in FIVE], [50.0 + e for e in FIVE], printed_gap=1.8).decide() == decision


def test_with_wide_arms_neither_is_shown() -> None:
    wide = [10 * e for e in FIVE]  # se 0.1
    got = order([50.05 + e for e in wide], [50.0 + e for e in wide], printed_gap=1.8)
    assert got.decide() == Decision("inconclusive", "undecided")


def test_many_claims_do_not_turn_a_negligible_gain_into_a_reproduction() -> None:
    """Holm's price is paid for contradicting; that a gain may matter is no further hypothesis."""
    got = order([50.02 + e for e in FIVE], [50.0 + e for e in FIVE], printed_gap=1.8)
    assert got.decide(p_reproduced=0.04, p_contradicted=0.5) == Decision("inconclusive", "negligible_gain")


@pytest.mark.parametrize(
    ("better", "worse", "reason"),
    [
        ([78.0], [20.0] * 3, "no_variance_estimate"),
        ([78.0, 78.1, 78.2], [20.0], "no_variance_estimate"),
        ([78.0, 78.1], [20.0, 20.1, 20.2], "too_few_seeds"),
        ([78.0, 78.1, 78.2], [20.0, 20.1], "too_few_seeds"),
        ([78.0] * 3, [20.0] * 3, "no_spread"),
        ([78.0] * 3, [78.0] * 3, "no_spread"),
    ],
)
def test_too_few_or_still_runs_decide_nothing(better: list[float], worse: list[float], reason: str) -> None:
    got = order(better, worse, printed_gap=10.0)
    assert got.decide() == Decision("inconclusive", reason)
    assert got.difference == pytest.approx(sum(better) / len(better) - sum(worse) / len(worse))
    estimated = reason == "too_few_seeds"  # two runs are computed and shown, though they decide nothing
    assert [x is not None for x in (got.p_reproduced, got.p_contradicted, got.ci95)] == [estimated] * 3


def test_one_collapsed_arm_is_judged_by_the_spread_of_the_other() -> None:
    assert order([78.0, 78.1, 78.2], [20.0] * 3).decide() == Decision("reproduced", "direction")
    assert order([20.0] * 3, [78.0, 78.1, 78.2]).decide() == Decision("contradicted", "reversed")


@pytest.mark.parametrize(
    ("better", "worse", "gap", "decision"),
    [
        (78.0, 77.9, 1.0, Decision("reproduced", "direction")),
        (78.0, 77.95, 1.0, Decision("inconclusive", "negligible_gain")),
        (78.0, 77.95, 0.1, Decision("reproduced", "direction")),
        (77.9, 78.0, 1.0, Decision("contradicted", "reversed")),
        (78.0, 78.0, 1.0, Decision("contradicted", "negligible")),
        (78.0, 78.0 + 1e-12, 1.0, Decision("contradicted", "negligible")),
        (78.0, 78.0, 0.1, Decision("inconclusive", "undecided")),
        (78.0, 78.0, None, Decision("contradicted", "negligible")),
    ],
)
def test_declared_deterministic_arms_are_compared_exactly(
    better: float, worse: float, gap: float | None, decision: Decision
) -> None:
    for pair in (False, True):
        got = order([better] * 2, [worse] * 2, printed_gap=gap, deterministic=True, pair=pair)
        assert got.decide() == decision
        assert not got.testable


def test_declared_deterministic_but_varying_arms_are_random() -> None:
    assert order([78.0, 78.1], [20.0, 20.1], deterministic=True).decide().reason == "too_few_seeds"
    assert order([78.0], [20.0], deterministic=True).decide().reason == "no_variance_estimate"


@pytest.mark.parametrize("negligible", [-0.1, math.nan, math.inf])
def test_a_negligible_difference_that_is_none_is_refused(negligible: float) -> None:
    with pytest.raises(ValueError, match="negligible"):
        order(HIGH, LOW, negligible=negligible)
