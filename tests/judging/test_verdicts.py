"""Claims and runs to verdicts: obstacles, gate, margins, families, readings of one paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.judging.verdicts import MarginsNow, compare
from audit.record import ClaimRecord, DataInfo, ExperimentRecord, Scope
from audit.stats.decision import families
from tests.judging.made import HIGH, LOW, OK, arms, claim, judge, margin, runs, said
from tests.records import make_experiment, make_run


def test_arms_tested_on_different_documents_are_not_compared() -> None:
    other = DataInfo(name="toy", fingerprint="f", recipe="r", n_train=100, n_test=49, n_labels=10)
    experiments = arms(a=HIGH) | {"b": make_experiment("b", runs(LOW, prefix="b", data=other))}
    assert said(judge(claim("order", "a", "b"), experiments)) == ("inconclusive", "different_data")


def test_claims_whose_runs_are_gone_stay_in_the_family_and_late_ones_are_not_in_that_of_others() -> None:
    """Of two tests each p counts twice by Holm; a claim that was added after the runs changes no other's."""
    experiments = arms(a=[60.0, 60.4, 59.7, 60.2, 59.9], b=[50.0, 50.4, 49.7, 50.2, 49.9])
    claims = [claim("value", "a", id="first"), claim("value", "b", id="second")]

    def factors(experiments: dict[str, ExperimentRecord], **more: Any) -> list[float]:
        found = compare(claims, experiments, fidelity=OK, **more)
        pairs = [(it.p_contradicted_adjusted or 0.0, it.p_contradicted or 1.0) for it in found]
        return [round(adjusted / p, 6) for adjusted, p in pairs]

    assert factors(experiments) == [1.0, 2.0]  # the second has the smaller one
    lost = experiments | {"b": replace(experiments["b"], gone=(7,))}
    assert factors(lost) == [2.0, 0.0]
    began = {
        name: replace(it, runs=tuple(replace(run, margins={"p": "old"}) for run in it.runs))
        for name, it in experiments.items()
    }
    late = MarginsNow("p", "now", grown={"old": ("second:P@1",)})
    assert factors(began, margins=late) == [1.0, 2.0]


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
        (claim("value", "a", printed=()), "no_printed_number"),  # the cell prints a dash
        (claim("equivalent", "a", "b", margin=None), "no_margin"),
        (claim("ranking", "a"), "not_run"),
    ],
)
def test_an_incomplete_claim_is_inconclusive(one: ClaimRecord, reason: str) -> None:
    assert said(judge(one, arms(a=HIGH, b=LOW))) == ("inconclusive", reason)


@pytest.mark.parametrize("scope", ["same_data", "other_split", "other_data"])
def test_a_comparison_is_judged_on_any_scope_and_carries_it(scope: Scope) -> None:
    opposite = "inconclusive" if scope == "other_data" else "contradicted"
    for kind, outcome in (("order", "reproduced"), ("equivalent", opposite)):
        verdict = judge(claim(kind, "a", "b"), arms(scope, a=HIGH, b=LOW))
        assert (verdict.outcome, verdict.scope) == (outcome, scope)


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


def test_an_order_against_an_untuned_rival_says_so() -> None:
    there = arms(a=HIGH, b=LOW)
    there["b"] = replace(there["b"], short=("untuned",))
    verdict = judge(claim("order", "a", "b"), there)
    assert verdict.outcome == "reproduced"
    assert verdict.badges == ("b: not tuned, though the paper tunes",)


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


def test_a_negligible_gain_is_no_discovery_that_helps_another_claim() -> None:
    """d = .02, se = .01, 8 df: P[t >= 2] = .0403 of the gain and of "within .04"; 2 P[t >= 8] < .001."""
    held = arms(a=[50.0, 50.01, 50.02, 50.03, 50.04], b=[49.98, 49.99, 50.0, 50.01, 50.02])
    claims = [claim("order", "a", "b"), claim("equivalent", "a", "b", id="alike", margin=margin(0.04))]
    assert said(judge(claims[1], held)) == ("reproduced", "tost")
    gain, alike = compare(claims, held, fidelity=OK)
    assert (gain.reason, alike.reason) == ("negligible_gain", "multiplicity")
    assert alike.p_reproduced_adjusted == pytest.approx(2 * stats.t.sf(2.0, 8))


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


