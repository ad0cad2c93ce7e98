"""Whether printed cells bear out a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.expression.errors import UndefinedError
from audit.expression.filled import filled_in
from audit.expression.meaning import Lookup, Meaning
from audit.expression.reading import Truth
from audit.expression.tree import Comparison, Expression

Result = Literal["consistent", "inconsistent", "untestable"]


@dataclass(frozen=True)
class Outcome:
    """What the cells say to a sentence, and the arithmetic."""

    result: Result
    filled_in: str
    reason: str = ""
    """Why it is untestable; empty otherwise."""


def evaluate(expression: Expression, lookup: Lookup) -> Outcome:
    """Tests a sentence against the cells that `lookup` gives.

        inconsistent  no values within the rounding of the cells make it true, in any reading
        consistent    the cells as printed make it true, in one reading at least
        untestable    only the rounding could make it true, or there is no value (a division by what may be 0)

    The values of a cell that occurs twice are taken as independent: that can only spare a sentence.
    """
    meaning = Meaning(lookup)
    filled = filled_in(expression.sentence, meaning)
    try:
        truth = meaning.truth(expression.sentence)
    except UndefinedError as err:
        return Outcome("untestable", filled, str(err))
    return _told(truth, filled)


def value_of(expression: Expression, lookup: Lookup) -> Fraction:
    """The left side of a comparison, in its first reading, with the cells taken as printed.

    Exact but for roots and logarithms, of which it is the middle of the bounds. Raises `UndefinedError` where
    there is no value, and ValueError for a sentence that is no comparison.
    """
    if not isinstance(expression.sentence, Comparison):
        raise ValueError(f"a comparison is needed, got {str(expression)!r}")
    face = Meaning(lookup).number(expression.sentence.left)[0].face
    return (face.low + face.high) / 2


def _told(truth: Truth, filled: str) -> Outcome:
    if truth.holds:
        return Outcome("consistent", filled)
    if not truth.can_hold:
        return Outcome("inconsistent", filled)
    return Outcome(
        "untestable",
        filled,
        "not true of the numbers as printed, but their rounding could make it so",
    )
