"""Sentences and formulas that a claim file puts as an expression, held against the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.checks.finding import SLIP, finding
from audit.checks.sheet import Number, Sheet
from audit.claims.names import UnresolvedError, cell_of
from audit.expression import ExpressionError, UndefinedError, evaluate, parse, references
from audit.record import ClaimRecord, Finding
from audit.stats.printed import Printed, printed

_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
_OTHER_FORMULA = "the size holds more or other parts than the formula"


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


@dataclass(frozen=True)
class Held:
    """Where an expression's numbers are: the sheet's cells, and the constants of its claim."""

    sheet: Sheet
    claim: ClaimRecord

    def cell(self, reference: str) -> Printed:
        return self._number(reference).value

    def cells(self, reference: str) -> Sequence[Printed]:
        return [number.value for number in self.numbers(reference)]

    def others(self, reference: str) -> Sequence[Printed]:
        own = self._number(reference)
        return [it.value for it in self.sheet.line_of(own) if it.address != own.address]

    def constant(self, name: str) -> Printed | Fraction:
        value = self.claim.details["given"][name]
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
