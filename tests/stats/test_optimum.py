"""Tests of audit.stats.optimum."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.stats.decision import Decision
from audit.stats.optimum import optimum
from tests.stats import golden

LEVELS = {
    "1": [76.2, 76.6, 76.4, 76.1, 76.7],
    "2": [77.8, 78.1, 77.9, 78.2, 77.9],
    "8": [77.6, 78.0, 77.7, 78.0, 78.1],
    "32": [66.4, 66.9, 66.2, 66.8, 66.5],
}
CLEAR = {name: LEVELS[name] for name in ("1", "2", "32")}


@golden.cases("optimum")
def test_optimum(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = optimum(inputs["levels"], best=inputs["claimed_best"], alpha=inputs["alpha"])
    golden.check(
        case,
        holm_best_beats=got.p_beats,
        holm_beaten_by=got.p_beaten_by,
        strictly_best=max(got.p_beats.values()) <= inputs["alpha"],
        excluded=got.excluded,
        candidate_set=list(got.tied),
        verdict=got.decide(alpha=inputs["alpha"]).outcome,
    )
    assert got.decide().reason == "tied"


def test_it_is_welch_of_scipy_with_holm_of_statsmodels() -> None:
    got = optimum(LEVELS, best="8")
    raw = [stats.ttest_ind(LEVELS["8"], LEVELS[x], equal_var=False).statistic for x in ("1", "2", "32")]
    assert [t > 0 for t in raw] == [True, False, True]
    for side, p in (("greater", got.p_beats), ("less", got.p_beaten_by)):
        theirs = [
            stats.ttest_ind(LEVELS["8"], LEVELS[x], equal_var=False, alternative=side).pvalue
            for x in ("1", "2", "32")
        ]
        assert list(p.values()) == pytest.approx(multipletests(theirs, method="holm")[1])


def test_the_best_must_beat_every_other_level() -> None:
    assert optimum(CLEAR, best="2").decide() == Decision("reproduced", "unique")
    assert optimum(CLEAR, best="2").tied == ("2",)


def test_one_better_level_contradicts() -> None:
    got = optimum(CLEAR, best="1")
    assert got.decide() == Decision("contradicted", "reversed")
    assert got.excluded
    assert got.tied == ("1", "2")


def test_among_the_best_is_not_excluded_and_beats_one() -> None:
    assert optimum(LEVELS, best="2", strength="among_best", margin=0.5).decide() == Decision(
        "reproduced", "among_best"
    )
    assert optimum(LEVELS, best="8", strength="among_best", margin=0.5).decide() == Decision(
        "reproduced", "among_best"
    )
    alike = {"2": LEVELS["2"], "8": LEVELS["8"]}
    assert optimum(alike, best="2", strength="among_best", margin=0.5).decide() == Decision(
        "inconclusive", "tied"
    )


def test_a_level_that_beats_some_but_is_excluded_is_not_among_the_best() -> None:
    """ "1" beats "32" beyond doubt, and is beaten by "2"."""
    got = optimum(LEVELS, best="1", strength="among_best", margin=0.5)
    assert min(got.p_beats.values()) <= 0.05
    assert got.decide() == Decision("contradicted", "reversed")


def test_that_no_level_is_better_by_the_margin_must_be_shown() -> None:
    """By scipy's Welch test against the shifted level; not to be seen is not enough to be absent."""
    noisy = {"1": [76.0, 76.9, 76.6], "2": [76.4, 77.2, 77.0], "32": LEVELS["32"]}
    got = optimum(noisy, best="1", strength="among_best", margin=0.5)
    shifted = [x - 0.5 for x in noisy["2"]]
    p = stats.ttest_ind(noisy["1"], shifted, equal_var=False, alternative="greater").pvalue
    assert not got.excluded
    assert got.p_reproduced == pytest.approx(p) and p > 0.3
    assert got.decide() == Decision("inconclusive", "tied")
    assert optimum(noisy, best="1", strength="among_best", margin=2.0).decide().outcome == "reproduced"


def test_a_level_that_is_better_by_less_than_the_margin_does_not_contradict() -> None:
    """ "2" is better than "1" beyond doubt, by 1.54: a margin of 1 is exceeded, one of 2 is not."""
    assert optimum(LEVELS, best="1", strength="among_best", margin=2.0).decide().outcome == "reproduced"
    beyond = optimum(LEVELS, best="1", strength="among_best", margin=1.0)
    raw = [
        stats.ttest_ind(LEVELS["1"], [x - 1.0 for x in LEVELS[name]], equal_var=False, alternative="less")
        for name in ("2", "8", "32")
    ]
    assert beyond.p_contradicted == pytest.approx(
        multipletests([t.pvalue for t in raw], method="holm")[1].min()
    )
    assert beyond.decide() == Decision("contradicted", "reversed")


@pytest.mark.parametrize("margin", [None, 0.0, -0.5])
def test_among_the_best_needs_a_margin(margin: float | None) -> None:
    with pytest.raises(ValueError, match=f"above 0, got {margin}"):
        optimum(LEVELS, best="2", strength="among_best", margin=margin)


def test_against_one_other_level_it_is_an_order_claim() -> None:
    """The reversal is two-sided there, p = .0419 by scipy, and so it is here."""
    two = {"a": [77.9, 78.0, 78.1], "b": [78.2, 78.5, 78.3]}
    two_sided = stats.ttest_ind(two["a"], two["b"], equal_var=False).pvalue
    assert optimum(two, best="a").p_contradicted == pytest.approx(two_sided)
    assert optimum(two, best="a").p_beaten_by["b"] == pytest.approx(two_sided / 2)
    assert optimum(two, best="b").p_reproduced == pytest.approx(two_sided / 2)


def test_a_level_with_too_few_seeds_stays_in_the_family() -> None:
    levels = CLEAR | {"64": [50.0, 50.1]}
    got = optimum(levels, best="2")
    assert got.decide() == Decision("inconclusive", "too_few_seeds")
    assert got.p_beats["64"] == 1.0
    assert optimum({"2": [78.0], "64": [50.0] * 3}, best="2").decide().reason == "no_variance_estimate"


@pytest.mark.parametrize(
    ("values", "strength", "outcome"),
    [
        ((3.0, 2.0, 1.0), "unique", "reproduced"),
        ((3.0, 3.0, 1.0), "unique", "inconclusive"),
        ((3.0, 3.0, 1.0), "among_best", "reproduced"),
        ((3.0, 3.0, 3.0), "among_best", "inconclusive"),
        ((2.0, 3.0, 1.0), "among_best", "contradicted"),
        ((2.5, 3.0, 1.0), "among_best", "reproduced"),  # on the margin
        ((2.49, 3.0, 1.0), "among_best", "contradicted"),
        ((2.9, 3.0, 1.0), "unique", "contradicted"),
    ],
)
def test_deterministic_levels_are_compared_exactly(
    values: tuple[float, ...], strength: Any, outcome: str
) -> None:
    levels = {str(i): [x, x] for i, x in enumerate(values)}
    got = optimum(levels, best="0", strength=strength, margin=0.5, deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


@pytest.mark.parametrize("levels", [{"2": LEVELS["2"]}, {"1": LEVELS["1"], "8": LEVELS["8"]}])
def test_a_best_without_others_or_that_is_none_of_them_is_refused(levels: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="one of two levels or more, got '2'"):
        optimum(levels, best="2")
