"""Rows of P@k and nDCG@k: reference cases, honest rows in many sizes, proofs checked by the definition."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from audit.checks.feasible_row import RowFit, certificate, fit_row
from audit.stats.printed import Printed, printed
from tests.checks.honest import honest_row
from tests.stats import golden

#: Rank-AE's FastXML row on Wiki10-31K, which no documents give.
IMPOSSIBLE = {
    "P@1": "83.03",
    "P@3": "67.47",
    "P@5": "57.76",
    "nDCG@1": "83.03",
    "nDCG@3": "75.35",
    "nDCG@5": "63.36",
}
XML_CNN = {
    "P@1": "76.38",
    "P@3": "62.81",
    "P@5": "51.41",
    "nDCG@1": "76.38",
    "nDCG@3": "66.28",
    "nDCG@5": "60.32",
}


def row(texts: Mapping[str, str]) -> dict[str, Printed]:
    return {metric: printed(text) for metric, text in texts.items()}


def named(inputs: Mapping[str, str]) -> dict[str, Printed]:
    """Of a reference case, which writes P1 and N3."""
    names = {f"{short}{k}": f"{long}@{k}" for short, long in (("P", "P"), ("N", "nDCG")) for k in range(1, 6)}
    return row({names[key]: text for key, text in inputs.items() if key in names})


@golden.cases("metric_lp")
def test_reference_rows(case: dict[str, Any]) -> None:
    found = fit_row(named(case["inputs"]))
    golden.check(case, feasible=found.feasible, slack_pp=found.slack_pp)
    assert (found.certificate is None) == found.feasible


def ends_of(values: Mapping[str, Printed]) -> list[tuple[Fraction, Fraction]]:
    """As fractions of 1."""
    return [(it.interval[0] / 100, it.interval[1] / 100) for it in values.values()]


ALL_CELLS = [(range(112), Fraction(1))]


@golden.cases("metric_lp_certificate")
def test_reference_certificates(case: dict[str, Any]) -> None:
    """The weights of the reference give its inequality; those found here, which differ, give one as good."""
    values = named(case["inputs"])
    weights = [
        case["expected"]["weights"][f"{name.replace('nDCG', 'N').replace('@', '')}"] for name in values
    ]
    theirs = certificate(tuple(values), ends_of(values), weights, ALL_CELLS)
    golden.check(
        case,
        weights={
            f"{name.replace('nDCG', 'N').replace('@', '')}": float(w) for name, w in theirs.weights.items()
        },
        largest_possible_pp=float(theirs.largest_possible),
        smallest_reported_pp=float(theirs.smallest_reported),
    )
    ours = fit_row(values).certificate
    assert ours is not None
    assert ours.largest_possible < ours.smallest_reported
    assert ours.slack >= theirs.slack > 0
    assert max(abs(weight) for weight in ours.weights.values()) == 1


@golden.cases("precision_chain")
def test_of_precision_alone_it_asks_that_hits_grow_with_k(case: dict[str, Any]) -> None:
    values = row({f"P@{k}": text for k, text in case["inputs"]["P"].items()})
    golden.check(case, consistent=fit_row(values).feasible)


def sorts() -> Iterator[tuple[int, tuple[int, ...]]]:
    for labels in range(1, 6):
        for right in product((0, 1), repeat=5):
            if sum(right) <= labels:
                yield labels, right


def by_definition(metric: str, labels: int, right: tuple[int, ...]) -> float:
    family, k = metric[:-2], int(metric[-1])
    gained = [1 / math.log2(rank + 2) for rank in range(k) if right[rank]]
    if family == "P":
        return 100 * len(gained) / k
    return 100 * sum(gained) / sum(1 / math.log2(rank + 2) for rank in range(min(labels, k)))


def bears_out(
    found: RowFit, values: Mapping[str, Printed], labels: Mapping[int, float] | None = None
) -> None:
    """A reader's check of a certificate, with nothing but its weights and the definition of the metrics."""
    assert found.certificate is not None
    weights = {metric: float(weight) for metric, weight in found.certificate.weights.items()}
    reached: dict[int, list[float]] = {}
    for count, right in sorts():
        value = sum(weight * by_definition(metric, count, right) for metric, weight in weights.items())
        reached.setdefault(count, []).append(value)
    if labels is None:
        most = max(max(each) for each in reached.values())
    else:
        most = sum(share * max(reached.get(count, [0.0])) for count, share in labels.items())
    least = sum(
        w * float(values[m].value - values[m].half_unit * (1 if w > 0 else -1)) for m, w in weights.items()
    )
    assert float(found.certificate.largest_possible) == pytest.approx(most, abs=1e-9)
    assert float(found.certificate.smallest_reported) == pytest.approx(least, abs=1e-9)
    assert most < least


def test_a_certificate_is_borne_out_by_the_definition() -> None:
    for texts in (IMPOSSIBLE, {**XML_CNN, "nDCG@1": "76.40"}, {"P@1": "90.00", "P@2": "44.98"}):
        bears_out(fit_row(row(texts)), row(texts))


