"""Tests of audit.comparator: what a verdict says at the edges, and for a whole paper."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.comparator import MarginsNow, compare
from audit.record import ClaimRecord, DataInfo, DataSheet, ExperimentRecord, Scope
from tests.judging.made import HALF, HIGH, LOW, OK, arms, claim, judge, runs, said
from tests.records import DATA, make_experiment, make_run

# --------------------------------------------------------------------------- the edge table


@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [
        (HIGH, LOW, ("reproduced", "direction")),
        (LOW, HIGH, ("contradicted", "reversed")),
        (HIGH, HIGH, ("inconclusive", "undecided")),  # equal numbers of different runs
        ([78.0], LOW, ("inconclusive", "no_variance_estimate")),
        (HIGH, [76.0, 76.1], ("inconclusive", "too_few_seeds")),
        ([78.0] * 3, [20.0] * 3, ("inconclusive", "no_spread")),
        (HIGH, [20.0] * 3, ("reproduced", "direction")),
        ([None, None], LOW, ("inconclusive", "run_failed")),
        (HIGH, [None], ("inconclusive", "run_failed")),
        ([], LOW, ("inconclusive", "not_run")),
        ([], [None], ("inconclusive", "not_run")),
    ],
)
def test_order_at_the_edges(
    better: list[float | None], worse: list[float | None], expected: tuple[str, str]
) -> None:
    assert said(judge(claim("order", "a", "b"), arms(a=better, b=worse))) == expected


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        # s = .1 in both arms of three: se = .08165 on 4 df; D_R = |d| + .17406, D_C = |d| - .22670
        (0.0, ("reproduced", "tost")),
        (0.32, ("reproduced", "tost")),
        (0.33, ("inconclusive", "straddles_margin")),
        (0.5, ("inconclusive", "straddles_margin")),
        (0.72, ("inconclusive", "straddles_margin")),
        (0.73, ("contradicted", "minimum_effect")),
        (-0.32, ("reproduced", "tost")),
        (-0.73, ("contradicted", "minimum_effect")),
    ],
)
def test_equivalence_at_the_edges(shift: float, expected: tuple[str, str]) -> None:
    left, right = [50.0 + shift + e for e in (-0.1, 0.0, 0.1)], [49.9, 50.0, 50.1]
    assert said(judge(claim("equivalent", "a", "b"), arms(a=left, b=right))) == expected


@pytest.mark.parametrize("kind", ["order", "equivalent"])
def test_two_arms_that_are_the_same_runs_are_not_compared(kind: str) -> None:
    one = make_experiment("a", runs(HIGH))
    same = {"a": one, "b": replace(one, id="b")}
    assert said(judge(claim(kind, "a", "b"), same)) == ("inconclusive", "same_runs")
    assert said(judge(claim(kind, "a", "a"), same)) == ("inconclusive", "same_runs")


def test_arms_tested_on_different_documents_are_not_compared() -> None:
    other = DataInfo(name="toy", fingerprint="f", recipe="r", n_train=100, n_test=49, n_labels=10)
    experiments = arms(a=HIGH) | {"b": make_experiment("b", runs(LOW, prefix="b", data=other))}
    assert said(judge(claim("order", "a", "b"), experiments)) == ("inconclusive", "different_data")


def test_a_metric_that_no_run_measured_is_not_run_and_says_so() -> None:
    verdict = judge(claim("value", "a", metric="P@7"), arms(a=HIGH))
    assert said(verdict) == ("inconclusive", "not_run")
    assert verdict.badges == ("P@7 not measured in 5 of 5 runs",)


def test_a_claim_that_names_an_unknown_experiment_is_not_run_and_stops_no_other() -> None:
    experiments = arms(a=HIGH, b=LOW)
    verdicts = compare(
        [claim("order", "a", "nowhere"), claim("value", "nowhere"), claim("order", "a", "b")],
        experiments,
        fidelity=OK,
    )
    assert [v.reason for v in verdicts] == ["not_run", "not_run", "direction"]
    assert verdicts[0].badges == ("no experiment named 'nowhere'",)
    assert (verdicts[0].n, verdicts[0].estimate) == ((5, 0), None)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (claim("value"), "not_run"),  # the cell has no experiment
        (claim("order", "a"), "not_run"),  # one of two cells has none
        (claim("value", "a", printed=()), "no_printed_number"),  # the cell prints a dash
        (claim("value", "a", margin=None), "no_margin"),
        (claim("equivalent", "a", "b", margin=None), "no_margin"),
        (claim("structural", "a", "b"), "kind_not_judged"),
        (claim("ranking", "a"), "not_run"),
        (claim("convergence", "a", "b"), "no_target_score"),
    ],
)
def test_an_incomplete_claim_is_inconclusive(one: ClaimRecord, reason: str) -> None:
    assert said(judge(one, arms(a=HIGH, b=LOW))) == ("inconclusive", reason)


# --------------------------------------------------------------------------- what may be judged on what


def test_a_printed_number_is_not_judged_on_other_data_but_the_runs_are_shown() -> None:
    verdict = judge(claim("value", "a"), arms("other_data", a=[76.28, 76.38, 76.48]))
    assert said(verdict) == ("inconclusive", "other_data")
    assert (verdict.scope, verdict.n) == ("other_data", (3,))
    assert verdict.estimate == pytest.approx(76.38)
    assert verdict.target == 76.38
    assert verdict.ci95 is not None
    assert (verdict.p_reproduced, verdict.p_contradicted, verdict.margin_reproduced_from) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize("scope", ["same_data", "other_split", "other_data"])
def test_a_comparison_is_judged_on_any_scope_and_carries_it(scope: Scope) -> None:
    opposite = "inconclusive" if scope == "other_data" else "contradicted"
    for kind, outcome in (("order", "reproduced"), ("equivalent", opposite)):
        verdict = judge(claim(kind, "a", "b"), arms(scope, a=HIGH, b=LOW))
        assert (verdict.outcome, verdict.scope) == (outcome, scope)


def test_the_scope_of_a_comparison_is_the_worse_one() -> None:
    experiments = arms("same_data", a=HIGH) | arms("other_data", b=LOW)
    assert judge(claim("order", "a", "b"), experiments).scope == "other_data"


def test_another_split_adds_the_noise_of_both_test_sets() -> None:
    """The golden case by hand: seeds .1369, documents .683 and .694 points, so 1.0 point decides nothing."""
    data = replace(DATA, n_test=3809)
    experiments = {"a": make_experiment("a", runs([75.50, 75.83, 75.96], data=data), scope="other_split")}
    one = claim("value", "a", margin=replace(HALF, value=1.0))
    verdict = judge(one, experiments, test_sizes={"toy": 3865})
    assert said(verdict) == ("inconclusive", "other_split")
    assert verdict.se == pytest.approx(0.982, abs=3e-3)
    assert verdict.badges == ("noise of two test sets included",)
    assert verdict.p_contradicted is not None
    wide = judge(replace(one, margin=replace(HALF, value=3.0)), experiments, test_sizes={"toy": 3865})
    assert said(wide) == ("reproduced", "tost")


def test_another_split_whose_size_the_paper_does_not_print_decides_nothing() -> None:
    one = claim("value", "a", margin=replace(HALF, value=50.0))
    for sizes in (None, {}, {"elsewhere": 3865}, {"toy": 0}):
        verdict = judge(one, arms("other_split", a=[75.50, 75.83, 75.96]), test_sizes=sizes)
        assert said(verdict) == ("inconclusive", "other_split")
        assert (verdict.p_reproduced, verdict.badges) == (None, ())
        assert verdict.estimate is not None


def test_a_contradiction_needs_an_implementation_that_passed_its_checks() -> None:
    for fidelity in ({}, {"xml_cnn": False}, {"another": True}):
        for one in (claim("order", "a", "b"), claim("equivalent", "a", "b"), claim("value", "a")):
            verdict = judge(one, arms(a=LOW, b=HIGH), fidelity=fidelity)
            assert said(verdict) in {
                ("inconclusive", "unverified_reimplementation"),
                ("inconclusive", "within_seed_spread"),
            }
            if one.kind != "value":
                assert verdict.reason == "unverified_reimplementation"
                assert verdict.p_contradicted is not None


def test_a_reproduction_needs_no_fidelity() -> None:
    assert judge(claim("order", "a", "b"), arms(a=HIGH, b=LOW), fidelity={}).outcome == "reproduced"


def test_both_models_of_a_comparison_must_have_passed() -> None:
    experiments = arms(a=LOW, b=HIGH)
    experiments["b"] = replace(experiments["b"], model="attention_xml")
    one = claim("order", "a", "b")
    assert judge(one, experiments).reason == "unverified_reimplementation"
    assert judge(one, experiments, fidelity={**OK, "attention_xml": True}).reason == "reversed"


def test_a_model_that_is_held_by_another_must_have_passed_too() -> None:
    """CorNet may contradict on the strength of its own checks and those of the model it was put on."""
    experiments = arms(a=LOW, b=HIGH)
    on_kim = {"base": "kim", "base_config": {"maps": 3}}
    experiments["a"] = replace(experiments["a"], model="cornet", config=on_kim)
    one = claim("order", "a", "b")
    for kim in ({}, {"kim": False}):
        verdict = judge(one, experiments, fidelity={**OK, "cornet": True, **kim})
        assert verdict.reason == "unverified_reimplementation"
    assert judge(one, experiments, fidelity={**OK, "cornet": True, "kim": True}).reason == "reversed"


def test_an_exact_contradiction_needs_it_too() -> None:
    one = claim("value", "a", deterministic=True)
    assert judge(one, arms(a=[20.0, 20.0]), fidelity={}).reason == "unverified_reimplementation"
    assert said(judge(one, arms(a=[20.0, 20.0]))) == ("contradicted", "deterministic")


# --------------------------------------------------------------------------- numbers and badges


#: 2 P[t_2 >= (0.61667 - 0.505) / (0.23714 sqrt(1/3 + 2^2))]
P_WITH_KAPPA = 2 * float(stats.t.sf((0.616666667 - 0.505) / (0.23713569 * math.sqrt(1 / 3 + 4)), 2))


def test_a_value_verdict_holds_its_whole_derivation() -> None:
    """Every number of golden case value-001, by the claim's way."""
    verdict = judge(claim("value", "a"), arms(a=[75.50, 75.83, 75.96]))
    expected = {
        "claim": "c:P@1",
        "scope": "same_data",
        "n": (3,),
        "attempts": (3,),
        "values": ((75.50, 75.83, 75.96),),
        "seeds": ((0, 1, 2),),
        "badges": (),
        "reason": "within_seed_spread",
    }
    assert {name: getattr(verdict, name) for name in expected} == expected
    numbers = {
        "estimate": 75.76333333,
        "target": 76.38,
        "margin": 0.5,
        "sd": 0.23713569,
        "se": 0.23713569 / math.sqrt(3),
        "df": 2,
        "p_reproduced": 0.7660267887,
        "p_contradicted": P_WITH_KAPPA,
        "p_reproduced_adjusted": 0.7660267887,
        "p_contradicted_adjusted": P_WITH_KAPPA,
        "margin_reproduced_from": 1.02144292,
        "margin_contradicted_up_to": 0.0,
    }
    assert {name: getattr(verdict, name) for name in numbers} == pytest.approx(numbers, abs=1e-6)
    assert verdict.ci90 == pytest.approx((75.36355708, 76.16310959))
    assert verdict.ci95 == pytest.approx((75.17425563, 76.35241103))
    luck = 4.30265273 * 0.23713569 * math.sqrt(1 / 3 + 4)
    assert verdict.pi95 == pytest.approx((75.76333333 - luck, 75.76333333 + luck))


