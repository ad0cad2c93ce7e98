"""Printed statistics of a data set against each other, and against the scores that they allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.checks.identities import PRECISION
from audit.checks.tables import SLIP, Sheet, decimal
from audit.expression.interval import Interval
from audit.record import DatasetRecord, Finding
from audit.stats.printed import Printed

#: How much a printed mean may differ from the test documents' own before it says anything about these.
OTHER_DOCUMENTS = Fraction(1, 10)
#: Of the training documents at least so much is counted, whatever was held out for validation.
HELD_OUT = Fraction(1, 2)
#: That only the labels that occur are counted explains a mean if so large a part of them need occur.
MOST = Fraction(1, 2)
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
        if all(name in values and values[name].interval[0] > 0 for name in _NEEDED):
            yield _balance(sheet, dataset, values)


def _balance(sheet: Sheet, dataset: DatasetRecord, values: Mapping[str, Printed]) -> Finding:
    train, labels, mean, documents = (values[name] for name in _NEEDED)
    fitting = readings(values)
    whole = [count.documents for count in fitting if count.labels == "all"]
    most = [
        count
        for count in fitting
        if count.labels == "occurring" and count.labels_needed.high >= MOST * labels.value
    ]
    text = (
        f"{mean.text} x {train.text} / {labels.text} = {decimal(mean.value * train.value / labels.value, 5)} "
    )
    text += f"documents a label, printed {documents.text}: "
    if whole:
        text += f"as counted over {' or '.join(whole)}"
    elif most:
        needed = f"{int(most[0].labels_needed.high):,} of {labels.text}"
        text += f"as counted over {most[0].documents} and only the labels that occur there ({needed})"
    else:
        text += "no known count gives it"
    fewest = HELD_OUT * mean.interval[0] * train.value / labels.value
    impossible = not fitting and documents.interval[1] < fewest
    return sheet.finding(
        "statistics",
        "consistent" if whole else "inconsistent" if impossible else "untestable",
        (),
        text,
        () if whole else (_ONLY_OCCURRING, _OTHER_MEAN, _PART, SLIP),
        subject=f"datasets.{dataset.id}",
    )


@dataclass(frozen=True)
class Reading:
    """One way in which both statistics may have been counted over the same documents."""

    documents: str  # One of `COUNTED_OVER`.
    labels: Literal["all", "occurring"]
    """`occurring`: only the labels that these documents have, which may be fewer than printed."""
    labels_needed: Interval  # For how many labels the two statistics go together.


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
                whole.append(Reading(name, "all", needed))
            if needed.high < labels.low:
                fewer.append(Reading(name, "occurring", needed))
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
            text = (
                f"{number.text} of the first {k} labels are right: {each} a document, which has {mean.text} "
            )
            text += "labels on average"
            yield sheet.finding("label_caps", "inconsistent", [number], text, (_OTHER_MEAN, SLIP))


def _by_chance(mean: Printed, k: int, documents: int) -> Fraction:
    """Points of P@k that chance adds once in millions of test sets: five standard errors.

    A count between 0 and k with mean m has a variance of m (k - m) at most, for which all counts are 0 or k
    (Bhatia and Davis 2000); where m is near 0 or k, that of half a label is taken, which is more.
    """
    m = min(max(float(mean.value), 0.5), k - 0.5)
    return Fraction(5 * math.sqrt(m * (k - m) / documents) * 100 / k)
