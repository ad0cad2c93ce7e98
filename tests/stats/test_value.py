"""Tests of audit.stats.value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.stats.decision import Decision
from audit.stats.instance import OtherSplit, instance_se, satterthwaite
from audit.stats.printed import printed
from audit.stats.sample import sample
from audit.stats.spread import READINGS, Spread
from audit.stats.student import interval
from audit.stats.value import value
from tests.stats import golden

RUNS = [75.50, 75.83, 75.96]
V = printed("76.38")


@golden.cases("value")
def test_value(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    noise = (inputs["pooled_sd"], inputs["pooled_df"]) if "pooled_sd" in inputs else None
    got = value(
        inputs["ours"],
        reported=printed(inputs["reported"]),
        margin=inputs["margin"],
        paper_runs=inputs["paper_runs"],
        noise=noise,
        deterministic=inputs.get("deterministic", False),
    )
    decision = got.decide(alpha=inputs["alpha"])
    named = {
        "n": got.n,
        "mean": got.mean,
        "sd": got.sd,
        "df": got.df,
        "d": got.difference,
        "half_width_rounding": got.half_unit,
        "ci90": got.ci90,
        "ci95": got.ci95,
        "pi95": got.pi95,
        "p_reproduced": got.p_reproduced,
        "p_contradicted": got.p_contradicted,
        "margin_reproduced_from": got.reproduced_from,
        "margin_contradicted_up_to": got.contradicted_up_to,
        "verdict": decision.outcome,
        "reason": decision.reason,
    }
    golden.check(case, **{name: named[name] for name in case["expected"]})


@golden.cases("value_other_split")
def test_value_on_another_split(case: dict[str, Any]) -> None:
    """The case rounds our share to 76.0 in the binomial formula: so the pieces agree, the whole to 0.3 %."""
    inputs = case["inputs"]
    reported = printed(inputs["reported"])
    ours = sample(inputs["ours"])
    assert ours.sd is not None
    instance = math.hypot(
        instance_se(100 * inputs["p_paper"], documents=inputs["N_paper"]),
        instance_se(100 * inputs["p_ours"], documents=inputs["N_ours"]),
    )
    seeds = ours.sd / math.sqrt(3)
    total = math.hypot(instance, seeds)
    df = satterthwaite(((seeds**2, 2), (instance**2, math.inf)))
    split = OtherSplit(documents_paper=inputs["N_paper"], documents_ours=inputs["N_ours"])
    whole = value(inputs["ours"], reported=reported, margin=inputs["margin"], other_split=split)
    golden.check(
        case,
        instance_se=instance,
        seed_se=seeds,
        se_total=total,
        satterthwaite_df=df,
        ci90_d=interval(ours.mean - float(reported.value), total, df, level=0.90),
        verdict=whole.decide().outcome,
    )
    assert whole.decide().reason == "other_split"
    assert whole.se == pytest.approx(total, rel=3e-3)
    assert whole.ci90 is not None
    assert [end - 76.38 for end in whole.ci90] == pytest.approx(case["expected"]["ci90_d"], abs=3e-3)


@given(
    runs=st.lists(st.floats(60, 80), min_size=3, max_size=8),
    digits=st.integers(6000, 8000),
    margin=st.floats(0.01, 5),
    paper_runs=st.integers(1, 5),
)
def test_p_values_and_bands_are_dual_to_scipys_intervals(
    runs: list[float], digits: int, margin: float, paper_runs: int
) -> None:
    """D_R and D_C derived anew by `scipy.stats.t`; each p crosses .05 where the margin crosses them."""
    n, sd = len(runs), float(np.std(runs, ddof=1))
    assume(sd > 1e-3)
    reported = printed(f"{digits / 100:.2f}")
    got = value(runs, reported=reported, margin=margin, paper_runs=paper_runs)
    distance = abs(sum(runs) / n - digits / 100)
    D_R = distance + stats.t.ppf(0.95, n - 1) * sd / math.sqrt(n) + 0.005
    D_C = max(0.0, distance - stats.t.ppf(0.975, n - 1) * sd * math.sqrt(1 / n + 1 / paper_runs) - 0.005)
    assert got.reproduced_from == pytest.approx(D_R, abs=1e-6)
    assert got.contradicted_up_to == pytest.approx(D_C, abs=1e-6)
    assume(abs(margin - D_R) > 1e-5 and abs(margin - D_C) > 1e-5)
    expected = "reproduced" if margin > D_R else "contradicted" if margin < D_C else "inconclusive"
    assert got.decide().outcome == expected


@pytest.mark.parametrize(
    ("shift", "outcome"),
    [
        # runs v + shift + (-.1, 0, .1): s = .1, t.95,2 = 2.919986, t.975,2 = 4.302653, D = .5, h = .005
        (0.495 - 2.919986 * 0.1 / math.sqrt(3) - 1e-5, "reproduced"),
        (0.495 - 2.919986 * 0.1 / math.sqrt(3) + 1e-5, "inconclusive"),
        (0.500, "inconclusive"),
        (0.505 + 4.302653 * 0.1 * math.sqrt(4 / 3) - 1e-5, "inconclusive"),
        (0.505 + 4.302653 * 0.1 * math.sqrt(4 / 3) + 1e-5, "contradicted"),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_edges_of_the_three_regions(shift: float, outcome: str, sign: int) -> None:
    runs = [76.38 + sign * shift + e for e in (-0.1, 0.0, 0.1)]
    assert value(runs, reported=V, margin=0.5).decide().outcome == outcome


def test_more_runs_of_the_paper_make_contradiction_easier() -> None:
    """A mean of five printed runs cannot be one lucky run."""
    runs = [75.0, 75.2, 75.4]
    one, five = (value(runs, reported=V, margin=0.5, paper_runs=m) for m in (1, 5))
    assert one.p_contradicted is not None and five.p_contradicted is not None
    assert five.p_contradicted < one.p_contradicted
    assert five.p_reproduced == one.p_reproduced


def test_coarser_printing_decides_less_both_ways() -> None:
    """h enters against both verdicts."""
    near, far = [83.55, 83.60, 83.65], [85.0, 85.1, 85.2]
    for runs, name in ((near, "p_reproduced"), (far, "p_contradicted")):
        coarse = getattr(value(runs, reported=printed("83.6"), margin=0.3), name)
        fine = getattr(value(runs, reported=printed("83.60"), margin=0.3), name)
        assert coarse > fine


def test_the_reason_says_whether_more_seeds_would_help() -> None:
    """Inside the prediction interval a lucky run explains it; outside, the margin is what is not settled."""
    assert value(RUNS, reported=V, margin=0.5).decide() == Decision("inconclusive", "within_seed_spread")
    outside = value([75.80, 75.85, 75.90], reported=V, margin=0.5)
    assert outside.pi95 is not None
    assert outside.pi95[1] < 76.38
    assert outside.decide() == Decision("inconclusive", "straddles_margin")


@pytest.mark.parametrize(
    ("runs", "reason"),
    [([76.38], "no_variance_estimate"), ([76.37, 76.39], "too_few_seeds"), ([76.38, 76.38], "too_few_seeds")],
)
def test_one_or_two_runs_never_decide(runs: list[float], reason: str) -> None:
    assert value(runs, reported=V, margin=5.0).decide() == Decision("inconclusive", reason)
    far = [x - 50.0 for x in runs]
    assert value(far, reported=V, margin=0.1).decide() == Decision("inconclusive", reason)


def test_one_run_gives_no_interval() -> None:
    got = value([75.96], reported=V, margin=0.5)
    assert (got.sd, got.se, got.df, got.ci90, got.ci95, got.pi95) == (None,) * 6
    assert (got.p_reproduced, got.p_contradicted, got.reproduced_from) == (None, None, None)


@pytest.mark.parametrize("runs", [[76.38] * 3, [10.0] * 5])
def test_equal_runs_that_nobody_declared_deterministic_decide_nothing(runs: list[float]) -> None:
    got = value(runs, reported=V, margin=0.5)
    assert got.decide() == Decision("inconclusive", "no_spread")
    assert (got.sd, got.p_reproduced, got.ci95, got.testable) == (0.0, None, None, False)


@pytest.mark.parametrize(
    ("run", "margin", "outcome"),
    [
        (76.38, 0.5, "reproduced"),
        (76.875, 0.5, "reproduced"),  # on D - h, where floating point says 0.49500000000000455
        (75.885, 0.5, "reproduced"),
        (76.8751, 0.5, "inconclusive"),
        (76.885, 0.5, "inconclusive"),  # on D + h
        (76.8851, 0.5, "contradicted"),
        (75.8749, 0.5, "contradicted"),
        (76.385, 0.005, "reproduced"),  # D = h: the same printed digits
        (76.3851, 0.005, "inconclusive"),
        (76.3901, 0.005, "contradicted"),
        (76.38, 0.0, "inconclusive"),  # rounding alone is wider than no margin
    ],
)
def test_declared_deterministic_is_exact(run: float, margin: float, outcome: str) -> None:
    got = value([run, run], reported=V, margin=margin, deterministic=True)
    assert got.decide().outcome == outcome
    assert not got.testable


def test_declared_deterministic_needs_two_equal_runs() -> None:
    assert (
        value([76.38], reported=V, margin=0.5, deterministic=True).decide().reason == "no_variance_estimate"
    )
    assert value([76.38, 76.4], reported=V, margin=0.5, deterministic=True).decide().reason == "too_few_seeds"
    varying = value([76.37, 76.38, 76.39], reported=V, margin=0.5, deterministic=True)
    assert varying.decide() == Decision("reproduced", "tost")


def test_another_split_makes_contradiction_harder() -> None:
    """Off by 2.2 points with hardly any seed noise: documents alone give 0.97 points of error."""
    runs = [73.9, 74.28, 74.05, 74.31, 74.12]
    assert value(runs, reported=V, margin=0.5).decide().outcome == "contradicted"
    split = OtherSplit(documents_paper=3865, documents_ours=3809)
    assert value(runs, reported=V, margin=0.5, other_split=split).decide() == Decision(
        "inconclusive", "other_split"
    )


@given(
    runs=st.lists(st.floats(60, 80), min_size=3, max_size=6),
    documents=st.integers(100, 1_000_000),
    margin=st.floats(0.01, 5),
)
def test_another_split_never_contradicts_more_easily(
    runs: list[float], documents: int, margin: float
) -> None:
    """The known noise of documents raises the degrees of freedom: three seeds of 2 df would gain by it."""
    split = OtherSplit(documents_paper=documents, documents_ours=documents)
    own, other = (value(runs, reported=V, margin=margin, other_split=it) for it in (None, split))
    if own.p_contradicted is None or other.p_contradicted is None:
        return
    assert other.p_contradicted >= own.p_contradicted
    assert (other.contradicted_up_to or 0.0) <= (own.contradicted_up_to or 0.0)


def test_seeds_that_spread_contradict_no_more_on_another_split() -> None:
    """2 df give .068 to the seeds alone, and .038 with the documents, whose noise makes it 3.9 df."""
    runs = [68.6, 70.0, 71.4]
    split = OtherSplit(documents_paper=3865, documents_ours=3809)
    got = value(runs, reported=V, margin=0.5, other_split=split)
    off = abs(70.0 - 76.38) - 0.505
    se = 1.4 * math.sqrt(4 / 3)
    assert got.p_contradicted == pytest.approx(2 * stats.t.sf(off / se, 2), rel=1e-9)


def test_a_deterministic_method_on_another_split_has_the_noise_of_the_documents_alone() -> None:
    split = OtherSplit(documents_paper=3865, documents_ours=3809)
    got = value([76.0, 76.0], reported=V, margin=3.0, deterministic=True, other_split=split)
    assert got.df == math.inf
    assert got.se == pytest.approx(0.97244202, abs=1e-6)  # the golden case's instance error
    assert got.decide() == Decision("reproduced", "tost")


def test_no_margin_is_never_reproduced() -> None:
    assert value([76.37, 76.38, 76.39], reported=V, margin=0.0).decide().outcome == "inconclusive"


def test_the_top_of_the_scale() -> None:
    got = value([99.97, 100.0, 99.98], reported=printed("100.00"), margin=0.5)
    assert got.decide() == Decision("reproduced", "tost")


@pytest.mark.parametrize("runs", [[], [math.nan, 1.0, 2.0], [1.0, 2.0, math.inf]])
def test_nothing_and_what_is_no_number_is_refused(runs: list[float]) -> None:
    with pytest.raises(ValueError, match="a sample needs"):
        value(runs, reported=V, margin=0.5)


@pytest.mark.parametrize("margin", [-0.5, math.nan, math.inf])
def test_what_is_no_margin_is_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="a margin is a finite number"):
        value(RUNS, reported=V, margin=margin)


def test_a_printed_number_without_a_run_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        value(RUNS, reported=V, margin=0.5, paper_runs=0)


# --------------------------------------------------------------------------- a printed spread

FIVE = [75.0, 75.2, 75.1, 74.9, 75.3]


@pytest.mark.parametrize("reading", READINGS)
@given(runs=st.lists(st.floats(60, 80), min_size=3, max_size=8), sd=st.integers(1, 300), m=st.integers(2, 9))
def test_the_papers_own_spread_is_welch_of_summary_data(
    reading: Any, runs: list[float], sd: int, m: int
) -> None:
    """se_pred and its df by scipy's Welch of means, SDs and sizes; without a margin, p_con is its p-value."""
    assume(np.ptp(runs) > 0.05)
    spread = Spread(printed(f"{sd / 100:.2f}"), reading)
    got = value(runs, reported=printed("70"), margin=0.0, paper_runs=m, spread=spread)
    x = sd / 100 + 0.005
    theirs = {"sd": x, "se": x * math.sqrt(m), "ci95": x * math.sqrt(m) / stats.t.ppf(0.975, m - 1)}[reading]
    distance = abs(float(np.mean(runs)) - 70.0) - 0.5  # h of a number without decimals
    welch = stats.ttest_ind_from_stats(
        distance, np.std(runs, ddof=1), len(runs), 0.0, theirs, m, equal_var=False, alternative="greater"
    )
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * welch.pvalue), abs=1e-9)


