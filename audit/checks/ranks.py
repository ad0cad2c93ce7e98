"""Printed average ranks, against the ranks that the table's own numbers give by each rule for ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.checks.grid import PLAUSIBLE, pre_image
from audit.checks.tables import SLIP, Number, Sheet, decimal, finding
from audit.record import Finding
from audit.stats.printed import Printed

TieRule = Literal["min", "max", "average", "dense", "ordinal"]
"""As `scipy.stats.rankdata` names them; `ordinal` ranks ties in the order of the columns."""
Missing = Literal["skipped", "last"]
"""Where a method has no number: the line does not count for it, or it comes after all others."""

Line = Sequence[Printed | None]
"""One metric on one data set: the number of each method, in one order of methods; greater is better."""

_Span = tuple[Fraction, Fraction]
_Spans = Sequence[_Span | None]

TIE_RULES: tuple[TieRule, ...] = ("min", "average", "max", "dense", "ordinal")


def ranks(line: Line, rule: TieRule, *, missing: Missing = "skipped") -> tuple[Fraction | None, ...]:
    """The rank of each method, 1 for the greatest; missing ones have none, or tie behind all (`last`)."""
    # whole numbers in the order of the values are compared faster than fractions
    levels = {value: i for i, value in enumerate(sorted({it.value for it in line if it is not None}))}
    lowest = -1 if missing == "last" else None
    values = [lowest if number is None else levels[number.value] for number in line]
    held = [v for v in values if v is not None]
    taken: list[int] = []
    found: list[Fraction | None] = []
    for value in values:
        found.append(None if value is None else _rank(value, held, taken.count(value), rule))
        taken += [] if value is None else [value]
    return tuple(found)


def _rank(value: int, held: Sequence[int], earlier: int, rule: TieRule) -> Fraction:
    """`earlier`: how many of the methods that tie with it stand before it."""
    above = [other for other in held if other > value]
    first, last = len(above) + 1, len(above) + held.count(value)
    by_rule = {
        "min": Fraction(first),
        "max": Fraction(last),
        "average": Fraction(first + last, 2),
        "dense": Fraction(len(set(above)) + 1),
        "ordinal": Fraction(first + earlier),
    }
    return by_rule[rule]


def possible_averages(
    lines: Sequence[Line], *, missing: Missing = "skipped"
) -> tuple[tuple[Fraction, Fraction] | None, ...]:
    """Least and greatest mean rank of each method, whatever the digits behind the printed ones were.

    Numbers whose rounding intervals overlap may have been in either order, or tied by any rule. Each method
    is taken by itself.
    """
    held = [_spans(line) for line in lines]
    best = _means([[_best_place(line, i, missing) for i in range(len(line))] for line in held])
    worst = _means([[_worst_place(line, i, missing) for i in range(len(line))] for line in held])
    return tuple(
        None if low is None or high is None else (low, high) for low, high in zip(best, worst, strict=True)
    )


def _spans(line: Line) -> _Spans:
    """As wide as the coarsest number of the line is rounded: 70 may be 70.9, cut, which is above 70.8."""
    h = max((number.half_unit for number in line if number is not None), default=Fraction(0))
    return [None if number is None else (number.value - h, number.value + h) for number in line]


def _best_place(line: _Spans, index: int, missing: Missing) -> Fraction | None:
    """1 and one more for each value surely above; as by the dense rule, what may be one value counts once."""
    own = line[index]
    held = [number for number in line if number is not None]
    if own is None:
        return None if missing == "skipped" else Fraction(1 + _fewest_values(held))
    return Fraction(1 + _fewest_values([it for it in held if it[0] > own[1]]))


def _worst_place(line: _Spans, index: int, missing: Missing) -> Fraction | None:
    """As many as are not surely below, itself included."""
    own = line[index]
    if own is None:
        return None if missing == "skipped" else Fraction(len(line))
    return Fraction(sum(it is not None and it[1] >= own[0] for it in line))


def _fewest_values(numbers: Sequence[_Span]) -> int:
    """The least number of different values that these can have been before rounding."""
    values, reached = 0, None
    for low, high in sorted(numbers, key=lambda ends: ends[1]):
        if reached is None or low > reached:
            values, reached = values + 1, high
    return values


@dataclass(frozen=True)
class RankReading:
    """One way of averaging the ranks, held against the printed averages."""

    rule: TieRule
    missing: Missing
    averages: tuple[Fraction | None, ...]
    misfits: tuple[int, ...]
    """Places of the methods whose printed average is not this one rounded, cut off or rounded up."""

    @property
    def fits(self) -> bool:
        return not self.misfits


def readings(lines: Sequence[Line], reported: Line) -> tuple[RankReading, ...]:
    """Every rule for ties and for missing numbers against the printed averages, in the order of `TIE_RULES`.

    A printed average that is missing fits. Where no reading fits all, digits that rounding hid may be the
    reason: see `impossible`.
    """
    found = []
    for missing in _ways(lines):
        for rule in TIE_RULES:
            averages = _means([ranks(line, rule, missing=missing) for line in lines])
            misfits = tuple(
                i
                for i, (average, number) in enumerate(zip(averages, reported, strict=True))
                if number is not None and not _printed_as(average, number)
            )
            found.append(RankReading(rule, missing, averages, misfits))
    return tuple(found)


def _ways(lines: Sequence[Line]) -> tuple[Missing, ...]:
    """The ways to take missing numbers, which are one where none is missing."""
    complete = all(number is not None for line in lines for number in line)
    return ("skipped",) if complete else ("skipped", "last")


def impossible(lines: Sequence[Line], reported: Line) -> tuple[int, ...]:
    """Places of printed averages that no rule gives, nor any order of what rounding may have hidden."""
    spans = [possible_averages(lines, missing=missing) for missing in _ways(lines)]
    return tuple(
        i
        for i, number in enumerate(reported)
        if number is not None and not any(_within(number, way[i]) for way in spans)
    )


def _within(number: Printed, span: tuple[Fraction, Fraction] | None) -> bool:
    if span is None:
        return True
    unit = 2 * number.half_unit  # rounded, cut off or rounded up
    return span[0] - unit <= number.value <= span[1] + unit


def _printed_as(average: Fraction | None, number: Printed) -> bool:
    return average is not None and any(average in pre_image(number, way) for way in PLAUSIBLE)


def _means(lines: Sequence[Sequence[Fraction | None]]) -> tuple[Fraction | None, ...]:
    columns = [[rank for rank in column if rank is not None] for column in zip(*lines, strict=True)]
    return tuple(sum(column, Fraction(0)) / len(column) if column else None for column in columns)


# --------------------------------------------------------------------------- the check

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
        printed = [
            it for it in sheet.numbers.values() if it.table == table.id and it.cell.quantity == "average_rank"
        ]
        for by_row in (True, False):
            groups: dict[str, list[Number]] = {}
            for number in printed:
                groups.setdefault(number.row if by_row else number.column, []).append(number)
            for numbers in groups.values():
                if len(numbers) > 1:
                    yield from _of_group(sheet, table.id, numbers, by_row=by_row)


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
    given = ", ".join("-" if rank is None else decimal(rank, 4) for rank in closest.averages)
    text = f"{shown} over {len(whole)} lines; the table's own numbers give {given} (ties: {closest.rule})"
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
