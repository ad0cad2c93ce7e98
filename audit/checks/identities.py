"""Numbers of one paper against each other: bounds, what is the same by definition, what is printed twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import get_args

from audit.checks.tables import (
    LABEL_FREE,
    OF_LABELS,
    OTHER_DEFINITION,
    SLIP,
    Number,
    Profile,
    Sheet,
    alike,
    apart,
    cut,
    decimal,
    finding,
    grouped,
    left_out,
    meet,
)
from audit.claims.schema import CorpusQuantity
from audit.record import Finding, FindingResult

_SHARE = re.compile(r"(?:P|R|RP|nDCG|PSP|PSnDCG)@[0-9]+|(?:Micro|Macro|Another-Macro)-F1")
_PRECISION = re.compile(r"P@(?P<k>[0-9]+)")
_ALTERNATIVES = (SLIP, "the numbers are means over other runs or documents", OTHER_DEFINITION)


def bounds(sheet: Sheet) -> Iterator[Finding]:
    """Findings of kind `bounds`: one for each number out of 0..100, one for each experiment's P@k.

    P@k is the share of the first k labels that are right, so for k1 < k2 the hits obey
    0 <= k2 P@k2 - k1 P@k1 <= 100 (k2 - k1), with the rounding, or the cutting, of both left open. Over
    min(k, labels), as R-precision is, P@k may grow by more, and so much is untestable.
    """
    for number in sheet.numbers.values():
        if _SHARE.fullmatch(number.cell.metric or "") and number.cell.unit in (None, "percent"):
            half = number.value.half_unit
            if not -half <= number.value.value <= 100 + half:
                text = f"{number.text} is not in 0..100"
                yield finding(sheet, "bounds", "inconsistent", [number], text, alternatives=_ALTERNATIVES)
    for profile in sheet.profiles:
        matches = {metric: _PRECISION.fullmatch(metric) for metric in profile.numbers}
        by_k = {int(match["k"]): profile.numbers[metric] for metric, match in matches.items() if match}
        if len(by_k) > 1:
            yield from _growing_hits(sheet, dict(sorted(by_k.items())))


def _growing_hits(sheet: Sheet, by_k: dict[int, Number]) -> Iterator[Finding]:
    sound = True
    for (k1, first), (k2, second) in combinations(by_k.items(), 2):
        gained = k2 * second.value.value - k1 * first.value.value
        first_unit, second_unit = 2 * k1 * first.value.half_unit, 2 * k2 * second.value.half_unit
        slack = max((first_unit + second_unit) / 2, first_unit, second_unit)  # rounded, or both cut
        if -slack <= gained <= 100 * (k2 - k1) + slack:
            continue
        sound = False
        text = (
            f"{k2} x {second.text} - {k1} x {first.text} = {decimal(gained)}, which must lie in "
            f"0..{100 * (k2 - k1)} up to {decimal(slack)} of rounding or cutting"
        )
        result: FindingResult = "inconsistent" if gained < 0 else "untestable"
        reasons = _ALTERNATIVES if gained < 0 else (OF_LABELS, *_ALTERNATIVES)
        yield finding(sheet, "bounds", result, [first, second], text, alternatives=reasons)
    if sound:
        shown = ", ".join(f"{k} x {number.text}" for k, number in by_k.items())
        text = f"hits grow with k by no more than one a place: {shown}"
        yield finding(sheet, "bounds", "consistent", list(by_k.values()), text)


# --------------------------------------------------------------------------- the same number

_OTHER_RUN = "two runs of the same settings"
_UPDATED = "one of the two places was not updated"


def identity(sheet: Sheet) -> Iterator[Finding]:
    """nDCG@1 = P@1: both are the share of documents whose first label is right.

    So wherever documents without labels count 0 in both, as in pyxclib, or do not exist. Where one of the two
    leaves them out, both have one ratio in all rows: only a row that other rows show to have another ratio is
    inconsistent. Source: the definition; the same for PSnDCG@1 and PSP@1.
    """
    rows = grouped(sheet.profiles, alike)
    for profile in sheet.profiles:
        for names in (("P@1", "nDCG@1"), ("PSP@1", "PSnDCG@1")):
            pair = profile.get(*names)
            if len(pair) == 2:
                result = _agree(*pair)
                text = " and ".join(f"{name} = {it.text}" for name, it in zip(names, pair, strict=True))
                text += f": {_how_far(*pair)}"
                reasons = [SLIP, LABEL_FREE, OTHER_DEFINITION]
                if result == "inconsistent" and (share := _without_labels(rows[alike(profile)], names, pair)):
                    result, reasons = "untestable", [LABEL_FREE, OTHER_DEFINITION, SLIP]
                    text += (
                        f"; so do {decimal(100 * share, 2)} % of documents without labels, left out of one"
                    )
                yield finding(sheet, "identity", result, pair, text, alternatives=reasons)


def _without_labels(
    rows: Sequence[Profile], names: tuple[str, str], pair: tuple[Number, ...]
) -> Fraction | None:
    """The share of documents without labels by which two numbers are as far apart; None if rows forbid it."""
    by_name = dict(zip((name.removesuffix("@1") for name in names), pair, strict=True))
    over_all, labelled = sorted(by_name, key=lambda name: by_name[name].value.value)
    share = 1 - by_name[over_all].value.interval[1] / by_name[labelled].value.interval[0]
    return share if share <= left_out(rows, over_all, labelled) else None


def twice(sheet: Sheet) -> Iterator[Finding]:
    """The same metric of the same experiment, or the same statistic of a data set, printed in two places.

    A mean over runs and a single run are not the same number, nor are means over more and over fewer runs.
    What names no experiment cannot be compared, which is told. Where single runs are not stated, the first
    thing to consider is that the experiment was run twice.
    """
    groups: dict[tuple[object, ...], list[tuple[Number, Number]]] = {}
    for numbers in _same_things(sheet.numbers.values()).values():
        for first, second in combinations(numbers, 2):
            if first.table != second.table or first.text != second.text:
                key = (first.cell.dataset, first.cell.experiment, first.table, second.table)
                groups.setdefault(key, []).append((first, second))
    yield from _not_compared(sheet)
    for pairs in groups.values():
        differing = [pair for pair in pairs if _agree(*pair) == "inconsistent"]
        if len(differing) == len(pairs) > 1 and pairs[0][0].cell.metric:
            yield _of_pairs(sheet, pairs, all_differ=True)
            continue
        yield from (_of_pairs(sheet, [pair]) for pair in pairs)


def _not_compared(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each table with rows that name no experiment, where another table has their metric."""
    where: dict[tuple[str | None, str | None], set[str]] = {}
    nameless: dict[str, list[Number]] = {}
    for number in sheet.numbers.values():
        if number.cell.metric and number.cell.dataset:
            where.setdefault((number.cell.dataset, number.cell.metric), set()).add(number.table)
            if not number.cell.experiment:
                nameless.setdefault(number.table, []).append(number)
    for table, held in nameless.items():
        if any(len(where[it.cell.dataset, it.cell.metric]) > 1 for it in held):
            rows = len({it.row for it in held})
            who = "1 row names" if rows == 1 else f"{rows} rows name"
            text = f"{who} no experiment, so not compared with other tables; `audit add experiment` names one"
            yield finding(sheet, "twice", "untestable", held, text, subject=f"no-experiment-{table}")


