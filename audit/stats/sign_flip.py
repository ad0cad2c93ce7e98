"""The exact sign-flip test over seeds: shown beside a verdict, never its gate.

Fisher 1935.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: 2^20 sums of signs are enumerated in 0.05 s; more seeds than that need no exact test.
MOST = 20


@dataclass(frozen=True)
class SignFlip:
    p_two_sided: float
    p_greater: float


def sign_flip(differences: Sequence[float]) -> SignFlip:
    """Share of the 2^n sign patterns whose sum is as large as the one observed (Fisher 1935).

        p_greater = #{s : sum s_i d_i >= sum d_i} / 2^n,    p_two_sided with absolute values

    Assumes paired differences that are symmetric around 0 under the null; no normal distribution. Sums that
    differ by rounding count as equal. p_two_sided is never below 2 / 2^n, so that five seeds cannot reach
    0.05: what it says of few seeds is mostly how few they are.
    Raises ValueError for no difference, nan or infinity, or more than 20.
    """
    import numpy as np  # not at the top, as scipy in `student`

    d = [float(x) for x in differences]
    if not 1 <= len(d) <= MOST or not all(map(math.isfinite, d)):
        raise ValueError(f"the sign-flip test needs 1 to {MOST} finite differences, got {d!r}")
    sums = np.zeros(1)
    for x in d:
        sums = np.concatenate([sums + x, sums - x])
    observed, dust = math.fsum(d), 1e-12 * max(1.0, math.fsum(map(abs, d)))
    return SignFlip(
        p_two_sided=float(np.mean(np.abs(sums) >= abs(observed) - dust)),
        p_greater=float(np.mean(sums >= observed - dust)),
    )


def floor(n: int, *, two_sided: bool) -> float:
    """The smallest p that n differences can give: 2 / 2^n two-sided, 1 / 2^n one-sided."""
    return min(1.0, (2.0 if two_sided else 1.0) / 2.0**n)


def seeds_needed(*, alpha: float, two_sided: bool) -> int:
    """The fewest seeds with which the test can reach `alpha`: 6 two-sided, 5 one-sided, for 0.05."""
    return next(n for n in range(1, 1075) if floor(n, two_sided=two_sided) <= alpha)
