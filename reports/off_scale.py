"""Which readings would squeeze all others into one place if the axis had to hold them.

A reading at 10 among fifteen at 58 to 67 takes four fifths of an axis for itself, and hides what the others
differ in. It is not left out: the plot marks it at its edge, with its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from reports.figures import Bounds

#: Fewer readings are too few to say which of them stands apart.
_FEWEST = 5
#: At most one in so many stands outside; more are a group of their own, which belongs on the axis.
_ONE_IN = 5
#: So many times shorter must the axis become.
_SHORTER = 2


def set_aside(extents: Sequence[Bounds], fixed: Sequence[float] = ()) -> frozenset[int]:
    """By place, the fewest readings without which the axis is at most half as long; none if it takes many.

    `extents` are from the lowest to the highest number of each reading; `fixed` is on the axis in any case.

    >>> set_aside([(58, 60), (61, 63), (9, 12), (62, 64), (63, 66)])
    frozenset({2})
    """
    full = _length(extents, fixed)
    most = len(extents) // _ONE_IN if len(extents) >= _FEWEST else 0
    for number in range(1, most + 1):
        tried = [(_length(_without(extents, it), fixed), sorted(it)) for it in _extremes(extents, number)]
        shortest, places = min(tried)
        if 0 < full >= _SHORTER * shortest:
            return frozenset(places)
    return frozenset()


def _extremes(extents: Sequence[Bounds], number: int) -> Iterator[frozenset[int]]:
    """So many readings that reach lowest or highest, in every share of the two."""
    lowest = sorted(range(len(extents)), key=lambda k: extents[k][0])
    for below in range(number + 1):
        taken = lowest[:below]
        rest = sorted(set(lowest) - set(taken), key=lambda k: (-extents[k][1], k))
        yield frozenset([*taken, *rest[: number - below]])


def _without(extents: Sequence[Bounds], places: frozenset[int]) -> list[Bounds]:
    return [it for k, it in enumerate(extents) if k not in places]


def _length(extents: Sequence[Bounds], fixed: Sequence[float]) -> float:
    numbers = [*chain.from_iterable(extents), *fixed]
    return max(numbers) - min(numbers)
