"""A printed number: values and gaps, as functions and through claims."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from audit.claims.margins import for_printed
from audit.kinds.value import value
from audit.stats.decision import Decision, Test
from audit.stats.printed import printed
from audit.stats.sample import error, instance_se, interval, sample
from tests.judging.made import HALF, HIGH, LOW, arms, claim, judge, margin, said
from tests.kinds import band, gap_size, noted
from tests.stats import golden

nan, inf = math.nan, math.inf
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
        "n": len(inputs["ours"]),
        "mean": got.estimate,
        "sd": got.sd,
        "df": got.df,
        "d": noted(got, "d"),
        "half_width_rounding": float(printed(inputs["reported"]).half_unit),
        "ci90": got.ci90,
        "ci95": got.ci95,
        "pi95": got.pi95,
        "p_reproduced": got.p_reproduced,
        "p_contradicted": got.p_contradicted,
        "margin_reproduced_from": band(got).reproduced_from,
        "margin_contradicted_up_to": band(got).contradicted_up_to,
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
    df = error((seeds**2, 2), (instance**2, math.inf)).df
    split = (inputs["N_paper"], inputs["N_ours"])
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
    assert band(got).reproduced_from == pytest.approx(D_R, abs=1e-6)
    assert band(got).contradicted_up_to == pytest.approx(D_C, abs=1e-6)
    assume(abs(margin - D_R) > 1e-5 and abs(margin - D_C) > 1e-5)
    expected = "reproduced" if margin > D_R else "contradicted" if margin < D_C else "inconclusive"
    assert got.decide().outcome == expected


def test_the_reason_says_whether_more_seeds_would_help() -> None:
    """Inside the prediction interval a lucky run explains it; outside, the margin is what is not settled."""
    assert value(RUNS, reported=V, margin=0.5).decide() == Decision("inconclusive", "within_seed_spread")
    outside = value([75.80, 75.85, 75.90], reported=V, margin=0.5)
    assert outside.pi95 is not None
    assert outside.pi95[1] < 76.38
    assert outside.decide() == Decision("inconclusive", "straddles_margin")


def test_a_deterministic_method_on_another_split_has_the_noise_of_the_documents_alone() -> None:
    split = (3865, 3809)
    got = value([76.0, 76.0], reported=V, margin=3.0, deterministic=True, other_split=split)
    assert got.df == math.inf
    assert got.se == pytest.approx(0.97244202, abs=1e-6)  # the golden case's instance error
    assert got.decide() == Decision("reproduced", "tost")


FIVE = [75.0, 75.2, 75.1, 74.9, 75.3]


@pytest.mark.parametrize("reading", ("sd", "se", "ci95"))
@given(runs=st.lists(st.floats(60, 80), min_size=3, max_size=8), sd=st.integers(1, 300), m=st.integers(2, 9))
def test_the_papers_own_spread_is_welch_of_summary_data(
    reading: Any, runs: list[float], sd: int, m: int
) -> None:
    """se_pred and its df by scipy's Welch of means, SDs and sizes; without a margin, p_con is its p-value."""
    assume(np.ptp(runs) > 0.05)
    spread = (printed(f"{sd / 100:.2f}"), reading)
    got = value(runs, reported=printed("70"), margin=0.0, paper_runs=m, spread=spread)
    x = sd / 100 + 0.005
    theirs = {"sd": x, "se": x * math.sqrt(m), "ci95": x * math.sqrt(m) / stats.t.ppf(0.975, m - 1)}[reading]
    distance = abs(float(np.mean(runs)) - 70.0) - 0.5  # h of a number without decimals
    welch = stats.ttest_ind_from_stats(
        distance, np.std(runs, ddof=1), len(runs), 0.0, theirs, m, equal_var=False, alternative="greater"
    )
    assert got.p_contradicted == pytest.approx(min(1.0, 2 * welch.pvalue), abs=1e-9)


def test_a_contradiction_must_hold_for_every_reading() -> None:
    """1.28 off: clear if 0.60 is an SD or a 95 % interval of five runs, not if it is a standard error."""
    size = printed("0.60")
    each = {
        reading: value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=(size, reading))  # type: ignore[arg-type]
        for reading in ("sd", "se", "ci95")
    }
    outcomes = {reading: test.decide().outcome for reading, test in each.items()}
    assert outcomes == {"sd": "contradicted", "se": "inconclusive", "ci95": "contradicted"}
    either = value(FIVE, reported=V, margin=0.1, paper_runs=5, spread=(size, None))
    assert either.decide() == Decision("inconclusive", "ambiguous_spread")
    assert either.p_contradicted == max(test.p_contradicted or 0.0 for test in each.values())
    assert band(either).contradicted_up_to == min(
        band(test).contradicted_up_to or 0.0 for test in each.values()
    )
    assert either.pi95 == each["se"].pi95


