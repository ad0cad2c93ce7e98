"""Intervals for a share, such as 7 of 10 decided claims reproduced.

Wilson 1927; Clopper and Pearson 1934.
"""

from __future__ import annotations

import math

from audit.stats.student import quantile


def wilson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Score interval (Wilson 1927); 0 of 5 gives [0, 0.434], where the textbook interval has no width.

    (p + z^2/2n -+ z sqrt(p (1 - p) / n + z^2/4n^2)) / (1 + z^2/n), z the normal quantile.
    Raises ValueError unless 0 <= successes <= trials and there is a trial.
    """
    _check(successes, trials)
    z = quantile(0.5 + level / 2.0, math.inf)
    p, zz = successes / trials, z * z / trials
    half = z * math.sqrt((p * (1.0 - p) + zz / 4.0) / trials) / (1.0 + zz)
    center = (p + zz / 2.0) / (1.0 + zz)
    # at the ends the formula gives 0 and 1 but for rounding
    low = 0.0 if successes == 0 else center - half
    high = 1.0 if successes == trials else center + half
    return low, high


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Exact binomial interval (Clopper and Pearson 1934), by quantiles of the beta distribution."""
    from scipy import special  # not at the top, as in `student`

    _check(successes, trials)
    tail = 0.5 - level / 2.0
    low = 0.0 if successes == 0 else float(special.betaincinv(successes, trials - successes + 1, tail))
    high = (
        1.0
        if successes == trials
        else float(special.betaincinv(successes + 1, trials - successes, 1.0 - tail))
    )
    return low, high


def _check(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(
            f"a share needs 0 <= successes <= trials and a trial, got {successes!r} of {trials!r}"
        )
