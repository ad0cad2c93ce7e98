"""What stands in the drawing of a specification curve."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import plural


def off_scale(values: Sequence[float]) -> str:
    """Beside the readings that lie beyond the axis.

    >>> off_scale([10.3]), off_scale([7.04, 10.3, 8.5])
    ('off the scale: 10.30', 'off the scale: 7.04 to 10.30')
    """
    low, high = (digits.points(it) for it in (min(values), max(values)))
    return f"off the scale: {low}" if len(values) == 1 else f"off the scale: {low} to {high}"


def not_varied(number: int) -> str:
    """Below the choices, for what is open and was the same in all readings drawn.

    >>> not_varied(1)
    '1 open point is the same in all readings run'
    """
    are = "is" if number == 1 else "are"
    return f"{plural(number, 'open point')} {are} the same in all readings run"
