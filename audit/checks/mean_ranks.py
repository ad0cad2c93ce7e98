"""Printed average ranks, against the ranks that the table's own numbers give under each rule for ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.record import Finding
from audit.stats.printed import Printed

TieRule = Literal["average", "min", "max", "dense"]
TIE_RULES: tuple[TieRule, ...] = ("average", "min", "max", "dense")

_UNROUNDED = "ranks from numbers before rounding, which the table does not show"
_MISSING = "methods without a number were ranked last"
_OTHER_LINES = "ranks over other lines than those of the table"


def average_ranks(lines: Sequence[Sequence[Fraction | None]], rule: TieRule) -> list[Fraction | None]:
    """Mean rank of each column over the lines, the highest value first; None where a column has no value.

    `lines` has one entry for each method in the same order; a missing one (None) takes no part in its line.
    `average`, `min`, `max` and `dense` are the rules of `scipy.stats.rankdata`.
    """
    ranks = [_ranks(line, rule) for line in lines]
    held = [[rank for rank in column if rank is not None] for column in zip(*ranks, strict=True)]
    return [sum(column, Fraction(0)) / len(column) if column else None for column in held]


def _ranks(line: Sequence[Fraction | None], rule: TieRule) -> list[Fraction | None]:
    present = [value for value in line if value is not None]
    return [None if value is None else _rank(value, present, rule) for value in line]


def _rank(value: Fraction, among: Sequence[Fraction], rule: TieRule) -> Fraction:
    above = [other for other in among if other > value]
    level = sum(other == value for other in among)
    if rule == "dense":
        return Fraction(1 + len(set(above)))
    first, last = 1 + len(above), len(above) + level
    return {"min": Fraction(first), "max": Fraction(last), "average": Fraction(first + last, 2)}[rule]


def fits(value: Fraction | None, number: Printed) -> bool:
    """Whether the value prints so, by whatever rule of rounding."""
    low, high = number.interval
    return value is not None and low <= value <= high


def average_rank(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each row (or column) of printed average ranks.

    A table orders what it shows by printed values; numbers that print alike may have been told apart before
    rounding. So every order of such ties counts, too: between the `min` and the `max` rule.
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
    lines: list[list[Fraction | None]] = []
    for (of, _, _), line in sheet.lines.items():
        values = {(it.column if by_row else it.row): it.value.value for it in line}
        if of == table and set(values) <= set(subjects) and len(values) == len(line):
            lines.append([values.get(subject) for subject in subjects])
    if not lines:
        return
    by_rule: Mapping[TieRule, list[Fraction | None]] = {
        rule: average_ranks(lines, rule) for rule in TIE_RULES
    }
    fitting = [
        rule
        for rule, ranks in by_rule.items()
        if all(fits(rank, number.value) for rank, number in zip(ranks, numbers, strict=True))
    ]
    shown = ", ".join(number.text for number in numbers)
    if fitting:
        text = f"{shown} over {len(lines)} lines: as ranked with ties by the rule {' or '.join(fitting)}"
        yield finding(sheet, "average_rank", "consistent", numbers, text)
        return
    off = [number for i, number in enumerate(numbers) if not _between(by_rule, i, number.value)]
    ranks = "; ".join(f"{rule}: {', '.join(_shown(rank) for rank in by_rule[rule])}" for rule in TIE_RULES)
    text = f"{shown} over {len(lines)} lines; the table's own numbers give {ranks}"
    yield finding(
        sheet,
        "average_rank",
        "inconsistent" if off else "untestable",
        off or numbers,
        text,
        alternatives=(SLIP, _MISSING, _UNROUNDED, _OTHER_LINES),
        subject=numbers[0].address,
    )


def _between(by_rule: Mapping[TieRule, Sequence[Fraction | None]], place: int, number: Printed) -> bool:
    low, high = number.interval
    values = [value for ranks in by_rule.values() if (value := ranks[place]) is not None]
    return bool(values) and min(values) <= high and low <= max(values)


def _shown(rank: Fraction | None) -> str:
    return "-" if rank is None else decimal(rank, 4)
