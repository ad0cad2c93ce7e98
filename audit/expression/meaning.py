"""Whether printed cells support a sentence, and the sentence with its numbers filled in, for readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Literal, NamedTuple, Protocol

from audit.expression.grammar import FUNCTIONS, RELATIONS, Node, Relation, written
from audit.expression.interval import Interval, UndefinedError, point
from audit.stats.printed import Printed, printed

#: What can be read in more ways is not told.
MOST_READINGS = 64
#: Of a longer set only the first cells are named.
_MOST_CELLS = 8
_OPERATIONS = {"+": Interval.__add__, "-": Interval.__sub__, "*": Interval.__mul__, "/": Interval.__truediv__}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One interpretation of a number."""

    span: Interval  # All values that the rounding of the printed cells leaves open.
    face: Interval  # The value with the cells taken as printed: one number, but for logarithms.
    unit: Fraction = Fraction(0)
    """Of the last digit, of numbers written in the expression and of cells; 0 for what is computed."""
    name: str = ""  # `percent` or `points`, where there is more than one reading.


Number = tuple[Reading, ...]
"""The readings of one number, of which there is at least one."""


class Truth(NamedTuple):
    """What is known about a sentence under its most favourable interpretation. Within the rounding:
    `can_hold`, `can_fail`, for some values, and true too often rather than too seldom. With the cells as
    printed: `holds`, `fails`, for certain."""

    can_hold: bool
    can_fail: bool
    holds: bool
    fails: bool

    def __invert__(self) -> Truth:
        return Truth(self.can_fail, self.can_hold, self.fails, self.holds)


class Lookup(Protocol):
    """Where the numbers are. May raise `UndefinedError` for a cell without a number."""

    def cell(self, reference: str) -> Printed: ...  # table.row.column, or table.row with the claim's metric
    def cells(self, reference: str) -> Sequence[Printed]: ...  # Of a star, those that print a number.
    def others(self, reference: str) -> Sequence[Printed]: ...  # Of all other methods in its line.
    def constant(self, name: str) -> Printed | Fraction: ...  # A `Fraction` is exact, a `Printed` rounded.


