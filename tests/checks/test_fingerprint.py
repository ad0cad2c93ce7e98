"""Candidate test sizes against a table, with the chance that a wrong one does as well."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.checks.fingerprint import fingerprint, tail
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("grim_fingerprint")
def test_reference_cases(case: dict[str, Any]) -> None:
    given = case["inputs"]
    found = fingerprint([printed(text) for text in given["printed"]], given["candidates"])
    assert [str(it.documents) for it in found] == list(case["expected"])
    for it in found:
        expected = case["expected"][str(it.documents)]
        assert (it.feasible, it.of) == (expected["feasible"], expected["of"])
        assert list(it.infeasible) == expected["infeasible"]
        assert golden.close(it.chance_p, expected["chance_p"], case["tol"])
        assert it.adjusted_p == pytest.approx(min(1.0, 3 * it.chance_p))


@pytest.mark.parametrize(("count", "of"), [(0, 7), (3, 7), (7, 7), (25, 25), (12, 80)])
def test_with_one_chance_it_is_the_binomial_tail(count: int, of: int) -> None:
    expected = stats.binom.sf(count - 1, of, 0.3865)
    assert float(tail([Fraction(3865, 10_000)] * of, count)) == pytest.approx(expected, rel=1e-9)


def test_with_several_chances_it_is_the_sum_over_all_outcomes() -> None:
    chances = [Fraction(1), Fraction(3, 10), Fraction(1, 7), Fraction(1, 2)]
    for least in range(5):
        expected = Fraction(0)
        for outcome in product((0, 1), repeat=4):
            ways = [p if happens else 1 - p for p, happens in zip(chances, outcome, strict=True)]
            if sum(outcome) >= least:
                expected += ways[0] * ways[1] * ways[2] * ways[3]
        assert tail(chances, least) == expected


def test_a_number_printed_twice_counts_once() -> None:
    (found,) = fingerprint([printed("76.38"), printed("76.38"), printed("76.40")], [3809])
    assert (found.of, found.infeasible[0]) == (2, "76.38")


def test_the_test_size_behind_a_table_always_fits_all_its_numbers() -> None:
    """Random tables: P@1 of 20 systems on N documents, two decimals."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        documents = int(rng.integers(50, 8_000))
        numbers = [printed(f"{100 * m / documents:.2f}") for m in rng.integers(0, documents + 1, size=20)]
        fits = fingerprint(numbers, [documents, documents + 1])
        assert fits[0].infeasible == ()


def test_a_wrong_test_size_is_as_unlikely_as_said() -> None:
    """Numbers of another size than the candidate's fit about as often as the density of its grid: 38.65 %."""
    rng = np.random.default_rng(8)
    fitting = [
        fingerprint([printed(f"{100 * m / 3809:.2f}")], [3865])[0].feasible
        for m in rng.integers(0, 3810, size=4000)
    ]
    assert np.mean(fitting) == pytest.approx(0.3865, abs=0.03)
