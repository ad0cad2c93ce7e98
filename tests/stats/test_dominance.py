"""Tests of audit.stats.dominance."""

from __future__ import annotations

import pytest

from audit.stats.decision import Decision
from audit.stats.dominance import dominance
from audit.stats.order import OrderTest, order

WINNER, CLOSE, FAR = [80.0, 80.2, 80.1], [80.1, 80.0, 80.2], [70.0, 70.2, 70.1]
BEATS, TIES, LOSES = order(WINNER, FAR), order(WINNER, CLOSE), order(FAR, WINNER)


def test_best_everywhere_needs_every_order() -> None:
    got = dominance([[BEATS, BEATS], [BEATS]])
    assert got.decide() == Decision("reproduced", "dominates")
    assert got.p_reproduced == BEATS.p_reproduced  # the largest of all, no factor
    assert dominance([[BEATS, TIES], [BEATS]]).decide() == Decision("inconclusive", "undecided")


def test_one_lost_order_contradicts_best_everywhere() -> None:
    got = dominance([[BEATS, BEATS], [BEATS, LOSES]])
    assert got.decide() == Decision("contradicted", "reversed")
    assert LOSES.p_reversed is not None
    assert got.p_broken[1] == pytest.approx(2 * LOSES.p_reversed)  # the smallest of two methods
    assert got.p_contradicted == pytest.approx(4 * LOSES.p_reversed)  # and of two data sets


def test_second_best_may_lose_once() -> None:
    assert dominance([[BEATS, BEATS, LOSES]], place=2).decide() == Decision("reproduced", "dominates")
    assert dominance([[BEATS, LOSES, LOSES]], place=2).decide() == Decision("contradicted", "reversed")
    assert dominance([[BEATS, LOSES, TIES]], place=2).decide() == Decision("inconclusive", "undecided")


def test_some_of_the_data_sets_may_be_lost() -> None:
    datasets = [[BEATS], [BEATS], [LOSES]]
    assert dominance(datasets, at_least=2).decide() == Decision("reproduced", "dominates")
    assert dominance(datasets).decide() == Decision("contradicted", "reversed")
    assert dominance([[BEATS], [LOSES], [LOSES]], at_least=2).decide() == Decision("contradicted", "reversed")


def test_losses_contradict_only_where_too_few_data_sets_are_left() -> None:
    """At least 1 of 3: one loss does not matter while the other two are open, three do."""
    assert dominance([[LOSES], [TIES], [TIES]], at_least=1).decide() == Decision("inconclusive", "undecided")
    assert dominance([[LOSES]] * 3, at_least=1).decide() == Decision("contradicted", "reversed")


def test_too_few_seeds_are_not_shown() -> None:
    few = order([80.0, 80.1], [20.0, 20.1])
    assert dominance([[BEATS, few]]).decide() == Decision("inconclusive", "too_few_seeds")
    assert not dominance([[few]]).testable


def test_deterministic_orders_are_counted_exactly() -> None:
    win, lose = (order([x] * 2, [1.0] * 2, deterministic=True) for x in (2.0, 0.0))
    assert dominance([[win, win], [win]]).decide() == Decision("reproduced", "dominates")
    assert dominance([[win, lose]]).decide() == Decision("contradicted", "reversed")
    assert not dominance([[win]]).testable


@pytest.mark.parametrize(
    ("datasets", "place", "at_least"),
    [([[BEATS]], 1, 2), ([[BEATS]], 1, 0), ([[BEATS]], 2, None), ([[BEATS]], 0, None), ([], 1, None)],
)
def test_counts_that_there_are_not_are_refused(
    datasets: list[list[OrderTest]], place: int, at_least: int | None
) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        dominance(datasets, place=place, at_least=at_least)
