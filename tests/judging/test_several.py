"""Tests of audit.judging.several: rankings, trends, optima and dominance, through the comparator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.record import ClaimRecord, ExperimentRecord, Verdict
from tests.judging.made import HALF, HIGH, LOW, arms, claim, judge, margin, runs, said
from tests.records import DATA, make_experiment
from tests.stats import golden

MIDDLE = [77.6, 77.9, 77.7, 78.0, 77.8]


def less(a: Sequence[float], b: Sequence[float]) -> float:
    """One-sided p of "a is not less than b", by scipy's Welch test."""
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue)


# --------------------------------------------------------------------------- ranking


def test_a_ranking_is_its_neighbours_with_holm_inside() -> None:
    verdict = judge(claim("ranking", "a", "b", "c"), arms(a=HIGH, b=MIDDLE, c=LOW))
    raw = [less(MIDDLE, HIGH), less(LOW, MIDDLE)]
    adjusted = multipletests(raw, method="holm")[1]
    assert [part.p_reproduced for part in verdict.parts] == pytest.approx(list(adjusted))
    assert verdict.p_reproduced == pytest.approx(max(adjusted))
    assert said(verdict) == ("reproduced", "in_order")
    assert [(part.says, part.experiments) for part in verdict.parts] == [
        ("a > b", ("a", "b")),
        ("b > c", ("b", "c")),
    ]
    assert [part.estimate for part in verdict.parts] == pytest.approx([0.74, 0.92])


def test_one_reversed_pair_contradicts_a_ranking_and_an_open_one_keeps_it_open() -> None:
    experiments = arms(a=HIGH, b=MIDDLE, c=LOW, d=[x + 0.1 for x in HIGH])
    swapped = judge(claim("ranking", "a", "c", "b"), experiments)
    assert said(swapped) == ("contradicted", "reversed")
    assert [round(part.p_contradicted or 0.0, 3) for part in swapped.parts] == [1.0, 0.0]
    assert judge(claim("ranking", "d", "a", "b"), experiments).outcome == "inconclusive"


def test_a_system_of_a_ranking_that_was_not_run_keeps_it_from_being_judged() -> None:
    assert judge(claim("ranking", "a", "b", "c"), arms(a=HIGH, b=MIDDLE, c=[])).reason == "not_run"


# --------------------------------------------------------------------------- trend


def sweep(**more: Any) -> ClaimRecord:
    names = more.pop("names", ("a", "b", "c", "d"))
    return claim("trend", *names, details={"direction": more.pop("direction", "rising")}, **more)


@golden.cases("page_trend")
def test_the_reference_trend_comes_out_of_the_claim(case: dict[str, Any]) -> None:
    """The blocks of the case are the seeds."""
    levels = dict(zip("abcd", map(list, zip(*case["inputs"]["blocks"], strict=True)), strict=True))
    verdict = judge(sweep(), arms(**levels))
    assert verdict.p_reproduced == pytest.approx(case["expected"]["p_exact"], abs=case["tol"])
    assert said(verdict) == ("reproduced", "trend")
    assert verdict.badges == ("3 seeds as blocks",)
    falling = judge(sweep(direction="falling"), arms(**levels))
    assert said(falling) == ("contradicted", "reversed")
    down = judge(sweep(direction="falling", names=("d", "c", "b", "a")), arms(**levels))
    assert down.p_reproduced == pytest.approx(case["expected"]["p_exact"], abs=case["tol"])
    assert [part.says for part in verdict.parts] == ["b > a", "c > b", "d > c"]
    assert [part.says for part in down.parts] == ["b > a", "c > b", "d > c"]
    assert [part.estimate for part in down.parts] == [part.estimate for part in verdict.parts]
    assert min(part.estimate or 0.0 for part in down.parts) > 0.0


