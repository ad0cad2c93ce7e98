"""Printed statistics of a data set against each other.

Labels per document x documents = documents per label x labels: both sides count the pairs of a document and
one of its labels. Papers seldom say over which documents, and whether labels that never occur count; so each
reading is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from audit.expression.interval import Interval
from audit.stats.printed import Printed

Documents = Literal["train", "test", "validation", "train+test", "train+validation", "train+validation+test"]
"""Over which documents the statistics may have been counted, most usual first as in `readings`."""
Labels = Literal["all", "occurring"]


@dataclass(frozen=True)
class Reading:
    """One way in which both statistics may have been counted over the same documents."""

    documents: Documents
    labels: Labels
    """`occurring`: only the labels that these documents have, which may be fewer than printed."""
    documents_per_label: Interval
    """As the other numbers imply for all printed labels."""
    labels_needed: Interval
    """For how many labels the two statistics go together."""


def readings(
    *,
    labels_per_document: Printed,
    documents_per_label: Printed,
    labels: Printed,
    train: Printed,
    test: Printed | None = None,
    validation: Printed | None = None,
) -> tuple[Reading, ...]:
    """The readings that fit, given the rounding: those over all labels first. None of them: inconsistent.

    For N documents the reading `all` needs L' = labels_per_document N / documents_per_label to be the printed
    number of labels, and `occurring` only needs L' <= L. Many wrong numbers meet that, too, so what rests on
    `occurring` alone says little. Raises ValueError for a statistic that can be 0.
    """
    if min(it.interval[0] for it in (labels_per_document, documents_per_label, labels)) <= 0:
        raise ValueError("labels per document, documents per label and labels must be above 0")
    per_document, per_label, L = (
        Interval(*it.interval) for it in (labels_per_document, documents_per_label, labels)
    )
    found = []
    for name, count in _counts(train, test, validation):
        pairs = per_document * count
        found.append((name, pairs / L, pairs / per_label))
    whole = [Reading(name, "all", d, needed) for name, d, needed in found if _meet(needed, L)]
    fewer = [Reading(name, "occurring", d, needed) for name, d, needed in found if needed.high < L.low]
    return (*whole, *fewer)


def _counts(
    train: Printed, test: Printed | None, validation: Printed | None
) -> Iterator[tuple[Documents, Interval]]:
    """Each set of documents that the printed sizes make up."""
    sets: list[tuple[Documents, list[Printed | None]]] = [
        ("train", [train]),
        ("train+test", [train, test]),
        ("train+validation+test", [train, validation, test]),
        ("train+validation", [train, validation]),
        ("test", [test]),
        ("validation", [validation]),
    ]
    for name, parts in sets:
        held = [Interval(*part.interval) for part in parts if part is not None]
        if len(held) == len(parts):
            yield name, sum(held[1:], held[0])


def _meet(a: Interval, b: Interval) -> bool:
    return a.low <= b.high and b.low <= a.high
