"""Exact numbers as text, in a reader's precision; rounding never moves one across another."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

#: From here on a number that is not whole is written as a power of ten.
_LARGE = 10**15
_MOST_DIGITS = 21
_MOST_DECIMALS = 24


def shown(low: Fraction, high: Fraction, *, against: Sequence[Fraction] = ()) -> str:
    """`11.894..11.947`, or one number where both ends are the same.

    A range is written with two or three digits of its width, and with more where fewer would make an end look
    like one of the numbers that it is held `against`: 3.9996 next to 4 is not written 4.000.
    """
    decimals = _decimals(low, high)
    while decimals < _MOST_DECIMALS and not (
        _apart(low, against, decimals) and _apart(high, against, decimals)
    ):
        decimals += 1
    ends = dict.fromkeys(decimal(end, decimals) for end in (low, high))
    return "..".join(ends)


def decimal(number: Fraction, decimals: int) -> str:
    """At most so many decimals; fewer only where nothing is lost: 11.9 is `11.9`, 11.9003 is `11.900`."""
    if abs(number) >= 10**_MOST_DIGITS or (abs(number) >= _LARGE and number.denominator != 1):
        return _scientific(number)
    rounded = round(number, decimals)
    with localcontext(Context(prec=_MOST_DIGITS + _MOST_DECIMALS + 2)):
        text = f"{Decimal(rounded.numerator) / Decimal(rounded.denominator):.{decimals}f}"
    if rounded == 0:
        text = text.removeprefix("-")
    return text.rstrip("0").rstrip(".") if rounded == number and "." in text else text


def _decimals(low: Fraction, high: Fraction) -> int:
    """So many that the width holds at least ten units, or a single number six digits.

    Ten digits are enough for a range so narrow that it is one number to a reader, as of a root.
    """
    size = max((high - low) / 10, abs(low) / 10**10) if high > low else abs(low) / 10**5
    decimals = 0
    while decimals < _MOST_DECIMALS and 0 < size < Fraction(1, 10**decimals):
        decimals += 1
    return decimals


def _apart(end: Fraction, others: Sequence[Fraction], decimals: int) -> bool:
    """Whether an end prints differently from all that differ from it; rounding can do no worse than tie."""
    rounded = round(end, decimals)
    return all(other == end or round(other, decimals) != rounded for other in others)


def _scientific(number: Fraction) -> str:
    return f"{Context(prec=12).divide(Decimal(number.numerator), Decimal(number.denominator)):.6g}"
