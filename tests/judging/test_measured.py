"""Tests of audit.judging.measured: what runs cost, and steps to a score, through the comparator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.judging.measured import measured
from audit.record import ClaimRecord, ExperimentRecord, Verdict
from reports.sentences import status_of
from tests.judging.made import OK, claim, judge, said
from tests.records import make_experiment, make_run

FAST, SLOW = [100.0, 104.0, 98.0], [210.0, 196.0, 205.0, 199.0]


def cost(quantity: str, *experiments: str, **more: Any) -> ClaimRecord:
    """As a claim file gives it: about no metric, with a quantity."""
    one = claim("cost", *experiments, margin=None, metric="", details={"quantity": quantity}, **more)
    return replace(one, id="c")


def timed(name: str, seconds: Sequence[float | None], **more: Any) -> ExperimentRecord:
    """Runs of so many seconds; None is a failed one. They have metrics too, which costs do not ask for."""
    return make_experiment(
        name,
        [
            make_run(seed, None, key=f"{name}{seed}", status="failed", seconds=3.0)
            if it is None
            else make_run(seed, 70.0, key=f"{name}{seed}", seconds=it, **more)
            for seed, it in enumerate(seconds)
        ],
    )


def sized(name: str, parameters: Sequence[int | None]) -> ExperimentRecord:
    return make_experiment(
        name,
        [make_run(seed, 70.0, key=f"{name}{seed}", parameters=it) for seed, it in enumerate(parameters)],
    )


def of(*records: ExperimentRecord) -> dict[str, ExperimentRecord]:
    return {it.id: it for it in records}


# --------------------------------------------------------------------------- costs


def test_times_are_compared_by_their_ratio() -> None:
    """Welch on the logarithms, by scipy; ratio of the geometric means."""
    verdict = judge(cost("training_time", "a", "b"), of(timed("a", FAST), timed("b", SLOW)))
    theirs = stats.ttest_ind(np.log(SLOW), np.log(FAST), equal_var=False, alternative="greater")
    both = stats.ttest_ind(np.log(SLOW), np.log(FAST), equal_var=False)
    assert said(verdict) == ("reproduced", "cheaper")
    assert verdict.p_reproduced == pytest.approx(theirs.pvalue)
    assert verdict.estimate == pytest.approx(stats.gmean(SLOW) / stats.gmean(FAST))
    assert verdict.ci95 == pytest.approx([math.exp(x) for x in both.confidence_interval(0.95)])
    assert verdict.values == (tuple(FAST), tuple(SLOW))
    assert (verdict.n, verdict.seeds) == ((3, 4), ((0, 1, 2), (0, 1, 2, 3)))
    assert verdict.badges == ("ratio of training_time",)
    back = judge(cost("training_time", "b", "a"), of(timed("a", FAST), timed("b", SLOW)))
    assert said(back) == ("contradicted", "reversed")


@pytest.mark.parametrize("swapped", [False, True])
def test_prediction_times_are_compared_and_not_those_of_the_training(swapped: bool) -> None:
    """`a` is the faster in training, and in prediction the slower, or the faster too."""
    slow = SLOW[:3]
    predicting = (FAST, slow) if swapped else (slow, FAST)
    experiments = {}
    for record, seconds in zip((timed("a", FAST), timed("b", slow)), predicting, strict=True):
        runs = [replace(run, prediction_seconds=it) for run, it in zip(record.runs, seconds, strict=True)]
        experiments[record.id] = replace(record, runs=tuple(runs))
    verdict = judge(cost("prediction_time", "a", "b"), experiments)
    assert said(verdict) == (("reproduced", "cheaper") if swapped else ("contradicted", "reversed"))
    assert verdict.badges[0] == "ratio of prediction_time"


@pytest.mark.parametrize("where", [{"device": "cuda"}, {"threads": 4}])
def test_times_of_different_machines_are_not_compared(where: dict[str, Any]) -> None:
    experiments = of(timed("a", FAST), timed("b", SLOW, **where))
    assert said(judge(cost("training_time", "a", "b"), experiments)) == ("inconclusive", "different_machines")
    both = of(timed("a", FAST, **where), timed("b", SLOW, **where))
    assert judge(cost("training_time", "a", "b"), both).outcome == "reproduced"


def test_prediction_times_of_different_machines_are_not_compared() -> None:
    slow = timed("b", SLOW, device="cuda")
    experiments = {
        it.id: replace(it, runs=tuple(replace(run, prediction_seconds=run.seconds) for run in it.runs))
        for it in (timed("a", FAST), slow)
    }
    verdict = judge(cost("prediction_time", "a", "b"), experiments)
    assert said(verdict) == ("inconclusive", "different_machines")


def test_one_run_on_another_machine_is_enough() -> None:
    slow = timed("b", SLOW)
    slow = replace(slow, runs=(*slow.runs[:3], replace(slow.runs[3], device="cuda")))
    verdict = judge(cost("training_time", "a", "b"), of(timed("a", FAST), slow))
    assert verdict.reason == "different_machines"


@pytest.mark.parametrize(("quantity", "per_number"), [("parameters", 1), ("model_size", 4)])
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1000, 1000], [1500, 1500], ("reproduced", "cheaper")),
        ([1500, 1500], [1000, 1000], ("contradicted", "reversed")),
        ([1000, 1000], [1000, 1000], ("inconclusive", "undecided")),
        ([1000], [1500], ("inconclusive", "no_variance_estimate")),
        ([1000, 1001], [1500, 1500], ("inconclusive", "too_few_seeds")),
    ],
)
def test_parameters_are_counted_and_not_drawn(
    quantity: str, per_number: int, a: list[int], b: list[int], expected: tuple[str, str]
) -> None:
    """On any machine: a size does not depend on it. Four bytes a number."""
    small = sized("a", a)
    small = replace(small, runs=tuple(replace(run, device="cuda") for run in small.runs))
    verdict = judge(cost(quantity, "a", "b"), of(small, sized("b", b)))
    assert said(verdict) == expected
    assert verdict.values[0] == tuple(float(per_number * x) for x in a)
    assert verdict.estimate == pytest.approx(stats.gmean(b) / stats.gmean(a))


@pytest.mark.parametrize("quantity", ["parameters", "model_size"])
@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("same_data", ("contradicted", "reversed")),
        ("other_split", ("contradicted", "reversed")),
        ("other_data", ("inconclusive", "other_data")),
    ],
)
def test_sizes_of_networks_are_of_their_data(quantity: str, scope: Any, expected: tuple[str, str]) -> None:
    """With other labels and words the two are other networks, and say nothing of the paper's."""
    many, few = (
        replace(timed(name, FAST, parameters=size), scope=scope) for name, size in (("a", 900), ("b", 500))
    )
    assert said(judge(cost(quantity, "a", "b"), {"a": many, "b": few})) == expected
    slower = replace(timed("c", SLOW), scope=scope)
    assert said(judge(cost("training_time", "a", "c"), {"a": many, "c": slower})) == ("reproduced", "cheaper")


