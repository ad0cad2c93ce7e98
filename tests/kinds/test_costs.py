"""What runs cost: times and sizes, growth, steps to a score."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight

from audit.kinds.costs import Reach, convergence, growth, local_slopes, median, steps_to
from audit.record import ClaimRecord, ExperimentRecord, Verdict
from audit.stats.decision import Decision
from tests.judging.made import claim, judge, said
from tests.kinds import band, noted
from tests.kinds import cost as cost_of
from tests.records import make_experiment, make_run
from tests.stats import golden

times = st.lists(st.floats(1, 100), min_size=3, max_size=6)


@given(fast=times, slow=times)
def test_it_is_welch_of_scipy_on_the_logarithms(fast: list[float], slow: list[float]) -> None:
    assume(np.ptp(np.log(fast)) > 0.01 and np.ptp(np.log(slow)) > 0.01)
    got = cost_of(fast, slow)
    p = stats.ttest_ind(np.log(slow), np.log(fast), equal_var=False, alternative="greater").pvalue
    assert got.p_reproduced == pytest.approx(p, abs=1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * (1 - p)), abs=1e-9)
    interval = stats.ttest_ind(np.log(slow), np.log(fast), equal_var=False).confidence_interval(0.95)
    assert got.ci95 == pytest.approx(tuple(np.exp(interval)), rel=1e-6)
    assert got.estimate == pytest.approx(stats.gmean(slow) / stats.gmean(fast))


run = st.builds(Reach, st.integers(1, 6).map(float), st.booleans())


def test_the_first_point_at_or_above_the_score_counts() -> None:
    curve = [(100.0, 50.0), (200.0, 61.0), (300.0, 58.0), (400.0, 70.0)]
    assert steps_to(curve, 60.0) == Reach(200.0)
    assert steps_to(curve, 70.0) == Reach(400.0)
    assert steps_to(curve, 70.1) == Reach(400.0, reached=False)
    assert steps_to([(1.0, math.nan), (2.0, 5.0)], 4.0) == Reach(2.0)


@given(st.lists(run, min_size=3, max_size=4), st.lists(run, min_size=3, max_size=4))
def test_the_exact_p_counts_all_ways_to_deal_the_runs(faster: list[Reach], slower: list[Reach]) -> None:
    """O - E of every choice of runs for the first arm, by the definition."""
    assume(any(r.reached for r in [*faster, *slower]))

    def excess(first: list[Reach], second: list[Reach]) -> float:
        both, total = [*first, *second], 0.0
        for t in {r.steps for r in both if r.reached}:
            d, n = sum(r.reached and r.steps == t for r in both), sum(r.steps >= t for r in both)
            total += sum(r.reached and r.steps == t for r in first)
            total -= d * sum(r.steps >= t for r in first) / n
        return total

    both = [*faster, *slower]
    every = [
        excess([both[i] for i in deal], [r for i, r in enumerate(both) if i not in deal])
        for deal in combinations(range(len(both)), len(faster))
    ]
    got = convergence(faster, slower)
    assert noted(got, "O") - noted(got, "E") == pytest.approx(excess(faster, slower))
    assert got.p_reproduced == pytest.approx(np.mean(np.array(every) >= excess(faster, slower) - 1e-9))
    p_slower = np.mean(np.array(every) <= excess(faster, slower) + 1e-9)
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * p_slower))


def test_a_hundred_runs_an_arm_are_dealt_in_little_memory() -> None:
    """p as by the normal approximation of scipy's log-rank test."""
    rng = np.random.default_rng(5)
    fast, slow = ([float(x) for x in rng.integers(least, 40, 100)] for least in (1, 4))
    tracemalloc.start()
    got = convergence(list(map(Reach, fast)), list(map(Reach, slow)))
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    assert got.p_reproduced == pytest.approx(stats.logrank(slow, fast, "less").pvalue, abs=0.01)


@given(st.lists(run, min_size=1, max_size=8))
def test_the_median_is_that_of_kaplan_and_meier(runs: list[Reach]) -> None:
    assume(any(r.reached for r in runs))
    theirs = SurvfuncRight([r.steps for r in runs], [float(r.reached) for r in runs])
    below = [t for t, s in zip(theirs.surv_times, theirs.surv_prob, strict=True) if s <= 0.5 + 1e-12]
    assert median(runs) == (below[0] if below else None)


SIZES = [1000.0, 2000.0, 4000.0, 8000.0, 16000.0]


@golden.cases("growth_exponent")
def test_growth(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = growth(inputs["n"], inputs["time"], exponent=inputs["claimed"], margin=inputs["margin"])
    named = {
        "slope": got.estimate,
        "se": got.se,
        "ci90": got.ci90,
        "ci95": got.ci95,
        "p_tost": got.p_reproduced,
        "local_slopes": local_slopes(np.log(inputs["n"]), np.log(inputs["time"])),
        "verdict": got.decide().outcome,
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})