def test_the_order_of_claims_and_runs_changes_nothing() -> None:
    claims, experiments = paper()
    backwards = {name: replace(it, runs=it.runs[::-1]) for name, it in reversed(list(experiments.items()))}
    assert compare(claims[::-1], backwards, fidelity=OK)[::-1] == compare(claims, experiments, fidelity=OK)


MIDDLE = [77.6, 77.9, 77.7, 78.0, 77.8]


def experiments() -> dict[str, ExperimentRecord]:
    """`high` learns fast and costs little, `low` is slow and dear; `middle` and the others lie between."""
    found = {}
    for name, values, reached, seconds in (
        ("high", HIGH, 2, 100.0),
        ("middle", MIDDLE, 5, 200.0),
        ("low", LOW, 8, 300.0),
        ("larger", MIDDLE, 5, 130.0),
        ("large", MIDDLE, 5, 230.0),
    ):
        made = []
        for seed, x in enumerate(values):
            curve = ({"epoch": e + seed / 10, "P@1": 50.0 if e >= reached else 40.0} for e in range(10))
            more = {"key": f"{name}{seed}", "seconds": seconds + seed, "curve": tuple(curve)}
            made.append(make_run(seed, x, **more))
        found[name] = make_experiment(name, made)
    return found


#: Sixteen times the size takes three times as long.
SWEEP = ("high", "larger", "middle", "large", "low")
GROWS = {
    "exponent": 2.0,
    "sizes": {name: 1000.0 * 2**k for k, name in enumerate(SWEEP)},
    "quantity": "training_time",
}
LINE = {"dataset": "toy", "metric": "P@1", "winner": "low", "rivals": ["middle", "high"]}

