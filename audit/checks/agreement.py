"""Numbers that are the same by definition, or that one paper prints twice, agree within their rounding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from audit.checks.finding import OTHER_DEFINITION, SLIP, decimal, finding
from audit.checks.same_value import apart, meet
from audit.checks.sheet import Number, Sheet
from audit.record import Finding, FindingResult
from audit.stats.printed import Printed

_LABEL_FREE = "test documents without labels, counted in one metric and not in the other"
_OTHER_RUN = "two runs of the same settings"
_UPDATED = "one of the two places was not updated"
#: What a data set has one of; a time or a size is a method's, even where the file names no experiment.
_STATISTICS = frozenset(
    {
        "train",
        "test",
        "validation",
        "labels",
        "features",
        "labels_per_document",
        "documents_per_label",
        "words_per_document",
        "words_per_document_train",
        "words_per_document_test",
    }
)


def identity(sheet: Sheet) -> Iterator[Finding]:
    """nDCG@1 = P@1: both are the share of documents whose first label is right.

    So wherever documents without labels count 0 in both, as in pyxclib, or do not exist. Source: the
    definition; the same for PSnDCG@1 and PSP@1.
    """
    for profile in sheet.profiles:
        for metric, ranked in (("P@1", "nDCG@1"), ("PSP@1", "PSnDCG@1")):
            pair = profile.get(metric, ranked)
            if len(pair) == 2:
                first, second = pair
                text = f"{metric} = {first.text} and {ranked} = {second.text}: {_how_far(first, second)}"
                yield finding(
                    sheet,
                    "identity",
                    _agree(first, second),
                    pair,
                    text,
                    alternatives=(SLIP, _LABEL_FREE, OTHER_DEFINITION),
                )


def twice(sheet: Sheet) -> Iterator[Finding]:
    """The same metric of the same experiment, or the same statistic of a data set, printed in two places.

    A mean over runs and a single run are not the same number, nor are means over more and over fewer runs.
    What names no experiment cannot be compared, which is told.
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
            yield _rerun(sheet, pairs)
            continue
        for first, second in pairs:
            yield _one_pair(sheet, first, second)


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


def _one_pair(sheet: Sheet, first: Number, second: Number) -> Finding:
    return finding(
        sheet,
        "twice",
        _agree(first, second),
        (first, second),
        f"{_what(first)} is {first.text} and {second.text}: {_how_far(first, second)}",
        alternatives=(SLIP, _UPDATED, _OTHER_RUN),
        subject=f"{first.address}={second.address}",
    )


def _rerun(sheet: Sheet, pairs: list[tuple[Number, Number]]) -> Finding:
    """All metrics differ: hardly a slip; more likely the experiment was run again."""
    shown = "; ".join(f"{_what(a)} is {a.text} and {b.text}" for a, b in pairs)
    return finding(
        sheet,
        "twice",
        "inconsistent",
        [number for pair in pairs for number in pair],
        f"{shown}: all differ by more than rounding",
        alternatives=(_OTHER_RUN, _UPDATED, SLIP),
        subject=f"{pairs[0][0].address}={pairs[0][1].address}",
        weight=2,
    )


def _what(number: Number) -> str:
    return number.cell.metric or f"{number.cell.quantity} of {number.cell.dataset}"


def _agree(first: Number, second: Number) -> FindingResult:
    if meet(first.value, second.value):
        return "consistent"
    return "untestable" if cut(first.value, second.value) else "inconsistent"


def cut(first: Printed, second: Printed) -> bool:
    """Whether the one with fewer digits is the other, cut off: 76.3 and 76.38."""
    coarse, fine = sorted((first, second), key=lambda it: it.decimals)
    return 0 <= fine.value - coarse.value < 2 * coarse.half_unit


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
        elif cell.quantity in _STATISTICS and cell.dataset and not cell.experiment:
            found.setdefault((cell.quantity, cell.dataset, number.basis), []).append(number)
    return {key: held for key, held in found.items() if len(held) > 1}
