"""Which printed numbers stand side by side, which belong to one experiment, and which are the same thing."""

from __future__ import annotations

import pytest

from tests.checks.made import Of, data_set, paper, table

TIME = Of(id="time", quantity="training_time", unit="hours")


def test_cells_with_a_metric_or_a_quantity_are_numbers_and_dashes_and_text_are_not() -> None:
    sheet = paper(table(["P@1", TIME, Of(id="note")], {"a": ["76.38", "1,200", "Adam"], "b": [None] * 3}))
    assert list(sheet.numbers) == ["t.a.P@1", "t.a.time"]
    assert sheet.numbers["t.a.time"].value.value == 1200
    assert sheet.numbers["t.a.P@1"].text == "76.38"


def test_a_line_is_one_metric_on_one_data_set_in_one_table() -> None:
    """Whether methods are rows or columns."""
    rows = table(["P@1", "P@3"], {"a": ["1", "2"], "b": ["3", None]})
    columns = table(
        [Of(id="a", method="a"), Of(id="b", method="b")],
        {Of(id="wiki", metric="P@1", dataset="wiki"): ["5", "6"]},
        id="u",
    )
    lines = {key: [it.text for it in held] for key, held in paper(rows, columns, datasets=[]).lines.items()}
    assert lines == {
        ("t", "eurlex", "P@1"): ["1", "3"],
        ("t", "eurlex", "P@3"): ["2"],
        ("u", "wiki", "P@1"): ["5", "6"],
    }


def test_the_line_of_a_quantity_is_itself() -> None:
    sheet = paper(table([TIME], {"a": ["1"], "b": ["2"]}))
    number = sheet.numbers["t.a.time"]
    assert sheet.line_of(number) == (number,)


# --------------------------------------------------------------------------- profiles


def profiles(*tables: object) -> list[dict[str, str]]:
    held = paper(*tables).profiles  # type: ignore[arg-type]
    return [{metric: number.text for metric, number in it.numbers.items()} for it in held]


def test_an_experiment_s_metrics_go_together_across_tables() -> None:
    first = table(["P@1"], {"a": ["76.38"]})
    second = table(["P@1", "nDCG@3"], {"a": ["76.38", "66.28"]}, id="u")
    assert profiles(first, second) == [{"P@1": "76.38", "nDCG@3": "66.28"}]


def test_where_tables_print_a_metric_in_two_ways_each_table_is_by_itself() -> None:
    first = table(["P@1", "P@3"], {"a": ["76.38", "62.81"]})
    second = table(["P@1", "nDCG@3"], {"a": ["76.40", "66.28"]}, id="u")
    assert profiles(first, second) == [{"P@1": "76.38", "P@3": "62.81"}, {"P@1": "76.40", "nDCG@3": "66.28"}]


def test_a_table_that_prints_a_metric_in_two_ways_is_left_out() -> None:
    first = table(["P@1", Of(id="dev", metric="P@1")], {"a": ["76.38", "80.00"]})
    assert profiles(first, table(["P@1"], {"a": ["76.38"]}, id="u")) == [{"P@1": "76.38"}]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"runs": 5}, {}),
        ({"runs": 5}, {"runs": 3}),
        ({"source": "own_run"}, {"source": "copied"}),
    ],
)
def test_a_mean_and_a_single_run_do_not_go_together_nor_do_two_sources(
    first: dict[str, object], second: dict[str, object]
) -> None:
    """P@1 is 76.38 on average and nDCG@1 was 76.52 in one run: both true."""
    tables = (
        table(["P@1"], {"a": ["76.38"]}, **first),  # type: ignore[arg-type]
        table(["nDCG@1"], {"a": ["76.52"]}, id="u", **second),  # type: ignore[arg-type]
    )
    assert profiles(*tables) == [{"P@1": "76.38"}, {"nDCG@1": "76.52"}]


def test_one_run_stated_and_runs_not_stated_are_one_basis() -> None:
    tables = table(["P@1"], {"a": ["76.38"]}, runs=1), table(["nDCG@1"], {"a": ["76.38"]}, id="u")
    assert profiles(*tables) == [{"P@1": "76.38", "nDCG@1": "76.38"}]


def test_a_number_with_a_spread_is_a_mean() -> None:
    tables = (
        table(["P@1"], {"a": [Of(printed="76.38", sd="0.2")]}),
        table(["nDCG@1"], {"a": ["76.52"]}, id="u"),
    )
    assert profiles(*tables) == [{"P@1": "76.38"}, {"nDCG@1": "76.52"}]


def test_percent_and_fractions_do_not_go_together() -> None:
    tables = (
        table(["P@1"], {"a": ["76.38"]}),
        table([Of(id="n", metric="nDCG@1", unit="fraction")], {"a": ["0.7638"]}, id="u"),
    )
    assert profiles(*tables) == [{"P@1": "76.38"}, {"nDCG@1": "0.7638"}]


def test_a_row_without_an_experiment_is_taken_for_one() -> None:
    held = paper(table(["P@1", "P@3"], {Of(id="a"): ["76.38", "62.81"], Of(id="b"): ["70", None]})).profiles
    assert [(it.experiment, list(it.numbers)) for it in held] == [
        ("t.a", ["P@1", "P@3"]),
        ("t.b", ["P@1"]),
    ]


def test_only_the_metrics_that_are_printed_are_got() -> None:
    (profile,) = paper(table(["P@1", "P@3"], {"a": ["76.38", "62.81"]})).profiles
    assert [it.text for it in profile.get("P@3", "nDCG@3", "P@1")] == ["62.81", "76.38"]


# --------------------------------------------------------------------------- statistics, names


def test_a_printed_test_size_is_whole_or_none() -> None:
    texts = {"half": "38.65", "nought": "0", "less": "-5"}
    held = [data_set(name, test=text) for name, text in texts.items()]
    sheet = paper(datasets=[data_set(test="3,865"), data_set("none"), *held])
    assert sheet.test_size("eurlex") == 3865
    assert {sheet.test_size(name) for name in (*texts, "none", "unknown", None)} == {None}


def test_other_papers_know_a_number_by_method_collection_and_metric() -> None:
    """Nothing is known across papers without a method, or without the collection's name."""
    sheet = paper(
        table(["P@1"], {"a": ["76.38"], Of(id="b"): ["70.00"]}),
        table(["P@1"], {"a": ["60.00"]}, id="u", dataset="own"),
        datasets=[data_set(), data_set("own", catalogue=None)],
    )
    assert {key: [it.text for it in held] for key, held in sheet.across.items()} == {
        ("a", "eurlex-4k", "P@1"): ["76.38"]
    }


def test_the_tables_that_somebody_held_against_the_page_are_known() -> None:
    sheet = paper(table(["P@1"], {"a": ["1"]}, verified="x"), table(["P@1"], {"a": ["1"]}, id="u"))
    assert sheet.verified_tables == {"t"}


def test_references_lead_to_cells_by_metric_or_quantity() -> None:
    grid = paper(table(["P@1", TIME], {"a": ["1", "2"]})).grids["t"]
    assert grid.rows == ("a",) and grid.columns == ("P@1", "time")
    assert grid.cells["a", "time"].metric == "training_time"
    assert grid.cells["a", "P@1"].experiment == "a-eurlex"
