"""Tests of audit.stats.mcnemar."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from audit.stats.mcnemar import discordant, mcnemar
from tests.stats import golden


@golden.cases("mcnemar_exact")
def test_mcnemar(case: dict[str, Any]) -> None:
    got = mcnemar(case["inputs"]["b"], case["inputs"]["c"])
    golden.check(case, p_two_sided=got.p_two_sided)


def test_the_case_of_the_text() -> None:
    """b = 12, c = 5: .14346."""
    assert mcnemar(12, 5).p_two_sided == pytest.approx(0.14346, abs=5e-6)


@given(b=st.integers(0, 80), c=st.integers(0, 80))
def test_it_is_that_of_statsmodels_and_the_binomial_test_of_scipy(b: int, c: int) -> None:
    got = mcnemar(b, c)
    theirs = their_mcnemar([[7, b], [c, 9]], exact=True)
    assert got.p_two_sided == pytest.approx(theirs.pvalue if b + c else 1.0, rel=1e-9)
    if b + c:
        assert got.p_greater == pytest.approx(stats.binomtest(b, b + c, 0.5, "greater").pvalue, rel=1e-9)


def test_swapping_the_systems_swaps_the_side() -> None:
    """b = 3, c = 0: P[Bin(3, 1/2) >= 3] = 1/8, and >= 0 it always is."""
    assert (mcnemar(3, 0).p_greater, mcnemar(0, 3).p_greater) == (0.125, 1.0)
    assert mcnemar(3, 0).p_two_sided == mcnemar(0, 3).p_two_sided == 0.25


def test_no_discordant_document_says_nothing() -> None:
    assert (mcnemar(0, 0).p_two_sided, mcnemar(0, 0).p_greater) == (1.0, 1.0)


def test_documents_that_only_one_system_gets_right_are_counted() -> None:
    first, second = [True, True, False, False, True], [True, False, True, False, False]
    assert discordant(first, second) == (2, 1)
    assert discordant(second, first) == (1, 2)


def test_other_documents_and_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="got 1 and 2"):
        discordant([True], [True, False])
    with pytest.raises(ValueError, match="got -1 and 3"):
        mcnemar(-1, 3)
