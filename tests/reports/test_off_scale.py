"""Readings that would squeeze the others: found where one stands far out, and only there."""

from __future__ import annotations

import pytest

from reports.off_scale import set_aside

Extents = list[tuple[float, float]]


def at(*values: float, half: float = 2.0) -> Extents:
    return [(value - half, value + half) for value in values]


@pytest.mark.parametrize(
    ("extents", "fixed", "places"),
    [
        # fifteen readings of which one came to 10.3: without it the axis goes from 45.7 to 69
        (at(62, 67, 64, 59, 63, 61, 62, 62, 47.7, 49.7, 10.3, 65, 61, 61, 59), [69.26], {10}),
        (at(62, 67, 64, 59, 63, 61, 62, 62, 61, 110, 60, 65, 61, 61, 59), [], {9}),
        # one to each side
        (at(60, 61, 62, 63, 64, 10, 61, 62, 110, 61), [], {5, 8}),
        # two beside each other: neither alone makes the axis shorter
        (at(60, 61, 62, 63, 64, 10, 61, 62, 11, 61), [], {5, 8}),
        # its mean is in the midst, but its interval reaches far
        ([*at(60, 61, 62, 63), (0.0, 120.0)], [], {4}),
        # spread evenly: the axis is theirs
        (at(10, 20, 30, 40, 50, 60, 70, 80, 90, 100), [], set()),
        # two groups
        (at(10, 11, 12, 60, 61, 62), [], set()),
        (at(0, 10, 10, 10, 10, half=0), [], {0}),
        # too few to say
        (at(10, 60, 61, 62), [], set()),
        # what is printed lies far out as well, and stays
        (at(60, 61, 62, 63, 12), [10.0], set()),
        (at(60, 60, 60, 60, 60, half=0), [], set()),
        ([(1.0, 1.0)], [], set()),
    ],
)
def test_who_is_set_aside(extents: Extents, fixed: list[float], places: set[int]) -> None:
    assert set_aside(extents, fixed) == places
