"""Structural statements held against models: weights counted in the model itself, beside their formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from audit.checks.finding import finding
from audit.checks.formulas import Held
from audit.checks.sheet import Sheet
from audit.expression import evaluate, parse
from audit.record import ClaimRecord, Finding

Counter = Callable[[Mapping[str, Any]], int]
"""From what a claim file says of a model (`audit.kinds.stated.Counted`) to a number of weights."""

_OURS = "our model is not built as the formula has it"


def models(sheet: Sheet, count: Counter) -> Iterator[Finding]:
    """One finding for each model that a structural statement names; `count` makes it and counts."""
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
