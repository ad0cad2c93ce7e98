"""A whole paper through the comparator: families, the gate of every kind, margins, and chance."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

from audit.claim_kinds import KINDS
from audit.comparator import MarginsNow, compare
from audit.judging import JUDGES
from audit.record import ClaimRecord, ExperimentRecord, Scope
from audit.stats.multiplicity import families
from tests.judging.made import HIGH, LOW, OK, arms, claim, judge, margin, said
from tests.records import make_experiment, make_run
from tests.stats import golden

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
        found[name] = make_experiment(
            name,
            [
                make_run(
                    seed,
                    x,
                    key=f"{name}{seed}",
                    seconds=seconds + seed,
                    curve=tuple(
                        {"epoch": e + seed / 10, "P@1": 50.0 if e >= reached else 40.0} for e in range(10)
                    ),
                )
                for seed, x in enumerate(values)
            ],
        )
    return found


#: Sixteen times the size takes three times as long.
SWEEP = ("high", "larger", "middle", "large", "low")
LINE = {"dataset": "toy", "metric": "P@1", "winner": "low", "rivals": ["middle", "high"]}
#: A claim of every kind that these runs contradict.
WRONG: Mapping[str, ClaimRecord] = {
    "value": claim("value", "low"),
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
    "complexity": claim(
        "complexity",
        *SWEEP,
        metric="",
        margin=None,
        details={
            "exponent": 1.0,
            "sizes": {name: 1000.0 * 2**k for k, name in enumerate(SWEEP)},
            "quantity": "training_time",
        },
    ),
}
WRONG = WRONG | {"value": replace(WRONG["value"], printed=("90.00",))}


# --------------------------------------------------------------------------- the gate


def test_there_is_a_wrong_claim_of_every_kind_that_is_judged() -> None:
    assert set(WRONG) == set(JUDGES)
    by_no_run = {name for name, kind in KINDS.items() if not kind.by_runs}
    assert set(KINDS) - by_no_run - set(JUDGES) == set()


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("fidelity", [{}, {"xml_cnn": False}, {"another": True}])
def test_nobody_is_contradicted_by_a_model_that_did_not_pass_its_checks(
    kind: str, fidelity: dict[str, bool]
) -> None:
    """The numbers stay; only the outcome is withheld, with its reason."""
    passed = judge(WRONG[kind], experiments())
    assert passed.outcome == "contradicted"
    withheld = judge(WRONG[kind], experiments(), fidelity=fidelity)
    assert said(withheld) == ("inconclusive", "unverified_reimplementation")
    barred = {
        "outcome": withheld.outcome,
        "reason": withheld.reason,
        "barred": withheld.reason,
        "kappa": None,
    }
    assert withheld == replace(passed, **barred)


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(
    ("short", "reason"),
    [
        ({"scope": "other_data"}, "stand_in"),
        ({"short": ("reduced_protocol",)}, "reduced_protocol"),
        ({"short": ("untuned",)}, "untuned"),
        ({"short": ("reduced_protocol", "untuned")}, "reduced_protocol"),
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


@pytest.mark.parametrize(
    "held", [{"scope": "other_data"}, {"short": ("reduced_protocol", "untuned")}], ids=["stand-in", "short"]
)
def test_what_a_shrunken_run_reproduces_stands(held: dict[str, Any]) -> None:
    """It is said of the mechanism."""
    seen = {name: replace(it, **held) for name, it in experiments().items()}
    assert judge(claim("order", "high", "low"), seen).outcome == "reproduced"


@pytest.mark.parametrize("kind", [kind for kind in WRONG if kind != "value"])
@pytest.mark.parametrize("arm", ["low", "high"])
def test_every_model_that_bears_on_a_claim_must_have_passed(kind: str, arm: str) -> None:
    held = experiments()
    held[arm] = replace(held[arm], model="attention_xml")
    assert judge(WRONG[kind], held).reason == "unverified_reimplementation"
    assert judge(WRONG[kind], held, fidelity={**OK, "attention_xml": True}).outcome == "contradicted"


@pytest.mark.parametrize(
    ("kind", "names", "more"),
    [
        ("value", ("high",), {"printed": ("78.54",)}),
        ("order", ("high", "low"), {}),
        ("ranking", ("high", "middle", "low"), {}),
        ("trend", ("low", "middle", "high"), {"details": {"direction": "rising"}}),
        ("optimum", ("high", "middle", "low"), {}),
        ("cost", ("high", "low"), {"metric": "", "details": {"quantity": "training_time"}}),
        ("convergence", ("high", "low"), {"details": {"target": 50.0}}),
    ],
)
def test_a_reproduction_needs_no_gate(kind: str, names: tuple[str, ...], more: dict[str, Any]) -> None:
    assert judge(claim(kind, *names, **more), experiments(), fidelity={}).outcome == "reproduced"


# --------------------------------------------------------------------------- same runs, changed margins


@pytest.mark.parametrize("kind", [kind for kind in WRONG if kind != "value"])
def test_two_arms_that_share_a_run_are_not_compared(kind: str) -> None:
    held = experiments()
    shared = (held["high"].runs[0], *held["low"].runs[1:])
    held["low"] = replace(held["low"], runs=shared)
    assert said(judge(WRONG[kind], held)) == ("inconclusive", "same_runs")


@pytest.mark.parametrize("kind", WRONG)
def test_margins_chosen_after_the_runs_forbid_a_verdict_of_any_kind(kind: str) -> None:
    """One run that began under other margins is enough; declared as superseded, it counts again."""
    held = experiments()
    for name, record in held.items():
        of = [replace(run, margins={"p": "now"}) for run in record.runs]
        of[0] = replace(of[0], margins={"p": "old"})
        held[name] = replace(record, runs=tuple(of))
    changed = judge(WRONG[kind], held, margins=MarginsNow("p", "now"))
    assert said(changed) == ("inconclusive", "margins_changed")
    assert changed.p_contradicted is None
    assert "margins changed after the runs, which began under old" in changed.badges
    declared = judge(WRONG[kind], held, margins=MarginsNow("p", "now", {"old": "a slip"}))
    assert declared.outcome == "contradicted"
    assert "new audit of older runs: a slip" in declared.badges


def test_a_claim_with_changed_margins_leaves_the_family_of_the_others() -> None:
    held = experiments()
    old = [replace(run, margins={"p": "old"}) for run in held["middle"].runs]
    held["middle"] = replace(held["middle"], runs=tuple(old))
    both = [claim("value", "middle", printed=("90.00",)), WRONG["order"]]
    one, other = compare(both, held, fidelity=OK, margins=MarginsNow("p", "now"))
    assert one.p_contradicted_adjusted is None
    assert other.p_contradicted_adjusted == other.p_contradicted


# --------------------------------------------------------------------------- families


@golden.cases("suite")
def test_the_reference_suite_is_adjusted_as_the_comparator_does(case: dict[str, Any]) -> None:
    """Its p-values through `families` and Holm are those of the comparator's rule without primaries."""
    p = [it["p_con"] for it in case["inputs"]["claims"]]
    got = families(p, primary=[False] * len(p))
    assert golden.close(list(got), case["expected"]["p_con_holm"], case["tol"])


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


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
@pytest.mark.parametrize("effects", ["none", "the primaries", "the others", "some of both"])
def test_shared_families_err_in_at_most_5_percent_of_papers(correlation: float, effects: str) -> None:
    """3 primaries and 12 others, equally correlated; 3,000 papers, 5 % and three standard errors."""
    rng = np.random.default_rng(5)
    z = np.sqrt(1 - correlation) * rng.standard_normal((3000, 15))
    z += np.sqrt(correlation) * rng.standard_normal((3000, 1))
    real = {"none": [], "the primaries": [0, 1, 2], "the others": list(range(3, 15))}.get(effects, [0, 3, 4])
    z[:, real] += 20.0
    null = [i for i in range(15) if i not in real]
    primary = [True] * 3 + [False] * 12
    adjusted = np.array([families(p, primary=primary) for p in ndtr(-z).tolist()])
    wrong = adjusted[:, null].min(axis=1) <= 0.05
    assert np.mean(wrong) <= 0.05 + 3 * (0.05 * 0.95 / 3000) ** 0.5


