"""Papers against each other: copied numbers, and collections of one name in several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from audit.checks.tables import SLIP, WEIGHTS, Number, Profile, Sheet, apart, cut, grouped, meet, same_count
from audit.expression.interval import Interval, point
from audit.names import counted
from audit.record import Finding, FindingResult
from audit.stats.printed import Printed, printed_count

_SIZES = ("train", "test", "labels", "features")
_VERSIONS = "two versions or splits of the collection share one name"
_THIRD = "both were copied from a third table, on one of the two"
_SECOND_HAND = "the number was taken from a place other than the one named"
_OWN_RUN = "the authors ran the method themselves and cite only its source"
#: Numbers of the copying paper, each with those of the origin that it may be.
Copied = list[tuple[Number, Sequence[Number]]]


def copies(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Numbers that a paper copies, against the paper that they come from, and against its test size. A number
    copied from a table with another number of test documents is not about the split that the copying table
    reports on. Also each row that two papers print alike."""
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        copied = [
            number
            for number in sheet.numbers.values()
            if number.cell.source == "copied" and number.cell.copied_from != sheet.paper.key
        ]
        for key, numbers in grouped(copied, lambda number: number.cell.copied_from or "").items():
            if key in by_key:
                yield from _from_origin(sheet, numbers, by_key[key])
            else:
                text = f"{len(numbers)} numbers are copied from {key}, whose claim file is not available"
                yield sheet.finding("copies", "untestable", numbers, text, subject=f"from-{key}")
    yield from _undeclared(sheets)


def _from_origin(sheet: Sheet, numbers: Sequence[Number], origin: Sheet) -> Iterator[Finding]:
    key = origin.paper.key

    def finding(
        pairs: Sequence[tuple[Number, Sequence[Number]]],
        result: FindingResult,
        text: str,
        reasons: Sequence[str],
    ) -> Finding:
        found = sheet.finding("copies", result, [number for number, _ in pairs], text, reasons)
        theirs = [number for _, those in pairs for number in those]
        cells = dict.fromkeys([*found.cells, *(f"{key}:{number.address}" for number in theirs)])
        read = origin.verified(theirs)
        if found.verified and not read:
            text += f" (the numbers of {key} are not yet checked against its page)"
        return replace(found, cells=tuple(cells), verified=found.verified and read, arithmetic=text)

    unmatched: list[Number] = []
    differing: Copied = []
    by_sizes: dict[tuple[str | None, Printed | None, Printed | None], Copied] = {}
    for number in numbers:
        subject = sheet.subject_across(number)
        theirs = origin.across.get(subject, ()) if subject else ()
        in_unit = [other for other in theirs if other.cell.unit == number.cell.unit]
        same = [it for it in in_unit if meet(number.value, it.value) or cut(number.value, it.value)]
        here = sheet.test_count(number.cell.dataset)
        counts = [count for other in same if (count := origin.test_count(other.cell.dataset))]
        if not theirs:
            unmatched.append(number)
        elif not same and len(in_unit) == len(theirs):  # else it may be one that stands there as a fraction
            differing.append((number, theirs))
        elif same:
            counts.sort(key=lambda count: not (here and same_count(here, count)))
            sizes = (here, counts[0]) if here and counts else (None, None)
            by_sizes.setdefault((number.cell.dataset, *sizes), []).append((number, same))
    if unmatched:
        text = f"{counted(len(unmatched), 'number')} copied from {key}, not found there: the row needs an "
        text += "experiment with the same `method`, and the data set the same `catalogue`, as there"
        yield sheet.finding("copies", "untestable", unmatched, text, subject=f"not-in-{key}")
    for group in grouped(differing, lambda pair: (pair[0].cell.dataset, pair[0].cell.method)).values():
        ours = sorted(number.value.value for number, _ in group)
        if len(group) > 1 and ours == sorted(theirs[0].value.value for _, theirs in group):
            metrics = " and ".join(number.cell.metric or "" for number, _ in group)
            shown, origins = (
                " and ".join(of) for of in zip(*((n.text, it[0].text) for n, it in group), strict=True)
            )
            text = f"{metrics} are interchanged: {shown} here, {origins} in {key}"
            yield finding(group, "inconsistent", text, (SLIP, _SECOND_HAND))
            continue
        for number, those in group:
            texts = " and ".join(dict.fromkeys(other.text for other in those))
            gap = min((apart(number, other) for other in those), key=float)
            text = f"{number.text} here, {texts} in {key}: {gap} apart"
            yield finding([(number, those)], "inconsistent", text, (SLIP, _SECOND_HAND, _OWN_RUN))
    for (_, here, there), pairs in by_sizes.items():
        texts = ", ".join(dict.fromkeys(number.text for number, _ in pairs))
        text, reasons = f"{texts} {'stands' if len(pairs) == 1 else 'stand'} here ", tuple[str, ...]()
        if here and there:
            reasons = () if same_count(here, there) else (_VERSIONS, _slip(here, there))
            text += f"for {_size(here)} test documents, "
        text += f"and in {key}" + (f" for {_size(there)}{_UNLIKELY if reasons else ''}" if there else "")
        yield finding(pairs, "inconsistent" if reasons else "consistent", text, reasons)


