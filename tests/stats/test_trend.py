"""Tests of audit.stats.trend."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.decision import Decision
from audit.stats.ranking import midranks
from audit.stats.trend import page, trend
from tests.stats import golden

RISING = [[82.4, 82.6, 82.5], [83.4, 83.5, 83.3], [83.6, 83.4, 83.6], [84.2, 84.0, 84.1]]


@golden.cases("page_trend")
def test_page(case: dict[str, Any]) -> None:
    got = page(case["inputs"]["blocks"])
    golden.check(case, L=got.L, p_exact=got.p)


@given(st.lists(st.permutations(range(4)), min_size=2, max_size=6))
def test_it_is_the_exact_test_of_scipy(blocks: list[list[int]]) -> None:
    got, theirs = page(blocks), stats.page_trend_test(blocks, method="exact")
    assert pytest.approx(theirs.statistic) == got.L
    assert got.p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_more_levels_than_can_be_enumerated_come_out_the_same() -> None:
    blocks = np.random.default_rng(1).permuted(np.tile(np.arange(9), (4, 1)), axis=1).tolist()
    theirs = stats.page_trend_test(blocks, method="exact")
    assert page(blocks).p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_ties_have_a_law_of_their_own() -> None:
    """All orders of the midranks of both blocks, counted one by one."""
    blocks = [[1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 4.0, 6.0]]
    ranks = [midranks(block) for block in blocks]

    def statistic(pair: tuple[tuple[float, ...], ...]) -> float:
        return sum(j * r for block in pair for j, r in enumerate(block, start=1))

    every = [statistic(pair) for pair in product(*(list(permutations(r)) for r in ranks))]
    got = page(blocks)
    assert pytest.approx(statistic(tuple(map(tuple, ranks)))) == got.L
    assert got.p == pytest.approx(sum(x >= got.L for x in every) / len(every))


@pytest.mark.parametrize("blocks", [[], [[1.0]], [[1.0, 2.0], [1.0, 2.0, 3.0]], [list(range(13))]])
def test_what_are_no_blocks_is_refused(blocks: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="blocks of 2 to 12 levels"):
        page(blocks)


def test_a_level_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="got nan"):
        page([[1.0, math.nan]])


def test_a_trend_is_reproduced_by_page() -> None:
    got = trend(RISING)
    assert got.decide() == Decision("reproduced", "trend")
    assert (got.L, got.p_reproduced) == (89.0, pytest.approx(0.00072337963))


def test_a_falling_trend_is_a_rising_one_read_backwards() -> None:
    falling = trend(RISING[::-1], rising=False)
    assert (falling.L, falling.p_trend) == (trend(RISING).L, trend(RISING).p_trend)
    assert trend(RISING, rising=False).decide() == Decision("contradicted", "reversed")


def test_the_opposite_trend_is_tested_two_sided() -> None:
    down = trend(RISING[::-1])
    assert down.p_opposite == pytest.approx(0.00072337963)
    assert down.contradictions[0].p == pytest.approx(2 * 0.00072337963)


def test_a_significant_step_back_contradicts_though_the_whole_rises() -> None:
    """The third level falls by 5 points from the second, and the fourth climbs above all."""
    levels = [[70.0, 70.2, 70.1], [80.0, 80.1, 80.2], [75.0, 75.1, 75.3], [90.0, 90.2, 90.1]]
    got = trend(levels)
    assert got.p_trend < 0.05
    assert got.p_reproduced == 1.0
    assert got.decide() == Decision("contradicted", "step_back")
    assert min(got.p_steps_back) == got.p_steps_back[1] < 0.05


def test_steps_back_are_adjusted_for_their_number() -> None:
    """Two-sided p .0419 by scipy (see the rankings), times three steps."""
    levels = [[10.0, 10.1, 10.2], [78.2, 78.5, 78.3], [77.9, 78.0, 78.1], [90.0, 90.1, 90.2]]
    alone = stats.ttest_ind(levels[1], levels[2], equal_var=False).pvalue
    assert trend(levels).p_steps_back[1] == pytest.approx(3 * alone)
    assert trend(levels).decide().outcome == "reproduced"


def test_few_seeds_or_still_levels_decide_nothing() -> None:
    for n, reason in ((1, "no_variance_estimate"), (2, "too_few_seeds")):
        assert trend([level[:n] for level in RISING]).decide() == Decision("inconclusive", reason)
    still = [[float(x)] * 3 for x in range(4)]
    assert trend(still).decide() == Decision("inconclusive", "no_spread")


@pytest.mark.parametrize(
    ("values", "outcome"),
    [((1.0, 2.0, 3.0), "reproduced"), ((1.0, 3.0, 2.0), "contradicted"), ((1.0, 2.0, 2.0), "inconclusive")],
)
def test_deterministic_levels_are_compared_exactly(values: tuple[float, ...], outcome: str) -> None:
    got = trend([[x, x] for x in values], deterministic=True)
    assert (got.decide().outcome, got.testable, got.cap) == (outcome, False, None)


def test_levels_need_the_same_seeds() -> None:
    with pytest.raises(ValueError, match=r"the same seeds at every level, got \[3, 2\]"):
        trend([[1.0, 2.0, 3.0], [1.0, 2.0]])