# --------------------------------------------------------------------------- levels and chance


def test_a_look_is_taken_at_its_own_level_throughout() -> None:
    """The last step goes back with p = .048: clearly so at 5 %, not at the 2.5 % of one of two looks."""
    noise = (0.0, 0.1, -0.1, 0.05)
    levels = {
        name: [mean + e for e in noise] for name, mean in zip("abcd", (1.0, 3.0, 5.0, 4.8), strict=True)
    }
    one = claim("trend", *levels, details={"direction": "rising"})
    full, half = (judge(one, arms(**levels), alpha=alpha) for alpha in (0.05, 0.025))
    assert 0.025 < (full.parts[2].p_contradicted or 0.0) < 0.05
    assert said(full) == ("contradicted", "step_back")
    assert said(half) == ("reproduced", "trend")


def test_half_of_the_level_decides_less() -> None:
    """D_R of three runs of SD 0.1 is .4936 at 5 %: p_rep lies between .025 and .05."""
    experiments = arms(a=off(0.32))
    full, half = (judge(claim("value", "a"), experiments, alpha=alpha) for alpha in (0.05, 0.025))
    assert full.p_reproduced == half.p_reproduced
    assert 0.025 < (full.p_reproduced or 0.0) < 0.05
    assert (full.outcome, half.outcome) == ("reproduced", "inconclusive")


def test_verdicts_do_not_depend_on_any_state_of_chance() -> None:
    claims, held = list(WRONG.values()), experiments()
    np.random.seed(1)
    random.seed(1)
    first = compare(claims, held, fidelity=OK)
    np.random.seed(2)
    random.seed(2)
    assert compare(claims, held, fidelity=OK) == first
