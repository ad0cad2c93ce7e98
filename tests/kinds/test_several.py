"""Several experiments at once: rankings, trends, optima, dominance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.kinds.several import Comparison, compared, dominance, optimum, page, ranking, trend
from audit.record import ClaimRecord, ExperimentRecord
from audit.stats.decision import Decision, Route, Steps, Test
from tests.judging.made import HIGH, LOW, arms, claim, judge, runs, said
from tests.kinds import noted
from tests.records import DATA, make_experiment
from tests.stats import golden

# --------------------------------------------------------------------------- ranking


TOP, MIDDLE, BOTTOM = [80.1, 80.3, 79.9], [78.0, 78.3, 77.9], [70.2, 69.8, 70.0]


LIKE_MIDDLE = [78.1, 77.8, 78.2]


def test_holm_is_inside() -> None:
    """One-sided p by scipy, adjusted by statsmodels; the largest is that of the ranking."""
    systems = [TOP, MIDDLE, LIKE_MIDDLE, BOTTOM]
    raw = [stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue for a, b in pairwise(systems)]
    got = ranking(systems)
    assert [it.p_reproduced for it in got.parts] == pytest.approx(multipletests(raw, method="holm")[1])
    assert got.p_reproduced == max(it.p_reproduced for it in got.parts)
    back = [min(1.0, 2 * (1 - p)) for p in raw]
    assert [it.p_contradicted for it in got.parts] == pytest.approx(multipletests(back, method="holm")[1])
    assert got.p_contradicted == min(it.p_contradicted for it in got.parts)


def test_a_reversal_that_holm_does_not_leave_decides_nothing() -> None:
    """2 p of the reversal alone is .0419 by scipy; as the smallest of two it is .084."""
    lower, higher = [77.9, 78.0, 78.1], [78.2, 78.5, 78.3]
    alone = stats.ttest_ind(lower, higher, equal_var=False).pvalue
    assert 0.025 < alone < 0.05
    assert ranking([lower, higher]).decide().outcome == "contradicted"
    got = ranking([lower, higher, BOTTOM])
    assert got.p_contradicted == pytest.approx(2 * alone)
    assert got.decide().outcome == "inconclusive"


def test_too_few_seeds_of_one_system_keep_it_from_being_reproduced_not_from_being_contradicted() -> None:
    assert ranking([TOP, MIDDLE, [1.0, 2.0]]).decide() == Decision("inconclusive", "too_few_seeds")
    assert ranking([[99.0], MIDDLE, TOP, BOTTOM]).decide() == Decision("contradicted", "reversed")
    assert ranking([[99.0], TOP]).decide() == Decision("inconclusive", "no_variance_estimate")
    assert not ranking([[99.0], TOP]).testable


@pytest.mark.parametrize(
    ("values", "outcome"),
    [((3.0, 2.0, 1.0), "reproduced"), ((3.0, 1.0, 2.0), "contradicted"), ((3.0, 2.0, 2.0), "inconclusive")],
)
def test_deterministic_systems_are_ranked_exactly(values: tuple[float, ...], outcome: str) -> None:
    got = ranking([[x, x] for x in values], deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


# --------------------------------------------------------------------------- trend


RISING = [[82.4, 82.6, 82.5], [83.4, 83.5, 83.3], [83.6, 83.4, 83.6], [84.2, 84.0, 84.1]]


@golden.cases("page_trend")
def test_page(case: dict[str, Any]) -> None:
    got = page(case["inputs"]["blocks"])
    golden.check(case, L=got[0], p_exact=got[1])


@given(st.lists(st.permutations(range(4)), min_size=2, max_size=6))
def test_it_is_the_exact_test_of_scipy(blocks: list[list[int]]) -> None:
    (L, p), theirs = page(blocks), stats.page_trend_test(blocks, method="exact")
    assert pytest.approx(theirs.statistic) == L
    assert p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_ties_have_a_law_of_their_own() -> None:
    """All orders of the midranks of both blocks, counted one by one."""
    blocks = [[1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 4.0, 6.0]]
    ranks = [stats.rankdata(block).tolist() for block in blocks]

    def statistic(pair: tuple[tuple[float, ...], ...]) -> float:
        return sum(j * r for block in pair for j, r in enumerate(block, start=1))

    every = [statistic(pair) for pair in product(*(list(permutations(r)) for r in ranks))]
    L, p = page(blocks)
    assert pytest.approx(statistic(tuple(map(tuple, ranks)))) == L
    assert p == pytest.approx(sum(x >= L for x in every) / len(every))


def test_a_falling_trend_is_a_rising_one_read_backwards() -> None:
    falling = trend(RISING[::-1], rising=False)
    assert [noted(falling, it) for it in ("L", "p_trend")] == [89.0, pytest.approx(0.00072337963)]
    assert trend(RISING, rising=False).decide() == Decision("contradicted", "reversed")


def test_steps_back_are_adjusted_for_their_number() -> None:
    """Two-sided p .0419 by scipy (see the rankings), times three steps."""
    levels = [[10.0, 10.1, 10.2], [78.2, 78.5, 78.3], [77.9, 78.0, 78.1], [90.0, 90.1, 90.2]]
    alone = stats.ttest_ind(levels[1], levels[2], equal_var=False).pvalue
    assert trend(levels).parts[1].p_contradicted == pytest.approx(3 * alone)
    assert trend(levels).decide().outcome == "reproduced"


@pytest.mark.parametrize(
    ("values", "outcome"),
    [((1.0, 2.0, 3.0), "reproduced"), ((1.0, 3.0, 2.0), "contradicted"), ((1.0, 2.0, 2.0), "inconclusive")],
)
def test_deterministic_levels_are_compared_exactly(values: tuple[float, ...], outcome: str) -> None:
    got = trend([[x, x] for x in values], deterministic=True)
    assert (got.decide().outcome, got.testable, got.cap) == (outcome, False, None)


# --------------------------------------------------------------------------- optimum


LEVELS = {
    "1": [76.2, 76.6, 76.4, 76.1, 76.7],
    "2": [77.8, 78.1, 77.9, 78.2, 77.9],
    "8": [77.6, 78.0, 77.7, 78.0, 78.1],
    "32": [66.4, 66.9, 66.2, 66.8, 66.5],
}


CLEAR = {name: LEVELS[name] for name in ("1", "2", "32")}


@golden.cases("optimum")
def test_optimum(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = optimum(inputs["levels"], best=inputs["claimed_best"], alpha=inputs["alpha"])
    golden.check(
        case,
        holm_best_beats={it.experiments[1]: it.p_reproduced for it in got.parts},
        holm_beaten_by={it.experiments[1]: it.p_contradicted for it in got.parts},
        strictly_best=max(it.p_reproduced or 0.0 for it in got.parts) <= inputs["alpha"],
        excluded=min(it.p_contradicted or 0.0 for it in got.parts) <= inputs["alpha"],
        candidate_set=got.badges[0].removeprefix("tied: ").split(", "),
        verdict=got.decide(alpha=inputs["alpha"]).outcome,
    )
    assert got.decide().reason == "tied"


def test_it_is_welch_of_scipy_with_holm_of_statsmodels() -> None:
    got = optimum(LEVELS, best="8")
    raw = [stats.ttest_ind(LEVELS["8"], LEVELS[x], equal_var=False).statistic for x in ("1", "2", "32")]
    assert [t > 0 for t in raw] == [True, False, True]
    for side, name in (("greater", "p_reproduced"), ("less", "p_contradicted")):
        theirs = [
            stats.ttest_ind(LEVELS["8"], LEVELS[x], equal_var=False, alternative=side).pvalue
            for x in ("1", "2", "32")
        ]
        assert [getattr(it, name) for it in got.parts] == pytest.approx(
            multipletests(theirs, method="holm")[1]
        )


def test_that_no_level_is_better_by_the_margin_must_be_shown() -> None:
    """By scipy's Welch test against the shifted level; not to be seen is not enough to be absent."""
    noisy = {"1": [76.0, 76.9, 76.6], "2": [76.4, 77.2, 77.0], "32": LEVELS["32"]}
    got = optimum(noisy, best="1", margin=0.5)
    shifted = [x - 0.5 for x in noisy["2"]]
    p = stats.ttest_ind(noisy["1"], shifted, equal_var=False, alternative="greater").pvalue
    assert got.p_reproduced == pytest.approx(p) and p > 0.3
    assert got.decide() == Decision("inconclusive", "tied")
    assert optimum(noisy, best="1", margin=2.0).decide().outcome == "reproduced"


