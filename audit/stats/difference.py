"""The difference of two arms' means, with its standard error: unpaired (Welch) or paired by seed.

Welch 1947 with the degrees of freedom of Satterthwaite 1946; of pairs Student's t (Student 1908).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.stats.instance import satterthwaite
from audit.stats.sample import sample, small_sample_cap
from audit.stats.student import interval, upper_tail


@dataclass(frozen=True)
class Difference:
    """First minus second; `se` and `df` are None where an arm with one run gives no variance."""

    value: float
    se: float | None
    df: float | None
    cap: str | None
    """Reason code why it may not decide: fewer than 3 runs (or pairs), or no spread at all."""
    still: bool
    """Both arms have two runs or more, all equal within the arm."""

    @property
    def estimated(self) -> bool:
        """True where the standard error is a number to divide by."""
        return self.se is not None and self.se > 0.0

    def above(self, bound: float) -> float:
        """One-sided p of "the true difference is at most `bound`": small when it is greater."""
        assert self.se is not None
        assert self.df is not None
        return upper_tail(self.value - bound, self.se, self.df)

    def below(self, bound: float) -> float:
        """One-sided p of "the true difference is at least `bound`": small when it is less."""
        assert self.se is not None
        assert self.df is not None
        return upper_tail(bound - self.value, self.se, self.df)

    def interval(self, level: float) -> tuple[float, float] | None:
        """Two-sided interval for the true difference; None where there is no error to speak of."""
        if not self.estimated or self.se is None or self.df is None:
            return None
        return interval(self.value, self.se, self.df, level=level)


def welch(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Unequal variances (Welch 1947): se^2 = sA^2/nA + sB^2/nB, Satterthwaite's degrees of freedom.

    An arm whose runs are all equal adds nothing to the error, and its n - 1 does not count either: the other
    arm's degrees of freedom remain. When both are so, the difference has no error estimate (`no_spread`).
    Raises ValueError for an empty arm, nan or infinity.
    """
    a, b = sample(first), sample(second)
    if min(a.n, b.n) == 1:
        return Difference(a.mean - b.mean, None, None, "no_variance_estimate", still=False)
    va, vb = a.variance / a.n, b.variance / b.n
    still = va == 0.0 == vb
    df = a.df + b.df if still else satterthwaite(((va, a.df), (vb, b.df)))
    cap = small_sample_cap(min(a.n, b.n), still=still)
    return Difference(a.mean - b.mean, math.sqrt(va + vb), df, cap, still)


def paired(first: Sequence[float], second: Sequence[float]) -> Difference:
    """One-sample t on the differences of the pairs, df = pairs - 1.

    Only where a pair shares its randomness (initialisation *and* data order); the same seed integer in two
    architectures is not pairing. Raises ValueError for arms of different length, no pair, nan or infinity.
    """
    if len(first) != len(second):
        raise ValueError(f"pairs need two arms of one length, got {len(first)} and {len(second)}")
    pairs = sample([a - b for a, b in zip(first, second, strict=True)])
    cap = small_sample_cap(pairs.n, still=pairs.sd == 0.0)
    if pairs.sd is None:
        return Difference(pairs.mean, None, None, cap, still=False)
    still = sample(first).sd == 0.0 == sample(second).sd
    return Difference(pairs.mean, pairs.sd / math.sqrt(pairs.n), pairs.df, cap, still)
