"""The functions that an expression may name. To add one of numbers, add a line to `FUNCTIONS`.

Each is written so that every argument occurs once: then interval arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import add, sub
from typing import Literal

from audit.expression.interval import Interval, UndefinedError, logarithm, point

#: The end of what fits, from the number named and the unit of its last digit. Rises with the number.
Bound = Callable[[Fraction, Fraction], Fraction]


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Which values stand in this relation to a number n; without a bound, all on that side do."""

    meaning: str
    lower: Bound | None = None
    upper: Bound | None = None
    strict: bool = False  # Whether the bounds themselves do not fit.
    near: bool = False  # Whether the bounds are a tenth or a unit of the last digit away, which no text says.
    both_rounded: bool = False  # Whether the unit is that of either side, not of n alone.

    def can_hold(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` fits some value of `n`.

        As the bounds rise with n, what fits some n at all is one stretch, from the bound of the least n to
        that of the greatest.
        """
        above = self.lower is None or self._beyond(x.high, self.lower(n.low, unit))
        below = self.upper is None or self._beyond(self.upper(n.high, unit), x.low)
        return above and below

    def can_fail(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` does not fit some value of `n`."""
        above = self.lower is None or self._beyond(x.low, self.lower(n.high, unit))
        below = self.upper is None or self._beyond(self.upper(n.low, unit), x.high)
        return not (above and below)

    def _beyond(self, greater: Fraction, less: Fraction) -> bool:
        return greater > less if self.strict else greater >= less


def _tenth_below(n: Fraction, unit: Fraction) -> Fraction:
    return n - max(abs(n) / 10, unit)


_ABOVE = Relation(meaning="above n", lower=lambda n, unit: n, strict=True)
_FROM = Relation(meaning="n or above", lower=lambda n, unit: n)
_BELOW = Relation(meaning="below n", upper=lambda n, unit: n, strict=True)
_UP_TO = Relation(meaning="n or below", upper=lambda n, unit: n)


def _rounded(n: Fraction, unit: Fraction) -> Fraction:
    return n + unit / 2


#: The table. "Last digit" is that of a number in the expression or of a printed cell; computed numbers and
#: names have none.
RELATIONS: Mapping[str, Relation] = {
    ">": _ABOVE,
    ">=": _FROM,
    "<": _BELOW,
    "<=": _UP_TO,
    "=": Relation(
        meaning="the same number, once both are rounded to as many digits as the coarser one shows",
        lower=lambda n, unit: n - unit / 2,
        upper=_rounded,
        both_rounded=True,
    ),
    "more than": _ABOVE,
    "at least": _FROM,
    "less than": _BELOW,
    "at most": _UP_TO,
    "about": Relation(
        meaning="within 10 % of n or one unit of its last digit, whichever is more",
        lower=_tenth_below,
        upper=lambda n, unit: n + max(abs(n) / 10, unit),
        near=True,
    ),
    "nearly": Relation(
        meaning="from 10 % below n, or one unit of its last digit if that is more, up to what rounds to n",
        lower=_tenth_below,
        upper=_rounded,
        near=True,
    ),
}


Kind = Literal["number", "set", "truth"]
"""What a part of an expression stands for."""

Argument = Literal["number", "numbers", "cell", "truth"]
"""What an argument must be; `numbers`: a number or a set."""

BYTES_PER_PARAMETER = 4  # fp32
GB = 10**9
GIB = 2**30


@dataclass(frozen=True)
class Function:
    """What a function takes and gives."""

    form: str
    meaning: str
    takes: tuple[Argument, ...]
    readings: Mapping[str, Callable[..., Interval]] = field(default_factory=dict)
    """For functions of numbers alone: by the name of each reading, the function of intervals."""
    repeats: bool = False  # Whether there may be more arguments, like the last one.
    gives: Kind = "number"


def relative_gain(a: Interval, b: Interval) -> Interval:
    """100 (a - b) / b as 100 (a / b - 1), where each occurs once."""
    return point(100) * (a / b - point(1))


def total(*x: Interval) -> Interval:
    return reduce(add, x)


def least(*x: Interval) -> Interval:
    return Interval(min(each.low for each in x), min(each.high for each in x))


def greatest(*x: Interval) -> Interval:
    return Interval(max(each.low for each in x), max(each.high for each in x))


def second_greatest(*x: Interval) -> Interval:
    """The second in order: the greatest again where two tie. Raises `UndefinedError` for one number."""
    if len(x) < 2:
        raise UndefinedError("there is no second best of one number")
    return Interval(sorted(each.low for each in x)[-2], sorted(each.high for each in x)[-2])


def spread(*x: Interval) -> Interval:
    """Greatest minus least, which are two of the numbers: one number alone spans nothing."""
    if len(x) < 2:
        return point(0)
    narrowest = max(Fraction(0), max(each.low for each in x) - min(each.high for each in x))
    lowest = sorted(range(len(x)), key=lambda i: x[i].low)[:2]
    highest = sorted(range(len(x)), key=lambda i: x[i].high)[-2:]
    return Interval(narrowest, max(x[i].high - x[j].low for i in highest for j in lowest if i != j))


def bottleneck(unit: int) -> Callable[[Interval, Interval, Interval, Interval], Interval]:
    """R of CorNet's blocks (2VR + R + V), Xun et al. (2020), Eq. 2, from two sizes in units of so many bytes.

    R = (P - V) / (2V + 1) for P parameters a block, as ((2P + 1) / (2V + 1) - 1) / 2.
    """

    def twice_and_one(x: Interval) -> Interval:
        return point(2) * x + point(1)

    def implied(size_with: Interval, size_without: Interval, V: Interval, blocks: Interval) -> Interval:
        P = (size_with - size_without) * point(Fraction(unit, BYTES_PER_PARAMETER)) / blocks
        return (twice_and_one(P) / twice_and_one(V) - point(1)) / point(2)

    return implied


def _many(form: str, meaning: str, function: Callable[..., Interval]) -> Function:
    return Function(form, meaning, ("numbers",), {"": function}, repeats=True)


def _set(form: str, meaning: str) -> Function:
    return Function(form, meaning, ("cell",), gives="set")


_CELL: tuple[Argument, ...] = ("cell",)
_ONE: tuple[Argument, ...] = ("number",)

#: By name. The first ones are those that a message shows.
FUNCTIONS: Mapping[str, Function] = {
    "gain": Function("gain(a, b)", "a - b, in points", _ONE * 2, {"": sub}),
    "relative_gain": Function(
        "relative_gain(a, b)", "100 (a - b) / b, in percent", _ONE * 2, {"": relative_gain}
    ),
    "improvement": Function(
        "improvement(a, b)",
        "gain(a, b) in points or relative_gain(a, b) in percent, whichever suits the sentence",
        _ONE * 2,
        {"points": sub, "percent": relative_gain},
    ),
    "mean": _many("mean(x, ...)", "the arithmetic mean", lambda *x: total(*x) / point(len(x))),
    "sum": _many("sum(x, ...)", "the sum", total),
    "min": _many("min(x, ...)", "the least", least),
    "max": _many("max(x, ...)", "the greatest", greatest),
    "best": _many("best(x, ...)", "the greatest", greatest),
    "second_best": _many("second_best(x, ...)", "the second in order", second_greatest),
    "rank": Function(
        "rank(cell)",
        "1 and one more for each cell of another method that is greater; ties share the better place",
        _CELL,
    ),
    "others": _set(
        "others(cell)", "the cells of all other methods for the same data set and metric in the same table"
    ),
    "group": _set("group(cell)", "the cell itself and its others"),
    "count": Function("count(comparison, ...)", "how many of the comparisons hold", ("truth",), repeats=True),
    "span": _many("span(x, ...)", "the greatest minus the least", spread),
    "overlap": Function(
        "overlap(x, ...)",
        "whether one value can be all of the numbers, given their rounding",
        ("numbers",),
        repeats=True,
        gives="truth",
    ),
    "abs": Function("abs(x)", "x without its sign", _ONE, {"": abs}),
    "log2": Function("log2(x)", "the logarithm to base 2", _ONE, {"": logarithm}),
    "bottleneck": Function(
        "bottleneck(size_with, size_without, V, blocks)",
        "the R of CorNet's blocks (2VR + R + V) that two model sizes in GB imply, 4 bytes a parameter; "
        "a GB is 10^9 bytes or 2^30, whichever suits the sentence",
        _ONE * 4,
        {"GB": bottleneck(GB), "GiB": bottleneck(GIB)},
    ),
}
