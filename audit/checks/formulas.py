"""Sentences, formulas and growth that a claim file puts as an expression, held against cells and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.claims.names import UnresolvedError, cell_of
from audit.expression import ExpressionError, UndefinedError, evaluate, parse, references, value_of
from audit.kinds.costs import MARGIN, growth
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed

Counter = Callable[[Mapping[str, Any]], int]
"""From what a claim file says of a model (`audit.kinds.stated.Counted`) to a number of weights."""

#: Three decades, so that what is added once no longer shows at the upper end.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)

_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
_OTHER_FORMULA = "the size holds more or other parts than the formula"
_OURS = "our model is not built as the formula has it"
_OTHER_COUNT = "the sentence counts other operations"
_LARGER = "it holds for larger sizes only"


def formulas(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each arithmetic or structural statement: `sentence` or `structure`."""
    for claim in sheet.statements:
        if claim.expect is not None:
            yield _formula(sheet, claim, claim.expect)


def _formula(sheet: Sheet, claim: ClaimRecord, text: str) -> Finding:
    structural = claim.kind == "structural"
    check = "structure" if structural else "sentence"
    alternatives = (_OTHER_FORMULA if structural else _ROUGHLY, SLIP)
    held = Held(sheet, claim)
    try:
        expression = parse(text)
        outcome = evaluate(expression, held)
        numbers = [number for of in references(expression) for number in held.numbers(of)]
        if len({it.cell.unit for it in numbers if it.cell.metric}) > 1:
            raise UndefinedError(f"{text}: some of its numbers are in percent and others fractions of 1")
    except (ExpressionError, UndefinedError) as err:
        return finding(sheet, check, "untestable", [], str(err), claim=claim)
    said = f"{outcome.filled_in}: {outcome.reason}" if outcome.reason else outcome.filled_in
    return finding(sheet, check, outcome.result, numbers, said, claim=claim, alternatives=alternatives)


def complexity(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each growth claim: untestable where the claim file counts no operations.

    The slope of log count on log size is held against the claimed power with a margin of 0.15, as logarithmic
    factors need it; where it differs over all sizes and not between the two largest, the check cannot tell.
    """
    for claim in sheet.statements:
        if claim.kind == "complexity":
            yield _growth(sheet, claim)


def _growth(sheet: Sheet, claim: ClaimRecord) -> Finding:
    formula, exponent = claim.details.get("operations"), float(claim.details["exponent"])
    if formula is None:
        text = f"nothing counts {claim.details['of']} here"
        return finding(sheet, "structure", "untestable", (), text, claim=claim)
    try:
        expression = parse(f"{formula} = 0")
        counts = [value_of(expression, Held(sheet, claim, {"n": size})) for size in SIZES]
        test = growth(SIZES, [float(count) for count in counts], exponent=exponent)
    except (UndefinedError, ValueError, OverflowError) as err:
        return finding(sheet, "structure", "untestable", (), f"{formula} has no growth: {err}", claim=claim)
    last = test.local_slopes[-1]
    text = (
        f"{formula} grows as n^{decimal(test.slope, 4)} from n = {SIZES[0]:,} to {SIZES[-1]:,}, and as "
        f"n^{decimal(last, 4)} at the end; n^{decimal(exponent, 3)} is claimed, give or take {MARGIN}"
    )
    near = [abs(slope - exponent) <= MARGIN for slope in (test.slope, last)]
    result: FindingResult = "consistent" if all(near) else "untestable" if any(near) else "inconsistent"
    return finding(sheet, "structure", result, (), text, claim=claim, alternatives=(_OTHER_COUNT, _LARGER))


def models(sheet: Sheet, count: Counter) -> Iterator[Finding]:
    """One finding for each model that a structural statement names; `count` makes it and counts weights."""
    for claim in sheet.statements:
        for place, counted in enumerate(claim.details.get("counted", ())):
            yield _counted(sheet, claim, place, counted, count(counted))


def _counted(
    sheet: Sheet, claim: ClaimRecord, place: int, counted: Mapping[str, Any], number: int
) -> Finding:
    outcome = evaluate(parse(f"{counted['equals']} = {number}"), Held(sheet, claim))
    text = (
        f"{counted['model']} {counted['variant']} has {number:,} numbers in {', '.join(counted['weights'])}, "
        f"by the formula {counted['equals']}: {outcome.filled_in}"
    )
    return finding(
        sheet,
        "structure",
        outcome.result,
        (),
        text,
        claim=claim,
        subject=f"{claim.id}:model{place}",
        alternatives=(_OURS,),
    )


@dataclass(frozen=True)
class Held:
    """Where an expression's numbers are: the sheet's cells, and the constants of its claim."""

    sheet: Sheet
    claim: ClaimRecord
    also: Mapping[str, int] | None = None
    """Further constants."""

    def cell(self, reference: str) -> Printed:
        return self._number(reference).value

    def cells(self, reference: str) -> Sequence[Printed]:
        return [number.value for number in self.numbers(reference)]

    def others(self, reference: str) -> Sequence[Printed]:
        own = self._number(reference)
        return [it.value for it in self.sheet.line_of(own) if it.address != own.address]

    def constant(self, name: str) -> Printed | Fraction:
        value = {**self.claim.details.get("given", {}), **(self.also or {})}[name]
        return printed(value) if isinstance(value, str) else Fraction(repr(value))

    def numbers(self, reference: str) -> Sequence[Number]:
        """The printed numbers that a reference leads to, with or without a star."""
        if "*" not in reference:
            return [self._number(reference)]
        table, row, *column = reference.split(".")
        return [
            number
            for number in self.sheet.numbers.values()
            if number.table == table and row in ("*", number.row) and self._in_column(number, column)
        ]

    def _in_column(self, number: Number, column: Sequence[str]) -> bool:
        if not column:
            return number.cell.metric == self.claim.metric
        return number.cell.metric is not None if column[0] == "*" else number.column == column[0]

    def _number(self, reference: str) -> Number:
        try:
            place = cell_of(reference, self.claim.metric or None, self.sheet.by_name).address
        except UnresolvedError as err:
            raise UndefinedError(str(err)) from err
        if place not in self.sheet.numbers:
            raise UndefinedError(f"{place} prints no number")
        return self.sheet.numbers[place]
