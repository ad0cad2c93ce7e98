"""Tests of audit.stats.growth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.decision import Decision
from audit.stats.growth import growth
from tests.stats import golden

SIZES = [1000.0, 2000.0, 4000.0, 8000.0, 16000.0]
NOISE = [1.01, 0.99, 1.0, 1.02, 0.98]


@golden.cases("growth_exponent")
def test_growth(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = growth(inputs["n"], inputs["time"], exponent=inputs["claimed"], margin=inputs["margin"])
    named = {
        "slope": got.slope,
        "se": got.se,
        "ci90": got.ci90,
        "ci95": got.ci95,
        "p_tost": got.p_reproduced,
        "local_slopes": got.local_slopes,
        "verdict": got.decide().outcome,
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})


@given(st.lists(st.floats(0.5, 2.0), min_size=5, max_size=9), st.floats(0.0, 3.0), st.floats(0.01, 1.0))
def test_the_slope_is_that_of_scipy_and_the_bands_are_its_intervals(
    noise: list[float], exponent: float, margin: float
) -> None:
    sizes = [10.0 * 3.0**i for i in range(len(noise))]
    costs = [n**1.3 * e for n, e in zip(sizes, noise, strict=True)]
    assume(np.ptp(noise) > 0.01)  # scipy's error of a perfect line is 1e-8
    fit = stats.linregress(np.log(sizes), np.log(costs))
    got = growth(sizes, costs, exponent=exponent, margin=margin)
    assert got.slope == pytest.approx(fit.slope)
    assert got.se == pytest.approx(fit.stderr, abs=1e-12)
    off, df = abs(fit.slope - exponent), len(noise) - 2
    assert got.reproduced_from == pytest.approx(off + stats.t.ppf(0.95, df) * fit.stderr)
    assert got.contradicted_up_to == pytest.approx(
        max(0.0, off - stats.t.ppf(0.975, df) * fit.stderr), abs=1e-9
    )
    p_contradicted = min(1.0, 2 * stats.t.sf((off - margin) / fit.stderr, df))
    assert got.p_contradicted == pytest.approx(p_contradicted, abs=1e-9)
    assert got.ci95 == pytest.approx(tuple(fit.slope + stats.t.ppf([0.025, 0.975], df) * fit.stderr))


@pytest.mark.parametrize(
    ("exponent", "outcome"), [(2.0, "reproduced"), (1.0, "contradicted"), (3.0, "contradicted")]
)
def test_a_square_is_a_square(exponent: float, outcome: str) -> None:
    costs = [n**2 * e for n, e in zip(SIZES, NOISE, strict=True)]
    assert growth(SIZES, costs, exponent=exponent).decide().outcome == outcome


def test_a_factor_of_log_n_is_within_the_margin() -> None:
    """n and n log n are not told apart over 1.2 decades."""
    costs = [n * math.log(n) * e for n, e in zip(SIZES, NOISE, strict=True)]
    assert growth(SIZES, costs, exponent=1.0).decide().outcome != "contradicted"


def test_exact_counts_need_no_noise() -> None:
    assert growth(SIZES, [7 * n for n in SIZES], exponent=1.0).decide() == Decision("reproduced", "tost")
    assert growth(SIZES, [n * n for n in SIZES], exponent=1.0).decide() == Decision(
        "contradicted", "minimum_effect"
    )


def test_the_order_of_the_sizes_does_not_matter() -> None:
    costs = [n * e for n, e in zip(SIZES, NOISE, strict=True)]
    assert growth(SIZES[::-1], costs[::-1], exponent=1.0) == growth(SIZES, costs, exponent=1.0)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        (SIZES[:4], "too_few_sizes"),
        ([1.0, 2.0, 4.0, 8.0, 15.8], "too_narrow"),  # 1.1987 decades
        ([1.0, 2.0, 4.0, 8.0, 10**1.2], None),
    ],
)
def test_few_sizes_or_a_narrow_range_decide_nothing(sizes: list[float], reason: str | None) -> None:
    got = growth(sizes, sizes, exponent=1.0)
    assert got.decide().reason == (reason or "tost")


@pytest.mark.parametrize(
    ("sizes", "costs"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        ([1.0, 1.0, 2.0], [1.0, 1.0, 2.0]),
        ([1.0, 2.0, 3.0], [1.0, 2.0]),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]),
        ([1.0, 2.0, math.nan], [1.0, 1.0, 2.0]),
        ([1.0, 2.0, 3.0], [1.0, math.inf, 2.0]),
    ],
)
def test_what_has_no_slope_is_refused(sizes: list[float], costs: list[float]) -> None:
    with pytest.raises(ValueError, match="growth needs 3 different sizes"):
        growth(sizes, costs, exponent=1.0)


def test_a_negative_margin_is_refused() -> None:
    with pytest.raises(ValueError, match=r"got -0\.1"):
        growth(SIZES, SIZES, exponent=1.0, margin=-0.1)
