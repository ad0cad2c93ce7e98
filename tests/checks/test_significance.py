"""What P@1 and the number of test documents alone can say to "significantly better"."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.significance import significance
from audit.record import Finding
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
    assert f"{expected['gap_instances']:,} documents" in found.arithmetic
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
        ("50.2", "50.0", "untestable"),  # 2, but 3 of 1,500
        ("50.3", "50.0", "untestable"),  # 3
        ("50.6", "50.0", "untestable"),  # 6: p = .03 by the two-sided exact test, if none speaks against
        ("60.0", "50.0", "consistent"),  # 100, with 400 at most on either side: z = 100 / sqrt(900) = 3.3
        ("50.0", "50.0", "untestable"),  # the order does not hold
        ("49.9", "50.0", "untestable"),
        ("100.0", "99.9", "inconsistent"),
        ("100.0", "99.0", "untestable"),  # 10 of 1,000; 5 of 500: p = .06
        ("0.1", "0.0", "inconsistent"),
    ],
)
def test_documents_apart_decide(first: str, second: str, result: str) -> None:
    assert said(first, second, "1,000") == [result]


def test_of_an_exact_number_of_documents_fewer_are_enough() -> None:
    """991 of 1,001 right: 10 apart, and nobody is left to speak against: p = .002."""
    assert said("100.0", "99.0", "1,001") == ["consistent"]
    assert said("100.0", "99.9", "1,001") == ["inconsistent"]


def test_rounding_leaves_room() -> None:
    """Of 10,000 documents 50.1 and 50.0 may be 1 or 19 apart."""
    assert said("50.1", "50.0", "10,000") == ["untestable"]


def test_means_over_runs_can_be_told_apart_by_less_than_documents() -> None:
    """A t-test over seeds may find a tenth of a point."""
    assert said("50.1", "50.0", "1,000", runs=10) == ["untestable"]
    assert said(Of(printed="50.1", sd="0.01"), "50.0", "1,000") == ["untestable"]
    assert said("50.1", Of(printed="50.0", sd="0.01"), "1,000") == ["untestable"]
    assert said("60.0", "50.0", "1,000", runs=10) == ["consistent"]
    assert said("50.1", "50.0", "1,000", runs=1) == ["inconsistent"]
    assert said("50.1", "50.0", "1,000", runs=None) == ["untestable"]


def test_without_a_test_size_or_a_number_there_is_nothing_to_say() -> None:
    assert said("50.1", "50.0", None) == said("50.1", "50.0", "0") == []
    sheet = paper(
        table(["P@1"], {"a": ["50.1"], "b": [None]}), datasets=[data_set(test="1,000")], says=[CLAIM]
    )
    assert list(significance(sheet)) == []


def test_fractions_are_not_percent() -> None:
    """50 of 1,000 documents apart, which would be less than one if .501 were a percentage."""
    fractions = [Of(printed=text, unit="fraction") for text in ("0.550", "0.500")]
    assert said(*fractions, "1,000") == []


def test_only_p_at_1_counts_documents() -> None:
    claim = states("significant", "t.a.P@3", "t.b.P@3", metric="P@3")
    sheet = paper(
        table(["P@3"], {"a": ["50.1"], "b": ["50.0"]}), datasets=[data_set(test="1,000")], says=[claim]
    )
    assert list(significance(sheet)) == []


def test_other_statements_are_not_looked_at() -> None:
    sheet = paper(
        table(["P@1"], {"a": ["50.1"], "b": ["50.0"]}),
        datasets=[data_set(test="1,000")],
        says=[states("order", "t.a.P@1", "t.b.P@1")],
    )
    assert list(significance(sheet)) == []


def test_the_word_without_a_test_is_considered_first() -> None:
    found = only(found_for("50.1", "50.0", "1,000"))
    assert found.id == "toy:significance:claim" and found.says == "own short words"
    assert found.alternatives[0] == "the word is used without a test"