def _of_pairs(sheet: Sheet, pairs: Sequence[tuple[Number, Number]], *, all_differ: bool = False) -> Finding:
    """Where all metrics of an experiment differ, it is hardly a slip; more likely it was run again."""
    first, second = pairs[0]
    shown = "; ".join(f"{_what(a)} is {a.text} and {b.text}" for a, b in pairs)
    how = "all differ by more than rounding" if all_differ else _how_far(first, second)
    single = not first.cell.metric or first.cell.source == "copied" or (first.is_single and second.is_single)
    again = all_differ or (not single and _agree(first, second) == "inconsistent")
    reasons = (_OTHER_RUN, _UPDATED, SLIP) if again else (SLIP, _UPDATED, _OTHER_RUN)
    return finding(
        sheet,
        "twice",
        _agree(first, second),
        [number for pair in pairs for number in pair],
        f"{shown}: {how}",
        alternatives=reasons,
        subject=f"{first.address}={second.address}",
        weight=2 if all_differ else None,
    )


def _what(number: Number) -> str:
    return number.cell.metric or f"{number.cell.quantity} of {number.cell.dataset}"


def _agree(first: Number, second: Number) -> FindingResult:
    if meet(first.value, second.value):
        return "consistent"
    return "untestable" if cut(first.value, second.value) else "inconsistent"


def _how_far(first: Number, second: Number) -> str:
    if meet(first.value, second.value):
        return "the rounding intervals meet"
    allowed = first.value.half_unit + second.value.half_unit
    unless = ", unless one was cut" if cut(first.value, second.value) else ""
    return (
        f"{decimal(apart(first.value, second.value))} apart, and rounding explains {decimal(allowed)}{unless}"
    )


def _same_things(numbers: Iterable[Number]) -> dict[tuple[object, ...], list[Number]]:
    found: dict[tuple[object, ...], list[Number]] = {}
    for number in numbers:
        cell = number.cell
        if cell.metric and cell.experiment:
            # copied here and run anew there are two numbers
            origin = cell.copied_from if cell.source == "copied" else None
            key = (cell.metric, cell.dataset, cell.experiment, number.basis, origin)
            found.setdefault(key, []).append(number)
        elif cell.quantity in get_args(CorpusQuantity) and cell.dataset and not cell.experiment:
            found.setdefault((cell.quantity, cell.dataset, number.basis), []).append(number)
    return {key: held for key, held in found.items() if len(held) > 1}
