"""The interval of a share, such as 7 of 10 decided claims reproduced (Wilson 1927)."""

from __future__ import annotations


def wilson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Score interval; 0 of 5 gives [0, 0.434], where the textbook interval has no width.

    Raises ValueError unless 0 <= successes <= trials and there is a trial.
    """
    from scipy.stats import binomtest  # not at the top, as in `student`

    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(
            f"a share needs 0 <= successes <= trials and a trial, got {successes!r} of {trials!r}"
        )
    found = binomtest(successes, trials).proportion_ci(level, method="wilson")
    return float(found.low), float(found.high)
