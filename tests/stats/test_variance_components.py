"""Tests of audit.stats.variance_components."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.stats.variance_components import SeedNoise, from_documents, two_estimands
from tests.stats import golden


@golden.cases("variance_components")
def test_one_gap_and_two_errors(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = two_estimands(
        inputs["diff"],
        SeedNoise(inputs["sd_seed_a"], inputs["n_a"]),
        SeedNoise(inputs["sd_seed_b"], inputs["n_b"]),
        sd_documents=inputs["sd_instance_diff"],
        documents=inputs["N"],
    )
    golden.check(
        case,
        se_fixed_test_set=got.fixed.se,
        se_new_instances=got.new.se,
        z_fixed=got.fixed.z,
        z_new=got.new.z,
    )


def test_the_fixed_test_set_is_welch_of_the_seeds_means() -> None:
    rng = np.random.default_rng(0)
    a, b = 100.0 * (rng.random((4, 50)) < 0.7), 100.0 * (rng.random((5, 50)) < 0.6)
    got, theirs = from_documents(a, b), stats.ttest_ind(a.mean(axis=1), b.mean(axis=1), equal_var=False)
    assert got.fixed.df == pytest.approx(theirs.df)
    assert got.fixed.z == pytest.approx(theirs.statistic)
    assert got.fixed.interval(0.95) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert 2 * min(got.fixed.p_greater, 1 - got.fixed.p_greater) == pytest.approx(theirs.pvalue)


def test_without_seed_noise_new_documents_are_a_paired_t_test_over_documents() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random(40), rng.random(40)
    got, theirs = from_documents([x, x], [y, y]), stats.ttest_rel(x, y)
    assert (got.new.z, got.new.df) == (pytest.approx(theirs.statistic), pytest.approx(39.0))
    assert got.fixed.se == 0.0
    assert got.fixed.z == math.copysign(math.inf, x.mean() - y.mean())


def test_new_documents_never_have_less_error() -> None:
    a, b = np.random.default_rng(2).random((2, 3, 30))
    got = from_documents(a, b)
    assert got.new.se > got.fixed.se
    assert got.new.difference == got.fixed.difference == pytest.approx(a.mean() - b.mean())


def test_no_difference_and_no_noise_is_zero() -> None:
    assert from_documents(np.ones((2, 3)), np.ones((2, 3))).new.z == 0.0


@pytest.mark.parametrize(
    "shapes", [((3, 4), (3, 5)), ((4,), (4,)), ((1, 4), (3, 4)), ((3, 1), (3, 1)), ((0, 4), (3, 4))]
)
def test_few_runs_or_other_documents_are_refused(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"needs (runs x documents|two runs an arm)"):
        from_documents(np.ones(shapes[0]), np.ones(shapes[1]))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite values"):
        from_documents(np.full((3, 4), np.nan), np.ones((3, 4)))
