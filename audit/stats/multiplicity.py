"""Adjusted p-values of a family of tests; reject where the adjusted p is at most the level."""

from __future__ import annotations

import math
from collections.abc import Sequence


def bonferroni(p_values: Sequence[float]) -> tuple[float, ...]:
    """p_i m, at most 1: the family-wise error under any dependence."""
    m = len(_checked(p_values))
    return tuple(min(1.0, p * m) for p in p_values)


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
