"""The level that a family of claims leaves for one of them: how small its own p-value must be.

The step-up rule of Benjamini and Hochberg 1995 and the step-down rule of Holm 1979 (`multiplicity`), solved
for one p-value with the others held fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from audit.stats.decision import ALPHA
from audit.stats.multiplicity import holm

#: Of a level: adjusted p-values are products, and land beside a level that they mean to reach.
_DUST = 1e-12


def threshold_bh(others: Sequence[float], *, alpha: float = ALPHA) -> float:
    """The largest p that Benjamini and Hochberg reject beside the p-values `others`.

    max alpha r / m over the r for which r - 1 of the others are at most alpha r / m,   m = others + 1
    """
    m, ordered = len(others) + 1, sorted(others)
    ranks = (r for r in range(m, 1, -1) if ordered[r - 2] <= alpha * r / m)
    return alpha * next(ranks, 1) / m


def threshold_holm(
    others: Sequence[float], *, primary: Sequence[bool], is_primary: bool, alpha: float = ALPHA
) -> float:
    """The largest p that Holm rejects beside `others`, with `families` of the rule "share".

    Within its own family of m it is alpha / (m - j), where j is how many of the others Holm rejects before:
    p_(1) <= alpha / m, p_(2) <= alpha / (m - 1), ... Beside a second family alpha is half of the level, or
    all of it where that family is rejected altogether at half. `primary` holds a flag for each of `others`.
    """
    own = sorted(p for p, flag in zip(others, primary, strict=True) if flag == is_primary)
    rest = tuple(p for p, flag in zip(others, primary, strict=True) if flag != is_primary)
    if rest and _largest(rest) > alpha / 2.0 * (1.0 + _DUST):
        alpha /= 2.0
    m = len(own) + 1
    before = next((j for j, p in enumerate(own) if p * (m - j) > alpha * (1.0 + _DUST)), m - 1)
    return alpha / (m - before)


@lru_cache(maxsize=8)
def _largest(p_values: tuple[float, ...]) -> float:
    """Kept, since each claim of a family asks for the same other one."""
    return max(holm(p_values))
