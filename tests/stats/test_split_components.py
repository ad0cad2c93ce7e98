"""Split noise and seed noise apart: hand calculations and a simulation with known parts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audit.stats.split_components import split_components


def test_a_hand_calculation() -> None:
    """Splits 66, 68, 70: mean 68, SD 2. Seeds 67, 69: SD sqrt(2). The split alone: sqrt(4 - 2)."""
    found = split_components([66.0, 68.0, 70.0], [67.0, 69.0])
    assert found.mean == 68.0
    assert found.sd_splits == pytest.approx(2.0)
    assert found.sd_seeds == pytest.approx(math.sqrt(2))
    assert found.sd_split_alone == pytest.approx(math.sqrt(2))
    # t_.975 of 2 df is 4.3027, of 1 df 12.7062
    assert found.pi95 == pytest.approx(
        (68 - 4.302653 * 2 * math.sqrt(4 / 3), 68 + 4.302653 * 2 * math.sqrt(4 / 3))
    )
    half = 12.706205 * math.sqrt(2 / 3)
    assert found.ci95 == pytest.approx((68 - half, 68 + half))
    # their mean and ours have the same noise: sqrt(2) times as wide
    wide = 12.706205 * math.sqrt(2) * math.sqrt(2 / 3)
    assert found.pi95_mean == pytest.approx((68 - wide, 68 + wide))


def test_seeds_that_scatter_more_than_splits_leave_nothing_for_the_split() -> None:
    found = split_components([68.0, 68.1], [60.0, 76.0])
    assert found.sd_split_alone == 0.0


def test_seeds_that_agree_leave_all_to_the_split() -> None:
    found = split_components([66.0, 68.0, 70.0], [66.0, 66.0, 66.0])
    assert (found.sd_seeds, found.sd_split_alone) == (0.0, found.sd_splits)
    assert found.ci95 == found.pi95_mean == (68.0, 68.0)


@pytest.mark.parametrize("seeds", [[], [66.0]])
def test_one_seed_says_nothing_of_seeds_and_so_nothing_of_the_split_alone(seeds: list[float]) -> None:
    found = split_components([66.0, 70.0], seeds)
    assert (found.sd_seeds, found.sd_split_alone, found.ci95) == (None, None, None)
    assert found.sd_splits is not None


def test_one_split_says_nothing_of_splits() -> None:
    found = split_components([66.0], [66.0, 67.0])
    assert (found.mean, found.sd_splits, found.sd_split_alone, found.pi95) == (66.0, None, None, None)
    assert found.sd_seeds is not None
    assert (found.ci95, found.pi95_mean) == (None, None)  # of no mean


@pytest.mark.parametrize(("splits", "seeds"), [([], [1.0]), ([math.nan], [1.0]), ([1.0], [math.inf])])
def test_what_is_no_number_is_refused(splits: list[float], seeds: list[float]) -> None:
    with pytest.raises(ValueError, match="a sample needs"):
        split_components(splits, seeds)


def test_the_parts_of_a_simulation_come_out() -> None:
    """Split SD 0.8, seed SD 0.3: variances are unbiased, and 95 % of intervals hold the next split's run."""
    rng = np.random.default_rng(0)
    n, held, of_split, held_mean = 4000, 0, [], 0
    for _ in range(n):
        splits = rng.normal(0, 0.8, 11)
        values = 68 + splits + rng.normal(0, 0.3, 11)
        seeds = 68 + splits[0] + rng.normal(0, 0.3, 5)
        found = split_components(values[:10].tolist(), seeds.tolist())
        assert found.pi95 is not None and found.sd_splits is not None and found.sd_seeds is not None
        held += found.pi95[0] <= values[10] <= found.pi95[1]
        theirs = float((68 + splits[:10] + rng.normal(0, 0.3, 10)).mean())
        assert found.pi95_mean is not None
        held_mean += found.pi95_mean[0] <= theirs <= found.pi95_mean[1]
        of_split.append(found.sd_splits**2 - found.sd_seeds**2)
    assert stats.binomtest(held, n, 0.95).pvalue > 1e-4
    assert stats.binomtest(held_mean, n, 0.95).pvalue > 1e-4
    assert float(np.mean(of_split)) == pytest.approx(0.64, abs=0.03)  # 5 SE of the mean