@pytest.mark.parametrize("quantity", ["training_time", "parameters"])
@pytest.mark.parametrize("scope", ["same_data", "other_split", "other_data"])
def test_what_one_system_needs_is_not_tested(quantity: str, scope: Any) -> None:
    """Two hours on another corpus or machine say nothing of two hours; a ratio of two systems may."""
    alone = replace(timed("a", FAST, parameters=900), scope=scope)
    verdict = judge(cost(quantity, "a", printed=("2",)), {"a": alone})
    assert said(verdict) == ("inconclusive", "absolute_cost")
    assert status_of(verdict) == "not_tested"
    assert (verdict.p_reproduced, verdict.scope) == (None, scope)
    slower = replace(timed("b", SLOW), scope=scope)
    ratio = judge(cost("training_time", "a", "b"), {"a": alone, "b": slower})
    assert (ratio.outcome, ratio.scope) == ("reproduced", scope)


@pytest.mark.parametrize("quantity", ["training_time", "parameters", "model_size", "prediction_time"])
def test_a_cost_that_no_run_record_holds_is_not_measured(quantity: str) -> None:
    experiments = of(sized("a", [None] * 3), sized("b", [0, 0, 0]))
    verdict = judge(cost(quantity, "a", "b"), experiments)
    assert said(verdict) == ("inconclusive", "not_measured")
    assert verdict.badges == tuple(f"{name}: {quantity} not measured in 3 of 3 runs" for name in "ab")


