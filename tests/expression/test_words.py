"""Tests of audit.expression.words: each word just inside, on and just outside its bounds, worked by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.expression.interval import Interval, point
from audit.expression.words import RELATIONS
from tests.expression.tables import outcome


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("17.01 more than 17", True),
        ("17 more than 17", False),
        ("17.01 > 17", True),
        ("17 > 17", False),
        ("17 at least 17", True),
        ("16.99 at least 17", False),
        ("17 >= 17", True),
        ("16.99 >= 17", False),
        ("16.99 less than 17", True),
        ("17 less than 17", False),
        ("16.99 < 17", True),
        ("17 < 17", False),
        ("17 at most 17", True),
        ("17.01 at most 17", False),
        ("17 <= 17", True),
        ("17.01 <= 17", False),
        # about 12: a tenth is 1.2, more than the unit 1
        ("10.8 about 12", True),
        ("10.79 about 12", False),
        ("13.2 about 12", True),
        ("13.21 about 12", False),
        # about 4: the unit 1 is more than a tenth
        ("3 about 4", True),
        ("2.99 about 4", False),
        ("5 about 4%", True),
        ("5.01 about 4%", False),
        # about 4.0: a tenth again
        ("3.6 about 4.0", True),
        ("3.59 about 4.0", False),
        # about -12
        ("-13.2 about -12", True),
        ("-10.8 about -12", True),
        ("-10.79 about -12", False),
        # nearly 20: 18..20.5
        ("18 nearly 20", True),
        ("17.99 nearly 20", False),
        ("20.5 nearly 20", True),
        ("20.51 nearly 20", False),
        ("3 nearly 4", True),
        ("2.99 nearly 4", False),
        # what rounds to 12
        ("11.5 = 12", True),
        ("11.49 = 12", False),
        ("12.5 = 12", True),
        ("12.51 = 12", False),
        ("12 = 12.4", True),
        ("11.95 = 12.0", True),
        ("11.94 = 12.0", False),
    ],
)
def test_words_and_signs(sentence: str, holds: bool) -> None:
    assert outcome(sentence).result == ("consistent" if holds else "inconsistent")


def test_a_computed_number_has_no_last_digit() -> None:
    """About 2 + 2: a tenth, 3.6..4.4, with no unit of 1; and equal is equal."""
    assert outcome("3.6 about 2 + 2").result == "consistent"
    assert outcome("3.5 about 2 + 2").result == "inconsistent"
    assert outcome("1 + 2 = 2 + 1").result == "consistent"
    assert outcome("1 / 3 + 2 = 2 + 1").result == "inconsistent"


@given(st.sampled_from(sorted(RELATIONS)), st.fractions(), st.fractions(), st.fractions(min_value=0))
def test_bounds_rise_with_the_number(word: str, n: Fraction, more: Fraction, unit: Fraction) -> None:
    """Which is what makes the stretch that fits a rounded number exact."""
    for bound in (RELATIONS[word].lower, RELATIONS[word].upper):
        if bound is not None:
            assert bound(min(n, more), unit) <= bound(max(n, more), unit)


@given(st.sampled_from(sorted(RELATIONS)), *[st.integers(-30, 30).map(lambda n: Fraction(n, 4))] * 4)
def test_what_some_values_do_is_possible(
    word: str, a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    """By trying the ends and the middles of both intervals."""
    relation, unit = RELATIONS[word], Fraction(1, 2)
    x, n = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    tried = [
        relation.can_hold(point(value), point(number), unit)
        for value in (x.low, (x.low + x.high) / 2, x.high)
        for number in (n.low, (n.low + n.high) / 2, n.high)
    ]
    assert relation.can_hold(x, n, unit) or not any(tried)
    assert relation.can_fail(x, n, unit) or all(tried)
    assert relation.can_hold(x, n, unit) or relation.can_fail(x, n, unit)


def test_every_word_states_its_meaning() -> None:
    assert all(relation.meaning for relation in RELATIONS.values())
    assert {"more than", "at least", "less than", "at most", "about", "nearly"} < set(RELATIONS)
