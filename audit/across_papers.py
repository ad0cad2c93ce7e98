"""What several papers print of one method on one collection by one metric, beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from audit.checks.agreement import cut
from audit.checks.same_value import meet
from audit.checks.sheet import Number, Sheet
from audit.record import AcrossPapers, PrintedIn

_Held = tuple[Sheet, Number]


def across(sheet: Sheet, others: Sequence[Sheet]) -> tuple[AcrossPapers, ...]:
    """The numbers of `sheet` that another paper prints too, in the order in which they stand in it.

    Which method and which collection a number is about is what the claim files say: `method` of an
    experiment and `catalogue` of a data set.
    """
    found = []
    for subject, numbers in sheet.across.items():
        theirs = [(it, number) for it in others for number in it.across.get(subject, ())]
        if theirs:
            held = [*((sheet, number) for number in numbers), *theirs]
            prints = tuple(dict.fromkeys(_printed(*it) for it in held))
            found.append(AcrossPapers(*subject, prints, _differ(held), _differ(_sized(held), one_size=True)))
    return tuple(found)


def _printed(sheet: Sheet, number: Number) -> PrintedIn:
    cell = number.cell
    return PrintedIn(
        paper=sheet.paper.key,
        address=cell.address,
        place=sheet.named([number]),
        text=number.text,
        source=cell.source,
        copied_from=cell.copied_from,
        test_size=_size(sheet, number),
    )


def _differ(held: Sequence[_Held], *, one_size: bool = False) -> bool:
    """Whether numbers of two origins cannot be one number; fraction and percent are not compared."""
    return any(
        first.cell.unit == second.cell.unit
        and not meet(first.value, second.value)
        and not cut(first.value, second.value)
        for first, second in _pairs(held, one_size=one_size)
    )


def _sized(held: Sequence[_Held]) -> list[_Held]:
    """Those of which the number of test documents is known: a copy comes from a test set of its origin's."""
    return [(it, number) for it, number in held if number.cell.source != "copied" and _size(it, number)]


def _pairs(held: Sequence[_Held], *, one_size: bool) -> Iterator[tuple[Number, Number]]:
    """Those of two papers and two origins: a slip in a copy is a finding, and no second number."""
    for (sheet, first), (other, second) in combinations(held, 2):
        origins = (_origin(sheet, first), _origin(other, second))
        if sheet is other or None in origins or origins[0] == origins[1]:
            continue
        if not one_size or _size(sheet, first) == _size(other, second):
            yield first, second


def _size(sheet: Sheet, number: Number) -> int | None:
    return sheet.test_size(number.cell.dataset)


def _origin(sheet: Sheet, number: Number) -> str | None:
    """The paper that the number comes from; None for a copy that does not say."""
    cell = number.cell
    return cell.copied_from if cell.source == "copied" else sheet.paper.key
