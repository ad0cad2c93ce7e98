"""The values of expressions: numbers with their rounding and their readings, and three-valued truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from audit.expression.interval import Interval, hull, point
from audit.expression.words import Relation
from audit.stats.printed import Printed

#: More readings than this are taken together as one wide one, which can only make a sentence easier to meet.
MOST_READINGS = 64


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read a number."""

    span: Interval
    """All values that the rounding of the printed cells leaves open."""
    face: Interval
    """The value with the cells taken as printed: one number, but for roots and logarithms."""
    unit: Fraction = Fraction(0)
    """Of the last digit, of numbers written in the expression and of cells; 0 for what is computed."""
    name: str = ""
    """`percent` or `points`, where there is more than one reading."""


Number = tuple[Reading, ...]
"""The readings of one number, of which there is at least one."""


def exact(value: Fraction | int, *, unit: Fraction = Fraction(0)) -> Number:
    """A number without rounding."""
    return (Reading(span=point(value), face=point(value), unit=unit),)


def rounded(cell: Printed) -> Number:
    """A printed cell: it stands for all that rounds to it."""
    low, high = cell.interval
    return (Reading(span=Interval(low, high), face=point(cell.value), unit=2 * cell.half_unit),)


def combined(function: Callable[..., Interval], arguments: Sequence[Number], *, name: str = "") -> Number:
    """The function of every choice of readings, each twice: of the spans and of the numbers as printed.

    Raises `UndefinedError` where the function is not defined throughout.
    """
    if prod(len(argument) for argument in arguments) > MOST_READINGS:
        arguments = [(_all_in_one(argument),) for argument in arguments]
    results = (
        Reading(
            span=function(*(reading.span for reading in choice)),
            face=function(*(reading.face for reading in choice)),
            name=_joined(*(reading.name for reading in choice), name),
        )
        for choice in product(*arguments)
    )
    return tuple(dict.fromkeys(results))


def _joined(*names: str) -> str:
    return ", ".join(dict.fromkeys(name for name in names if name))


def _all_in_one(number: Number) -> Reading:
    if len(number) == 1:
        return number[0]
    return Reading(
        span=hull(reading.span for reading in number), face=hull(reading.face for reading in number)
    )


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What can be told of a sentence, whatever the reading that suits it best.

    Within the rounding: `can_hold`, `can_fail`, for some values, and true rather too often than too seldom.
    With the cells as printed: `holds`, `fails`, for sure.
    """

    can_hold: bool
    can_fail: bool
    holds: bool
    fails: bool

    def __invert__(self) -> Truth:
        return Truth(can_hold=self.can_fail, can_fail=self.can_hold, holds=self.fails, fails=self.holds)


def every(parts: Sequence[Truth]) -> Truth:
    """`a and b`."""
    return Truth(
        can_hold=all(part.can_hold for part in parts),
        can_fail=any(part.can_fail for part in parts),
        holds=all(part.holds for part in parts),
        fails=any(part.fails for part in parts),
    )


def either(parts: Sequence[Truth]) -> Truth:
    """`a or b`, by De Morgan's rule."""
    return ~every([~part for part in parts])


def compared(left: Number, relation: Relation, right: Number) -> Truth:
    """Whether the left number stands in the relation to the right one, in some reading of each."""
    return either_reading(_compared(first, relation, second) for first, second in product(left, right))


def either_reading(readings: Iterable[Truth]) -> Truth:
    """Something is true if one reading makes it so, and its contrary too: the text may mean any of them."""
    held = list(readings)
    return Truth(
        can_hold=any(reading.can_hold for reading in held),
        can_fail=any(reading.can_fail for reading in held),
        holds=any(reading.holds for reading in held),
        fails=any(reading.fails for reading in held),
    )


def _compared(left: Reading, relation: Relation, right: Reading) -> Truth:
    within, as_printed = units(left, relation, right)
    return Truth(
        can_hold=relation.can_hold(left.span, right.span, within),
        can_fail=relation.can_fail(left.span, right.span, within),
        holds=not relation.can_fail(left.face, right.face, as_printed),
        fails=not relation.can_hold(left.face, right.face, as_printed),
    )


def units(left: Reading, relation: Relation, right: Reading) -> tuple[Fraction, Fraction]:
    """The unit of the last digit that the relation goes by: within the rounding, and as printed.

    Where both sides round, a cell's span has its rounding already, and only a number written in the
    expression is still to be widened.
    """
    if not relation.both_rounded:
        return right.unit, right.unit
    written = (side.unit for side in (left, right) if side.span.is_point)
    return max(written, default=Fraction(0)), max(left.unit, right.unit)


def count(truths: Sequence[Truth]) -> Number:
    """How many of the truths hold: several readings where one holds in one reading and fails in another."""
    span = Interval(
        Fraction(sum(not truth.can_fail for truth in truths)),
        Fraction(sum(truth.can_hold for truth in truths)),
    )
    faces = {(0, 0)}
    for truth in truths:
        faces = {(low + least, high + most) for low, high in faces for least, most in _counted(truth)}
    return tuple(
        Reading(span=span, face=Interval(Fraction(low), Fraction(high))) for low, high in sorted(faces)
    )


def _counted(truth: Truth) -> list[tuple[int, int]]:
    if not (truth.holds or truth.fails):
        return [(0, 1)]
    return [(0, 0)] * truth.fails + [(1, 1)] * truth.holds


def meeting(numbers: Sequence[Number]) -> Truth:
    """Whether one value lies in the spans of all numbers.

    This is said of the spans themselves, so rounding leaves nothing open.
    """
    return either_reading(_meeting(point_of) for point_of in _choices(numbers))


def _choices(numbers: Sequence[Number]) -> Iterable[tuple[Reading, ...]]:
    if prod(len(number) for number in numbers) > MOST_READINGS:
        return [tuple(_all_in_one(number) for number in numbers)]
    return product(*numbers)


def _meeting(readings: Sequence[Reading]) -> Truth:
    meet = max(reading.span.low for reading in readings) <= min(reading.span.high for reading in readings)
    return Truth(can_hold=meet, can_fail=not meet, holds=meet, fails=not meet)
