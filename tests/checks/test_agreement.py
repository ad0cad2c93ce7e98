"""nDCG@1 is P@1, and a number that a paper prints in two places is one number."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.agreement import identity, twice
from audit.checks.finding import SLIP
from tests.checks.made import Of, only, paper, results, table
from tests.stats import golden

# --------------------------------------------------------------------------- P@1 = nDCG@1


def first_rank(precision: str | None, ndcg: str | None) -> list[str]:
    return results(identity(paper(table(["P@1", "nDCG@1"], {"a": [precision, ndcg]}))))


@golden.cases("ndcg1_equals_p1")
def test_reference_cases_of_the_first_rank(case: dict[str, Any]) -> None:
    given = case["inputs"]
    expected = "consistent" if case["expected"]["consistent"] else "inconsistent"
    assert first_rank(given["P1"], given["N1"]) == [expected]


#: Two decimals stand for .005 either side, one for .05: worked by hand.
PAIRS = [
    ("76.38", "76.38", "consistent"),
    ("76.38", "76.39", "consistent"),  # both may be 76.385
    ("76.38", "76.40", "inconsistent"),
    ("76.38", "76.4", "consistent"),  # 76.35..76.45
    ("76.34", "76.4", "inconsistent"),  # ..76.345 and 76.35..
    ("76.35", "76.4", "consistent"),
    ("76", "76.50", "consistent"),
    ("76", "76.51", "untestable"),  # ..76.5 and 76.505.., but 76 may be cut
    ("76", "76.99", "untestable"),
    ("76", "77.00", "inconsistent"),
    ("76.3", "76.38", "untestable"),
    ("76.38", "76.37", "consistent"),
    ("76.38", "76.36", "inconsistent"),
    ("0.00", "0.00", "consistent"),
    ("100.00", "100.00", "consistent"),
    ("100", "99.50", "consistent"),
    ("83.5%", "83.50", "consistent"),
]


@pytest.mark.parametrize(("precision", "ndcg", "expected"), PAIRS)
def test_they_must_meet_within_their_rounding(precision: str, ndcg: str, expected: str) -> None:
    assert first_rank(precision, ndcg) == [expected]
    assert first_rank(ndcg, precision) == [expected]


def test_without_one_of_them_there_is_nothing_to_say() -> None:
    assert first_rank("76.38", None) == first_rank(None, "76.38") == []
    assert results(identity(paper(table(["P@1", "nDCG@3"], {"a": ["76.38", "60.00"]})))) == []


def test_the_propensity_scored_ones_are_one_number_too_and_not_the_plain_ones() -> None:
    columns = ["P@1", "nDCG@1", "PSP@1", "PSnDCG@1"]
    sheet = paper(table(columns, {"a": ["80.01", "80.01", "40.00", "41.00"]}))
    assert [(it.result, it.cells) for it in identity(sheet)] == [
        ("consistent", ("t.a.P@1", "t.a.nDCG@1")),
        ("inconsistent", ("t.a.PSP@1", "t.a.PSnDCG@1")),
    ]


def test_rows_are_held_apart() -> None:
    sheet = paper(table(["P@1", "nDCG@1"], {"a": ["80.00", None], "b": [None, "70.00"]}))
    assert results(identity(sheet)) == []


def test_the_distance_is_shown_and_a_slip_considered_first() -> None:
    found = only(identity(paper(table(["P@1", "nDCG@1"], {"a": ["96.10", "96.04"]}))))
    assert found.arithmetic == "P@1 = 96.10 and nDCG@1 = 96.04: 0.06 apart, and rounding explains 0.01"
    assert found.alternatives[0] == SLIP and "labels" in found.alternatives[1]
    assert (found.id, found.weight) == ("toy:identity:t.a.P@1", 4)


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
    assert f"{expected['gap']:g} apart" in found.arithmetic


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_two_places_must_meet_within_their_rounding(first: str, second: str, expected: str) -> None:
    assert in_two_tables(first, second) == in_two_tables(second, first) == [expected]


def test_each_pair_of_three_places_is_looked_at() -> None:
    tables = [
        table(["P@1"], {"a": [text]}, id=name)
        for name, text in (("t", "70.00"), ("u", "70.01"), ("v", "70.02"))
    ]
    found = {it.id.removeprefix("toy:twice:"): it.result for it in twice(paper(*tables))}
    assert found == {
        "t.a.P@1=u.a.P@1": "consistent",
        "t.a.P@1=v.a.P@1": "inconsistent",
        "u.a.P@1=v.a.P@1": "consistent",
    }


def test_one_table_that_repeats_an_experiment_is_no_news_unless_it_differs() -> None:
    """A sweep shows its default in every block."""
    row = Of(id="a", experiment="e")
    same = paper(table(["P@1"], {row: ["70.00"], Of(id="b", experiment="e"): ["70.00"]}))
    other = paper(table(["P@1"], {row: ["70.00"], Of(id="b", experiment="e"): ["71.01"]}))
    assert results(twice(same)) == []
    assert results(twice(other)) == ["inconsistent"]


def test_other_metrics_data_sets_and_experiments_are_other_numbers() -> None:
    tables = (
        table(["P@1"], {"a": ["70.00"], "b": ["60.00"], Of(id="c"): ["10.00"]}),
        table(["P@3"], {"a": ["50.00"]}, id="u"),
        table(["P@1"], {"a": ["40.00"], Of(id="c"): ["20.00"]}, id="v", dataset="wiki"),
    )
    assert results(twice(paper(*tables))) == []


def test_a_mean_over_runs_is_not_the_number_of_one_run() -> None:
    """The best run in one table, the mean of five in another; and with a spread, it is a mean."""
    assert in_two_tables("76.38", "76.12", runs=5) == []
    spread = table(["P@1"], {"a": [Of(printed="76.12", sd="0.2")]}, id="u")
    assert results(twice(paper(table(["P@1"], {"a": ["76.38"]}), spread))) == []
    both = (table(["P@1"], {"a": ["76.38"]}, runs=5), table(["P@1"], {"a": ["76.12"]}, id="u", runs=5))
    assert results(twice(paper(*both))) == ["inconsistent"]


def test_a_copied_number_and_one_run_anew_are_two_numbers() -> None:
    copied = table(
        ["P@1"], {Of(id="a", method="a", source="copied", copied_from="liu2017"): ["76.38"]}, id="u"
    )
    assert results(twice(paper(table(["P@1"], {"a": ["75.00"]}), copied))) == []
    again = table(
        ["P@1"], {Of(id="a", method="a", source="copied", copied_from="liu2017"): ["76.83"]}, id="v"
    )
    assert results(twice(paper(copied, again))) == ["inconsistent"]


def test_percent_and_fractions_are_not_compared() -> None:
    fraction = table([Of(id="P@1", metric="P@1", unit="fraction")], {"a": ["0.764"]}, id="u")
    assert results(twice(paper(table(["P@1"], {"a": ["76.38"]}), fraction))) == []


def sizes_in_two_tables(quantity: str, first: str, second: str) -> list[str]:
    column = Of(id="n", quantity=quantity)
    tables = (
        table([column], {Of(id="a"): [first]}, source="stated"),
        table([column], {Of(id="b"): [second]}, id="u", source="stated"),
    )
    return results(twice(paper(*tables)))


def test_a_data_set_has_each_statistic_once() -> None:
    assert sizes_in_two_tables("test", "3,865", "3865") == ["consistent"]
    assert sizes_in_two_tables("test", "3,865", "3,909") == ["inconsistent"]
    assert sizes_in_two_tables("labels_per_document", "5.32", "5.3") == ["consistent"]


@pytest.mark.parametrize(
    "quantity",
    ["training_time", "prediction_time", "model_size", "parameters", "epochs", "average_rank", "count"],
)
def test_times_sizes_and_ranks_are_a_method_s_and_not_the_data_set_s(quantity: str) -> None:
    """A table of times needs no experiments: its rows are methods, on one data set."""
    assert sizes_in_two_tables(quantity, "3.5", "7.9") == []
    one_table = table([Of(id="n", quantity=quantity)], {Of(id="a"): ["3.5"], Of(id="b"): ["7.9"]})
    assert results(twice(paper(one_table))) == []


def test_rows_without_an_experiment_are_told_not_to_be_compared() -> None:
    row = Of(id="a", experiment="")
    tables = table(["P@1"], {row: ["76.38"]}), table(["P@1"], {row: ["70.01"]}, id="u")
    assert [(it.result, it.id) for it in twice(paper(*tables))] == [
        ("untestable", "toy:twice:no-experiment-t"),
        ("untestable", "toy:twice:no-experiment-u"),
    ]
    assert results(twice(paper(tables[0]))) == []  # there is nothing to compare it with
