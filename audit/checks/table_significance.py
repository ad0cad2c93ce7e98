"""What a printed table alone can say of "significantly better" in P@1, whoever pairs the documents.

P@1 and N fix how many documents each system gets right, and so b - c, the documents that only the first gets
right less those that only the second does. McNemar's p is least where c = 0 and greatest where c is as great
as N allows: p = 2 P[Bin(b + c, 1/2) <= c] grows with c for fixed b - c > 0. All this is noise of documents;
what other seeds would give is not in the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.checks.grid import hits
from audit.checks.rounding import pre_image
from audit.stats.printed import Printed

Label = Literal["must_be", "cannot_be", "undecidable"]


@dataclass(frozen=True)
class TableSignificance:
    """p-values that two printed P@1 and the test size leave possible, two-sided."""

    hits: tuple[int, int]
    """Fewest hits that are printed so; the nearest number of hits where none are."""
    exact_hits: tuple[bool, bool]
    """Whether some number of hits is printed so."""
    gap_documents: int
    """Documents between the two, whichever is higher."""
    c_max: int
    """The most documents that only the lower one can have right."""
    p_best: float
    """McNemar's exact p if the higher one has right all that the lower one has."""
    p_worst: float
    """McNemar's exact p with c_max."""
    p_unpaired: float
    """Pooled z test, as if each system had had its own documents."""
    label: Label


def table_significance(
    first: Printed, second: Printed, *, documents: int, level: float = 0.05
) -> TableSignificance:
    """For two printed P@1 in percent on the same test documents.

    The numbers are of one count of hits for each system; the label is of all counts that rounding leaves.

    - `must_be`: p_worst <= level even where the two are closest;
    - `cannot_be`: above level even where they are furthest apart, c = 0, and by the test that is the first to
      say "significant", the one-sided normal approximation of McNemar's: 2 documents apart or fewer at 0.05;
    - `undecidable`: anything else.

    Raises ValueError unless there are documents.
    """
    (low1, high1, exact1), (low2, high2, exact2) = (_counts(it, documents) for it in (first, second))
    h1, h2 = (
        low if exact else _nearest(number, documents)
        for number, low, exact in ((first, low1, exact1), (second, low2, exact2))
    )
    c_max = _most_only_lower(h1, h2, documents)
    gap = abs(h1 - h2)
    return TableSignificance(
        hits=(h1, h2),
        exact_hits=(exact1, exact2),
        gap_documents=gap,
        c_max=c_max,
        p_best=mcnemar_two_sided(gap, 0),
        p_worst=mcnemar_two_sided(gap + c_max, c_max),
        p_unpaired=_pooled_z(h1, h2, documents),
        label=_label((low1, high1), (low2, high2), documents, level),
    )


def mcnemar_two_sided(b: int, c: int) -> float:
    """min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)]), exact but for double precision; 0.0 below 1e-308.

    The greatest term by log-gamma, the others by their ratios: C(n, i - 1) = C(n, i) i / (n - i + 1).
    """
    n, i = b + c, min(b, c)
    log_term = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) - n * math.log(2.0)
    total, term = 0.0, 1.0
    while term > 1e-18 * total and i >= 0:
        total += term
        term *= i / (n - i + 1)
        i -= 1
    return min(1.0, 2.0 * math.exp(log_term + math.log(total)))


def _counts(number: Printed, documents: int) -> tuple[int, int, bool]:
    """Fewest and most hits that are printed so, and True; or those on either side of it, and False."""
    found = hits(number, documents=documents)
    if found.m_min is not None and found.m_max is not None:
        return found.m_min, found.m_max, True
    image = pre_image(number)
    low, high = (image.low * documents / 100, image.high * documents / 100)
    return max(math.floor(low), 0), min(math.ceil(high), documents), False


def _nearest(number: Printed, documents: int) -> int:
    return min(max(math.floor(number.value * documents / 100 + Fraction(1, 2)), 0), documents)


def _most_only_lower(hits1: int, hits2: int, documents: int) -> int:
    return min(min(hits1, hits2), documents - max(hits1, hits2))


def _pooled_z(hits1: int, hits2: int, documents: int) -> float:
    """Two-sided p of z = (p1 - p2) / sqrt(2 p (1 - p) / N), p = (p1 + p2) / 2."""
    pooled = (hits1 + hits2) / (2 * documents)
    if hits1 == hits2:
        return 1.0
    z = (hits1 - hits2) / documents / math.sqrt(2.0 * pooled * (1.0 - pooled) / documents)
    return math.erfc(abs(z) / math.sqrt(2.0))


def _label(first: tuple[int, int], second: tuple[int, int], documents: int, level: float) -> Label:
    (low1, high1), (low2, high2) = first, second
    widest = max(high1 - low2, high2 - low1)
    # one-sided: P[Z >= (b - c) / sqrt(b + c)] with c = 0
    if math.erfc(math.sqrt(widest / 2.0)) / 2.0 > level:
        return "cannot_be"
    # the least gap leaves the most documents to the lower one, too: both make p greatest
    upper, lower = (low1, high2) if low1 > high2 else (low2, high1)
    if upper <= lower:
        return "undecidable"
    c = _most_only_lower(upper, lower, documents)
    return "must_be" if mcnemar_two_sided(upper - lower + c, c) <= level else "undecidable"
