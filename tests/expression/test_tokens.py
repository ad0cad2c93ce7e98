"""Tests of audit.expression.tokens."""

from __future__ import annotations

import pytest

from audit.expression.errors import ExpressionError
from audit.expression.tokens import tokens


def read(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(text)][:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17", [("number", "17")]),
        (".5", [("number", ".5")]),
        ("12% 12 %", [("number", "12%"), ("number", "12%")]),
        ("t3.row.P@1", [("cell", "t3.row.P@1")]),
        ("t3.row", [("cell", "t3.row")]),
        ("t3.pd-sparse.Micro-F1", [("cell", "t3.pd-sparse.Micro-F1")]),
        ("2a.3_x.P@1", [("cell", "2a.3_x.P@1")]),
        ("t3.*.P@1", [("cells", "t3.*.P@1")]),
        ("t3.row.* * 2", [("cells", "t3.row.*"), ("sign", "*"), ("number", "2")]),
        ("t3.row.**2", [("cells", "t3.row.*"), ("sign", "*"), ("number", "2")]),
        ("t3.*", [("cells", "t3.*")]),
        ("a*b", [("name", "a"), ("sign", "*"), ("name", "b")]),
        ("a - b", [("name", "a"), ("sign", "-"), ("name", "b")]),
        ("a \N{MINUS SIGN} b", [("name", "a"), ("sign", "-"), ("name", "b")]),
        ("a\N{MINUS SIGN}b", [("name", "a"), ("sign", "-"), ("name", "b")]),
        ("a\N{NO-BREAK SPACE}>\N{NARROW NO-BREAK SPACE}b", [("name", "a"), ("relation", ">"), ("name", "b")]),
        ("a>=b", [("name", "a"), ("relation", ">="), ("name", "b")]),
        ("a\nmore\n than 3", [("name", "a"), ("relation", "more than"), ("number", "3")]),
        ("at least\tabout", [("relation", "at least"), ("relation", "about")]),
        ("about_it", [("name", "about_it")]),
        ("3, 449", [("number", "3"), ("sign", ","), ("number", "449")]),
        ("f(1,2)", [("name", "f"), *zip(["sign", "number"] * 2, "(1,2", strict=True), ("sign", ")")]),
        ("", []),
    ],
)  # fmt: skip
def test_words_numbers_and_signs(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


def test_a_token_knows_its_place() -> None:
    assert [token.at for token in tokens("  a +  17")] == [2, 4, 7, 9]


@pytest.mark.parametrize(
    ("text", "at", "what", "advice"),
    [
        ("1 > 15,449", 4, "'15,449' has commas within the number", "write 15449 (or, for several arguments,"),
        ("t.a.b-t.c.b", 0, "'t.a.b-t.c.b' is no number, cell or name", "put a blank on both sides of a minu"),
        ("a-b", 0, "'a-b' is no number, cell or name", "put a blank on both sides of a minus"),
        ("5-3", 0, "'5-3' is no number, cell or name", "put a blank on both sides of a minus"),
        ("1e5", 0, "'1e5' is no number", "write the number without an exponent, or as 5 * 10^3"),
        ("1e-5", 0, "'1e-5' is no number", "write the number without an exponent"),
        ("1.5e+3", 0, "'1.5e' is no number", "write the number without an exponent"),
        ("5.", 0, "'5.' is no number", "write a number as 17 or 0.5"),
        ("1.2.3.4", 0, "'1.2.3.4' is no number", "write a number as 17 or 0.5"),
        ("0x10", 0, "'0x10' is no number", "names begin with a letter"),
        ("12pp", 0, "'12pp' is no number", "put an operator or a blank after the number"),
        ("NaN", 0, "'NaN' is no number", "write a finite number"),
        ("-inf", 1, "'inf' is no number", "write a finite number"),
        ("t3..P@1", 0, "'t3..P@1' is no number", "write a cell as table.row.column, or table.row where"),
        ("t3.a.b.c", 0, "'t3.a.b.c' is no number", "write a cell as table.row.column, or table.row where"),
        ("5.*3", 0, "'5.*3' is no number", "write a cell as table.row.column"),
        ("t3.*.*", 0, "'t3.*.*' names no table and no one row or column", "write t3.*.P@1 or t3.row.*"),
        ("_x", 0, "'_x' is no number, cell or name", "names have letters (a to z), digits and _ only"),
        ("größe", 0, "'größe' is no number, cell or name", "names have letters (a to z), digits and _ only"),
        ("\N{ARABIC-INDIC DIGIT THREE}", 0, "'\N{ARABIC-INDIC DIGIT THREE}' is no number", ""),
        ("a \N{EN DASH} b", 2, "'\N{EN DASH}' has no meaning here", "write - with a blank on both sides"),
        ("a \N{MULTIPLICATION SIGN} b", 2, "'\N{MULTIPLICATION SIGN}' has no meaning here", "write * to mul"),
        ("a \N{GREATER-THAN OR EQUAL TO} b", 2, "'\N{GREATER-THAN OR EQUAL TO}' has no meaning", "write >="),
        ("a != b", 2, "'!' has no meaning here", "write not (a = b)"),
        ("a % 3", 2, "'%' has no meaning here", "only after a number, as in 12%"),
        ("a ; b", 2, "';' has no meaning here", "write cells, numbers, functions"),
        ("a\N{ZERO WIDTH SPACE}", 1, r"'\u200b' has no meaning here", "write cells"),
        ("a\0", 1, r"'\x00' has no meaning here", "write cells"),
        ("__import__('os')", 0, "'__import__' is no number, cell or name", "names have letters"),
        ("f('os')", 2, '"\'" has no meaning here', "without quotes"),
        ("1" * 2001, 2000, "the expression has 2001 characters, more than 2000", "split it into several cla"),
        ("1" + ",000" * 400, 0, "...' has commas within the number", "write it without them"),
        ("x" * 90 + "-", 0, "'" + "x" * 37 + "...' is no number", "minus"),
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused_with_a_sentence(text: str, at: int, what: str, advice: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        list(tokens(text))
    error = caught.value
    assert error.at == at
    assert what in error.what
    assert advice in error.advice
    assert str(error) == f"character {at + 1}: {error.what}; {error.advice}"


def test_as_many_characters_as_may_be() -> None:
    assert read("1" * 2000) == [("number", "1" * 2000)]
