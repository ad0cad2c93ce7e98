"""Numbers that are one number, pairs that a sentence excepts, and documents without labels."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.same_value import Comparison, apart, holds, meet
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("ndcg1_equals_p1")
def test_precision_and_ndcg_of_the_first_rank_are_one_number(case: dict[str, Any]) -> None:
    golden.check(case, consistent=meet(printed(case["inputs"]["P1"]), printed(case["inputs"]["N1"])))


@golden.cases("cross_table")
def test_one_number_in_two_tables(case: dict[str, Any]) -> None:
    first, second = printed(case["inputs"]["cell_1"]), printed(case["inputs"]["cell_2"])
    golden.check(case, consistent=meet(first, second), gap=float(apart(first, second)))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("76.38", "76.39", True),  # both can be 76.385
        ("76.38", "76.40", False),
        ("76.4", "76.38", True),
        ("76.4", "76.35", True),
        ("76.4", "76.45", True),  # both can be 76.445
        ("76.4", "76.46", False),  # 76.455 and more, against 76.45 and less
        ("76", "76.5", True),
        ("0.00", "0.01", True),
    ],
)
def test_numbers_meet_where_their_rounding_does(first: str, second: str, same: bool) -> None:
    assert meet(printed(first), printed(second)) == meet(printed(second), printed(first)) == same


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (">", [False, False, True]),
        (">=", [False, True, True]),
        ("<", [True, False, False]),
        ("<=", [True, True, False]),
    ],
)
def test_comparisons_are_of_the_printed_values(comparison: Comparison, expected: list[bool]) -> None:
    """76.3 and 76.30 tie, although either may have been greater before rounding."""
    pairs = [("76.29", "76.3"), ("76.30", "76.3"), ("76.31", "76.3")]
    assert [holds(printed(a), comparison, printed(b)) for a, b in pairs] == expected
