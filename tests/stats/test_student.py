"""Tests of audit.stats.student."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.student import interval, quantile, upper_tail
from tests.stats import golden


@given(t=st.floats(-50, 50), df=st.floats(1, 1e5))
def test_the_tail_is_that_of_scipy(t: float, df: float) -> None:
    assert upper_tail(t, 1.0, df) == pytest.approx(stats.t.sf(t, df), rel=1e-6, abs=1e-15)


@given(p=st.sampled_from([0.9, 0.95, 0.975, 0.995]), df=st.floats(1, 1e5))
def test_the_quantile_is_that_of_scipy(p: float, df: float) -> None:
    assert quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-5)


def test_infinitely_many_degrees_of_freedom_are_the_normal_distribution() -> None:
    assert quantile(0.975, math.inf) == pytest.approx(1.959963985)
    assert upper_tail(1.959963985, 1.0, math.inf) == pytest.approx(0.025)


@pytest.mark.parametrize(("distance", "p"), [(0.3, 0.0), (0.0, 0.5), (-0.3, 1.0)])
def test_no_error_gives_the_limit_and_no_warning(distance: float, p: float) -> None:
    assert upper_tail(distance, 0.0, 2.0) == p


@golden.cases("interval_factors")
def test_half_widths_in_units_of_the_sd(case: dict[str, Any]) -> None:
    runs = case["inputs"]["n"]
    golden.check(
        case,
        ci90=[interval(0.0, n**-0.5, n - 1, level=0.90)[1] for n in runs],
        ci95=[interval(0.0, n**-0.5, n - 1, level=0.95)[1] for n in runs],
        pi95=[interval(0.0, (1 + 1 / n) ** 0.5, n - 1, level=0.95)[1] for n in runs],
    )


def test_an_interval_is_symmetric_around_its_centre() -> None:
    low, high = interval(10.0, 2.0, 3.0, level=0.9)
    assert low + high == pytest.approx(20.0)
    assert low < 10.0 < high
