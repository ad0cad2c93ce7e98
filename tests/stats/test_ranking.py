"""Tests of audit.stats.ranking."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.stats.decision import Decision
from audit.stats.ranking import agreement, midranks, ranking
from tests.stats import golden

TOP, MIDDLE, BOTTOM = [80.1, 80.3, 79.9], [78.0, 78.3, 77.9], [70.2, 69.8, 70.0]
LIKE_MIDDLE = [78.1, 77.8, 78.2]


@golden.cases("rank_agreement")
def test_agreement(case: dict[str, Any]) -> None:
    got = agreement(case["inputs"]["paper_ranks"], case["inputs"]["our_ranks"])
    golden.check(
        case,
        kendall_tau=got.kendall_tau,
        kendall_p_exact=got.kendall_p,
        spearman=got.spearman,
        discordant_pairs=got.discordant,
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9))
def test_tau_and_rho_are_those_of_scipy_with_ties_too(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    got = agreement(first, second)
    assert got.kendall_tau == pytest.approx(stats.kendalltau(first, second).statistic)
    assert got.spearman == pytest.approx(stats.spearmanr(first, second).statistic)


@given(st.permutations(range(7)))
def test_the_exact_p_without_ties_is_that_of_scipy(ours: list[int]) -> None:
    theirs = stats.kendalltau(range(7), ours, method="exact").pvalue
    assert agreement(range(7), ours).kendall_p == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("first", "second"), [([1, 1, 2, 3], [1, 2, 3, 4]), ([3, 1, 2, 2, 5], [1, 1, 2, 3, 3])]
)
def test_the_exact_p_with_ties_counts_all_orders(first: list[int], second: list[int]) -> None:
    """By scipy's tau-b of every order of the second list: its denominator is the same for all of them."""
    observed = abs(stats.kendalltau(first, second).statistic)
    taus = [abs(stats.kendalltau(first, order).statistic) for order in permutations(second)]
    got = agreement(first, second)
    assert got.kendall_p == pytest.approx(np.mean(np.array(taus) >= observed - 1e-9))


def test_many_systems_with_ties_get_no_p_and_a_list_of_equals_no_tau() -> None:
    assert agreement([1, 1, *range(2, 9)], range(9)).kendall_p is None
    assert agreement([1.0, 1.0], [1.0, 2.0]) == agreement([2.0, 2.0], [3.0, 4.0])
    assert agreement([1.0, 1.0], [1.0, 2.0]).kendall_tau is None


def test_ties_share_the_mean_of_their_places() -> None:
    assert midranks([10.0, 30.0, 10.0, 20.0]) == [1.5, 4.0, 1.5, 3.0]


@pytest.mark.parametrize(
    ("first", "second"), [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, math.nan], [1.0, 2.0])]
)
def test_what_is_no_ranking_is_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match="two rankings of at least two systems"):
        agreement(first, second)


def test_every_adjacent_order_must_hold() -> None:
    assert ranking([TOP, MIDDLE, BOTTOM]).decide() == Decision("reproduced", "in_order")
    assert ranking([TOP, LIKE_MIDDLE, MIDDLE, BOTTOM]).decide() == Decision("inconclusive", "undecided")


def test_one_reversed_pair_contradicts() -> None:
    assert ranking([TOP, BOTTOM, MIDDLE]).decide() == Decision("contradicted", "reversed")


def test_holm_is_inside() -> None:
    """One-sided p by scipy, adjusted by statsmodels; the largest is that of the ranking."""
    systems = [TOP, MIDDLE, LIKE_MIDDLE, BOTTOM]
    raw = [stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue for a, b in pairwise(systems)]
    got = ranking(systems)
    assert got.p_orders == pytest.approx(multipletests(raw, method="holm")[1])
    assert got.p_reproduced == max(got.p_orders)
    back = [min(1.0, 2 * (1 - p)) for p in raw]
    assert got.p_reversed == pytest.approx(multipletests(back, method="holm")[1])
    assert got.p_contradicted == min(got.p_reversed)


def test_a_reversal_that_holm_does_not_leave_decides_nothing() -> None:
    """2 p of the reversal alone is .0419 by scipy; as the smallest of two it is .084."""
    lower, higher = [77.9, 78.0, 78.1], [78.2, 78.5, 78.3]
    alone = stats.ttest_ind(lower, higher, equal_var=False).pvalue
    assert 0.025 < alone < 0.05
    assert ranking([lower, higher]).decide().outcome == "contradicted"
    got = ranking([lower, higher, BOTTOM])
    assert got.p_contradicted == pytest.approx(2 * alone)
    assert got.decide().outcome == "inconclusive"


def test_too_few_seeds_of_one_system_keep_it_from_being_reproduced_not_from_being_contradicted() -> None:
    assert ranking([TOP, MIDDLE, [1.0, 2.0]]).decide() == Decision("inconclusive", "too_few_seeds")
    assert ranking([[99.0], MIDDLE, TOP, BOTTOM]).decide() == Decision("contradicted", "reversed")
    assert ranking([[99.0], TOP]).decide() == Decision("inconclusive", "no_variance_estimate")
    assert not ranking([[99.0], TOP]).testable


@pytest.mark.parametrize(
    ("values", "outcome"),
    [((3.0, 2.0, 1.0), "reproduced"), ((3.0, 1.0, 2.0), "contradicted"), ((3.0, 2.0, 2.0), "inconclusive")],
)
def test_deterministic_systems_are_ranked_exactly(values: tuple[float, ...], outcome: str) -> None:
    got = ranking([[x, x] for x in values], deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


def test_a_ranking_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two systems, got 1"):
        ranking([TOP])
