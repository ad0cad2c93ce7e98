"""Moderated variances: against limma's rule as ported in inmoose, and by hand."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from scipy import special

from audit.kinds.value import value
from audit.stats.printed import printed
from audit.stats.sample import Moderated, prior_of, sample
from tests.kinds import gap_size
from tests.shared import shared
from tests.stats import golden

#: Three seeds each; s0^2 and d0 by inmoose 0.9.1 (`moderated-002`), in which twice 8 df are more than 8.45.
EIGHT = [
    [41.6918, 41.8227, 41.4562],
    [40.8906, 40.7785, 40.9665],
    [42.0514, 41.2162, 41.9267],
    [41.4705, 41.0938, 41.2237],
    [69.9041, 69.9926, 69.8423],
    [54.9324, 55.0521, 54.2944],
    [52.5736, 53.3235, 52.4891],
    [41.875, 42.0241, 42.146],
]


def checked(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    prior = prior_of(inputs["values"], percent=inputs["scale"] == "percent")
    assert prior is not None
    arms = [Moderated.of(it, prior) for it in inputs["values"]]
    tests = [
        value(
            arm,
            reported=printed(text),
            margin=inputs["margin"],
            paper_runs=inputs["paper_runs"],
            paper_sd_ratio=inputs["paper_sd_ratio"],
        )
        for arm, text in zip(arms, inputs["printed"], strict=True)
    ]
    golden.check(
        case,
        prior_df=None if math.isinf(prior.fitted_df) else prior.fitted_df,
        prior_variance=prior.variance,
        prior_df_used=prior.df,
        variances=[sample(arm).variance for arm in arms],
        df=[sample(arm).df for arm in arms],
        p_reproduced=[round(test.p_reproduced or 0.0, 10) for test in tests],
        p_contradicted=[round(test.p_contradicted or 0.0, 10) for test in tests],
    )


def test_every_reference_case() -> None:
    cases = json.loads(shared("facts/golden_moderated.json").read_text(encoding="utf-8"))
    assert len(cases) >= 7
    for case in cases:
        checked(case)


def test_the_moments_by_hand() -> None:
    """s^2 = 1, 4, 16, 64 with 2 df: trigamma(d0 / 2) = var e - trigamma(1), and e is log s^2 - digamma(1)."""
    prior = prior_of([[-x, 0.0, x] for x in (1.0, 2.0, 4.0, 8.0)])
    assert prior is not None
    log4 = math.log(4.0)
    spread = log4**2 * (1.5**2 + 0.5**2 + 0.5**2 + 1.5**2) / 3 - math.pi**2 / 6
    assert special.polygamma(1, prior.df / 2) == pytest.approx(spread)
    mean = 1.5 * log4 - special.digamma(1.0)
    assert math.log(prior.variance) == pytest.approx(
        mean + special.digamma(prior.df / 2) - math.log(prior.df / 2)
    )


def test_fewer_than_three_arms_have_no_prior() -> None:
    assert prior_of(EIGHT[:2]) is None
    assert prior_of(EIGHT[:3]) is not None


def test_a_gap_has_the_moderated_error_of_both_arms() -> None:
    """s~^2 / n of each with 10 df; in the paper's part four times s~^2, and Satterthwaite's df."""
    prior = prior_of(EIGHT)
    assert prior is not None
    first, second = (Moderated.of(it, prior) for it in EIGHT[:2])
    test = gap_size(first, second, printed=("41.70", "40.90"), margin=0.1, kappa=2.0)
    a, b = 0.0596075626, 0.0542029751
    assert test.se == pytest.approx(math.sqrt((a + b) / 3), rel=1e-6)
    df = (a + b) ** 2 / (a**2 / 10 + b**2 / 10)
    assert test.df == pytest.approx(df, rel=1e-6)
    predicted = math.sqrt((a + b) * (1 / 3 + 4))
    half = special.stdtrit(df, 0.975) * predicted
    assert test.estimate is not None and test.pi95 is not None
    assert test.pi95 == pytest.approx((test.estimate - half, test.estimate + half))