def test_label_counts_sharpen_it() -> None:
    """Any N@3 of 62.87..92.53 goes with 76.38, 62.81 and 51.41; with 5 labels each, up to 68.28."""
    values = row({"P@1": "76.38", "P@3": "62.81", "P@5": "51.41", "nDCG@3": "69.00"})
    assert fit_row(values).feasible
    found = fit_row(values, labels={5: 1})
    assert not found.feasible and found.slack_pp > 0.1
    bears_out(found, values, {5: 1.0})


def test_label_counts_never_make_a_row_possible() -> None:
    rng = np.random.default_rng(20)
    for _ in range(100):
        shares = rng.integers(0, 5, size=6) + np.array([0, 0, 0, 0, 0, 1])
        values = row({**XML_CNN, "nDCG@3": f"{rng.uniform(60, 70):.2f}"})
        known = fit_row(values, labels={count: int(share) for count, share in enumerate(shares)})
        assert known.slack_pp >= fit_row(values).slack_pp - 1e-9


def test_label_counts_cap_precision() -> None:
    """Half of the documents have one label: P@5 is at most (20 + 100) / 2."""
    assert fit_row(row({"P@5": "60.00"}), labels={1: 7, 5: 7}).feasible
    assert not fit_row(row({"P@5": "60.01"}), labels={1: 7, 5: 7}).feasible
    assert (
        fit_row(row({"P@5": "45.00"}), labels={0: 1, 1: 1, 5: 2}).rounding == "nearest"
    )  # (0 + 20 + 200)/4 = 55


DECIMALS = [1, 2, 3, 4]


@pytest.mark.parametrize("decimals", DECIMALS)
@pytest.mark.parametrize("label_free", [False, True])
@pytest.mark.parametrize("mixed", [False, True])
def test_honest_rows_are_never_called_impossible(decimals: int, label_free: bool, mixed: bool) -> None:
    """Small and large test sets, any of the metrics printed, with any labels and with their own counts."""
    rng = np.random.default_rng([decimals, label_free, mixed])
    for trial in range(100):
        documents = int(rng.choice([1, 2, 3, 5, 10, 30, 100, 1000]))
        honest = honest_row(rng, documents=documents, decimals=decimals, label_free=label_free, mixed=mixed)
        names = [name for name in honest.values if rng.random() < 0.7] or ["P@1"]
        values = {name: honest.values[name] for name in names}
        for labels in (None, honest.label_counts):
            found = fit_row(values, labels=labels)
            assert found.feasible and found.rounding == "nearest" and found.slack_pp == 0, (trial, values)


def test_honest_means_over_runs_are_never_called_impossible() -> None:
    rng = np.random.default_rng(21)
    for _ in range(100):
        runs = [honest_row(rng, documents=50, decimals=4) for _ in range(3)]
        values = {
            name: printed(f"{float(sum(run.values[name].value for run in runs)) / 3:.2f}")
            for name in ("P@1", "P@3", "P@5", "nDCG@1", "nDCG@3", "nDCG@5")
        }
        assert fit_row(values).feasible


@pytest.mark.parametrize(
    ("text", "possible", "way"),
    [
        ("76.38", True, "nearest"),
        ("76.39", False, "ceil"),  # 76.3812 is below 76.385
        ("76.37", False, None),
    ],
)
def test_a_row_that_was_rounded_another_way_is_said_to_be(text: str, possible: bool, way: str | None) -> None:
    found = fit_row(row({"P@1": "76.3812", "nDCG@1": text}))
    assert (found.feasible, found.rounding) == (possible, way)


def test_a_row_that_was_cut_is_said_to_be() -> None:
    """All right at the first rank only, with 5 labels or more: nDCG@3 is 46.928 %, so 46.92 was cut."""
    found = fit_row(row({"P@1": "100.00", "P@3": "33.33", "nDCG@3": "46.92"}), labels={5: 1})
    assert (found.feasible, found.rounding) == (False, "truncate")
    assert fit_row(row({"P@1": "100.00", "P@3": "33.33", "nDCG@3": "46.93"}), labels={5: 1}).feasible


def test_the_smallest_inconsistency_is_found_and_less_is_not() -> None:
    """P@1 and nDCG@1 are one number: 0.01 apart meets at the ends of the rounding, 0.02 does not."""
    assert fit_row(row({"P@1": "96.10", "nDCG@1": "96.11"})).feasible
    found = fit_row(row({"P@1": "96.10", "nDCG@1": "96.12"}))
    assert not found.feasible
    assert found.slack_pp == pytest.approx(0.005)
    assert fit_row(row({"P@1": "96.1000", "nDCG@1": "96.1001"})).feasible


