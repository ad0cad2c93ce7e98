"""Numbers of one paper against each other: bounds, identities, what is printed twice, data set statistics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple, get_args

from audit.checks.tables import (
    LABEL_FREE,
    OF_LABELS,
    OTHER_DEFINITION,
    SLIP,
    Number,
    Sheet,
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
        by_k, sound = dict(sorted(by_k.items())), len(by_k) > 1
        for (k1, first), (k2, second) in combinations(by_k.items(), 2):
            gained = k2 * second.value.value - k1 * first.value.value
            first_unit, second_unit = 2 * k1 * first.value.half_unit, 2 * k2 * second.value.half_unit
            slack = max((first_unit + second_unit) / 2, first_unit, second_unit)  # rounded, or both cut
            if -slack <= gained <= 100 * (k2 - k1) + slack:
                continue
            sound = False
            text = f"{k2} x {second.text} - {k1} x {first.text} = {decimal(gained)}, which must lie in "
            text += f"0..{100 * (k2 - k1)} up to {decimal(slack)} of rounding or cutting"
            result: FindingResult = "inconsistent" if gained < 0 else "untestable"
            reasons = _ALTERNATIVES if gained < 0 else (OF_LABELS, *_ALTERNATIVES)
            yield sheet.finding("bounds", result, [first, second], text, reasons)
        if sound:
            shown = ", ".join(f"{k} x {number.text}" for k, number in by_k.items())
            text = f"hits grow with k by no more than one a place: {shown}"
            yield sheet.finding("bounds", "consistent", list(by_k.values()), text)


def identity(sheet: Sheet) -> Iterator[Finding]:
    """nDCG@1 = P@1, and PSnDCG@1 = PSP@1: both are the share of documents whose first label is right.

    So wherever documents without labels count 0 in both, as in pyxclib, or do not exist. Where one of the
    two leaves them out, both have one ratio in all rows: only a row that other rows show to have another
    ratio is inconsistent.
    """
    rows = grouped(sheet.profiles, lambda profile: profile.program)
    for profile in sheet.profiles:
        for names in (("P@1", "nDCG@1"), ("PSP@1", "PSnDCG@1")):
            pair = profile.get(*names)
            if len(pair) != 2:
                continue
            result, reasons = _agree(*pair), [SLIP, LABEL_FREE, OTHER_DEFINITION]
            text = f"{names[0]} = {pair[0].text} and {names[1]} = {pair[1].text}: {_difference(*pair)}"
            by_family = {name.partition("@")[0]: of.value for name, of in zip(names, pair, strict=True)}
            over_all, labelled = sorted(by_family, key=lambda family: by_family[family].value)
            if result == "inconsistent":
                # the share of documents without labels by which the two are as far apart
                share = 1 - by_family[over_all].interval[1] / by_family[labelled].interval[0]
                if share <= left_out(rows[profile.program], over_all, labelled):
                    result, reasons = "untestable", [LABEL_FREE, OTHER_DEFINITION, SLIP]
                    shown = decimal(100 * share, 2)
                    text += f"; so do {shown} % of documents without labels, left out of one"
            yield sheet.finding("identity", result, pair, text, reasons)


def twice(sheet: Sheet) -> Iterator[Finding]:
    """The same metric of the same experiment, or the same statistic of a data set, printed in two places.

    A mean over runs and a single run are not the same number, nor are means over more and over fewer runs.
    Where single runs are not stated, the first thing to consider is that the experiment was run twice.
    """
    same = grouped(sheet.numbers.values(), _quantity)
    different = [
        (first, second)
        for what, numbers in same.items()
        for first, second in combinations(numbers, 2)
        if what and (first.table, first.text) != (second.table, second.text)
    ]
    places = grouped(
        different, lambda of: (of[0].cell.dataset, of[0].cell.experiment, of[0].table, of[1].table)
    )
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


# --------------------------------------------------------------------------- statistics of a data set

#: How much a printed mean may differ from the test documents' own before it says anything about these.
OTHER_DOCUMENTS = Fraction(1, 10)
#: Of the training documents at least so much is counted, whatever was held out for validation.
HELD_OUT = Fraction(1, 2)
#: Documents over which statistics may have been counted, the most usual first.
COUNTED_OVER = ("train", "train+test", "train+validation+test", "train+validation", "test", "validation")
_NEEDED = ("train", "labels", "labels_per_document", "documents_per_label")
_ONLY_OCCURRING = "only the labels that occur are counted"
_OTHER_MEAN = "the mean was taken over other documents"
_PART = "only a part of the training documents is counted, the rest being held out"


def statistics(sheet: Sheet) -> Iterator[Finding]:
    """Labels a document x documents = documents a label x labels, in each way in which papers count.

    Documents may be the training ones, all of them, or those that validation leaves; labels all, or only
    those that occur. So a printed mean is out of place only beyond all of these.
    """
    for dataset in sheet.datasets.values():
        printed = {name: sheet.statistic(dataset.id, name) for name in (*_NEEDED, "test", "validation")}
        values = {name: value for name, value in printed.items() if value}
        if not all(name in values and values[name].interval[0] > 0 for name in _NEEDED):
            continue
        train, labels, mean, documents = (values[name] for name in _NEEDED)
        fitting = readings(values)
        whole = [count.documents for count in fitting if count.labels == "all"]
        how = f"as counted over {' or '.join(whole)}" if whole else "no known count of all labels gives it"
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
    """The readings that fit, given the rounding: those over all labels first. None of them: inconsistent.

    For N documents the reading `all` needs L' = labels_per_document N / documents_per_label to be the printed
    number of labels, and `occurring` only needs L' <= L. Many wrong numbers meet that, too, so what rests on
    `occurring` alone says little. No statistic may be 0.
    """
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

    mean(min(k, labels)) <= min(k, mean) is all that holds for every distribution. The mean is seldom that of
    the test documents: these are allowed a tenth more, and what chance can do to so few (`_by_chance`).
    """
    for number in sheet.numbers.values():
        match = PRECISION.fullmatch(number.cell.metric or "")
        mean = sheet.statistic(number.cell.dataset, "labels_per_document")
        documents = sheet.test_count(number.cell.dataset)
        if not (match and mean and documents and number.cell.unit in (None, "percent")):
            continue
        k = int(match["k"])
        cap = min(Fraction(100), 100 * mean.interval[1] / k)
        cut = 100 * mean.half_unit / k  # the mean may be cut off after its last digit instead of rounded
        most = (cap + cut) * (1 + OTHER_DOCUMENTS) + _by_chance(mean, k, int(documents.value))
        if number.value.interval[0] > most:
            each = decimal(k * number.value.value / 100, 4)
            text = f"{number.text} of the first {k} labels are right: {each} a document, which has "
            text += f"{mean.text} labels on average"
            yield sheet.finding("label_caps", "inconsistent", [number], text, (_OTHER_MEAN, SLIP))


def _by_chance(mean: Printed, k: int, documents: int) -> Fraction:
    """Points of P@k that chance adds once in millions of test sets: five standard errors.

    A count between 0 and k with mean m has a variance of m (k - m) at most, for which all counts are 0 or k
    (Bhatia and Davis 2000); where m is near 0 or k, that of half a label is taken, which is more.
    """
    m = min(max(float(mean.value), 0.5), k - 0.5)
    return Fraction(5 * math.sqrt(m * (k - m) / documents) * 100 / k)