def test_runs_without_the_cost_are_left_out_and_shown() -> None:
    experiments = of(timed("a", [*FAST, 0.0]), timed("b", [*SLOW, None]))
    verdict = judge(cost("training_time", "a", "b"), experiments)
    assert verdict.values == (tuple(FAST), tuple(SLOW))
    assert (verdict.n, verdict.attempts) == ((3, 4), (4, 5))
    assert verdict.badges[:3] == (
        "a: training_time not measured in 1 of 4 runs",
        "a: 3 of 4 seeds",
        "b: 4 of 5 seeds",
    )


@pytest.mark.parametrize(
    ("seconds", "reason"), [([], "not_run"), ([None, None], "run_failed"), ([100.0], "no_variance_estimate")]
)
def test_a_cost_of_nothing_run_is_open(seconds: list[float | None], reason: str) -> None:
    verdict = judge(cost("training_time", "a", "b"), of(timed("a", seconds), timed("b", SLOW)))
    assert said(verdict) == ("inconclusive", reason)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_a_cost_is_above_0_and_finite(seconds: float) -> None:
    run = make_run(0, 70.0, seconds=seconds, parameters=0)
    assert [measured(run, it) for it in ("training_time", "parameters", "model_size")] == [None] * 3


# --------------------------------------------------------------------------- steps to a score


def curve(reaches: int | None, epochs: int = 8, metric: str = "P@1") -> tuple[dict[str, float], ...]:
    """Ten points an epoch up to the one that has 50, or never."""
    return tuple(
        {"epoch": float(e), "loss": 1.0, metric: 50.0 if reaches is not None and e >= reaches else 40.0}
        for e in range(1, epochs + 1)
    )


def learning(name: str, reaches: Sequence[int | None], **more: Any) -> ExperimentRecord:
    return make_experiment(
        name,
        [
            make_run(seed, 70.0, key=f"{name}{seed}", curve=curve(it, **more))
            for seed, it in enumerate(reaches)
        ],
    )


def faster(a: ExperimentRecord, b: ExperimentRecord, target: float | None = 50.0, **more: Any) -> Verdict:
    one = claim("convergence", "a", "b", margin=None, details={"target": target}, **more)
    return judge(one, of(a, b))


def test_three_against_three_in_order_reach_one_in_twenty() -> None:
    """Of the 20 ways to deal six runs to two arms one is as extreme: p = 1/20, on the level."""
    verdict = faster(learning("a", [2, 3, 4]), learning("b", [5, 6, 7]))
    assert verdict.p_reproduced == pytest.approx(1 / 20)
    assert said(verdict) == ("reproduced", "faster")
    assert verdict.target == 50.0
    assert verdict.badges == ("median epochs to 50: 3 and 6",)


def test_runs_that_never_reach_the_score_stay_in() -> None:
    """As later than all others: 1 of C(8, 4) = 70 deals; left out there would be 1 of C(5, 4) = 5."""
    verdict = faster(learning("a", [2, 3, 4, 5]), learning("b", [None, None, None, 7]))
    assert verdict.p_reproduced == pytest.approx(1 / 70)
    assert verdict.badges == ("median epochs to 50: 3 and not reached",)
    back = faster(learning("a", [None, None, None, 7]), learning("b", [2, 3, 4, 5]))
    assert said(back) == ("contradicted", "reversed")


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([None] * 3, [None] * 3, "never_reached"),
        ([2, 3], [6, 7], "too_few_seeds"),
        ([2], [6], "no_variance_estimate"),
    ],
)
def test_convergence_at_its_edges(a: list[int | None], b: list[int | None], reason: str) -> None:
    assert said(faster(learning("a", a), learning("b", b))) == ("inconclusive", reason)


def test_without_a_target_score_nothing_is_judged() -> None:
    runs = learning("a", [2, 3, 4]), learning("b", [5, 6, 7])
    assert said(faster(*runs, target=None)) == ("inconclusive", "no_target_score")
    assert judge(claim("convergence", "a", "b"), of(*runs)).reason == "no_target_score"


