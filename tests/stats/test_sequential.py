"""Tests of audit.stats.sequential."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audit.stats.decision import Decision
from audit.stats.sequential import Step, level_of, schedule, step
from audit.stats.student import quantile
from tests.stats import golden

OPEN, DONE = Decision("inconclusive", "straddles_margin"), Decision("contradicted", "minimum_effect")


@golden.cases("sequential_alpha")
def test_the_level_of_each_look(case: dict[str, Any]) -> None:
    """Of equal shares; of halving ones, which nothing takes any more, the quantiles alone."""
    inputs = case["inputs"]
    equal = inputs["split"] == "equal"
    halving = [inputs["alpha"] * 0.5**k for k in range(1, len(inputs["looks"]) + 1)]
    levels = schedule(inputs["looks"], alpha=inputs["alpha"]).levels if equal else halving
    looks = list(zip(inputs["looks"], levels, strict=True))
    named = {
        "alpha_per_look": levels[0] if equal else levels,
        "t_one_sided": [quantile(1 - level, n - 1) for n, level in looks],
        "t_two_sided": [quantile(1 - level / 2, n - 1) for n, level in looks],
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})
    assert not equal or len(set(levels)) == 1


def rejected(looks: list[int], levels: tuple[float, ...], sims: int, seed: int) -> float:
    """Share of null experiments in which a two-sided t test rejects at one of the looks."""
    x = np.random.default_rng(seed).standard_normal((sims, looks[-1]))
    wrong = np.zeros(sims, dtype=bool)
    for n, level in zip(looks, levels, strict=True):
        t = x[:, :n].mean(axis=1) / (x[:, :n].std(axis=1, ddof=1) / np.sqrt(n))
        wrong |= np.abs(t) >= quantile(1 - level / 2, n - 1)
    return float(wrong.mean())


@golden.cases("peeking")
def test_looking_again_and_again_at_the_full_level_errs_three_times_as_often(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    looks, level = inputs["looks"], inputs["nominal"]
    golden.check(case, actual_error=rejected(looks, (level,) * len(looks), 50_000, 20261127))


def test_the_levels_of_looks_that_nobody_declared() -> None:
    """4/5 of 5 %, and 1/5 of it times 1/2, 1/4, ...: 5 % together."""
    assert [level_of(k) for k in (1, 2, 3, 4)] == pytest.approx([0.04, 0.005, 0.0025, 0.00125])
    assert sum(level_of(k, alpha=0.01) for k in range(1, 60)) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="from 1, got 0"):
        level_of(0)
    levels = tuple(level_of(k) for k in range(1, 9))
    assert rejected(list(range(3, 11)), levels, 20_000, 7) <= 0.05


def test_declared_looks_keep_the_level() -> None:
    """At four standard errors of a share of 20,000."""
    plan = schedule((3, 5, 8, 12, 20))
    assert sum(plan.levels) <= 0.05 + 1e-12
    assert rejected(list(plan.looks), plan.levels, 20_000, 7) <= 0.05 + 4 * (0.05 * 0.95 / 20_000) ** 0.5


def test_two_looks_at_half_the_level_are_the_default() -> None:
    plan = schedule()
    assert (plan.looks, plan.levels) == ((3, 5), (0.025, 0.025))
    assert [plan.level(n) for n in (2, 3, 4, 5)] == [None, 0.025, None, 0.025]
    assert [plan.following(n) for n in (0, 3, 4, 5)] == [3, 5, 5, None]


@pytest.mark.parametrize(
    ("seeds", "decision", "power", "expected"),
    [
        (3, OPEN, None, "go_on"),
        (3, OPEN, 0.20, "go_on"),
        (3, OPEN, 0.19, "futile"),
        (3, DONE, 0.0, "decided"),
        (4, DONE, 0.9, "between_looks"),
        (5, OPEN, 0.1, "last_look"),
        (5, DONE, None, "decided"),
    ],
)
def test_when_to_stop(seeds: int, decision: Decision, power: float | None, expected: Step) -> None:
    assert step(schedule((3, 5)), seeds=seeds, decision=decision, power_at_last_look=power) == expected


@pytest.mark.parametrize("looks", [(), (1, 3), (5, 3), (3, 3)])
def test_looks_that_do_not_grow_are_refused(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="growing numbers of seeds"):
        schedule(looks)
