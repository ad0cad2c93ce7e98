"""A sentence with its numbers filled in, for readers: what was computed, and what was asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from audit.expression.errors import UndefinedError
from audit.expression.interval import Interval, hull
from audit.expression.meaning import Meaning
from audit.expression.reading import Number, units
from audit.expression.shown import shown
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
    written,
)
from audit.expression.words import RELATIONS
from audit.stats.printed import Printed

#: Of a longer set only the first cells are named.
_MOST_CELLS = 8
_MOST_READINGS = 4


def filled_in(sentence: Node, meaning: Meaning) -> str:
    """`relative_gain(44.41, 39.68) = 11.894..11.947, and 'about 12' means 10.8..13.2`.

    Ranges are what the rounding of the cells leaves open. What has no value is written without one.
    """
    match sentence:
        case And(parts) | Or(parts):
            word = "and" if isinstance(sentence, And) else "or"
            return f"; {word} ".join(_inside(part, meaning) for part in parts)
        case Not(of):
            return f"not so: {_inside(of, meaning)}"
        case Comparison():
            return _comparison(sentence, meaning)
        case Call():
            return _overlap(sentence, meaning)
        case _:
            return written(sentence)


def _inside(part: Node, meaning: Meaning) -> str:
    text = filled_in(part, meaning)
    return f"({text})" if isinstance(part, And | Or | Not) else text


def _comparison(node: Comparison, meaning: Meaning) -> str:
    left, right = (_text(side, meaning) for side in (node.left, node.right))
    try:
        numbers = meaning.number(node.left), meaning.number(node.right)
    except UndefinedError:
        return f"{left} {node.relation} {right}"
    fitting = _fitting(node.relation, *numbers)
    bounds = [end for each in (fitting or _spans(numbers[1])) for end in (each.low, each.high)]
    ends = [end for each in _spans(numbers[0]) for end in (each.low, each.high)]
    left += _value(node.left, numbers[0], bounds)
    right += _value(node.right, numbers[1], ends)
    if fitting:
        means = " or ".join(shown(each.low, each.high, against=ends) for each in fitting)
        relation, (x, n) = RELATIONS[node.relation], (numbers[0][0], numbers[1][0])
        width = relation.width(n.face.low, units(x, relation, n)[0])
        return f"{left}, and '{node.relation} {right}' means {means}{width}"
    return f"{left}{'' if _plain(node.left) else ', to be'} {node.relation} {right}"


def _overlap(node: Call, meaning: Meaning) -> str:
    text = _text(node, meaning)
    try:
        numbers = meaning.all_numbers(node.arguments)[:_MOST_CELLS]
    except UndefinedError:
        return text
    ends = [end for number in numbers for each in _spans(number) for end in (each.low, each.high)]
    return f"{text}: do {', '.join(_ranges(number, ends) for number in numbers)} meet?"


def _fitting(relation: str, left: Number, right: Number) -> list[Interval]:
    """The stretches that fit, without repeats; empty where what fits is a half line or one number."""
    stretches = [
        RELATIONS[relation].fitting(n.span, units(x, RELATIONS[relation], n)[0]) for x in left for n in right
    ]
    return [each for each in dict.fromkeys(stretches) if each is not None and not each.is_point]


def _value(node: Node, number: Number, against: Sequence[Fraction]) -> str:
    return "" if _plain(node) else f" = {_ranges(number, against)}"


def _ranges(number: Number, against: Sequence[Fraction]) -> str:
    if len(number) > _MOST_READINGS:
        whole = hull(_spans(number))
        return f"{shown(whole.low, whole.high, against=against)} (in {len(number)} readings)"
    texts = (
        shown(reading.span.low, reading.span.high, against=against)
        + (f" ({reading.name})" if reading.name else "")
        for reading in number
    )
    return " or ".join(dict.fromkeys(texts))


def _spans(number: Number) -> list[Interval]:
    return [reading.span for reading in number]


def _plain(node: Node) -> bool:
    """Whether a node shows its value by itself."""
    return isinstance(node, Literal | Cell | Name) or (isinstance(node, Negation) and _plain(node.of))


def _text(node: Node, meaning: Meaning) -> str:
    return written(node, lambda inner: _instead(inner, meaning))


def _instead(node: Node, meaning: Meaning) -> str | None:
    """The numbers in place of what refers to them."""
    lookup = meaning.lookup
    try:
        match node:
            case Cell(reference):
                return _plainly(lookup.cell(reference))
            case Name(name):
                value = lookup.constant(name)
                return _plainly(value) if isinstance(value, Printed) else shown(value, value)
            case Cells(reference):
                return _listed(lookup.cells(reference))
            case Call(("others" | "group" | "rank") as function, (Cell(reference),)):
                own, others = lookup.cell(reference), lookup.others(reference)
                if function == "rank":
                    return f"rank({_plainly(own)} among {_listed(others)})"
                return _listed([own, *others] if function == "group" else others)
    except UndefinedError:
        pass  # stays as it is written
    return None


def _listed(cells: Sequence[Printed]) -> str:
    listed = ", ".join(_plainly(cell) for cell in cells[:_MOST_CELLS])
    return f"{listed}, ... ({len(cells)} cells)" if len(cells) > _MOST_CELLS else listed


def _plainly(cell: Printed) -> str:
    """Without the commas of thousands, which would look like arguments."""
    return cell.text.strip().replace(",", "")
