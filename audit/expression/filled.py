"""Whether printed cells bear out a sentence, and the sentence with its numbers filled in, for readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.expression.grammar import Node, written
from audit.expression.interval import Interval, UndefinedError, hull, shown
from audit.expression.meaning import Lookup, Meaning, Number, units
from audit.expression.words import RELATIONS
from audit.stats.printed import Printed

#: Of a longer set only the first cells are named.
_MOST_CELLS = 8
_MOST_READINGS = 4

Result = Literal["consistent", "inconsistent", "untestable"]


@dataclass(frozen=True)
class Outcome:
    """What the cells say to a sentence, and the arithmetic."""

    result: Result
    filled_in: str
    reason: str = ""
    """Why it is untestable; empty otherwise."""


def evaluate(expression: Node, lookup: Lookup) -> Outcome:
    """Tests a sentence against the cells that `lookup` gives.

        inconsistent  no values within the rounding of the cells make it true, in any reading
        consistent    the cells as printed make it true, in one reading at least
        untestable    only the rounding could make it true, or there is no value (a division by what may be 0)

    The values of a cell that occurs twice are taken as independent: that can only spare a sentence.
    """
    meaning = Meaning(lookup)
    filled = filled_in(expression, meaning)
    try:
        truth = meaning.truth(expression)
    except UndefinedError as err:
        return Outcome("untestable", filled, str(err))
    if truth.holds:
        return Outcome("consistent", filled)
    if not truth.can_hold:
        return Outcome("inconsistent", filled)
    reason = "not true of the numbers as printed, but their rounding could make it so"
    return Outcome("untestable", filled, reason)


def value_of(expression: Node, lookup: Lookup) -> Fraction:
    """The left side of a comparison, in its first reading, with the cells taken as printed.

    Exact but for roots and logarithms, of which it is the middle of the bounds. Raises `UndefinedError` where
    there is no value, and ValueError for a sentence that is no comparison.
    """
    if expression.op != "comparison":
        raise ValueError(f"a comparison is needed, got {str(expression)!r}")
    face = Meaning(lookup).number(expression.parts[0])[0].face
    return (face.low + face.high) / 2


def filled_in(sentence: Node, meaning: Meaning) -> str:
    """`relative_gain(44.41, 39.68) = 11.894..11.947, and 'about 12' means 10.8..13.2`.

    Ranges are what the rounding of the cells leaves open. What has no value is written without one.
    """
    match sentence.op:
        case "and" | "or":
            return f"; {sentence.op} ".join(_inside(part, meaning) for part in sentence.parts)
        case "not":
            return f"not so: {_inside(sentence.parts[0], meaning)}"
        case "comparison":
            return _comparison(sentence, meaning)
    return _overlap(sentence, meaning)


def _inside(part: Node, meaning: Meaning) -> str:
    text = filled_in(part, meaning)
    return f"({text})" if part.op in ("and", "or", "not") else text


def _comparison(node: Node, meaning: Meaning) -> str:
    left, right = (_text(part, meaning) for part in node.parts)
    try:
        x, n = (meaning.number(part) for part in node.parts)
    except UndefinedError:
        return f"{left} {node.text} {right}"
    relation, ends = RELATIONS[node.text], _ends(x)
    fitting = _fitting(node.text, x, n)
    left += _value(node.parts[0], x, [end for each in fitting for end in (each.low, each.high)] or _ends(n))
    right += _value(node.parts[1], n, ends)
    if fitting:
        means = " or ".join(shown(each.low, each.high, against=ends) for each in fitting)
        width = relation.width(n[0].face.low, units(x[0], relation, n[0])[0])
        return f"{left}, and '{node.text} {right}' means {means}{width}"
    return f"{left}{'' if _plain(node.parts[0]) else ', to be'} {node.text} {right}"


def _overlap(node: Node, meaning: Meaning) -> str:
    text = _text(node, meaning)
    try:
        numbers = meaning.all_numbers(node.parts)[:_MOST_CELLS]
    except UndefinedError:
        return text
    ends = [end for number in numbers for end in _ends(number)]
    return f"{text}: do {', '.join(_ranges(number, ends) for number in numbers)} meet?"


def _fitting(word: str, left: Number, right: Number) -> list[Interval]:
    """The stretches that fit, without repeats; empty where what fits is a half line or one number."""
    relation = RELATIONS[word]
    stretches = [relation.fitting(n.span, units(x, relation, n)[0]) for x in left for n in right]
    return [each for each in dict.fromkeys(stretches) if each is not None and not each.is_point]


def _value(node: Node, number: Number, against: Sequence[Fraction]) -> str:
    return "" if _plain(node) else f" = {_ranges(number, against)}"


def _ranges(number: Number, against: Sequence[Fraction]) -> str:
    if len(number) > _MOST_READINGS:
        whole = hull(reading.span for reading in number)
        return f"{shown(whole.low, whole.high, against=against)} (in {len(number)} readings)"
    texts = (
        shown(reading.span.low, reading.span.high, against=against)
        + (f" ({reading.name})" if reading.name else "")
        for reading in number
    )
    return " or ".join(dict.fromkeys(texts))


def _ends(number: Number) -> list[Fraction]:
    return [end for reading in number for end in (reading.span.low, reading.span.high)]


def _plain(node: Node) -> bool:
    """Whether a node shows its value by itself."""
    return node.op in ("number", "cell", "name") or (node.op == "negation" and _plain(node.parts[0]))


def _text(node: Node, meaning: Meaning) -> str:
    return written(node, lambda inner: _instead(inner, meaning.lookup))


def _instead(node: Node, lookup: Lookup) -> str | None:
    """The numbers in place of what refers to them; what has none stays as it is written."""
    try:
        if node.op == "cell":
            return _plainly(lookup.cell(node.text))
        if node.op == "cells":
            return _listed(lookup.cells(node.text))
        if node.op == "name":
            value = lookup.constant(node.text)
            return _plainly(value) if isinstance(value, Printed) else shown(value, value)
        if node.op == "call" and node.text in ("others", "group", "rank"):
            own, others = lookup.cell(node.parts[0].text), lookup.others(node.parts[0].text)
            if node.text == "rank":
                return f"rank({_plainly(own)} among {_listed(others)})"
            return _listed([own, *others] if node.text == "group" else others)
    except UndefinedError:
        pass
    return None


def _listed(cells: Sequence[Printed]) -> str:
    listed = ", ".join(_plainly(cell) for cell in cells[:_MOST_CELLS])
    return f"{listed}, ... ({len(cells)} cells)" if len(cells) > _MOST_CELLS else listed


def _plainly(cell: Printed) -> str:
    """Without the commas of thousands, which would look like arguments."""
    return cell.text.strip().replace(",", "")
