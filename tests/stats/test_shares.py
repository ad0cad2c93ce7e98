"""Noise of test documents, and shares of claims."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from audit.stats.sample import mcnemar, wilson
from tests.stats import golden


@golden.cases("mcnemar_exact")
def test_mcnemar(case: dict[str, Any]) -> None:
    golden.check(case, p_two_sided=mcnemar(case["inputs"]["b"], case["inputs"]["c"]))


@given(b=st.integers(0, 80), c=st.integers(0, 80))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    theirs = their_mcnemar([[7, b], [c, 9]], exact=True)
    assert mcnemar(b, c) == pytest.approx(theirs.pvalue if b + c else 1.0, rel=1e-9)


@golden.cases("share_reproduced")
def test_share_of_reproduced_claims(case: dict[str, Any]) -> None:
    of = case["inputs"]["reproduced"], case["inputs"]["decided"]
    assert golden.close(list(wilson(*of)), case["expected"]["wilson95"], case["tol"])
