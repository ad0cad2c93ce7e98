"""What P@1 and the number of test documents alone can say to "significantly better"."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.sentences import significance, table_significance
from audit.record import Finding
from audit.stats.printed import printed
from audit.stats.sample import mcnemar
from tests.checks.made import Of, data_set, only, paper, results, states, table
from tests.stats import golden

CLAIM = states("significant", "t.a.P@1", "t.b.P@1", test=None)


def found_for(first: str | Of, second: str | Of, documents: str | None, **of: Any) -> list[Finding]:
    printed = {} if documents is None else {"test": documents}
    rows = {"a": [first], "b": [second]}
    of = {"runs": 1} | of
    return list(significance(paper(table(["P@1"], rows, **of), datasets=[data_set(**printed)], says=[CLAIM])))


def said(first: str | Of, second: str | Of, documents: str | None, **of: Any) -> list[str]:
    return results(found_for(first, second, documents, **of))


@golden.cases("significance_bounds")
def test_reference_cases(case: dict[str, Any]) -> None:
    """The gap, and the label by the p-values at both ends; one document apart cannot be significant."""
    given, expected = case["inputs"], case["expected"]
    found = only(found_for(given["p1_a"], given["p1_b"], f"{given['N']:,}"))
    least, most = table_significance(printed(given["p1_a"]), printed(given["p1_b"]), given["N"]).gap_documents
    assert least <= expected["gap_instances"] <= most
    if expected["p_least_favourable"] <= 0.05:
        assert found.result == "consistent"
    else:
        assert found.result == ("untestable" if expected["p_most_favourable"] <= 0.05 else "inconsistent")


#: Of 1,000 documents, which may be 500 to 1,500, .1 is one. P = .5^n for the one-sided exact test
#: where n documents speak for the better one and none against it; the normal approximation finds 3 of 3
#: significant: sqrt(3) = 1.73 > 1.645.
@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ("50.1", "50.0", "inconsistent"),  # 1
        ("50.3", "50.0", "untestable"),  # 3
        ("60.0", "50.0", "consistent"),  # 100, with 400 at most on either side: z = 100 / sqrt(900) = 3.3
        ("50.0", "50.0", "untestable"),  # a tie
        ("100.0", "99.0", "untestable"),  # 10 of 1,000; 5 of 500: p = .06
    ],
)
def test_documents_apart_decide(first: str, second: str, result: str) -> None:
    assert said(first, second, "1,000") == [result]


def test_means_over_runs_can_be_told_apart_by_less_than_documents() -> None:
    """A t-test over seeds may find a tenth of a point."""
    assert said("50.1", "50.0", "1,000", runs=10) == ["untestable"]
    assert said(Of(printed="50.1", sd="0.01"), "50.0", "1,000") == ["untestable"]
    assert said("50.1", Of(printed="50.0", sd="0.01"), "1,000") == ["untestable"]
    assert said("60.0", "50.0", "1,000", runs=10) == ["consistent"]
    assert said("50.1", "50.0", "1,000", runs=1) == ["inconsistent"]
    assert said("50.1", "50.0", "1,000", runs=None) == ["untestable"]


@pytest.mark.parametrize(
    ("test", "result"),
    [
        ("McNemar's test", "inconsistent"),
        ("paired t-test over the test documents", "inconsistent"),
        ("t-test over 10 runs", "untestable"),
        ("sign test", "untestable"),
    ],
)
def test_only_a_test_over_documents_can_be_held_against_documents(test: str, result: str) -> None:
    claim = states("significant", "t.a.P@1", "t.b.P@1", test=test)
    rows = table(["P@1"], {"a": ["80.42"], "b": ["80.39"]}, runs=1)
    assert results(significance(paper(rows, datasets=[data_set(test="3,803")], says=[claim]))) == [result]


def test_the_rounding_of_both_numbers_is_in_the_gap_and_in_p() -> None:
    """Of 3,803 documents 80.4 are 3,056 to 3,059 and 80.3 are 3,052 to 3,055: by hand, 80.35 % is 3,055.7."""
    found = table_significance(printed("80.4"), printed("80.3"), 3803)
    assert found.gap_documents == (1, 7)
    assert found.p_best == pytest.approx(2 * 0.5**7)
    tie = only(found_for("80.1", "80.1", "3,803")).arithmetic
    assert "0 to 3 documents apart" in tie and "the printed digits tie" in tie


def test_no_pairing_has_a_smaller_or_greater_p() -> None:
    """All pairings of all pairs of hits for 12 documents: c of 0..min(lower, 12 - higher)."""
    for first in range(13):
        for second in range(first + 1):
            found = table_significance(
                printed(f"{100 * first / 12:.2f}"), printed(f"{100 * second / 12:.2f}"), 12
            )
            p = [
                mcnemar(first - second + c, c) for c in range(min(second, 12 - first) + 1)
            ]  # c documents only the lower one has right
            assert found.p_best == pytest.approx(min(p)) and found.p_worst == pytest.approx(max(p))
