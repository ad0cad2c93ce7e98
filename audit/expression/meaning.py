"""The value of an expression: by a table from each kind of node to its rule, never as code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

from audit.expression.errors import UndefinedError
from audit.expression.functions import FUNCTIONS
from audit.expression.interval import Interval, point
from audit.expression.reading import (
    Number,
    Reading,
    Truth,
    combined,
    compared,
    count,
    either,
    every,
    exact,
    meeting,
    rounded,
)
from audit.expression.tree import (
    And,
    Call,
    Cell,
    Cells,
    Comparison,
    Literal,
    Name,
    Negation,
    Node,
    Not,
    Or,
    Power,
    Product,
    Sum,
)
from audit.expression.words import RELATIONS
from audit.stats.printed import Printed, printed


class Lookup(Protocol):
    """Where the numbers of references and names are. References are checked before.

    May raise `UndefinedError` for a cell without a number.
    """

    def cell(self, reference: str) -> Printed:
        """The cell `table.row.column`, or `table.row` with the metric of the claim."""

    def cells(self, reference: str) -> Sequence[Printed]:
        """The cells of a reference with a star that print a number."""

    def others(self, reference: str) -> Sequence[Printed]:
        """The cells of all other methods for the same data set and metric in the same table."""

    def constant(self, name: str) -> Printed | Fraction:
        """The number of that name: a `Fraction` is exact, a `Printed` rounded like a cell."""


class Meaning:
    """The values of nodes, given where their numbers are; `UndefinedError` where there is none."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def truth(self, node: Node) -> Truth:
        """What can be told of a sentence."""
        return _TRUTHS[type(node)](self, node)

    def number(self, node: Node) -> Number:
        """A number, in each of its readings."""
        return _NUMBERS[type(node)](self, node)

    def set(self, node: Node) -> list[Number]:
        """The numbers of a set of cells."""
        if isinstance(node, Cells):
            return [rounded(cell) for cell in self.lookup.cells(node.reference)]
        assert isinstance(node, Call)
        reference = _cell(node)
        own = [self.lookup.cell(reference)] if node.function == "group" else []
        return [rounded(cell) for cell in [*own, *self.lookup.others(reference)]]

    def all_numbers(self, nodes: Sequence[Node]) -> list[Number]:
        """The numbers that the arguments of a function come to, sets opened."""
        opened = [self.set(node) if _is_set(node) else [self.number(node)] for node in nodes]
        numbers = [number for held in opened for number in held]
        if not numbers:
            raise UndefinedError("there are no numbers in the set")
        return numbers


def _is_set(node: Node) -> bool:
    return isinstance(node, Cells) or (isinstance(node, Call) and FUNCTIONS[node.function].gives == "set")


def _cell(call: Call) -> str:
    (argument,) = call.arguments
    assert isinstance(argument, Cell)  # the grammar's promise
    return argument.reference


def _literal(meaning: Meaning, node: Literal) -> Number:
    number = printed(node.text)
    return exact(number.value, unit=2 * number.half_unit)


def _name(meaning: Meaning, node: Name) -> Number:
    value = meaning.lookup.constant(node.name)
    return rounded(value) if isinstance(value, Printed) else exact(value)


def _negation(meaning: Meaning, node: Negation) -> Number:
    return tuple(
        replace(reading, span=-reading.span, face=-reading.face) for reading in meaning.number(node.of)
    )


def _chain(meaning: Meaning, node: Sum | Product) -> Number:
    value = meaning.number(node.first)
    for sign, part in node.rest:
        value = combined(_OPERATIONS[sign], [value, meaning.number(part)])
    return value


def _power(meaning: Meaning, node: Power) -> Number:
    return combined(lambda base: base**node.exponent, [meaning.number(node.base)])


def _call(meaning: Meaning, node: Call) -> Number:
    if node.function == "rank":
        return _rank(meaning, node)
    if node.function == "count":
        return count([meaning.truth(argument) for argument in node.arguments])
    numbers = meaning.all_numbers(node.arguments)
    return tuple(
        reading
        for name, function in FUNCTIONS[node.function].readings.items()
        for reading in combined(function, numbers, name=name)
    )


def _rank(meaning: Meaning, node: Call) -> Number:
    """From the place where only those rank higher that must, to the one where all do that can.

    Of two cells that print neighbouring numbers, 66.10 and 66.11, the second must: their spans meet in 66.105
    only, and whatever the rounding rule, one number does not print in two ways.
    """
    (own,) = rounded(meaning.lookup.cell(_cell(node)))
    others = [reading for other in meaning.lookup.others(_cell(node)) for reading in rounded(other)]
    must = sum(other.span.low >= own.span.high for other in others)
    can = sum(other.span.high > own.span.low for other in others)
    do = sum(other.face.low > own.face.low for other in others)
    return (Reading(span=Interval(Fraction(1 + must), Fraction(1 + can)), face=point(1 + do)),)


def _comparison(meaning: Meaning, node: Comparison) -> Truth:
    return compared(meaning.number(node.left), RELATIONS[node.relation], meaning.number(node.right))


def _true_call(meaning: Meaning, node: Call) -> Truth:
    assert node.function == "overlap"
    return meeting(meaning.all_numbers(node.arguments))


_OPERATIONS: Mapping[str, Callable[[Interval, Interval], Interval]] = {
    "+": Interval.__add__,
    "-": Interval.__sub__,
    "*": Interval.__mul__,
    "/": Interval.__truediv__,
}
_NUMBERS: Mapping[type[Node], Callable[[Meaning, Any], Number]] = {
    Literal: _literal,
    Cell: lambda meaning, node: rounded(meaning.lookup.cell(node.reference)),
    Name: _name,
    Negation: _negation,
    Sum: _chain,
    Product: _chain,
    Power: _power,
    Call: _call,
}
_TRUTHS: Mapping[type[Node], Callable[[Meaning, Any], Truth]] = {
    Comparison: _comparison,
    Call: _true_call,
    Not: lambda meaning, node: ~meaning.truth(node.of),
    And: lambda meaning, node: every([meaning.truth(part) for part in node.parts]),
    Or: lambda meaning, node: either([meaning.truth(part) for part in node.parts]),
}