def test_a_trend_goes_by_the_seeds_that_all_levels_have() -> None:
    """Seeds 1, 2, 3: in each the levels rise, so that p = (1/24)^3; seed 0 and 4 would break it."""
    levels: dict[str, list[float | None]] = {
        "a": [99.0, 1.0, 2.0, 3.0, None],
        "b": [50.0, 2.0, 3.0, 4.0, 1.0],
        "c": [30.0, 3.0, 4.0, 5.0, 1.0],
        "d": [None, 4.0, 5.0, 6.0, 0.0],
    }
    verdict = judge(sweep(), arms(**levels))
    assert verdict.p_reproduced == pytest.approx((1 / 24) ** 3)
    assert "3 seeds as blocks" in verdict.badges
    backwards = {k: replace(it, runs=it.runs[::-1]) for k, it in arms(**levels).items()}
    assert judge(sweep(), backwards) == verdict


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ([[1.0, 1.1, 1.2], [2.0, 2.1, 2.2], [None, None, None]], "run_failed"),
        ([[1.0, None, None], [None, 2.1, None], [None, None, 3.2]], "too_few_seeds"),
        ([[1.0], [2.0], [3.0]], "no_variance_estimate"),
        ([[1.0, 1.1], [2.0, 2.1], [3.0, 3.1]], "too_few_seeds"),
        ([[1.0] * 3, [2.0] * 3, [3.0] * 3], "no_spread"),
    ],
)
def test_a_trend_of_few_seeds_is_open(levels: list[list[float | None]], reason: str) -> None:
    names = ("a", "b", "c")
    experiments = arms(**dict(zip(names, levels, strict=True)))
    assert said(judge(sweep(names=names), experiments)) == ("inconclusive", reason)


def test_a_rise_with_one_clear_step_back_is_no_trend() -> None:
    """Page's test alone would see a rise."""
    up = {"a": [1.0, 1.1, 0.9, 1.05], "b": [5.0, 5.1, 4.9, 5.05], "c": [9.0, 9.1, 8.9, 9.05]}
    verdict = judge(sweep(), arms(**up, d=[8.0, 8.1, 7.9, 8.05]))
    assert said(verdict) == ("contradicted", "step_back")
    assert verdict.parts[2].p_contradicted == pytest.approx(3 * 2 * less([8.0, 8.1, 7.9, 8.05], up["c"]))


def test_a_sweep_longer_than_pages_test_goes_is_not_judged() -> None:
    names = tuple("abcdefghijklm")
    levels = {name: [i + 0.0, i + 0.1, i + 0.2] for i, name in enumerate(names)}
    assert judge(sweep(names=names[:12]), arms(**levels)).outcome == "reproduced"
    assert said(judge(sweep(names=names), arms(**levels))) == ("inconclusive", "too_many_levels")


# --------------------------------------------------------------------------- optimum


@golden.cases("optimum")
def test_the_reference_optimum_comes_out_of_the_claim(case: dict[str, Any]) -> None:
    """As papers' files have it, the best level stands among the others."""
    inputs, expected = case["inputs"], case["expected"]
    levels = {f"h{name}": values for name, values in inputs["levels"].items()}
    best = f"h{inputs['claimed_best']}"
    verdict = judge(claim("optimum", best, *levels), arms(**levels))
    assert verdict.outcome == expected["verdict"]
    beats = {part.experiments[1].removeprefix("h"): part.p_reproduced for part in verdict.parts}
    beaten = {part.experiments[1].removeprefix("h"): part.p_contradicted for part in verdict.parts}
    assert golden.close(beats, expected["holm_best_beats"], case["tol"])
    assert golden.close(beaten, expected["holm_beaten_by"], case["tol"])
    tied = ", ".join(name for name in levels if name.removeprefix("h") in expected["candidate_set"])
    assert verdict.badges == (f"tied: {tied}",)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (("a", "b", "c"), ("reproduced", "unique")),
        (("a", "a", "b", "c"), ("reproduced", "unique")),
        (("b", "a", "b", "c"), ("contradicted", "reversed")),
        (("a", "a"), ("inconclusive", "same_runs")),
        (("a", "a", "d"), ("inconclusive", "not_run")),
        (("a", "a", "b", "twin"), ("inconclusive", "same_runs")),
    ],
)
def test_the_best_level_may_stand_among_the_others_but_no_two_may_be_the_same_runs(
    levels: tuple[str, ...], expected: tuple[str, str]
) -> None:
    experiments = arms(a=HIGH, b=MIDDLE, c=LOW, d=[])
    experiments["twin"] = replace(experiments["a"], id="twin")
    assert said(judge(claim("optimum", *levels), experiments)) == expected


