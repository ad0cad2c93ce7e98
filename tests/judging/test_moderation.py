"""Variances that are moderated over the arms of a metric on a corpus, as the verdicts have them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

import pytest
from scipy import stats

from audit.judging.verdicts import compare
from audit.record import ExperimentRecord, Verdict
from tests.judging.made import OK, claim, runs
from tests.records import DATA, make_experiment
from tests.stats.test_moderated import EIGHT

LARGE = replace(DATA, n_test=100_000)
PRINTED = ("41.82", "43.92", "44.06", "41.64", "71.51", "54.85", "56.34", "42.49")
#: By inmoose and scipy, of case moderated-002: one run behind each number, kappa 2.
P_CONTRADICTED = (1.0, 0.0003822658, 0.0167422524, 1.0, 0.0356993048, 1.0, 0.0008328866, 1.0)
P_REPRODUCED = (0.0201614977, 0.9999999982, 0.9999994436, 0.2121940724, 0.9999975369, 0.019394678)


def experiments(arms: Sequence[Sequence[float]] = EIGHT) -> dict[str, ExperimentRecord]:
    return {
        f"e{i}": make_experiment(f"e{i}", runs(values, prefix=f"e{i}s", data=LARGE))
        for i, values in enumerate(arms)
    }


def judged(held: dict[str, ExperimentRecord], number: int = 8) -> tuple[Verdict, ...]:
    claims = [claim("value", f"e{i}", id=f"c{i}", printed=(PRINTED[i],)) for i in range(number)]
    return compare(claims, held, fidelity=OK)


def test_the_reference_case_comes_out_of_the_claims() -> None:
    found = judged(experiments())
    assert [it.p_contradicted for it in found] == pytest.approx(P_CONTRADICTED, rel=1e-6)
    assert [it.p_reproduced for it in found[:6]] == pytest.approx(P_REPRODUCED, rel=1e-6)
    assert {it.df for it in found} == {10.0}
    (scatter,) = found[0].scatter
    assert (scatter.moderated, scatter.prior_df) == (pytest.approx(math.sqrt(0.0596075626)), 8.0)
    assert found[0].sd == scatter.sd == pytest.approx(statistics.stdev(EIGHT[0]))
    q = 41.65690 * (100 - 41.65690) / 2500
    assert scatter.prior_sd == pytest.approx(math.sqrt(0.0677729326 * q), rel=1e-5)


def test_the_same_runs_under_two_names_count_once() -> None:
    held = experiments()
    twice = held | {"again": replace(held["e0"], id="again"), "more": replace(held["e2"], id="more")}
    assert judged(twice) == judged(held)


def test_equal_values_neither_give_nor_take() -> None:
    """Within a third of one of 1,000 test documents, 0.033 points, nothing says how far seeds scatter."""
    held = experiments()
    small = replace(LARGE, n_test=1000)
    for close, same in ((0.03, True), (0.04, False)):
        still = make_experiment("still", runs([50.0, 50.0, 50.0 + close], prefix="still", data=small))
        in_group = {
            name: replace(it, runs=tuple(replace(run, data=small) for run in it.runs))
            for name, it in held.items()
        }
        claims = [claim("value", name, id=name) for name in ("still", "e0")]
        first, second = compare(claims, in_group | {"still": still}, fidelity=OK)
        assert (first.scatter[0].prior_df == 0.0) is same
        (alone,) = compare(claims[1:], in_group, fidelity=OK)
        assert (second.se == alone.se) is same


def test_what_is_deterministic_neither_gives_nor_takes() -> None:
    held = experiments()
    one = claim("value", "e7", id="fixed", deterministic=True)
    other = claim("value", "e0", id="other")
    fixed, found = compare([one, other], held, fidelity=OK)
    assert fixed.scatter[0].prior_df == 0.0
    rest = {name: it for name, it in held.items() if name != "e7"}
    assert found.se == compare([other], rest, fidelity=OK)[0].se


def test_a_decision_that_one_seed_makes_has_a_badge() -> None:
    """p = .014 of four; without one of them .053 for 50.23, and less than .05 for any other, by scipy."""

    def said(values: list[float]) -> tuple[str, tuple[str, ...]]:
        held = {"a": make_experiment("a", runs(values, data=LARGE))}
        (verdict,) = compare([claim("value", "a", printed=("50.00",))], held, fidelity=OK)
        return verdict.outcome, verdict.badges

    def p(values: list[float]) -> float:
        tested = stats.ttest_1samp(values, 50.495, alternative="less")
        return float(tested.pvalue)

    values = [50.33, 50.23, 50.14, 50.39]
    assert [p(values[:i] + values[i + 1 :]) > 0.05 for i in range(4)] == [False, True, False, False]
    assert said(values) == ("reproduced", ("decided otherwise without one of these runs: seed 1 of a",))
    assert said([50.0, 50.05, 49.95, 50.02]) == ("reproduced", ())
    assert said(values[:1] + values[2:]) == ("inconclusive", ())
    assert said([50.0, 50.05, 49.95]) == ("reproduced", ())
