"""Tests of audit.expression.grammar and .parts."""

from __future__ import annotations

import pytest

from audit.errors import AuditError
from audit.expression import FUNCTIONS, ExpressionError, names, parse, references


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
        ("2^010 > 0", "2^10 > 0"),
        ("a > 1 or b > 1 and c > 1", "a > 1 or b > 1 and c > 1"),
        ("(a > 1 or b > 1) and c > 1", "(a > 1 or b > 1) and c > 1"),
        ("not (a > 1)", "not a > 1"),
        ("not (a > 1 and b > 1)", "not (a > 1 and b > 1)"),
        ("count(a > 1,not b > 1) at  least 12 %", "count(a > 1, not b > 1) at least 12%"),
        ("max(t3.row.*)*2 > .5", "max(t3.row.*) * 2 > .5"),
        ("a\N{MINUS SIGN}b\N{NO-BREAK SPACE}> 3", "a - b > 3"),
        ("a\nmore\n than 3", "a more than 3"),
        ("2a.3_x.P@1 > t3.pd-sparse.Micro-F1 + about_it", "2a.3_x.P@1 > t3.pd-sparse.Micro-F1 + about_it"),
        ("max(1,2, 3) > 3", "max(1, 2, 3) > 3"),
        ("a.__class__.__mro__ > 1", "a.__class__.__mro__ > 1"),
    ],
)
def test_an_expression_is_written_with_the_parentheses_that_it_needs(text: str, again: str) -> None:
    assert str(parse(text)) == again
    assert parse(again) == parse(text)


def test_references_and_names_are_listed_once_and_in_order() -> None:
    expression = parse(
        "best(t3.*.P@1) > t3.b.P@1 and not "
        "(count(t3.a < -t3.c.P@3) = 1 or (t3.b.P@1 + max(t4.x.*)^2) * 2 < V + N + V)"
    )
    assert references(expression) == ("t3.*.P@1", "t3.b.P@1", "t3.a", "t3.c.P@3", "t4.x.*")
    assert names(expression) == ("V", "N")


