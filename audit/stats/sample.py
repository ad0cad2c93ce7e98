"""The runs of an arm as a sample: Student's t, mean and SD, moderated variances (Smyth 2004), errors of
differences (Satterthwaite 1946, Welch 1947). Tails and quantiles are those of `scipy.special`, imported where
they are used: it takes 0.3 s to load."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

#: Values that differ by less (in points, or as a share of their size if that is over 1) are equal: summation
#: order moved them, not a seed.
SAME = 1e-9
#: With fewer arms nothing is said of a common variance.
FEWEST_ARMS = 3

SpreadReading = Literal["sd", "se", "ci95"]
#: What a paper prints after the plus-minus sign -> SD of one of its m runs (Cumming, Fidler and Vaux 2007):
#: x is that SD, or the standard error of the mean, or half of a 95 % interval of the mean. With h_x it is the
#: upper end of its rounding interval: `0.0` may be 0.05, which must not make us surer of a contradiction.
SPREADS: dict[SpreadReading, str] = {
    "sd": "x + h_x",
    "se": "(x + h_x) * sqrt(m)",
    "ci95": "(x + h_x) * sqrt(m) / t(0.975)",
}


def upper_tail(distance: float, se: float, df: float) -> float:
    """P[t_df >= distance / se]; normal if `df` is infinite; with `se` = 0 the limit 0, 1, or 1/2 at zero."""
    from scipy import special

    if se == 0.0:
        return 0.5 if distance == 0.0 else float(distance < 0.0)
    return float(special.stdtr(df, -distance / se))


def quantile(probability: float, df: float) -> float:
    """The t with P[t_df <= t] = `probability`; 2.9200 for 0.95 and 2 degrees of freedom."""
    from scipy import special

    return float(special.ndtri(probability) if math.isinf(df) else special.stdtrit(df, probability))


def interval(centre: float, se: float, df: float, *, level: float = 0.95) -> tuple[float, float]:
    """Two-sided interval centre -+ t * se of coverage `level`."""
    half = quantile(0.5 + level / 2.0, df) * se
    return centre - half, centre + half


@dataclass(frozen=True)
class Prior:
    """What the variances of the arms of one metric on one corpus have in common."""

    df: float  # d0 as used: at most half of the arms' degrees of freedom.
    variance: float  # s0^2, on the scale on which variances are shrunk.
    percent: bool
    """Whether that scale is s^2 / (m (100 - m) / 2500), m the arm's mean: a share scatters most at 50."""
    fitted_df: float  # d0 as the moments give it; may be infinite.

    def at(self, mean: float) -> float:
        """The common variance on the scale of an arm with this mean."""
        return self.variance * (percent_scale(mean) if self.percent else 1.0)


class Moderated(tuple[float, ...]):
    """Values of an arm with the prior by which `sample` moderates their variance."""

    prior: Prior

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moderated) and self.prior == other.prior and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((tuple(self), self.prior))

    @classmethod
    def of(cls, values: Iterable[float], prior: Prior) -> Moderated:
        made = cls(values)
        made.prior = prior
        return made


class Constant(tuple[float, ...]):
    """Values that nothing random made: their spread is 0, and not merely unseen."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and tuple(self) == tuple(other)

    __hash__ = tuple.__hash__


def percent_scale(mean: float) -> float:
    """1 in the middle, 0 at the ends."""
    return mean * (100.0 - mean) / 2500.0


def prior_of(arms: Sequence[Sequence[float]], *, percent: bool | None = None) -> Prior | None:
    """By the moments of log s^2 over arms of two values or more that do vary; None for fewer than three arms.

        e = log s^2 - digamma(d / 2) + log(d / 2)
        trigamma(d0 / 2) = var e - mean trigamma(d / 2)          d0 infinite where that is not above 0
        s0^2 = exp(mean e + digamma(d0 / 2) - log(d0 / 2))       the mean of s^2 where d0 is infinite

    `percent`: whether they are shares of 100; by default where all means lie between 0 and 100."""
    import numpy as np
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
    half = 0.5 + 1.0 / spread  # by Newton's method on 1 / trigamma, which is nearly linear (Smyth, appendix)
    for _ in range(20):
        value = float(special.polygamma(1, half))
        half += value * (1.0 - value / spread) / float(special.polygamma(2, half))
    variance = math.exp(float(e.mean() + special.digamma(half) - math.log(half)))
    return Prior(min(2.0 * half, most), variance, percent, 2.0 * half)


@dataclass(frozen=True)
class Sample:
    n: int
    mean: float
    sd: float | None
    """The SD to judge by, with n - 1 or moderated; None for one value, exactly 0.0 if all are equal."""
    df: float  # n - 1, and those of the prior where the SD is moderated.

    @property
    def variance(self) -> float:
        """Of one value; 0.0 where it cannot be estimated (callers refuse that case by its n)."""
        return self.sd * self.sd if self.sd is not None else 0.0


def sample(values: Sequence[float]) -> Sample:
    """Summary of `values`; the variance of `Moderated` ones is (d0 s0^2 + d s^2) / (d0 + d). Equal values get
    their own value as the mean and 0.0 as the SD, not the dust that rounding leaves. Raises ValueError for no
    values, nan or infinity."""
    if not values or not all(map(math.isfinite, values)):
        raise ValueError(f"a sample needs one finite value or more, got {list(values)!r}")
    n, low, high = len(values), min(values), max(values)
    if high - low <= SAME * max(1.0, abs(low), abs(high)):
        return Sample(n, float(values[0]), 0.0 if n > 1 else None, n - 1)
    mean = math.fsum(values) / n
    variance, df = math.fsum((x - mean) ** 2 for x in values) / (n - 1), float(n - 1)
    if isinstance(values, Moderated):
        prior = values.prior
        variance = (prior.df * prior.at(mean) + df * variance) / (prior.df + df)
        df += prior.df
    return Sample(n, mean, math.sqrt(variance), df)


#: With fewer seeds an arm is not judged by its own spread.
DECIDING_SEEDS = 3


def small_sample_cap(n: int, *, still: bool) -> str | None:
    """Reason code why an arm's `n` runs decide nothing by their own SD, or None when they may."""
    if n < DECIDING_SEEDS:
        return "no_variance_estimate" if n == 1 else "too_few_seeds"
    return "no_spread" if still else None


