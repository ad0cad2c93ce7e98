"""Samples: Student's t, mean and SD, moderated variances, errors of sums and differences."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.sample import error, instance_se, interval, sample, upper_tail, welch
from tests.stats import golden


@golden.cases("interval_factors")
def test_half_widths_in_units_of_the_sd(case: dict[str, Any]) -> None:
    runs = case["inputs"]["n"]
    golden.check(
        case,
        ci90=[interval(0.0, n**-0.5, n - 1, level=0.90)[1] for n in runs],
        ci95=[interval(0.0, n**-0.5, n - 1, level=0.95)[1] for n in runs],
        pi95=[interval(0.0, (1 + 1 / n) ** 0.5, n - 1, level=0.95)[1] for n in runs],
    )


@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_mean_and_sd_are_those_of_the_standard_library(values: list[float]) -> None:
    got = sample(values)
    assert got.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert got.sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("value", [0.1, 45.3816, 100.0, 0.0, 1e9 / 3])
def test_equal_values_have_exactly_no_spread(value: float) -> None:
    """Plain arithmetic leaves 1.7e-17 for three times 0.1."""
    got = sample([value] * 3)
    assert got.sd == 0.0
    assert got.mean == value


@golden.cases("instance_se")
def test_binomial_error_in_points(case: dict[str, Any]) -> None:
    se = instance_se(case["inputs"]["p1"], documents=case["inputs"]["N"])
    golden.check(case, se_points=se, half95=1.959963985 * se)


def test_satterthwaite_by_hand() -> None:
    """(1 + 3)^2 / (1/2 + 9/4) = 16 / 2.75."""
    assert error((1.0, 2.0), (3.0, 4.0)) == (2.0, pytest.approx(16 / 2.75))


arm = st.lists(st.floats(0, 100), min_size=3, max_size=9)


@golden.cases("welch")
def test_welch(case: dict[str, Any]) -> None:
    d = welch(case["inputs"]["a"], case["inputs"]["b"])
    assert d.se is not None
    got = {
        "diff": d.value,
        "t": d.value / d.se,
        "df": d.df,
        "p_two_sided": 2 * upper_tail(abs(d.value), d.se, d.df or 0.0),
        "ci95": interval(d.value, d.se or 0.0, d.df or 0.0, level=0.95),
        "ci90": interval(d.value, d.se, d.df or 0.0, level=0.90),
    }
    golden.check(case, **{name: got[name] for name in case["expected"]})


@given(arm, arm)
def test_welch_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    assume(np.ptp(a) > 0.01 and np.ptp(b) > 0.01)
    d = welch(a, b)
    theirs = stats.ttest_ind(a, b, equal_var=False, alternative="greater")
    assert d.error is not None
    assert upper_tail(d.value, *d.error) == pytest.approx(theirs.pvalue, abs=1e-9)
    theirs = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert interval(d.value, d.se or 0.0, d.df or 0.0, level=0.95) == pytest.approx(
        tuple(theirs), rel=1e-6, abs=1e-6
    )
