"""Tests of audit.stats.convergence."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight, survdiff

from audit.stats import convergence as module
from audit.stats.convergence import Reach, convergence, median, steps_to
from audit.stats.decision import Decision

run = st.builds(Reach, st.integers(1, 6).map(float), st.booleans())
NEVER = Reach(100.0, reached=False)


def at(*steps: float) -> list[Reach]:
    return [Reach(step) for step in steps]


def logrank(faster: list[Reach], slower: list[Reach]) -> tuple[float, float]:
    """Chi-squared and p of statsmodels."""
    both = [*faster, *slower]
    group = [0] * len(faster) + [1] * len(slower)
    return tuple(survdiff([r.steps for r in both], [float(r.reached) for r in both], group))  # type: ignore[return-value]


def test_the_first_point_at_or_above_the_score_counts() -> None:
    curve = [(100.0, 50.0), (200.0, 61.0), (300.0, 58.0), (400.0, 70.0)]
    assert steps_to(curve, 60.0) == Reach(200.0)
    assert steps_to(curve, 70.0) == Reach(400.0)
    assert steps_to(curve, 70.1) == Reach(400.0, reached=False)
    assert steps_to([(1.0, math.nan), (2.0, 5.0)], 4.0) == Reach(2.0)


@pytest.mark.parametrize("curve", [[], [(2.0, 1.0), (1.0, 2.0)], [(1.0, 1.0), (1.0, 2.0)]])
def test_a_curve_whose_steps_do_not_grow_is_refused(curve: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="points with growing steps"):
        steps_to(curve, 1.0)


@given(st.lists(run, min_size=3, max_size=9), st.lists(run, min_size=3, max_size=9))
def test_observed_expected_and_the_approximation_are_those_of_statsmodels(
    faster: list[Reach], slower: list[Reach]
) -> None:
    """(O - E)^2 / V is its chi-squared; V from the p-value of our own approximation."""
    assume(len({r.steps for r in [*faster, *slower] if r.reached}) > 1)
    observed, expected, p_faster, p_slower, exact = module._approximate(faster, slower)
    assume(abs(observed - expected) > 1e-6)
    assert not exact
    chi2, p = logrank(faster, slower)
    assert 2 * min(p_faster, p_slower) == pytest.approx(p, abs=1e-9)
    assert stats.norm.isf(min(p_faster, p_slower)) ** 2 == pytest.approx(chi2, rel=1e-6, abs=1e-9)


@given(st.lists(run, min_size=3, max_size=4), st.lists(run, min_size=3, max_size=4))
def test_the_exact_p_counts_all_ways_to_deal_the_runs(faster: list[Reach], slower: list[Reach]) -> None:
    """O - E of every choice of runs for the first arm, by the definition."""
    assume(any(r.reached for r in [*faster, *slower]))

    def excess(first: list[Reach], second: list[Reach]) -> float:
        both, total = [*first, *second], 0.0
        for t in {r.steps for r in both if r.reached}:
            d, n = sum(r.reached and r.steps == t for r in both), sum(r.steps >= t for r in both)
            total += sum(r.reached and r.steps == t for r in first)
            total -= d * sum(r.steps >= t for r in first) / n
        return total

    both = [*faster, *slower]
    every = [
        excess([both[i] for i in deal], [r for i, r in enumerate(both) if i not in deal])
        for deal in combinations(range(len(both)), len(faster))
    ]
    got = convergence(faster, slower)
    assert got.observed - got.expected == pytest.approx(excess(faster, slower))
    assert got.p_reproduced == pytest.approx(np.mean(np.array(every) >= excess(faster, slower) - 1e-9))
    p_slower = np.mean(np.array(every) <= excess(faster, slower) + 1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * p_slower))
    assert got.exact_test


def test_three_against_three_reach_one_in_twenty() -> None:
    got = convergence(at(10, 20, 30), at(40, 50, 60))
    assert got.p_reproduced == pytest.approx(1 / 20)
    assert got.decide() == Decision("reproduced", "faster")
    assert convergence(at(40, 50, 60), at(10, 20, 30)).decide().outcome == "inconclusive"  # 2/20
    four = convergence(at(40, 50, 60, 70), at(10, 20, 30, 35))
    assert four.decide() == Decision("contradicted", "reversed")


def test_a_run_that_never_got_there_counts_as_longer_than_its_budget() -> None:
    """Dropping it would leave two seeds and no verdict; it is the slowest of all."""
    got = convergence(at(10, 20, 30), [Reach(40.0), NEVER, NEVER])
    assert got.p_reproduced == pytest.approx(1 / 20)
    assert (got.reached, got.medians) == ((3, 1), (20.0, None))


@given(st.lists(run, min_size=1, max_size=8))
def test_the_median_is_that_of_kaplan_and_meier(runs: list[Reach]) -> None:
    assume(any(r.reached for r in runs))
    theirs = SurvfuncRight([r.steps for r in runs], [float(r.reached) for r in runs])
    below = [t for t, s in zip(theirs.surv_times, theirs.surv_prob, strict=True) if s <= 0.5 + 1e-12]
    assert median(runs) == (below[0] if below else None)


def test_many_runs_are_approximated() -> None:
    """11 against 11 would be 705,432 ways; p differs little from the exact one of 10 against 10."""
    rng = np.random.default_rng(2)
    a, b = at(*rng.normal(100, 20, 11)), at(*rng.normal(115, 20, 11))
    many, fewer = convergence(a, b), convergence(a[:10], b[:10])
    assert (many.exact_test, fewer.exact_test) == (False, True)
    assert many.p_reproduced is not None
    assert 2 * many.p_reproduced == pytest.approx(logrank(a, b)[1], abs=1e-9)
    approximate = logrank(a[:10], b[:10])[1] / 2
    assert fewer.p_reproduced == pytest.approx(approximate, abs=0.02)


def test_pairs_are_counted_by_who_came_first() -> None:
    """Five of five: 1/32. A pair that neither finished, and a tie, say nothing."""
    faster, slower = at(1, 10, 100, 5, 7), [Reach(2.0), Reach(11.0), NEVER, Reach(6.0), Reach(8.0)]
    got = convergence(faster, slower, pair=True)
    assert got.p_reproduced == pytest.approx(1 / 32)
    assert (got.observed, got.expected) == (5.0, 2.5)
    more = convergence([*faster, NEVER, Reach(3.0)], [*slower, NEVER, Reach(3.0)], pair=True)
    assert more.p_reproduced == got.p_reproduced
    assert convergence(slower, faster, pair=True).p_contradicted == pytest.approx(2 / 32)


def test_a_run_cut_off_before_the_other_finished_is_not_known_to_be_slower() -> None:
    early = Reach(5.0, reached=False)
    got = convergence(at(10, 10, 10), [early] * 3, pair=True)
    assert (got.observed, got.p_reproduced) == (0.0, 1.0)


@pytest.mark.parametrize(("n", "reason"), [(1, "no_variance_estimate"), (2, "too_few_seeds")])
def test_few_seeds_decide_nothing(n: int, reason: str) -> None:
    assert convergence(at(1, 2, 3)[:n], at(7, 8, 9)).decide() == Decision("inconclusive", reason)


def test_a_score_that_nobody_reached_decides_nothing() -> None:
    assert convergence([NEVER] * 3, [NEVER] * 3).decide() == Decision("inconclusive", "never_reached")


def test_empty_arms_unequal_pairs_and_endless_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="two arms with finite steps"):
        convergence([], at(1))
    with pytest.raises(ValueError, match="two arms with finite steps"):
        convergence(at(math.inf), at(1))
    with pytest.raises(ValueError, match="got 1 and 2"):
        convergence(at(1), at(1, 2), pair=True)
