"""Papers against each other: copied numbers, and collections of one name in several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from audit.checks.tables import (
    SLIP,
    WEIGHTS,
    Number,
    Profile,
    Sheet,
    address_in,
    apart,
    cut,
    decimal,
    finding,
    grouped,
    meet,
    same_count,
)
from audit.expression.interval import Interval, point
from audit.names import known_names
from audit.record import DatasetRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed_count

_SIZES = ("train", "test", "labels", "features")
_VERSIONS = "two versions or splits of the collection go by one name"
_THIRD = "both were copied from a third table, on one of the two"
#: So many metrics that agree to the last digit are taken for a copy.
_TRIPLE = 3
_SECOND_HAND = "the number was taken from another place than the one named"
_OWN_RUN = "the number was run anew, and the text names only where the method comes from"


def copies(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Numbers that a paper copies, against the paper that they come from, and against its test size.

    A number copied from a table with another number of test documents is not about the split that the copying
    table reports on; nor is one that stands on the same name but in other sizes. One finding for each origin
    and data set whose sizes differ, for each number that differs, for each origin that is not at hand, and
    for each row that two papers print alike for other sizes without saying so.
    """
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        key_here = sheet.paper.key
        copied = [it for it in sheet.numbers.values() if it.cell.source == "copied"]
        elsewhere = (it for it in copied if it.cell.copied_from != key_here)
        for key, numbers in grouped(elsewhere, lambda it: it.cell.copied_from or "").items():
            if key in by_key:
                yield from _from_origin(sheet, numbers, by_key[key])
            else:
                text = f"{len(numbers)} numbers are copied from {key}, whose claim file is not at hand"
                yield finding(sheet, "copies", "untestable", numbers, text, subject=f"from-{key}")
    yield from _undeclared(sheets)


def _from_origin(sheet: Sheet, numbers: Sequence[Number], origin: Sheet) -> Iterator[Finding]:
    pairs = [(number, _same_number(sheet, number, origin)) for number in numbers]
    yield from _unmatched(sheet, [number for number, theirs in pairs if not theirs], origin)
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
    for held in grouped(pairs, lambda pair: (pair[0].cell.dataset, pair[0].cell.method)).values():
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
    by_sizes: dict[tuple[str, Printed, Printed], list[tuple[Number, Sequence[Number]]]] = {}
    for number, same in pairs:
        here = sheet.test_count(number.cell.dataset)
        theirs = [size for it in same if (size := origin.test_count(it.cell.dataset))]
        if here and theirs:
            size = next((it for it in theirs if same_count(here, it)), theirs[0])
            by_sizes.setdefault((number.cell.dataset or "", here, size), []).append((number, same))
    for (_, here, there), held in by_sizes.items():
        texts = ", ".join(dict.fromkeys(number.text for number, _ in held))
        stand = "stands" if len(held) == 1 else "stand"
        elsewhere = f"in {origin.paper.key} for {_size(there)}"
        text = f"{texts} {stand} here for {_size(here)} test documents, and {elsewhere}"
        reasons = () if same_count(here, there) else (_VERSIONS, _slip(here, there))
        yield _copied(sheet, held, origin, "inconsistent" if reasons else "consistent", text, reasons)


def _size(of: Printed) -> str:
    return f"{int(of.value):,}"


def _slip(here: Printed, there: Printed) -> str:
    return f"a slip in one of the two sizes ({_size(here)}, {_size(there)})"


_Row = tuple[Sheet, Profile, Printed]
"""A row of a paper, and its number of test documents."""


