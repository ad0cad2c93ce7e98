"""Tests of audit.stats.conjunction."""

from __future__ import annotations

import pytest

from audit.stats.conjunction import sides
from audit.stats.decision import Decision
from audit.stats.order import order

HIGH, LOW = [78.6, 78.1, 78.9], [76.8, 77.2, 76.5]


def test_the_sides_are_those_of_the_orders() -> None:
    first, second = order(HIGH, LOW), order(LOW, HIGH)
    both = sides([first, second])
    assert both.holds == (first.p_reproduced, second.p_reproduced)
    assert both.reversed == (1.0, second.p_reversed)
    assert both.worse == pytest.approx((1 - (first.p_reproduced or 0), first.p_reproduced))
    assert (both.cap, both.undecided, both.exact) == (None, "undecided", False)


def test_an_order_with_too_few_seeds_shows_neither_side() -> None:
    """Two seeds 50 points apart: the p-values are there to see, but do not count."""
    few = order([78.0, 78.1], [20.0, 20.1])
    assert few.p_reproduced is not None
    both = sides([few, order(HIGH, LOW)])
    assert (both.holds[0], both.reversed[0], both.worse[0]) == (1.0, 1.0, 1.0)
    assert (both.cap, both.undecided) == (None, "too_few_seeds")
    assert sides([few, order([1.0], [2.0])]).cap == "too_few_seeds"


def test_exact_orders_are_certain_of_their_side() -> None:
    up, down, level = (order([a] * 2, [78.0] * 2, deterministic=True) for a in (79.0, 77.0, 78.0))
    both = sides([up, down, level])
    assert both.holds == (0.0, 1.0, 1.0)
    assert both.reversed == both.worse == (1.0, 0.0, 1.0)
    assert both.exact
    assert not sides([up, order(HIGH, LOW)]).exact


@pytest.mark.parametrize(
    ("holds", "broken", "decision"),
    [
        (0.0, 1.0, Decision("reproduced", "in_order")),
        (1.0, 0.0, Decision("contradicted", "reversed")),
        (1.0, 1.0, Decision("inconclusive", "undecided")),
    ],
)
def test_without_noise_the_decision_is_exact(holds: float, broken: float, decision: Decision) -> None:
    exact = sides([order([78.0] * 2, [77.0] * 2, deterministic=True)])
    assert exact.decision(holds=holds, broken=broken, reason="in_order") == decision
    assert sides([order(HIGH, LOW)]).decision(holds=holds, broken=broken, reason="in_order") is None


def test_no_order_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one order"):
        sides([])