#: Text, place of the error counted from 1, what, what to do.
REFUSED = {
    "unknown and misused functions": [
        ("gian(a, b) > 1", 1, "unknown function 'gian'", "did you mean 'gain'? Known: gain, relative_gain, "),
        ("eval(a) > 1", 1, "unknown function 'eval'", "gain, relative_gain, improvement, mean"),
        ("1 > exec(a)", 5, "unknown function 'exec'", "nown: gain, relative_gain"),
        ("mean > 1", 1, "'mean' is a function", "write mean(x, ...)"),
        ("gain(a) > 1", 1, "gain takes 2 arguments, got 1", "write gain(a, b)"),
        ("gain(a, b, c) > 1", 1, "gain takes 2 arguments, got 3", "write gain(a, b)"),
        ("sqrt() > 1", 1, "sqrt takes 1 argument, got 0", "write sqrt(x)"),
        ("mean() > 1", 1, "mean takes 1 argument or more, got 0", "write mean(x, ...)"),
        ("count() > 1", 1, "count takes 1 argument or more, got 0", "write count(comparison, ...)"),
        ("t.a.b(3) > 1", 6, "'(' where an operator or a comparison was to come", ""),
        ("and(a) > 1", 1, "unknown function 'and'", "known: gain, relative_gain"),
    ],
    "one kind where another is wanted": [
        ("t3.*.P@1 > 50", 1, "'t3.*.P@1' is a set of cells where a number is wanted", "as in mean(...), max"),
        ("1 + t3.a.* > 50", 5, "'t3.a.*' is a set of cells where a number is wanted", "as in mean(...), max"),
        ("gain(others(t.a), 1) > 1", 6, "'others(t.a)' is a set of cells where a number is", "as in mean(.."),
        ("best(t.a.*)", 1, "'best(t.a.*)' is a number where a comparison is wanted", "as in ... at least 5"),
        ("t3.a.P@1", 1, "'t3.a.P@1' is a number where a comparison is wanted", "compare it with something"),
        ("t3.*.P@1", 1, "is a set of cells where a comparison is wanted", "as in best(...) > 50"),
        ("a > 1 and b", 11, "'b' is a number where a comparison is wanted", "compare it with something"),
        ("not a", 5, "'a' is a number where a comparison is wanted", "compare it with something"),
        ("count(a, b > 1) = 1", 7, "'a' is a number where a comparison is wanted", "compare it with somethi"),
        ("(a > 1) + 1 > 1", 2, "'a > 1' is a comparison where a number is wanted", "compare numbers, and jo"),
        ("(a > 1) = (b > 1)", 2, "'a > 1' is a comparison where a number is wanted", "compare numbers"),
        ("-(a > 1) > 1", 3, "'a > 1' is a comparison where a number is wanted", "compare numbers"),
        ("(a > 1)^2 > 1", 2, "'a > 1' is a comparison where a number is wanted", "compare numbers"),
        ("mean(a > 1) > 1", 6, "'a > 1' is a comparison where a number is wanted", "compare numbers"),
        ("overlap(a, b) > 1", 1, "'overlap(a, b)' is a comparison where a number is wanted", "compare numbe"),
        ("rank(5) = 1", 6, "'5' is not one cell of a table", "write rank(cell) with a cell, as in t3.row.P@"),
        ("rank(t.*.x) = 1", 6, "'t.*.x' is not one cell of a table", "write rank(cell) with a cell"),
        ("best(others(a)) > 1", 13, "'a' is not one cell of a table", "write others(cell) with a cell"),
        ("best(group(gain(a, b))) > 1", 12, "'gain(a, b)' is not one cell of a table", "write group(cell)"),
    ],
    "what is missing or too much": [
        ("", 1, "the expression is empty", "write a comparison, as in t3.a.P@1 > 50"),
        (" \n ", 1, "the expression is empty", "write a comparison"),
        ("a >", 4, "the end where a number was to come", "write a cell, a number or a function there"),
        ("> 1", 1, "'>' where a number was to come", "write a cell"),
        ("a > 1 and", 10, "the end where a number was to come", "write a cell"),
        ("a + * b > 1", 5, "'*' where a number was to come", "write a cell"),
        ("a > b > c", 7, "'>' cannot stand here", "join sentences with and, or put parentheses"),
        ("a b > 1", 3, "'b' where an operator or a comparison was to come", "nown: >, >=, <, <=, =, more th"),
        ("a 3 > 1", 3, "'3' where an operator or a comparison was to come", "write one"),
        ("a more 17", 3, "'more' where an operator", "did you mean 'more than'? Known: >, >=, <"),
        ("a abuot 17", 3, "'abuot' where an operator", "did you mean 'about'?"),
        ("(a > 1", 7, "the end where ) or an operator was to come", "close the parenthesis"),
        ("mean(a b) > 1", 8, "'b' where ) or an operator was to come", "close the parenthesis"),
        ("a > 1)", 6, "')' cannot stand here", "join sentences with and"),
        ("a > 1, b > 1", 6, "',' cannot stand here", "join sentences with and"),
        ("gain(a,) > 1", 8, "')' where a number was to come", "write a cell"),
    ],
    "exponents": [
        ("9^9^9^9 > 1", 4, "'^' cannot stand here", "put parentheses around a part"),
        ("2^65 > 1", 3, "'65' is no exponent", "write a whole number from 0 to 64, or use sqrt(x)"),
        ("2^0.5 > 1", 3, "'0.5' is no exponent", "or use sqrt(x)"),
        ("2^-1 > 1", 3, "'-' is no exponent", "write a whole number"),
        ("2^n > 1", 3, "'n' is no exponent", "write a whole number"),
        ("2^2% > 1", 3, "'2%' is no exponent", "write a whole number"),
        ("2^" + "9" * 1900 + " > 1", 3, "...' is no exponent", "write a whole number"),
    ],
    "what would overflow the stack": [
        ("-" * 1900 + "1 > 0", 1851, "nested deeper than 50", "split the expression"),
        ("not " * 400 + "1 > 0", 1405, "nested deeper than 50", "split the expression"),
        ("abs(" * 300 + "1" + ")" * 300 + " > 0", 1001, "nested deeper than 50", "split the expression"),
        ("(" * 10_000 + "1" + ")" * 10_000, 2001, "the expression has 20001 characters", "split it"),
        ("(1 + 1 * " * 26 + "1" + ")" * 26 + " > 0", 11, "nested deeper than 50", "split the expression"),
    ],
    "words, numbers and characters": [
        ("1 > 15,449", 5, "'15,449' has commas within the number", "write it without them (or, for several"),
        ("max(15,449) > 1", 5, "'15,449' has commas within the number", "a blank after each comma"),
        *(
            (text, 1, f"{text!r} has no meaning here", "write cells as table.row.column, numbers")
            for text in (
                *("t.a.b-t.c.b", "a-b", "5-3", "1e5", "1e-5", "5.", "1.2.3.4", "0x10", "12pp", "t3..P@1"),
                *("t3.a.b.c", "5.*3", "t3.*.*", "_x", "größe", "\N{ARABIC-INDIC DIGIT THREE}"),
            )
        ),
        ("1.5e+3", 1, "'1.5e' has no meaning here", "write cells"),
        ("a > 1 orb > 2", 7, "'orb' where an operator or a comparison was to come", "known: >"),
        ("a \N{EN DASH} b", 3, "'\N{EN DASH}' has no meaning here", "write - with a blank on both sides"),
        ("a \N{GREATER-THAN OR EQUAL TO} b", 3, "'\N{GREATER-THAN OR EQUAL TO}' has no meaning", "write >="),
        ("a != b", 3, "'!' has no meaning here", "write not (a = b)"),
        ("a % 3", 3, "'%' has no meaning here", "write cells"),
        ("a\N{ZERO WIDTH SPACE}", 2, r"'\u200b' has no meaning here", "write cells"),
        ("a\0", 2, r"'\x00' has no meaning here", "write cells"),
        ("1" * 2001, 2001, "the expression has 2001 characters, more than 2000", "split it into several cla"),
        ("x" * 90 + "-", 1, "'" + "x" * 37 + "...' has no meaning here", "minus"),
    ],
    "code": [
        ("__import__('os').system('true')", 1, "'__import__' has no meaning here", "write cells"),
        ("a.__class__.__mro__ > 1 if", 25, "'if' where an operator", "nown: >"),
        ("lambda: 0", 7, "':' has no meaning here", "write cells"),
        ("[].x > 1", 1, "'[' has no meaning here", "write cells"),
        ("a > 1; import os", 6, "';' has no meaning here", "write cells"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "what", "advice"), [case for cases in REFUSED.values() for case in cases]
)
def test_a_refused_text_gets_its_sentence(text: str, place: int, what: str, advice: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert isinstance(caught.value, AuditError)
    assert str(caught.value).startswith(f"character {place}: ")
    assert what in caught.value.what
    assert advice in caught.value.advice
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "1" * 1996 + " > 0",
        "(" * 50 + "1" + ")" * 50 + " > 0",
        "-" * 48 + "1 > 0",
        "not " * 48 + "1 > 0",
        "abs(" * 48 + "1" + ")" * 48 + " > 0",
        " + ".join(["1"] * 499) + " > 0",
        " and ".join(["1 > 0"] * 180),
        "max(" + ", ".join(["1"] * 600) + ") > 0",
    ],
)
def test_long_is_not_deep(text: str) -> None:
    assert parse(str(parse(text))) == parse(text)


def test_the_forms_that_errors_show_can_be_read() -> None:
    """A cell for every argument of a form with one, a comparison for each of count, names for the rest."""
    for name, function in FUNCTIONS.items():
        call = function.form.replace("comparison", "x > 1").replace("cell", "t.a.b").replace(", ...", "")
        text = {"number": f"{call} > 1", "set": f"best({call}) > 1", "truth": call}[function.gives]
        assert parse(text)
        assert call.startswith(f"{name}(")
        assert function.meaning
