"""Numbers that are one number, pairs that a sentence excepts, and documents without labels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.checks.same_value import Comparison, apart, exceptions, first_rank, holds, meet
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


@golden.cases("text_vs_table")
def test_a_sentence_against_every_pair(case: dict[str, Any]) -> None:
    pairs = [(name, printed(a), printed(b)) for name, a, b in case["inputs"]["cells"]]
    found = exceptions(pairs)
    golden.check(case, holds=len(found) <= case["inputs"]["allowed_exceptions"], exceptions=list(found))


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


@golden.cases("ndcg1_label_free")
def test_documents_without_labels_by_each_convention(case: dict[str, Any]) -> None:
    given = case["inputs"]
    by = first_rank(given["hits_at_1"], documents=given["N"], label_free=given["label_free"])
    golden.check(
        case,
        P1=float(by["zero"].precision),
        N1_zero_convention=float(by["zero"].ndcg),
        N1_one_convention=float(by["one"].ndcg),
        N1_skip_convention=float(by["skip"].ndcg),
        P1_skip_convention=float(by["skip"].precision),
    )
    assert by["one"].precision == Fraction(76)


@pytest.mark.parametrize(
    ("hits", "documents", "label_free"), [(-1, 10, 0), (8, 10, 3), (0, 5, 5), (1, 10, -1)]
)
def test_more_hits_than_documents_with_labels_are_refused(hits: int, documents: int, label_free: int) -> None:
    with pytest.raises(ValueError, match="needs hits of"):
        first_rank(hits, documents=documents, label_free=label_free)
