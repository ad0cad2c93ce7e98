"""Papers against each other: copied numbers, and collections of one name in several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.same_value import apart, meet
from audit.checks.sheet import Number, Sheet, address_in
from audit.record import DatasetRecord, Finding
from audit.stats.printed import printed

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
    here = sheet.test_size(number.cell.dataset)
    there = [
        size for it in theirs if meet(number.value, it.value) and (size := origin.test_size(it.cell.dataset))
    ]
    if here and there:
        same = here in there
        text = (
            f"{number.text} stands here for {here:,} test documents and comes from {origin.paper.key}, "
            f"which prints {'as many' if same else f'{there[0]:,}'}"
        )
        found = finding(
            sheet,
            "copies",
            "consistent" if same else "inconsistent",
            [number],
            text,
            alternatives=(f"a slip in one of the two sizes ({here:,}, {there[0]:,})", _OWN_RUN, _VERSIONS),
        )
        yield replace(found, cells=cells)


def _same_number(sheet: Sheet, number: Number, origin: Sheet) -> Sequence[Number]:
    """The numbers of `origin` for the same method, collection and metric, in the same unit."""
    subject = sheet.subject_across(number)
    return origin.across.get(subject, ()) if subject else ()


def sizes(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Statistics of one collection in several papers: the same, or the papers use different splits of it.

    How many features a paper makes of the texts is its own choice, so that other numbers of them say nothing.
    """
    seen: dict[tuple[str, str], list[_Entry]] = {}
    for sheet in sheets:
        for dataset in sheet.datasets.values():
            for statistic in _SIZES:
                if dataset.catalogue and statistic in dataset.printed:
                    entry = _Entry(sheet, dataset, statistic)
                    seen.setdefault((dataset.catalogue, statistic), []).append(entry)
    for (collection, statistic), entries in seen.items():
        if len({it.sheet.paper.key for it in entries}) > 1:
            yield _one_size(collection, statistic, entries)


@dataclass(frozen=True)
class _Entry:
    """A statistic that a paper prints of a data set."""

    sheet: Sheet
    dataset: DatasetRecord
    statistic: str

    @property
    def text(self) -> str:
        return self.dataset.printed[self.statistic]

    @property
    def may_be(self) -> set[Fraction]:
        """What it counts: of training documents, with or without those held out for validation."""
        value = printed(self.text).value
        held_out = self.sheet.statistic(self.dataset.id, "validation")
        return {value, value + held_out.value} if held_out and self.statistic == "train" else {value}


def _one_size(collection: str, statistic: str, entries: Sequence[_Entry]) -> Finding:
    by_value: dict[Fraction, list[_Entry]] = {}
    for it in entries:
        by_value.setdefault(printed(it.text).value, []).append(it)
    shown = "; ".join(
        f"{held[0].text} ({', '.join(it.sheet.paper.key for it in held)})" for held in by_value.values()
    )
    by_paper: dict[str, set[Fraction]] = {}
    for it in entries:  # a paper may have the collection twice, in two versions
        by_paper.setdefault(it.sheet.paper.key, set()).update(it.may_be)
    same = bool(set.intersection(*by_paper.values()))
    own_choice = statistic == "features"
    return Finding(
        check="statistics",
        result="consistent" if same else "untestable" if own_choice else "inconsistent",
        cells=tuple(f"{it.sheet.paper.key}:datasets.{it.dataset.id}" for it in entries),
        arithmetic=f"{statistic} of {collection}: {shown}",
        alternatives=() if same else (_VERSIONS, SLIP),
        id=f"across:statistics:{collection}.{statistic}",
        weight=1,
    )
