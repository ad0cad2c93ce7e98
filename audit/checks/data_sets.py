"""Printed statistics of a data set against each other, and against the scores that they allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.record import DatasetRecord, Finding
from audit.stats.printed import Printed, printed

#: How much a printed mean may differ from the test documents' own before it says anything about these.
OTHER_DOCUMENTS = Fraction(1, 10)

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
            name: printed(dataset.printed[name])
            for name in ("train", "test", "labels", "labels_per_document", "documents_per_label")
            if name in dataset.printed
        }
        if {"train", "labels", "labels_per_document", "documents_per_label"} <= set(values):
            yield _balance(sheet, dataset, values)


def _balance(sheet: Sheet, dataset: DatasetRecord, values: dict[str, Printed]) -> Finding:
    mean, labels, documents = (values[it] for it in ("labels_per_document", "labels", "documents_per_label"))
    train, test = values["train"].value, values["test"].value if "test" in values else Fraction(0)
    readings = {
        "training documents": train,
        "all documents": train + test,
        "test documents": test,
        "three quarters of the training documents": train * Fraction(3, 4),
        "four fifths of the training documents": train * Fraction(4, 5),
    }
    low, high = documents.interval
    fitting = [
        name
        for name, count in readings.items()
        if mean.interval[0] * count <= high * labels.value and low * labels.value <= mean.interval[1] * count
    ]
    implied = mean.value * train / labels.value
    text = (
        f"{mean.text} x {values['train'].text} / {labels.text} = {decimal(implied, 5)} documents a label, "
        f"printed {documents.text}"
    )
    if fitting:
        text += f": as counted over {' or '.join(fitting)}"
    fewest = mean.interval[0] * train / 2 / labels.value
    impossible = high < fewest
    return finding(
        sheet,
        "statistics",
        "consistent" if fitting else "inconsistent" if impossible else "untestable",
        (),
        text,
        alternatives=() if fitting else (_ONLY_OCCURRING, _OTHER_MEAN, _PART, SLIP),
        subject=f"datasets.{dataset.id}",
    )


def label_caps(sheet: Sheet) -> Iterator[Finding]:
    """P@k <= 100 x mean labels / k: more hits than labels there cannot be. Only numbers near it are reported.

    From the mean alone that is all that holds; a histogram of label counts would give
    100 x mean(min(k, labels)) / k (`cap`).
    """
    for number in sheet.numbers.values():
        match = _PRECISION.fullmatch(number.cell.metric or "")
        mean = sheet.statistic(number.cell.dataset, "labels_per_document")
        if match and mean is not None and number.cell.unit in (None, "percent"):
            yield from _against_mean(sheet, number, int(match["k"]), mean)


def _against_mean(sheet: Sheet, number: Number, k: int, mean: Printed) -> Iterator[Finding]:
    most = 100 * mean.interval[1] * (1 + OTHER_DOCUMENTS) / k
    least = number.value.interval[0]
    if least <= most:
        return
    text = (
        f"{number.text} of the first {k} labels are right: {decimal(k * number.value.value / 100, 4)} a "
        f"document, which has {mean.text} labels on average"
    )
    yield finding(sheet, "label_caps", "inconsistent", [number], text, alternatives=(_OTHER_MEAN, SLIP))


def cap(shares: dict[int, Fraction], k: int) -> Fraction:
    """The greatest P@k, in percent, of documents of which the share `shares[c]` has c labels."""
    return 100 * sum((share * min(k, count) for count, share in shares.items()), Fraction(0)) / k
