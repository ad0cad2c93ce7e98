"""The interval of a share."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from audit.stats.share import wilson
from tests.stats import golden


@golden.cases("share_reproduced")
def test_share_of_reproduced_claims(case: dict[str, Any]) -> None:
    of = case["inputs"]["reproduced"], case["inputs"]["decided"]
    assert golden.close(list(wilson(*of)), case["expected"]["wilson95"], case["tol"])


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (0, 5), (7, 10), (5, 5), (60, 200)])
def test_it_is_that_of_statsmodels(successes: int, trials: int) -> None:
    theirs = proportion_confint(successes, trials, method="wilson")
    assert wilson(successes, trials) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_what_is_no_share_is_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="a share needs"):
        wilson(successes, trials)