def test_a_level_that_is_better_by_less_than_the_margin_does_not_contradict() -> None:
    """ "2" is better than "1" beyond doubt, by 1.54: a margin of 1 is exceeded, one of 2 is not."""
    assert optimum(LEVELS, best="1", margin=2.0).decide().outcome == "reproduced"
    beyond = optimum(LEVELS, best="1", margin=1.0)
    raw = [
        stats.ttest_ind(LEVELS["1"], [x - 1.0 for x in LEVELS[name]], equal_var=False, alternative="less")
        for name in ("2", "8", "32")
    ]
    assert beyond.p_contradicted == pytest.approx(
        multipletests([t.pvalue for t in raw], method="holm")[1].min()
    )
    assert beyond.decide() == Decision("contradicted", "reversed")


@pytest.mark.parametrize("margin", [0.0, -0.5])
def test_among_the_best_needs_a_margin(margin: float) -> None:
    with pytest.raises(ValueError, match=f"above 0: got .*{margin}"):
        optimum(LEVELS, best="2", margin=margin)


def test_against_one_other_level_it_is_an_order_claim() -> None:
    """The reversal is two-sided there, p = .0419 by scipy, and so it is here."""
    two = {"a": [77.9, 78.0, 78.1], "b": [78.2, 78.5, 78.3]}
    two_sided = stats.ttest_ind(two["a"], two["b"], equal_var=False).pvalue
    assert optimum(two, best="a").p_contradicted == pytest.approx(two_sided)
    assert optimum(two, best="a").parts[0].p_contradicted == pytest.approx(two_sided / 2)
    assert optimum(two, best="b").p_reproduced == pytest.approx(two_sided / 2)


