"""The named rules for margins, and what a verdict would have been at another margin.

A margin is a number of points that is fixed before the first run and says which rule gave it. Refused are
margins in units of our own SD, which grow with our sloppiness, and margins chosen after a run. What the
number itself allows (a share of what is left near 100, a unit of its last digit) limits `field` and
`half_gap` where they are applied to it.

A smallest difference of interest that is fixed beforehand: Lakens, Scheel and Isager 2018.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from audit.stats.printed import Printed

Rule = Literal["digits", "half_gap", "field", "lenient", "paper_yardstick"]

#: Points for a re-implementation from the text, whose unknowns are on record.
LENIENT = Fraction(1)
_MANY_DOCUMENTS = 100_000


def digits(reported: Printed) -> Fraction:
    """h, half a unit of the last printed digit: for counts, sizes and what is deterministic."""
    return reported.half_unit


def half_gap(improvements: Iterable[tuple[Printed, Printed]]) -> Fraction:
    """Half of the smallest gap (better, worse) that the paper itself calls an improvement in the table.

    A smaller difference than that cannot turn a headline round. Raises ValueError for no gap, or one that is
    not above 0.
    """
    gaps = [better.value - worse.value for better, worse in improvements]
    if not gaps or min(gaps) <= 0:
        raise ValueError(f"half_gap needs improvements above 0, got {[float(g) for g in gaps]!r}")
    return min(gaps) / 2


def field(documents: int) -> Fraction:
    """0.5 points of P@k or nDCG@k, and 0.2 where the test set has 100,000 documents or more.

    0.5 points are 0.7 standard errors of P@1 over the 3,865 test documents of EUR-Lex. Between 10,000 and
    100,000 documents the rule as stated is silent; here it stays 0.5.
    """
    return Fraction(1, 5) if documents >= _MANY_DOCUMENTS else Fraction(1, 2)


def default(
    reported: Printed, *, documents: int, improvements: Iterable[tuple[Printed, Printed]] = ()
) -> tuple[Rule, Fraction]:
    """The smaller of `half_gap` (where the table has improvements) and `field`, but at least 2h."""
    improvements = tuple(improvements)
    rules: list[tuple[Rule, Fraction]] = [("field", field(documents))]
    if improvements:
        rules.append(("half_gap", half_gap(improvements)))
    rule, value = min(rules, key=lambda it: it[1])
    return rule, max(value, 2 * reported.half_unit)


def paper_yardstick(similar: Iterable[tuple[Printed, Printed]]) -> Fraction:
    """The largest difference that the paper elsewhere calls similar. Raises ValueError for none."""
    sizes = [abs(first.value - second.value) for first, second in similar]
    if not sizes or max(sizes) == 0:
        raise ValueError("paper_yardstick needs two different numbers that the paper calls similar")
    return max(sizes)
