"""The number as the paper prints it: exact value, decimals, rounding interval; from the string."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal

#: Whose run a printed number is.
Source = Literal["own_run", "copied", "code_readme", "stated", "unknown"]
#: Statistics of a data set that count something, and may be rounded to tens or more.
COUNTS = ("train", "test", "validation", "dev", "labels", "features")

_NUMBER = re.compile(
    r"(?P<sign>[-+\N{MINUS SIGN}\N{EN DASH}]?)"
    r"(?P<whole>[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)"  # 15,449 or 15449, not 76,38
    r"(?:\.(?P<decimals>[0-9]+))?"
    r"\s?(?P<percent>%?)"
)
_COUNT = re.compile(
    r"(?P<about>(?:(?:about|around|roughly|approximately|approx\.|circa|ca\.)\s|[~\N{ALMOST EQUAL TO}])?)\s?"
    r"(?P<number>[0-9][0-9.,]*)\s?(?P<unit>[KkMm]?)"
)


@dataclass(frozen=True)
class Printed:
    """A printed number; `83.50` has two decimals and `83.5` one, so they are not the same number."""

    text: str
    value: Fraction  # Without the percent sign: `83.5%` has the value 83.5.
    decimals: int  # Below 0 of a number that is rounded to tens, hundreds, ...
    percent: bool = False

    @cached_property
    def half_unit(self) -> Fraction:
        """h: the printed number stands for anything within value -+ h."""
        return Fraction(1, 2) / Fraction(10) ** self.decimals

    @cached_property
    def interval(self) -> tuple[Fraction, Fraction]:
        return self.value - self.half_unit, self.value + self.half_unit

    @property
    def zeros_at_end(self) -> int:
        """Zeros after the point that end it: 2 of 83.00."""
        digits = str(self.value * 10 ** max(self.decimals, 0))
        return min(len(digits) - len(digits.rstrip("0")), self.decimals) if self.decimals > 0 else 0

    def without_zeros(self, zeros: int) -> Printed:
        """The number with so many zeros at its end taken for padding, not for digits."""
        return replace(self, decimals=self.decimals - zeros) if zeros else self


@lru_cache(maxsize=4096)
def printed(text: str) -> Printed:
    """Reads `76.38`, `15,449`, `.638`, `-0.5` and `12%`. Raises TypeError for anything but a string (a float
    has lost its trailing zeros) and ValueError for a string that is not one plain decimal number."""
    if not isinstance(text, str):
        raise TypeError(f"a printed number must be the string that was printed, got {text!r}")
    match = _NUMBER.fullmatch(text.strip())
    if match is None or not (match["whole"] or match["decimals"]):
        raise ValueError(f"not a printed decimal number: {text!r}")
    decimals = match["decimals"] or ""
    value = Fraction(int(match["whole"].replace(",", "") + decimals), 10 ** len(decimals))
    negative = match["sign"] not in ("", "+")
    return Printed(text, -value if negative else value, len(decimals), bool(match["percent"]))


@lru_cache(maxsize=4096)
def printed_count(text: str) -> Printed:
    """Reads how many things there are: what `printed` reads, and `about 3,200`, `~3200` and `3.8K`. Zeros at
    its end may be rounded: 3,200 stands for 3,150..3,250. Raises as `printed` does."""
    match = _COUNT.fullmatch(text.strip()) if isinstance(text, str) else None
    number = printed(match["number"] if match else text)
    value = number.value * {"": 1, "k": 1_000, "m": 1_000_000}[match["unit"].lower() if match else ""]
    if value.denominator != 1 or not value:
        return number if match is None else replace(number, text=text, value=value)
    digits = str(value)
    zeros = len(digits) - len(digits.rstrip("0"))
    return replace(number, text=text, value=value, decimals=-max(zeros, int(bool(match and match["about"]))))


def in_percent(text: str) -> str:
    """A printed fraction of 1 as the percentage that it is, with the digits that were printed: `.50` is `50`,
    `1.000` is `100.0`. Raises ValueError for fewer than two decimals, and outside 0 to 1."""
    number = printed(text)
    if not 0 <= number.value <= 1 or number.percent:
        raise ValueError(f"{text!r} is not a fraction of 1")
    if number.decimals < 2:
        raise ValueError(f"{text!r} is a fraction with fewer than two decimals")
    decimals = number.decimals - 2
    units = str(number.value * 10**number.decimals).rjust(decimals + 1, "0")
    return f"{units[:-decimals]}.{units[-decimals:]}" if decimals else units


def gap(first: Printed, second: Printed) -> Fraction:
    """The printed difference, first minus second, exactly: `78.60` and `76.81` are 1.79 apart."""
    return first.value - second.value
