"""Seeds and time that would settle the open claims of an audit. Expected numbers are those of the design's
tables, of the golden power cases, or hand calculations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.judging.evidence import BARS
from audit.judging.plan import HOPELESS, Outlook, outlooks, sentence, settling
from audit.judging.verdicts import compare
from audit.record import Audit, ClaimRecord, ExperimentRecord, Margin, PaperInfo, Verdict, Where
from audit.stats.power import Direction, Levels, Needed, Noise
from tests.records import make_experiment, make_run
from tests.stats import golden

HALF = Margin(0.5, "field", "usual")


def experiment(
    name: str, *values: float, seconds: float = 240.0, device: str = "cpu (X)"
) -> ExperimentRecord:
    runs = [
        make_run(seed, x, key=f"{name}{seed}", seconds=seconds, device=device)
        for seed, x in enumerate(values)
    ]
    record = make_experiment(name, runs)
    return record if values else replace(record, config={"maps": 1}, not_run="no run of it has finished")


def claim(kind: str, *names: str, id: str = "c", **more: Any) -> ClaimRecord:
    given = {"printed": ("76.38",), "margin": HALF, "dataset": "toy", **more}
    return ClaimRecord(f"{id}:P@1", id, kind, "says", "P@1", Where(), experiments=names, **given)


def audit_of(
    claims: list[ClaimRecord], *experiments: ExperimentRecord, verdicts: list[Verdict] | None = None
) -> Audit:
    held = {it.id: it for it in experiments}
    judged = tuple(verdicts or compare(claims, held, fidelity={"xml_cnn": True}))
    return Audit(PaperInfo("toy", "Toy"), (), tuple(experiments), tuple(claims), judged)


def only(audit: Audit) -> Outlook:
    (found,) = outlooks(audit)
    return found


def open_value(
    difference: float, sd: float, *, n: int = 3, claimed: dict[str, Any] | None = None, **more: Any
) -> Audit:
    """A value claim with half a point beyond its rounding, and runs whose SD has the upper limit `sd`."""
    s = sd * math.sqrt(stats.chi2.ppf(0.2, n - 1) / (n - 1))
    off = np.linspace(-1.0, 1.0, n)
    values = 76.38 + difference + s * off / off.std(ddof=1)
    one = claim("value", "e", **{"margin": Margin(0.505, "field", "usual"), **(claimed or {})})
    return left_open(audit_of([one], experiment("e", *values, **more)))


@pytest.mark.parametrize(
    ("sd", "difference", "needed"),
    [(0.50, 0.0, (11, 13)), (0.30, 0.0, (5, 6)), (0.25, 0.0, (4, 5)), (0.30, 0.25, (11, 14))],
)
def test_a_value_within_the_margin_needs_the_seeds_of_the_design_s_table(
    sd: float, difference: float, needed: tuple[int, int]
) -> None:
    """Margin 0.5 after half a unit of rounding."""
    free = open_value(difference, sd)
    found = only(free)
    shut = only(replace(free, verdicts=(replace(free.verdicts[0], barred="stand_in"),)))
    assert found.reproduce == shut.reproduce == Needed(*needed)  # a bar changes nothing there
    assert (found.contradict, found.seeds, found.why_not) == (Needed(None, None), needed[0], None)


@golden.cases("power_contradiction")
def test_a_value_far_off_needs_the_seeds_at_which_the_golden_power_passes_80_percent(
    case: dict[str, Any],
) -> None:
    """Four runs behind the printed number undo that its scatter is taken as twice ours."""
    difference, power = case["inputs"]["true_diff"], case["expected"]["power"]
    found = only(open_value(difference, 0.3, claimed={"runs_behind": 4, "margin": HALF}))
    assert found.reproduce == Needed(None, None)
    for seeds, target in ((found.contradict.seeds_80, 0.8), (found.contradict.seeds_90, 0.9)):
        assert seeds is not None
        assert all(p < target for n, p in power.items() if int(n) < seeds)
        assert all(p >= target for n, p in power.items() if int(n) >= seeds)


def test_time_is_that_of_the_runs_that_are_missing_by_the_mean_of_those_on_record() -> None:
    """Five seeds: two more of 240 s."""
    assert sentence(only(open_value(0.0, 0.3))) == "5 seeds, 8 min on a CPU"


def test_what_was_not_run_needs_three_seeds_first_timed_by_similar_experiments() -> None:
    ran, other = experiment("ran", 76.0, 76.1), replace(experiment("far", 1.0, seconds=9e3), model="other")
    found = only(audit_of([claim("value", "new")], ran, other, experiment("new")))
    assert (found.missing, found.first) == ({"new": 3}, True)
    assert sentence(found) == "3 seeds first, about 12 min on a CPU by similar experiments"


def pair(gap: float, sd: float) -> list[ExperimentRecord]:
    """Three runs an arm, so that the upper limit of the SD on 4 degrees of freedom is `sd`. chi2 with 4
    degrees of freedom has its 20 % point at 1.6488: s = sd sqrt(1.6488 / 4)."""
    s = sd * math.sqrt(1.648777 / 4.0)
    return [
        experiment("a", *(50.0 + gap + d for d in (-s, 0.0, s))),
        experiment("b", 50.0 - s, 50.0, 50.0 + s),
    ]


def left_open(audit: Audit) -> Audit:
    """As if nothing had been decided: so that plans can be held against tables for any data."""
    verdicts = [replace(it, outcome="inconclusive", reason="undecided") for it in audit.verdicts]
    return replace(audit, verdicts=tuple(verdicts))


@golden.cases("power_comparison")
def test_an_order_needs_the_golden_number_of_seeds_an_arm(case: dict[str, Any]) -> None:
    inputs, expected = case["inputs"], case["expected"]["n_per_arm"]
    arms = pair(inputs["true_gap"], inputs["sd"])
    audit = left_open(audit_of([claim("order", "a", "b", printed=())], *arms))
    assert only(audit).reproduce == Needed(expected["0.8"], expected["0.9"])


def sweep() -> list[ExperimentRecord]:
    s = 0.3 * math.sqrt(1.648777 / 4.0)
    means = {"a": 52.0, "b": 50.3, "c": 50.0}
    return [experiment(name, *(mean + d for d in (-s, 0.0, s))) for name, mean in means.items()]


def test_a_ranking_hangs_on_its_weakest_neighbours() -> None:
    """b over c by 0.3 with SD 0.3: 14 and 18 seeds at the whole level; a over b needs fewer at half of it."""
    found = only(left_open(audit_of([claim("ranking", "a", "b", "c", printed=())], *sweep())))
    assert (found.part, found.reproduce) == ("b > c", Needed(14, 18))


def test_an_optimum_hangs_on_its_nearest_rival() -> None:
    found = only(left_open(audit_of([claim("optimum", "a", "b", "c", printed=())], *sweep())))
    assert found.part == "a > b"
    held = [*sweep(), experiment("d", 39.7, 40.0, 40.3)]
    other = only(left_open(audit_of([claim("optimum", "c", "b", "d", printed=())], *held)))
    assert other.reproduce == Needed(None, None)
    # one SD, the one-sided 2.5 % that Holm leaves each of two rivals: 17 and 23 an arm (Cohen 1988)
    assert other.contradict == Needed(17, 23)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("other_data", HOPELESS["other_data"]),
        ("run_failed", "its runs failed: use `audit run --retry-failed`, or import finished ones"),
        ("a_new_reason", "a_new_reason"),
    ],
)
def test_where_seeds_do_not_help_it_says_why(reason: str, text: str) -> None:
    audit = open_value(0.0, 0.3)
    found = only(replace(audit, verdicts=(replace(audit.verdicts[0], reason=reason),)))
    assert (sentence(found), found.seeds, found.by_seeds) == (text, None, False)


def test_what_cannot_be_run_says_why() -> None:
    lost = replace(make_experiment("lost", []), not_run="its code was never published.", unavailable=True)
    found = only(audit_of([claim("value", "lost")], lost))
    assert sentence(found) == "cannot be run: its code was never published"


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize("kind", ["value", "order", "gap", "equivalent", "ranking", "optimum"])
def test_a_claim_barred_from_contradiction_has_no_seeds_and_no_chance_for_it(kind: str, bar: str) -> None:
    """Without the bar some seeds would do; with it, it says what would."""
    off = [experiment("a", 49.0, 49.3, 49.6), experiment("b", 60.0, 60.3, 60.6)]
    names, printed = (("a",), ("76.38",)) if kind == "value" else (("a", "b"), ("50.00", "40.00"))
    free = left_open(audit_of([claim(kind, *names, printed=printed)], *off))
    assert only(free).contradict.seeds_80 is not None
    found = only(replace(free, verdicts=(replace(free.verdicts[0], barred=bar),)))
    assert (found.contradict, found.seeds, found.by_seeds) == (Needed(None, None), None, False)
    assert sentence(found) == HOPELESS[bar]
    assert (only(free).chance(20) or 0.0) > 0.5 > 0.05 >= (found.chance(20) or 0.0)


@pytest.mark.parametrize(("quantity", "why"), [("parameters", "other_data"), ("training_time", None)])
def test_a_network_s_size_needs_the_papers_own_data_before_any_run(quantity: str, why: str | None) -> None:
    planned = [replace(experiment(name), scope="other_data") for name in "ab"]
    found = only(audit_of([claim("cost", "a", "b", details={"quantity": quantity})], *planned))
    assert (found.why_not, found.seeds) == (why, None if why else 3)


def test_more_open_claims_leave_each_a_smaller_level() -> None:
    """Ten claims of which none is shown: each must reach 0.05 / 10, and needs more seeds than alone."""
    alone = audit_of([claim("order", "a", "b", printed=())], *pair(0.5, 0.3))
    many = [claim("order", "a", "b", printed=(), id=f"c{i}") for i in range(10)]
    verdicts = [
        replace(
            alone.verdicts[0], claim=it.id, outcome="inconclusive", reason="multiplicity",
            p_reproduced=0.9 + i / 1000, p_contradicted=1.0, p_reproduced_adjusted=1.0,
            p_contradicted_adjusted=1.0,
        )
        for i, it in enumerate(many)
    ]  # fmt: skip
    found = outlooks(replace(alone, claims=tuple(many), verdicts=tuple(verdicts)))
    assert found[0].levels == Levels(pytest.approx(0.005), pytest.approx(0.005))
    assert found[0].reproduce == Direction(0.5, Noise(0.3, math.inf, 2)).plan(Levels(0.005, 1.0)).reproduce
    assert found[0].reproduce.seeds_80 > 6  # type: ignore[operator]


def test_the_record_has_every_open_claim_the_cheapest_first() -> None:
    """As `outlooks` and `sentence` have it: seeds for 80 and 90 %, runs that are missing, their time."""
    audit = open_value(0.2, 0.3)
    (name,) = settling(audit)
    found, plan = settling(audit)[name], only(audit)
    assert found.text == sentence(plan)
    assert found.seeds == plan.seeds is not None
    assert found.reproduce == (plan.reproduce.seeds_80, plan.reproduce.seeds_90)
    assert found.missing == plan.missing
    two = [claim("order", "a", "b", id=name) for name in ("far", "near")]
    dear = [experiment("a", 76.0, 77.0, 78.0, seconds=900.0), experiment("b", 75.9, 76.9, 77.8)]
    both = audit_of([two[0], claim("order", "c", "d", id="new")], *dear, experiment("c"), experiment("d"))
    costs = [it.seeds is None for it in settling(both).values()]
    assert costs == sorted(costs)
    assert settling(audit_of([claim("value", "a")], experiment("a", 76.3, 76.38, 76.46))) == {}