@given(st.lists(st.floats(0.5, 2.0), min_size=5, max_size=9), st.floats(0.0, 3.0), st.floats(0.01, 1.0))
def test_the_slope_is_that_of_scipy_and_the_bands_are_its_intervals(
    noise: list[float], exponent: float, margin: float
) -> None:
    sizes = [10.0 * 3.0**i for i in range(len(noise))]
    costs = [n**1.3 * e for n, e in zip(sizes, noise, strict=True)]
    assume(np.ptp(noise) > 0.01)  # scipy's error of a perfect line is 1e-8
    fit = stats.linregress(np.log(sizes), np.log(costs))
    got = growth(sizes, costs, exponent=exponent, margin=margin)
    assert got.estimate == pytest.approx(fit.slope)
    assert got.se == pytest.approx(fit.stderr, abs=1e-12)
    off, df = abs(fit.slope - exponent), len(noise) - 2
    assume(got.cap is None)
    assert band(got).reproduced_from == pytest.approx(off + stats.t.ppf(0.95, df) * fit.stderr)
    assert band(got).contradicted_up_to == pytest.approx(
        max(0.0, off - stats.t.ppf(0.975, df) * fit.stderr), abs=1e-9
    )
    p_contradicted = min(1.0, 2 * stats.t.sf((off - margin) / fit.stderr, df))
    assert got.p_contradicted == pytest.approx(p_contradicted, abs=1e-9)
    assert got.ci95 == pytest.approx(tuple(fit.slope + stats.t.ppf([0.025, 0.975], df) * fit.stderr))


def test_exact_counts_need_no_noise() -> None:
    assert growth(SIZES, [7 * n for n in SIZES], exponent=1.0).decide() == Decision("reproduced", "tost")
    squared = growth(SIZES, [n * n for n in SIZES], exponent=1.0)
    assert squared.decide() == Decision("contradicted", "minimum_effect")


def test_slower_growth_beside_a_fixed_cost_does_not_contradict() -> None:
    """4,000 + n from 1,000 to 16,000 has a slope of .5 and a se of .06; a square root has no fixed cost."""
    hidden, root = [4000 + n for n in SIZES], [1.0, 1.4, 2.0, 2.8, 4.0]
    assert growth(SIZES, hidden, exponent=1.0).decide() == Decision("inconclusive", "too_narrow")
    assert growth(SIZES, root, exponent=1.0).decide() == Decision("contradicted", "minimum_effect")


FAST, SLOW = [100.0, 104.0, 98.0], [210.0, 196.0, 205.0, 199.0]


def cost(quantity: str, *experiments: str, **more: Any) -> ClaimRecord:
    """As a claim file gives it: about no metric, with a quantity."""
    one = claim("cost", *experiments, margin=None, metric="", details={"quantity": quantity}, **more)
    return replace(one, id="c")


def timed(name: str, seconds: Sequence[float | None], **more: Any) -> ExperimentRecord:
    """Runs of so many seconds; None is a failed one. They have metrics too, which costs do not ask for."""
    made = []
    for seed, time in enumerate(seconds):
        of = {"status": "failed", "seconds": 3.0} if time is None else {"seconds": time, **more}
        made.append(make_run(seed, None if time is None else 70.0, key=f"{name}{seed}", **of))
    return make_experiment(name, made)


def sized(name: str, parameters: Sequence[int | None]) -> ExperimentRecord:
    made = [make_run(seed, 70.0, key=f"{name}{seed}", parameters=n) for seed, n in enumerate(parameters)]
    return make_experiment(name, made)


def of(*records: ExperimentRecord) -> dict[str, ExperimentRecord]:
    return {it.id: it for it in records}


def test_times_are_compared_by_their_ratio() -> None:
    verdict = judge(cost("training_time", "a", "b"), of(timed("a", FAST), timed("b", SLOW)))
    assert said(verdict) == ("reproduced", "cheaper")
    assert verdict.estimate == pytest.approx(stats.gmean(SLOW) / stats.gmean(FAST))
    assert verdict.values == (tuple(FAST), tuple(SLOW))
    assert (verdict.n, verdict.seeds) == ((3, 4), ((0, 1, 2), (0, 1, 2, 3)))
    assert verdict.badges == ("ratio of training_time",)
    back = judge(cost("training_time", "b", "a"), of(timed("a", FAST), timed("b", SLOW)))
    assert said(back) == ("contradicted", "reversed")


@pytest.mark.parametrize("where", [{"device": "cuda"}, {"threads": 4}])
def test_times_of_different_machines_are_not_compared(where: dict[str, Any]) -> None:
    experiments = of(timed("a", FAST), timed("b", SLOW, **where))
    assert said(judge(cost("training_time", "a", "b"), experiments)) == ("inconclusive", "different_machines")
    both = of(timed("a", FAST, **where), timed("b", SLOW, **where))
    assert judge(cost("training_time", "a", "b"), both).outcome == "reproduced"


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


def curve(reaches: int | None, epochs: int = 8, metric: str = "P@1") -> tuple[dict[str, float], ...]:
    """Ten points an epoch up to the one that has 50, or never."""
    return tuple(
        {"epoch": float(e), "loss": 1.0, metric: 50.0 if reaches is not None and e >= reaches else 40.0}
        for e in range(1, epochs + 1)
    )


def learning(name: str, reaches: Sequence[int | None], **more: Any) -> ExperimentRecord:
    curves = [curve(epoch, **more) for epoch in reaches]
    made = [make_run(seed, 70.0, key=f"{name}{seed}", curve=of) for seed, of in enumerate(curves)]
    return make_experiment(name, made)


def faster(a: ExperimentRecord, b: ExperimentRecord, target: float | None = 50.0, **more: Any) -> Verdict:
    one = claim("convergence", "a", "b", margin=None, details={"target": target}, **more)
    return judge(one, of(a, b))


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


def test_runs_without_a_curve_of_the_metric_are_left_out_and_shown() -> None:
    a, b = learning("a", [2, 3, 4, 2]), learning("b", [5, 6, 7])
    a = replace(a, runs=(*a.runs[:3], replace(a.runs[3], curve=curve(2, metric="P@3"))))
    verdict = faster(a, b)
    assert verdict.p_reproduced == pytest.approx(1 / 20)
    assert verdict.badges[0] == "a: a curve in 3 of 4 runs"
