"""Printed statistics of a data set against each other, and against the scores that they allow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction

from audit.checks.data_statistics import readings
from audit.checks.finding import SLIP, decimal, finding
from audit.checks.label_caps import cap_from_mean, exceeds
from audit.checks.sheet import Number, Sheet
from audit.record import DatasetRecord, Finding
from audit.stats.printed import Printed

#: How much a printed mean may differ from the test documents' own before it says anything about these.
OTHER_DOCUMENTS = Fraction(1, 10)

#: Of the training documents at least so much is counted, whatever was held out for validation.
HELD_OUT = Fraction(1, 2)

#: That only the labels that occur are counted explains a mean if so large a part of them need occur.
MOST = Fraction(1, 2)

_PRECISION = re.compile(r"P@(?P<k>[0-9]+)")
_ONLY_OCCURRING = "only the labels that occur are counted"
_OTHER_MEAN = "the mean was taken over other documents"
_PART = "only a part of the training documents is counted, the rest being held out"


def statistics(sheet: Sheet) -> Iterator[Finding]:
    """Labels a document x documents = documents a label x labels, in each way in which papers count.

    Documents may be the training ones, all of them, or those that validation leaves; labels all, or only
    those that occur. So a printed mean is out of place only beyond all of these.
    """
    for dataset in sheet.datasets.values():
        values = {
            name: value
            for name in (
                "train",
                "test",
                "validation",
                "labels",
                "labels_per_document",
                "documents_per_label",
            )
            if (value := sheet.statistic(dataset.id, name))
        }
        needed = {"train", "labels", "labels_per_document", "documents_per_label"}
        if needed <= set(values) and all(values[name].interval[0] > 0 for name in needed):
            yield _balance(sheet, dataset, values)


def _balance(sheet: Sheet, dataset: DatasetRecord, values: dict[str, Printed]) -> Finding:
    mean, labels, documents, train = (
        values[it] for it in ("labels_per_document", "labels", "documents_per_label", "train")
    )
    fitting = readings(
        labels_per_document=mean,
        documents_per_label=documents,
        labels=labels,
        train=train,
        test=values.get("test"),
        validation=values.get("validation"),
    )
    whole = [it.documents for it in fitting if it.labels == "all"]
    most = [it for it in fitting if it.labels == "occurring" and it.labels_needed.high >= MOST * labels.value]
    text = (
        f"{mean.text} x {train.text} / {labels.text} = "
        f"{decimal(mean.value * train.value / labels.value, 5)} documents a label, printed {documents.text}"
    )
    if whole:
        text += f": as counted over {' or '.join(whole)}"
    elif most:
        needed = f"{int(most[0].labels_needed.high):,} of {labels.text}"
        text += f": as counted over {most[0].documents} and only the labels that occur there ({needed})"
    else:
        text += ": no way of counting that is known gives it"
    fewest = HELD_OUT * mean.interval[0] * train.value / labels.value
    impossible = not fitting and documents.interval[1] < fewest
    return finding(
        sheet,
        "statistics",
        "consistent" if whole else "inconsistent" if impossible else "untestable",
        (),
        text,
        alternatives=() if whole else (_ONLY_OCCURRING, _OTHER_MEAN, _PART, SLIP),
        subject=f"datasets.{dataset.id}",
    )


def above_labels(sheet: Sheet) -> Iterator[Finding]:
    """P@k <= 100 x mean labels / k: more hits than labels there cannot be. Only numbers above are reported.

    From the mean alone that is all that holds; a histogram of label counts would give
    100 x mean(min(k, labels)) / k (`audit.checks.label_caps`). The mean is seldom that of the test documents:
    these are allowed a tenth more, and what chance can do to so few (`_by_chance`).
    """
    for number in sheet.numbers.values():
        match = _PRECISION.fullmatch(number.cell.metric or "")
        mean = sheet.statistic(number.cell.dataset, "labels_per_document")
        documents = sheet.test_size(number.cell.dataset)
        if match and mean is not None and documents and number.cell.unit in (None, "percent"):
            yield from _against_mean(sheet, number, int(match["k"]), mean, documents)


def _against_mean(sheet: Sheet, number: Number, k: int, mean: Printed, documents: int) -> Iterator[Finding]:
    cut = 100 * mean.half_unit / k  # the mean may be cut off after its last digit instead of rounded
    most = (cap_from_mean(mean, k) + cut) * (1 + OTHER_DOCUMENTS) + _by_chance(mean, k, documents)
    if not exceeds(number.value, most):
        return
    text = (
        f"{number.text} of the first {k} labels are right: {decimal(k * number.value.value / 100, 4)} a "
        f"document, which has {mean.text} labels on average"
    )
    yield finding(sheet, "label_caps", "inconsistent", [number], text, alternatives=(_OTHER_MEAN, SLIP))


def _by_chance(mean: Printed, k: int, documents: int) -> Fraction:
    """Points of P@k that chance adds once in millions of test sets: five standard errors.

    A count between 0 and k with mean m has a variance of m (k - m) at most, for which all counts are 0 or k
    (Bhatia and Davis 2000); where m is near 0 or k, that of half a label is taken, which is more.
    """
    m = min(max(float(mean.value), 0.5), k - 0.5)
    return Fraction(5 * math.sqrt(m * (k - m) / documents) * 100 / k)
