"""Tests of audit.expression.words: each word just inside, on and just outside its bounds, worked by hand."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("left", "word", "right", "result"),
    [
        ("66.11", ">", "66.10", "consistent"),
        ("66.10", ">", "66.11", "inconsistent"),  # both may be 66.105, but that is not above itself
        ("66.10", ">", "66.10", "untestable"),
        ("66.1", ">", "66.12", "untestable"),
        ("56.11", "=", "56.11", "consistent"),
        ("56.11", "=", "56.21", "inconsistent"),
        ("56.12", "=", "56.11", "untestable"),  # both may be 56.115
        ("56.11", "=", "56.13", "inconsistent"),
        ("56.1", "=", "56.11", "consistent"),  # one number, printed twice
        ("56.15", "=", "56.1", "consistent"),
        ("56.1", "=", "56.16", "inconsistent"),  # 56.155 at least, where 56.15 is the most
    ],
)
def test_two_printed_numbers(left: str, word: str, right: str, result: str) -> None:
    assert outcome(f"t.a.P@1 {word} t.b.P@1", {"a": left, "b": right}).result == result
