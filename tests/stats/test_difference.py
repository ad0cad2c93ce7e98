"""Tests of audit.stats.difference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.difference import paired, welch
from tests.stats import golden

arm = st.lists(st.floats(0, 100), min_size=3, max_size=9)


@golden.cases("welch")
def test_welch(case: dict[str, Any]) -> None:
    d = welch(case["inputs"]["a"], case["inputs"]["b"])
    assert d.se is not None
    got = {
        "diff": d.value,
        "t": d.value / d.se,
        "df": d.df,
        "p_two_sided": 2 * min(d.above(0.0), d.below(0.0)),
        "ci95": d.interval(0.95),
        "ci90": d.interval(0.90),
    }
    golden.check(case, **{name: got[name] for name in case["expected"]})


@golden.cases("paired_t")
def test_paired(case: dict[str, Any]) -> None:
    d = paired(case["inputs"]["a"], case["inputs"]["b"])
    assert d.se is not None
    golden.check(
        case,
        mean_diff=d.value,
        t=d.value / d.se,
        df=d.df,
        p_two_sided=2 * d.above(0.0),
        ci95=d.interval(0.95),
        ci90=d.interval(0.90),
    )


@given(arm, arm)
def test_welch_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    assume(np.ptp(a) > 0.01 and np.ptp(b) > 0.01)
    d = welch(a, b)
    theirs = stats.ttest_ind(a, b, equal_var=False, alternative="greater")
    assert d.above(0.0) == pytest.approx(theirs.pvalue, abs=1e-9)
    assert d.below(0.0) == pytest.approx(1 - theirs.pvalue, abs=1e-9)
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert d.interval(0.95) == pytest.approx(tuple(interval), rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=3, max_size=9))
def test_paired_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    assume(np.ptp([x - y for x, y in pairs]) > 0.01)
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    d = paired(a, b)
    assert d.above(0.0) == pytest.approx(stats.ttest_rel(a, b, alternative="greater").pvalue, abs=1e-9)


def test_swapped_arms_swap_the_sign_and_the_tails() -> None:
    a, b = [78.6, 78.1, 78.9], [76.8, 77.2, 76.5]
    assert welch(a, b).value == -welch(b, a).value > 0.0
    assert welch(a, b).above(0.5) == pytest.approx(welch(b, a).below(-0.5))


def test_one_run_in_an_arm_gives_the_difference_and_nothing_else() -> None:
    for d in (welch([78.0], [76.0, 77.0, 78.0]), welch([78.0, 76.0], [77.0]), paired([78.0], [77.0])):
        assert d.cap == "no_variance_estimate"
        assert (d.se, d.df, d.interval(0.95), d.estimated, d.still) == (None, None, None, False, False)
    assert welch([78.0], [76.0, 77.0, 78.0]).value == 1.0


def test_two_runs_in_an_arm_are_computed_but_capped() -> None:
    for d in (welch([78.0, 78.2], [76.0, 77.0, 78.0]), paired([78.0, 79.0], [77.0, 77.5])):
        assert d.cap == "too_few_seeds"
        assert d.interval(0.95) is not None


def test_two_arms_without_spread_have_no_error_to_divide_by() -> None:
    for d in (welch([78.0] * 3, [76.0] * 3), paired([78.0] * 3, [76.0] * 3)):
        assert (d.value, d.se, d.cap, d.estimated, d.still) == (2.0, 0.0, "no_spread", False, True)
        assert d.interval(0.95) is None


def test_one_arm_without_spread_leaves_the_error_of_the_other() -> None:
    """SE = 1 / sqrt(3) on 2 degrees of freedom, as for a one-sample test against 20."""
    d = welch([76.0, 77.0, 78.0], [20.0] * 4)
    assert (d.se, d.df, d.cap) == (pytest.approx(1 / math.sqrt(3)), pytest.approx(2.0), None)
    one_sample = stats.ttest_1samp([76.0, 77.0, 78.0], 20.0, alternative="greater")
    assert d.above(0.0) == pytest.approx(one_sample.pvalue)


def test_constant_differences_of_arms_that_vary_are_no_spread_but_not_still() -> None:
    d = paired([76.0, 77.0, 78.0], [75.0, 76.0, 77.0])
    assert (d.cap, d.still) == ("no_spread", False)


def test_pairs_need_two_arms_of_one_length() -> None:
    with pytest.raises(ValueError, match="got 3 and 2"):
        paired([1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize("bad", [[], [math.nan, 1.0, 2.0], [1.0, math.inf]])
def test_nothing_and_what_is_no_number_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="a sample needs"):
        welch(bad, [1.0, 2.0, 3.0])