def test_levels_are_tied_at_the_level_of_the_look() -> None:
    """ "a" beats "b" with p between .025 and .05."""
    experiments = arms(a=[50.0, 50.1, 50.2], b=[49.75, 49.9, 49.98], c=[40.0, 40.1, 40.2])
    one = claim("optimum", "a", "b", "c")
    full, half = (judge(one, experiments, alpha=alpha) for alpha in (0.05, 0.025))
    assert 0.025 < (full.parts[0].p_reproduced or 0.0) < 0.05
    assert (full.badges, half.badges) == ((), ("tied: a, b",))


def test_among_the_best_is_shown_by_the_margin_of_the_claim() -> None:
    experiments = arms(a=MIDDLE, b=HIGH, c=LOW)

    def among(fixed: Any) -> Verdict:
        details = {"strength": "among_best"}
        return judge(claim("optimum", "a", "a", "b", "c", details=details, margin=fixed), experiments)

    shifted = {D: stats.ttest_ind(MIDDLE, [x - D for x in HIGH], equal_var=False) for D in (1.5, 0.2)}
    assert among(margin(1.5)).p_reproduced == pytest.approx(shifted[1.5].pvalue / 2)
    assert said(among(margin(1.5))) == ("reproduced", "among_best")
    assert among(HALF).outcome == "inconclusive"
    assert said(among(margin(0.2))) == ("contradicted", "reversed")
    assert among(None).reason == "no_margin"
    assert among(margin(1.5)).margin == 1.5
    assert judge(claim("optimum", "a", "b"), experiments).margin is None


# --------------------------------------------------------------------------- dominance


def table(lines: Sequence[tuple[str, str, str, list[str]]], **details: Any) -> ClaimRecord:
    """(data set, metric, winner, rivals) a line."""
    held = [{"dataset": d, "metric": m, "winner": w, "rivals": r} for d, m, w, r in lines]
    names = dict.fromkeys(name for line in held for name in (line["winner"], *line["rivals"]))
    return claim("dominance", *names, metric="", margin=None, details={"lines": held, **details})


def on_three_sets() -> dict[str, ExperimentRecord]:
    """Winner `w` and rivals `a` and `b` on data sets x, y, z; on y the first two change places."""
    values = {"w": HIGH, "a": MIDDLE, "b": LOW}
    found = {}
    for data in "xyz":
        for name, held in values.items():
            it = {"w": values["a"], "a": values["w"]}.get(name, held) if data == "y" else held
            key = f"{name}_{data}"
            data_info = replace(DATA, name=data)
            found[key] = make_experiment(key, runs(it, prefix=key, data=data_info), dataset=data)
    return found


ON_THREE = [(data, "P@1", f"w_{data}", [f"a_{data}", f"b_{data}"]) for data in "xyz"]


def test_best_everywhere_is_every_order_and_the_largest_p() -> None:
    lines = [ON_THREE[0], ON_THREE[2]]
    verdict = judge(table(lines), on_three_sets())
    assert said(verdict) == ("reproduced", "dominates")
    assert verdict.p_reproduced == pytest.approx(max(less(MIDDLE, HIGH), less(LOW, HIGH)))
    assert [part.says for part in verdict.parts] == [
        "x P@1: w_x > a_x",
        "x P@1: w_x > b_x",
        "z P@1: w_z > a_z",
        "z P@1: w_z > b_z",
    ]


def on_a_stand_in(*names: str) -> dict[str, ExperimentRecord]:
    """One corpus stands for x and for z: their experiments rest on the same runs."""
    found = on_three_sets()
    for name in ("w", "a", "b"):
        held = found[f"{name}_x"].runs if name in names else ()
        for data in "xz":
            key = f"{name}_{data}"
            found[key] = replace(found[key], runs=held)
    return found


