"""Tests of audit.stats.multiplicity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from audit.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, bonferroni, holm
from tests.stats import golden

METHODS: dict[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "holm": holm,
    "fdr_bh": benjamini_hochberg,
    "fdr_by": benjamini_yekutieli,
    "bonferroni": bonferroni,
}
method = pytest.mark.parametrize("method", sorted(METHODS))


@golden.cases("multiplicity")
def test_adjusted_p_values(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
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