def test_the_target_may_be_met_exactly_and_is_that_of_the_claim() -> None:
    assert faster(learning("a", [2, 3, 4]), learning("b", [5, 6, 7]), 50.01).reason == "never_reached"
    assert faster(learning("a", [2, 3, 4]), learning("b", [5, 6, 7]), 40.0).p_reproduced == 1.0


def test_runs_without_a_curve_of_the_metric_are_left_out_and_shown() -> None:
    a, b = learning("a", [2, 3, 4, 2]), learning("b", [5, 6, 7])
    a = replace(a, runs=(*a.runs[:3], replace(a.runs[3], curve=curve(2, metric="P@3"))))
    verdict = faster(a, b)
    assert verdict.p_reproduced == pytest.approx(1 / 20)
    assert verdict.badges[0] == "a: a curve in 3 of 4 runs"


def by_steps(reaches: int, steps: int = 43, every: int = 20) -> tuple[dict[str, float], ...]:
    """As training leaves it: an evaluation every 20 steps, beside the loss of each epoch of 43."""
    rows = [
        {"epoch": step / steps, "step": float(step), "loss": 1.0, "P@1": 50.0 if step >= reaches else 40.0}
        for step in range(every, 9 * steps, every)
    ]
    rows += [{"epoch": float(epoch), "loss": 1.0, "seconds": 2.0} for epoch in range(1, 10)]
    return tuple(sorted(rows, key=lambda row: row["epoch"]))


def test_evaluations_within_an_epoch_count_at_their_place_in_it() -> None:
    """60, 80, 100 against 120, 140, 160 steps of 43 an epoch: the medians are 80 / 43 and 140 / 43."""
    a, b = learning("a", [2, 3, 4]), learning("b", [5, 6, 7])
    a, b = (
        replace(it, runs=tuple(replace(run, curve=by_steps(n)) for run, n in zip(it.runs, at, strict=True)))
        for it, at in ((a, (60, 80, 100)), (b, (120, 140, 160)))
    )
    verdict = faster(a, b)
    assert verdict.p_reproduced == pytest.approx(1 / 20)
    assert verdict.badges == ("median epochs to 50: 1.86 and 3.26",)


@pytest.mark.parametrize(
    "broken",
    [
        (),
        ({"epoch": 1.0, "loss": 1.0},),
        ({"P@1": 50.0},),
        ({"epoch": 2.0, "P@1": 40.0}, {"epoch": 2.0, "P@1": 50.0}),
        ({"epoch": 2.0, "P@1": 40.0}, {"epoch": 1.0, "P@1": 50.0}),
    ],
)
def test_curves_that_cannot_be_read_are_no_curves(broken: tuple[dict[str, float], ...]) -> None:
    b = learning("b", [5, 6, 7])
    unread = replace(b, runs=tuple(replace(run, curve=broken) for run in b.runs))
    assert said(faster(learning("a", [2, 3, 4]), unread)) == ("inconclusive", "not_measured")


def test_pairs_of_curves_go_by_seed() -> None:
    """First in all of five common seeds: 1/2^5 by the sign test. Seeds 0 and 6 have no partner."""
    a = learning("a", [9, 2, 3, 2, 4, 3], epochs=10)
    b = learning("b", [1, 5, 6, 7, 5, 6, 1], epochs=10)
    a, b = replace(a, runs=a.runs[1:][::-1]), replace(b, runs=b.runs)
    verdict = faster(a, b, paired="same weights and order")
    assert verdict.p_reproduced == pytest.approx(1 / 32)
    assert "5 pairs of seeds" in verdict.badges


def test_pairs_of_curves_without_a_common_seed_are_too_few() -> None:
    a, b = learning("a", [2, 3, 4]), learning("b", [9, 9, 9, 5, 6, 7])
    assert faster(a, replace(b, runs=b.runs[3:]), paired="why").reason == "too_few_seeds"


def test_nobody_is_contradicted_by_the_cost_of_an_unverified_model() -> None:
    """The gate holds for costs as well."""
    experiments = of(timed("a", SLOW), timed("b", FAST))
    assert judge(cost("training_time", "a", "b"), experiments, fidelity=OK).outcome == "contradicted"
    verdict = judge(cost("training_time", "a", "b"), experiments, fidelity={})
    assert said(verdict) == ("inconclusive", "unverified_reimplementation")