def test_a_comparison_verdict_is_first_minus_second_by_welch() -> None:
    one = claim("order", "a", "b", printed=("78.60", "76.81"))
    verdict = judge(one, arms(a=HIGH, b=LOW))
    theirs = stats.ttest_ind(HIGH, LOW, equal_var=False)
    assert verdict.estimate == pytest.approx(1.66)
    assert verdict.target == 1.79  # exact in decimals: 78.60 - 76.81 is 1.789999999999992 in floats
    assert verdict.ci95 == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert verdict.p_reproduced == pytest.approx(theirs.pvalue / 2)
    assert (verdict.n, verdict.seeds) == ((5, 5), ((0, 1, 2, 3, 4),) * 2)
    assert verdict.margin is None


def test_an_equivalence_verdict_shows_its_band() -> None:
    verdict = judge(claim("equivalent", "a", "b"), arms(a=HIGH, b=LOW))
    se, df = 0.17888544, 7.79418481  # 1.66 / 9.27968211, of golden case welch-001
    assert verdict.margin == 0.5
    assert verdict.margin_contradicted_up_to == pytest.approx(1.66 - stats.t.ppf(0.975, df) * se, abs=1e-6)
    assert verdict.margin_reproduced_from == pytest.approx(1.66 + stats.t.ppf(0.95, df) * se, abs=1e-6)


