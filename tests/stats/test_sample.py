"""Tests of audit.stats.sample."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.stats.sample import sample, small_sample_cap


@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_mean_and_sd_are_those_of_the_standard_library(values: list[float]) -> None:
    got = sample(values)
    assert got.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert got.sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-7)


def test_one_value_has_no_sd() -> None:
    assert sample([75.5]).sd is None
    assert sample([75.5]).mean == 75.5


@pytest.mark.parametrize("value", [0.1, 45.3816, 100.0, 0.0, 1e9 / 3])
def test_equal_values_have_exactly_no_spread(value: float) -> None:
    """Plain arithmetic leaves 1.7e-17 for three times 0.1."""
    got = sample([value] * 3)
    assert got.sd == 0.0
    assert got.mean == value


def test_summation_order_is_not_spread() -> None:
    assert sample([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6]).sd == 0.0
    assert sample([76.38, 76.38 + 1e-6]).sd > 0.0  # one document in a million is


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf], [1.0, 2.0, -math.inf], [math.nan, 1.0]])
def test_nothing_and_what_is_no_number_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="a sample needs"):
        sample(values)


@pytest.mark.parametrize(
    ("n", "still", "code"),
    [
        (1, False, "no_variance_estimate"),
        (2, False, "too_few_seeds"),
        (2, True, "too_few_seeds"),
        (3, True, "no_spread"),
        (3, False, None),
        (20, False, None),
    ],
)
def test_fewer_than_three_or_equal_runs_decide_nothing(n: int, still: bool, code: str | None) -> None:
    assert small_sample_cap(n, still=still) == code