def test_what_single_precision_can_hide_is_no_inconsistency() -> None:
    """Seven decimals of a percentage: 2e-6 points between two numbers are within the safety of 1e-5."""
    assert fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000020"})).feasible
    assert not fit_row(row({"P@1": "96.1000000", "nDCG@1": "96.1000520"})).feasible


def test_ndcg_that_counts_one_for_documents_without_labels_needs_its_convention() -> None:
    """760 of 1,000 right and 6 without labels: P@1 76.0 and nDCG@1 76.6."""
    values = row({"P@1": "76.0", "nDCG@1": "76.6"})
    assert not fit_row(values).feasible
    assert fit_row(values, label_free="one").feasible
    assert fit_row(values, labels={0: 6, 5: 994}, label_free="one").feasible
    assert not fit_row(values, labels={0: 1, 5: 999}, label_free="one").feasible


def test_fractions_of_one_are_read_with_scale_1() -> None:
    assert fit_row(row({"P@1": ".9610", "nDCG@1": ".9611"}), scale=1).feasible
    found = fit_row(row({"P@1": ".9610", "nDCG@1": ".9604"}), scale=1)
    assert found.slack_pp == pytest.approx(0.025)


def test_weights_that_prove_nothing_prove_nothing() -> None:
    """Whatever the solver says: weights the other way round have no slack, and none at all are refused."""
    ends, metrics = ends_of(row(IMPOSSIBLE)), tuple(IMPOSSIBLE)
    proof = fit_row(row(IMPOSSIBLE)).certificate
    assert proof is not None
    weights = [float(weight) for weight in proof.weights.values()]
    assert certificate(metrics, ends, weights, ALL_CELLS).slack == proof.slack > Fraction("0.9")
    assert certificate(metrics, ends, [-w for w in weights], ALL_CELLS).slack < 0
    halves = certificate(metrics, ends, [0.5, -1.0, 0, 0, 0, 0], ALL_CELLS)
    twice = certificate(metrics, ends, [1.0, -2.0, 0, 0, 0, 0], ALL_CELLS)
    assert halves == twice and halves.weights["P@3"] == -1
    with pytest.raises(ValueError, match="not 0"):
        certificate(metrics, ends, [0.0] * 6, ALL_CELLS)


def test_what_documents_reach_is_rounded_against_the_accusation() -> None:
    """P@3 - P@1 is at most 2/3, and P@1 - P@3 as well: thirds have no exact place among powers of 2."""
    ends = [(Fraction(0), Fraction(1))] * 2
    for weights in ([1.0, -1.0], [-1.0, 1.0]):
        most = certificate(("P@3", "P@1"), ends, weights, ALL_CELLS).largest_possible
        assert Fraction(200, 3) < most < Fraction(200, 3) + Fraction(1, 10**12)


def test_a_solver_that_errs_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong weights, or none, leave the row possible: only the exact inequality counts."""
    from audit.checks import simplex

    real = simplex.least_widening

    def wrong(*args: Any, **keywords: Any) -> simplex.Widening:
        found = real(*args, **keywords)
        return simplex.Widening(0.5, np.ones_like(found.weights), found.shares)

    def lost(*args: Any, **keywords: Any) -> simplex.Widening:
        raise ArithmeticError

    for solver in (wrong, lost):
        monkeypatch.setattr(simplex, "least_widening", solver)
        assert fit_row(row(XML_CNN)).feasible
        assert fit_row(row(IMPOSSIBLE)).feasible


def test_planted_slips_are_found() -> None:
    """The tens of one number of an honest row of six moved by one: most such rows are impossible."""
    rng = np.random.default_rng(23)
    names = ("P@1", "P@3", "P@5", "nDCG@1", "nDCG@3", "nDCG@5")
    found = 0
    for trial in range(100):
        honest = honest_row(rng, documents=200, decimals=2).values
        name = names[trial % 6]
        slipped = honest[name].value + (10 if honest[name].value < 50 else -10)
        found += not fit_row(
            {**{it: honest[it] for it in names}, name: printed(f"{float(slipped):.2f}")}
        ).feasible
    assert found > 70


@pytest.mark.parametrize("texts", [{}, {"P@6": "30.00"}, {"P@1": "30.00", "R@1": "2.00"}])
def test_rows_of_other_metrics_are_refused(texts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="linear programme"):
        fit_row(row(texts))


def test_label_counts_that_stop_before_five_are_refused() -> None:
    with pytest.raises(ValueError, match="5 labels or more"):
        fit_row(row(XML_CNN), labels={1: 3, 2: 4})
    assert fit_row(row({"P@5": "30.00"}), labels={1: 3, 2: 4, 5: 0}).feasible


def test_five_hundred_rows_take_less_than_a_second() -> None:
    rng = np.random.default_rng(24)
    rows = [honest_row(rng, documents=30, decimals=2).values for _ in range(500)]
    fit_row(rows[0])
    start = time.process_time()
    for values in rows:
        fit_row(values)
    assert time.process_time() - start < 1.0
