"""Adjusted p-values of a family of tests; reject where the adjusted p is at most the level.

Holm 1979, Benjamini and Hochberg 1995; what else there is cites its own source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

Adjust = Callable[[Sequence[float]], tuple[float, ...]]


def bonferroni(p_values: Sequence[float]) -> tuple[float, ...]:
    """p_i m, at most 1: the family-wise error under any dependence."""
    m = len(_checked(p_values))
    return tuple(min(1.0, p * m) for p in p_values)


def bonferroni_confidence(level: float, comparisons: int) -> float:
    """The level at which each of m intervals is drawn so that all hold together: 1 - (1 - level) / m.

    It grows with m. Raises ValueError unless 0 < level < 1 and there is a comparison.
    """
    if not 0.0 < level < 1.0 or comparisons < 1:
        raise ValueError(f"needs a level between 0 and 1 and a comparison, got {level!r}, {comparisons!r}")
    return 1.0 - (1.0 - level) / comparisons


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """max over j <= i of (m - j + 1) p_(j), at most 1, p sorted upwards (Holm 1979).

    Step-down: the family-wise error under any dependence, never less powerful than Bonferroni.
    """
    m = len(_checked(p_values))
    adjusted = [0.0] * m
    running = 0.0
    for rank, i in enumerate(_ascending(p_values)):
        running = max(running, min(1.0, (m - rank) * p_values[i]))
        adjusted[i] = running
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """min over j >= i of (m / j) p_(j), at most 1 (Benjamini and Hochberg 1995).

    Step-up: the false discovery rate, for independent or positively dependent tests (P@1, P@3 and P@5 of the
    same runs are that).
    """
    return _step_up(p_values, factor=1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini-Hochberg times sum_{k=1..m} 1/k (2001): the false discovery rate under any dependence."""
    return _step_up(p_values, factor=math.fsum(1.0 / k for k in range(1, len(p_values) + 1)))


def families(
    p_values: Sequence[float],
    *,
    primary: Sequence[bool],
    rule: Literal["gate", "share"] = "gate",
    adjust: Adjust = holm,
) -> tuple[float, ...]:
    """Adjusted p-values where headline claims, declared before the runs, are a family of their own.

        gate    primaries by `adjust`; the others by `adjust` too, but never below the largest adjusted p of
                the primaries: they count only once every primary has been rejected (serial gatekeeping,
                Westfall and Krishen 2001; Dmitrienko et al. 2003)
        share   each family has half of the level, and the whole of it once the other is rejected altogether
                (Bonferroni split with recycling, Bretz et al. 2009)

    With `holm` both hold the error of the whole paper at the level under any dependence; two families at the
    full level each would not. `gate` fits where the primaries are expected to be rejected. For contradictions
    it says nothing of the others as long as one headline claim stands; `share` does.
    Without a primary, or with nothing else, it is `adjust` of all.
    Raises ValueError for lists of different length, or what is no probability.
    """
    if len(primary) != len(_checked(p_values)):
        raise ValueError(f"needs a flag for each p-value, got {len(primary)} for {len(p_values)}")
    first = [i for i, flag in enumerate(primary) if flag]
    rest = [i for i, flag in enumerate(primary) if not flag]
    if not first or not rest:
        return adjust(p_values)
    head, tail = (adjust([p_values[i] for i in family]) for family in (first, rest))
    if rule == "gate":
        tail = tuple(max(p, max(head)) for p in tail)
    else:
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


def _step_up(p_values: Sequence[float], *, factor: float) -> tuple[float, ...]:
    m = len(_checked(p_values))
    adjusted = [0.0] * m
    running = 1.0
    for rank, i in reversed(list(enumerate(_ascending(p_values), start=1))):
        running = min(running, p_values[i] * factor * m / rank)
        adjusted[i] = running
    return tuple(adjusted)


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda i: p_values[i])


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    for p in p_values:
        if not 0.0 <= p <= 1.0:  # nan fails it too
            raise ValueError(f"a p-value lies between 0 and 1, got {p!r}")
    return p_values
