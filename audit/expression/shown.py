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

    A range is written with about three digits of its width, and with more where fewer would make an end look
    like one of the numbers that it is held `against`: 3.9996 next to 4 is not written 4.000.
    """
    decimals = _decimals(low, high)
    numbers = [low, high, *against]
    while decimals < _MOST_DECIMALS and not _order_kept(numbers, decimals):
        decimals += 1
    if low == high:
        return decimal(low, decimals)
    return f"{decimal(low, decimals)}..{decimal(high, decimals)}"


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
    """So many that the width holds at least ten units, or a single number six digits."""
    size = (high - low) / 10 if high > low else abs(low) / 100_000
    decimals = 0
    while decimals < _MOST_DECIMALS and 0 < size < Fraction(1, 10**decimals):
        decimals += 1
    return decimals


def _order_kept(numbers: Sequence[Fraction], decimals: int) -> bool:
    """Whether different numbers stay different in print: rounding is monotone, so only ties can arise."""
    distinct = set(numbers)
    return len({round(number, decimals) for number in distinct}) == len(distinct)


def _scientific(number: Fraction) -> str:
    return f"{Context(prec=12).divide(Decimal(number.numerator), Decimal(number.denominator)):.6g}"
