"""Tests of audit.readings: which readings there are, and what an experiment is called under each."""

from __future__ import annotations

import pytest

from audit.claims.specifications import declared, experiment_id, grid, how_many, in_words, within
from audit.record import OpenChoice, Readings

DIVISOR = OpenChoice("divisor", "not stated", ("words", "slots"))
RATE = OpenChoice("rate", "not stated", ("usual", "slow", "fast"))


def test_the_full_grid_is_every_combination_with_the_default_first() -> None:
    assert grid([DIVISOR, RATE], "full") == (
        {},
        {"rate": "slow"},
        {"rate": "fast"},
        {"divisor": "slots"},
        {"divisor": "slots", "rate": "slow"},
        {"divisor": "slots", "rate": "fast"},
    )


def test_one_at_a_time_is_the_default_and_each_single_departure() -> None:
    expected: tuple[dict[str, str], ...] = ({}, {"divisor": "slots"}, {"rate": "slow"}, {"rate": "fast"})
    assert grid([DIVISOR, RATE], "one_at_a_time") == expected


@pytest.mark.parametrize(("limit", "number"), [("full", 12), ("one_at_a_time", 5)])
def test_the_number_of_readings_is_known_before_they_are_made(limit: str, number: int) -> None:
    """2 * 3 * 2 combinations; 1 + 1 + 2 + 1 single departures."""
    held = [DIVISOR, RATE, OpenChoice("other", "", ("a", "b"))]
    assert how_many([2, 3, 2], limit) == number == len(grid(held, limit))  # type: ignore[arg-type]


def test_a_claim_has_the_readings_of_all_its_experiments_and_shares_what_has_one_name() -> None:
    """Two arms that share the rate, of which one alone has a divisor: 1 + 1 + 2 readings."""
    readings = Readings("one_at_a_time", (DIVISOR, RATE), {"a": ("divisor", "rate"), "b": ("rate",)})
    assert declared(readings, ["a", "b"]) == grid([DIVISOR, RATE], "one_at_a_time")
    assert declared(readings, ["b"]) == ({}, {"rate": "slow"}, {"rate": "fast"})
    assert declared(readings, ["c"]) == declared(None, ["a"]) == ()


def test_an_experiment_is_named_by_its_departures_alone() -> None:
    reading = {"divisor": "slots", "rate": "slow"}
    assert experiment_id("a-d", reading) == "a-d~divisor=slots,rate=slow"
    assert experiment_id("b-d", within(reading, ["rate"])) == "b-d~rate=slow"
    assert experiment_id("b-d", within({"divisor": "slots"}, ["rate"])) == "b-d"


def test_a_reading_in_words() -> None:
    assert in_words({"pooling_divisor": "slots"}) == "pooling divisor: slots"
    assert in_words({}) == "the default reading"
