"""Random expressions, and their value by plain arithmetic: a second, independent way to read a tree."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from audit.expression.grammar import Node
from audit.expression.words import RELATIONS


def leaf(op: str, text: str) -> Node:
    return Node(op, (), text)


def call(function: str, arguments: tuple[Node, ...]) -> Node:
    return Node("call", arguments, function)


def compare(left: Node, relation: str, right: Node) -> Node:
    return Node("comparison", (left, right), relation)


ROWS = ("a", "b", "c", "d")
COLUMNS = ("P@1", "P@3")
REFERENCES = tuple(f"t.{row}.{column}" for row in ROWS for column in COLUMNS)
SETS = ("t.*.P@1", "t.*.P@3", "t.a.*", "t.b.*")
NAMES = ("V", "R")

LITERALS = st.sampled_from(["0", "1", "2", "12", "0.5", "17%", "44.4", ".25", "100"]).map(
    partial(leaf, "number")
)
CELLS = st.sampled_from(REFERENCES).map(partial(leaf, "cell"))
SETS_OF_CELLS = st.sampled_from(SETS).map(partial(leaf, "cells")) | st.builds(
    lambda function, cell: call(function, (cell,)), st.sampled_from(["others", "group"]), CELLS
)
TWO = ("gain", "relative_gain", "improvement")
MANY = ("mean", "sum", "min", "max", "best", "second_best", "span")


def _numbers(*one: str) -> st.SearchStrategy[Node]:
    """Trees of numbers, with those functions of one number."""

    def composed(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        def chain(op: str, signs: str) -> st.SearchStrategy[Node]:
            rest = st.lists(st.tuples(st.sampled_from(signs), inner), min_size=1, max_size=3)
            return st.builds(
                lambda first, more: Node(op, (first, *(x for _, x in more)), "".join(s for s, _ in more)),
                inner,
                rest,
            )

        some = st.lists(inner | SETS_OF_CELLS, min_size=1, max_size=3).map(tuple)
        return (
            inner.map(lambda of: Node("negation", (of,)))
            | chain("sum", "+-")
            | chain("product", "*/")
            | st.builds(lambda base, n: Node("power", (base,), str(n)), inner, st.integers(0, 3))
            | st.builds(call, st.sampled_from(one), st.tuples(inner))
            | st.builds(call, st.sampled_from(TWO), st.tuples(inner, inner))
            | st.builds(call, st.sampled_from(MANY), some)
            | st.builds(call, st.just("cornet_parameters"), st.tuples(*[inner] * 3))
            | st.builds(call, st.just("bottleneck"), st.tuples(*[inner] * 4))
        )

    return st.recursive(
        LITERALS | CELLS | st.sampled_from(NAMES).map(partial(leaf, "name")), composed, max_leaves=6
    )


def _comparisons(numbers: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    ranks = CELLS.map(lambda cell: call("rank", (cell,)))
    return st.builds(compare, numbers | ranks, st.sampled_from(sorted(RELATIONS)), numbers)


def _joined(truths: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(truths, min_size=2, max_size=3).map(tuple)
    counted = st.lists(truths, min_size=1, max_size=3).map(lambda parts: call("count", tuple(parts)))
    return (
        truths.map(lambda of: Node("not", (of,)))
        | several.map(lambda parts: Node("and", parts))
        | several.map(lambda parts: Node("or", parts))
        | st.builds(compare, counted, st.sampled_from(sorted(RELATIONS)), LITERALS)
    )


NUMBERS = _numbers("abs", "sqrt", "log2")
_OVERLAPS = st.lists(NUMBERS, min_size=1, max_size=3).map(lambda numbers: call("overlap", tuple(numbers)))
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
            case Node("number", _, text):
                return [Fraction(text.rstrip("%"))]
            case Node("cell", _, reference):
                return [self.cells[reference]]
            case Node("name", _, name):
                return [self.names[name]]
            case Node("negation", (of,)):
                return [-value for value in self.values(of)]
            case Node("power", (base,), exponent):
                return [value ** int(exponent) for value in self.values(base)]
            case Node("sum" | "product", parts, signs):
                return self._chain(parts, signs)
            case Node("call", (Node("cell", _, reference),), "rank"):
                own = self.cells[reference]
                return [Fraction(1 + sum(other > own for other in self.others(reference)))]
            case Node("call", arguments, function):
                opened = [x for argument in arguments for x in self._opened(argument)]
                return [value for choice in product(*opened) for value in self._called(function, choice)]
        raise TypeError(node)

    def _chain(self, parts: tuple[Node, ...], signs: str) -> list[Fraction]:
        values = self.values(parts[0])
        for sign, part in zip(signs, parts[1:], strict=True):
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
            case Node("cells", _, reference):
                _, row, column = reference.split(".")
                return [
                    [value]
                    for cell, value in self.cells.items()
                    if row in ("*", cell.split(".")[1]) and column in ("*", cell.split(".")[2])
                ]
            case Node("call", (Node("cell", _, reference),), "others"):
                return [[value] for value in self.others(reference)]
            case Node("call", (Node("cell", _, reference),), "group"):
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
            case Node("not", (of,)):
                true, false = self.holds(of)
                return false, true
            case Node("and", parts):
                held = [self.holds(part) for part in parts]
                return all(true for true, _ in held), any(false for _, false in held)
            case Node("or", parts):
                held = [self.holds(part) for part in parts]
                return any(true for true, _ in held), all(false for _, false in held)
            case Node("comparison", (Node("call", parts, "count"), _)):
                held = [self.holds(part) for part in parts]
                counts = range(sum(not false for _, false in held), 1 + sum(true for true, _ in held))
                return self._compared([Fraction(n) for n in counts], node)
            case Node("comparison", (left, _)):
                return self._compared(self.values(left), node)
        raise TypeError(node)

    def _compared(self, values: list[Fraction], node: Node) -> tuple[bool, bool]:
        left, right = node.parts
        unit = self.units(right)
        if node.text == "=":  # here cells have values, and only what is written stands for a stretch
            sides = [side for side in (left, right) if _is_literal(side)]
            unit = max(map(self.units, sides), default=Fraction(0))
        tried = [HOLDS[node.text](a, b, unit) for a in values for b in self.values(right)]
        return any(tried), not all(tried)

    def units(self, node: Node) -> Fraction:
        """Of the last digit of what is written or printed, with or without a sign; 0 of all else."""
        match node:
            case Node("negation", (of,)):
                return self.units(of)
            case Node("number", _, text):
                return Fraction(1, 10 ** len(text.rstrip("%").partition(".")[2]))
            case Node("cell", _, reference):
                return self.cell_units[reference]
        return Fraction(0)


def _is_literal(node: Node) -> bool:
    return node.op == "number" or (node.op == "negation" and _is_literal(node.parts[0]))


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
