"""No document has more hits than labels."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.checks.label_caps import as_shares, cap, cap_from_mean, exceeds
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("label_cap")
def test_reference_case(case: dict[str, Any]) -> None:
    given = case["inputs"]["share_by_label_count"]
    shares = {int(labels.rstrip("+")): Fraction(str(share)) for labels, share in given.items()}
    golden.check(case, max_P={k: float(cap(shares, int(k))) for k in case["expected"]["max_P"]})


def test_counts_of_documents_do_as_well_as_shares() -> None:
    """4 documents with 0, 1, 2 and 7 labels: at most 0 + 1 + 2 + 3 hits of 12 at k = 3."""
    assert cap({0: 1, 1: 1, 2: 1, 7: 1}, 3) == Fraction(600, 12)
    assert as_shares({2: 3, 1: 1}) == {1: Fraction(1, 4), 2: Fraction(3, 4)}


def test_the_best_ranking_reaches_the_cap_and_none_exceeds_it() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        labels = rng.integers(0, 9, size=int(rng.integers(1, 40)))
        counts, mean = Counter(labels.tolist()), Fraction(int(labels.sum()), labels.size)
        for k in range(1, max(counts) + 1):
            best = Fraction(100 * int(np.minimum(labels, k).sum()), k * labels.size)
            assert cap(counts, k) == best
            assert cap_from_mean(printed(f"{float(mean):.2f}"), k) >= best
            for decimals in (1, 2):
                assert not exceeds(printed(f"{float(best):.{decimals}f}"), cap(counts, k))


@pytest.mark.parametrize(
    ("mean", "k", "expected"),
    [("2.4", 5, "49"), ("2.40", 5, "48.1"), ("5.31", 5, "100"), ("1.5", 3, "51.6666667")],
)
def test_the_mean_alone_bounds_by_all_its_labels(mean: str, k: int, expected: str) -> None:
    """2.4 may be 2.45: 100 x 2.45 / 5 = 49."""
    assert float(cap_from_mean(printed(mean), k)) == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("text", "above"), [("49.0", False), ("49.05", False), ("49.06", True), ("49.1", True), ("49", False)]
)
def test_only_what_is_above_by_more_than_rounding_exceeds(text: str, above: bool) -> None:
    assert exceeds(printed(text), Fraction("49.045")) == above


@pytest.mark.parametrize("counts", [{}, {1: 0}, {-1: 2}, {1: 3, 2: -1}])
def test_counts_without_documents_are_refused(counts: dict[int, int]) -> None:
    with pytest.raises(ValueError):
        cap(counts, 1)


def test_k_beyond_the_counts_is_refused() -> None:
    """Those counted under 5 may have more labels, and how many decides P@6."""
    with pytest.raises(ValueError, match="got k=6"):
        cap({1: 2, 5: 3}, 6)
