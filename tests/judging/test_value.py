"""Tests of audit.judging.value: the printed number and its runs, through the comparator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from audit.claim_margin import for_printed
from audit.record import ExperimentRecord
from tests.judging.made import HALF, arms, claim, judge, margin, runs, said
from tests.records import DATA, make_experiment
from tests.stats import golden

#: Five values whose SD is 0.3: with a of 0.3 / sqrt(2.5), a (-2, -1, 0, 1, 2) has variance 10 a^2 / 4.


# --------------------------------------------------------------------------- reference cases


@golden.cases("value")
def test_the_reference_values_come_out_of_the_claim(case: dict[str, Any]) -> None:
    """Those of a paper whose runs scatter as ours: four times the runs undo that kappa is 2."""
    inputs, expected = case["inputs"], dict(case["expected"])
    if "pooled_sd" in inputs:
        return
    one = claim(
        "value",
        "a",
        printed=(inputs["reported"],),
        margin=margin(inputs["margin"]),
        runs_behind=4 * inputs["paper_runs"],
        deterministic=inputs.get("deterministic", False),
    )
    verdict = judge(one, arms(a=inputs["ours"]))
    assert said(verdict) == (expected.pop("verdict"), expected.pop("reason"))
    assert verdict.target is not None and verdict.estimate is not None
    got = {
        "n": verdict.n[0],
        "mean": verdict.estimate,
        "d": verdict.estimate - verdict.target,
        "half_width_rounding": expected.get("half_width_rounding"),  # of the printed string: see test_value
        **{name: getattr(verdict, name) for name in ("sd", "df", "p_reproduced", "p_contradicted")},
        "margin_reproduced_from": verdict.margin_reproduced_from,
        "margin_contradicted_up_to": verdict.margin_contradicted_up_to,
        **{name: list(getattr(verdict, name) or ()) for name in ("ci90", "ci95", "pi95")},
    }
    if verdict.reason == "too_few_seeds":  # no margin would decide two seeds
        expected |= {"margin_reproduced_from": None, "margin_contradicted_up_to": None}
    golden.check({**case, "expected": expected}, **{name: got[name] for name in expected})


@golden.cases("value_other_split")
def test_another_split_adds_the_noise_of_both_test_sets(case: dict[str, Any]) -> None:
    """Both test sets' standard errors enter; our own P@1 is rounded to .76 in the reference case."""
    inputs, expected = case["inputs"], case["expected"]
    data = replace(DATA, n_test=inputs["N_ours"])
    experiments = {"a": make_experiment("a", runs(inputs["ours"], data=data), scope="other_split")}
    one = claim("value", "a", printed=(inputs["reported"],), margin=margin(inputs["margin"]))
    verdict = judge(one, experiments, test_sizes={"toy": inputs["N_paper"]})
    assert verdict.se == pytest.approx(expected["se_total"], rel=2e-3)
    assert verdict.df == pytest.approx(expected["satterthwaite_df"], rel=1e-2)
    assert verdict.ci90 is not None
    assert [x - 76.38 for x in verdict.ci90] == pytest.approx(expected["ci90_d"], abs=3e-3)
    assert said(verdict) == (expected["verdict"], "other_split")


# --------------------------------------------------------------------------- the edge table

nan, inf = math.nan, math.inf
CAPPED_HIGH, CAPPED_LOW = (for_printed(HALF, text) for text in ("100.00", "0.00"))