class Error(NamedTuple):
    se: float
    df: float


def error(*parts: tuple[float, float]) -> Error:
    """Standard error and Satterthwaite's degrees of freedom of a sum of (variance, degrees of freedom) parts:
    (sum v_i)^2 / sum (v_i^2 / df_i). A part whose df is infinite is known exactly."""
    total = math.fsum(v for v, _ in parts)
    if total == 0.0:
        return Error(0.0, math.inf)
    # shares instead of variances: their squares cannot underflow together
    inverse = math.fsum((v / total) ** 2 / df for v, df in parts if v > 0.0 and not math.isinf(df))
    return Error(math.sqrt(total), 1.0 / inverse if inverse > 0.0 else math.inf)


@dataclass(frozen=True)
class Difference:
    """Mean of the first arm minus that of the second."""

    first: Sample
    second: Sample
    value: float
    se: float | None  # None where an arm with one run gives no variance; so `df`.
    df: float | None
    cap: str | None = None  # Reason code why it may not decide: fewer than 3 runs, or no spread at all.
    still: bool = False  # Both arms have two runs or more, all equal within the arm.
    lender: Sample | None = None  # The arm by whose SD the other one is judged, too.

    @property
    def error(self) -> Error | None:
        """The standard error where it is a number to divide by."""
        return Error(self.se, self.df) if self.se and self.df is not None else None

    def parts(self, theirs: float = 0.0) -> list[tuple[float, float]]:
        """(variance, degrees of freedom) of s_A^2 (1 / n_A + theirs) + s_B^2 (1 / n_B + theirs)."""
        arms = self.first, self.second
        parts = [(arm.variance / arm.n + arm.variance * theirs, arm.df) for arm in arms]
        return [(parts[0][0] + parts[1][0], self.lender.df)] if self.lender else parts


def welch(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Unequal variances (Welch 1947): se^2 = sA^2/nA + sB^2/nB, Satterthwaite's degrees of freedom. An arm of
    a deterministic model adds nothing to either. Other runs may be equal by chance, as those of a few test
    documents are: they are taken to scatter as the other arm does. If both are so, there is no error
    estimate (`no_spread`). Raises ValueError for an empty arm, nan or infinity."""
    a, b = sample(first), sample(second)
    value, least = a.mean - b.mean, min(a.n, b.n)
    if least == 1:
        return Difference(a, b, value, None, None, "no_variance_estimate")
    lender = None
    if a.sd == 0.0 and not isinstance(first, Constant):
        a, lender = replace(a, sd=b.sd), b
    elif b.sd == 0.0 and not isinstance(second, Constant):
        b, lender = replace(b, sd=a.sd), a
    made = Difference(a, b, value, None, None, lender=lender)
    se, df = error(*made.parts())
    still = se == 0.0
    cap = small_sample_cap(least, still=still)
    return replace(made, se=se, df=a.df + b.df if still else df, cap=cap, still=still)


def instance_se(percent: float, *, documents: int) -> float:
    """Standard error, in points, of a mean over `documents` documents: sqrt(p (100 - p) / N). Binomial
    (Dietterich 1998) for P@1; an upper bound for P@k and nDCG@k, which lie in [0, 1] too."""
    return math.sqrt(percent * (100.0 - percent) / documents)


def mcnemar(first_only: int, second_only: int) -> float:
    """Two-sided p, min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)]), of documents that one system alone gets right
    (McNemar 1947, exact): noise of documents, not of seeds. 1 for b + c = 0."""
    from scipy import special

    fewer, both = min(first_only, second_only), first_only + second_only
    return min(1.0, 2.0 * float(special.bdtr(fewer, both, 0.5)))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95 % score interval of a share (Wilson 1927); 0 of 5 gives [0, 0.434], which has a width."""
    from scipy import special

    z, share = float(special.ndtri(0.975)), successes / trials
    width = 2.0 * (trials + z**2)
    middle = (2.0 * successes + z**2) / width
    half = z / width * math.sqrt(4.0 * successes * (1.0 - share) + z**2)
    return (0.0 if successes == 0 else middle - half, 1.0 if successes == trials else middle + half)
