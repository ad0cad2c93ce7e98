"""McNemar's exact test: two systems on the same documents, each right or wrong (P@1).

McNemar 1947, in its exact binomial form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class McNemar:
    first_only: int
    """b: documents that only the first system gets right."""
    second_only: int
    """c: documents that only the second system gets right."""
    p_two_sided: float
    p_greater: float
    """One-sided p of "the first is not better": small when it is."""


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """P[Bin(b + c, 1/2) >= b], and two-sided min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)]) (McNemar 1947, exact).

    Documents on which both agree say nothing. Assumes one run of each system and documents that are
    independent; it is about noise of documents, not of seeds. Several pairs of runs are not to be added up as
    if their documents were more documents. With b + c = 0 both p-values are 1.
    Raises ValueError for a negative count.
    """
    from scipy import special  # not at the top, as in `student`

    b, c = first_only, second_only
    if min(b, c) < 0:
        raise ValueError(f"McNemar's test needs two counts of documents, got {b!r} and {c!r}")
    two_sided = min(1.0, 2.0 * float(special.bdtr(min(b, c), b + c, 0.5)))
    return McNemar(b, c, two_sided, float(special.bdtr(c, b + c, 0.5)))


def discordant(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """(b, c): the documents, in one order, that only the first and only the second system gets right.

    Raises ValueError for lists of different length.
    """
    if len(first) != len(second):
        raise ValueError(f"McNemar's test needs the same documents, got {len(first)} and {len(second)}")
    b = sum(1 for x, y in zip(first, second, strict=True) if x and not y)
    c = sum(1 for x, y in zip(first, second, strict=True) if y and not x)
    return b, c
