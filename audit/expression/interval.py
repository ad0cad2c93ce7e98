"""Exact interval arithmetic (R. E. Moore, Interval Analysis, 1966): all values that a number can have.
Operands are taken as independent, so a cell that occurs twice widens the result, and never narrows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

#: Numbers whose numerator or denominator takes more bits are given up: no input takes long.
MOST_BITS = 8192
#: A logarithm is known to this on either side.
_LOGARITHM = Fraction(1, 2**64)
_MOST_DECIMALS = 24


class UndefinedError(Exception):
    """No value, and why: a division by what may be 0, an empty set, a cell with a dash."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`, ends included."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"an interval's low end comes first, got {self.low}..{self.high}")
        if _bits(self) > MOST_BITS:
            raise UndefinedError(f"a number grows beyond {MOST_BITS} bits")

    def __str__(self) -> str:
        """`11.894 to 11.947`, or one number where both ends are the same, in no more digits than it has."""
        low, high = self.low, self.high
        size = max((high - low) / 10, abs(low) / 10**10) if high > low else abs(low) / 10**5
        decimals = 0
        while decimals < _MOST_DECIMALS and 0 < size < Fraction(1, 10**decimals):
            decimals += 1
        return " to ".join(dict.fromkeys(decimal(end, decimals) for end in (low, high)))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        return spanning(a * b for a in (self.low, self.high) for b in (other.low, other.high))

    def __truediv__(self, other: Interval) -> Interval:
        """Raises `UndefinedError` if the divisor can be 0."""
        if other.low <= 0 <= other.high:
            contains = "" if other.low == other.high else ", which contains 0"
            raise UndefinedError(f"division by {other}{contains}")
        return spanning(a / b for a in (self.low, self.high) for b in (other.low, other.high))

    def __pow__(self, exponent: int) -> Interval:
        """Whole exponents of at least 0; exact where 0 is within, unlike repeated multiplication."""
        if exponent * _bits(self) > MOST_BITS:
            raise UndefinedError(f"a power grows beyond {MOST_BITS} bits")
        ends = {self.low**exponent, self.high**exponent}
        turns = exponent > 0 and exponent % 2 == 0 and self.low < 0 < self.high
        return spanning(ends | {Fraction(0)} if turns else ends)

    def __abs__(self) -> Interval:
        if self.low < 0 < self.high:
            return Interval(Fraction(0), max(-self.low, self.high))
        return -self if self.high <= 0 else self


def point(value: Fraction | int) -> Interval:
    return Interval(Fraction(value), Fraction(value))


def spanning(values: Iterable[Fraction]) -> Interval:
    """The smallest interval that holds the values, of which there is at least one."""
    ends = list(values)
    return Interval(min(ends), max(ends))


def logarithm(x: Interval) -> Interval:
    """To base 2; exact for powers of 2, else rounded outwards. Raises `UndefinedError` if it may be <= 0."""
    if x.low <= 0:
        raise UndefinedError(f"logarithm of {x}, which is not all above 0")
    ends = []
    for end in (x.low, x.high):
        with localcontext(prec=60):  # `ln` is correctly rounded: many more digits than needed are right
            near = Fraction((Decimal(end.numerator) / Decimal(end.denominator)).ln() / Decimal(2).ln())
        exact = Fraction(2) ** round(near) == end
        ends.append(point(round(near)) if exact else Interval(near - _LOGARITHM, near + _LOGARITHM))
    return Interval(ends[0].low, ends[1].high)


def _bits(x: Interval) -> int:
    return max(part.bit_length() for end in (x.low, x.high) for part in (end.numerator, end.denominator))


def decimal(number: Fraction, decimals: int) -> str:
    """At most so many decimals; fewer only where nothing is lost: 11.9 is `11.9`, 11.9003 is `11.900`."""
    value = Decimal(number.numerator) / Decimal(number.denominator)
    if abs(number) >= 10**21:
        return f"{value:.6g}"
    text = f"{value:.{decimals}f}"
    if Fraction(text) == 0:
        text = text.removeprefix("-")
    return text.rstrip("0").rstrip(".") if Fraction(text) == number and "." in text else text
