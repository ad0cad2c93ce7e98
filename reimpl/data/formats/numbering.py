"""Whether ids count from 0 or from 1: what the caller states, or what the ids themselves prove.

Nothing is guessed. An id 0 proves counting from 0, an id equal to the size in the header counting from 1;
when neither occurs both readings fit, and the reader asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from reimpl.data.dataset import IntArray, offsets_of
from reimpl.data.formats.bow import BowSplit
from reimpl.data.formats.rows import Rows
from reimpl.errors import DataError

Base: TypeAlias = Literal[0, 1]


@dataclass(frozen=True)
class Numbered:
    """Ids of one kind in one corpus."""

    what: str
    """`feature` or `label`."""
    first: Base
    size: int
    """D or L."""
    note: str | None
    """How `first` is known, when nobody stated it."""


def numbered(
    where: str, what: str, ids: Mapping[str, IntArray], *, size: int | None, stated: Base | None
) -> Numbered:
    """What the ids of all splits count from.

    `size` is D or L when a header gives it. Raises `DataError` when both readings fit and none is stated (it
    names the option), or when an id fits none or contradicts what is stated.
    """
    lowest = min((int(it.min()) for it in ids.values() if len(it)), default=None)
    highest = max((int(it.max()) for it in ids.values() if len(it)), default=-1)
    option = f"{what}s_from"
    if stated == 1 and lowest == 0:
        raise DataError(f"{where}: {what} id 0 occurs, but {option}=1 is stated; state {option}=0")
    first, note = _first(what, lowest, highest, size, stated)
    if first is None and size is not None and highest > size:
        raise DataError(
            f"{where}: {what} id {highest}, but {size} {what}s in the header; is it the right file?"
        )
    if first is None:
        raise DataError(
            f"{where}: the {what} ids run from {lowest} to {highest}, which fits counting from 0 and from 1; "
            f"state {option}=0 or {option}=1"
        )
    if size is not None and highest - first >= size:
        raise DataError(
            f"{where}: {what} id {highest}, counted from {first}, but {size} {what}s in the header; "
            f"is it the right file, and {option} right?"
        )
    return Numbered(what, first, highest + 1 - first if size is None else size, note)


def _first(
    what: str, lowest: int | None, highest: int, size: int | None, stated: Base | None
) -> tuple[Base | None, str | None]:
    if stated is not None:
        return stated, None
    if lowest is None:
        return 0, None
    if lowest == 0:
        return 0, f"{what} ids count from 0: id 0 occurs."
    if highest == size:
        return 1, f"{what} ids count from 1: the header says {size} and id {size} occurs."
    return None, None


def split_of(rows: Rows, features: Numbered, labels: Numbered) -> tuple[BowSplit, dict[str, int]]:
    """The split with ids from 0 and without zero values; and how often something was left out."""
    indices, values, lengths = rows.indices - np.int32(features.first), rows.values, rows.lengths
    some = values != 0
    if not some.all():
        document = np.repeat(np.arange(rows.size), lengths)[~some]
        lengths = lengths - np.bincount(document, minlength=rows.size)
        indices, values = indices[some], values[some]
    split = BowSplit(
        indices,
        values,
        offsets_of(lengths),
        rows.labels - np.int32(labels.first),
        offsets_of(rows.label_lengths),
    )
    return split, {"zero_values": len(rows.values) - len(values), "repeated_labels": rows.repeated}