def test_half_a_printed_pair_gives_no_printed_gap() -> None:
    level_a, level_b = [53.93, 53.95, 53.92, 53.94, 53.96], [53.94, 53.93, 53.95, 53.92, 53.94]
    experiments = arms(a=level_a, b=level_b)
    one = judge(claim("order", "a", "b", printed=("53.93",)), experiments)
    assert (one.target, *said(one)) == (None, "contradicted", "negligible")
    both = judge(claim("order", "a", "b", printed=("54.93", "53.93")), experiments)
    assert (both.target, *said(both)) == (1.0, "contradicted", "negligible")
    wide = judge(claim("order", "a", "b", printed=("54.93", "53.93"), negligible=0.5), experiments)
    assert said(wide) == ("inconclusive", "undecided")  # a gap of 1.0 is not more than twice 0.5


def test_an_arm_whose_seeds_nothing_tells_apart_decides_no_order() -> None:
    verdict = judge(claim("order", "a", "b"), arms(a=[60.1001, 60.1002, 60.1003], b=[58.0, 58.3, 58.1]))
    assert said(verdict) == ("inconclusive", "no_spread")


def test_a_direction_that_holds_by_next_to_nothing_is_said_to_be_negligible() -> None:
    better, worse = [50.044, 50.050, 50.056], [49.994, 50.000, 50.006]
    verdict = judge(claim("order", "a", "b"), arms(a=better, b=worse))
    assert said(verdict) == ("inconclusive", "negligible_gain")
    printed = judge(claim("order", "a", "b", printed=("50.05", "50.00")), arms(a=better, b=worse))
    assert (*said(printed), printed.badges) == ("reproduced", "direction", ("difference negligible",))


