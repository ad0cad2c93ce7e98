"""Papers against each other: copied numbers, and collections of one name in several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.checks.agreement import cut
from audit.checks.finding import SLIP, decimal, finding
from audit.checks.same_value import apart, meet
from audit.checks.sheet import Number, Sheet, address_in
from audit.checks.unmatched import unmatched
from audit.record import DatasetRecord, Finding, FindingResult
from audit.stats.printed import printed

_SIZES = ("train", "test", "labels", "features")
_VERSIONS = "two versions or splits of the collection go by one name"
_SECOND_HAND = "the number was taken from another place than the one named"
_OWN_RUN = "the number was run anew, and the text names only where the method comes from"


def copies(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Numbers that a paper copies, against the paper that they come from, and against its test size.

    A number copied from a table with another number of test documents is not about the split that the copying
    table reports on; nor is one that stands on the same name but in other sizes. One finding for each origin
    and data set whose sizes differ, for each number that differs, and for each origin that is not at hand.
    """
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        by_origin: dict[str, list[Number]] = {}
        for number in sheet.numbers.values():
            if number.cell.source == "copied" and number.cell.copied_from != sheet.paper.key:
                by_origin.setdefault(number.cell.copied_from or "", []).append(number)
        for key, numbers in by_origin.items():
            if key in by_key:
                yield from _from_origin(sheet, numbers, by_key[key])
            else:
                text = f"{len(numbers)} numbers are copied from {key}, whose claim file is not at hand"
                yield finding(sheet, "copies", "untestable", numbers, text, subject=f"from-{key}")


def _from_origin(sheet: Sheet, numbers: Sequence[Number], origin: Sheet) -> Iterator[Finding]:
    pairs = [(number, _same_number(sheet, number, origin)) for number in numbers]
    yield from unmatched(sheet, [number for number, theirs in pairs if not theirs], origin)
    agreeing, differing = [], []
    for number, theirs in pairs:
        in_unit = [it for it in theirs if it.cell.unit == number.cell.unit]
        same = [it for it in in_unit if meet(number.value, it.value) or cut(number.value, it.value)]
        if same:
            agreeing.append((number, same))
        elif theirs and len(in_unit) == len(theirs):  # else it may be one that stands there as a fraction
            differing.append((number, theirs))
    yield from _differing(sheet, differing, origin)
    yield from _splits(sheet, agreeing, origin)


Copied = Sequence[tuple[Number, Sequence[Number]]]
"""Numbers of the copying paper, each with those of the origin that it may be."""


def _differing(sheet: Sheet, pairs: Copied, origin: Sheet) -> Iterator[Finding]:
    by_subject: dict[tuple[str | None, str | None], list[tuple[Number, Sequence[Number]]]] = {}
    for number, theirs in pairs:
        by_subject.setdefault((number.cell.dataset, number.cell.method), []).append((number, theirs))
    for held in by_subject.values():
        ours = sorted(number.value.value for number, _ in held)
        swapped = len(held) > 1 and ours == sorted(theirs[0].value.value for _, theirs in held)
        if swapped:
            named = " and ".join(number.cell.metric or "" for number, _ in held)
            shown = ", ".join(f"{number.text} for {theirs[0].text}" for number, theirs in held)
            text = f"{named} stand in each other's places: {shown} in {origin.paper.key}"
            yield _copied(sheet, held, origin, "inconsistent", text, (SLIP, _SECOND_HAND))
            continue
        for number, theirs in held:
            printed = " and ".join(dict.fromkeys(it.text for it in theirs))
            gap = min(apart(number.value, it.value) for it in theirs)
            text = f"{number.text} here, {printed} in {origin.paper.key}: {decimal(gap)} apart"
            reasons = (SLIP, _SECOND_HAND, _OWN_RUN)
            yield _copied(sheet, [(number, theirs)], origin, "inconsistent", text, reasons)


def _splits(sheet: Sheet, pairs: Copied, origin: Sheet) -> Iterator[Finding]:
    """Sizes of the test sets for which the same numbers stand, data set by data set."""
    by_sizes: dict[tuple[str, int, int], list[tuple[Number, Sequence[Number]]]] = {}
    for number, same in pairs:
        here = sheet.test_size(number.cell.dataset)
        theirs = [size for it in same if (size := origin.test_size(it.cell.dataset))]
        if here and theirs:
            size = here if here in theirs else theirs[0]
            by_sizes.setdefault((number.cell.dataset or "", here, size), []).append((number, same))
    for (_, here, there), held in by_sizes.items():
        texts = ", ".join(dict.fromkeys(number.text for number, _ in held))
        stand = "stands" if len(held) == 1 else "stand"
        text = f"{texts} {stand} here for {here:,} test documents, and in {origin.paper.key} for {there:,}"
        slip = f"a slip in one of the two sizes ({here:,}, {there:,})"
        if here == there:
            yield _copied(sheet, held, origin, "consistent", text, ())
        else:
            yield _copied(sheet, held, origin, "inconsistent", text, (_VERSIONS, slip))


def _copied(
    sheet: Sheet, held: Copied, origin: Sheet, result: FindingResult, text: str, reasons: Sequence[str]
) -> Finding:
    found = finding(sheet, "copies", result, [number for number, _ in held], text, alternatives=reasons)
    theirs = [address_in(origin.paper.key, it) for _, others in held for it in others]
    return replace(found, cells=tuple(dict.fromkeys([*found.cells, *theirs])))


def _same_number(sheet: Sheet, number: Number, origin: Sheet) -> Sequence[Number]:
    """The numbers of `origin` for the same method, collection and metric."""
    subject = sheet.subject_across(number)
    return origin.across.get(subject, ()) if subject else ()


def sizes(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Statistics of one collection in several papers: the same, or the papers use different splits of it.

    Two versions of a collection may go by one name, each counted rightly, and how many features a paper makes
    of the texts is its own choice: so what differs is shown, and no more is said.
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
    return Finding(
        check="statistics",
        result="consistent" if same else "untestable",  # each may be right about its own version
        cells=tuple(f"{it.sheet.paper.key}:datasets.{it.dataset.id}" for it in entries),
        arithmetic=f"{statistic} of {collection}: {shown}",
        alternatives=() if same else (_VERSIONS, SLIP),
        id=f"across:statistics:{collection}.{statistic}",
        weight=1,
    )
