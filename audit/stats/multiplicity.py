"""Adjusted p-values of a family of tests; reject where the adjusted p is at most the level.

Holm 1979, Benjamini and Hochberg 1995.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """max over j <= i of (m - j + 1) p_(j), at most 1, p sorted upwards (Holm 1979).

    Step-down: the family-wise error under any dependence, never less powerful than Bonferroni.
    """
    m = len(_checked(p_values))
    adjusted = [0.0] * m
    running = 0.0
    for rank, i in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (m - rank) * p_values[i]))
        adjusted[i] = running
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """min over j >= i of (m / j) p_(j), at most 1 (Benjamini and Hochberg 1995).

    Step-up: the false discovery rate, for independent or positively dependent tests (P@1, P@3 and P@5 of the
    same runs are that).
    """
    from scipy.stats import false_discovery_control  # not at the top, as in `student`

    return tuple(map(float, false_discovery_control(_checked(p_values)))) if p_values else ()


def families(p_values: Sequence[float], *, primary: Sequence[bool]) -> tuple[float, ...]:
    """Holm-adjusted p-values where headline claims, declared before the runs, are a family of their own.

    Each family has half of the level, and the whole of it once the other is rejected altogether (Bonferroni
    split with recycling, Bretz et al. 2009): the error of the whole paper is held at the level under any
    dependence; two families at the full level each would not do that. Without a primary, or with nothing
    else, it is `holm` of all. Raises ValueError for lists of different length, or what is no probability.
    """
    if len(primary) != len(_checked(p_values)):
        raise ValueError(f"needs a flag for each p-value, got {len(primary)} for {len(p_values)}")
    first = [i for i, flag in enumerate(primary) if flag]
    rest = [i for i, flag in enumerate(primary) if not flag]
    if not first or not rest:
        return holm(p_values)
    head, tail = (holm([p_values[i] for i in family]) for family in (first, rest))
    head, tail = _recycled(head, max(tail)), _recycled(tail, max(head))
    adjusted = dict(zip((*first, *rest), (*head, *tail), strict=True))
    return tuple(adjusted[i] for i in range(len(p_values)))


def _recycled(own: Sequence[float], largest_of_the_other: float) -> tuple[float, ...]:
    """At half the level, or at the whole of it where the other family is rejected at half."""
    return tuple(min(1.0, 2.0 * p, max(p, 2.0 * largest_of_the_other)) for p in own)


def partial_conjunction(p_values: Sequence[float], *, at_least: int) -> float:
    """p of "fewer than u of the m effects are there": min(1, (m - u + 1) p_(u)), p sorted upwards.

    Benjamini and Heller 2008, with Bonferroni inside: valid under any dependence. For u = m it is the largest
    p (all effects are there), for u = 1 Bonferroni's smallest (there is one at all).
    Raises ValueError unless 1 <= u <= m, or for what is no probability.
    """
    m = len(_checked(p_values))
    if not 1 <= at_least <= m:
        raise ValueError(f"needs 1 to {m} of {m} p-values, got {at_least!r}")
    return min(1.0, (m - at_least + 1) * sorted(p_values)[at_least - 1])


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    for p in p_values:
        if not 0.0 <= p <= 1.0:  # nan fails it too
            raise ValueError(f"a p-value lies between 0 and 1, got {p!r}")
    return p_values