def test_failed_seeds_stay_in_the_attempts_and_show() -> None:
    verdict = judge(claim("value", "a"), arms(a=[76.28, 76.38, None, 76.48, 76.40, 76.36]))
    assert (verdict.n, verdict.attempts, verdict.badges) == ((5,), (6,), ("5 of 6 seeds",))
    pair = judge(claim("order", "a", "b"), arms(a=[*HIGH, None], b=LOW))
    assert (pair.n, pair.attempts, pair.badges) == ((5, 5), (6, 5), ("a: 5 of 6 seeds",))


@pytest.mark.parametrize(
    ("then", "outcome", "badges"),
    [
        ({"p": "now"}, "reproduced", ()),
        ({"p": "old"}, "inconclusive", ("margins changed after the runs, which began under old",)),
        ({"p": "older"}, "reproduced", ("new audit of older runs: a slip in Table 2",)),
        ({"q": "now"}, "reproduced", ("margins not on record before the runs",)),
        ({}, "reproduced", ("margins not on record before the runs",)),
    ],
)
def test_margins_chosen_after_the_runs_forbid_a_verdict_until_a_new_audit_is_declared(
    then: dict[str, str], outcome: str, badges: tuple[str, ...]
) -> None:
    experiments = {"a": make_experiment("a", runs([76.28, 76.38, 76.48], margins=then))}
    now = MarginsNow("p", "now", {"older": "a slip in Table 2"})
    verdict = judge(claim("value", "a"), experiments, margins=now)
    assert (verdict.outcome, verdict.badges) == (outcome, badges)
    assert (verdict.reason == "margins_changed") == (outcome == "inconclusive")


def test_one_run_with_other_margins_is_enough() -> None:
    old = make_run(2, 76.48, margins={"p": "old"})
    held = [*runs([76.28, 76.38], margins={"p": "now"}), old]
    experiments = {"a": make_experiment("a", held)}
    assert judge(claim("value", "a"), experiments, margins=MarginsNow("p", "now")).reason == "margins_changed"


def test_a_collapsed_arm_shows() -> None:
    assert judge(claim("order", "a", "b"), arms(a=HIGH, b=[20.0] * 3)).badges == ("b: no spread",)


def test_a_declaration_that_does_not_hold_shows_and_is_not_used() -> None:
    verdict = judge(claim("value", "a", deterministic=True), arms(a=[76.37, 76.38, 76.39]))
    assert said(verdict) == ("reproduced", "tost")
    assert verdict.badges == ("declared deterministic, but the runs differ",)


def test_runs_behind_the_printed_number_enter() -> None:
    experiments = arms(a=[75.0, 75.2, 75.4])
    one, five = (judge(claim("value", "a", runs_behind=m), experiments) for m in (1, 5))
    assert one.p_contradicted is not None and five.p_contradicted is not None
    assert five.p_contradicted < one.p_contradicted


