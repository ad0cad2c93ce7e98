"""Tests of audit.expression.grammar and .parts."""

from __future__ import annotations

import pytest

from audit.expression.grammar import ExpressionError, parse


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("(a + b) * c > 0", "(a + b) * c > 0"),
        ("a + (b + c) > 0", "a + (b + c) > 0"),
        ("-a^2 > 0", "-a^2 > 0"),
        ("2^010 > 0", "2^10 > 0"),
        ("not (a > 1 and b > 1)", "not (a > 1 and b > 1)"),
        ("max(t3.row.*)*2 > .5", "max(t3.row.*) * 2 > .5"),
    ],
)
def test_an_expression_is_written_with_the_parentheses_that_it_needs(text: str, again: str) -> None:
    assert str(parse(text)) == again
    assert parse(again) == parse(text)


#: Text, place of the error counted from 1, what, what to do.
REFUSED = [
    ("gian(a, b) > 1", 1, "unknown function 'gian'", "did you mean 'gain'? Known: gain, relative_gain, "),
    ("gain(a, b, c) > 1", 1, "gain takes 2 arguments, got 3", "write gain(a, b)"),
    ("t3.*.P@1 > 50", 1, "'t3.*.P@1' is a set of cells where a number is expected", "compare numbers"),
    ("rank(5) = 1", 6, "'5' is not one cell of a table", "write rank(cell) with a cell, as in t3.row.P@"),
    ("a > 1 and", 10, "the end where a number is expected", "write a cell"),
    ("2^-1 > 1", 3, "'-' where a number is expected", "write a cell"),
    ("(" * 10_000 + "1" + ")" * 10_000, 2001, "the expression has 20001 characters", "split it"),
    ("t.a.b-t.c.b", 1, "'t.a.b-t.c.b' has no meaning here", "blanks around a minus"),
    ("__import__('os').system('true')", 1, "'__import__' has no meaning here", "write cells"),
]


@pytest.mark.parametrize(("text", "place", "what", "advice"), REFUSED)
def test_a_refused_text_gets_its_sentence(text: str, place: int, what: str, advice: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    said = str(caught.value)
    assert said.startswith(f"character {place}: ") and what in said and advice in said and len(said) < 300


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50 + "1" + ")" * 50 + " > 0",
        "not " * 48 + "1 > 0",
        " + ".join(["1"] * 499) + " > 0",
        "max(" + ", ".join(["1"] * 600) + ") > 0",
    ],
)
def test_long_is_not_deep(text: str) -> None:
    assert parse(str(parse(text))) == parse(text)
