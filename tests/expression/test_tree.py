"""Tests of audit.expression.tree."""

from __future__ import annotations

import pytest

from audit.expression import names, parse, references


def test_references_are_listed_as_written_once_and_in_order() -> None:
    expression = parse(
        "best(t3.*.P@1) > t3.b.P@1 and not "
        "(count(t3.a < -t3.c.P@3) = 1 or (t3.b.P@1 + max(t4.x.*)^2) * 2 < V)"
    )
    assert references(expression) == ("t3.*.P@1", "t3.b.P@1", "t3.a", "t3.c.P@3", "t4.x.*")


def test_names_are_listed_once_and_in_order() -> None:
    assert names(parse("cornet_parameters(V, R, 2) about N and V > 3")) == ("V", "R", "N")


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("a+b -c  >  0", "a + b - c > 0"),
        ("(a + b) * c > 0", "(a + b) * c > 0"),
        ("a + (b + c) > 0", "a + (b + c) > 0"),
        ("a / (b * c) > 0", "a / (b * c) > 0"),
        ("((a)) > 0", "a > 0"),
        ("-a^2 > 0", "-a^2 > 0"),
        ("(-a)^2 > 0", "(-a)^2 > 0"),
        ("a * -b > 0", "a * -b > 0"),
        ("-(a + b) > 0", "-(a + b) > 0"),
        ("a > 1 or b > 1 and c > 1", "a > 1 or b > 1 and c > 1"),
        ("(a > 1 or b > 1) and c > 1", "(a > 1 or b > 1) and c > 1"),
        ("not (a > 1)", "not a > 1"),
        ("not (a > 1 and b > 1)", "not (a > 1 and b > 1)"),
        ("count(a > 1,not b > 1) at  least 12 %", "count(a > 1, not b > 1) at least 12%"),
    ],
)
def test_an_expression_is_written_with_the_parentheses_that_it_needs(text: str, again: str) -> None:
    assert str(parse(text)) == again
    assert parse(again) == parse(text)
