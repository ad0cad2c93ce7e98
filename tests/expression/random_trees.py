"""Random expressions, and their value by plain arithmetic: a second, independent way to read a tree."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

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

ROWS = ("a", "b", "c", "d")
COLUMNS = ("P@1", "P@3")
REFERENCES = tuple(f"t.{row}.{column}" for row in ROWS for column in COLUMNS)
SETS = ("t.*.P@1", "t.*.P@3", "t.a.*", "t.b.*")
NAMES = ("V", "R")

LITERALS = st.sampled_from(["0", "1", "2", "12", "0.5", "17%", "44.4", ".25", "100"]).map(Literal)
CELLS = st.sampled_from(REFERENCES).map(Cell)
SETS_OF_CELLS = st.sampled_from(SETS).map(Cells) | st.builds(
    lambda function, cell: Call(function, (cell,)), st.sampled_from(["others", "group"]), CELLS
)
TWO = ("gain", "relative_gain", "improvement")
MANY = ("mean", "sum", "min", "max", "best", "second_best", "span")


def _numbers(*one: str) -> st.SearchStrategy[Node]:
    """Trees of numbers, with those functions of one number."""

    def composed(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        def chain(signs: str) -> st.SearchStrategy[tuple[tuple[str, Node], ...]]:
            return st.lists(st.tuples(st.sampled_from(signs), inner), min_size=1, max_size=3).map(tuple)

        some = st.lists(inner | SETS_OF_CELLS, min_size=1, max_size=3).map(tuple)
        return (
            st.builds(Negation, inner)
            | st.builds(Sum, inner, chain("+-"))
            | st.builds(Product, inner, chain("*/"))
            | st.builds(Power, inner, st.integers(0, 3))
            | st.builds(Call, st.sampled_from(one), st.tuples(inner))
            | st.builds(Call, st.sampled_from(TWO), st.tuples(inner, inner))
            | st.builds(Call, st.sampled_from(MANY), some)
            | st.builds(Call, st.just("cornet_parameters"), st.tuples(*[inner] * 3))
            | st.builds(Call, st.just("bottleneck"), st.tuples(*[inner] * 4))
        )

    return st.recursive(LITERALS | CELLS | st.sampled_from(NAMES).map(Name), composed, max_leaves=6)


def _comparisons(numbers: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    ranks = CELLS.map(lambda cell: Call("rank", (cell,)))
    return st.builds(Comparison, numbers | ranks, st.sampled_from(sorted(RELATIONS)), numbers)


def _joined(truths: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(truths, min_size=2, max_size=3).map(tuple)
    counted = st.lists(truths, min_size=1, max_size=3).map(lambda parts: Call("count", tuple(parts)))
    return (
        st.builds(Not, truths)
        | st.builds(And, several)
        | st.builds(Or, several)
        | st.builds(Comparison, counted, st.sampled_from(sorted(RELATIONS)), LITERALS)
    )


NUMBERS = _numbers("abs", "sqrt", "log2")
_OVERLAPS = st.lists(NUMBERS, min_size=1, max_size=3).map(lambda numbers: Call("overlap", tuple(numbers)))
SENTENCES = st.recursive(_comparisons(NUMBERS) | _OVERLAPS, _joined, max_leaves=4)

#: Without what is irrational, and without `overlap`, which speaks of spans and not of values.
RATIONAL_NUMBERS = _numbers("abs")
RATIONAL_SENTENCES = st.recursive(_comparisons(RATIONAL_NUMBERS), _joined, max_leaves=4)


class NoValueError(Exception):
    """The tree has no value at this point."""


#: Functions of numbers by definition; the rest are in `Point`. `improvement` is read by the caller's choice.
PLAIN: Mapping[str, Callable[..., Any]] = {
    "gain": lambda a, b: a - b,
    "relative_gain": lambda a, b: 100 * (a - b) / b,
    "mean": lambda *x: sum(x) / len(x),
    "sum": lambda *x: sum(x),
    "min": lambda *x: min(x),
    "max": lambda *x: max(x),
    "best": lambda *x: max(x),
    "span": lambda *x: max(x) - min(x),
    "abs": abs,
    "sqrt": lambda x: Fraction(math.sqrt(x)),
    "log2": lambda x: Fraction(math.log2(x)),
    "cornet_parameters": lambda V, R, blocks: blocks * (2 * V * R + R + V),
}


SIGNS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Point:
    """The values of nodes where every cell has one value; each number in each of its readings."""

    def __init__(
        self, cells: Mapping[str, Fraction], cell_units: Mapping[str, Fraction], names: Mapping[str, Fraction]
    ) -> None:
        self.cells, self.cell_units, self.names = cells, cell_units, names

    def values(self, node: Node) -> list[Fraction]:
        """Of a number: one for each reading. Raises `NoValueError`."""
        try:
            return self._values(node)
        except (ZeroDivisionError, ValueError, OverflowError, IndexError) as err:
            raise NoValueError from err

    def _values(self, node: Node) -> list[Fraction]:
        match node:
            case Literal(text):
                return [Fraction(text.rstrip("%"))]
            case Cell(reference):
                return [self.cells[reference]]
            case Name(name):
                return [self.names[name]]
            case Negation(of):
                return [-value for value in self.values(of)]
            case Power(base, exponent):
                return [value**exponent for value in self.values(base)]
            case Sum(first, rest) | Product(first, rest):
                return self._chain(first, rest)
            case Call("rank", (Cell(reference),)):
                own = self.cells[reference]
                return [Fraction(1 + sum(other > own for other in self.others(reference)))]
            case Call(function, arguments):
                opened = [x for argument in arguments for x in self._opened(argument)]
                return [value for choice in product(*opened) for value in self._called(function, choice)]
        raise TypeError(node)

    def _chain(self, first: Node, rest: tuple[tuple[str, Node], ...]) -> list[Fraction]:
        values = self.values(first)
        for sign, part in rest:
            values = [SIGNS[sign](a, b) for a, b in product(values, self.values(part))]
        return values

    def _called(self, function: str, x: tuple[Fraction, ...]) -> list[Fraction]:
        if function == "improvement":
            return [PLAIN["gain"](*x), PLAIN["relative_gain"](*x)]
        if function == "second_best":
            return [sorted(x)[-2]]
        if function == "bottleneck":
            more = [(x[0] - x[1]) * unit / 4 / x[3] for unit in (10**9, 2**30)]
            return [(each - x[2]) / (2 * x[2] + 1) for each in more]
        return [PLAIN[function](*x)]

    def _opened(self, argument: Node) -> list[list[Fraction]]:
        match argument:
            case Cells(reference):
                _, row, column = reference.split(".")
                return [
                    [value]
                    for cell, value in self.cells.items()
                    if row in ("*", cell.split(".")[1]) and column in ("*", cell.split(".")[2])
                ]
            case Call("others", (Cell(reference),)):
                return [[value] for value in self.others(reference)]
            case Call("group", (Cell(reference),)):
                return [[self.cells[reference]], *([value] for value in self.others(reference))]
        return [self.values(argument)]

    def others(self, reference: str) -> list[Fraction]:
        column = reference.split(".")[2]
        return [
            value for cell, value in self.cells.items() if cell != reference and cell.split(".")[2] == column
        ]

    def holds(self, node: Node) -> tuple[bool, bool]:
        """Of a sentence without `overlap`: whether some readings make it true, whether some make it false."""
        match node:
            case Not(of):
                true, false = self.holds(of)
                return false, true
            case And(parts):
                held = [self.holds(part) for part in parts]
                return all(true for true, _ in held), any(false for _, false in held)
            case Or(parts):
                held = [self.holds(part) for part in parts]
                return any(true for true, _ in held), all(false for _, false in held)
            case Comparison(Call("count", parts), _, _):
                held = [self.holds(part) for part in parts]
                counts = range(sum(not false for _, false in held), 1 + sum(true for true, _ in held))
                return self._compared([Fraction(n) for n in counts], node)
            case Comparison(left, _, _):
                return self._compared(self.values(left), node)
        raise TypeError(node)

    def _compared(self, values: list[Fraction], node: Comparison) -> tuple[bool, bool]:
        unit = self.units(node.right)
        if node.relation == "=":  # here cells have values, and only what is written stands for a stretch
            sides = [side for side in (node.left, node.right) if _is_literal(side)]
            unit = max(map(self.units, sides), default=Fraction(0))
        tried = [HOLDS[node.relation](a, b, unit) for a in values for b in self.values(node.right)]
        return any(tried), not all(tried)

    def units(self, node: Node) -> Fraction:
        """Of the last digit of what is written or printed, with or without a sign; 0 of all else."""
        match node:
            case Negation(of):
                return self.units(of)
            case Literal(text):
                return Fraction(1, 10 ** len(text.rstrip("%").partition(".")[2]))
            case Cell(reference):
                return self.cell_units[reference]
        return Fraction(0)


def _is_literal(node: Node) -> bool:
    return isinstance(node, Literal) or (isinstance(node, Negation) and _is_literal(node.of))


HOLDS: Mapping[str, Callable[[Fraction, Fraction, Fraction], bool]] = {
    ">": lambda a, b, unit: a > b,
    ">=": lambda a, b, unit: a >= b,
    "<": lambda a, b, unit: a < b,
    "<=": lambda a, b, unit: a <= b,
    "=": lambda a, b, unit: abs(a - b) <= unit / 2,
    "more than": lambda a, b, unit: a > b,
    "at least": lambda a, b, unit: a >= b,
    "less than": lambda a, b, unit: a < b,
    "at most": lambda a, b, unit: a <= b,
    "about": lambda a, b, unit: abs(a - b) <= max(abs(b) / 10, unit),
    "nearly": lambda a, b, unit: b - max(abs(b) / 10, unit) <= a <= b + unit / 2,
}