def test_a_level_with_too_few_seeds_stays_in_the_family() -> None:
    levels = CLEAR | {"64": [50.0, 50.1]}
    got = optimum(levels, best="2")
    assert got.decide() == Decision("inconclusive", "too_few_seeds")
    assert got.parts[-1].p_reproduced == 1.0
    assert optimum({"2": [78.0], "64": [50.0] * 3}, best="2").decide().reason == "no_variance_estimate"


@pytest.mark.parametrize(
    ("values", "strength", "outcome"),
    [
        ((3.0, 2.0, 1.0), "unique", "reproduced"),
        ((3.0, 3.0, 1.0), "unique", "inconclusive"),
        ((3.0, 3.0, 1.0), "among_best", "reproduced"),
        ((3.0, 3.0, 3.0), "among_best", "inconclusive"),
        ((2.0, 3.0, 1.0), "among_best", "contradicted"),
        ((2.5, 3.0, 1.0), "among_best", "reproduced"),  # on the margin
        ((2.49, 3.0, 1.0), "among_best", "contradicted"),
        ((2.9, 3.0, 1.0), "unique", "contradicted"),
    ],
)
def test_deterministic_levels_are_compared_exactly_of_optimum(
    values: tuple[float, ...], strength: Any, outcome: str
) -> None:
    levels = {str(i): [x, x] for i, x in enumerate(values)}
    got = optimum(levels, best="0", margin=0.5 if strength == "among_best" else None, deterministic=True)
    assert (got.decide().outcome, got.testable) == (outcome, False)


# --------------------------------------------------------------------------- dominance