def test_arms_are_paired_only_where_the_claim_gives_a_reason() -> None:
    a, b = [86.4, 86.2, 86.6, 86.1], [86.0, 86.1, 86.2, 86.0]
    alone = judge(claim("order", "a", "b"), arms(a=a, b=b))
    together = judge(claim("order", "a", "b", paired="same initialisation and order"), arms(a=a, b=b))
    assert alone.p_reproduced == pytest.approx(
        stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue
    )
    assert together.p_reproduced == pytest.approx(0.0315900375)  # golden case order-005
    assert (together.df, together.badges[0]) == (3.0, "4 pairs of seeds")


def test_pairs_go_by_seed_and_only_common_seeds_count() -> None:
    """Seed 0 of a failed: seeds 1, 2, 3 remain, whatever the order of the runs."""
    experiments = arms(a=[None, 86.2, 86.6, 86.1], b=[86.0, 86.1, 86.2, 86.0])
    experiments["b"] = replace(experiments["b"], runs=experiments["b"].runs[::-1])
    verdict = judge(claim("order", "a", "b", paired="why"), experiments)
    assert verdict.estimate == pytest.approx((0.1 + 0.4 + 0.1) / 3)
    assert "3 pairs of seeds" in verdict.badges
    assert (verdict.df, verdict.n) == (2.0, (3, 4))


def test_no_common_seed_is_too_few() -> None:
    experiments = arms(a=HIGH, b=[None] * 5)
    experiments["b"] = make_experiment("b", [make_run(9, 70.0, key="z")])
    verdict = judge(claim("order", "a", "b", paired="why"), experiments)
    assert (*said(verdict), verdict.estimate) == ("inconclusive", "too_few_seeds", None)


def test_a_verdict_can_be_written_as_json() -> None:
    """Not even a deterministic method on another split (infinite df) gives what JSON has not."""
    split = arms("other_split", a=[76.0, 76.0])
    one = claim("value", "a", deterministic=True, margin=replace(HALF, value=50.0))
    verdict = judge(one, split, test_sizes={"toy": 3865})
    assert (*said(verdict), verdict.df) == ("reproduced", "tost", None)
    json.dumps(asdict(verdict), allow_nan=False)


# --------------------------------------------------------------------------- a whole paper


def paper() -> tuple[list[ClaimRecord], dict[str, ExperimentRecord]]:
    """Five claims that can be tested, then four that cannot."""
    experiments = arms(
        good=[76.28, 76.38, 76.48],
        off=[77.04, 77.14, 77.24],  # p_con just under .05, so that four more contradictions undo it
        high=HIGH,
        low=LOW,
        single=[76.38],
        crashed=[None, None],
        still=[20.0] * 3,
    )
    testable = [
        claim("value", "good", id="1"),
        claim("value", "off", id="2", runs_behind=1000),
        claim("order", "high", "low", id="3"),
        claim("order", "low", "high", id="4"),
        claim("equivalent", "high", "low", id="5"),
    ]
    others = [claim("value", name, id=name) for name in ("single", "crashed", "still", "nowhere")]
    return testable + others, experiments


def test_a_paper_is_judged_by_p_values_adjusted_over_what_could_be_tested() -> None:
    claims, experiments = paper()
    verdicts = compare(claims, experiments, fidelity=OK)
    tested = verdicts[:5]
    holm = multipletests([v.p_contradicted for v in tested], method="holm")[1]
    hochberg = multipletests([v.p_reproduced for v in tested], method="fdr_bh")[1]
    assert [v.p_contradicted_adjusted for v in tested] == pytest.approx(list(holm))
    assert [v.p_reproduced_adjusted for v in tested] == pytest.approx(list(hochberg))
    assert [said(v) for v in tested] == [
        ("reproduced", "tost"),
        ("inconclusive", "multiplicity"),
        ("reproduced", "direction"),
        ("contradicted", "reversed"),
        ("contradicted", "minimum_effect"),
    ]
    for verdict in verdicts[5:]:
        assert (verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted) == (None, None)


def test_each_claim_alone_would_have_been_decided() -> None:
    claims, experiments = paper()
    alone = [judge(one, experiments) for one in claims]
    assert alone[1].outcome == "contradicted"


