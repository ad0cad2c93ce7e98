"""Power of the tests: the chance that n seeds decide, if the true SD and the true difference were these.

sigma is the SD over seeds, delta the true difference, D the margin, k = `arms` the arms of n seeds each (1:
our runs against a printed number, 2: two systems), nu = k (n - 1). The SD s that the test will see is random
too: every power is exact, the normal probability given s averaged over s / sigma = sqrt(chi2_nu / nu). Where
variances are moderated, by `prior_df` = d0 an arm, the prior is taken to be right, s0 = sigma: the test then
sees s~^2 = (k d0 sigma^2 + nu s^2) / (k d0 + nu), and t has k d0 + nu degrees of freedom.

Of the two one-sided tests: Phillips 1990.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from audit.stats.decision import ALPHA
from audit.stats.student import quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NODES = 120
_TAIL = 1e-13
"""Probability of s left out at either end."""


def tost_power(
    n: int,
    *,
    sd: float,
    margin: float,
    difference: float = 0.0,
    arms: int = 1,
    prior_df: float = 0.0,
    alpha: float = ALPHA,
) -> float:
    """Of *reproduced* for values (one arm, `margin` = D - h) and equivalence (two arms).

        E_s [ Phi((D - t s r - delta) / (sigma r)) - Phi((-D + t s r - delta) / (sigma r)) ]_+,
        r = sqrt(k / n), t = t_{1-alpha,nu}

    Raises ValueError for fewer than 2 seeds, or an SD that is not above 0.
    """
    root, df, prior = _checked(n, sd, arms), arms * (n - 1), arms * prior_df
    t = quantile(1.0 - alpha, df + prior)
    se = sd * root

    def given(s: NDArray[Any]) -> NDArray[Any]:
        room = margin - t * s * root  # never below 0 up to `most`
        inside: NDArray[Any] = _phi((room - difference) / se) - _phi((-room - difference) / se)
        return inside

    return _over_sd(given, sd=sd, df=df, prior=prior, most=margin / (t * root))


def contradiction_power(
    n: int,
    *,
    sd: float,
    margin: float,
    difference: float,
    half_unit: float = 0.0,
    arms: int = 1,
    paper_runs: int | None = 1,
    paper_sd_ratio: float = 1.0,
    prior_df: float = 0.0,
    alpha: float = ALPHA,
) -> float:
    """Of *contradicted*, when the printed number is this far from our true mean.

        E_s P[|d| >= D + h + t s sqrt(k (1/n + r^2/m))],   d ~ N(delta, sigma^2 k / n),   t = t_{1-alpha/2,nu}

    m = `paper_runs` runs are behind the printed number; None where no printed number enters (equivalence).
    r = `paper_sd_ratio` is what the test takes for the SD of the paper's runs over ours.
    Raises ValueError as `tost_power`.
    """
    root, df, prior = _checked(n, sd, arms), arms * (n - 1), arms * prior_df
    predicted = math.sqrt(arms * (1.0 / n + (paper_sd_ratio**2 / paper_runs if paper_runs else 0.0)))
    t, se = quantile(1.0 - alpha / 2.0, df + prior), sd * root

    def given(s: NDArray[Any]) -> NDArray[Any]:
        bound = margin + half_unit + t * s * predicted
        outside: NDArray[Any] = _phi((difference - bound) / se) + _phi((-difference - bound) / se)
        return outside

    return _over_sd(given, sd=sd, df=df, prior=prior)


def order_power(
    n: int, *, sd: float, gap: float, arms: int = 2, prior_df: float = 0.0, alpha: float = ALPHA
) -> float:
    """Of a one-sided t test of two arms of n seeds each; or of n pairs (one arm: `sd` of the differences).

        P[t'_nu(gap / (sigma sqrt(k/n))) >= t_{1-alpha}],    nu = k (n - 1), t' noncentral

    Reversing a claim is two-sided: `alpha` / 2 with the gap the other way round.
    Raises ValueError as `tost_power`.
    """
    root, df, prior = _checked(n, sd, arms), arms * (n - 1), arms * prior_df
    t = quantile(1.0 - alpha, df + prior)
    return _over_sd(lambda s: _phi((gap - t * s * root) / (sd * root)), sd=sd, df=df, prior=prior)


def seeds_needed(
    power: Callable[[int], float], *, target: float, fewest: int = 3, most: int = 100
) -> int | None:
    """The smallest n from `fewest` to `most` with power(n) >= target; None where `most` does not reach it.

    The power must not fall with n, as none does that can reach the target at all.
    """
    if power(most) < target:
        return None
    low, high = fewest - 1, most  # power(high) reaches it, power(low) does not or is not allowed
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high


def _checked(n: int, sd: float, arms: int) -> float:
    """sqrt(k / n): standard error in units of the SD."""
    if n < 2 or not (math.isfinite(sd) and sd > 0.0):
        raise ValueError(f"power needs two seeds or more and an SD above 0, got {n!r} and {sd!r}")
    return math.sqrt(arms / n)


@lru_cache(maxsize=1)
def _legendre() -> tuple[NDArray[Any], NDArray[Any]]:
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _phi(z: NDArray[Any]) -> NDArray[Any]:
    from scipy import special

    p: NDArray[Any] = special.ndtr(z)
    return p


def _over_sd(
    given: Callable[[NDArray[Any]], NDArray[Any]],
    *,
    sd: float,
    df: int,
    prior: float,
    most: float = math.inf,
) -> float:
    """Mean of `given`(s~) over the law of s, where s~ <= `most`, by Gauss-Legendre quadrature.

    Density of u = s / sigma: 2 (nu/2)^(nu/2) / Gamma(nu/2) u^(nu-1) exp(-nu u^2 / 2).
    """
    import numpy as np
    from scipy import special

    low = math.sqrt(float(special.chdtri(df, 1.0 - _TAIL)) / df)
    room = max(0.0, ((most / sd) ** 2 * (prior + df) - prior) / df)
    high = min(math.sqrt(float(special.chdtri(df, _TAIL)) / df), math.sqrt(room))
    if high <= low:
        return 0.0
    nodes, weights = _legendre()
    u = (high - low) / 2.0 * nodes + (high + low) / 2.0
    log_density = (
        math.log(2.0)
        + df / 2.0 * math.log(df / 2.0)
        - math.lgamma(df / 2.0)
        + (df - 1) * np.log(u)
        - df * u * u / 2.0
    )
    moderated = sd * np.sqrt((prior + df * u * u) / (prior + df))
    total = (high - low) / 2.0 * float(np.sum(weights * np.exp(log_density) * given(moderated)))
    return min(1.0, max(0.0, total))
