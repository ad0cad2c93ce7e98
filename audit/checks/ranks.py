"""Printed average ranks, against the ranks that the table's own numbers give by each rule for ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from operator import attrgetter, itemgetter
from typing import Literal, NamedTuple

from audit.checks.granularity import PLAUSIBLE, pre_image
from audit.checks.tables import SLIP, Number, Sheet, decimal, grouped
from audit.record import Finding
from audit.stats.printed import Printed

TieRule = Literal["min", "max", "average", "dense", "ordinal"]
"""As `scipy.stats.rankdata` names them; `ordinal` ranks ties in the order of the columns."""
Missing = Literal["skipped", "last"]
"""Where a method has no number: the line does not count for it, or it comes after all others."""

Line = Sequence[Printed | None]
"""One metric on one data set: the number of each method, in one order of methods; greater is better."""

_Span = tuple[Fraction, Fraction]

TIE_RULES: tuple[TieRule, ...] = ("min", "average", "max", "dense", "ordinal")


def ranks(line: Line, rule: TieRule, *, missing: Missing = "skipped") -> tuple[Fraction | None, ...]:
    """The rank of each method, 1 for the greatest; missing ones have none, or tie behind all (`last`)."""
    # by hand: `scipy.stats` takes half a second to load
    values = [None if cell is None else cell.value for cell in line]
    above = sorted((value for value in values if value is not None), reverse=True)
    behind = Fraction(len(above)), Fraction(values.count(None))
    ranked: list[Fraction | None] = []
    for place, value in enumerate(values):
        if value is None and missing == "skipped":
            ranked.append(None)
            continue
        first, ties = (
            (Fraction(above.index(value)), Fraction(above.count(value))) if value is not None else behind
        )
        by_rule = {
            "min": first + 1,
            "max": first + ties,
            "average": first + (ties + 1) / 2,
            "dense": Fraction(len(set(above[: int(first)])) + 1),
            "ordinal": first + values[:place].count(value) + 1,
        }
        ranked.append(by_rule[rule])
    return tuple(ranked)


def possible_averages(lines: Sequence[Line], *, missing: Missing = "skipped") -> tuple[_Span | None, ...]:
    """Least and greatest mean rank of each method, whatever the digits behind the printed ones were.

    Numbers whose rounding intervals overlap may have been in either order, or tied by any rule.
    """
    best, worst = [], []
    for line in lines:
        # as wide as the coarsest number is rounded: 70 may be 70.9, cut, which is above 70.8
        h = max((number.half_unit for number in line if number is not None), default=Fraction(0))
        spans = [None if number is None else (number.value - h, number.value + h) for number in line]
        present = [span for span in spans if span is not None]
        # without a number: behind all others, or in no place
        behind = (Fraction(1 + _fewest_values(present)), Fraction(len(line))) if missing == "last" else None
        places = [behind] * len(line)
        for k, own in enumerate(spans):
            if own is not None:
                # 1 and one more for each value surely above, what may be one value counted once, as by the
                # dense rule; at worst as many as are not surely below, itself included
                above = _fewest_values([span for span in present if span[0] > own[1]])
                places[k] = Fraction(1 + above), Fraction(sum(span[1] >= own[0] for span in present))
        best.append([place and place[0] for place in places])
        worst.append([place and place[1] for place in places])
    pairs = zip(_means(best), _means(worst), strict=True)
    return tuple(None if low is None or high is None else (low, high) for low, high in pairs)


def _fewest_values(numbers: Sequence[_Span]) -> int:
    """The least number of different values that these can have been before rounding."""
    values, reached = 0, None
    for low, high in sorted(numbers, key=lambda ends: ends[1]):
        if reached is None or low > reached:
            values, reached = values + 1, high
    return values


class RankReading(NamedTuple):
    """One way of averaging the ranks, held against the printed averages."""

    rule: TieRule
    averages: tuple[Fraction | None, ...]
    misfits: tuple[int, ...]
    """Places of the methods whose printed average is not this one rounded, cut off or rounded up."""


def readings(lines: Sequence[Line], reported: Line) -> tuple[RankReading, ...]:
    """Every rule for ties and missing numbers against the printed averages; a missing average fits."""
    every = []
    for missing, rule in product(_rules_for_missing(lines), TIE_RULES):
        averages = _means([ranks(line, rule, missing=missing) for line in lines])
        misfits = tuple(
            place
            for place, (average, number) in enumerate(zip(averages, reported, strict=True))
            if number is not None
            and not (average is not None and any(average in pre_image(number, how) for how in PLAUSIBLE))
        )
        every.append(RankReading(rule, averages, misfits))
    return tuple(every)


def _rules_for_missing(lines: Sequence[Line]) -> tuple[Missing, ...]:
    """One where none is missing."""
    complete = all(number is not None for line in lines for number in line)
    return ("skipped",) if complete else ("skipped", "last")


def impossible(lines: Sequence[Line], reported: Line) -> tuple[int, ...]:
    """Places of printed averages that no rule gives, nor any order of what rounding may have hidden."""
    averages = [possible_averages(lines, missing=missing) for missing in _rules_for_missing(lines)]
    found = []
    for place, number in enumerate(reported):
        spans = [of[place] for of in averages]
        unit = 2 * number.half_unit if number else Fraction(0)  # rounded, cut off or rounded up
        if number and all(span and not span[0] - unit <= number.value <= span[1] + unit for span in spans):
            found.append(place)
    return tuple(found)


def _means(lines: Sequence[Sequence[Fraction | None]]) -> tuple[Fraction | None, ...]:
    columns = [[rank for rank in column if rank is not None] for column in zip(*lines, strict=True)]
    return tuple(sum(column, Fraction(0)) / len(column) if column else None for column in columns)


_UNROUNDED = "ranks from numbers before rounding, which the table does not show"
_OTHER_LINES = "ranks over other lines than those of the table"


def average_rank(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each row (or column) of printed average ranks.

    Consistent if one rule for ties and missing numbers gives all of them, over all lines of the table or
    those of one metric or one data set; inconsistent only where no rule does, nor any order of numbers that
    may have been told apart before rounding. Where the table ranks fewer methods than it shows, nobody
    knows among which.
    """
    averages = [number for number in sheet.numbers.values() if number.cell.quantity == "average_rank"]
    for of, along in (("row", "column"), ("column", "row")):  # methods are columns, or rows
        for numbers in grouped(averages, attrgetter("table", of)).values():
            if len(numbers) > 1:
                yield from _of_group(sheet, numbers, along)