def test_claims_that_could_not_be_tested_change_no_other() -> None:
    claims, experiments = paper()
    assert compare(claims, experiments, fidelity=OK)[:5] == compare(claims[:5], experiments, fidelity=OK)


def test_the_same_test_of_the_very_same_runs_counts_once() -> None:
    """Under as many names as it has: no claim's p is the larger for it. Holm over 2 tests doubles .049."""
    claims, experiments = paper()
    doubles = {f"{name} again": replace(it, id=f"{name} again") for name, it in experiments.items()}
    again = [
        replace(it, id=f"again {it.id}", experiments=tuple(f"{name} again" for name in it.experiments))
        for it in claims[:5]
    ]
    alone = compare(claims, experiments, fidelity=OK)
    both = compare([*claims, *again], {**experiments, **doubles}, fidelity=OK)
    assert both[: len(claims)] == alone
    for one, other in zip(alone, both[len(claims) :], strict=False):
        assert (other.outcome, other.reason) == (one.outcome, one.reason)
        assert other.p_contradicted_adjusted == one.p_contradicted_adjusted
    one, two = claim("order", "low", "high", id="1"), claim("order", "low again", "high again", id="2")
    for verdict in compare([one, two], {**experiments, **doubles}, fidelity=OK):
        assert verdict.p_contradicted_adjusted == verdict.p_contradicted
    primary = compare([one, replace(two, primary=True)], {**experiments, **doubles}, fidelity=OK)
    assert [it.p_contradicted_adjusted for it in primary] == [it.p_contradicted for it in primary]


def test_other_runs_with_the_same_numbers_are_another_test() -> None:
    experiments = arms(low=LOW, high=HIGH, low2=LOW, high2=HIGH)
    claims = [claim("order", "low", "high", id="1"), claim("order", "low2", "high2", id="2")]
    for verdict in compare(claims, experiments, fidelity=OK):
        assert verdict.p_contradicted_adjusted == pytest.approx(2 * (verdict.p_contradicted or 0.0))


@pytest.mark.parametrize("kind", ["value", "order", "equivalent", "ranking"])
def test_runs_on_another_data_set_of_the_paper_say_nothing(kind: str) -> None:
    """The corpus is known to be that one: no stand-in, and no second witness."""
    experiments = arms("other_data", a=HIGH, b=LOW)
    held = {name: replace(it, corpus_of="english") for name, it in experiments.items()}
    verdict = judge(claim(kind, *(["a"] if kind == "value" else ["a", "b"])), held)
    assert said(verdict) == ("inconclusive", "other_data")
    assert (verdict.p_reproduced, verdict.estimate, verdict.scope) == (None, None, None)
    assert "the corpus is known to be english, another data set of the paper" in verdict.badges[0]


@pytest.mark.parametrize("metric", ["P@1[few]", "Micro-F1"])
def test_a_metric_over_a_subset_of_labels_is_never_judged_by_the_overall_one(metric: str) -> None:
    """The runs have P@1 of all labels; of a subset, and of label decisions, they have nothing."""
    verdict = judge(claim("order", "a", "b", metric=metric), arms(a=HIGH, b=LOW))
    assert said(verdict) == ("inconclusive", "not_measured")
    assert verdict.badges[0] == f"a: {metric} not measured in 5 of 5 runs"


def test_sizes_that_disagree_with_the_declared_data_are_told_at_the_verdict() -> None:
    apart = ("printed 43,410 training documents, here 1,200",)
    sheet = DataSheet("Corpus", "", "c", "p", "d", (), sizes_apart=apart)
    held = arms(a=LOW, b=HIGH)
    held["a"] = replace(held["a"], data=sheet, short=("stand_in",))
    verdict = judge(claim("order", "a", "b"), held)
    assert said(verdict) == ("inconclusive", "stand_in")
    assert verdict.badges == (f"a: declared to be the paper's data, and {apart[0]}",)


def test_the_order_of_claims_and_runs_changes_nothing() -> None:
    claims, experiments = paper()
    backwards = {name: replace(it, runs=it.runs[::-1]) for name, it in reversed(list(experiments.items()))}
    assert compare(claims[::-1], backwards, fidelity=OK)[::-1] == compare(claims, experiments, fidelity=OK)


def test_no_claims_give_no_verdicts() -> None:
    assert compare([], {}, fidelity={}) == ()


def test_importing_the_comparator_loads_neither_torch_nor_scipy() -> None:
    code = "import sys, audit.comparator; print([m for m in ('torch', 'scipy', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
