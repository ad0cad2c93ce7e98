"""Tests of audit.stats.power."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from audit.stats.equivalence import equivalence
from audit.stats.power import contradiction_power, order_power, seeds_needed, tost_power
from audit.stats.printed import printed
from audit.stats.value import value
from tests.stats import golden


@golden.cases("power_tost")
def test_power_of_tost(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    power = partial(
        tost_power,
        sd=inputs["sd"],
        margin=inputs["margin"],
        difference=inputs["true_diff"],
        alpha=inputs["alpha"],
    )
    golden.check(
        case,
        n_seeds={str(target): seeds_needed(power, target=target) for target in (0.8, 0.9)},
        power_at_3=power(3),
        power_at_5=power(5),
    )


@golden.cases("power_comparison")
def test_power_of_an_order(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    assert inputs["one_sided"]
    power = partial(order_power, sd=inputs["sd"], gap=inputs["true_gap"], alpha=inputs["alpha"])
    golden.check(
        case,
        n_per_arm={str(target): seeds_needed(power, target=target) for target in (0.8, 0.9)},
        power_at_3=power(3),
        power_at_5=power(5),
    )


@golden.cases("power_contradiction")
def test_power_of_a_contradiction(case: dict[str, Any]) -> None:
    """Half a unit of two decimals, as in the printed numbers of the other cases."""
    inputs = case["inputs"]
    got = {
        n: contradiction_power(
            int(n),
            sd=inputs["sd"],
            margin=inputs["margin"],
            difference=inputs["true_diff"],
            half_unit=0.005,
            paper_runs=inputs["paper_runs"],
            alpha=inputs["alpha"],
        )
        for n in case["expected"]["power"]
    }
    golden.check(case, power=got)


@given(n=st.integers(2, 60), effect=st.floats(0, 3), alpha=st.sampled_from([0.05, 0.025, 0.01]))
def test_the_power_of_an_order_is_that_of_statsmodels(n: int, effect: float, alpha: float) -> None:
    theirs = TTestIndPower().power(effect, n, alpha, alternative="larger")
    assert order_power(n, sd=0.3, gap=0.3 * effect, alpha=alpha) == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize(("n", "difference"), [(3, 0.0), (4, 0.2), (8, 0.3)])
@pytest.mark.parametrize("arms", [1, 2])
def test_the_power_of_tost_is_the_double_integral(n: int, difference: float, arms: int) -> None:
    """By scipy's quadrature of the normal and chi-squared laws, written another way."""
    sd, margin, df = 0.3, 0.5, arms * (n - 1)
    se, t = sd * math.sqrt(arms / n), stats.t.ppf(0.95, df)

    def given_chi2(x: float) -> float:
        room = margin - t * se * math.sqrt(x / df)
        inside = stats.norm.cdf(room, difference, se) - stats.norm.cdf(-room, difference, se)
        return max(0.0, inside) * stats.chi2.pdf(x, df)

    end = df * (margin / (t * se)) ** 2
    expected = integrate.quad(given_chi2, 0.0, min(end, stats.chi2.isf(1e-13, df)), epsabs=1e-9)[0]
    got = tost_power(n, sd=sd, margin=margin, difference=difference, arms=arms)
    assert got == pytest.approx(expected, abs=1e-7)


def test_the_power_is_the_share_of_runs_that_the_tests_decide() -> None:
    """1,500 sets of 5 seeds through `value` and `equivalence`, at four standard errors of the share."""
    rng = np.random.default_rng(11)
    v, sims, sd = printed("76.38"), 1500, 0.25
    ours = 76.38 + 0.1 + sd * rng.normal(size=(sims, 5))
    far = 76.38 + 1.5 + sd * rng.normal(size=(sims, 5))
    other = 76.38 + sd * rng.normal(size=(sims, 5))
    shares = {
        tost_power(5, sd=sd, margin=0.495, difference=0.1): [
            value(x, reported=v, margin=0.5).decide().outcome == "reproduced" for x in ours.tolist()
        ],
        contradiction_power(5, sd=sd, margin=0.5, difference=1.5, half_unit=0.005): [
            value(x, reported=v, margin=0.5).decide().outcome == "contradicted" for x in far.tolist()
        ],
        contradiction_power(5, sd=sd, margin=1.0, difference=1.5, arms=2, paper_runs=None): [
            equivalence(x, y, margin=1.0).decide().outcome == "contradicted"
            for x, y in zip(far.tolist(), other.tolist(), strict=True)
        ],
    }
    for power, decided in shares.items():
        # Welch's degrees of freedom are a little fewer than the 8 that the power takes
        assert np.mean(decided) == pytest.approx(power, abs=4 * math.sqrt(power * (1 - power) / sims) + 0.005)


