"""Bins and bars, by hand."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from reimpl.data.histogram import Bin, bars, by_powers_of_two

BINNED = [
    ([], []),
    ([0, 0], [(0, 0, 2)]),
    ([1], [(1, 1, 1)]),
    ([0, 2, 3, 4], [(0, 0, 1), (1, 1, 0), (2, 3, 2), (4, 7, 1)]),
    ([7, 8, 15, 16], [(4, 7, 1), (8, 15, 2), (16, 31, 1)]),
]


@pytest.mark.parametrize(("values", "bins"), BINNED, ids=[str(case[0]) for case in BINNED])
def test_bins_start_at_powers_of_two(values: list[int], bins: list[tuple[int, int, int]]) -> None:
    """From the smallest value's bin to the largest one's."""
    assert [astuple(it) for it in by_powers_of_two(values)] == bins


def test_bars_are_as_long_as_their_counts() -> None:
    """80 of width 10 is full, 40 half; 13 of 80 is 13 eighths of a cell; 1 of 1,000,000 still shows."""
    lines = list(bars([Bin(1, 1, 80), Bin(2, 3, 40), Bin(4, 7, 13), Bin(8, 15, 0)], width=10))
    assert lines == ["   1  ██████████ 80", " 2-3  █████ 40", " 4-7  █▋ 13", "8-15  0"]
    assert list(bars([Bin(0, 0, 1), Bin(1, 1, 1_000_000)], width=2)) == ["0  ▏ 1", "1  ██ 1,000,000"]


def test_nothing_has_no_bars() -> None:
    assert list(bars([])) == []
    assert list(bars([Bin(3, 3, 0)])) == ["3  0"]