def test_a_deterministic_method_against_a_paper_whose_runs_vary_is_not_exact() -> None:
    """Ours has no error, the paper's mean has: 0.205 / sqrt(5) on 4 df."""
    spread = (printed("0.20"), "sd")
    options: dict[str, Any] = {"reported": V, "paper_runs": 5, "spread": spread, "deterministic": True}
    got = value([76.0, 76.0], margin=0.5, **options)
    assert got.decide() == Decision("reproduced", "tost")
    assert got.pi95 == pytest.approx([76 + sign * 2.776445 * 0.205 / math.sqrt(5) for sign in (-1, 1)])
    assert value([75.0, 75.0], margin=0.5, **options).decide() == Decision("contradicted", "minimum_effect")


A, B = [78.6, 78.1, 78.9, 78.4, 78.7], [76.8, 77.2, 76.5, 77.0, 76.9]

arm = st.lists(st.floats(60, 80), min_size=3, max_size=6)


def against(first: str, second: str, a: list[float] = A, b: list[float] = B, **options: Any) -> Test:
    return gap_size(a, b, **{"margin": 0.5, **options, "printed": (first, second)})


@golden.cases("gap")
def test_gap(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    got = against(inputs["printed_a"], inputs["printed_b"], inputs["a"], inputs["b"], margin=inputs["margin"])
    golden.check(
        case,
        claimed_gap=got.target,
        our_gap=got.estimate,
        margin_used=got.margin,
        p_reproduced=got.p_reproduced,
        p_contradicted=got.p_contradicted,
        df=got.df,
        verdict=got.decide(alpha=inputs["alpha"]).outcome,
    )


@given(a=arm, b=arm, digits=st.integers(100, 1500), margin=st.floats(0.01, 3), paper_runs=st.integers(1, 5))
def test_the_tests_and_bands_are_those_of_scipys_t(
    a: list[float], b: list[float], digits: int, margin: float, paper_runs: int
) -> None:
    """Welch's error and the predicted one, with Satterthwaite's df, derived anew by numpy and scipy."""
    assume(np.ptp(a) > 0.05 and np.ptp(b) > 0.05)
    got = against(f"{60 + digits / 100:.2f}", "60.0", a, b, margin=margin, runs_behind=paper_runs)
    claimed, h = digits / 100, 0.055
    va, vb = np.var(a, ddof=1), np.var(b, ddof=1)

    def error(x: float, y: float) -> tuple[float, float]:
        return math.sqrt(x + y), (x + y) ** 2 / (x**2 / (len(a) - 1) + y**2 / (len(b) - 1))

    se, df = error(va / len(a), vb / len(b))
    pred, df_pred = error(va * (1 / len(a) + 1 / paper_runs), vb * (1 / len(b) + 1 / paper_runs))
    d, D = np.mean(a) - np.mean(b) - claimed, max(margin, claimed / 2)
    p_rep = max(stats.t.sf((D - h + d) / se, df), stats.t.sf((D - h - d) / se, df))
    p_con = min(1.0, 2 * stats.t.sf((abs(d) - D - h) / pred, df_pred))
    assert got.p_reproduced == pytest.approx(p_rep, abs=1e-9)
    assert got.p_contradicted == pytest.approx(p_con, abs=1e-9)
    D_R, D_C = abs(d) + stats.t.ppf(0.95, df) * se + h, abs(d) - stats.t.ppf(0.975, df_pred) * pred - h
    least = claimed / 2  # a smaller margin is never used
    assert band(got).reproduced_from == pytest.approx(D_R if least < D_R else 0.0)
    assert band(got).contradicted_up_to == pytest.approx(D_C if least <= D_C else 0.0)
    assert got.pi95 == pytest.approx(tuple(d + claimed + stats.t.ppf([0.025, 0.975], df_pred) * pred))


def test_half_of_a_large_gap_is_the_margin_and_no_less_than_the_one_declared() -> None:
    assert against("78.60", "76.81").margin == 0.895  # 1.79 / 2
    assert against("78.60", "78.10").margin == 0.5
    assert against("76.81", "78.60").margin == 0.895  # a gap that is printed the other way round


nan, inf = math.nan, math.inf

CAPPED_HIGH, CAPPED_LOW = (for_printed(HALF, text) for text in ("100.00", "0.00"))

#: Printed value, margin, declared deterministic, runs (None: failed), verdict. With SD 0.1 and n = 3 (2 df):
#: D_R = |d| + 2.920 * 0.1 * sqrt(1/3) + 0.005 = |d| + 0.1736, D_C = |d| - 4.303 * 0.1 * sqrt(4/3) - 0.005
#: = |d| - 0.5018. Without noise reproduced is |d| <= D - h, and contradicted |d| > D + h.
EDGES = {
    "same mean": ("76.38", HALF, False, [76.28, 76.38, 76.48], "reproduced", "tost"),
    "just inside": ("76.38", HALF, False, [76.606, 76.706, 76.806], "reproduced", "tost"),
    "just not inside": ("76.38", HALF, False, [76.607, 76.707, 76.807], "inconclusive", "within_seed_spread"),
    "on the margin": ("76.38", HALF, False, [76.78, 76.88, 76.98], "inconclusive", "straddles_margin"),
    "just not outside": ("76.38", HALF, False, [77.281, 77.381, 77.481], "inconclusive", "hangs_on_spread"),
    "just outside": ("76.38", HALF, False, [77.282, 77.382, 77.482], "contradicted", "minimum_effect"),
    "just outside, below": ("76.38", HALF, False, [75.278, 75.378, 75.478], "contradicted", "minimum_effect"),
    "wider rounding": ("76.4", HALF, False, [76.606, 76.706, 76.806], "inconclusive", "within_seed_spread"),
    "one run": ("76.38", HALF, False, [76.38], "inconclusive", "no_variance_estimate"),
    "two runs": ("76.38", HALF, False, [76.37, 76.39], "inconclusive", "too_few_seeds"),
    "equal runs": ("76.38", HALF, False, [76.38] * 3, "inconclusive", "no_spread"),
    "equal but for dust": ("76.38", HALF, False, [0.1 + 0.2, 0.3, 0.3], "inconclusive", "no_spread"),
    "declared, on D - h": ("76.38", HALF, True, [76.875] * 2, "reproduced", "deterministic"),
    "declared, above D - h": ("76.38", HALF, True, [76.8751] * 2, "inconclusive", "straddles_margin"),
    "declared, above D + h": ("76.38", HALF, True, [76.8851] * 2, "contradicted", "deterministic"),
    "same digits, above 2h": ("76.38", margin(0.005), True, [76.3901] * 2, "contradicted", "deterministic"),
    "declared, but they differ": ("76.38", HALF, True, [76.28, 76.38, 76.48], "reproduced", "tost"),
    "nan and enough": ("76.38", HALF, False, [nan, 76.28, 76.38, 76.48], "reproduced", "tost"),
    "nan only": ("76.38", HALF, False, [nan, nan, nan], "inconclusive", "not_run"),
    "all but one failed": ("76.38", HALF, False, [None, None, 76.38], "inconclusive", "most_failed"),
    "some failed": ("76.38", HALF, False, [None, 76.28, 76.38, 76.48, None], "reproduced", "tost"),
    "margin of half a unit": (
        "76.38",
        margin(0.005),
        False,
        [76.37, 76.38, 76.39],
        "inconclusive",
        "within_seed_spread",
    ),
    "next to all": ("100.00", CAPPED_HIGH, False, [99.998, 99.999, 99.9985], "inconclusive", "no_spread"),
    "none right": ("0.00", CAPPED_LOW, False, [0.0] * 3, "inconclusive", "no_spread"),
}


@pytest.mark.parametrize(
    ("printed", "fixed", "deterministic", "values", "outcome", "reason"), EDGES.values(), ids=EDGES
)
def test_the_verdict_at_its_edges(
    printed: str, fixed: Any, deterministic: bool, values: list[float | None], outcome: str, reason: str
) -> None:
    """Four runs behind the printed number undo that its scatter is taken as twice ours."""
    one = claim("value", "a", printed=(printed,), margin=fixed, deterministic=deterministic, runs_behind=4)
    verdict = judge(one, arms(a=values))
    assert said(verdict) == (outcome, reason)


def test_a_contradiction_that_hangs_on_the_paper_s_scatter_is_none() -> None:
    """|d| - D - h = 1 with s = 0.2 of three: p = .049 with kappa 1, and .16 with 2, by scipy."""
    alone = 2 * stats.t.sf(1.0 / (0.2 * math.sqrt(1 / 3 + 1)), 2)
    twice = 2 * stats.t.sf(1.0 / (0.2 * math.sqrt(1 / 3 + 4)), 2)
    assert alone < 0.05 < twice
    verdict = judge(claim("value", "a", printed=("70.00",)), arms(a=[71.305, 71.505, 71.705]))
    assert said(verdict) == ("inconclusive", "hangs_on_spread")
    assert (verdict.p_contradicted, verdict.kappa) == (pytest.approx(twice), None)


def spread(size: str, reading: str | None = None, **more: Any) -> Any:
    held = {"size": size, "reading": reading}
    return claim("value", "a", runs_behind=more.pop("runs_behind", 5), details={"spread": held}, **more)


def test_a_spread_over_an_unknown_number_of_runs_is_not_used() -> None:
    values = [75.1, 75.15, 75.05, 75.0]
    plain = judge(claim("value", "a"), arms(a=values))
    assert judge(spread("0.40", runs_behind=1), arms(a=values)) == plain


def test_the_mean_of_many_paper_runs_is_held_to_a_narrower_luck() -> None:
    """p_con = 2 P[t_2 >= (|d| - D - h) / (s sqrt(1/3 + 2^2 / m))], by scipy."""
    values = [75.0, 75.2, 75.4]
    for m in (1, 4, 10):
        verdict = judge(claim("value", "a", runs_behind=m), arms(a=values))
        t = (1.18 - 0.505) / (0.2 * math.sqrt(1 / 3 + 4 / m))
        assert verdict.p_contradicted == pytest.approx(2 * stats.t.sf(t, 2))


PRINTED = ("78.60", "76.81")


@pytest.mark.parametrize("m", [1, 5])
def test_each_arm_of_the_paper_is_a_draw_as_well(m: int) -> None:
    """se_pred^2 = (sA^2 + sB^2) (1/5 + 2^2 / m), in p_con = 2 P[t >= (|d| - D - h) / se_pred]."""
    verdict = judge(claim("gap", "a", "b", printed=("80.00", "76.00"), runs_behind=m), arms(a=HIGH, b=LOW))
    va, vb = stats.tvar(HIGH), stats.tvar(LOW)
    df = (va + vb) ** 2 / ((va**2 + vb**2) / 4)
    t = (4.00 - 1.66 - 2.00 - 0.01) / math.sqrt((va + vb) * (1 / 5 + 4 / m))
    assert verdict.margin == 2.0
    assert verdict.p_contradicted == pytest.approx(2 * stats.t.sf(t, df))


@pytest.mark.parametrize("scope", ["other_split", "other_data"])
def test_a_printed_gap_is_not_judged_on_other_documents_but_ours_is_shown(scope: Any) -> None:
    """A gap is a printed number; the order of the same arms is judged, with its scope beside it."""
    experiments = arms(scope, a=HIGH, b=LOW)
    far = claim("gap", "a", "b", printed=("90.00", "50.00"))
    verdict = judge(far, experiments, test_sizes={"toy": 3865})
    assert said(verdict) == ("inconclusive", scope)
    assert verdict.estimate == pytest.approx(1.66)
    assert verdict.p_contradicted is verdict.margin_contradicted_up_to is None
    assert judge(far, arms(a=HIGH, b=LOW)).outcome == "contradicted"
    assert judge(claim("order", "a", "b", printed=PRINTED), experiments).outcome == "reproduced"


def rates(case: dict[str, Any], sims: int) -> dict[str, float]:
    """Shares of `sims` audits of a single-run paper that end in each way, ours and by naive rules."""
    inputs = case["inputs"]
    n, sd, margin = inputs["n"], inputs["sd"], inputs["margin"]
    rng = np.random.default_rng(1)
    ours = 50.0 + sd * rng.standard_normal((sims, n))
    paper = 50.0 + inputs["true_diff"] + sd * rng.standard_normal(sims)
    critical = stats.t.isf(0.025, n - 1) / math.sqrt(n)
    found = []
    for drawn, v in zip(ours.tolist(), paper.tolist(), strict=True):
        test = value(drawn, reported=printed(f"{v:.2f}"), margin=margin, paper_runs=inputs["paper_runs"])
        decision = test.decide()
        assert test.pi95 is not None
        found.append(
            {
                "reproduced": decision.outcome == "reproduced",
                "contradicted": decision.outcome == "contradicted",
                "naive_mean_within_margin": abs(noted(test, "d")) <= margin,
                "naive_best_seed_within_margin": min(abs(x - v) for x in drawn) <= margin,
                "naive_ttest_not_significant": abs(noted(test, "d")) <= critical * (test.sd or 0.0),
                "naive_pi_contains": test.pi95[0] <= v <= test.pi95[1],
            }
        )
    return {name: float(np.mean([it[name] for it in found])) for name in found[0]}


@golden.cases("operating_characteristics")
def test_how_often_it_decides(case: dict[str, Any]) -> None:
    """700 audits, at five standard errors of each share."""
    for name, share in rates(case, 700).items():
        expected = case["expected"][name]
        assert share == pytest.approx(expected, abs=5 * math.sqrt(max(expected * (1 - expected), 2e-3) / 700))