def test_no_room_within_the_margin_is_no_power() -> None:
    assert tost_power(5, sd=0.3, margin=0.0) == 0.0
    assert tost_power(5, sd=0.3, margin=-0.1) == 0.0
    assert tost_power(100, sd=0.3, margin=0.5, difference=0.5) == pytest.approx(0.05, abs=1e-4)


def test_the_direction_of_a_difference_does_not_matter() -> None:
    for difference in (0.3, 1.5):
        for power in (tost_power, partial(contradiction_power, half_unit=0.005)):
            plus, minus = (power(5, sd=0.3, margin=0.5, difference=d) for d in (difference, -difference))
            assert plus == pytest.approx(minus, abs=1e-12)


def test_the_smallest_number_that_reaches_the_target_is_found() -> None:
    assert seeds_needed(lambda n: n / 100, target=0.8) == 80
    assert seeds_needed(lambda n: 1.0, target=0.8) == 3
    assert seeds_needed(lambda n: float(n == 100), target=0.8) == 100
    assert seeds_needed(lambda n: 0.79, target=0.8) is None
    assert seeds_needed(lambda n: n / 100, target=0.8, most=79) is None
    assert seeds_needed(lambda n: n / 100, target=0.05, fewest=2) == 5


@pytest.mark.parametrize(("n", "sd"), [(1, 0.3), (3, 0.0), (3, -1.0), (3, math.nan)])
def test_one_seed_or_no_spread_has_no_power_to_speak_of(n: int, sd: float) -> None:
    with pytest.raises(ValueError, match="two seeds or more and an SD above 0"):
        tost_power(n, sd=sd, margin=0.5)


@pytest.mark.parametrize(("n", "effect"), [(3, 1.0), (8, 0.7)])
def test_of_pairs_it_is_the_power_of_the_one_sample_test(n: int, effect: float) -> None:
    theirs = TTestPower().power(effect, n, 0.05, alternative="larger")
    assert order_power(n, sd=0.3, gap=0.3 * effect, arms=1) == pytest.approx(theirs, abs=1e-7)


def test_a_prior_adds_its_degrees_of_freedom_and_draws_the_sd_towards_sigma() -> None:
    """Against drawing: s~^2 = (4 sigma^2 + 2 s^2) / 6 of three seeds, t with 6 df; 40,000 draws."""
    rng, n, sd, prior = np.random.default_rng(3), 3, 0.3, 4.0
    draws = rng.normal(0.0, sd, (40_000, n))
    moderated = np.sqrt((prior * sd**2 + (n - 1) * draws.var(axis=1, ddof=1)) / (prior + n - 1))
    mean, df = draws.mean(axis=1), prior + n - 1
    far = np.abs(2.5 + mean) >= 0.505 + stats.t.ppf(0.975, df) * moderated * np.sqrt(1 / n + 4.0)
    near = np.abs(mean) <= 0.495 - stats.t.ppf(0.95, df) * moderated / np.sqrt(n)
    kw = {"sd": sd, "prior_df": prior}
    power = contradiction_power(n, margin=0.5, half_unit=0.005, difference=2.5, paper_sd_ratio=2.0, **kw)
    assert power == pytest.approx(far.mean(), abs=0.01)
    assert tost_power(n, margin=0.495, **kw) == pytest.approx(near.mean(), abs=0.01)
    better = 0.6 + mean >= stats.t.ppf(0.95, df) * moderated / np.sqrt(n)
    assert order_power(n, gap=0.6, arms=1, **kw) == pytest.approx(better.mean(), abs=0.01)
