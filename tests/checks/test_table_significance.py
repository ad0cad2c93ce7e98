"""What P@1 and the number of documents leave of McNemar's test, against scipy and all pairings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.proportion import proportions_ztest

from audit.checks.table_significance import mcnemar_two_sided, table_significance
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("significance_bounds")
def test_reference_cases(case: dict[str, Any]) -> None:
    given = case["inputs"]
    found = table_significance(printed(given["p1_a"]), printed(given["p1_b"]), documents=given["N"])
    golden.check(
        case,
        hits=list(found.hits),
        exact_hits=list(found.exact_hits),
        gap_instances=found.gap_documents,
        c_max=found.c_max,
        p_most_favourable=found.p_best,
        p_least_favourable=found.p_worst,
        p_unpaired_z=found.p_unpaired,
    )


@pytest.mark.parametrize(
    ("b", "c"),
    [(0, 0), (1, 0), (0, 6), (12, 5), (5, 12), (7, 7), (595, 526), (360_000, 340_000), (350_100, 350_000)],
)
def test_p_is_the_exact_binomial_one(b: int, c: int) -> None:
    expected = min(1.0, 2 * float(stats.binom.cdf(min(b, c), b + c, 0.5)))
    assert mcnemar_two_sided(b, c) == pytest.approx(expected, rel=1e-6)
    if b + c < 10_000:
        reference = reference_mcnemar([[0, b], [c, 0]], exact=True).pvalue
        assert mcnemar_two_sided(b, c) == pytest.approx(float(reference), rel=1e-6)


def test_p_of_small_counts_is_the_sum_of_binomials() -> None:
    for n in range(30):
        for c in range(n // 2 + 1):
            tail = sum(math.comb(n, i) for i in range(c + 1)) * 2 / 2**n
            assert mcnemar_two_sided(n - c, c) == pytest.approx(min(1.0, tail), rel=1e-12)


def test_no_pairing_has_a_smaller_or_greater_p() -> None:
    """All pairings of all pairs of hits for 12 documents: c of 0..min(lower, 12 - higher)."""
    for first in range(13):
        for second in range(first + 1):
            found = table_significance(
                printed(f"{100 * first / 12:.2f}"), printed(f"{100 * second / 12:.2f}"), documents=12
            )
            assert found.hits == (first, second)
            p = [
                mcnemar_two_sided(first - second + c, c) for c in range(min(second, 12 - first) + 1)
            ]  # c documents only the lower one has right
            assert found.p_best == pytest.approx(min(p)) and found.p_worst == pytest.approx(max(p))


def test_the_unpaired_test_is_the_pooled_z_test() -> None:
    _, expected = proportions_ztest([3339, 3302], [3865, 3865])
    found = table_significance(printed("86.39"), printed("85.43"), documents=3865)
    assert found.p_unpaired == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("first", "second", "documents", "label"),
    [
        ("78.60", "76.81", 3865, "undecidable"),
        ("86.39", "85.43", 3865, "undecidable"),
        ("83.50", "83.47", 3865, "cannot_be"),
        ("83.47", "83.50", 3865, "cannot_be"),
        ("87.12", "83.21", 3865, "must_be"),
        ("83.21", "87.12", 3865, "must_be"),
        ("96.10", "95.63", 306_782, "must_be"),
        ("96.10", "96.00", 306_782, "undecidable"),  # 277 to 336 documents apart: p to .08 or to .03
        ("76.38", "76.38", 3865, "cannot_be"),
        ("50.0", "50.0", 10_000, "undecidable"),  # 4,995..5,005 each: up to 10 documents apart
        ("100.00", "0.00", 3865, "must_be"),
    ],
)
def test_labels(first: str, second: str, documents: int, label: str) -> None:
    assert table_significance(printed(first), printed(second), documents=documents).label == label


@pytest.mark.parametrize(
    ("apart", "label"), [(0, "cannot_be"), (2, "cannot_be"), (3, "undecidable"), (5, "undecidable")]
)
def test_what_a_lenient_test_could_call_significant_is_not_ruled_out(apart: int, label: str) -> None:
    """3 and 0 documents: z = sqrt 3, one-sided p .042, although the exact two-sided p is .25; for 2, .079."""
    low, high = f"{50.0:.2f}", f"{(500 + apart) / 10:.2f}"
    found = table_significance(printed(high), printed(low), documents=1000)
    assert (found.gap_documents, found.label) == (apart, label)


def test_every_pair_of_hits_within_the_rounding_counts() -> None:
    """Random pairs of systems on one test set: a label is never belied by the documents that were there."""
    rng = np.random.default_rng(9)
    seen = set()
    for _ in range(600):
        documents = int(rng.choice([200, 4000, 200_000]))
        quality = rng.random()
        b, c = (
            int(rng.integers(0, 1 + int(documents * share)))
            for share in rng.choice([0.002, 0.02, 0.1], size=2)
        )
        both = int(rng.integers(0, documents - b - c + 1) * quality)
        decimals = int(rng.integers(1, 4))
        first, second = (printed(f"{100 * (both + n) / documents:.{decimals}f}") for n in (b, c))
        found = table_significance(first, second, documents=documents)
        p = mcnemar_two_sided(b, c)
        seen.add(found.label)
        if found.label == "must_be":
            assert p <= 0.05
        if found.label == "cannot_be":
            assert p > 0.05 and math.erfc(abs(b - c) / math.sqrt(2 * max(b + c, 1))) / 2 > 0.05
    assert seen == {"must_be", "cannot_be", "undecidable"}


def test_documents_are_needed() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        table_significance(printed("76.38"), printed("76.40"), documents=0)