def test_one_corpus_for_two_data_sets_is_compared_in_each() -> None:
    verdict = judge(table([ON_THREE[0], ON_THREE[2]]), on_a_stand_in("w", "a", "b"))
    assert said(verdict) == ("reproduced", "dominates")


def test_rivals_that_share_runs_over_data_sets_say_nothing_without_the_winner() -> None:
    verdict = judge(table([ON_THREE[0], ON_THREE[2]]), on_a_stand_in("a"))
    assert said(verdict) == ("inconclusive", "not_run")


def test_a_winner_that_shares_runs_with_its_rival_is_not_compared() -> None:
    found = on_three_sets()
    found["a_x"] = replace(found["a_x"], runs=found["w_x"].runs)
    assert said(judge(table([ON_THREE[0]]), found)) == ("inconclusive", "same_runs")


def test_one_rival_above_contradicts_best_everywhere_by_bonferroni() -> None:
    """Two rivals on each of three data sets: 2 p for the place, 3 times that for the data sets."""
    verdict = judge(table(ON_THREE), on_three_sets())
    assert said(verdict) == ("contradicted", "reversed")
    assert verdict.p_contradicted == pytest.approx(2 * 3 * 2 * less(MIDDLE, HIGH))


def test_second_place_needs_one_of_two_rivals_below() -> None:
    verdict = judge(table([ON_THREE[1]], place=2), on_three_sets())
    assert said(verdict) == ("reproduced", "dominates")
    assert verdict.p_reproduced == pytest.approx(2 * less(LOW, MIDDLE))
    assert judge(table([ON_THREE[1]]), on_three_sets()).outcome == "contradicted"


def test_at_least_so_many_data_sets_is_a_partial_conjunction_of_each_metric() -> None:
    """Two of three: (3 - 2 + 1) times the second smallest p of the data sets."""
    experiments = on_three_sets()
    verdict = judge(table(ON_THREE, at_least=2), experiments)
    each = max(less(MIDDLE, HIGH), less(LOW, HIGH))
    assert verdict.p_reproduced == pytest.approx(2 * each)
    assert said(verdict) == ("reproduced", "dominates")
    assert judge(table(ON_THREE, at_least=3), experiments).outcome == "contradicted"


def test_at_least_must_hold_for_every_metric() -> None:
    """P@1 holds on two of three data sets, P@3 has w and a the other way round everywhere."""
    experiments = on_three_sets()
    swap = {"w": "a", "a": "w", "b": "b"}
    for key, record in experiments.items():
        other = experiments[f"{swap[key[0]]}_{key[2]}"]
        values = [run.metrics["P@1"] for run in other.runs]
        two = [
            replace(run, metrics={"P@1": run.metrics["P@1"], "P@3": x})
            for run, x in zip(record.runs, values, strict=True)
        ]
        experiments[key] = replace(record, runs=tuple(two))
    both = [(d, metric, w, r) for d, _, w, r in ON_THREE for metric in ("P@1", "P@3")]
    verdict = judge(table(both, at_least=2), experiments)
    assert said(verdict) == ("contradicted", "reversed")
    # P@3 alone: broken on x and z, so 2 of 3 cannot hold: (3 - 2 + 1) 2 p; twice that for two metrics
    assert verdict.p_contradicted == pytest.approx(2 * 2 * 2 * 2 * less(MIDDLE, HIGH))
    assert len(verdict.parts) == 12


def test_a_metric_of_a_line_that_was_not_measured_is_said_and_counts_as_not_shown() -> None:
    lines = [ON_THREE[0], ("x", "P@3", "w_x", ["a_x", "b_x"])]
    verdict = judge(table(lines), on_three_sets())
    assert said(verdict) == ("inconclusive", "partly_run")
    assert "w_x: P@3 not measured in 5 of 5 runs" in verdict.badges
    assert verdict.p_reproduced == 1.0
    assert [part.estimate is None for part in verdict.parts] == [False, False, True, True]


