"""The level that a family of claims leaves for one of them: how small its own p-value must be."""

from __future__ import annotations

from collections.abc import Sequence

from audit.stats.decision import ALPHA
from audit.stats.multiplicity import families, holm


def threshold_bh(others: Sequence[float], *, alpha: float = ALPHA) -> float:
    """The largest p that Benjamini and Hochberg reject beside the p-values `others`.

    max alpha r / m over the r for which r - 1 of the others are at most alpha r / m,   m = others + 1
    """
    m, ordered = len(others) + 1, sorted(others)
    ranks = [r for r in range(1, m + 1) if r == 1 or ordered[r - 2] <= alpha * r / m]
    return alpha * max(ranks) / m


def threshold_holm(
    others: Sequence[float], *, primary: Sequence[bool], is_primary: bool, alpha: float = ALPHA
) -> float:
    """The largest p that Holm rejects beside `others`, with `families` of the rule "share".

    Each family rejects at alpha / j or alpha / 2j for a number j of claims still open, so the threshold is
    alpha / k with a whole k up to 2m, which is found by halving. `primary` holds a flag for each of `others`.
    """
    flags = [is_primary, *primary]
    low, high = 0, 2 * len(flags)  # alpha / high is rejected, alpha / low is not or is none
    while high - low > 1:
        k = (low + high) // 2
        p = [alpha / k, *others]
        rejected = families(p, primary=flags, rule="share", adjust=holm)[0] <= alpha * (1.0 + 1e-12)
        low, high = (low, k) if rejected else (k, high)
    return alpha / high