class Meaning:
    """Evaluates nodes, given their numbers; `UndefinedError` if there is no value."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def truth(self, node: Node) -> Truth:
        match node.op:
            case "not":
                return ~self.truth(node.parts[0])
            case "and":
                return _every([self.truth(part) for part in node.parts])
            case "or":  # by De Morgan's rule
                return ~_every([~self.truth(part) for part in node.parts])
            case "comparison":
                left, right = (self.number(part) for part in node.parts)
                relation = RELATIONS[node.text]
                return _in_some_reading(_compared(a, relation, b) for a, b in product(left, right))
        meeting = []  # overlap(...) is of the spans, so that rounding leaves nothing open
        for choice in _choices(self.all_numbers(node.parts)):
            spans = [reading.span for reading in choice]
            meet = max(span.low for span in spans) <= min(span.high for span in spans)
            meeting.append(Truth(can_hold=meet, can_fail=not meet, holds=meet, fails=not meet))
        return _in_some_reading(meeting)

    def number(self, node: Node) -> Number:
        """A number, in each of its interpretations."""
        match node.op:
            case "number":
                literal = printed(node.text)
                return (_exact(literal.value, 2 * literal.half_unit),)
            case "cell":
                return rounded(self.lookup.cell(node.text))
            case "name":
                given = self.lookup.constant(node.text)
                return rounded(given) if isinstance(given, Printed) else (_exact(given),)
            case "negation":
                inner = self.number(node.parts[0])
                return tuple(replace(reading, span=-reading.span, face=-reading.face) for reading in inner)
            case "power":
                return combined(lambda base: base ** int(node.text), [self.number(node.parts[0])])
            case "call" if node.text == "rank":
                return self._rank(node.parts[0].text)
            case "call" if node.text == "count":
                return _count([self.truth(part) for part in node.parts])
            case "call":
                numbers = self.all_numbers(node.parts)
                readings = FUNCTIONS[node.text].readings.items()
                return tuple(each for name, of in readings for each in combined(of, numbers, name=name))
        value = self.number(node.parts[0])
        for sign, part in zip(node.text, node.parts[1:], strict=True):
            value = combined(_OPERATIONS[sign], [value, self.number(part)])
        return value

    def all_numbers(self, nodes: Sequence[Node]) -> list[Number]:
        """The values of a function's arguments, with sets expanded."""
        numbers: list[Number] = []
        for node in nodes:
            if node.kind == "set":
                numbers += [rounded(cell) for cell in self.cells(node)]
            else:
                numbers.append(self.number(node))
        if not numbers:
            raise UndefinedError("there are no numbers in the set")
        return numbers

    def cells(self, node: Node) -> Sequence[Printed]:
        """The cells of a node that stands for a set."""
        if node.op == "cells":
            return self.lookup.cells(node.text)
        reference = node.parts[0].text
        own = [self.lookup.cell(reference)] if node.text == "group" else []
        return [*own, *self.lookup.others(reference)]

    def _rank(self, reference: str) -> Number:
        """From the rank if only those rank higher that must, to the rank if all do that can. Of 66.10 and
        66.11 the second must: their intervals meet in 66.105 only, which prints in one way."""
        (own,) = rounded(self.lookup.cell(reference))
        others = [reading for cell in self.lookup.others(reference) for reading in rounded(cell)]
        must = sum(other.span.low >= own.span.high for other in others)
        can = sum(other.span.high > own.span.low for other in others)
        do = sum(other.face.low > own.face.low for other in others)
        return (Reading(span=Interval(Fraction(1 + must), Fraction(1 + can)), face=point(1 + do)),)

    def filled_in(self, sentence: Node) -> str:
        """`relative_gain(44.41, 39.68) = 11.894 to 11.947, claimed: about 12`: ranges are by rounding."""
        if sentence.op in ("and", "or", "not"):
            texts = [
                f"({self.filled_in(part)})" if part.op in ("and", "or", "not") else self.filled_in(part)
                for part in sentence.parts
            ]
            return f"not so: {texts[0]}" if sentence.op == "not" else f"; {sentence.op} ".join(texts)
        if sentence.op == "comparison":
            left, right = map(self._with_value, sentence.parts)
            near = " (10% or one unit of the last digit away at most)" * RELATIONS[sentence.text].near
            told = f", claimed: {sentence.text}".removesuffix(" =")
            return f"{left}{f' {sentence.text}' if _plain(sentence.parts[0]) else told} {right}{near}"
        return f"do {', '.join(map(self._with_value, sentence.parts))} meet?"  # overlap(...)

    def _with_value(self, node: Node) -> str:
        text = written(node, self._number_instead)
        if _plain(node):
            return text
        try:
            readings = self.number(node)
        except UndefinedError:
            return text
        ranges = (f"{each.span} ({each.name})" if each.name else str(each.span) for each in readings)
        return f"{text} = {' or '.join(dict.fromkeys(ranges))}"

    def _number_instead(self, node: Node) -> str | None:
        """The numbers instead of references; a node without one stays as written."""
        try:
            if node.op == "cell":
                return _listed([self.lookup.cell(node.text)])
            if node.op == "name":
                value = self.lookup.constant(node.text)
                return _listed([value]) if isinstance(value, Printed) else str(point(value))
            if node.kind == "set":
                return _listed(self.cells(node))
            if node.op == "call" and node.text == "rank":
                own, others = self.lookup.cell(node.parts[0].text), self.lookup.others(node.parts[0].text)
                return f"rank({_listed([own])} among {_listed(others)})"
        except UndefinedError:
            pass
        return None


def _plain(node: Node) -> bool:
    """Whether a node already shows its value."""
    return (
        node.op in ("number", "cell", "name")
        or node.kind == "set"
        or (node.op == "negation" and _plain(node.parts[0]))
    )


