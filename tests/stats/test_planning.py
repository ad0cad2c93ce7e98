"""Tests of audit.stats.planning."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from audit.stats.planning import MOST, Needed, plan, plan_order, upper_sd

KNOWN = math.inf
"""Degrees of freedom of an SD that is no estimate: planned with as it is."""


@pytest.mark.parametrize("df", [1, 2, 4, 10, 200])
def test_the_upper_limit_is_that_of_chi_squared(df: int) -> None:
    assert upper_sd(0.3, df) == pytest.approx(0.3 * math.sqrt(df / stats.chi2.ppf(0.2, df)))
    assert upper_sd(0.3, df) > 0.3


def test_a_known_sd_is_its_own_limit() -> None:
    assert upper_sd(0.3, KNOWN) == 0.3


@pytest.mark.parametrize(
    ("sd", "difference", "seeds"),
    [
        (0.50, 0.0, (11, 13)),
        (0.30, 0.0, (5, 6)),
        (0.25, 0.0, (4, 5)),
        (0.15, 0.0, (3, 3)),
        (0.30, 0.25, (11, 14)),
    ],
)
def test_seeds_to_reproduce(sd: float, difference: float, seeds: tuple[int, int]) -> None:
    """The table of the design, margin 0.5."""
    got = plan(difference=difference, sd=sd, df=KNOWN, margin=0.5)
    assert got.reproduce == Needed(*seeds)
    assert (got.contradict, got.obstacle, got.fewest) == (Needed(None, None), None, seeds[0])


@pytest.mark.parametrize(
    ("gap", "seeds"),
    [(0.5, (6, 7)), (0.3, (14, 18)), (1.0, (3, 3))],  # gap / SD 1.67, 1.0, 3.3
)
def test_seeds_to_confirm_an_order(gap: float, seeds: tuple[int, int]) -> None:
    got = plan_order(gap=gap, sd=0.3, df=KNOWN)
    assert (got.reproduce, got.contradict, got.obstacle) == (Needed(*seeds), Needed(None, None), None)


def test_seeds_to_contradict_a_paper_of_one_run() -> None:
    """SD .3, D .5, h .005: 1.5 off needs 8 seeds for 80 % (.88 there, .67 at 5), 2.0 off 5 (.96)."""
    far = plan(difference=-1.5, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005)
    assert far.contradict.seeds_80 in (6, 7, 8)
    assert far.reproduce == Needed(None, None)
    assert plan(difference=2.0, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005).contradict.seeds_80 == 4


def test_where_the_papers_own_run_is_the_noise_no_number_of_our_seeds_settles_it() -> None:
    """1.0 off at SD .3: below D + h + 1.96 * .3 = 1.093, however many seeds."""
    got = plan(difference=1.0, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005)
    assert (got.obstacle, got.fewest) == ("no_number_of_our_seeds", None)
    assert got.contradict == got.reproduce == Needed(None, None)
    assert plan(difference=0.495, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005).obstacle == (
        "no_number_of_our_seeds"
    )


def test_five_runs_of_the_authors_would_settle_it() -> None:
    got = plan(difference=1.0, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005, paper_runs=5)
    assert got.obstacle is None
    assert got.contradict.seeds_80 is not None


def test_seeds_that_are_too_many_are_another_thing() -> None:
    got = plan(difference=0.45, sd=1.0, df=KNOWN, margin=0.5)
    assert (got.obstacle, got.fewest) == ("too_many_seeds", None)
    assert plan(difference=1.12, sd=0.3, df=KNOWN, margin=0.5, half_unit=0.005).obstacle == "too_many_seeds"


def test_rounding_makes_the_margin_narrower_from_both_sides() -> None:
    """Half a unit of one decimal: reproduced within .45, contradicted beyond .55."""
    coarse = {"sd": 0.3, "df": KNOWN, "margin": 0.5, "half_unit": 0.05}
    fine = {"sd": 0.3, "df": KNOWN}
    assert plan(difference=0.2, **coarse).reproduce == plan(difference=0.2, margin=0.45, **fine).reproduce
    assert plan(difference=1.6, **coarse).contradict == plan(difference=1.6, margin=0.55, **fine).contradict
    assert plan(difference=0.2, **coarse).reproduce != plan(difference=0.2, margin=0.5, **fine).reproduce


def test_the_upper_limit_asks_for_more_seeds_than_the_sd_itself() -> None:
    guess, known = (plan(difference=0.0, sd=0.25, df=df, margin=0.5) for df in (2, KNOWN))
    assert guess.sd == pytest.approx(2.117 * 0.25, abs=1e-3)
    assert guess.fewest is not None
    assert known.fewest is not None
    assert guess.fewest > known.fewest


def test_equivalence_has_two_noisy_arms_and_no_printed_number() -> None:
    """1.0 apart is contradicted with enough seeds, as nothing of the paper is uncertain."""
    same = plan(difference=0.0, sd=0.25, df=KNOWN, margin=0.5, arms=2, paper_runs=None)
    assert same.reproduce.seeds_80 is not None
    assert same.reproduce.seeds_80 > 4  # one arm needs 4
    apart = plan(difference=1.0, sd=0.3, df=KNOWN, margin=0.5, arms=2, paper_runs=None)
    assert apart.obstacle is None


def test_an_order_the_other_way_round_is_planned_to_be_contradicted_two_sided() -> None:
    back = plan_order(gap=-0.5, sd=0.3, df=KNOWN)
    assert back.reproduce == Needed(None, None)
    assert back.contradict == Needed(
        *(plan_order(gap=0.5, sd=0.3, df=KNOWN, alpha=0.025).reproduce.__dict__.values())
    )
    assert (back.contradict.seeds_80 or 0) > 6


def test_no_gap_where_the_paper_prints_one_is_planned_to_be_negligible() -> None:
    got = plan_order(gap=0.0, sd=0.05, df=KNOWN, printed_gap=1.0)
    assert got.contradict.seeds_80 is not None
    assert plan_order(gap=0.0, sd=0.05, df=KNOWN).obstacle == "no_number_of_our_seeds"
    assert plan_order(gap=0.0, sd=0.05, df=KNOWN, printed_gap=0.2).obstacle == "no_number_of_our_seeds"
    assert plan_order(gap=0.01, sd=5.0, df=KNOWN).obstacle == "too_many_seeds"


@pytest.mark.parametrize(("sd", "df"), [(0.0, 4), (-1.0, 4), (math.nan, 4), (0.3, 0)])
def test_without_an_sd_there_is_no_plan(sd: float, df: float) -> None:
    with pytest.raises(ValueError, match="planning needs an SD above 0"):
        plan(difference=0.0, sd=sd, df=df, margin=0.5)


def test_no_plan_goes_beyond_its_limit() -> None:
    assert MOST == 100
