"""Tests of audit.stats.cv_star."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audit.stats.cv_star import cv_star, cv_star_of_errors
from tests.stats import golden


@golden.cases("cv_star")
def test_cv_star(case: dict[str, Any]) -> None:
    got = cv_star(case["inputs"]["values"])
    golden.check(
        case,
        mean=got.mean,
        s=got.sd,
        c4=got.c4,
        s_unbiased=got.sd_unbiased,
        s_ci95=got.sd_ci95,
        cv=got.cv,
        cv_star=got.cv_star,
    )


def test_c4_makes_the_sd_unbiased() -> None:
    """Mean of s / c4 over 40,000 samples of three with sigma 1, at 4 standard errors of that mean."""
    samples = np.random.default_rng(5).normal(size=(40_000, 3))
    c4 = cv_star([1.0, 2.0, 3.0]).c4
    unbiased = samples.std(axis=1, ddof=1) / c4
    assert unbiased.mean() == pytest.approx(1.0, abs=4 * unbiased.std() / 200)


def test_it_depends_on_the_scale() -> None:
    """95 -+ .5 gives .643, the same runs as errors 12.22."""
    runs = [95.0, 95.5, 94.5]
    assert cv_star(runs).cv_star == pytest.approx(0.643, abs=5e-4)
    assert cv_star_of_errors(runs).cv_star == pytest.approx(12.22, abs=5e-3)


def test_equal_values_do_not_vary() -> None:
    assert cv_star([76.38] * 3).cv_star == 0.0


@pytest.mark.parametrize("bad", [[76.38], [0.0, 0.0], [-1.0, -2.0]])
def test_one_value_or_no_mean_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="needs two values or more with a mean above 0"):
        cv_star(bad)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        cv_star([math.nan, 1.0])
