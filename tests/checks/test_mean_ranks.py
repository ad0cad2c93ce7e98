"""Printed average ranks against the numbers of their own table."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.mean_ranks import average_rank
from audit.record import TableRecord
from tests.checks.made import Of, only, paper, results, table
from tests.stats import golden

RANK = Of(id="rank", quantity="average_rank")


def ranked(columns: list[str | Of], **rows: list[str | None]) -> TableRecord:
    return table([*columns, RANK], rows)


def said(*tables: TableRecord) -> list[str]:
    return results(average_rank(paper(*tables)))


def transposed(case: dict[str, Any], reported: list[str]) -> TableRecord:
    """As Rank-AE prints it: a row for each data set and metric, a column for each method."""
    given = case["inputs"]
    rows: dict[str | Of, list[str | Of | None]] = {
        Of(id=f"r{i}", metric=f"P@{1 + i % 3}", dataset=f"d{i // 3}"): [
            None if value is None else str(value) for value in row
        ]
        for i, row in enumerate(given["rows"])
    }
    rows[Of(id="rank", quantity="average_rank")] = list(reported)
    return table([Of(id=name, method=name) for name in given["columns"]], rows)


@golden.cases("average_rank")
def test_reference_case(case: dict[str, Any]) -> None:
    """The printed ranks follow the min rule over all 18 lines; 4.58 would follow from the average rule, for
    PD-Sparse; two digits off follow from none."""
    reported = case["inputs"]["reported"]
    found = only(average_rank(paper(transposed(case, reported))))
    assert found.result == "consistent"
    assert "18 lines" in found.arithmetic and found.arithmetic.endswith("by the rule min")
    found = only(
        average_rank(paper(transposed(case, ["2.83", "3.33", "4.56", "4.56", "5.78", "2.56", "1.98"])))
    )
    assert found.result == "inconsistent" and found.cells == ("t.rank.Rank-AE",)


#: P@1, P@3 of a, b, c: b and c tie at P@1, so ranks 1 2 2 (min), 1 3 3 (max), 1 2.5 2.5, and 3 1 2 at P@3.
TIED: dict[str, list[str]] = {"a": ["70", "50"], "b": ["60", "59"], "c": ["60", "55"]}


@pytest.mark.parametrize(
    ("rule", "ranks"),
    [
        ("min", ["2.00", "1.50", "2.00"]),
        ("max", ["2.00", "2.00", "2.50"]),
        ("average", ["2.00", "1.75", "2.25"]),
    ],
)
def test_ties_may_be_ranked_by_any_one_rule(rule: str, ranks: list[str]) -> None:
    rows = {name: [*values, rank] for (name, values), rank in zip(TIED.items(), ranks, strict=True)}
    found = only(average_rank(paper(ranked(["P@1", "P@3"], **rows))))
    assert found.result == "consistent" and rule in found.arithmetic


def test_digits_behind_the_printed_ones_may_have_broken_a_tie() -> None:
    """c before b at P@1: 2 and 3. No one rule gives that, and it is possible: the check cannot tell."""
    rows = {
        name: [*values, rank]
        for (name, values), rank in zip(TIED.items(), ["2.00", "2.00", "2.00"], strict=True)
    }
    assert said(ranked(["P@1", "P@3"], **rows)) == ["untestable"]


def test_a_rank_that_no_order_gives_is_named() -> None:
    rows = {
        name: [*values, rank]
        for (name, values), rank in zip(TIED.items(), ["1.00", "1.50", "2.00"], strict=True)
    }
    found = only(average_rank(paper(ranked(["P@1", "P@3"], **rows))))
    assert found.result == "inconsistent" and found.cells == ("t.a.rank",)
    assert "give 2, 1.5, 2 (ties: min)" in found.arithmetic


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("1.33", "consistent"),  # 4/3
        ("1.3", "consistent"),
        ("1.34", "consistent"),  # rounded up
        ("1", "consistent"),  # rounded
        ("1.32", "inconsistent"),
        ("1.35", "inconsistent"),
    ],
)
def test_a_rank_may_be_rounded_or_cut(printed: str, result: str) -> None:
    """a is first, first and second: 4/3; b second, second and first: 5/3."""
    rows: dict[str, list[str | None]] = {
        "a": ["70.01", "60.00", "50.00", printed],
        "b": ["69.01", "59.00", "51.00", "1.67"],
    }
    assert said(ranked(["P@1", "P@3", "P@5"], **rows)) == [result]


def test_numbers_with_fewer_digits_may_stand_above_what_prints_higher() -> None:
    """83.6 may be 83.62, which is above 83.61."""
    rows: dict[str, list[str | None]] = {"a": ["83.6", "1.0"], "b": ["83.61", "2.0"]}
    assert said(ranked(["P@1"], **rows)) == ["untestable"]


def test_a_method_without_a_number_takes_no_part_or_comes_last() -> None:
    """b, without P@1, is first at P@3: 1 of one line; or last of three and first of three: 2."""
    rows = {"a": ["70", "50"], "b": [None, "59"], "c": ["60", "55"]}
    for ranks in (["2.0", "1.0", "2.0"], ["2.0", "2.0", "2.0"]):
        held = {name: [*values, rank] for (name, values), rank in zip(rows.items(), ranks, strict=True)}
        assert said(ranked(["P@1", "P@3"], **held)) == ["consistent"]
    wrong = {
        name: [*values, rank]
        for (name, values), rank in zip(rows.items(), ["2.0", "3.0", "2.0"], strict=True)
    }
    assert said(ranked(["P@1", "P@3"], **wrong)) == ["inconsistent"]


def test_ranks_may_be_over_the_lines_of_one_metric_or_one_data_set() -> None:
    """a leads at P@1 on both data sets, b at P@3; a is behind on wiki at P@5 only."""
    columns: list[str | Of] = [
        Of(id=f"{name}{k}", metric=f"P@{k}", dataset=name) for name in ("eurlex", "wiki") for k in (1, 3, 5)
    ]
    a, b = ["90", "70", "80", "90", "70", "70"], ["80", "80", "70", "80", "80", "80"]
    for ranks in (["1.00", "2.00"], ["1.33", "1.67"], ["1.50", "1.50"], ["2.00", "1.00"]):
        assert said(ranked(columns, a=[*a, ranks[0]], b=[*b, ranks[1]])) == ["consistent"]
    # by one metric a has 1, 2 or 1.5; over all 1.5; by data set 4/3 and 5/3
    assert said(ranked(columns, a=[*a, "1.17"], b=[*b, "1.83"])) == ["inconsistent"]


def test_where_the_table_shows_methods_that_it_does_not_rank_nobody_knows_the_ranks() -> None:
    """c stands between a and b at P@1 and has no average rank: 1.5 and 2 among three, 1.5 and 1.5 of two."""
    rows: dict[str, list[str | None]] = {"a": ["70", "50", "1.5"], "b": ["60", "59", "2.0"]}
    assert said(ranked(["P@1", "P@3"], **rows, c=["65", None, None])) == ["untestable"]
    assert said(ranked(["P@1", "P@3"], **rows)) == ["inconsistent"]


def test_one_average_or_none_of_the_lines_says_nothing() -> None:
    assert said(ranked(["P@1"], a=["70", "1.0"], b=["60", None])) == []
    assert said(table([RANK], {"a": ["1.0"], "b": ["2.0"]})) == []


def test_lines_of_other_tables_do_not_count() -> None:
    other = table(["P@1"], {"a": ["50"], "b": ["60"]}, id="u")
    assert said(ranked(["P@1"], a=["70", "1.0"], b=["60", "2.0"]), other) == ["consistent"]
