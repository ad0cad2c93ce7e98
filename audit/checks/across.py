"""Papers against each other: copied numbers, and collections of one name in several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.same_value import apart, meet
from audit.checks.sheet import Number, Sheet, address_in
from audit.record import Finding

_SIZES = ("train", "test", "labels", "features")
_VERSIONS = "two versions or splits of the collection go by one name"
_SECOND_HAND = "the number was taken from another place than the one named"
_OWN_RUN = "the number was run anew, and the text names only where the method comes from"


def copies(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Numbers that a paper copies, against the paper that they come from, and against its test size.

    A number copied from a table with another number of test documents is not about the split that the copying
    table reports on; nor is one that stands on the same name but in other sizes.
    """
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        for number in sheet.numbers.values():
            origin = by_key.get(number.cell.copied_from or "")
            if number.cell.source == "copied" and origin is not None and origin is not sheet:
                yield from _one_copy(sheet, number, origin)


def _one_copy(sheet: Sheet, number: Number, origin: Sheet) -> Iterator[Finding]:
    theirs = _same_number(sheet, number, origin)
    if not theirs:
        return
    cells = (number.address, *(address_in(origin.paper.key, it) for it in theirs))
    if not any(meet(number.value, it.value) for it in theirs):
        printed = " and ".join(dict.fromkeys(it.text for it in theirs))
        gap = min(apart(number.value, it.value) for it in theirs)
        text = f"{number.text} here, {printed} in {origin.paper.key}: {decimal(gap)} apart"
        found = finding(
            sheet, "copies", "inconsistent", [number], text, alternatives=(SLIP, _SECOND_HAND, _OWN_RUN)
        )
        yield replace(found, cells=cells)
        return
    here, there = sheet.test_size(number.cell.dataset), origin.test_size(theirs[0].cell.dataset)
    if here and there:
        same = here == there
        text = (
            f"{number.text} stands here for {here:,} test documents and comes from {origin.paper.key}, "
            f"which prints {'as many' if same else f'{there:,}'}"
        )
        found = finding(
            sheet,
            "copies",
            "consistent" if same else "inconsistent",
            [number],
            text,
            alternatives=(f"a slip in one of the two sizes ({here:,}, {there:,})", _OWN_RUN, _VERSIONS),
        )
        yield replace(found, cells=cells)


def _same_number(sheet: Sheet, number: Number, origin: Sheet) -> list[Number]:
    """The numbers of `origin` for the same method, collection and metric."""
    collection = _collection(sheet, number.cell.dataset)
    return [
        it
        for it in origin.numbers.values()
        if number.cell.method is not None
        and it.cell.method == number.cell.method
        and it.cell.metric == number.cell.metric
        and collection is not None
        and _collection(origin, it.cell.dataset) == collection
    ]


def _collection(sheet: Sheet, dataset: str | None) -> str | None:
    held = sheet.datasets.get(dataset or "")
    return held.catalogue if held else None


def sizes(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Statistics of one collection in several papers: the same, or the papers use different splits of it."""
    seen: dict[tuple[str, str], list[tuple[Sheet, str, str]]] = {}
    for sheet in sheets:
        for dataset in sheet.datasets.values():
            for statistic in _SIZES:
                if dataset.catalogue and statistic in dataset.printed:
                    entry = (sheet, dataset.id, dataset.printed[statistic])
                    seen.setdefault((dataset.catalogue, statistic), []).append(entry)
    for (collection, statistic), entries in seen.items():
        if len({sheet.paper.key for sheet, _, _ in entries}) > 1:
            yield _one_size(collection, statistic, entries)


def _one_size(collection: str, statistic: str, entries: Sequence[tuple[Sheet, str, str]]) -> Finding:
    by_value: dict[str, list[str]] = {}
    for sheet, _, text in entries:
        by_value.setdefault(text, []).append(sheet.paper.key)
    shown = "; ".join(f"{text} ({', '.join(keys)})" for text, keys in by_value.items())
    same = len(by_value) == 1
    return Finding(
        check="statistics",
        result="consistent" if same else "inconsistent",
        cells=tuple(f"{sheet.paper.key}:datasets.{dataset}" for sheet, dataset, _ in entries),
        arithmetic=f"{statistic} of {collection}: {shown}",
        alternatives=() if same else (_VERSIONS, SLIP),
        id=f"across:statistics:{collection}.{statistic}",
        weight=1,
    )