#: A claim of every kind that these runs contradict.
WRONG: dict[str, ClaimRecord] = {
    "value": claim("value", "low", printed=("90.00",)),
    "order": claim("order", "low", "high"),
    "gap": claim("gap", "low", "high", printed=("80.00", "60.00"), margin=margin(1.0)),
    "equivalent": claim("equivalent", "low", "high"),
    "significant": claim("significant", "low", "high"),
    "ranking": claim("ranking", "low", "middle", "high"),
    "trend": claim("trend", "high", "middle", "low", details={"direction": "rising"}),
    "optimum": claim("optimum", "low", "high", "middle", "low"),
    "dominance": claim("dominance", "low", "middle", "high", metric="", details={"lines": [LINE]}),
    "cost": claim("cost", "low", "high", metric="", details={"quantity": "training_time"}),
    "convergence": claim("convergence", "low", "high", details={"target": 50.0}),
    "complexity": claim("complexity", *SWEEP, metric="", margin=None, details=GROWS),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("fidelity", [{}, {"xml_cnn": False}])
def test_nobody_is_contradicted_by_a_model_that_did_not_pass_its_checks(
    kind: str, fidelity: dict[str, bool]
) -> None:
    """The numbers stay; only the outcome is withheld, with its reason."""
    passed = judge(WRONG[kind], experiments())
    assert passed.outcome == "contradicted"
    withheld = judge(WRONG[kind], experiments(), fidelity=fidelity)
    assert said(withheld) == ("inconclusive", "unverified_reimplementation")
    of_outcome = {name: getattr(withheld, name) for name in ("outcome", "reason", "barred")}
    assert withheld == replace(passed, **of_outcome, kappa=None)


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(
    ("short", "reason"),
    [
        ({"scope": "other_data"}, "stand_in"),
        ({"short": ("reduced_protocol",)}, "reduced_protocol"),
        ({"short": ("untuned",)}, "untuned"),
    ],
)
def test_a_shrunken_run_contradicts_nobody(kind: str, short: dict[str, Any], reason: str) -> None:
    """STATISTICS 18, "Contradicted needs": one arm that falls short is enough, and all numbers are shown."""
    whole, right = judge(WRONG[kind], experiments()), experiments()
    withheld = judge(WRONG[kind], {**right, "low": replace(right["low"], **short)})
    if withheld.p_contradicted is None and whole.p_contradicted is not None:  # of a number on other data
        assert said(withheld) == ("inconclusive", "other_data")
        return
    assert said(withheld) == ("inconclusive", reason)
    shown = {"outcome": "contradicted", "reason": whole.reason, "barred": None, "scope": whole.scope}
    shown["kappa"] = whole.kappa
    assert replace(withheld, **shown) == whole


@pytest.mark.parametrize("scope", ["same_data", "other_split"])
def test_the_papers_own_corpus_in_another_split_may_contradict(scope: Scope) -> None:
    held = {name: replace(it, scope=scope) for name, it in experiments().items()}
    assert judge(WRONG["order"], held).outcome == "contradicted"


@pytest.mark.parametrize("kind", [kind for kind in WRONG if kind != "value"])
def test_two_arms_that_share_a_run_are_not_compared(kind: str) -> None:
    held = experiments()
    shared = (held["high"].runs[0], *held["low"].runs[1:])
    held["low"] = replace(held["low"], runs=shared)
    assert said(judge(WRONG[kind], held)) == ("inconclusive", "same_runs")


def off(gap: float) -> list[float]:
    """Three runs of SD 0.1 around 76.38 + gap."""
    return [76.38 + gap + e for e in (-0.1, 0.0, 0.1)]


def test_primaries_are_a_family_of_their_own_with_half_of_the_level() -> None:
    """Raw p times the rank by Holm within the family, times two, as long as nothing is passed on."""
    gaps = {"a": 1.6, "b": 1.9, "c": 1.1, "d": 2.6, "e": 0.2}
    held = arms(**{name: off(gap) for name, gap in gaps.items()})
    claims = [claim("value", name, id=name, primary=name in "ab") for name in gaps]
    verdicts = compare(claims, held, fidelity=OK)
    raw = [v.p_contradicted for v in verdicts]
    head, tail = (list(multipletests(p, method="holm")[1]) for p in (raw[:2], raw[2:]))
    assert max(tail) == 1.0  # so nothing is passed on to the primaries
    passed = 2 * max(head)
    expected = [2 * p for p in head] + [min(1.0, 2 * p, max(p, passed)) for p in tail]
    assert [v.p_contradicted_adjusted for v in verdicts] == pytest.approx(expected)
    alone = compare([replace(it, primary=False) for it in claims], held, fidelity=OK)
    assert [v.p_reproduced_adjusted for v in verdicts] == [v.p_reproduced_adjusted for v in alone]


def rejected_by_the_procedure(p: np.ndarray, primary: np.ndarray, level: float) -> np.ndarray:
    """The rule as a procedure: Holm in each family at half of the level, which all rejected it hands on."""

    def holm(of: np.ndarray, at: float) -> np.ndarray:
        found = np.zeros(len(of), dtype=bool)
        for step, i in enumerate(np.argsort(of, kind="stable")):
            if of[i] > at / (len(of) - step):
                break
            found[i] = True
        return found

    out = np.zeros(len(p), dtype=bool)
    head, tail = np.flatnonzero(primary), np.flatnonzero(~primary)
    halves = {True: holm(p[head], level / 2), False: holm(p[tail], level / 2)}
    out[head] = holm(p[head], level) if halves[False].all() else halves[True]
    out[tail] = holm(p[tail], level) if halves[True].all() else halves[False]
    return out


@pytest.mark.parametrize("level", [0.05, 0.025, 0.01])
def test_adjusted_p_values_reject_what_the_procedure_rejects(level: float) -> None:
    rng = np.random.default_rng(11)
    for _ in range(400):
        m = int(rng.integers(2, 9))
        p = rng.random(m) ** rng.choice([1.0, 4.0, 8.0])
        primary = rng.random(m) < 0.4
        if not 0 < primary.sum() < m:
            continue
        adjusted = np.array(families(p.tolist(), primary=primary.tolist()))
        assert (adjusted <= level).tolist() == rejected_by_the_procedure(p, primary, level).tolist()


def test_a_look_is_taken_at_its_own_level_throughout() -> None:
    """The last step goes back with p = .048: clearly so at 5 %, not at the 2.5 % of one of two looks."""
    noise = (0.0, 0.1, -0.1, 0.05)
    levels = {it: [mean + e for e in noise] for it, mean in zip("abcd", (1.0, 3.0, 5.0, 4.8), strict=True)}
    one = claim("trend", *levels, details={"direction": "rising"})
    full, half = (judge(one, arms(**levels), alpha=alpha) for alpha in (0.05, 0.025))
    assert 0.025 < (full.parts[2].p_contradicted or 0.0) < 0.05
    assert said(full) == ("contradicted", "step_back")
    assert said(half) == ("reproduced", "trend")
