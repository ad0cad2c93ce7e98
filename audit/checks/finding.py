"""How a check reports: findings with their weight, their subject and what should be considered first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from audit.checks.sheet import Number, Sheet
from audit.record import ClaimRecord, Finding, FindingResult

#: How much an inconsistency of each check tells. 5: no data set whatever gives these numbers. 4: one quantity
#: is printed in two ways. 3: a sentence and its own table differ. 2: numbers do not go with the printed test
#: size, or come from another split. 1: statistics that do not go with each other.
WEIGHTS = {
    "bounds": 5,
    "feasible_row": 5,
    "identity": 4,
    "twice": 4,
    "average_rank": 3,
    "sentence": 3,
    "significance": 3,
    "structure": 3,
    "granularity": 2,
    "copies": 2,
    "label_caps": 2,
    "statistics": 1,
}

SLIP = "a slip in typing or in extracting the table"
MEANS = "means over several runs"
OTHER_SIZE = "another number of test documents than the one printed"
_FITTED = "so read after the table was seen, which is no evidence for the sentence"
OTHER_DEFINITION = "another definition of the metric"


def finding(
    sheet: Sheet,
    check: str,
    result: FindingResult,
    numbers: Sequence[Number],
    arithmetic: str,
    *,
    alternatives: Sequence[str] = (),
    power: float | None = None,
    subject: str | None = None,
    claim: ClaimRecord | None = None,
    weight: int | None = None,
    detail: str = "",
) -> Finding:
    """A finding about some numbers of one paper; `subject` names it where the first number does not."""
    if claim and claim.fitted and result == "consistent":
        result, arithmetic = "untestable", f"{arithmetic}; {_FITTED}"
    cells = tuple(dict.fromkeys(number.address for number in numbers))
    tables = {number.table for number in numbers}
    about = subject or (claim.id if claim else cells[0] if cells else "")
    return Finding(
        check=check,
        result=result,
        cells=cells,
        arithmetic=arithmetic,
        alternatives=tuple(alternatives),
        id=f"{sheet.paper.key}:{check}:{about}",
        weight=weight or WEIGHTS[check],
        power=power,
        claim=claim.id if claim else None,
        says=claim.says if claim else None,
        where=_place(claim) if claim else sheet.named(numbers),
        note=_note(claim, numbers),
        detail=detail,
        source="code_readme" if any(it.cell.source == "code_readme" for it in numbers) else "",
        verified=bool(tables) and tables <= sheet.verified_tables,
    )


def _note(claim: ClaimRecord | None, numbers: Sequence[Number]) -> str | None:
    """How the claim was read; of numbers alone, what is known of them from elsewhere."""
    if claim is None:
        return " ".join(dict.fromkeys(it.cell.note for it in numbers if it.cell.note)) or None
    return f"{claim.note} (Chosen after the table was seen.)" if claim.fitted else claim.note


def _place(claim: ClaimRecord) -> str:
    """`section 3.2, page 1992, Table 4`, as far as it is known."""
    where = claim.where
    parts = [
        f"section {where.section}" if where.section else "",
        f"page {where.page}" if where.page else "",
        where.label or "",
    ]
    return ", ".join(part for part in parts if part)


def decimal(number: Fraction | float, digits: int = 10) -> str:
    """The number with at most so many digits, without an exponent: 0.945, 3865."""
    value = float(number)
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text and abs(value) >= 1 else text