def _of_group(sheet: Sheet, numbers: Sequence[Number], along: str) -> Iterator[Finding]:
    subjects = [getattr(number, along) for number in numbers]
    lines: dict[tuple[str, str], Line] = {}
    all_ranked = True
    for (table, dataset, metric), line in sheet.lines.items():
        values = {getattr(number, along): number.value for number in line}
        if table != numbers[0].table or not set(values) & set(subjects):
            continue
        if set(values) <= set(subjects) and len(values) == len(line):
            lines[dataset, metric] = [values.get(subject) for subject in subjects]
        else:
            all_ranked = False
    if not lines:
        return
    # over all lines; then over those of each metric, and of each data set, where there are several
    parts: list[list[Line]] = [list(lines.values())]
    for place in (1, 0):
        groups = grouped(lines, itemgetter(place)).values()
        parts += [[lines[key] for key in group] for group in groups if len(groups) > 1]
    reported = [number.value for number in numbers]
    shown, subject = ", ".join(number.text for number in numbers), numbers[0].address
    for part in parts:
        rules = dict.fromkeys(reading.rule for reading in readings(part, reported) if not reading.misfits)
        if rules:
            text = f"{shown} over {len(part)} lines: as ranked with ties by the rule {' or '.join(rules)}"
            yield sheet.finding("average_rank", "consistent", numbers, text, subject=subject)
            return
    closest = min(readings(parts[0], reported), key=lambda reading: len(reading.misfits))
    given = ", ".join("-" if rank is None else decimal(rank, 4) for rank in closest.averages)
    text = f"{shown} over {len(parts[0])} lines; the table's own numbers give {given} (ties: {closest.rule})"
    wrong = all_ranked and all(impossible(part, reported) for part in parts)
    yield sheet.finding(
        "average_rank",
        "inconsistent" if wrong else "untestable",
        [numbers[place] for place in impossible(parts[0], reported)] or numbers,
        text,
        (SLIP, _UNROUNDED, _OTHER_LINES),
        subject=subject,
    )
