"""Tests of audit.stats.cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.cost import cost
from audit.stats.decision import Decision

FAST, SLOW = [10.0, 10.4, 9.8], [21.0, 20.0, 20.5]
times = st.lists(st.floats(1, 100), min_size=3, max_size=6)


@given(fast=times, slow=times, ratio=st.floats(0.5, 3))
def test_it_is_welch_of_scipy_on_the_logarithms(fast: list[float], slow: list[float], ratio: float) -> None:
    assume(np.ptp(np.log(fast)) > 0.01 and np.ptp(np.log(slow)) > 0.01)
    got = cost(fast, slow, at_least=ratio)
    scaled = np.log(slow) - math.log(ratio)
    p = stats.ttest_ind(scaled, np.log(fast), equal_var=False, alternative="greater").pvalue
    assert got.p_reproduced == pytest.approx(p, abs=1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * (1 - p)), abs=1e-9)
    interval = stats.ttest_ind(np.log(slow), np.log(fast), equal_var=False).confidence_interval(0.95)
    assert got.ci95 == pytest.approx(tuple(np.exp(interval)), rel=1e-6)
    assert got.ratio == pytest.approx(stats.gmean(slow) / stats.gmean(fast))


def test_less_is_less_and_the_other_way_round_is_contradicted() -> None:
    assert cost(FAST, SLOW).decide() == Decision("reproduced", "cheaper")
    assert cost(SLOW, FAST).decide() == Decision("contradicted", "reversed")


@pytest.mark.parametrize(
    ("ratio", "outcome"), [(1.5, "reproduced"), (2.0, "inconclusive"), (3.0, "contradicted")]
)
def test_a_claimed_ratio_is_the_least_that_must_hold(ratio: float, outcome: str) -> None:
    """2.03 times, within 1.9 to 2.2."""
    got = cost(FAST, SLOW, at_least=ratio)
    assert got.ratio == pytest.approx(2.036, abs=5e-3)
    assert got.decide().outcome == outcome


def test_the_unit_of_the_cost_does_not_matter() -> None:
    seconds, minutes = cost(FAST, SLOW), cost([x / 60 for x in FAST], [x / 60 for x in SLOW])
    assert minutes.ratio == pytest.approx(seconds.ratio)
    assert minutes.p_reproduced == pytest.approx(seconds.p_reproduced)


def test_pairs_are_compared_by_pairs() -> None:
    """Times that vary tenfold from pair to pair, each 5 to 7 % apart."""
    fast, slow = [1.0, 10.0, 100.0, 31.0], [1.05, 10.7, 106.0, 32.9]
    assert cost(fast, slow).decide().outcome == "inconclusive"
    assert cost(fast, slow, pair=True).decide().outcome == "reproduced"


@pytest.mark.parametrize(
    ("fast", "slow", "reason"),
    [
        ([10.0], SLOW, "no_variance_estimate"),
        ([10.0, 9.0], SLOW, "too_few_seeds"),
        ([1.0] * 3, [2.0] * 3, "no_spread"),
    ],
)
def test_too_few_or_still_runs_decide_nothing(fast: list[float], slow: list[float], reason: str) -> None:
    assert cost(fast, slow).decide() == Decision("inconclusive", reason)


@pytest.mark.parametrize(
    ("cheaper", "ratio", "outcome"),
    [
        (50.0, 1.0, "reproduced"),
        (100.0, 1.0, "inconclusive"),  # as much is not less
        (101.0, 1.0, "contradicted"),
        (50.0, 2.0, "reproduced"),  # but twice is at least twice
        (50.1, 2.0, "contradicted"),
    ],
)
def test_declared_counts_are_compared_exactly(cheaper: float, ratio: float, outcome: str) -> None:
    got = cost([cheaper] * 2, [100.0] * 2, at_least=ratio, deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


@pytest.mark.parametrize(
    "bad",
    [
        {"cheaper": [0.0, 1.0, 2.0]},
        {"dearer": [-1.0, 1.0, 2.0]},
        {"cheaper": [math.nan, 1.0, 2.0]},
        {"at_least": 0.0},
        {"at_least": math.inf},
    ],
)
def test_what_costs_nothing_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="are above 0"):
        cost(**{"cheaper": FAST, "dearer": SLOW, **bad})