#: Printed value, margin, declared deterministic, runs (None: failed), verdict. With SD 0.1 and n = 3 (2 df):
#: D_R = |d| + 2.920 * 0.1 * sqrt(1/3) + 0.005 = |d| + 0.1736, D_C = |d| - 4.303 * 0.1 * sqrt(4/3) - 0.005
#: = |d| - 0.5018. Without noise reproduced is |d| <= D - h, and contradicted |d| > D + h.
EDGES = {
    "same mean": ("76.38", HALF, False, [76.28, 76.38, 76.48], "reproduced", "tost"),
    "just inside": ("76.38", HALF, False, [76.606, 76.706, 76.806], "reproduced", "tost"),
    "just not inside": ("76.38", HALF, False, [76.607, 76.707, 76.807], "inconclusive", "within_seed_spread"),
    "just inside, below": ("76.38", HALF, False, [75.954, 76.054, 76.154], "reproduced", "tost"),
    "on the margin": ("76.38", HALF, False, [76.78, 76.88, 76.98], "inconclusive", "straddles_margin"),
    "just not outside": ("76.38", HALF, False, [77.281, 77.381, 77.481], "inconclusive", "hangs_on_spread"),
    "just outside": ("76.38", HALF, False, [77.282, 77.382, 77.482], "contradicted", "minimum_effect"),
    "just outside, below": ("76.38", HALF, False, [75.278, 75.378, 75.478], "contradicted", "minimum_effect"),
    "wider rounding": ("76.4", HALF, False, [76.606, 76.706, 76.806], "inconclusive", "within_seed_spread"),
    "one run": ("76.38", HALF, False, [76.38], "inconclusive", "no_variance_estimate"),
    "one run far off": ("76.38", HALF, False, [20.0], "inconclusive", "no_variance_estimate"),
    "two runs": ("76.38", HALF, False, [76.37, 76.39], "inconclusive", "too_few_seeds"),
    "two runs far off": ("76.38", HALF, False, [20.0, 20.1], "inconclusive", "too_few_seeds"),
    "two equal runs": ("76.38", HALF, False, [76.38, 76.38], "inconclusive", "too_few_seeds"),
    "equal runs": ("76.38", HALF, False, [76.38] * 3, "inconclusive", "no_spread"),
    "equal runs far off": ("76.38", HALF, False, [20.0] * 5, "inconclusive", "no_spread"),
    "equal but for dust": ("76.38", HALF, False, [0.1 + 0.2, 0.3, 0.3], "inconclusive", "no_spread"),
    "declared, one run": ("76.38", HALF, True, [76.38], "inconclusive", "no_variance_estimate"),
    "declared, equal": ("76.38", HALF, True, [76.38] * 2, "reproduced", "deterministic"),
    "declared, on D - h": ("76.38", HALF, True, [76.875] * 2, "reproduced", "deterministic"),
    "declared, above D - h": ("76.38", HALF, True, [76.8751] * 2, "inconclusive", "straddles_margin"),
    "declared, on D + h": ("76.38", HALF, True, [76.885] * 2, "inconclusive", "straddles_margin"),
    "declared, above D + h": ("76.38", HALF, True, [76.8851] * 2, "contradicted", "deterministic"),
    "declared, below -D - h": ("76.38", HALF, True, [75.8749] * 2, "contradicted", "deterministic"),
    "same digits, on h": ("76.38", margin(0.005), True, [76.385] * 2, "reproduced", "deterministic"),
    "same digits, above h": ("76.38", margin(0.005), True, [76.3851] * 2, "inconclusive", "straddles_margin"),
    "same digits, above 2h": ("76.38", margin(0.005), True, [76.3901] * 2, "contradicted", "deterministic"),
    "declared, but they differ": ("76.38", HALF, True, [76.28, 76.38, 76.48], "reproduced", "tost"),
    "declared, two that differ": ("76.38", HALF, True, [76.37, 76.39], "inconclusive", "too_few_seeds"),
    "nan": ("76.38", HALF, False, [nan, 76.28, 76.38], "inconclusive", "too_few_seeds"),
    "nan and enough": ("76.38", HALF, False, [nan, 76.28, 76.38, 76.48], "reproduced", "tost"),
    "infinite": ("76.38", HALF, False, [inf, -inf, 76.38], "inconclusive", "no_variance_estimate"),
    "nan only": ("76.38", HALF, False, [nan, nan, nan], "inconclusive", "not_run"),
    "no run": ("76.38", HALF, False, [], "inconclusive", "not_run"),
    "all failed": ("76.38", HALF, False, [None, None, None], "inconclusive", "run_failed"),
    "all but one failed": ("76.38", HALF, False, [None, None, 76.38], "inconclusive", "no_variance_estimate"),
    "some failed": ("76.38", HALF, False, [None, 76.28, 76.38, 76.48, None], "reproduced", "tost"),
    "margin of 0": ("76.38", margin(0.0), False, [76.28, 76.38, 76.48], "inconclusive", "no_margin"),
    "margin below 0": ("76.38", margin(-0.5), True, [76.38] * 2, "inconclusive", "no_margin"),
    "no margin": ("76.38", None, False, [76.28, 76.38, 76.48], "inconclusive", "no_margin"),
    "margin of half a unit": (
        "76.38",
        margin(0.005),
        False,
        [76.37, 76.38, 76.39],
        "inconclusive",
        "within_seed_spread",
    ),
    # 0.05 * (100 - v) leaves nothing at 100.00, so one unit of the last digit remains: 0.01
    "all right": ("100.00", CAPPED_HIGH, False, [100.0] * 3, "inconclusive", "no_spread"),
    "all right, declared": ("100.00", CAPPED_HIGH, True, [100.0] * 2, "reproduced", "deterministic"),
    "half a unit below": ("100.00", CAPPED_HIGH, True, [99.995] * 2, "reproduced", "deterministic"),
    "two units below": ("100.00", CAPPED_HIGH, True, [99.98] * 2, "contradicted", "deterministic"),
    "next to all": ("100.00", CAPPED_HIGH, False, [99.998, 99.999, 99.9985], "inconclusive", "no_spread"),
    "a point below": ("100.00", CAPPED_HIGH, False, [98.9, 99.0, 99.1], "contradicted", "minimum_effect"),
    "none right": ("0.00", CAPPED_LOW, False, [0.0] * 3, "inconclusive", "no_spread"),
    "none right, declared": ("0.00", CAPPED_LOW, True, [0.0] * 2, "reproduced", "deterministic"),
    "two units above": ("0.00", CAPPED_LOW, True, [0.02] * 2, "contradicted", "deterministic"),
    "a point above": ("0.00", CAPPED_LOW, False, [0.9, 1.0, 1.1], "contradicted", "minimum_effect"),
}


