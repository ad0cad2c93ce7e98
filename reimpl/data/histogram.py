"""Counts by powers of two, and bars of them in plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

#: Eighths of a character cell, from one to eight.
_EIGHTHS = "▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Bin:
    """How many values lie from `low` to `high`, both included."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        """`4-7`, or `0` for a bin of one value."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}-{self.high:,}"


def by_powers_of_two(values: Iterable[int]) -> tuple[Bin, ...]:
    """Bins 0, 1, 2-3, 4-7, ... from the smallest value to the largest, empty ones between included.

    >>> [(bin.label, bin.count) for bin in by_powers_of_two([1, 5, 6])]
    [('1', 1), ('2-3', 0), ('4-7', 2)]
    """
    # the number of binary digits names the bin: 0 for 0, 1 for 1, 2 for 2 and 3, ...
    counts = Counter(value.bit_length() for value in values)
    if not counts:
        return ()
    return tuple(
        Bin(1 << (bits - 1) if bits else 0, (1 << bits) - 1 if bits else 0, counts[bits])
        for bits in range(min(counts), max(counts) + 1)
    )


def bars(bins: Sequence[Bin], *, width: int = 40) -> Iterator[str]:
    """A line a bin; the fullest bin is `width` cells long, and what is not empty is never without a bar."""
    most = max((it.count for it in bins), default=0)
    wide = max((len(it.label) for it in bins), default=0)
    for it in bins:
        eighths = -(-it.count * width * 8 // most) if most else 0  # rounded up
        bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
        yield f"{it.label:>{wide}}  {bar} {it.count:,}" if it.count else f"{it.label:>{wide}}  0"
