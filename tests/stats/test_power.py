"""Power, and how many seeds a plan asks for."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.kinds.value import value
from audit.stats.power import (
    FULL,
    Direction,
    Distance,
    Needed,
    Noise,
    Plan,
    contradiction_power,
    order_power,
    seeds_needed,
    tost_power,
)
from audit.stats.printed import printed
from tests.kinds import equivalence
from tests.stats import golden


def noise(sd: float, arms: int = 1) -> Noise:
    return Noise(sd, math.inf, arms)


@golden.cases("power_tost")
def test_power_of_tost(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    more = {"margin": inputs["margin"], "difference": inputs["true_diff"], "alpha": inputs["alpha"]}
    power = partial(tost_power, noise=noise(inputs["sd"]), **more)
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
    of = noise(inputs["sd"], 2)
    power = partial(order_power, noise=of, gap=inputs["true_gap"], alpha=inputs["alpha"])
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
            noise(inputs["sd"]),
            margin=inputs["margin"] + 0.005,
            difference=inputs["true_diff"],
            theirs=1 / inputs["paper_runs"],
            alpha=inputs["alpha"],
        )
        for n in case["expected"]["power"]
    }
    golden.check(case, power=got)


def test_the_power_is_the_share_of_runs_that_the_tests_decide() -> None:
    """1,500 sets of 5 seeds through `value` and `equivalence`, at four standard errors of the share."""
    rng = np.random.default_rng(11)
    v, sims, sd = printed("76.38"), 1500, 0.25
    ours = 76.38 + 0.1 + sd * rng.normal(size=(sims, 5))
    far = 76.38 + 1.5 + sd * rng.normal(size=(sims, 5))
    other = 76.38 + sd * rng.normal(size=(sims, 5))
    shares = {
        tost_power(5, noise(sd), 0.495, 0.1): [
            value(x, reported=v, margin=0.5).decide().outcome == "reproduced" for x in ours.tolist()
        ],
        contradiction_power(5, noise(sd), 0.505, 1.5, theirs=1.0): [
            value(x, reported=v, margin=0.5).decide().outcome == "contradicted" for x in far.tolist()
        ],
        contradiction_power(5, noise(sd, 2), 1.0, 1.5): [
            equivalence(x, y, margin=1.0).decide().outcome == "contradicted"
            for x, y in zip(far.tolist(), other.tolist(), strict=True)
        ],
    }
    for power, decided in shares.items():
        # Welch's degrees of freedom are a little fewer than the 8 that the power takes
        assert np.mean(decided) == pytest.approx(power, abs=4 * math.sqrt(power * (1 - power) / sims) + 0.005)


def test_the_smallest_number_that_reaches_the_target_is_found() -> None:
    assert seeds_needed(lambda n: n / 100, target=0.8) == 80
    assert seeds_needed(lambda n: 1.0, target=0.8) == 3
    assert seeds_needed(lambda n: float(n == 100), target=0.8) == 100
    assert seeds_needed(lambda n: 0.79, target=0.8) is None
    assert seeds_needed(lambda n: n / 100, target=0.05, fewest=2) == 5


def test_a_prior_adds_its_degrees_of_freedom_and_draws_the_sd_towards_sigma() -> None:
    """Against drawing: s~^2 = (4 sigma^2 + 2 s^2) / 6 of three seeds, t with 6 df; 40,000 draws."""
    rng, n, sd, prior = np.random.default_rng(3), 3, 0.3, 4.0
    draws = rng.normal(0.0, sd, (40_000, n))
    moderated = np.sqrt((prior * sd**2 + (n - 1) * draws.var(axis=1, ddof=1)) / (prior + n - 1))
    mean, df = draws.mean(axis=1), prior + n - 1
    far = np.abs(2.5 + mean) >= 0.505 + stats.t.ppf(0.975, df) * moderated * np.sqrt(1 / n + 4.0)
    near = np.abs(mean) <= 0.495 - stats.t.ppf(0.95, df) * moderated / np.sqrt(n)
    of = noise(sd)._replace(prior_df=prior)
    power = contradiction_power(n, of, 0.505, 2.5, theirs=4.0)
    assert power == pytest.approx(far.mean(), abs=0.01)
    assert tost_power(n, of, 0.495) == pytest.approx(near.mean(), abs=0.01)
    better = 0.6 + mean >= stats.t.ppf(0.95, df) * moderated / np.sqrt(n)
    assert order_power(n, of, 0.6) == pytest.approx(better.mean(), abs=0.01)


def plan(*, difference: float, sd: float, df: float, margin: float, arms: int = 1, **more: Any) -> Plan:
    """Of a paper whose runs scatter as ours."""
    return Distance(difference, Noise(sd, df, arms), margin, **{"theirs": 1.0, **more}).plan(FULL)


KNOWN = math.inf
"""Degrees of freedom of an SD that is no estimate: planned with as it is."""


@pytest.mark.parametrize("df", [1, 2, 4, 10, 200])
def test_the_upper_limit_is_that_of_chi_squared(df: int) -> None:
    assert 0.3 < Noise(0.3, df, 1).upper.sd == pytest.approx(0.3 * math.sqrt(df / stats.chi2.ppf(0.2, df)))


def test_where_the_papers_own_run_is_the_noise_no_number_of_our_seeds_settles_it() -> None:
    """1.0 off at SD .3: below D + h + 1.96 * .3 = 1.093, however many seeds."""
    got = plan(difference=1.0, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005)
    assert (got.obstacle, got.fewest) == ("no_number_of_our_seeds", None)
    assert got.contradict == got.reproduce == Needed(None, None)
    assert plan(difference=0.495, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005).obstacle == (
        "no_number_of_our_seeds"
    )


def test_a_gain_within_the_margin_is_settled_by_no_number_of_seeds() -> None:
    """Of a claim that it is significant: 0.3 of 0.5. None at all contradicts; a gain hardly ever does."""
    gain, none = (Direction(d, noise(0.3, 2), bar=0.5, small=0.5) for d in (0.3, 0.0))
    assert gain.plan(FULL).obstacle == "no_number_of_our_seeds"
    assert none.plan(FULL).contradict.seeds_80 == seeds_needed(
        lambda n: tost_power(n, noise(0.3, 2), 0.5), target=0.8
    )
    assert gain.broken(20, gain.noise, 0.05) < 0.001


def test_rounding_makes_the_margin_narrower_from_both_sides() -> None:
    """Half a unit of one decimal: reproduced within .45, contradicted beyond .55."""
    coarse = {"sd": 0.3, "df": KNOWN, "margin": 0.5, "half_unit": 0.05}
    fine = {"sd": 0.3, "df": KNOWN}
    assert plan(difference=0.2, **coarse).reproduce == plan(difference=0.2, margin=0.45, **fine).reproduce
    assert plan(difference=1.6, **coarse).contradict == plan(difference=1.6, margin=0.55, **fine).contradict
    assert plan(difference=0.2, **coarse).reproduce != plan(difference=0.2, margin=0.5, **fine).reproduce
