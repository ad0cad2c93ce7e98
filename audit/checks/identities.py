"""Numbers of one paper against each other: bounds, identities, what is printed twice, statistics, ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from operator import attrgetter, itemgetter
from typing import Literal, NamedTuple, get_args

from audit.checks.granularity import PLAUSIBLE, pre_image
from audit.checks.tables import (
    LABEL_FREE,
    OF_LABELS,
    OTHER_DEFINITION,
    SLIP,
    Number,
    Sheet,
    apart,
    cut,
    decimal,
    grouped,
    left_out,
    meet,
)
from audit.claims.schema import CorpusQuantity
from audit.expression.interval import Interval
from audit.record import Finding, FindingResult
from audit.stats.printed import Printed

_SHARE = re.compile(r"(?:P|R|RP|nDCG|PSP|PSnDCG)@[0-9]+|(?:Micro|Macro|Another-Macro)-F1")
PRECISION = re.compile(r"P@(?P<k>[0-9]+)")
_ALTERNATIVES = (SLIP, "the numbers are means over other runs or documents", OTHER_DEFINITION)
_OTHER_RUN = "two runs of the same settings"
_UPDATED = "one of the two places was not updated"


def bounds(sheet: Sheet) -> Iterator[Finding]:
    """Findings of kind `bounds`: one for each number out of 0..100, one for each experiment's P@k. P@k is the
    share of the first k labels that are right, so for k1 < k2 the hits obey 0 <= k2 P@k2 - k1 P@k1 <= 100
    (k2 - k1), with the rounding, or the cutting, of both left open. Over min(k, labels), as R-precision is,
    P@k may grow by more, and so much is untestable."""
    for number in sheet.numbers.values():
        if _SHARE.fullmatch(number.cell.metric or "") and number.cell.unit in (None, "percent"):
            half = number.value.half_unit
            if not -half <= number.value.value <= 100 + half:
                text = f"{number.text} is not in 0..100"
                yield sheet.finding("bounds", "inconsistent", [number], text, _ALTERNATIVES)
    for profile in sheet.profiles:
        matches = {metric: PRECISION.fullmatch(metric) for metric in profile.numbers}
        by_k = {int(match["k"]): profile.numbers[metric] for metric, match in matches.items() if match}
        by_k, sound = dict(sorted(by_k.items())), len(by_k) > 1
        for (k1, first), (k2, second) in combinations(by_k.items(), 2):
            gained = k2 * second.value.value - k1 * first.value.value
            first_unit, second_unit = 2 * k1 * first.value.half_unit, 2 * k2 * second.value.half_unit
            slack = max((first_unit + second_unit) / 2, first_unit, second_unit)  # rounded, or both cut
            if -slack <= gained <= 100 * (k2 - k1) + slack:
                continue
            sound = False
            text = f"{k2} x {second.text} - {k1} x {first.text} = {decimal(gained)}, which must lie in "
            text += f"0 to {100 * (k2 - k1)} up to {decimal(slack)} of rounding or cutting"
            result: FindingResult = "inconsistent" if gained < 0 else "untestable"
            reasons = _ALTERNATIVES if gained < 0 else (OF_LABELS, *_ALTERNATIVES)
            yield sheet.finding("bounds", result, [first, second], text, reasons)
        if sound:
            shown = ", ".join(f"{k} x {number.text}" for k, number in by_k.items())
            text = f"hits grow with k by no more than one a place: {shown}"
            yield sheet.finding("bounds", "consistent", list(by_k.values()), text)


def recall(sheet: Sheet) -> Iterator[Finding]:
    """R@k is the share of a document's labels that are among its first k, and more places only add to these
    (Manning, Raghavan and Schuetze 2008, 8.4): it cannot fall with k. Only numbers that fall are reported."""
    for profile in sheet.profiles:
        by_k = {int(of[2:]): number for of, number in profile.numbers.items() if re.fullmatch("R@[0-9]+", of)}
        for (k1, first), (k2, second) in pairwise(sorted(by_k.items())):
            slack = 2 * max(first.value.half_unit, second.value.half_unit)  # rounded, or both cut
            if first.value.value - second.value.value > slack:
                text = f"R@{k1} = {first.text} and R@{k2} = {second.text}: a fall above {decimal(slack)}"
                reasons = ("R@k over min(k, labels) instead of over all labels", *_ALTERNATIVES)
                yield sheet.finding("recall", "inconsistent", [first, second], text, reasons)


def identity(sheet: Sheet) -> Iterator[Finding]:
    """nDCG@1 = P@1, and PSnDCG@1 = PSP@1: both are the share of documents whose first label is right. Where
    one of the two leaves out documents without labels, both have one ratio in all rows: only a row that other
    rows show to have another ratio is inconsistent."""
    rows = grouped(sheet.profiles, lambda profile: profile.program)
    for profile in sheet.profiles:
        for names in (("P@1", "nDCG@1"), ("PSP@1", "PSnDCG@1")):
            pair = profile.get(*names)
            if len(pair) != 2:
                continue
            result, reasons = _agree(*pair), [SLIP, LABEL_FREE, OTHER_DEFINITION]
            text = f"{names[0]} = {pair[0].text} and {names[1]} = {pair[1].text}, one number by definition: "
            text += _difference(*pair)
            by_family = {name.partition("@")[0]: of.value for name, of in zip(names, pair, strict=True)}
            over_all, labelled = sorted(by_family, key=lambda family: by_family[family].value)
            if result == "inconsistent":
                # the share of documents without labels by which the two are as far apart
                share = 1 - by_family[over_all].interval[1] / by_family[labelled].interval[0]
                if share <= left_out(rows[profile.program], over_all, labelled):
                    result, reasons = "untestable", [LABEL_FREE, OTHER_DEFINITION, SLIP]
                    shown = decimal(100 * share, 2)
                    text += f"; so do {shown}% of documents without labels, left out of one"
            yield sheet.finding("identity", result, pair, text, reasons)


def twice(sheet: Sheet) -> Iterator[Finding]:
    """The same metric of the same experiment, or the same statistic of a data set, printed in two places. A
    mean over runs and a single run are not the same number, nor are means over more and over fewer runs.
    Where single runs are not stated, the first thing to consider is that the experiment was run twice."""
    same = grouped(sheet.numbers.values(), _quantity)
    gaps = [
        (first, second)
        for what, numbers in same.items()
        for first, second in combinations(numbers, 2)
        if what and (first.table, first.text) != (second.table, second.text)
    ]
    places = grouped(gaps, lambda of: (of[0].cell.dataset, of[0].cell.experiment, of[0].table, of[1].table))
    for group in places.values():
        differing = all(_agree(*pair) == "inconsistent" for pair in group)
        all_differ = bool(differing and len(group) > 1 and group[0][0].cell.metric)
        for pairs in [group] if all_differ else [[pair] for pair in group]:
            yield _of_pairs(sheet, pairs, all_differ=all_differ)


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


def _of_pairs(sheet: Sheet, pairs: Sequence[tuple[Number, Number]], *, all_differ: bool) -> Finding:
    """Where all metrics of an experiment differ, it is hardly a slip; more likely it was run again."""
    first, second = pairs[0]
    names = [a.cell.metric or f"{a.cell.quantity} of {a.cell.dataset}" for a, _ in pairs]
    shown = "; ".join(
        f"{name} is {a.text} here and {b.text} there" for name, (a, b) in zip(names, pairs, strict=True)
    )
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
    return f"{apart(first, second)} apart, and rounding explains {allowed}{unless}"


# --------------------------------------------------------------------------- statistics of a data set

#: How much a printed mean may differ from the test documents' own before it says anything about these.
OTHER_DOCUMENTS = Fraction(1, 10)
#: Of the training documents at least so much is counted, whatever was held out for validation.
HELD_OUT = Fraction(1, 2)
#: Documents over which statistics may have been counted, the most usual first.
COUNTED_OVER = ("train", "train+test", "train+validation+test", "train+validation", "test", "validation")
_NEEDED = ("train", "labels", "labels_per_document", "documents_per_label")
_ONLY_OCCURRING = "only labels that occur are counted"
_OTHER_MEAN = "the mean is over other documents"
_PART = "only part of the training documents is counted; the rest is held out"


def statistics(sheet: Sheet) -> Iterator[Finding]:
    """Labels a document x documents = documents a label x labels, in each way in which papers count. Of
    whatever documents, and of all labels or those that occur: only beyond all of these a mean is wrong."""
    for dataset in sheet.datasets.values():
        printed = {name: sheet.statistic(dataset.id, name) for name in (*_NEEDED, "test", "validation")}
        values = {name: value for name, value in printed.items() if value}
        if not all(name in values and values[name].interval[0] > 0 for name in _NEEDED):
            continue
        train, labels, mean, documents = (values[name] for name in _NEEDED)
        fitting = readings(values)
        whole = [count.documents for count in fitting if count.labels == "all"]
        how = f"as counted over {' or '.join(whole)}" if whole else "no known count of all labels fits"
        given = decimal(mean.value * train.value / labels.value, 5)
        fewest = HELD_OUT * mean.interval[0] * train.value / labels.value
        impossible = not fitting and documents.interval[1] < fewest
        yield sheet.finding(
            "statistics",
            "consistent" if whole else "inconsistent" if impossible else "untestable",
            (),
            f"{mean.text} x {train.text} / {labels.text} = {given} documents a label, printed "
            f"{documents.text}: {how}",
            () if whole else (_ONLY_OCCURRING, _OTHER_MEAN, _PART, SLIP),
            subject=f"datasets.{dataset.id}",
        )


class Reading(NamedTuple):
    """One way in which both statistics may have been counted over the same documents."""

    documents: str  # One of `COUNTED_OVER`.
    labels: Literal["all", "occurring"]  # `occurring`: only those that these documents have.


def readings(values: Mapping[str, Printed]) -> tuple[Reading, ...]:
    """The readings that fit, given the rounding: those over all labels first. None of them: inconsistent. For
    N documents `all` needs labels_per_document N / documents_per_label to be the printed number of labels,
    and `occurring` that or less, which many wrong numbers meet. No statistic may be 0."""
    spans = {name: Interval(*value.interval) for name, value in values.items()}
    labels, whole, fewer = spans["labels"], [], []
    for name in COUNTED_OVER:
        parts = name.split("+")
        if set(parts) <= set(spans):
            documents = sum((spans[part] for part in parts[1:]), spans[parts[0]])
            needed = spans["labels_per_document"] * documents / spans["documents_per_label"]
            if needed.low <= labels.high and labels.low <= needed.high:
                whole.append(Reading(name, "all"))
            if needed.high < labels.low:
                fewer.append(Reading(name, "occurring"))
    return (*whole, *fewer)


def above_labels(sheet: Sheet) -> Iterator[Finding]:
    """P@k <= 100 x mean labels / k: more hits than labels there cannot be. Only numbers above are reported.
    The mean is seldom that of the test documents: these are allowed a tenth more, and what chance adds to so
    few once in millions of test sets, five standard errors. A count of 0 to k with mean m has a variance of m
    (k - m) at most (Bhatia and Davis 2000); where m is near 0 or k, that of half a label is taken."""
    for number in sheet.numbers.values():
        match = PRECISION.fullmatch(number.cell.metric or "")
        mean = sheet.statistic(number.cell.dataset, "labels_per_document")
        documents = sheet.test_count(number.cell.dataset)
        if not (match and mean and documents and number.cell.unit in (None, "percent")):
            continue
        k = int(match["k"])
        cap = min(Fraction(100), 100 * mean.interval[1] / k)
        cut = 100 * mean.half_unit / k  # the mean may be cut off after its last digit instead of rounded
        m = min(max(float(mean.value), 0.5), k - 0.5)
        by_chance = Fraction(5 * math.sqrt(m * (k - m) / int(documents.value)) * 100 / k)
        most = (cap + cut) * (1 + OTHER_DOCUMENTS) + by_chance
        if number.value.interval[0] > most:
            each = decimal(k * number.value.value / 100, 4)
            text = f"{number.text} of the first {k} labels are right: {each} a document, which has "
            text += f"{mean.text} labels on average"
            yield sheet.finding("label_caps", "inconsistent", [number], text, (_OTHER_MEAN, SLIP))


# --------------------------------------------------------------------------- average ranks

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
        first, ties = behind
        if value is not None:
            first, ties = Fraction(above.index(value)), Fraction(above.count(value))
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
    """Least and greatest mean rank of each method, whatever the digits behind the printed ones were."""
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


def rank_readings(lines: Sequence[Line], reported: Line) -> tuple[RankReading, ...]:
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


_UNROUNDED = "ranks computed before rounding, from digits that the table does not show"
_OTHER_LINES = "ranks over lines that are not those of the table"


def average_rank(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each row (or column) of printed average ranks. Consistent if one rule for ties and
    missing numbers gives all of them, over all lines of the table or those of one metric or one data set;
    inconsistent only where no rule does, nor any order of numbers that may have been told apart before
    rounding."""
    averages = [number for number in sheet.numbers.values() if number.cell.quantity == "average_rank"]
    for of, along in (("row", "column"), ("column", "row")):  # methods are columns, or rows
        for numbers in grouped(averages, attrgetter("table", of)).values():
            if len(numbers) > 1:
                yield from _of_ranks(sheet, numbers, along)


def _of_ranks(sheet: Sheet, numbers: Sequence[Number], along: str) -> Iterator[Finding]:
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
        rules = dict.fromkeys(it.rule for it in rank_readings(part, reported) if not it.misfits)
        if rules:
            text = f"{shown} over {len(part)} lines: as ranked with ties by the rule {' or '.join(rules)}"
            yield sheet.finding("average_rank", "consistent", numbers, text, subject=subject)
            return
    closest = min(rank_readings(parts[0], reported), key=lambda reading: len(reading.misfits))
    given = ", ".join("-" if rank is None else decimal(rank, 4) for rank in closest.averages)
    text = f"printed are {shown}, averages over {len(parts[0])} lines; the table's own numbers give {given} "
    text += f"(ties: {closest.rule})"
    wrong = all_ranked and all(impossible(part, reported) for part in parts)
    yield sheet.finding(
        "average_rank",
        "inconsistent" if wrong else "untestable",
        [numbers[place] for place in impossible(parts[0], reported)] or numbers,
        text,
        (SLIP, _UNROUNDED, _OTHER_LINES),
        subject=subject,
    )
