"""Tests of audit.stats.significant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.decision import Decision
from audit.stats.order import order
from audit.stats.significant import significant

HIGH, LOW = [78.6, 78.1, 78.9, 78.4, 78.7], [76.8, 77.2, 76.5, 77.0, 76.9]
NEAR = [76.9, 77.3, 76.6, 77.1, 77.0]  # 0.1 above LOW


def test_it_is_welch_of_scipy_against_the_shifted_arm() -> None:
    got = significant(HIGH, LOW, margin=1.0)
    theirs = stats.ttest_ind(HIGH, [x + 1.0 for x in LOW], equal_var=False, alternative="greater")
    assert got.p_reproduced == pytest.approx(theirs.pvalue)
    assert got.decide() == Decision("reproduced", "exceeds_margin")


def test_pairs_are_the_paired_test_of_scipy() -> None:
    got = significant(HIGH, LOW, margin=1.0, pair=True)
    theirs = stats.ttest_rel(HIGH, [x + 1.0 for x in LOW], alternative="greater")
    assert got.p_reproduced == pytest.approx(theirs.pvalue)


def test_it_is_harder_than_better_and_as_hard_to_turn_round() -> None:
    plain, more = order(LOW, HIGH), significant(LOW, HIGH, margin=0.5)
    assert more.p_reproduced is not None and plain.p_reproduced is not None
    assert more.p_reproduced > plain.p_reproduced
    assert more.p_reversed == plain.p_reversed
    assert more.decide() == Decision("contradicted", "reversed")


@pytest.mark.parametrize(
    ("printed_gap", "expected"),
    [
        (2.0001, Decision("contradicted", "negligible")),  # more than twice the margin was printed
        (2.0, Decision("inconclusive", "undecided")),
        (None, Decision("inconclusive", "undecided")),
    ],
)
def test_a_difference_within_the_margin_contradicts_where_more_was_printed(
    printed_gap: float | None, expected: Decision
) -> None:
    assert significant(NEAR, LOW, margin=1.0, printed_gap=printed_gap).decide() == expected


@pytest.mark.parametrize(
    ("better", "expected"),
    [
        (77.01, Decision("reproduced", "direction")),
        (77.0, Decision("inconclusive", "straddles_margin")),  # on the margin
        (76.6, Decision("inconclusive", "straddles_margin")),
        (76.0, Decision("inconclusive", "undecided")),
        (75.9, Decision("contradicted", "reversed")),
    ],
)
def test_deterministic_arms_are_compared_with_the_margin_exactly(better: float, expected: Decision) -> None:
    assert significant([better] * 2, [76.0] * 2, margin=1.0, deterministic=True).decide() == expected


@pytest.mark.parametrize(
    ("better", "reason"),
    [([78.0], "no_variance_estimate"), ([78.0, 78.1], "too_few_seeds"), ([78.0] * 3, "no_spread")],
)
def test_few_runs_decide_nothing(better: list[float], reason: str) -> None:
    assert significant(better, [76.0] * 3, margin=0.5).decide() == Decision("inconclusive", reason)


@pytest.mark.parametrize("margin", [0.0, -0.5, float("nan")])
def test_a_margin_that_is_not_above_0_is_refused(margin: float) -> None:
    with pytest.raises(ValueError, match=f"a margin is above 0, got {margin!r}"):
        significant(HIGH, LOW, margin=margin)


@given(
    st.lists(st.floats(-5.0, 5.0), min_size=3, max_size=6, unique=True),
    st.floats(0.01, 3.0),
    st.floats(0.01, 3.0),
)
def test_a_wider_margin_is_never_easier_to_exceed(values: list[float], first: float, second: float) -> None:
    narrow, wide = sorted((first, second))
    easy, hard = significant(values, LOW, margin=narrow), significant(values, LOW, margin=wide)
    assert easy.p_reproduced is not None and hard.p_reproduced is not None
    assert easy.p_reproduced <= hard.p_reproduced


def test_on_the_margin_is_on_it_in_decimals() -> None:
    """64.4 - 63.9 is 0.5000000000000071 in floating point."""
    assert 64.4 - 63.9 > 0.5
    got = significant([64.4] * 2, [63.9] * 2, margin=0.5, deterministic=True)
    assert got.decide() == Decision("inconclusive", "straddles_margin")
