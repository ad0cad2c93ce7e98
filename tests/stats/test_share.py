"""Tests of audit.stats.share."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from audit.stats.share import clopper_pearson, wilson
from tests.stats import golden


@golden.cases("share_reproduced")
def test_share_of_reproduced_claims(case: dict[str, Any]) -> None:
    successes, trials = case["inputs"]["reproduced"], case["inputs"]["decided"]
    golden.check(
        case,
        wilson95=list(wilson(successes, trials)),
        clopper_pearson95=list(clopper_pearson(successes, trials)),
    )


@given(trials=st.integers(1, 200), share=st.floats(0, 1), level=st.sampled_from([0.9, 0.95, 0.99]))
def test_the_intervals_are_those_of_statsmodels(trials: int, share: float, level: float) -> None:
    successes = round(share * trials)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "beta")):
        theirs = proportion_confint(successes, trials, alpha=1 - level, method=method)
        assert ours(successes, trials, level=level) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_what_is_no_share_is_refused(successes: int, trials: int) -> None:
    for interval in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match="a share needs"):
            interval(successes, trials)
