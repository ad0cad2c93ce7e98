"""Tests of audit.stats.multiplicity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from audit.stats.multiplicity import (
    benjamini_hochberg,
    families,
    holm,
    partial_conjunction,
)
from tests.stats import golden

METHODS: dict[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "holm": holm,
    "fdr_bh": benjamini_hochberg,
}
method = pytest.mark.parametrize("method", sorted(METHODS))


@golden.cases("multiplicity")
def test_adjusted_p_values(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    if inputs["method"] not in METHODS:
        pytest.skip("no caller")
    adjusted = METHODS[inputs["method"]](inputs["p"])
    golden.check(case, adjusted=adjusted, reject=[p <= inputs["alpha"] for p in adjusted])


@method
@settings(max_examples=25)  # statsmodels collects garbage in every call of Holm: 0.1 s
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_they_are_those_of_statsmodels(method: str, p: list[float]) -> None:
    assert METHODS[method](p) == pytest.approx(list(multipletests(p, method=method)[1]), abs=1e-12)


@method
def test_a_family_of_none_and_of_one(method: str) -> None:
    assert METHODS[method]([]) == ()
    assert METHODS[method]([0.03]) == (0.03,)


@method
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusting_never_makes_a_p_value_smaller(method: str, p: list[float]) -> None:
    assert all(raw - 1e-15 <= adjusted <= 1.0 for raw, adjusted in zip(p, METHODS[method](p), strict=True))


@method
@pytest.mark.parametrize("p", [-0.01, 1.01, math.nan, math.inf])
def test_what_is_no_probability_is_refused(method: str, p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        METHODS[method]([0.5, p])


P = [0.01, 0.04, 0.002, 0.03, 0.2]
HEAD = [True, False, False, True, False]


def test_families_that_share_the_level_do_not_wait() -> None:
    """Holm .02, .6 and .08, .006, .2, all doubled; .6 need not be: there, the others are all rejected."""
    adjusted = families([0.01, 0.04, 0.002, 0.6, 0.2], primary=HEAD)
    assert adjusted == pytest.approx((0.04, 0.16, 0.012, 0.6, 0.4))


def test_a_family_that_is_all_rejected_passes_its_half_on() -> None:
    """Holm .02, .02, doubled .04; the others' .045, .03 need no doubling then, but are .04 at least."""
    p, primary = [0.01, 0.015, 0.045, 0.015], [True, True, False, False]
    assert families(p, primary=primary) == pytest.approx((0.04, 0.04, 0.045, 0.04))


@pytest.mark.parametrize("primary", [[True] * 5, [False] * 5])
def test_one_family_is_adjusted_as_before(primary: list[bool]) -> None:
    assert families(P, primary=primary) == holm(P)
    assert families([], primary=[]) == ()


def test_a_flag_is_needed_for_every_p_value() -> None:
    with pytest.raises(ValueError, match="got 1 for 2"):
        families([0.1, 0.2], primary=[True])
    with pytest.raises(ValueError, match="between 0 and 1"):
        families([0.1, 1.2], primary=[True, False])


@pytest.mark.parametrize("rejected_for_sure", [0, 1, 3])
def test_the_error_of_the_whole_paper_is_at_most_the_level(rejected_for_sure: int) -> None:
    """2,000 papers of 3 primaries and 5 others, where the first are effects (p = 0) and the rest are null.

    The bound is 5 % and four standard errors of a share of 2,000; two families at 5 % each would give 10 %.
    """
    uniform = np.random.default_rng(3).random((2000, 8))
    uniform[:, :rejected_for_sure] = 0.0
    primary = [True] * 3 + [False] * 5
    wrong = [min(families(p, primary=primary)[rejected_for_sure:]) <= 0.05 for p in uniform.tolist()]
    assert np.mean(wrong) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize(
    ("at_least", "p"),
    [(1, 0.01), (2, 0.04), (3, 0.09), (4, 0.16), (5, 0.2)],
)
def test_a_number_of_effects_among_several(at_least: int, p: float) -> None:
    """Sorted: .002, .01, .03, .08, .2, times 5, 4, 3, 2, 1."""
    assert partial_conjunction([0.01, 0.08, 0.002, 0.03, 0.2], at_least=at_least) == pytest.approx(p)


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_all_and_any_are_the_ends_of_partial_conjunction(p: list[float]) -> None:
    assert partial_conjunction(p, at_least=len(p)) == max(p)
    assert partial_conjunction(p, at_least=1) == min(1.0, len(p) * min(p))


@pytest.mark.parametrize("at_least", [0, 3])
def test_more_effects_than_tests_are_refused(at_least: int) -> None:
    with pytest.raises(ValueError, match="needs 1 to 2 of 2"):
        partial_conjunction([0.1, 0.2], at_least=at_least)
