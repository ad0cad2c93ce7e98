"""An expression as a tree, how it is written, and what it refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Literal:
    """A number as written: `17`, `0.5`, `12%`."""

    text: str


@dataclass(frozen=True)
class Cell:
    """`table.row.column`, or `table.row` where a claim's metric picks the column."""

    reference: str


@dataclass(frozen=True)
class Cells:
    """A set: `table.*.column`, `table.row.*`, or `table.*` where a claim's metric picks the column."""

    reference: str


@dataclass(frozen=True)
class Name:
    """A number to which the claim gives a name."""

    name: str


@dataclass(frozen=True)
class Negation:
    """`-a`."""

    of: Node


@dataclass(frozen=True)
class Sum:
    """`a + b - c`: flat, so that a long one is not deep."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Product:
    """`a * b / c`."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Power:
    """`a^2`."""

    base: Node
    exponent: int


@dataclass(frozen=True)
class Call:
    """`mean(a, b)`."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Comparison:
    """`a about b`."""

    left: Node
    relation: str
    right: Node


@dataclass(frozen=True)
class Not:
    """`not s`."""

    of: Node


@dataclass(frozen=True)
class And:
    """`s and t`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """`s or t`."""

    parts: tuple[Node, ...]


Node = Literal | Cell | Cells | Name | Negation | Sum | Product | Power | Call | Comparison | Not | And | Or


@dataclass(frozen=True)
class Expression:
    """A sentence that was read; equal to another if it says the same, however it is spaced."""

    sentence: Node

    def __str__(self) -> str:
        return written(self.sentence)


def references(expression: Expression) -> tuple[str, ...]:
    """The cells and sets of cells, as written, each once, in their order."""
    return tuple(
        dict.fromkeys(node.reference for node in walk(expression.sentence) if isinstance(node, Cell | Cells))
    )


def names(expression: Expression) -> tuple[str, ...]:
    """The names that the claim must give a number, each once, in their order."""
    return tuple(dict.fromkeys(node.name for node in walk(expression.sentence) if isinstance(node, Name)))


def walk(node: Node) -> Iterator[Node]:
    """The node and all under it, from left to right."""
    yield node
    for child in children(node):
        yield from walk(child)


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node, from left to right."""
    match node:
        case Negation() | Not():
            return (node.of,)
        case Sum() | Product():
            return (node.first, *(part for _, part in node.rest))
        case Power():
            return (node.base,)
        case Call():
            return node.arguments
        case Comparison():
            return (node.left, node.right)
        case And() | Or():
            return node.parts
        case _:
            return ()


#: How tightly each kind binds; what is not listed needs no parentheses.
_BINDING: dict[type[Node], int] = {
    Or: 1,
    And: 2,
    Not: 3,
    Comparison: 4,
    Sum: 5,
    Product: 6,
    Negation: 7,
    Power: 8,
}
_TIGHTEST = 9


def written(node: Node, instead: Callable[[Node], str | None] = lambda node: None) -> str:
    """The text that reads as this tree; where `instead` gives a text for a node, that stands there."""

    def part(inner: Node, least: int) -> str:
        text = written(inner, instead)
        return f"({text})" if _BINDING.get(type(inner), _TIGHTEST) < least else text

    other = instead(node)
    if other is not None:
        return other
    match node:
        case Literal(text) | Cell(text) | Cells(text) | Name(text):
            return text
        case Negation(of):
            return f"-{part(of, 7)}"
        case Sum(first, rest):
            return part(first, 6) + "".join(f" {sign} {part(term, 6)}" for sign, term in rest)
        case Product(first, rest):
            return part(first, 7) + "".join(f" {sign} {part(factor, 7)}" for sign, factor in rest)
        case Power(base, exponent):
            return f"{part(base, 9)}^{exponent}"
        case Call(function, arguments):
            return f"{function}({', '.join(part(argument, 0) for argument in arguments)})"
        case Comparison(left, relation, right):
            return f"{part(left, 5)} {relation} {part(right, 5)}"
        case Not(of):
            return f"not {part(of, 3)}"
        case And(parts):
            return " and ".join(part(each, 3) for each in parts)
        case Or(parts):
            return " or ".join(part(each, 2) for each in parts)
