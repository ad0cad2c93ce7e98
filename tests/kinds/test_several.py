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

from audit.kinds.several import page
from audit.record import ClaimRecord, ExperimentRecord
from audit.stats.decision import Decision
from tests.judging.made import HIGH, LOW, arms, claim, judge, runs, said
from tests.kinds import optimum, ranking
from tests.records import DATA, make_experiment
from tests.stats import golden

TOP, MIDDLE, BOTTOM = [80.1, 80.3, 79.9], [78.0, 78.3, 77.9], [70.2, 69.8, 70.0]

LIKE_MIDDLE = [78.1, 77.8, 78.2]


def test_holm_is_inside() -> None:
    """One-sided p by scipy, adjusted by statsmodels; the largest is that of the ranking."""
    systems = [TOP, MIDDLE, LIKE_MIDDLE, BOTTOM]
    raw = [stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue for a, b in pairwise(systems)]
    got = ranking(*systems)
    assert [it.p_reproduced for it in got.parts] == pytest.approx(multipletests(raw, method="holm")[1])
    assert got.p_reproduced == max(it.p_reproduced for it in got.parts)
    back = [min(1.0, 2 * (1 - p)) for p in raw]
    assert [it.p_contradicted for it in got.parts] == pytest.approx(multipletests(back, method="holm")[1])
    assert got.p_contradicted == min(it.p_contradicted for it in got.parts)


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


LEVELS = {
    "1": [76.2, 76.6, 76.4, 76.1, 76.7],
    "2": [77.8, 78.1, 77.9, 78.2, 77.9],
    "8": [77.6, 78.0, 77.7, 78.0, 78.1],
    "32": [66.4, 66.9, 66.2, 66.8, 66.5],
}


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


def without(*names: str) -> dict[str, ExperimentRecord]:
    """Three data sets, of which these experiments were not run."""
    found = on_three_sets()
    return found | {name: replace(found[name], runs=()) for name in names}


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


def test_a_winner_that_shares_runs_with_its_rival_is_not_compared() -> None:
    found = on_three_sets()
    found["a_x"] = replace(found["a_x"], runs=found["w_x"].runs)
    assert said(judge(table([ON_THREE[0]]), found)) == ("inconclusive", "same_runs")


def test_a_corpus_that_stands_in_for_two_data_sets_counts_once() -> None:
    """The runs of x stand for z too: one line, and neither a Bonferroni step nor a second data set."""
    found = on_three_sets()
    found |= {f"{name}_z": replace(found[f"{name}_z"], runs=found[f"{name}_x"].runs) for name in "wab"}
    lines = [ON_THREE[0], ON_THREE[2]]
    verdict = judge(table(lines), found)
    assert said(verdict) == ("reproduced", "dominates")
    assert len(verdict.parts) == 2 and "z P@1: the same runs as x P@1" in verdict.badges
    assert verdict.p_contradicted == judge(table(lines[:1]), found).p_contradicted
    assert said(judge(table(lines, at_least=2), found)) == ("inconclusive", "partly_run")
    assert judge(table(lines, at_least=1), found).outcome == "reproduced"


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
