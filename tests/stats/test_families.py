"""Families of tests, what they leave for one, and the levels of looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from audit.stats.decision import (
    benjamini_hochberg,
    families,
    holm,
    level_of,
    partial_conjunction,
    threshold_bh,
    threshold_holm,
)
from audit.stats.sample import quantile
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


def test_a_family_that_is_all_rejected_passes_its_half_on() -> None:
    """Holm .02, .02, doubled .04; the others' .045, .03 need no doubling then, but are .04 at least."""
    p, primary = [0.01, 0.015, 0.045, 0.015], [True, True, False, False]
    assert families(p, primary=primary) == pytest.approx((0.04, 0.04, 0.045, 0.04))


@pytest.mark.parametrize(("at_least", "p"), [(1, 0.01), (2, 0.04), (3, 0.09), (4, 0.16), (5, 0.2)])
def test_a_number_of_effects_among_several(at_least: int, p: float) -> None:
    """Sorted: .002, .01, .03, .08, .2, times 5, 4, 3, 2, 1."""
    assert partial_conjunction([0.01, 0.08, 0.002, 0.03, 0.2], at_least=at_least) == pytest.approx(p)


P_THRESHOLD = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-9, 0.001, 0.01, 0.02, 0.05, 1.0]))


@pytest.mark.parametrize(
    ("others", "bh", "holm"),
    [
        ([1.0] * 9, 0.005, 0.005),  # 0.05 / 10
        ([1e-9] * 9, 0.05, 0.05),  # all others are rejected: the last one has the whole level
        ([1e-9] * 4 + [1.0] * 5, 0.025, 0.05 / 6),  # rank 5 of 10; 6 still open
    ],
)
def test_by_hand(others: list[float], bh: float, holm: float) -> None:
    assert threshold_bh(others) == pytest.approx(bh)
    assert threshold_holm(others, primary=[False] * 9, is_primary=False) == pytest.approx(holm)


def test_a_primary_shares_half_of_the_level_with_the_other_primaries_only() -> None:
    """Two primaries of ten: 0.05 / 2 / 2; the eight others have 0.05 / 2 / 8."""
    first = threshold_holm([1.0] * 9, primary=[True] + [False] * 8, is_primary=True)
    other = threshold_holm([1.0] * 9, primary=[True] * 2 + [False] * 7, is_primary=False)
    assert (first, other) == (pytest.approx(0.0125), pytest.approx(0.003125))


@given(others=st.lists(st.tuples(P_THRESHOLD, st.booleans()), max_size=8), own=st.booleans())
def test_just_below_it_is_rejected_and_just_above_it_is_not_holm(
    others: list[tuple[float, bool]], own: bool
) -> None:
    p, primary = [it for it, _ in others], [flag for _, flag in others]
    level = threshold_holm(p, primary=primary, is_primary=own)

    def adjusted(x: float) -> float:
        return families([x, *p], primary=[own, *primary])[0]

    assert adjusted(level * 0.999) <= 0.05 * (1 + 1e-9)
    assert adjusted(level * 1.001) > 0.05 or level == 0.05


@golden.cases("sequential_alpha")
def test_the_level_of_each_look(case: dict[str, Any]) -> None:
    """Of equal shares; of halving ones, which nothing takes any more, the quantiles alone."""
    inputs = case["inputs"]
    equal = inputs["split"] == "equal"
    halving = [inputs["alpha"] * 0.5**k for k in range(1, len(inputs["looks"]) + 1)]
    levels = (inputs["alpha"] / len(inputs["looks"]),) * len(inputs["looks"]) if equal else halving
    looks = list(zip(inputs["looks"], levels, strict=True))
    named = {
        "alpha_per_look": levels[0] if equal else levels,
        "t_one_sided": [quantile(1 - level, n - 1) for n, level in looks],
        "t_two_sided": [quantile(1 - level / 2, n - 1) for n, level in looks],
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})
    assert not equal or len(set(levels)) == 1


def rejected(looks: list[int], levels: tuple[float, ...], sims: int, seed: int) -> float:
    """Share of null experiments in which a two-sided t test rejects at one of the looks."""
    x = np.random.default_rng(seed).standard_normal((sims, looks[-1]))
    wrong = np.zeros(sims, dtype=bool)
    for n, level in zip(looks, levels, strict=True):
        t = x[:, :n].mean(axis=1) / (x[:, :n].std(axis=1, ddof=1) / np.sqrt(n))
        wrong |= np.abs(t) >= quantile(1 - level / 2, n - 1)
    return float(wrong.mean())


@golden.cases("peeking")
def test_looking_again_and_again_at_the_full_level_errs_three_times_as_often(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    looks, level = inputs["looks"], inputs["nominal"]
    golden.check(case, actual_error=rejected(looks, (level,) * len(looks), 50_000, 20261127))


def test_the_levels_of_looks_that_nobody_declared() -> None:
    """4/5 of 5 %, and 1/5 of it times 1/2, 1/4, ...: 5 % together."""
    assert [level_of(k) for k in (1, 2, 3, 4)] == pytest.approx([0.04, 0.005, 0.0025, 0.00125])
    assert sum(level_of(k, alpha=0.01) for k in range(1, 60)) == pytest.approx(0.01)
    levels = tuple(level_of(k) for k in range(1, 9))
    assert rejected(list(range(3, 11)), levels, 20_000, 7) <= 0.05
