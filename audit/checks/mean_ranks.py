"""Printed average ranks, against the ranks that the table's own numbers give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.ranks import impossible, readings
from audit.checks.sheet import Number, Sheet
from audit.record import Finding
from audit.stats.printed import Printed

_UNROUNDED = "ranks from numbers before rounding, which the table does not show"
_OTHER_LINES = "ranks over other lines than those of the table"


def average_rank(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each row (or column) of printed average ranks.

    Consistent if one rule for ties and missing numbers gives all of them; inconsistent only where no rule
    does, nor any order of numbers that print alike and may have been told apart before rounding.
    """
    for table in sheet.tables:
        printed = [it for it in sheet.numbers.values() if it.table == table.id and _is_rank(it)]
        for by_row in (True, False):
            groups: dict[str, list[Number]] = {}
            for number in printed:
                groups.setdefault(number.row if by_row else number.column, []).append(number)
            for numbers in groups.values():
                if len(numbers) > 1:
                    yield from _of_group(sheet, table.id, numbers, by_row=by_row)


def _is_rank(number: Number) -> bool:
    return number.cell.quantity == "average_rank"


def _of_group(sheet: Sheet, table: str, numbers: Sequence[Number], *, by_row: bool) -> Iterator[Finding]:
    subjects = [number.column if by_row else number.row for number in numbers]
    lines: list[list[Printed | None]] = []
    for (of, _, _), line in sheet.lines.items():
        values = {(it.column if by_row else it.row): it.value for it in line}
        if of == table and set(values) <= set(subjects) and len(values) == len(line):
            lines.append([values.get(subject) for subject in subjects])
    if not lines:
        return
    reported = [number.value for number in numbers]
    shown = ", ".join(number.text for number in numbers)
    tried = readings(lines, reported)
    fitting = [it for it in tried if it.fits]
    if fitting:
        rules = " or ".join(dict.fromkeys(it.rule for it in fitting))
        text = f"{shown} over {len(lines)} lines: as ranked with ties by the rule {rules}"
        yield finding(sheet, "average_rank", "consistent", numbers, text, subject=numbers[0].address)
        return
    off = [numbers[place] for place in impossible(lines, reported)]
    closest = min(tried, key=lambda it: len(it.misfits))
    ranks = ", ".join(_shown(rank) for rank in closest.averages)
    text = f"{shown} over {len(lines)} lines; the table's own numbers give {ranks} (ties: {closest.rule})"
    yield finding(
        sheet,
        "average_rank",
        "inconsistent" if off else "untestable",
        off or numbers,
        text,
        alternatives=(SLIP, _UNROUNDED, _OTHER_LINES),
        subject=numbers[0].address,
    )


def _shown(rank: Fraction | None) -> str:
    return "-" if rank is None else decimal(rank, 4)
