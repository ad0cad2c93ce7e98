"""Whether two printed numbers can be one number."""

from __future__ import annotations

from fractions import Fraction

from audit.stats.printed import Printed


def meet(first: Printed, second: Printed) -> bool:
    """Whether some number is printed as both: 83.6 and 83.60 can be one number, 56.11 and 56.21 cannot.

    For the same method, metric and data set in two places; for P@1 and nDCG@1 of one row, which are both the
    share of documents whose first label is right.
    """
    (low1, high1), (low2, high2) = first.interval, second.interval
    return low1 <= high2 and low2 <= high1


def cut(first: Printed, second: Printed) -> bool:
    """Whether the one with fewer digits is the other, cut off: 76.3 and 76.38."""
    coarse, fine = sorted((first, second), key=lambda it: it.decimals)
    return 0 <= fine.value - coarse.value < 2 * coarse.half_unit


def same_count(first: Printed, second: Printed) -> bool:
    """Whether two counts may be one: 3,000 may be 2,987 rounded, and 3,866 is not 3,865."""
    rounded = min(first.decimals, second.decimals) < 0
    return first.value == second.value or (rounded and meet(first, second))


def apart(first: Printed, second: Printed) -> Fraction:
    """How far apart the printed values are, without sign."""
    return abs(first.value - second.value)