def _listed(cells: Sequence[Printed]) -> str:
    """Without the commas of thousands, which would look like arguments."""
    listed = ", ".join(cell.text.strip().replace(",", "") for cell in cells[:_MOST_CELLS])
    return f"{listed}, ... ({len(cells)} cells)" if len(cells) > _MOST_CELLS else listed


def _exact(value: Fraction, unit: Fraction = Fraction(0)) -> Reading:
    return Reading(span=point(value), face=point(value), unit=unit)


def rounded(cell: Printed) -> Number:
    """A printed cell: it stands for all values that round to it."""
    return (Reading(span=Interval(*cell.interval), face=point(cell.value), unit=2 * cell.half_unit),)


def combined(function: Callable[..., Interval], arguments: Sequence[Number], *, name: str = "") -> Number:
    """The function of every combination of interpretations: of the intervals and of the printed numbers."""
    results = (
        Reading(
            span=function(*(reading.span for reading in choice)),
            face=function(*(reading.face for reading in choice)),
            name=", ".join(dict.fromkeys(filter(None, [*(reading.name for reading in choice), name]))),
        )
        for choice in _choices(arguments)
    )
    return tuple(dict.fromkeys(results))


def _choices(numbers: Sequence[Number]) -> Iterable[tuple[Reading, ...]]:
    if prod(len(number) for number in numbers) > MOST_READINGS:
        raise UndefinedError(f"it can be read in more than {MOST_READINGS} ways")
    return product(*numbers)


def _every(parts: Sequence[Truth]) -> Truth:
    return Truth(
        can_hold=all(part.can_hold for part in parts),
        can_fail=any(part.can_fail for part in parts),
        holds=all(part.holds for part in parts),
        fails=any(part.fails for part in parts),
    )


def _in_some_reading(readings: Iterable[Truth]) -> Truth:
    """True if one interpretation makes it so; the contrary may be true of another."""
    return Truth(*map(any, zip(*readings, strict=True)))


def _compared(left: Reading, relation: Relation, right: Reading) -> Truth:
    """By the unit of the last digit of the right side; where both sides round, of either. Then a cell's span
    has its rounding already, and only a written number is still to be widened."""
    within = as_printed = right.unit
    if relation.both_rounded:
        literals = (side.unit for side in (left, right) if side.span.low == side.span.high)
        within, as_printed = max(literals, default=Fraction(0)), max(left.unit, right.unit)
    return Truth(
        can_hold=relation.can_hold(left.span, right.span, within),
        can_fail=relation.can_fail(left.span, right.span, within),
        holds=not relation.can_fail(left.face, right.face, as_printed),
        fails=not relation.can_hold(left.face, right.face, as_printed),
    )


def _count(truths: Sequence[Truth]) -> Number:
    """How many of the truths hold; as printed a range where one holds in one reading and fails in another."""
    sure, possible = sum(not truth.can_fail for truth in truths), sum(truth.can_hold for truth in truths)
    least = sum(truth.holds and not truth.fails for truth in truths)
    most = sum(truth.holds or not truth.fails for truth in truths)
    span, face = (Interval(Fraction(a), Fraction(b)) for a, b in ((sure, possible), (least, most)))
    return (Reading(span=span, face=face),)


class Outcome(NamedTuple):
    """The result of evaluating a sentence on the cells, and the arithmetic."""

    result: Literal["consistent", "inconsistent", "untestable"]
    filled_in: str
    reason: str = ""  # Why it is untestable; empty otherwise.


def evaluate(expression: Node, lookup: Lookup) -> Outcome:
    """Tests a sentence on the cells that `lookup` gives. Inconsistent: no values within the rounding of the
    cells make it true, in any interpretation. Consistent: the cells as printed make it true, in at least one.
    Untestable: only the rounding could, or there is no value."""
    meaning = Meaning(lookup)
    filled = meaning.filled_in(expression)
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
