"""Variances of many small samples, shrunk towards a common one (empirical Bayes).

Smyth 2004, "Linear models and empirical Bayes methods" (SAGMB 3(1):3): the variances of the arms are draws
from a scaled inverse chi-square law, whose two parameters come from the moments of log s^2. The scatter of a
share grows towards 50, so that of metrics in percent s^2 / (m (100 - m) / 2500) is shrunk, m the arm's mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FEWEST_ARMS = 3
"""With fewer arms nothing is said of a common variance."""


@dataclass(frozen=True)
class Prior:
    """What the arms of one metric on one corpus have in common."""

    df: float
    """d0 as used: at most half of the arms' degrees of freedom."""
    variance: float
    """s0^2, on the scale on which variances are shrunk."""
    percent: bool
    fitted_df: float
    """d0 as the moments give it; may be infinite."""

    def scale(self, mean: float) -> float:
        return percent_scale(mean) if self.percent else 1.0

    def shrunk(self, variance: float, df: int, *, mean: float) -> float:
        """(d0 s0^2 + d s^2) / (d0 + d), which has d0 + d degrees of freedom."""
        return (self.df * self.variance * self.scale(mean) + df * variance) / (self.df + df)


class Moderated(tuple[float, ...]):
    """Values of an arm together with the prior by which `sample` moderates their variance."""

    prior: Prior

    @classmethod
    def of(cls, values: Iterable[float], prior: Prior) -> Moderated:
        found = cls(values)
        found.prior = prior
        return found


def percent_scale(mean: float) -> float:
    """1 in the middle, 0 at the ends."""
    return mean * (100.0 - mean) / 2500.0


def prior_of(arms: Sequence[Sequence[float]], *, percent: bool | None = None) -> Prior | None:
    """By the moments of log s^2 over arms of two values or more that do vary; None for fewer than three.

    `percent` says whether they are shares of 100; by default where all means lie between 0 and 100.

    e = log s^2 - digamma(d / 2) + log(d / 2)
    trigamma(d0 / 2) = var e - mean trigamma(d / 2)          d0 infinite where that is not above 0
    s0^2 = exp(mean e + digamma(d0 / 2) - log(d0 / 2))       the mean of s^2 where d0 is infinite
    """
    import numpy as np  # not at the top, as scipy in `student`
    from scipy import special

    if len(arms) < FEWEST_ARMS:
        return None
    means = [math.fsum(arm) / len(arm) for arm in arms]
    if percent is None:
        percent = all(0.0 < mean < 100.0 for mean in means)
    scales = np.array([percent_scale(mean) if percent else 1.0 for mean in means])
    variances = np.array([np.var(arm, ddof=1) for arm in arms]) / scales
    d = np.array([len(arm) - 1.0 for arm in arms])
    e = np.log(variances) - special.digamma(d / 2) + np.log(d / 2)
    spread = float(e.var(ddof=1) - special.polygamma(1, d / 2).mean())
    most = float(d.sum()) / 2.0
    if spread <= 0.0:
        return Prior(most, float(variances.mean()), percent, math.inf)
    df = 2.0 * _trigamma_inverse(spread)
    variance = math.exp(float(e.mean() + special.digamma(df / 2) - math.log(df / 2)))
    return Prior(min(df, most), variance, percent, df)


def _trigamma_inverse(x: float) -> float:
    """Newton's method on 1 / trigamma, which is nearly linear (Smyth 2004, appendix)."""
    from scipy import special

    y = 0.5 + 1.0 / x
    for _ in range(50):
        value = float(special.polygamma(1, y))
        step = value * (1.0 - value / x) / float(special.polygamma(2, y))
        y += step
        if abs(step) < 1e-12 * y:
            break
    return y
