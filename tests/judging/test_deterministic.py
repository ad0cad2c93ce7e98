"""Models that declare that all seeds give one result: one run is enough, and the comparison is exact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from audit.record import ExperimentRecord
from tests.judging.made import HIGH, LOW, arms, claim, judge, margin, said
from tests.records import make_experiment, make_run


def still(name: str, *values: float, declared: bool = True) -> ExperimentRecord:
    held = [make_run(seed, x, key=f"{name}{seed}") for seed, x in enumerate(values)]
    return replace(make_experiment(name, held), deterministic=declared)


@pytest.mark.parametrize(
    ("printed", "outcome"),
    # D = .5, h = .005: reproduced up to .495 off, contradicted beyond .505
    [("47.33", "reproduced"), ("46.84", "reproduced"), ("46.83", "inconclusive"), ("46.82", "contradicted")],
)
@pytest.mark.parametrize("seeds", [1, 5])
def test_one_run_is_held_exactly_against_the_printed_number(seeds: int, printed: str, outcome: str) -> None:
    verdict = judge(claim("value", "svm", printed=(printed,)), {"svm": still("svm", *[47.333] * seeds)})
    assert verdict.outcome == outcome
    assert (verdict.n, verdict.values) == ((seeds,), ((47.333,) * seeds,))


def test_without_the_model_s_word_equal_runs_decide_nothing() -> None:
    for values, reason in (([47.33], "no_variance_estimate"), ([47.33] * 5, "no_spread")):
        held = {"svm": still("svm", *values, declared=False)}
        assert said(judge(claim("value", "svm", printed=("47.33",)), held)) == ("inconclusive", reason)


def test_runs_that_differ_belie_it_and_are_judged_by_their_spread() -> None:
    verdict = judge(claim("value", "svm", printed=("47.33",)), {"svm": still("svm", 47.3, 47.33, 47.36)})
    assert said(verdict) == ("reproduced", "tost")
    assert verdict.badges == ("declared deterministic, but the runs differ",)


@pytest.mark.parametrize(("kind", "outcome"), [("order", "contradicted"), ("ranking", "contradicted")])
def test_beside_an_arm_that_varies_it_is_a_constant(kind: str, outcome: str) -> None:
    """One sample against a number (scipy): 77.5 is above the mean of LOW and below that of HIGH."""
    held = {"svm": still("svm", 77.5), **arms(low=LOW, high=HIGH)}
    verdict = judge(claim(kind, "svm", "low"), held)
    assert verdict.outcome == "reproduced"
    one_sided = stats.ttest_1samp(LOW, 77.5, alternative="less").pvalue
    assert verdict.p_reproduced == pytest.approx(float(one_sided))
    assert judge(claim(kind, "svm", "high"), held).outcome == outcome


@pytest.mark.parametrize(
    ("kind", "names", "expected"),
    [
        ("order", ("a", "b"), ("reproduced", "direction")),
        ("equivalent", ("a", "b"), ("contradicted", "deterministic")),
        ("optimum", ("a", "b", "low"), ("reproduced", "unique")),
        ("trend", ("a", "b", "c"), ("reproduced", "trend")),
    ],
)
def test_two_of_them_are_compared_exactly(
    kind: str, names: tuple[str, ...], expected: tuple[str, str]
) -> None:
    held = {"a": still("a", 90.0), "b": still("b", 89.0), "c": still("c", 88.0), **arms(low=LOW)}
    details = {"direction": "falling"} if kind == "trend" else {}
    assert said(judge(claim(kind, *names, details=details, margin=margin(0.5)), held)) == expected


def test_equal_values_of_all_digits_are_no_independent_seeds() -> None:
    """50.234567 three times is one run, also beside an arm that varies; 50.23 three times may be chance, so
    that they are taken to scatter as the other arm does."""
    held = {**arms(high=HIGH), "emb": still("emb", 50.234567, 50.234567, 50.234567, declared=False)}
    verdict = judge(claim("order", "high", "emb"), held)
    assert said(verdict) == ("inconclusive", "no_variance_estimate")
    assert (verdict.n, verdict.attempts) == ((5, 1), (5, 3))
    assert verdict.badges == ("emb: 2 more seeds gave exactly the same results; they count as one",)
    printed = {**held, "emb": still("emb", 50.23, 50.23, 50.23, declared=False)}
    found, t = judge(claim("order", "high", "emb"), printed), stats.ttest_1samp(HIGH, 50.23).statistic
    p = stats.t.sf(t * (1 / 5 / (1 / 5 + 1 / 3)) ** 0.5, 4)
    assert (found.outcome, found.p_reproduced) == ("reproduced", pytest.approx(float(p)))
    assert judge(claim("order", "emb", "high"), printed).se == found.se
    declared = claim("value", "emb", printed=("50.23",), deterministic=True)
    assert said(judge(declared, held)) == ("reproduced", "deterministic")


def test_on_another_split_only_the_documents_scatter() -> None:
    """60 % of 50 documents, 80 % of 3,865: se_pred^2 = 48 + 0.414. No kappa is named, as nothing scatters.
    All of 50 are taken for 52 of 54: se^2 = 10^4 52 2 / 54^3, and 97.02 % for 3751.7 of 3,869."""
    svm = replace(still("svm", 60.0), scope="other_split")
    verdict = judge(claim("value", "svm", printed=("80.00",)), {"svm": svm}, test_sizes={"toy": 3865})
    assert said(verdict) == ("contradicted", "minimum_effect")
    p = 2 * stats.norm.sf((20 - 0.5 - 0.005) / (48 + 0.41397) ** 0.5)
    assert (verdict.p_contradicted, verdict.kappa) == (pytest.approx(p, rel=1e-4), None)
    held = {"svm": replace(still("svm", 100.0), scope="other_split")}
    verdict = judge(claim("value", "svm", printed=("97.02",)), held, test_sizes={"toy": 3865})
    variance = 1e4 * 52 * 2 / 54**3 + 1e4 * (share := (0.9702 * 3865 + 2) / 3869) * (1 - share) / 3869
    assert verdict.p_contradicted == pytest.approx(2 * stats.norm.sf((2.98 - 0.505) / variance**0.5))