def test_the_spread_of_the_paper_does_not_touch_reproduction() -> None:
    spread = Spread(printed("0.30"))
    plain, with_spread = (
        value(RUNS, reported=V, margin=1.5, paper_runs=5, spread=it) for it in (None, spread)
    )
    assert with_spread.p_reproduced == plain.p_reproduced
    assert with_spread.reproduced_from == plain.reproduced_from
    assert with_spread.decide() == Decision("reproduced", "tost")


def test_a_contradiction_must_hold_for_every_reading() -> None:
    """1.28 off: clear if 0.60 is an SD or a 95 % interval of five runs, not if it is a standard error."""
    size = printed("0.60")
    each = {
        reading: value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=Spread(size, reading))  # type: ignore[arg-type]
        for reading in READINGS
    }
    outcomes = {reading: test.decide().outcome for reading, test in each.items()}
    assert outcomes == {"sd": "contradicted", "se": "inconclusive", "ci95": "contradicted"}
    either = value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=Spread(size))
    assert either.decide() == Decision("inconclusive", "ambiguous_spread")
    assert either.p_contradicted == max(test.p_contradicted or 0.0 for test in each.values())
    assert either.contradicted_up_to == min(test.contradicted_up_to or 0.0 for test in each.values())
    assert either.pi95 == each["se"].pi95


