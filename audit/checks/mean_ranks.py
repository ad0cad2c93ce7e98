"""Printed average ranks, against the ranks that the table's own numbers give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.ranks import Line, impossible, readings
from audit.checks.sheet import Number, Sheet
from audit.record import Finding

_UNROUNDED = "ranks from numbers before rounding, which the table does not show"
_OTHER_LINES = "ranks over other lines than those of the table"


def average_rank(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each row (or column) of printed average ranks.

    Consistent if one rule for ties and missing numbers gives all of them; inconsistent only where no rule
    does, nor any order of numbers that print alike and may have been told apart before rounding. Ranks may be
    means over all lines of the table, or over those of one metric or one data set. Where the table ranks
    fewer methods than it shows, nobody knows among which they were ranked.
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
    lines: dict[tuple[str, str], Line] = {}
    all_ranked = True
    for (of, dataset, metric), line in sheet.lines.items():
        values = {(it.column if by_row else it.row): it.value for it in line}
        if of == table and set(values) <= set(subjects) and len(values) == len(line):
            lines[dataset, metric] = [values.get(subject) for subject in subjects]
        elif of == table and set(values) & set(subjects):
            all_ranked = False
    if not lines:
        return
    reported = [number.value for number in numbers]
    shown = ", ".join(number.text for number in numbers)
    for part in _parts(lines):
        rules = dict.fromkeys(it.rule for it in readings(part, reported) if it.fits)
        if rules:
            text = f"{shown} over {len(part)} lines: as ranked with ties by the rule {' or '.join(rules)}"
            yield finding(sheet, "average_rank", "consistent", numbers, text, subject=numbers[0].address)
            return
    whole = list(lines.values())
    closest = min(readings(whole, reported), key=lambda it: len(it.misfits))
    ranks = ", ".join(_shown(rank) for rank in closest.averages)
    text = f"{shown} over {len(whole)} lines; the table's own numbers give {ranks} (ties: {closest.rule})"
    wrong = all_ranked and all(impossible(part, reported) for part in _parts(lines))
    yield finding(
        sheet,
        "average_rank",
        "inconsistent" if wrong else "untestable",
        [numbers[place] for place in impossible(whole, reported)] or numbers,
        text,
        alternatives=(SLIP, _UNROUNDED, _OTHER_LINES),
        subject=numbers[0].address,
    )


def _parts(lines: Mapping[tuple[str, str], Line]) -> Iterator[list[Line]]:
    """All lines; then those of each metric, and of each data set, where there are several."""
    yield list(lines.values())
    for place in (1, 0):
        names = dict.fromkeys(key[place] for key in lines)
        for name in names if len(names) > 1 else ():
            yield [line for key, line in lines.items() if key[place] == name]


def _shown(rank: Fraction | None) -> str:
    return "-" if rank is None else decimal(rank, 4)
