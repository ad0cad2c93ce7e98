"""What no list of cases covers: any text, any tree, and any values that the rounding leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from audit.expression import FUNCTIONS, RELATIONS, ExpressionError, UndefinedError, evaluate, parse
from audit.expression.grammar import Node, written
from audit.expression.interval import point
from audit.expression.meaning import Meaning
from audit.stats.printed import printed
from tests.expression.random_trees import (
    NUMBERS,
    RATIONAL_NUMBERS,
    RATIONAL_SENTENCES,
    REFERENCES,
    SENTENCES,
    NoValueError,
    Point,
    call,
    compare,
    leaf,
)
from tests.expression.tables import Table, outcome

NAMES = {"V": Fraction(7), "R": Fraction(5, 2)}
#: Near to one another, of several decimals, and some at and around 0.
PRINTED = st.sampled_from(
    ["44.41", "44.40", "44.4", "44", "43.95", "1", "1.0", "0", "0.2", "-0.30", "12", "11.9", "100.00"]
)
TABLES = st.tuples(*[PRINTED] * len(REFERENCES)).map(lambda texts: dict(zip(REFERENCES, texts, strict=True)))
#: Where in its rounding the value of a cell is, from -1 to 1.
PLACES = st.lists(
    st.sampled_from([Fraction(n, 12) for n in (-12, -5, 0, 4, 12)]),
    min_size=len(REFERENCES),
    max_size=len(REFERENCES),
)
CELLS = ("t.a.P@1", "t.*.P@1", "t.a", "V", "17", "0.5")
WORDS = st.sampled_from([*FUNCTIONS, *RELATIONS, *"+-*/^(),%", "and", "or", "not", "more", *CELLS])


@given(st.text(max_size=60) | st.lists(WORDS, max_size=15).map(" ".join) | st.lists(WORDS).map("".join))
@settings(max_examples=500)
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        expression = parse(text)
    except ExpressionError as err:
        assert 0 <= err.at <= len(text)
        assert err.what
        assert err.advice
    else:
        assert parse(str(expression)) == expression


@given(SENTENCES)
@settings(max_examples=300)
def test_a_tree_is_written_so_that_it_reads_the_same(tree: Node) -> None:
    assert parse(written(tree)).sentence == tree


def drawn(cells: Mapping[str, str], places: list[Fraction], *, within: Fraction = Fraction(1)) -> Point:
    """A point inside the rounding of every cell."""
    numbers = {reference: printed(text) for reference, text in cells.items()}
    values = {
        reference: number.value + within * place * number.half_unit
        for (reference, number), place in zip(numbers.items(), places, strict=True)
    }
    units = {reference: 2 * number.half_unit for reference, number in numbers.items()}
    return Point(values, units, NAMES)


def names_of_functions(tree: Node) -> set[str]:
    return {node.text for node in tree.walk() if node.op == "call"}


@given(NUMBERS, TABLES, st.lists(PLACES, min_size=3, max_size=3))
@settings(max_examples=400)
def test_an_interval_holds_the_value_at_every_point_within_the_rounding(
    tree: Node, cells: dict[str, str], places: list[list[Fraction]]
) -> None:
    try:
        number = Meaning(Table(cells, NAMES)).number(tree)
    except UndefinedError:
        event("no value")
        return
    for place in places:
        for value in drawn(cells, place).values(tree):
            slack = abs(value) / 10**9 + Fraction(1, 10**9)  # of the floats of roots and logarithms
            assert any(each.span.low - slack <= value <= each.span.high + slack for each in number)


@given(RATIONAL_SENTENCES, TABLES, st.lists(PLACES, min_size=4, max_size=4))
@settings(max_examples=400)
def test_no_sentence_is_called_inconsistent_that_values_within_the_rounding_make_true(
    tree: Node, cells: dict[str, str], places: list[list[Fraction]]
) -> None:
    got = evaluate(parse(written(tree)), Table(cells, NAMES))
    event(got.result)
    # Two cells that print differently have no value in common, which ranks make use of.
    within = Fraction(99, 100) if "rank" in names_of_functions(tree) else Fraction(1)
    if any(true_at(tree, drawn(cells, place, within=within)) for place in places):
        assert got.result != "inconsistent", got.filled_in


@given(RATIONAL_NUMBERS, st.sampled_from(sorted(RELATIONS)), TABLES, PLACES, st.integers(0, 6))
@settings(max_examples=400)
def test_no_close_call_is_called_inconsistent(
    tree: Node, relation: str, cells: dict[str, str], places: list[Fraction], decimals: int
) -> None:
    """Against a number that is all but the value at one point within the rounding, or is that value."""
    at = drawn(cells, places)
    try:
        bound = round(at.values(tree)[0], decimals)
    except NoValueError:
        return
    literal = leaf("number", digits(abs(bound), decimals))
    sentence = compare(tree, relation, Node("negation", (literal,)) if bound < 0 else literal)
    for each in (sentence, Node("not", (sentence,))):
        got = evaluate(parse(written(each)), Table(cells, NAMES))
        event(got.result)
        assert not (true_at(each, at) and got.result == "inconsistent"), got.filled_in


def digits(number: Fraction, decimals: int) -> str:
    """All of a number that has no more decimals."""
    whole, rest = divmod(int(number * 10**decimals), 10**decimals)
    return f"{whole}.{rest:0{decimals}d}" if decimals else str(whole)


@given(TABLES, PLACES)
@settings(max_examples=300)
def test_places_are_those_that_values_within_the_rounding_take(
    cells: dict[str, str], places: list[Fraction]
) -> None:
    """Every place taken is possible, and the first and last possible ones are taken."""
    rank = call("rank", (leaf("cell", "t.a.P@1"),))
    (reading,) = Meaning(Table(cells, NAMES)).number(rank)
    inside, top, bottom = Fraction(99, 100), [Fraction(1)], [Fraction(-1)]
    rest = len(REFERENCES) - 1
    assert REFERENCES[0] == "t.a.P@1"
    (place,) = drawn(cells, places, within=inside).values(rank)
    (first,) = drawn(cells, top + bottom * rest, within=inside).values(rank)
    (last,) = drawn(cells, bottom + top * rest, within=inside).values(rank)
    assert first == reading.span.low <= place <= reading.span.high == last
    assert reading.face == point(drawn(cells, [Fraction(0)] * len(REFERENCES)).values(rank)[0])


def true_at(tree: Node, at: Point) -> bool:
    try:
        return at.holds(tree)[0]
    except NoValueError:
        return False


@given(RATIONAL_SENTENCES, TABLES)
@settings(max_examples=200)
def test_consistent_is_what_is_true_as_printed(tree: Node, cells: dict[str, str]) -> None:
    assume(all(node.text != "=" for node in tree.walk() if node.op == "comparison"))  # goes by digits
    got = evaluate(parse(written(tree)), Table(cells, NAMES))
    if got.result != "untestable":
        as_printed = drawn(cells, [Fraction(0)] * len(REFERENCES))
        assert true_at(tree, as_printed) == (got.result == "consistent"), got.filled_in


@given(st.lists(PRINTED, min_size=1, max_size=4))
def test_numbers_overlap_where_one_value_is_in_all(texts: list[str]) -> None:
    """By trying every multiple of the smallest half unit."""
    cells = {f"r{n}": text for n, text in enumerate(texts)}
    intervals = [printed(text).interval for text in texts]
    ends = {end for interval in intervals for end in interval}
    meet = any(all(low <= end <= high for low, high in intervals) for end in ends)
    arguments = ", ".join(f"t.{name}.P@1" for name in cells)
    assert outcome(f"overlap({arguments})", cells).result == ("consistent" if meet else "inconsistent")


@pytest.mark.parametrize("relation", RELATIONS)
def test_printed_ties_are_never_called_inconsistent(relation: str) -> None:
    """88.13 against 88.13 can be anything but far apart."""
    for left, right in product(["88.13", "88.1", "88"], repeat=2):
        result = outcome(f"t.a.P@1 {relation} t.b.P@1", {"a": left, "b": right}).result
        assert result in ("consistent", "untestable")


def test_the_point_of_the_comparison_can_fail() -> None:
    """The plain arithmetic that the fuzz goes by, on one sentence of each kind."""
    at = drawn(dict.fromkeys(REFERENCES, "12.0"), [Fraction(0)] * len(REFERENCES))
    for text, true in {
        "t.a.P@1 = 12": True,
        "t.a.P@1 > 12": False,
        "improvement(t.a.P@1, 10) > 19": True,
        "not t.a.P@1 about 13.2": False,
        "count(t.a.P@1 > 1, t.a.P@1 > 13) = 1 and mean(t.*.P@1) nearly 12": True,
        "rank(t.a.P@1) > 1 or second_best(t.a.*, 14) > 13": False,
    }.items():
        assert at.holds(parse(text).sentence)[0] == true, text
    assert at.values(leaf("number", "17%")) == [17]
