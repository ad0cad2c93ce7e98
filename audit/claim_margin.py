"""The margin that one judged number gets: the file's, within what the number itself allows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from audit.record import Margin
from audit.stats.printed import printed

_CAPPED_RULES = ("half_gap", "field")
_SHARE = Fraction(5, 100)


def for_printed(margin: Margin, text: str) -> Margin:
    """`margin` for the percentage printed as `text`, by the ceiling and the floor of the default rules.

    Near 100 and near 0 a margin of points would hold most of the errors or hits there are, so `field` and
    `half_gap` are capped at 5 % of what is left, 0.05 * (100 - v), and of what is there, 0.05 * v; then they
    are raised to one unit of the last printed digit (2h), below which rounding alone decides. The other rules
    give values that somebody argued for, and stay.

    >>> for_printed(Margin(0.5, "field", "usual"), "96.10").value
    0.195
    """
    if margin.rule not in _CAPPED_RULES:
        return margin
    number = printed(text)
    wanted = Fraction(str(margin.value))
    cap = max(min(_SHARE * (100 - number.value), _SHARE * number.value), Fraction(0))
    unit = 2 * number.half_unit
    value = max(min(wanted, cap), unit)
    if value == wanted:
        return margin
    reason = (
        "one unit of the last printed digit" if value == unit else f"5 % of what is left or there at {text}"
    )
    return replace(margin, value=float(value), why=f"{margin.why} (here {float(value):g}: {reason})")