def test_readings_that_agree_keep_the_verdict() -> None:
    either = value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=Spread(printed("0.05")))
    assert either.decide() == Decision("contradicted", "minimum_effect")
    wide = value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=Spread(printed("9.0")))
    assert wide.decide() == Decision("inconclusive", "within_seed_spread")


def test_a_deterministic_method_against_a_paper_whose_runs_vary_is_not_exact() -> None:
    """Ours has no error, the paper's mean has: 0.205 / sqrt(5) on 4 df."""
    spread = Spread(printed("0.20"), "sd")
    options: dict[str, Any] = {"reported": V, "paper_runs": 5, "spread": spread, "deterministic": True}
    got = value([76.0, 76.0], margin=0.5, **options)
    assert got.decide() == Decision("reproduced", "tost")
    assert got.pi95 == pytest.approx([76 + sign * 2.776445 * 0.205 / math.sqrt(5) for sign in (-1, 1)])
    assert value([75.0, 75.0], margin=0.5, **options).decide() == Decision("contradicted", "minimum_effect")


def test_a_spread_of_one_run_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two runs behind it, got 1"):
        value(RUNS, reported=V, margin=0.5, spread=Spread(printed("0.2")))


# --------------------------------------------------------------------------- the rule at work


def rates(case: dict[str, Any], sims: int) -> dict[str, float]:
    """Shares of `sims` audits of a single-run paper that end in each way, ours and by naive rules."""
    inputs = case["inputs"]
    n, sd, margin = inputs["n"], inputs["sd"], inputs["margin"]
    rng = np.random.default_rng(1)
    ours = 50.0 + sd * rng.standard_normal((sims, n))
    paper = 50.0 + inputs["true_diff"] + sd * rng.standard_normal(sims)
    critical = stats.t.isf(0.025, n - 1) / math.sqrt(n)
    found = []
    for runs, v in zip(ours.tolist(), paper.tolist(), strict=True):
        test = value(runs, reported=printed(f"{v:.2f}"), margin=margin, paper_runs=inputs["paper_runs"])
        decision = test.decide()
        assert test.pi95 is not None
        found.append(
            {
                "reproduced": decision.outcome == "reproduced",
                "contradicted": decision.outcome == "contradicted",
                "naive_mean_within_margin": abs(test.difference) <= margin,
                "naive_best_seed_within_margin": min(abs(x - v) for x in runs) <= margin,
                "naive_ttest_not_significant": abs(test.difference) <= critical * (test.sd or 0.0),
                "naive_pi_contains": test.pi95[0] <= v <= test.pi95[1],
            }
        )
    return {name: float(np.mean([it[name] for it in found])) for name in found[0]}


@golden.cases("operating_characteristics")
def test_how_often_it_decides(case: dict[str, Any]) -> None:
    """700 audits, at five standard errors of each share; the slow test below looks closer."""
    for name, share in rates(case, 700).items():
        expected = case["expected"][name]
        assert share == pytest.approx(expected, abs=5 * math.sqrt(max(expected * (1 - expected), 2e-3) / 700))


@pytest.mark.slow
@golden.cases("operating_characteristics")
def test_how_often_it_decides_to_the_third_decimal(case: dict[str, Any]) -> None:
    golden.check(case, **rates(case, 60_000))
