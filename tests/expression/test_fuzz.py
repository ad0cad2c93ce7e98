"""What no list of cases covers: any text, and any values within the rounding, against plain arithmetic.
Random expressions are written twice: in the language, and as Python over exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from audit.expression.grammar import FUNCTIONS, RELATIONS, ExpressionError, parse
from audit.expression.interval import UndefinedError
from audit.expression.meaning import evaluate
from audit.stats.printed import printed
from tests.expression.tables import Table, value

ROWS = "abcd"
#: Near to one another, of several decimals, and some at and around 0.
PRINTED = st.sampled_from(
    ["44.41", "44.40", "44.4", "44", "43.95", "1.0", "0", "0.2", "-0.30", "12", "100.00"]
)
CELLS = st.fixed_dictionaries(dict.fromkeys(ROWS, PRINTED))
#: Where in its rounding the value of a cell is, from -1 to 1.
PLACES = st.fixed_dictionaries(
    dict.fromkeys(ROWS, st.sampled_from([Fraction(n, 12) for n in (-12, -5, 0, 4, 12)]))
)
PYTHON: dict[str, Any] = {
    "F": Fraction,
    "gain": lambda a, b: a - b,
    "relative_gain": lambda a, b: 100 * (a - b) / b,
    "mean": lambda *x: sum(x, Fraction(0)) / len(x),
    "second_best": lambda *x: sorted(x)[-2],
    "span": lambda *x: max(x) - min(x),
    "sum": lambda *x: sum(x, Fraction(0)),
    "min": lambda *x: min(x),
    "max": lambda *x: max(x),
    "best": lambda *x: max(x),
    "abs": abs,
    ">": lambda a, b: a > b,
    "at least": lambda a, b: a >= b,
    "less than": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "about": lambda a, b: abs(a - b) <= abs(b) / 10,
}
Pair = tuple[str, str]
"""The same in the language and in Python."""


def called(name: str, *arguments: Pair) -> Pair:
    ours, python = (", ".join(it) for it in zip(*arguments, strict=True))
    return f"{name}({ours})", f"{name}({python})"


def composed(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def joined(a: Pair, sign: str, b: Pair) -> Pair:
        return f"({a[0]} {sign} {b[0]})", f"({a[1]} {sign} {b[1]})"

    two, many = ("gain", "relative_gain"), ("mean", "sum", "min", "max", "best", "second_best", "span")
    return (
        st.builds(joined, inner, st.sampled_from("+-*/"), inner)
        | st.builds(lambda a, n: (f"({a[0]})^{n}", f"({a[1]}) ** {n}"), inner, st.integers(0, 3))
        | st.builds(lambda a: (f"-({a[0]})", f"-({a[1]})"), inner)
        | st.builds(lambda a: called("abs", a), inner)
        | st.builds(called, st.sampled_from(two), inner, inner)
        | st.builds(called, st.sampled_from(many), inner, inner, inner)
    )


LEAVES: list[Pair] = [(f"t.{it}.P@1", f"cells['{it}']") for it in ROWS]
LEAVES += [(it, f"F('{it}')") for it in ("0", "1", "2", "12", "0.5", "44.4", ".25")]
NUMBERS = st.recursive(st.sampled_from(LEAVES), composed, max_leaves=6)
#: A product has no last digit, so that `about` goes by a tenth.
COMPARISONS = st.builds(
    lambda a, relation, b: (f"{a[0]} {relation} 1 * {b[0]}", f"compare['{relation}']({a[1]}, {b[1]})"),
    NUMBERS,
    st.sampled_from([it for it in PYTHON if it in RELATIONS]),
    NUMBERS,
)
SENTENCES = st.recursive(
    COMPARISONS,
    lambda inner: (
        st.builds(lambda a: (f"not ({a[0]})", f"(not {a[1]})"), inner)
        | st.builds(
            lambda a, word, b: (f"({a[0]}) {word} ({b[0]})", f"({a[1]} {word} {b[1]})"),
            inner,
            st.sampled_from(["and", "or"]),
            inner,
        )
    ),
    max_leaves=3,
)


def at(python: str, cells: dict[str, str], places: dict[str, Fraction]) -> Any:
    """The value where every cell has one value within its rounding; None where there is none."""
    numbers = {name: printed(text) for name, text in cells.items()}
    values = {name: it.value + places[name] * it.half_unit for name, it in numbers.items()}
    try:
        return eval(python, {**PYTHON, "cells": values, "compare": PYTHON})  # of our own making
    except ZeroDivisionError:
        return None


WORDS = st.sampled_from(
    [*FUNCTIONS, *RELATIONS, *"+-*/^(),%", "and", "or", "not", "more", "t.a.P@1", "t.*.P@1", "V", "17", "0.5"]
)


@given(st.text(max_size=60) | st.lists(WORDS, max_size=15).map(" ".join) | st.lists(WORDS).map("".join))
@settings(max_examples=500)
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        expression = parse(text)
    except ExpressionError as err:
        assert str(err).startswith("character ") and "; " in str(err)
    else:
        assert parse(str(expression)) == expression


@given(NUMBERS, CELLS, st.lists(PLACES, min_size=3, max_size=3))
@settings(max_examples=400)
def test_an_interval_holds_the_value_at_every_point_within_the_rounding(
    number: Pair, cells: dict[str, str], places: list[dict[str, Fraction]]
) -> None:
    try:
        (reading,) = value(number[0], cells)
    except UndefinedError:
        event("no value")
        return
    for place in places:
        assert reading.span.low <= at(number[1], cells, place) <= reading.span.high
    assert reading.face.low == at(number[1], cells, dict.fromkeys(ROWS, Fraction(0)))


@given(SENTENCES, CELLS, st.lists(PLACES, min_size=4, max_size=4))
@settings(max_examples=400)
def test_no_sentence_is_called_inconsistent_that_values_within_the_rounding_make_true(
    sentence: Pair, cells: dict[str, str], places: list[dict[str, Fraction]]
) -> None:
    """And what is consistent is true as printed."""
    table = Table({f"t.{name}.P@1": text for name, text in cells.items()})
    got = evaluate(parse(sentence[0]), table)
    event(got.result)
    if any(at(sentence[1], cells, place) for place in places):
        assert got.result != "inconsistent", got.filled_in
    if got.result == "consistent":
        assert at(sentence[1], cells, dict.fromkeys(ROWS, Fraction(0))), got.filled_in
