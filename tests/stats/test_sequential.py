"""Tests of audit.stats.sequential."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audit.stats.decision import Decision
from audit.stats.sequential import Step, extended, schedule, step
from audit.stats.student import quantile
from tests.stats import golden

OPEN, DONE = Decision("inconclusive", "straddles_margin"), Decision("contradicted", "minimum_effect")


@golden.cases("sequential_alpha")
def test_the_level_of_each_look(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = schedule(inputs["looks"], alpha=inputs["alpha"], split=inputs["split"])
    looks = list(zip(got.looks, got.levels, strict=True))
    named = {
        "alpha_per_look": got.levels[0] if inputs["split"] == "equal" else got.levels,
        "t_one_sided": [quantile(1 - level, n - 1) for n, level in looks],
        "t_two_sided": [quantile(1 - level / 2, n - 1) for n, level in looks],
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})
    assert inputs["split"] == "halving" or len(set(got.levels)) == 1


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


@pytest.mark.parametrize("split", ["equal", "halving"])
def test_declared_looks_keep_the_level(split: Any) -> None:
    """At four standard errors of a share of 20,000."""
    plan = schedule((3, 5, 8, 12, 20), split=split)
    assert sum(plan.levels) <= 0.05 + 1e-12
    assert rejected(list(plan.looks), plan.levels, 20_000, 7) <= 0.05 + 4 * (0.05 * 0.95 / 20_000) ** 0.5


def test_two_looks_at_half_the_level_are_the_default() -> None:
    plan = schedule()
    assert (plan.looks, plan.levels) == ((3, 5), (0.025, 0.025))
    assert [plan.level(n) for n in (2, 3, 4, 5)] == [None, 0.025, None, 0.025]
    assert [plan.following(n) for n in (0, 3, 4, 5)] == [3, 5, 5, None]


def test_only_halving_has_level_left_for_a_further_look() -> None:
    plan = extended(schedule((3, 5), split="halving"), 8)
    assert plan == schedule((3, 5, 8), split="halving")
    with pytest.raises(ValueError, match="only halving"):
        extended(schedule((3, 5)), 8)
    with pytest.raises(ValueError, match="after 5 seeds, got 4"):
        extended(schedule((3, 5), split="halving"), 4)


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