_UNLIKELY = ": two test sets would hardly give the same numbers"


def _size(of: Printed) -> str:
    return f"{int(of.value):,}"


def _slip(here: Printed, there: Printed) -> str:
    return f"a misprint in one of the two sizes ({_size(here)}, {_size(there)})"


def _undeclared(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Rows that two papers print alike of one collection for test sets of other sizes, without a source. A
    row that is said to come from a paper at hand is held against that one alone."""
    at_hand = {sheet.paper.key for sheet in sheets}
    rows: dict[tuple[str, str], list[tuple[Sheet, Profile, Printed]]] = {}  # with the test documents
    for sheet in sheets:
        for profile in sheet.profiles:
            dataset, first = sheet.datasets.get(profile.dataset), profile.numbers.get("P@1")
            size = sheet.test_count(profile.dataset)
            if dataset and dataset.catalogue and first and size and first.cell.copied_from not in at_hand:
                rows.setdefault((dataset.catalogue, first.text), []).append((sheet, profile, size))
    pairs = [
        ((collection, mine[0].paper.key, theirs[0].paper.key), (mine, theirs))
        for (collection, _), of_one in rows.items()
        for mine, theirs in combinations(of_one, 2)
        if mine[0] is not theirs[0] and not same_count(mine[2], theirs[2]) and _alike(mine[1], theirs[1])
    ]
    for (collection, key, other_key), group in grouped(pairs, lambda pair: pair[0]).items():
        (sheet, _, here), (other, _, there) = group[0][1]
        alike = [(mine, theirs, _alike(mine, theirs)) for _, ((_, mine, _), (_, theirs, _)) in group]
        ours = [number for mine, _, metrics in alike for number in mine.get(*metrics)]
        others = [number for _, theirs, metrics in alike for number in theirs.get(*metrics)]
        texts = ", ".join(number.text for number in ours)
        yield Finding(
            check="copies",
            result="inconsistent",
            cells=tuple(
                f"{of}:{it.address}" for of, those in ((key, ours), (other_key, others)) for it in those
            ),
            arithmetic=f"{texts} stand in {key} for {_size(here)} test documents, and in {other_key} for "
            f"{_size(there)}{_UNLIKELY}; neither paper cites the other as its source",
            alternatives=(_VERSIONS, _THIRD, _slip(here, there)),
            id=f"across:copies:{collection}.{key}={other_key}",
            weight=WEIGHTS["copies"],
            where=f"{key}: {sheet.places(ours)}; {other_key}: {other.places(others)}",
            verified=sheet.verified(ours) and other.verified(others),
        )


def _alike(mine: Profile, theirs: Profile) -> tuple[str, ...]:
    """The metrics that both print alike, but for nDCG@1, which is P@1; three to the last digit are a copy."""
    same = [
        metric
        for metric, number in mine.numbers.items()
        if metric != "nDCG@1" and metric in theirs.numbers and number.text == theirs.numbers[metric].text
    ]
    return tuple(same) if len(same) >= 3 else ()


def sizes(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Statistics of one collection in several papers: the same, or the papers use different splits of it. Two
    versions may go by one name: so what differs is shown, and no more is said."""
    entries = [(sheet, of) for sheet in sheets for of in sheet.datasets.values() if of.catalogue]
    for collection, of_one in grouped(entries, lambda entry: entry[1].catalogue).items():
        for statistic in _SIZES:
            prints = [(sheet, dataset) for sheet, dataset in of_one if statistic in dataset.printed]
            by_paper: dict[str, list[Interval]] = {}  # which may have it twice, in two versions
            by_value: dict[Fraction, list[tuple[str, str]]] = {}
            for sheet, dataset in prints:
                key, text = sheet.paper.key, dataset.printed[statistic]
                by_value.setdefault(printed_count(text).value, []).append((key, text))
                count, held_out = _counted(printed_count(text)), sheet.statistic(dataset.id, "validation")
                # of training documents, with or without those held out for validation
                more = [count + _counted(held_out)] if held_out and statistic == "train" else []
                by_paper.setdefault(key, []).extend([count, *more])
            if len(by_paper) < 2:
                continue
            shown = (f"{of[0][1]} ({', '.join(key for key, _ in of)})" for of in by_value.values())
            ends = [span.low for spans in by_paper.values() for span in spans]
            same = any(  # if they meet, in the least of one
                all(any(span.low <= end <= span.high for span in spans) for spans in by_paper.values())
                for end in ends
            )
            yield Finding(
                check="statistics",
                result="consistent" if same else "untestable",  # each may be right about its own version
                cells=tuple(f"{sheet.paper.key}:datasets.{dataset.id}" for sheet, dataset in prints),
                arithmetic=f"{statistic} of {collection}: {'; '.join(shown)}",
                alternatives=() if same else (_VERSIONS, SLIP),
                id=f"across:statistics:{collection}.{statistic}",
                weight=1,
            )


def _counted(count: Printed) -> Interval:
    return Interval(*count.interval) if count.decimals < 0 else point(count.value)
