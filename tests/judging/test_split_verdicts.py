"""A printed number under both readings of its split, by hand calculations and scipy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.judging.assemble import with_split_verdicts
from audit.record import ClaimRecord, Margin, SplitNoise, SplitVerdict, Where

CLAIM = ClaimRecord(
    id="svm-value:P@1",
    claim="svm-value",
    kind="value",
    says="it reaches 80",
    metric="P@1",
    where=Where(),
    printed=("80.00",),
    experiments=("svm",),
    margin=Margin(0.5, "field", "usual"),
)
#: Splits scatter far more than seeds.
COLUMNS, SEEDS = (66.0, 74.0, 78.0), (66.0, 66.5, 67.0, 67.5)


def noise(columns: Sequence[float] = COLUMNS, seeds: Sequence[float] = SEEDS) -> SplitNoise:
    return SplitNoise(
        experiment="svm",
        metric="P@1",
        columns=tuple(range(len(columns))),
        values=tuple(columns),
        attempts=len(columns),
        column=0,
        seeds=tuple(range(len(seeds))),
        seed_values=tuple(seeds),
        mean=sum(columns) / len(columns),
    )


def judged(
    columns: Sequence[float] = COLUMNS,
    seeds: Sequence[float] = SEEDS,
    *,
    bar: str | None = None,
    **claim: Any,
) -> tuple[SplitVerdict, SplitVerdict | None]:
    found = with_split_verdicts(noise(columns, seeds), replace(CLAIM, **claim), bar=bar)
    assert found.as_one_split is not None
    return found.as_one_split, found.as_mean


def outcomes(*args: Any, **more: Any) -> list[tuple[str, str] | None]:
    return [None if it is None else (it.outcome, it.reason) for it in judged(*args, **more)]


def expected(spread: float, df: int, n: int, *, predicted: float, d: float, margin: float = 0.5) -> Any:
    """se, df and both p-values: h is half of the last printed digit of 80.00."""
    h, t = 0.005, stats.t(df)
    se = spread / np.sqrt(n)
    reproduced = max(t.sf((margin - h + d) / se), t.sf((margin - h - d) / se))
    contradicted = min(1.0, 2 * t.sf((abs(d) - (margin + h)) / (spread * np.sqrt(predicted))))
    return pytest.approx((se, df, reproduced, contradicted))


def numbers(of: SplitVerdict | None) -> tuple[Any, ...]:
    assert of is not None
    return of.se, of.df, of.p_reproduced, of.p_contradicted


def test_of_one_unknown_split_the_columns_are_the_draws_and_the_paper_has_one() -> None:
    """s = sqrt(112/3) = 6.11 of 3 columns, se_pred = s sqrt(1/3 + 4), 2 df: one such split may be at 80."""
    one, _ = judged()
    assert (one.outcome, one.reason, one.n, one.margin) == ("inconclusive", "within_seed_spread", 3, 0.5)
    assert one.difference == pytest.approx(218 / 3 - 80)
    assert numbers(one) == expected((112 / 3) ** 0.5, 2, 3, predicted=13 / 3, d=218 / 3 - 80)
    assert numbers(one) == pytest.approx((3.52767, 2, 0.90393, 0.64510), abs=1e-5)


def test_of_the_mean_over_these_columns_only_seeds_differ_and_the_paper_has_as_many_runs() -> None:
    """s = sqrt(5/12) = 0.645 of 4 seeds, se_pred = s sqrt(5/3), 3 df: no seeds bring such a mean to 80."""
    _, mean = judged()
    assert mean is not None
    assert (mean.outcome, mean.reason, mean.n) == ("contradicted", "minimum_effect", 3)
    assert numbers(mean) == expected((5 / 12) ** 0.5, 3, 3, predicted=5 / 3, d=218 / 3 - 80)
    assert numbers(mean) == pytest.approx((0.372678, 3, 0.99982, 0.003803), abs=1e-5)


def test_a_mean_within_the_margin_is_reproduced_where_its_noise_allows() -> None:
    """79, 80, 81 against 80.00: p = .24 by the columns' SD of 1, .0009 by the seeds' of 0.0816."""
    one, mean = judged((79.0, 80.0, 81.0), (79.9, 80.0, 80.1, 80.0))
    assert mean is not None
    assert (one.outcome, mean.outcome, mean.reason) == ("inconclusive", "reproduced", "tost")
    assert (one.p_reproduced, mean.p_reproduced) == pytest.approx((0.240790, 0.000922), abs=1e-6)


def test_a_model_that_has_not_passed_its_checks_contradicts_nothing() -> None:
    far = (60.0, 61.0, 62.0)
    assert outcomes(far) == [("contradicted", "minimum_effect")] * 2
    assert (
        outcomes(far, bar="unverified_reimplementation")
        == [("inconclusive", "unverified_reimplementation")] * 2
    )
    near = {"columns": (79.0, 80.0, 81.0), "seeds": (79.9, 80.0, 80.1, 80.0)}
    assert outcomes(**near, bar="unverified_reimplementation")[1] == ("reproduced", "tost")


@pytest.mark.parametrize(
    ("columns", "seeds", "one", "mean"),
    [
        ((66.0,), SEEDS, "no_variance_estimate", None),
        ((66.0, 74.0), SEEDS, "too_few_seeds", "minimum_effect"),
        ((66.0, 66.0, 66.0), SEEDS, "no_spread", "minimum_effect"),
        (COLUMNS, (), "within_seed_spread", "no_variance_estimate"),
        (COLUMNS, (66.0,), "within_seed_spread", "no_variance_estimate"),
        (COLUMNS, (66.0, 66.5), "within_seed_spread", "too_few_seeds"),
        (COLUMNS, (66.0, 66.5, 67.0), "within_seed_spread", "too_few_seeds"),
        (COLUMNS, (66.0, 66.0, 66.0, 66.0), "within_seed_spread", "no_spread"),
    ],
)
def test_too_few_runs_decide_nothing(
    columns: Sequence[float], seeds: Sequence[float], one: str, mean: str | None
) -> None:
    """Three columns for one split; four seeds, as of a pooled SD, for the mean; one column is no mean."""
    found = judged(columns, seeds)
    assert [it and it.reason for it in found] == [one, mean]
    assert {it.outcome for it in found if it and it.reason != "minimum_effect"} == {"inconclusive"}


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ((79.0, 80.0, 81.0), "reproduced"),
        ((79.0, 80.0, 82.48), "reproduced"),  # mean 80.4933: 0.4933 is within D - h = 0.495
        ((79.0, 80.0, 82.5), "inconclusive"),  # 0.5 hangs on how 80.00 was rounded
        ((79.0, 80.0, 82.53), "contradicted"),  # 0.51 is beyond D + h = 0.505
    ],
)
def test_a_declared_deterministic_mean_is_compared_exactly(columns: Sequence[float], outcome: str) -> None:
    """Whoever runs these columns again has the same mean; on one more split there is noise as ever."""
    one, mean = judged(columns, (79.0, 79.0), deterministic=True)
    assert mean is not None and (mean.outcome, mean.p_reproduced) == (outcome, None)
    assert mean.reason == ("straddles_margin" if outcome == "inconclusive" else "deterministic")
    assert (one.outcome, one.reason) == ("inconclusive", "within_seed_spread")
