"""Tests of audit.stats.threshold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.stats.multiplicity import benjamini_hochberg, families
from audit.stats.threshold import threshold_bh, threshold_holm

P = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-9, 0.001, 0.01, 0.02, 0.05, 1.0]))


def test_alone_a_claim_has_the_whole_level() -> None:
    assert threshold_bh([]) == threshold_holm([], primary=[], is_primary=False) == 0.05


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


@given(others=st.lists(P, max_size=8), alpha=st.sampled_from([0.05, 0.01]))
def test_just_below_it_is_rejected_and_just_above_it_is_not_bh(others: list[float], alpha: float) -> None:
    level = threshold_bh(others, alpha=alpha)
    assert benjamini_hochberg([level * 0.999, *others])[0] <= alpha * (1 + 1e-9)
    assert benjamini_hochberg([min(1.0, level * 1.001), *others])[0] > alpha or level == alpha


@given(others=st.lists(st.tuples(P, st.booleans()), max_size=8), own=st.booleans())
def test_just_below_it_is_rejected_and_just_above_it_is_not_holm(
    others: list[tuple[float, bool]], own: bool
) -> None:
    p, primary = [it for it, _ in others], [flag for _, flag in others]
    level = threshold_holm(p, primary=primary, is_primary=own)

    def adjusted(x: float) -> float:
        return families([x, *p], primary=[own, *primary])[0]

    assert adjusted(level * 0.999) <= 0.05 * (1 + 1e-9)
    assert adjusted(level * 1.001) > 0.05 or level == 0.05