@pytest.mark.parametrize(
    ("printed", "fixed", "deterministic", "values", "outcome", "reason"), EDGES.values(), ids=EDGES
)
def test_the_verdict_at_its_edges(
    printed: str,
    fixed: Any,
    deterministic: bool,
    values: list[float | None],
    outcome: str,
    reason: str,
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


def test_the_kappa_at_which_a_contradiction_vanishes() -> None:
    """p = .05 at sqrt(1/3 + kappa^2) = (|d| - D - h) / (t s), t = 4.3027."""
    verdict = judge(claim("value", "a", printed=("70.00",)), arms(a=[74.305, 74.505, 74.705]))
    assert verdict.outcome == "contradicted"
    assert verdict.kappa == pytest.approx(math.sqrt((4.0 / (4.30265 * 0.2)) ** 2 - 1 / 3), rel=2e-3)


def test_a_claim_file_cannot_fix_a_margin_of_0_and_the_cap_leaves_one_digit() -> None:
    """The loader refuses it (`Points` are above 0); a cap that leaves nothing is raised to 2h."""
    from pydantic import ValidationError

    from audit.claim_model import Margin as Written

    for value in (0.0, -0.5, inf, nan):
        with pytest.raises(ValidationError, match="value"):
            Written.model_validate({"value": value, "rule": "field", "why": "usual"})
    assert (CAPPED_HIGH.value, CAPPED_LOW.value) == (0.01, 0.01)


@pytest.mark.parametrize("values", [[76.28, 76.38, 76.50], [75.5, 75.83, 75.96, 76.0], [77.9, 78.1, 78.3]])
def test_the_band_says_at_which_margins_the_verdict_would_turn(values: list[float]) -> None:
    """Judged again just inside and just outside both ends."""
    experiments = arms(a=values)
    band = judge(claim("value", "a"), experiments)
    low, high = band.margin_contradicted_up_to, band.margin_reproduced_from
    assert low is not None and high is not None

    def at(D: float) -> str:
        return judge(claim("value", "a", margin=margin(D)), experiments).outcome

    assert (at(high * 1.000001), at(high * 0.999999)) == ("reproduced", "inconclusive")
    if low > 0.0:
        assert (at(low * 0.999999), at(low * 1.000001)) == ("contradicted", "inconclusive")


# --------------------------------------------------------------------------- printed with a spread


def by_reading(values: Sequence[float], *, v: float, D: float, m: int, x: float) -> dict[str, float]:
    """p_con for each reading of `v -+ x` over m runs: Welch of summary data, by scipy's t."""
    n, s = len(values), stats.tstd(values)
    found = {}
    for name, sd in {
        "sd": x,
        "se": x * math.sqrt(m),
        "ci95": x * math.sqrt(m) / stats.t.ppf(0.975, m - 1),
    }.items():
        a, b = s**2 / n, sd**2 / m
        df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
        distance = abs(sum(values) / n - v) - (D + 0.005)
        found[name] = min(1.0, 2 * stats.t.sf(distance / math.sqrt(a + b), df))
    return found


def spread(size: str, reading: str | None = None, **more: Any) -> Any:
    held = {"size": size, "reading": reading}
    return claim("value", "a", runs_behind=more.pop("runs_behind", 5), details={"spread": held}, **more)


@pytest.mark.parametrize("reading", [None, "sd", "se", "ci95"])
def test_a_contradiction_must_hold_for_every_reading_of_plus_minus_that_is_left_open(
    reading: str | None,
) -> None:
    """The printed 0.20 may be 0.205, and is an SD, a standard error or half a 95 % interval."""
    values = [75.0, 75.1, 75.05, 74.95]
    every = by_reading(values, v=76.38, D=0.5, m=5, x=0.205)
    verdict = judge(spread("0.20", reading), arms(a=values))
    assert verdict.p_contradicted == pytest.approx(every[reading] if reading else max(every.values()))
    assert verdict.outcome == "contradicted"


def test_where_the_readings_disagree_the_verdict_is_that_the_spread_is_ambiguous() -> None:
    """As an SD of 0.405 the printed spread allows to contradict, as a standard error it does not."""
    values = [75.1, 75.15, 75.05, 75.0]
    every = by_reading(values, v=76.38, D=0.5, m=5, x=0.405)
    assert every["sd"] < 0.05 < every["se"]
    assert said(judge(spread("0.40"), arms(a=values))) == ("inconclusive", "ambiguous_spread")
    assert judge(spread("0.40", "sd"), arms(a=values)).outcome == "contradicted"
    assert judge(spread("0.40", "se"), arms(a=values)).outcome == "inconclusive"


def test_a_spread_over_an_unknown_number_of_runs_is_not_used() -> None:
    values = [75.1, 75.15, 75.05, 75.0]
    plain = judge(claim("value", "a"), arms(a=values))
    assert judge(spread("0.40", runs_behind=1), arms(a=values)) == plain


def test_a_printed_spread_changes_nothing_about_reproduced() -> None:
    """*Reproduced* is about the number as printed."""
    experiments = arms(a=[76.28, 76.38, 76.48])
    with_it, without = judge(spread("5.00"), experiments), judge(claim("value", "a"), experiments)
    assert with_it.p_reproduced == without.p_reproduced
    assert with_it.outcome == "reproduced"


# --------------------------------------------------------------------------- what is shown


@pytest.mark.parametrize("scope", ["other_data", "other_split"])
def test_on_other_documents_runs_are_shown_and_nothing_is_tested(scope: Any) -> None:
    """Another split needs the size of the paper's test set, which is not printed here."""
    verdict = judge(claim("value", "a"), arms(scope, a=[20.0, 20.1, 20.2]))
    assert said(verdict) == ("inconclusive", scope)
    assert verdict.estimate == pytest.approx(20.1)
    assert verdict.p_contradicted is verdict.margin_contradicted_up_to is None


def test_runs_of_one_experiment_on_different_test_sets_are_no_sample() -> None:
    mixed = [*runs([76.2, 76.3]), *runs([76.4, 76.5], prefix="z", data=replace(DATA, n_test=49))[1:]]
    mixed = [replace(run, spec=replace(run.spec, seed=seed)) for seed, run in enumerate(mixed)]
    experiments: dict[str, ExperimentRecord] = {"a": make_experiment("a", mixed)}
    assert judge(claim("value", "a"), experiments).reason == "different_data"


def test_the_mean_of_many_paper_runs_is_held_to_a_narrower_luck() -> None:
    """p_con = 2 P[t_2 >= (|d| - D - h) / (s sqrt(1/3 + 2^2 / m))], by scipy."""
    values = [75.0, 75.2, 75.4]
    for m in (1, 4, 10):
        verdict = judge(claim("value", "a", runs_behind=m), arms(a=values))
        t = (1.18 - 0.505) / (0.2 * math.sqrt(1 / 3 + 4 / m))
        assert verdict.p_contradicted == pytest.approx(2 * stats.t.sf(t, 2))
