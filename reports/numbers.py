"""Numbers as text that does not lie by rounding. A number is shown with two decimals, and with more wherever
two would move it across something it is read against: zero, the edge of a margin, a level. So a difference
shown as 0.00 is zero, a miss is never rounded into the margin, and a p-value of 0.0496 is not shown as 0.050.
All functions are pure and return text."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

ABSENT = "–"
#: Beyond this many decimals a difference of percents is floating-point noise, and is taken for none.
_FINEST = 9
#: Nearer than this to a mark is on it, to a reader.
_NEAR = Decimal("0.00005")
_HUGE = 1e9


def is_drawable(*values: float) -> bool:
    """Whether all are finite, and small enough for an axis and for decimals."""
    return all(math.isfinite(value) and abs(value) < _HUGE for value in values)


def points(
    value: float | None, *, beside: Iterable[float] = (), decimals: int = 2, near: Decimal = _NEAR
) -> str:
    """`value` with `decimals` digits, or as many as keep it on its side of zero and `beside`."""
    marks = [_exact(mark) for mark in (0.0, *beside) if math.isfinite(mark)]

    def keeps_sides(shown: Decimal, exact: Decimal) -> bool:
        apart = (mark for mark in marks if abs(exact - mark) >= near)
        return all((shown > mark) - (shown < mark) == (exact > mark) - (exact < mark) for mark in apart)

    return _shown(value, ROUND_HALF_EVEN, keeps_sides, decimals)


def signed(value: float | None, *, beside: Iterable[float] = ()) -> str:
    """As `points`, with a plus sign before what is above zero."""
    text = points(value, beside=beside)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def interval(bounds: tuple[float, float] | None, *, beside: Iterable[float] = ()) -> str:
    """Both ends in the manner of `points`: `75.36 to 76.16`."""
    marks = tuple(beside)
    return " to ".join(points(bound, beside=marks) for bound in bounds) if bounds else ABSENT


def mean_sd(mean: float | None, sd: float | None, *, beside: Iterable[float] = ()) -> str:
    """`75.76 ± 0.24`, or the mean alone where there is no spread to speak of (one run)."""
    text = points(mean, beside=beside)
    return text if sd is None or mean is None else f"{text} ± {points(sd)}"


def margin_size(value: float | None) -> str:
    """A margin as it was fixed: at least two decimals, and all that it has up to six."""
    if value is None or not is_drawable(value):
        return points(value)
    whole, _, rest = f"{round(value, 6):.6f}".partition(".")
    return f"{_minus(whole)}.{rest.rstrip('0'):0<2}"


def band_end(value: float, *, margin: float | None, up: bool) -> str:
    """An end of a margin band (`up`: its lower one), rounded into the band and on its side of `margin`."""
    edge = None if margin is None or not math.isfinite(margin) else _exact(margin)
    side = operator.le if up else operator.ge

    def keeps_side(shown: Decimal, exact: Decimal) -> bool:
        return edge is None or side(shown, edge) == side(exact, edge)

    return _shown(value, ROUND_CEILING if up else ROUND_FLOOR, keeps_side)


def p_value(p: float | None, *, levels: Iterable[float] = (0.05,)) -> str:
    """`0.023`, `< 0.001`, `> 0.999`; never on the other side of a level it is compared with."""
    if p is None or not math.isfinite(p):
        return ABSENT
    if 0.999 < p < 1:
        return "> 0.999"
    return "< 0.001" if p < 0.001 else points(p, beside=levels, decimals=3, near=Decimal(0))


def count(number: int) -> str:
    """`15,449`"""
    return f"{number:,}"


def duration(seconds: float) -> str:
    """`0.4 s`, `75 s`, `4.2 min`, `3.5 h`"""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def memory(size: int | None) -> str:
    """Bytes in MiB or GiB (powers of two, as the operating system counts)."""
    if size is None:
        return ABSENT
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _shown(
    value: float | None, rounding: str, is_true: Callable[[Decimal, Decimal], bool], decimals: int = 2
) -> str:
    """With the fewest decimals for which `is_true(shown, exact)`."""
    if value is None:
        return ABSENT
    if not is_drawable(value):
        return _minus(f"{value:g}")
    exact = _exact(value)
    for digits in range(decimals, _FINEST + 1):
        shown = exact.quantize(Decimal(1).scaleb(-digits), rounding=rounding)
        if is_true(shown, exact):
            break
    return _minus(f"{abs(shown) if shown == 0 else shown:f}")  # no "-0.00"


def _exact(value: float) -> Decimal:
    return Decimal(repr(round(float(value), _FINEST)))


def _minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")
