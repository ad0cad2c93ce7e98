"""Which printed numbers stand side by side, which belong to one experiment, and which are the same thing."""

from __future__ import annotations

import pytest

from tests.checks.made import Of, data_set, paper, table

TIME = Of(id="time", quantity="training_time", unit="hours")


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


# --------------------------------------------------------------------------- profiles


def profiles(*tables: object) -> list[dict[str, str]]:
    held = paper(*tables).profiles  # type: ignore[arg-type]
    return [{metric: number.text for metric, number in it.numbers.items()} for it in held]


def test_an_experiment_s_metrics_go_together_across_tables() -> None:
    first = table(["P@1"], {"a": ["76.38"]})
    second = table(["P@1", "nDCG@3"], {"a": ["76.38", "66.28"]}, id="u")
    assert profiles(first, second) == [{"P@1": "76.38", "nDCG@3": "66.28"}]


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


# --------------------------------------------------------------------------- statistics, names


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
