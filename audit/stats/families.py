"""Many tests together: adjusted p-values of a family, what it leaves for one of them, and levels of looks.

Holm 1979; Benjamini and Hochberg 1995; partial conjunctions: Benjamini and Heller 2008. Reject where an
adjusted p is at most the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from audit.stats.decision import ALPHA

#: Of a level: adjusted p-values are products, and land beside a level that they mean to reach.
_DUST = 1e-12


@lru_cache(maxsize=8)  # each claim of a paper asks for the family that it is not in
def _holm(p_values: tuple[float, ...]) -> tuple[float, ...]:
    m, running = len(_checked(p_values)), 0.0
    adjusted = [0.0] * m
    for rank, i in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (m - rank) * p_values[i]))
        adjusted[i] = running
    return tuple(adjusted)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """max over j <= i of (m - j + 1) p_(j), at most 1, p sorted upwards: the family-wise error under any
    dependence."""
    return _holm(tuple(p_values))


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """min over j >= i of (m / j) p_(j), at most 1: the false discovery rate, for independent or positively
    dependent tests (P@1, P@3 and P@5 of the same runs are that)."""
    m, running = len(_checked(p_values)), 1.0
    adjusted = [1.0] * m
    for rank, i in reversed(list(enumerate(sorted(range(m), key=lambda i: p_values[i]), start=1))):
        running = adjusted[i] = min(running, p_values[i] * (m / rank))
    return tuple(adjusted)


def families(p_values: Sequence[float], *, primary: Sequence[bool]) -> tuple[float, ...]:
    """Holm-adjusted p-values where headline claims, declared before the runs, are a family of their own. Each
    family has half of the level, and the whole of it once the other is rejected altogether (Bonferroni split
    with recycling, Bretz et al. 2009): the error of the whole paper is held under any dependence."""
    groups = {flag: [i for i, of in enumerate(primary) if bool(of) is flag] for flag in (True, False)}
    if not all(groups.values()):
        return holm(p_values)
    own = {flag: holm([p_values[i] for i in group]) for flag, group in groups.items()}
    adjusted: dict[int, float] = {}
    for flag, group in groups.items():
        # at half the level, or at all of it where the other is rejected there
        other = 2.0 * max(own[not flag])
        adjusted |= {i: min(1.0, 2.0 * p, max(p, other)) for i, p in zip(group, own[flag], strict=True)}
    return tuple(adjusted[i] for i in range(len(p_values)))


def partial_conjunction(p_values: Sequence[float], *, at_least: int) -> float:
    """p of "fewer than u of the m effects are there": min(1, (m - u + 1) p_(u)), p sorted upwards, 1 <= u <=
    m; valid under any dependence. For u = m it is the largest p."""
    return min(1.0, (len(p_values) - at_least + 1) * sorted(_checked(p_values))[at_least - 1])


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    if not all(0.0 <= p <= 1.0 for p in p_values):  # nan fails it too
        raise ValueError(f"a p-value lies between 0 and 1, got {p_values!r}")
    return p_values


def threshold_bh(others: Sequence[float], *, alpha: float = ALPHA) -> float:
    """The largest p that Benjamini and Hochberg reject beside `others`, which stay as they are: max alpha r /
    m over the r for which r - 1 of the others are at most alpha r / m, m = others + 1."""
    m, ordered = len(others) + 1, sorted(others)
    ranks = (r for r in range(m, 1, -1) if ordered[r - 2] <= alpha * r / m)
    return alpha * next(ranks, 1) / m


def threshold_holm(
    others: Sequence[float], *, primary: Sequence[bool], is_primary: bool, alpha: float = ALPHA
) -> float:
    """The largest p that Holm rejects beside `others`, with `families`: within its own family of m it is
    alpha / (m - j), where j is how many of the others Holm rejects before. `primary` holds a flag for each of
    `others`."""
    own = sorted(p for p, flag in zip(others, primary, strict=True) if flag == is_primary)
    rest = [p for p, flag in zip(others, primary, strict=True) if flag != is_primary]
    if rest and max(holm(rest)) > alpha / 2.0 * (1.0 + _DUST):
        alpha /= 2.0
    m = len(own) + 1
    before = next((j for j, p in enumerate(own) if p * (m - j) > alpha * (1.0 + _DUST)), m - 1)
    return alpha / (m - before)


def level_of(look: int, *, alpha: float = ALPHA) -> float:
    """Of looks that nobody declared: 4/5 alpha for the first, alpha/5 2^-(k-1) for look k >= 2, together
    alpha (Bonferroni: any dependence)."""
    return alpha * 4 / 5 if look == 1 else alpha / 5 * 0.5 ** (look - 1)
