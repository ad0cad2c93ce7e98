"""Tests of audit.stats.gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.decision import Decision
from audit.stats.gap import GapTest, gap_size
from audit.stats.printed import printed
from tests.stats import golden

A, B = [78.6, 78.1, 78.9, 78.4, 78.7], [76.8, 77.2, 76.5, 77.0, 76.9]
arm = st.lists(st.floats(60, 80), min_size=3, max_size=6)


def against(first: str, second: str, a: list[float] = A, b: list[float] = B, **options: Any) -> GapTest:
    options = {"margin": 0.5, **options}
    return gap_size(a, b, printed_better=printed(first), printed_worse=printed(second), **options)


@golden.cases("gap")
def test_gap(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = against(inputs["printed_a"], inputs["printed_b"], inputs["a"], inputs["b"], margin=inputs["margin"])
    golden.check(
        case,
        claimed_gap=got.claimed,
        our_gap=got.gap,
        margin_used=got.margin,
        p_reproduced=got.p_reproduced,
        p_contradicted=got.p_contradicted,
        df=got.df,
        verdict=got.decide(alpha=inputs["alpha"]).outcome,
    )


@given(a=arm, b=arm, digits=st.integers(100, 1500), margin=st.floats(0.01, 3), paper_runs=st.integers(1, 5))
def test_the_tests_and_bands_are_those_of_scipys_t(
    a: list[float], b: list[float], digits: int, margin: float, paper_runs: int
) -> None:
    """Welch's error and the predicted one, with Satterthwaite's df, derived anew by numpy and scipy."""
    assume(np.ptp(a) > 0.05 and np.ptp(b) > 0.05)
    got = against(f"{60 + digits / 100:.2f}", "60.0", a, b, margin=margin, paper_runs=paper_runs)
    claimed, h = digits / 100, 0.055
    va, vb = np.var(a, ddof=1), np.var(b, ddof=1)

    def error(x: float, y: float) -> tuple[float, float]:
        return math.sqrt(x + y), (x + y) ** 2 / (x**2 / (len(a) - 1) + y**2 / (len(b) - 1))

    se, df = error(va / len(a), vb / len(b))
    pred, df_pred = error(va * (1 / len(a) + 1 / paper_runs), vb * (1 / len(b) + 1 / paper_runs))
    d, D = np.mean(a) - np.mean(b) - claimed, max(margin, claimed / 2)
    p_rep = max(stats.t.sf((D - h + d) / se, df), stats.t.sf((D - h - d) / se, df))
    p_con = min(1.0, 2 * stats.t.sf((abs(d) - D - h) / pred, df_pred))
    assert got.p_reproduced == pytest.approx(p_rep, abs=1e-9)
    assert got.p_contradicted == pytest.approx(p_con, abs=1e-9)
    D_R, D_C = abs(d) + stats.t.ppf(0.95, df) * se + h, abs(d) - stats.t.ppf(0.975, df_pred) * pred - h
    least = claimed / 2  # a smaller margin is never used
    assert got.reproduced_from == pytest.approx(D_R if least < D_R else 0.0)
    assert got.contradicted_up_to == pytest.approx(D_C if least <= D_C else 0.0)
    assert got.pi95 == pytest.approx(tuple(d + claimed + stats.t.ppf([0.025, 0.975], df_pred) * pred))


def test_half_of_a_large_gap_is_the_margin_and_no_less_than_the_one_declared() -> None:
    assert against("78.60", "76.81").margin == 0.895  # 1.79 / 2
    assert against("78.60", "78.10").margin == 0.5
    assert against("76.81", "78.60").margin == 0.895  # a gap that is printed the other way round


def test_an_order_can_hold_where_its_size_does_not() -> None:
    """The XML-CNN case: 33.54 printed, 0.334 found."""
    got = against(
        "76.38", "42.84", [75.83, 75.6, 75.95, 75.71, 75.88], [75.3, 75.5, 75.4, 75.6, 75.5], margin=0.5
    )
    assert got.decide() == Decision("contradicted", "minimum_effect")


def test_both_roundings_count() -> None:
    assert against("78.60", "76.8").half_unit == pytest.approx(0.055)
    assert against("78.60", "76.81").half_unit == pytest.approx(0.01)


def test_more_runs_behind_the_printed_numbers_make_contradiction_easier() -> None:
    one, five = (against("82.60", "76.81", paper_runs=m).p_contradicted for m in (1, 5))
    assert one is not None
    assert five is not None
    assert five < one


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([78.6], B, "no_variance_estimate"),
        ([78.6, 78.5], B, "too_few_seeds"),
        ([78.6] * 3, [76.8] * 3, "no_spread"),
    ],
)
def test_too_few_or_still_runs_decide_nothing(a: list[float], b: list[float], reason: str) -> None:
    assert against("78.60", "20.00", a, b).decide() == Decision("inconclusive", reason)


@pytest.mark.parametrize(
    ("better", "outcome"),
    [
        (78.60, "reproduced"),
        (79.485, "reproduced"),  # off by D - h = .895 - .01 on the dot
        (79.4851, "inconclusive"),
        (79.505, "inconclusive"),  # D + h
        (79.5051, "contradicted"),
    ],
)
def test_declared_deterministic_arms_are_compared_exactly(better: float, outcome: str) -> None:
    got = against("78.60", "76.81", [better] * 2, [76.81] * 2, deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


def test_what_is_no_margin_or_no_run_is_refused() -> None:
    with pytest.raises(ValueError, match="a margin is a finite number"):
        against("78.60", "76.81", margin=-1.0)
    with pytest.raises(ValueError, match="at least one run"):
        against("78.60", "76.81", paper_runs=0)
