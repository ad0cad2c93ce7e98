"""Several order claims as one: what rankings, trends, optima and "best of all" are made of.

That all hold is shown by the largest p, an intersection-union test (Berger 1982); that one is broken is by
Holm 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.decision import Decision
from audit.stats.order import OrderTest


@dataclass(frozen=True)
class Sides:
    """The p-values of several order claims, each from both sides."""

    holds: tuple[float, ...]
    """One-sided p of each order."""
    reversed: tuple[float, ...]
    """Two-sided p of its reverse."""
    worse: tuple[float, ...]
    """One-sided p of its reverse."""
    caps: tuple[str | None, ...]
    exact: bool
    """Nothing is random: all arms are deterministic, and the p-values are 0 or 1."""

    @property
    def cap(self) -> str | None:
        """Why nothing can be decided, where no order may; the reason of the first."""
        return self.caps[0] if all(self.caps) else None

    @property
    def undecided(self) -> str:
        """Why not all orders can hold: the reason of the first that may not decide, if there is one."""
        return next((cap for cap in self.caps if cap), "undecided")

    def decision(self, *, holds: float, broken: float, reason: str) -> Decision | None:
        """The decision by p-values that are 0 or 1; None where something is random."""
        if not self.exact:
            return None
        if broken == 0.0:
            return Decision("contradicted", "reversed")
        return Decision("reproduced", reason) if holds == 0.0 else Decision("inconclusive", "undecided")


def sides(tests: Sequence[OrderTest]) -> Sides:
    """The sides of `tests`; an exact order (of deterministic arms) has p = 0 on its side and 1 on the other.

    An order that is capped, for too few seeds, still belongs to the family: it was to be tested, and neither
    side of it is shown (p = 1). Raises ValueError for no test.
    """
    if not tests:
        raise ValueError("needs at least one order claim, got none")
    holds, backwards, worse = zip(*map(_side, tests), strict=True)
    caps = tuple(test.cap for test in tests)
    return Sides(holds, backwards, worse, caps, exact=all(test.exact is not None for test in tests))


def _side(test: OrderTest) -> tuple[float, float, float]:
    if test.exact is not None:
        broken = 0.0 if test.exact.reason == "reversed" else 1.0
        return (0.0 if test.exact.outcome == "reproduced" else 1.0), broken, broken
    if test.cap is not None or test.p_reproduced is None or test.p_reversed is None or test.p_worse is None:
        return 1.0, 1.0, 1.0
    return test.p_reproduced, test.p_reversed, test.p_worse