def _undeclared(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Rows that two papers print alike of one collection for test sets of other sizes, without a source.

    Three metrics that agree to the last digit are no chance: one row was copied, or both from a third table.
    One finding for two papers and a collection; a row that is said to come from a paper at hand is held
    against that one alone.
    """
    at_hand = {sheet.paper.key for sheet in sheets}
    rows: dict[tuple[str, str], list[_Row]] = {}
    for sheet in sheets:
        for it in sheet.profiles:
            held, first = sheet.datasets.get(it.dataset), it.numbers.get("P@1")
            size = sheet.test_count(it.dataset)
            if held and held.catalogue and first and size and first.cell.copied_from not in at_hand:
                rows.setdefault((held.catalogue, first.text), []).append((sheet, it, size))
    found: dict[tuple[str, ...], list[tuple[_Row, _Row]]] = {}
    for (collection, _), alike in rows.items():
        for mine, theirs in combinations(alike, 2):
            if mine[0] is not theirs[0] and not same_count(mine[2], theirs[2]) and _alike(mine[1], theirs[1]):
                key = (collection, mine[0].paper.key, theirs[0].paper.key)
                found.setdefault(key, []).append((mine, theirs))
    for (collection, *_), pairs in found.items():
        yield _one_table(collection, pairs)


def _alike(mine: Profile, theirs: Profile) -> tuple[str, ...]:
    """The metrics that both print alike, but for nDCG@1, which is P@1; empty where they are too few."""
    same = [
        metric
        for metric, it in mine.numbers.items()
        if metric != "nDCG@1" and metric in theirs.numbers and it.text == theirs.numbers[metric].text
    ]
    return tuple(same) if len(same) >= _TRIPLE else ()


def _one_table(collection: str, pairs: Sequence[tuple[_Row, _Row]]) -> Finding:
    (sheet, _, here), (other, _, there) = pairs[0]
    ours = [it for (_, mine, _), (_, theirs, _) in pairs for it in mine.get(*_alike(mine, theirs))]
    others = [it for (_, mine, _), (_, theirs, _) in pairs for it in theirs.get(*_alike(mine, theirs))]
    key, other_key = sheet.paper.key, other.paper.key
    texts = ", ".join(it.text for it in ours)
    return Finding(
        check="copies",
        result="inconsistent",
        cells=(*(address_in(key, it) for it in ours), *(address_in(other_key, it) for it in others)),
        arithmetic=f"{texts} stand in {key} for {_size(here)} test documents, and in {other_key} for "
        f"{_size(there)}; neither is said to come from the other",
        alternatives=(_VERSIONS, _THIRD, _slip(here, there)),
        id=f"across:copies:{collection}.{key}={other_key}",
        weight=WEIGHTS["copies"],
        where=f"{key}: {sheet.named(ours)}; {other_key}: {other.named(others)}",
    )


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


def _unmatched(sheet: Sheet, numbers: Sequence[Number], origin: Sheet) -> Iterator[Finding]:
    """One finding for each thing that is missing in `sheet`, and one for what `origin` does not have."""
    for (subject, why), held in grouped(numbers, lambda it: _why(sheet, it, origin)).items():
        many = "1 number is" if len(held) == 1 else f"{len(held)} numbers are"
        text = f"{many} copied from {origin.paper.key}, {why}"
        yield finding(sheet, "copies", "untestable", held, text, subject=subject)


def _why(sheet: Sheet, number: Number, origin: Sheet) -> tuple[str, str]:
    """What the finding is named by, and the rest of its sentence."""
    key, row = origin.paper.key, f"{number.table}.{number.row}"
    cell, held = number.cell, sheet.datasets.get(number.cell.dataset or "")
    if cell.metric and cell.method is None and cell.experiment is None:
        return f"no-experiment-{row}", (
            f"and row {row} has no experiment that says of which method; add one with `audit add experiment "
            f"ID --row {row} --set method=NAME`, {_named(number, origin)}"
        )
    if cell.metric and cell.method is None:
        return f"no-method-{row}", (
            f"and the experiment of row {row} does not say of which method; write `method: NAME` there, "
            f"{_named(number, origin)}"
        )
    if cell.metric and held is not None and held.catalogue is None:
        return f"no-catalogue-{held.id}", (
            f"and data set {held.id} does not say which collection it is; write `catalogue: ENTRY` there "
            "(`audit data list` shows them)"
        )
    return f"not-in-{key}", "whose claim file has none of this method, collection and metric"


def _named(number: Number, origin: Sheet) -> str:
    """The names of methods there, the one that looks like it first."""
    methods = [it.cell.method for it in origin.numbers.values() if it.cell.method]
    return f"by its name in {origin.paper.key}: {known_names(number.row, methods)}"


def sizes(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Statistics of one collection in several papers: the same, or the papers use different splits of it.

    Two versions of a collection may go by one name, each counted rightly, and how many features a paper makes
    of the texts is its own choice: so what differs is shown, and no more is said.
    """
    every = [
        _Entry(sheet, dataset, statistic)
        for sheet in sheets
        for dataset in sheet.datasets.values()
        for statistic in _SIZES
        if dataset.catalogue and statistic in dataset.printed
    ]
    by_size = grouped(every, lambda it: (it.dataset.catalogue or "", it.statistic))
    for (collection, statistic), entries in by_size.items():
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
    def may_be(self) -> tuple[Interval, ...]:
        """What it counts: of training documents, with or without those held out for validation."""
        value, held_out = _span(printed_count(self.text)), self.sheet.statistic(self.dataset.id, "validation")
        return (value, value + _span(held_out)) if held_out and self.statistic == "train" else (value,)


def _span(count: Printed) -> Interval:
    return Interval(*count.interval) if count.decimals < 0 else point(count.value)


def _one_size(collection: str, statistic: str, entries: Sequence[_Entry]) -> Finding:
    by_value = grouped(entries, lambda it: printed_count(it.text).value)
    shown = "; ".join(
        f"{held[0].text} ({', '.join(it.sheet.paper.key for it in held)})" for held in by_value.values()
    )
    by_paper: dict[str, list[Interval]] = {}
    for it in entries:  # a paper may have the collection twice, in two versions
        by_paper.setdefault(it.sheet.paper.key, []).extend(it.may_be)
    ends = [it.low for held in by_paper.values() for it in held]  # if they meet, then in the least of one
    same = any(all(any(it.low <= x <= it.high for it in held) for held in by_paper.values()) for x in ends)
    return Finding(
        check="statistics",
        result="consistent" if same else "untestable",  # each may be right about its own version
        cells=tuple(f"{it.sheet.paper.key}:datasets.{it.dataset.id}" for it in entries),
        arithmetic=f"{statistic} of {collection}: {shown}",
        alternatives=() if same else (_VERSIONS, SLIP),
        id=f"across:statistics:{collection}.{statistic}",
        weight=1,
    )
