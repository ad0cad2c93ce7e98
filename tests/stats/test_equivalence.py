"""Tests of audit.stats.equivalence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from audit.stats.decision import Decision
from audit.stats.equivalence import equivalence, no_loss
from tests.stats import golden

arm = st.lists(st.floats(40, 60), min_size=3, max_size=8)
margins = st.floats(0.01, 10)


@golden.cases("tost_paired")
def test_tost_of_pairs(case: dict[str, Any]) -> None:
    diffs, alpha = case["inputs"]["diffs"], case["inputs"]["alpha"]
    zeros = [0.0] * len(diffs)
    got = equivalence(diffs, zeros, margin=case["inputs"]["margin"], pair=True)
    golden.check(
        case,
        mean=got.difference,
        p_lower=got.p_lower,
        p_upper=got.p_upper,
        p_tost=got.p_reproduced,
        ci90=got.ci90,
        equivalent=got.decide(alpha=alpha).outcome == "reproduced",
        ttest_p=stats.ttest_1samp(diffs, 0.0).pvalue,  # not ours: it shows that p = .77 is not equivalence
    )


@golden.cases("tost_welch")
def test_tost_of_two_arms(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = equivalence(inputs["a"], inputs["b"], margin=inputs["margin"])
    golden.check(
        case,
        diff=got.difference,
        se=got.se,
        df=got.df,
        p_tost=got.p_reproduced,
        ci90=got.ci90,
        equivalent=got.decide(alpha=inputs["alpha"]).outcome == "reproduced",
    )


@given(arm, arm, margins)
def test_tost_is_that_of_statsmodels(a: list[float], b: list[float], margin: float) -> None:
    assume(np.ptp(a) > 0.01 and np.ptp(b) > 0.01)
    theirs = ttost_ind(a, b, -margin, margin, usevar="unequal")[0]
    assert equivalence(a, b, margin=margin).p_reproduced == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.tuples(st.floats(40, 60), st.floats(40, 60)), min_size=3, max_size=8), margins)
def test_paired_tost_is_that_of_statsmodels(pairs: list[tuple[float, float]], margin: float) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    assume(np.ptp([x - y for x, y in pairs]) > 0.01)
    with_pairs = equivalence(a, b, margin=margin, pair=True)
    theirs = ttost_paired(np.array(a), np.array(b), -margin, margin)[0]
    assert with_pairs.p_reproduced == pytest.approx(theirs, abs=1e-9)


@given(arm, arm, margins)
def test_contradicted_is_the_95_percent_interval_outside_the_margin(
    a: list[float], b: list[float], margin: float
) -> None:
    """Duality: p <= .05 says what the interval says; D_C and D_R are the margins at which they turn."""
    got = equivalence(a, b, margin=margin)
    assume(got.ci95 is not None and got.ci90 is not None and got.p_contradicted is not None)
    assert got.ci95 and got.ci90 and got.p_contradicted is not None and got.p_reproduced is not None
    assert got.contradicted_up_to is not None and got.reproduced_from is not None
    assume(abs(got.p_contradicted - 0.05) > 1e-6 and abs(got.p_reproduced - 0.05) > 1e-6)
    outside = got.ci95[0] > margin or got.ci95[1] < -margin
    assert (got.p_contradicted < 0.05) == outside == (margin < got.contradicted_up_to)
    inside = -margin < got.ci90[0] and got.ci90[1] < margin
    assert (got.p_reproduced < 0.05) == inside == (margin > got.reproduced_from)
    assert not (inside and outside)


def test_not_different_is_not_similar() -> None:
    """[.4, .1, -.3] at 0.5: the t test says p = .77, TOST .083."""
    assert equivalence([0.4, 0.1, -0.3], [0.0] * 3, margin=0.5, pair=True).decide() == Decision(
        "inconclusive", "straddles_margin"
    )


def test_pairs_of_the_text() -> None:
    """Diffs [.10, -.05, .20, .05, -.10], D .5: p .00050, equivalent."""
    got = equivalence([0.10, -0.05, 0.20, 0.05, -0.10], [0.0] * 5, margin=0.5, pair=True)
    assert got.p_reproduced == pytest.approx(0.00050, abs=5e-6)
    assert got.decide() == Decision("reproduced", "tost")


def test_far_apart_is_contradicted_whichever_arm_is_higher() -> None:
    a, b = [76.4, 76.5, 76.6], [70.0, 70.1, 70.2]
    for left, right in ((a, b), (b, a)):
        assert equivalence(left, right, margin=0.5).decide() == Decision("contradicted", "minimum_effect")


@pytest.mark.parametrize(
    ("shift", "outcome"),
    [
        # se = 0.1 sqrt(2/3) = .08165 on 4 df: t.95 = 2.131847, t.975 = 2.776445
        (0.5 - 2.131847 * 0.0816497 - 1e-5, "reproduced"),
        (0.5 - 2.131847 * 0.0816497 + 1e-5, "inconclusive"),
        (0.5, "inconclusive"),
        (0.5 + 2.776445 * 0.0816497 - 1e-5, "inconclusive"),
        (0.5 + 2.776445 * 0.0816497 + 1e-5, "contradicted"),
    ],
)
def test_the_edges_of_the_three_regions(shift: float, outcome: str) -> None:
    left, right = [50.0 + shift + e for e in (-0.1, 0.0, 0.1)], [49.9, 50.0, 50.1]
    assert equivalence(left, right, margin=0.5).decide().outcome == outcome


def test_no_margin_is_never_equivalent() -> None:
    got = equivalence([50.0, 50.1, 50.2], [50.0, 50.1, 50.2], margin=0.0)
    assert got.p_reproduced == pytest.approx(0.5)
    assert got.decide().outcome == "inconclusive"


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ([50.0], [50.0], "no_variance_estimate"),
        ([50.0, 50.1], [50.0, 50.1], "too_few_seeds"),
        ([50.0] * 3, [50.0] * 3, "no_spread"),
        ([50.0] * 3, [90.0] * 3, "no_spread"),
    ],
)
def test_too_few_or_still_runs_decide_nothing(left: list[float], right: list[float], reason: str) -> None:
    got = equivalence(left, right, margin=1.0)
    assert got.decide() == Decision("inconclusive", reason)
    estimated = reason == "too_few_seeds"  # two runs are computed and shown, though they decide nothing
    assert [x is not None for x in (got.p_reproduced, got.p_contradicted, got.ci95, got.reproduced_from)] == [
        estimated
    ] * 4


@pytest.mark.parametrize(
    ("left", "right", "outcome"),
    [(64.4, 63.9, "reproduced"), (63.9, 64.4, "reproduced"), (64.4, 63.89, "contradicted")],
)
def test_declared_deterministic_arms_are_compared_exactly(left: float, right: float, outcome: str) -> None:
    """64.4 and 63.9 are on the margin, which counts as inside, though not in floating point."""
    got = equivalence([left] * 2, [right] * 2, margin=0.5, deterministic=True)
    assert (got.decide().outcome, got.decide().reason) == (outcome, "deterministic")


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_what_is_no_margin_is_refused(margin: float) -> None:
    for test in (equivalence, no_loss):
        with pytest.raises(ValueError, match="a margin is a finite number"):
            test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], margin=margin)


# --------------------------------------------------------------------------- "no loss"


@given(arm, arm, margins)
def test_no_loss_is_welch_of_scipy_with_the_margin_added(
    a: list[float], b: list[float], margin: float
) -> None:
    """Its two p-values, and the margins at which they cross .05."""
    assume(np.ptp(a) > 0.01 and np.ptp(b) > 0.01)
    got = no_loss(a, b, margin=margin)
    lifted = np.array(a) + margin
    kept, lost = (
        stats.ttest_ind(lifted, b, equal_var=False, alternative=x).pvalue for x in ("greater", "less")
    )
    assert got.p_reproduced == pytest.approx(kept, abs=1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * lost), abs=1e-9)
    assert got.ci90 and got.ci95 and got.reproduced_from is not None and got.contradicted_up_to is not None
    assert got.reproduced_from == pytest.approx(max(0.0, -got.ci90[0]))
    assert got.contradicted_up_to == pytest.approx(max(0.0, -got.ci95[1]))


@given(st.lists(st.tuples(st.floats(40, 60), st.floats(40, 60)), min_size=3, max_size=8), margins)
def test_no_loss_of_pairs_is_the_lower_test_of_statsmodels(
    pairs: list[tuple[float, float]], margin: float
) -> None:
    a, b = np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])
    assume(np.ptp(a - b) > 0.01)
    got = no_loss(a.tolist(), b.tolist(), margin=margin, pair=True)
    assert got.p_reproduced == pytest.approx(ttost_paired(a, b, -margin, margin)[1][1], abs=1e-9)


def test_a_gain_is_no_loss_though_it_is_not_similar() -> None:
    a, b = [76.4, 76.5, 76.6], [70.0, 70.1, 70.2]
    assert no_loss(a, b, margin=0.5).decide() == Decision("reproduced", "no_loss")
    assert no_loss(b, a, margin=0.5).decide() == Decision("contradicted", "loss")
    assert no_loss(a, a, margin=0.05).decide() == Decision("inconclusive", "straddles_margin")


@pytest.mark.parametrize(
    ("left", "outcome"), [(63.9, "reproduced"), (63.89, "contradicted"), (99.0, "reproduced")]
)
def test_declared_deterministic_arms_lose_exactly(left: float, outcome: str) -> None:
    """63.9 is half a point below 64.4, on the margin, which counts as kept."""
    got = no_loss([left] * 2, [64.4] * 2, margin=0.5, deterministic=True)
    assert (got.decide().outcome, got.decide().reason) == (outcome, "deterministic")


@pytest.mark.parametrize(
    ("left", "reason"),
    [([50.0], "no_variance_estimate"), ([50.0, 50.1], "too_few_seeds"), ([50.0] * 3, "no_spread")],
)
def test_too_few_or_still_runs_lose_nothing(left: list[float], reason: str) -> None:
    assert no_loss(left, [90.0] * 3, margin=1.0).decide() == Decision("inconclusive", reason)
