"""Shares lie in 0..100, hits grow with k, nDCG@1 is P@1, and a number in two places is one number."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.identities import bounds, identity, recall, twice
from audit.record import Finding
from tests.checks.made import Of, only, paper, results, table
from tests.stats import golden

# --------------------------------------------------------------------------- bounds


def broken(columns: list[str], *texts: str) -> list[Finding]:
    sheet = paper(table([Of(id=f"c{k}", metric=it) for k, it in enumerate(columns)], {"a": list(texts)}))
    return [finding for finding in bounds(sheet) if finding.result == "inconsistent"]


@pytest.mark.parametrize(
    ("printed", "sound"), [("100", True), ("99.9%", True), ("100.4", False), ("-0.01", False)]
)
def test_a_share_lies_in_0_to_100(printed: str, sound: bool) -> None:
    texts = [finding.arithmetic for finding in broken(["P@1"], printed)]
    assert texts == ([] if sound else [f"{printed} is not in 0..100"])


#: (P@1, P@3), worked by hand: hits among the first three less hits at the first are 3 P@3 - P@1, from 0
#: to 200; two decimals have a slack of 1 x .005 + 3 x .005 = .02.
HITS: list[tuple[str, str, bool | None]] = [
    ("76.38", "62.81", True),
    ("90.02", "30.00", True),  # -0.02: rounding could have done that
    ("90.03", "30.00", True),  # -0.03: 30.00 may be 30.0099, cut
    ("90.04", "30.00", False),  # -0.04
    ("40.00", "80.02", None),  # 200.06: over min(k, labels) it could
]


@pytest.mark.parametrize(("first", "third", "sound"), HITS)
def test_hits_grow_with_k_up_to_the_rounding(first: str, third: str, sound: bool | None) -> None:
    result = {True: "consistent", False: "inconsistent", None: "untestable"}[sound]
    for row in ({"P@1": first, "P@3": third}, {"P@3": third, "P@1": first}):
        assert results(bounds(paper(table(row, {"a": list(row.values())})))) == [result]


def test_recall_cannot_fall_with_k() -> None:
    """By more than the last digit, which may be cut: 45.0 may be 45.09 and 44.9 be 44.90."""
    row = {"R@15": "32.3", "R@5": "53.8", "R@8": "45.0", "R@3": "53.9", "P@1": "90.0"}
    found = [*recall(paper(table(row, {"a": list(row.values())})))]
    assert [it.arithmetic.partition(":")[0] for it in found] == [
        "R@5 = 53.8 and R@8 = 45.0",
        "R@8 = 45.0 and R@15 = 32.3",
    ]


# --------------------------------------------------------------------------- P@1 = nDCG@1


def first_rank(precision: str, ndcg: str, *more: str) -> list[str]:
    """Of the first row; another one shows that no documents without labels are left out of one of the two."""
    rows = {"a": [precision, ndcg], "b": more or ["51.2345", "51.2345"]}
    return results(identity(paper(table(["P@1", "nDCG@1"], rows))))[:1]


@golden.cases("ndcg1_equals_p1")
def test_reference_cases_of_the_first_rank(case: dict[str, Any]) -> None:
    given = case["inputs"]
    expected = "consistent" if case["expected"]["consistent"] else "inconsistent"
    assert first_rank(given["P1"], given["N1"]) == [expected]


#: Two decimals stand for .005 either side, one for .05: worked by hand.
PAIRS = [
    ("76.38", "76.39", "consistent"),  # both may be 76.385
    ("76.38", "76.40", "inconsistent"),
    ("76", "76.51", "untestable"),  # ..76.5 and 76.505.., but 76 may be cut
    ("76", "77.00", "inconsistent"),
]


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_they_must_meet_within_their_rounding(first: str, second: str, expected: str) -> None:
    assert first_rank(first, second) == first_rank(second, first) == [expected]
    assert in_two_tables(first, second) == [expected]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (("60.00", "75.00"), "untestable"),  # a fifth of the documents may have no labels
        (("60.01", "60.01"), "inconsistent"),  # none have none
    ],
)
def test_one_share_of_documents_without_labels_explains_all_rows_or_none(
    other: tuple[str, str], expected: str
) -> None:
    assert first_rank("72.00", "90.00", *other) == [expected]


# --------------------------------------------------------------------------- printed twice


def in_two_tables(first: str, second: str, **of: Any) -> list[str]:
    tables = table(["P@1"], {"a": [first]}), table(["P@1"], {"a": [second]}, id="u", **of)
    return results(twice(paper(*tables)))


@golden.cases("cross_table")
def test_reference_cases_of_two_tables(case: dict[str, Any]) -> None:
    given, expected = case["inputs"], case["expected"]
    tables = table(["P@1"], {"a": [given["cell_1"]]}), table(["P@1"], {"a": [given["cell_2"]]}, id="u")
    found = only(twice(paper(*tables)))
    assert (found.result == "consistent") == expected["consistent"]
    assert f"{expected['gap']:.2f} apart" in found.arithmetic


def test_one_table_that_repeats_an_experiment_is_no_news_unless_it_differs() -> None:
    """A sweep shows its default in every block."""
    row = Of(id="a", experiment="e")
    same = paper(table(["P@1"], {row: ["70.00"], Of(id="b", experiment="e"): ["70.00"]}))
    other = paper(table(["P@1"], {row: ["70.00"], Of(id="b", experiment="e"): ["71.01"]}))
    assert results(twice(same)) == []
    assert results(twice(other)) == ["inconsistent"]


@pytest.mark.parametrize(("runs", "first"), [(None, "two runs of the same settings"), (1, "a misprint")])
def test_that_it_was_run_twice_is_considered_first_where_single_runs_are_not_stated(
    runs: int | None, first: str
) -> None:
    tables = [table(["P@1"], {"a": [it]}, id=id, runs=runs) for id, it in (("t", "56.11"), ("u", "56.21"))]
    found = only(twice(paper(*tables)))
    assert found.result == "inconsistent" and found.alternatives[0].startswith(first)


def test_a_mean_over_runs_is_not_the_number_of_one_run() -> None:
    """The best run in one table, the mean of five in another; and with a spread, it is a mean."""
    assert in_two_tables("76.38", "76.12", runs=5) == []
    spread = table(["P@1"], {"a": [Of(printed="76.12", sd="0.2")]}, id="u")
    assert results(twice(paper(table(["P@1"], {"a": ["76.38"]}), spread))) == []
    both = (table(["P@1"], {"a": ["76.38"]}, runs=5), table(["P@1"], {"a": ["76.12"]}, id="u", runs=5))
    assert results(twice(paper(*both))) == ["inconsistent"]