def without(*names: str) -> dict[str, ExperimentRecord]:
    """Three data sets, of which these experiments were not run."""
    found = on_three_sets()
    return found | {name: replace(found[name], runs=()) for name in names}


def test_data_sets_that_were_run_may_contradict_for_all() -> None:
    """On y a rival is above, whatever z would say: still two rivals on three data sets, so 2 * 3 * 2 p."""
    verdict = judge(table(ON_THREE), without("w_z", "a_z", "b_z"))
    assert said(verdict) == ("contradicted", "reversed")
    assert verdict.p_contradicted == pytest.approx(2 * 3 * 2 * less(MIDDLE, HIGH))
    assert "w_z: no run for z P@1" in verdict.badges
    assert verdict.n == (5, 5, 5, 5, 5, 5, 0, 0, 0)


@pytest.mark.parametrize("missing", [("w_z", "a_z", "b_z"), ("b_z",), ("w_z",)])
@pytest.mark.parametrize("details", [{}, {"at_least": 1}])
def test_nothing_is_reproduced_before_all_of_it_was_run(
    missing: tuple[str, ...], details: dict[str, Any]
) -> None:
    """Not even "on at least one", which x alone would show."""
    verdict = judge(table([ON_THREE[0], ON_THREE[2]], **details), without(*missing))
    assert said(verdict) == ("inconclusive", "partly_run")
    assert all(f"{name}: no run for z P@1" in verdict.badges for name in missing)
    everything = judge(table([ON_THREE[0], ON_THREE[2]], **details), on_three_sets())
    assert everything.outcome == "reproduced"


def test_what_was_not_run_is_counted_for_the_claim() -> None:
    """ "On at least two of three" is broken on y alone only if another one were broken too."""
    assert judge(table(ON_THREE, at_least=2), without("w_x")).reason == "partly_run"


def test_a_claim_of_which_nothing_was_run_is_not_run() -> None:
    assert said(judge(table(ON_THREE), without(*on_three_sets()))) == ("inconclusive", "not_run")
    assert judge(table(ON_THREE), without("w_x", "w_y", "w_z")).reason == "not_run"


def test_models_that_were_not_run_need_no_gate() -> None:
    """The one that contradicts has passed its checks; that another has not is no matter here."""
    held = without("w_z")
    held["w_z"] = replace(held["w_z"], model="attention_xml")
    assert judge(table(ON_THREE), held).outcome == "contradicted"
    held = without("w_z")
    held["w_y"] = replace(held["w_y"], model="attention_xml")
    assert judge(table(ON_THREE), held).reason == "unverified_reimplementation"


def test_single_runs_of_some_data_sets_are_still_single_runs() -> None:
    one_run = {k: replace(it, runs=it.runs[:1]) for k, it in without("w_x").items()}
    assert judge(table(ON_THREE), one_run).reason == "no_variance_estimate"


def test_a_place_below_which_there_is_nobody_is_not_judged() -> None:
    verdict = judge(table([("x", "P@1", "w_x", ["a_x"])], place=2), on_three_sets())
    assert said(verdict) == ("inconclusive", "place_always_held")
    assert verdict.badges == ("x P@1: 2 methods",)


def test_the_methods_of_one_data_set_must_be_tested_on_the_same_documents() -> None:
    experiments = on_three_sets()
    other = replace(DATA, name="z", n_test=49)
    experiments["a_z"] = make_experiment("a_z", runs(MIDDLE, prefix="a_z", data=other), dataset="z")
    assert judge(table(ON_THREE), experiments).reason == "different_data"


@pytest.mark.parametrize("at_least", [None, 2])
def test_dominance_of_single_runs_is_open(at_least: int | None) -> None:
    one_run = {k: replace(it, runs=it.runs[:1]) for k, it in on_three_sets().items()}
    verdict = judge(table(ON_THREE, **({"at_least": at_least} if at_least else {})), one_run)
    assert said(verdict) == ("inconclusive", "no_variance_estimate")