WINNER, CLOSE, FAR = [80.0, 80.2, 80.1], [80.1, 80.0, 80.2], [70.0, 70.2, 70.1]


def over(x: list[float], y: list[float]) -> Comparison:
    return compared(Steps(), "x", "y", x, y)


def decided(lines: list[list[Comparison]], **more: Any) -> str:
    p_rep, p_con = dominance(lines, **more)
    return Test(p_reproduced=p_rep, contradictions=(Route(reason="reversed", p=p_con),)).decide().outcome


BEATS, TIES, LOSES = over(WINNER, FAR), over(WINNER, CLOSE), over(FAR, WINNER)


def test_second_best_may_lose_once() -> None:
    assert decided([[BEATS, BEATS, LOSES]], place=2) == "reproduced"
    assert decided([[BEATS, LOSES, LOSES]], place=2) == "contradicted"
    assert decided([[BEATS, LOSES, TIES]], place=2) == "inconclusive"


def test_some_of_the_data_sets_may_be_lost() -> None:
    datasets = [[BEATS], [BEATS], [LOSES]]
    assert decided(datasets, at_least=2) == "reproduced"
    assert decided(datasets) == "contradicted"
    assert decided([[BEATS], [LOSES], [LOSES]], at_least=2) == "contradicted"


def test_losses_contradict_only_where_too_few_data_sets_are_left() -> None:
    """At least 1 of 3: one loss does not matter while the other two are open, three do."""
    assert decided([[LOSES], [TIES], [TIES]], at_least=1) == "inconclusive"
    assert decided([[LOSES]] * 3, at_least=1) == "contradicted"


def test_too_few_seeds_are_not_shown() -> None:
    few = over([80.0, 80.1], [20.0, 20.1])
    assert decided([[BEATS, few]]) == "inconclusive"
    assert few.holds == few.reversed == 1.0


# --------------------------------------------------------------------------- several


MIDDLE = [77.6, 77.9, 77.7, 78.0, 77.8]


def less(a: Sequence[float], b: Sequence[float]) -> float:
    """One-sided p of "a is not less than b", by scipy's Welch test."""
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue)


def test_one_reversed_pair_contradicts_a_ranking_and_an_open_one_keeps_it_open() -> None:
    experiments = arms(a=HIGH, b=MIDDLE, c=LOW, d=[x + 0.1 for x in HIGH])
    swapped = judge(claim("ranking", "a", "c", "b"), experiments)
    assert said(swapped) == ("contradicted", "reversed")
    assert [round(part.p_contradicted or 0.0, 3) for part in swapped.parts] == [1.0, 0.0]
    assert judge(claim("ranking", "d", "a", "b"), experiments).outcome == "inconclusive"


def sweep(**more: Any) -> ClaimRecord:
    names = more.pop("names", ("a", "b", "c", "d"))
    return claim("trend", *names, details={"direction": more.pop("direction", "rising")}, **more)


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


def test_a_sweep_longer_than_pages_test_goes_is_not_judged() -> None:
    names = tuple("abcdefghijklm")
    levels = {name: [i + 0.0, i + 0.1, i + 0.2] for i, name in enumerate(names)}
    assert judge(sweep(names=names[:12]), arms(**levels)).outcome == "reproduced"
    assert said(judge(sweep(names=names), arms(**levels))) == ("inconclusive", "too_many_levels")


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


def test_a_place_below_which_there_is_nobody_is_not_judged() -> None:
    verdict = judge(table([("x", "P@1", "w_x", ["a_x"])], place=2), on_three_sets())
    assert said(verdict) == ("inconclusive", "place_always_held")
    assert verdict.badges == ("x P@1: 2 methods",)


def test_the_methods_of_one_data_set_must_be_tested_on_the_same_documents() -> None:
    experiments = on_three_sets()
    other = replace(DATA, name="z", n_test=49)
    experiments["a_z"] = make_experiment("a_z", runs(MIDDLE, prefix="a_z", data=other), dataset="z")
    assert judge(table(ON_THREE), experiments).reason == "different_data"
