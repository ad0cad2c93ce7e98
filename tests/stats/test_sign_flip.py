"""Tests of audit.stats.sign_flip."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.sign_flip import floor, seeds_needed, sign_flip
from tests.stats import golden


@golden.cases("sign_flip")
def test_sign_flip(case: dict[str, Any]) -> None:
    got = sign_flip(case["inputs"]["diffs"])
    golden.check(case, p_two_sided=got.p_two_sided, p_greater=got.p_greater)


@golden.cases("sign_flip_floor")
def test_the_smallest_p_that_few_seeds_can_give(case: dict[str, Any]) -> None:
    runs = case["inputs"]["n"]
    golden.check(
        case,
        min_p_two_sided=[floor(n, two_sided=True) for n in runs],
        min_p_one_sided=[floor(n, two_sided=False) for n in runs],
        n_needed_two_sided_05=seeds_needed(alpha=0.05, two_sided=True),
        n_needed_one_sided_05=seeds_needed(alpha=0.05, two_sided=False),
    )


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=9))
def test_it_is_the_exact_permutation_test_of_scipy(whole: list[int]) -> None:
    """In tenths, so that equal sums differ by rounding: 0.1 + 0.2 - 0.3 is not 0."""
    d = [x / 10 for x in whole]
    theirs = [
        stats.permutation_test(
            (np.array(whole),),
            lambda x, axis: x.sum(axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            alternative=side,
            vectorized=True,
        ).pvalue
        for side in ("two-sided", "greater")
    ]
    got = sign_flip(d)
    assert got.p_greater == pytest.approx(theirs[1])
    assert got.p_two_sided == pytest.approx(theirs[0])


def test_the_floor_is_reached_where_all_differences_have_one_sign() -> None:
    for n in range(1, 9):
        d = [0.1 * (i + 1) for i in range(n)]
        assert sign_flip(d).p_two_sided == floor(n, two_sided=True)
        assert sign_flip(d).p_greater == floor(n, two_sided=False)


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip([0.0, 0.0, 0.0]).p_two_sided == 1.0
    assert sign_flip([0.3, -0.3]).p_greater == 0.75  # sums .6, 0, 0, -.6


@pytest.mark.parametrize("bad", [[], [math.nan], [1.0, math.inf], [1.0] * 21])
def test_what_cannot_be_enumerated_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="1 to 20 finite differences"):
        sign_flip(bad)
