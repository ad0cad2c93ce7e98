"""Tests of audit.evidence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from audit.judging.evidence import Arm, Evidence, same_test_set, worst_scope
from audit.record import DataInfo, Run, Scope
from tests.records import make_experiment, make_run


def arm_of(runs: Sequence[Run], *, scope: Scope = "same_data", dataset: str = "toy", name: str = "a") -> Arm:
    return Evidence({name: make_experiment(name, runs, scope=scope, dataset=dataset)}).arm(name, "P@1")


def test_failed_and_interrupted_runs_stay_in_the_count() -> None:
    arm = arm_of(
        [make_run(0, 10.0), make_run(1, None, status="failed"), make_run(2, None, status="interrupted")]
    )
    assert (arm.attempts, arm.seeds, arm.notes) == (3, (0,), ("1 of 3 seeds",))


def test_metrics_of_a_run_that_is_not_done_are_not_read() -> None:
    arm = arm_of(
        [make_run(0, 10.0), make_run(1, 99.0, status="interrupted"), make_run(2, 99.0, status="failed")]
    )
    assert arm.values == (10.0,)


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        ([], "not_run"),
        ([make_run(0, None, status="failed")], "run_failed"),
        ([make_run(0, None, status="failed"), make_run(1, None, status="interrupted")], "run_failed"),
        ([make_run(0, None, status="interrupted")], "not_run"),
        ([make_run(0, None)], "not_run"),  # done, but without the metric
        ([make_run(0, None), make_run(1, None, status="failed")], "not_run"),
        ([make_run(0, 1.0), make_run(1, None, status="failed")], None),
    ],
)
def test_what_is_lacking(runs: list[Run], code: str | None) -> None:
    assert arm_of(runs).lacks == code


def test_seeds_of_two_library_versions_are_told() -> None:
    runs = [make_run(seed, 70.0, versions={"torch": "2.6.0" if seed else "2.13.0"}) for seed in range(3)]
    assert arm_of(runs).notes == ("seeds ran with different library versions: torch 2.13.0 and 2.6.0",)


@pytest.mark.parametrize(
    ("values", "tested"),
    [([60.1001, 60.1002, 60.1003], [60.1002] * 3), ([60.10, 60.10, 60.12], [60.10, 60.10, 60.12])],
)
def test_seeds_that_the_test_set_cannot_tell_apart_have_no_spread(
    values: list[float], tested: list[float]
) -> None:
    """A document of 3,865 is .026 points; what was measured is shown all the same."""
    runs = [make_run(seed, value) for seed, value in enumerate(values)]
    arm = Evidence({"a": make_experiment("a", runs)}, {"toy": 3865}).arm("a", "P@1")
    assert list(arm.values) == pytest.approx(tested)
    assert list(arm.measured) == values


def test_a_run_that_stands_twice_counts_once_and_done_wins() -> None:
    twice = [make_run(0, 10.0), make_run(0, 10.0), make_run(1, None, status="failed"), make_run(1, 11.0)]
    for runs in (twice, twice[::-1]):
        arm = arm_of(runs)
        assert (arm.values, arm.attempts) == ((10.0, 11.0), 2)


def test_a_seed_counts_once_whatever_came_out() -> None:
    """Two runs of one seed, by another precision or revision, are no two draws. The first key counts."""
    runs = [make_run(0, 10.0, key="b"), make_run(0, 99.0, key="a"), make_run(1, 11.0, key="c")]
    for held in (runs, runs[::-1]):
        arm = arm_of(held)
        assert (arm.values, arm.seeds, arm.attempts) == ((99.0, 11.0), (0, 1), 2)
        assert arm.notes == ("more than one run of seed 0; one of each counts",)


def test_what_a_run_cost_is_read_in_place_of_a_metric() -> None:
    runs = [make_run(0, None, seconds=5.0), make_run(1, 70.0, seconds=7.0), make_run(2, 70.0)]
    evidence = Evidence({"a": make_experiment("a", runs)})
    arm = evidence.arm("a", "seconds", cost=lambda run, name: getattr(run, name) or None)
    assert (arm.values, arm.attempts) == ((5.0, 7.0), 3)
    assert arm.notes == ("seconds not measured in 1 of 3 runs", "2 of 3 seeds")
    nothing = Evidence(evidence.experiments).arm("a", "seconds", cost=lambda run, name: None)
    assert nothing.lacks == "not_measured"


def test_the_scope_is_the_worst_of_the_arms_that_have_runs() -> None:
    here, split, other = (
        arm_of([make_run(0, 1.0)], scope=scope) for scope in ("same_data", "other_split", "other_data")
    )
    assert worst_scope([here, here]) == "same_data"
    assert worst_scope([here, split]) == worst_scope([split, here]) == "other_split"
    assert worst_scope([other, split, here]) == "other_data"
    assert worst_scope([here, arm_of([], scope="other_data")]) == "same_data"
    assert worst_scope([arm_of([])]) is None
    assert worst_scope([]) is None


def test_arms_of_one_dataset_must_be_tested_on_the_same_documents() -> None:
    other = DataInfo(name="toy", fingerprint="g", recipe="s", n_train=100, n_test=51, n_labels=10)
    vocabulary = DataInfo(name="toy", fingerprint="g", recipe="s", n_train=100, n_test=50, n_labels=10)
    a = arm_of([make_run(0, 1.0)])
    assert not same_test_set([a, arm_of([make_run(0, 1.0, data=other)])])
    assert same_test_set([a, arm_of([make_run(0, 1.0, data=vocabulary)])])
    assert same_test_set([a, arm_of([make_run(0, 1.0, data=other)], dataset="elsewhere")])
    named = DataInfo(name="other", fingerprint="g", recipe="s", n_train=100, n_test=50, n_labels=10)
    assert not same_test_set([a, arm_of([make_run(0, 1.0, data=named)])])
    mixed = arm_of([make_run(0, 1.0), make_run(1, 1.0, data=other)], dataset="elsewhere")
    assert not same_test_set([mixed])
    assert not same_test_set([a, mixed])
