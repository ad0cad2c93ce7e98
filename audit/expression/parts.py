"""What the parts of an expression stand for, and the refusal of one where another is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from audit.expression.errors import ExpressionError
from audit.expression.functions import Argument, Kind
from audit.expression.tokens import quoted
from audit.expression.tree import Cell, Node, written

#: Nodes, or parentheses, within one another.
DEEPEST = 50

#: What to do where something of one kind stands and another is wanted.
_REMEDIES: dict[tuple[Kind, Kind], str] = {
    ("set", "number"): "take one number of it, as in mean(...), max(...) or best(...)",
    ("set", "truth"): "take one number of it, as in best(...), and compare that, as in best(...) > 50",
    ("number", "truth"): "compare it with something, as in ... at least 5",
    ("truth", "number"): "compare numbers, and join comparisons with and, or, not",
}
_KINDS: dict[Kind, str] = {"number": "a number", "set": "a set of cells", "truth": "a comparison"}


@dataclass(frozen=True)
class Part:
    """What was read: a node, its kind, how many nodes deep it is, and where it begins."""

    node: Node
    kind: Kind
    depth: int
    at: int


def over(node: Node, kind: Kind, *parts: Part, at: int | None = None) -> Part:
    """A node over its parts; begins where it is said to, or else with the first part."""
    start = parts[0].at if at is None else at
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > DEEPEST:
        too_deep(start)
    return Part(node, kind, depth, start)


def too_deep(at: int) -> NoReturn:
    """Raises the `ExpressionError` for more than `DEEPEST` nodes, or parentheses, within one another."""
    raise ExpressionError(
        at, f"nested deeper than {DEEPEST}", "split the expression, or name a part of it under given"
    )


def wanted(part: Part, kind: Kind) -> Part:
    """The part itself; raises `ExpressionError` if it stands for something else."""
    if part.kind != kind:
        raise ExpressionError(
            part.at,
            f"{quoted(written(part.node))} is {_KINDS[part.kind]} where {_KINDS[kind]} is wanted",
            _REMEDIES[part.kind, kind],
        )
    return part


def checked(part: Part, argument: Argument, form: str) -> None:
    """Raises `ExpressionError` if the part is not such an argument; `form` is how the function is written."""
    if argument == "cell" and not isinstance(part.node, Cell):
        raise ExpressionError(
            part.at,
            f"{quoted(written(part.node))} is not one cell of a table",
            f"write {form} with a cell, as in t3.row.P@1",
        )
    if argument == "numbers" and part.kind != "set":
        wanted(part, "number")
    if argument in ("number", "truth"):
        wanted(part, "number" if argument == "number" else "truth")
