"""Tests of audit.expression.reading."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.interval import Interval, point
from audit.expression.reading import (
    MOST_READINGS,
    Reading,
    Truth,
    combined,
    compared,
    count,
    either,
    every,
    exact,
    rounded,
)
from audit.expression.words import RELATIONS
from audit.stats.printed import printed

TRUTHS = st.builds(
    Truth, can_hold=st.booleans(), can_fail=st.booleans(), holds=st.booleans(), fails=st.booleans()
)


def several(*values: int) -> tuple[Reading, ...]:
    return tuple(reading for value in values for reading in exact(value))


def test_a_cell_stands_for_what_rounds_to_it() -> None:
    (reading,) = rounded(printed("83.50"))
    assert reading.span == Interval(Fraction("83.495"), Fraction("83.505"))
    assert reading.face == point(Fraction("83.5"))
    assert reading.unit == Fraction("0.01")


def test_readings_are_combined_each_with_each() -> None:
    combinations = combined(Interval.__add__, [several(1, 2), several(10, 20)])
    assert [reading.face for reading in combinations] == [point(n) for n in (11, 21, 12, 22)]


def test_names_of_readings_stay() -> None:
    named = (Reading(span=point(1), face=point(1), name="points"),)
    (reading,) = combined(Interval.__add__, [named, named], name="GB")
    assert reading.name == "points, GB"


def test_too_many_readings_become_one_wide_one() -> None:
    numbers = [several(0, 1), several(5)] + [several(0, 1)] * 6
    assert MOST_READINGS < 2**7
    (reading,) = combined(lambda *x: sum(x[1:], x[0]), numbers)
    assert reading.span == Interval(Fraction(5), Fraction(12))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4))
def test_truth_within_the_rounding_is_that_of_some_choice(parts: list[tuple[bool, bool]]) -> None:
    """By trying every choice of what each part can be."""
    possible = [[True] * hold + [False] * fail or [True] for hold, fail in parts]
    truths = [
        Truth(can_hold=True in each, can_fail=False in each, holds=False, fails=False) for each in possible
    ]
    choices = list(product(*possible))
    both, one, number = every(truths), either(truths), count(truths)[0].span
    assert both.can_hold == any(all(choice) for choice in choices)
    assert both.can_fail == any(not all(choice) for choice in choices)
    assert one.can_hold == any(any(choice) for choice in choices)
    assert one.can_fail == any(not any(choice) for choice in choices)
    assert {Fraction(sum(choice)) for choice in choices} == {
        Fraction(n) for n in range(int(number.low), int(number.high) + 1)
    }


@given(TRUTHS)
def test_to_deny_twice_is_to_say(truth: Truth) -> None:
    assert ~~truth == truth
    assert (~truth).can_hold == truth.can_fail
    assert (~truth).holds == truth.fails


def test_a_reading_may_be_chosen_for_each_sentence() -> None:
    """5 or 12: more than 10 in one reading, and not more than 10 in the other."""
    truth = compared(several(5, 12), RELATIONS["more than"], exact(10))
    assert truth == Truth(can_hold=True, can_fail=True, holds=True, fails=True)
    assert [reading.face for reading in count([truth, truth])] == [point(0), point(1), point(2)]


@pytest.mark.parametrize(
    ("left", "right", "can_hold", "holds"),
    [
        ("66.11", "66.10", True, True),
        ("66.10", "66.11", False, False),  # both may be 66.105, but that is not above itself
        ("66.10", "66.10", True, False),
        ("66.1", "66.12", True, False),
    ],
)
def test_above(left: str, right: str, can_hold: bool, holds: bool) -> None:
    truth = compared(rounded(printed(left)), RELATIONS[">"], rounded(printed(right)))
    assert (truth.can_hold, truth.holds) == (can_hold, holds)


@pytest.mark.parametrize(
    ("left", "right", "can_hold", "holds"),
    [
        ("56.11", "56.11", True, True),
        ("56.11", "56.21", False, False),
        ("56.11", "56.12", True, False),  # both may be 56.115
        ("56.11", "56.13", False, False),
        ("56.1", "56.11", True, True),  # one number, printed twice
        ("56.1", "56.15", True, True),
        ("56.1", "56.16", False, False),  # 56.155 at least, where 56.15 is the most
    ],
)
def test_equal(left: str, right: str, can_hold: bool, holds: bool) -> None:
    for pair in ((left, right), (right, left)):
        truth = compared(rounded(printed(pair[0])), RELATIONS["="], rounded(printed(pair[1])))
        assert (truth.can_hold, truth.holds) == (can_hold, holds)
