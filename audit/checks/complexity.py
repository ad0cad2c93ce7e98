"""Growth claims whose operations can be counted: the power by which the exact count grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.checks.finding import decimal, finding
from audit.checks.sheet import Sheet
from audit.expression import UndefinedError, parse, value_of
from audit.kinds.costs import MARGIN, growth
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed

#: Three decades, so that what is added once no longer shows at the upper end.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)

_OTHER_COUNT = "the sentence counts other operations"
_LARGER = "it holds for larger sizes only"


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
        counts = [_count(formula, claim.details.get("given", {}), size) for size in SIZES]
        test = growth(SIZES, [float(count) for count in counts], exponent=exponent)
    except (UndefinedError, ValueError, OverflowError) as err:
        return finding(sheet, "structure", "untestable", (), f"{formula} has no growth: {err}", claim=claim)
    last = test.local_slopes[-1]
    text = (
        f"{formula} grows as n^{decimal(test.slope, 4)} from n = {SIZES[0]:,} to {SIZES[-1]:,}, and as "
        f"n^{decimal(last, 4)} at the end; n^{decimal(exponent, 3)} is claimed, give or take {MARGIN}"
    )
    result = _result([abs(slope - exponent) <= MARGIN for slope in (test.slope, last)])
    return finding(sheet, "structure", result, (), text, claim=claim, alternatives=(_OTHER_COUNT, _LARGER))


def _result(near: Sequence[bool]) -> FindingResult:
    if all(near):
        return "consistent"
    return "untestable" if any(near) else "inconsistent"


def _count(formula: str, given: dict[str, Any], size: int) -> Fraction:
    """The formula's value for n = size, exactly."""
    return value_of(parse(f"{formula} = 0"), _Constants(given, size))


@dataclass(frozen=True)
class _Constants:
    """The names of a formula; it has no cells."""

    given: dict[str, Any]
    size: int

    def constant(self, name: str) -> Printed | Fraction:
        if name == "n":
            return Fraction(self.size)
        value = self.given[name]
        return printed(value) if isinstance(value, str) else Fraction(repr(value))

    def cell(self, reference: str) -> Printed:
        raise UndefinedError(f"{reference} is a cell, and a count of operations has none")

    def cells(self, reference: str) -> Sequence[Printed]:
        raise UndefinedError(f"{reference} is a cell, and a count of operations has none")

    others = cells
