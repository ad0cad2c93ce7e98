"""Numbers of one paper against each other: bounds, what is the same by definition, what is printed twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    cut,
    decimal,
    grouped,
    left_out,
    meet,
)
from audit.claims.schema import CorpusQuantity
from audit.names import counted
from audit.record import Finding, FindingResult

_SHARE = re.compile(r"(?:P|R|RP|nDCG|PSP|PSnDCG)@[0-9]+|(?:Micro|Macro|Another-Macro)-F1")
PRECISION = re.compile(r"P@(?P<k>[0-9]+)")
_ALTERNATIVES = (SLIP, "the numbers are means over other runs or documents", OTHER_DEFINITION)
_OTHER_RUN = "two runs of the same settings"
_UPDATED = "one of the two places was not updated"


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
                yield sheet.finding("bounds", "inconsistent", [number], text, _ALTERNATIVES)
    for profile in sheet.profiles:
        matches = {metric: PRECISION.fullmatch(metric) for metric in profile.numbers}
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
        yield sheet.finding("bounds", result, [first, second], text, reasons)
    if sound:
        shown = ", ".join(f"{k} x {number.text}" for k, number in by_k.items())
        text = f"hits grow with k by no more than one a place: {shown}"
        yield sheet.finding("bounds", "consistent", list(by_k.values()), text)


def identity(sheet: Sheet) -> Iterator[Finding]:
    """nDCG@1 = P@1: both are the share of documents whose first label is right.

    So wherever documents without labels count 0 in both, as in pyxclib, or do not exist. Where one of the two
    leaves them out, both have one ratio in all rows: only a row that other rows show to have another ratio is
    inconsistent. Source: the definition; the same for PSnDCG@1 and PSP@1.
    """
    rows = grouped(sheet.profiles, lambda profile: profile.program)
    for profile in sheet.profiles:
        for names in (("P@1", "nDCG@1"), ("PSP@1", "PSnDCG@1")):
            pair = profile.get(*names)
            if len(pair) == 2:
                result, reasons = _agree(*pair), [SLIP, LABEL_FREE, OTHER_DEFINITION]
                text = f"{names[0]} = {pair[0].text} and {names[1]} = {pair[1].text}: {_difference(*pair)}"
                if result == "inconsistent" and (
                    share := _without_labels(rows[profile.program], names, pair)
                ):
                    result, reasons = "untestable", [LABEL_FREE, OTHER_DEFINITION, SLIP]
                    shown = decimal(100 * share, 2)
                    text += f"; so do {shown} % of documents without labels, left out of one"
                yield sheet.finding("identity", result, pair, text, reasons)


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
    scores = [number for number in sheet.numbers.values() if number.is_score]
    tables = {
        subject: {number.table for number in numbers}
        for subject, numbers in grouped(scores, lambda of: (of.cell.dataset, of.cell.metric)).items()
    }
    nameless = [number for number in scores if not number.cell.experiment]
    for table, numbers in grouped(nameless, lambda number: number.table).items():
        if any(len(tables[number.cell.dataset, number.cell.metric]) > 1 for number in numbers):
            rows = counted(len({number.row for number in numbers}), "row")
            text = f"{rows} without an experiment, so not compared with other tables; `audit add experiment` "
            text += "names one"
            yield sheet.finding("twice", "untestable", numbers, text, subject=f"no-experiment-{table}")
    same = grouped(sheet.numbers.values(), _quantity)
    pairs = [pair for what, numbers in same.items() if what for pair in combinations(numbers, 2)]
    different = [
        (first, second) for first, second in pairs if (first.table, first.text) != (second.table, second.text)
    ]
    places = grouped(
        different, lambda of: (of[0].cell.dataset, of[0].cell.experiment, of[0].table, of[1].table)
    )
    for group in places.values():
        differing = all(_agree(*pair) == "inconsistent" for pair in group)
        if differing and len(group) > 1 and group[0][0].cell.metric:
            yield _of_pairs(sheet, group, all_differ=True)
            continue
        yield from (_of_pairs(sheet, [pair]) for pair in group)


def _quantity(number: Number) -> tuple[object, ...] | None:
    """What the number is of, so that another of the same is the same number; None where nobody can tell."""
    cell = number.cell
    if cell.metric and cell.experiment:
        # copied here and run anew there are two numbers
        origin = cell.copied_from if cell.source == "copied" else None
        return cell.metric, cell.dataset, cell.experiment, number.basis, origin
    if cell.quantity in get_args(CorpusQuantity) and cell.dataset and not cell.experiment:
        return cell.quantity, cell.dataset, number.basis
    return None


def _of_pairs(sheet: Sheet, pairs: Sequence[tuple[Number, Number]], *, all_differ: bool = False) -> Finding:
    """Where all metrics of an experiment differ, it is hardly a slip; more likely it was run again."""
    first, second = pairs[0]
    names = [a.cell.metric or f"{a.cell.quantity} of {a.cell.dataset}" for a, _ in pairs]
    shown = "; ".join(f"{name} is {a.text} and {b.text}" for name, (a, b) in zip(names, pairs, strict=True))
    difference = "all differ by more than rounding" if all_differ else _difference(first, second)
    single = not first.cell.metric or first.cell.source == "copied" or (first.is_single and second.is_single)
    again = all_differ or (not single and _agree(first, second) == "inconsistent")
    return sheet.finding(
        "twice",
        _agree(first, second),
        [number for pair in pairs for number in pair],
        f"{shown}: {difference}",
        (_OTHER_RUN, _UPDATED, SLIP) if again else (SLIP, _UPDATED, _OTHER_RUN),
        subject=f"{first.address}={second.address}",
        weight=2 if all_differ else None,
    )


def _agree(first: Number, second: Number) -> FindingResult:
    if meet(first.value, second.value):
        return "consistent"
    return "untestable" if cut(first.value, second.value) else "inconsistent"


def _difference(first: Number, second: Number) -> str:
    if meet(first.value, second.value):
        return "the rounding intervals meet"
    allowed = decimal(first.value.half_unit + second.value.half_unit)
    unless = ", unless one was cut" if cut(first.value, second.value) else ""
    apart = decimal(abs(first.value.value - second.value.value))
    return f"{apart} apart, and rounding explains {allowed}{unless}"
