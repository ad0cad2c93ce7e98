"""Power of the tests, and how many seeds would settle a claim if means and spread are as they are now.

sigma is the SD over seeds, delta the true difference, D the margin, k = `arms` the arms of n seeds each, nu =
k (n - 1), r = sqrt(k / n). The SD s that the test will see is random too: every power is exact, the normal
probability given s averaged over s / sigma = sqrt(chi2_nu / nu) (Phillips 1990). Where variances are
moderated, by `prior_df` = d0 an arm, the test sees s~^2 = (k d0 sigma^2 + nu s^2) / (k d0 + nu).

A `Question` is what a test asks of the means. It plans with the upper 80 % limit of the SD, since that of a
few seeds is unsure (Browne 1995), and tells the chance to be decided with the SD as it was seen."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from audit.stats.decision import ALPHA
from audit.stats.sample import Difference, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KAPPA = 2.0
"""SD of the paper's runs over that of ours, where the paper prints no spread: its number also carries what
our seeds do not vary (settings, checkpoint, the run that was reported). Bouthillier et al. 2021,
"Accounting for Variance in Machine Learning Benchmarks"."""

MOST = 100  # seeds beyond which no plan looks
FUTILE = 0.20  # below this power at the last look, more seeds are not worth their time

_NODES = 120
_TAIL = 1e-13  # probability of s left out at either end


class Noise(NamedTuple):
    sd: float  # Of one seed in each arm, moderated.
    df: float
    arms: int
    prior_df: float = 0.0  # Degrees of freedom that the prior adds to each arm.

    @property
    def upper(self) -> Noise:
        """At the upper 80 % confidence limit of sigma, s sqrt(nu / chi2_{0.2,nu}): 2.12 s at three seeds."""
        from scipy import special

        wider = 1.0 if math.isinf(self.df) else math.sqrt(self.df / float(special.chdtri(self.df, 0.80)))
        return self._replace(sd=self.sd * wider)

    def root(self, n: int) -> float:
        """Standard error of the difference at `n` seeds, in units of the SD: sqrt(k / n)."""
        return math.sqrt(self.arms / n)


def noise_of(difference: Difference) -> Noise:
    """Of two arms of which it can be estimated."""
    assert difference.error is not None
    arms = difference.first, difference.second
    sd = math.sqrt((arms[0].variance + arms[1].variance) / 2.0)
    return Noise(sd, difference.error.df, arms=2, prior_df=sum(arm.df - (arm.n - 1) for arm in arms) / 2.0)


def tost_power(
    n: int, noise: Noise, margin: float, difference: float = 0.0, *, alpha: float = ALPHA
) -> float:
    """Of *reproduced* for values (one arm, `margin` = D - h) and equivalence (two arms), n at least 2.

    E_s [ Phi((D - t s r - delta) / (sigma r)) - Phi((-D + t s r - delta) / (sigma r)) ]_+,  t = t_{1-alpha}
    """
    root = noise.root(n)  # and D - t s r is never below 0 up to `most`
    return _over_sd(lambda t_s: _within(margin - t_s * root, difference, noise, n), n, noise, alpha, margin)


def contradiction_power(
    n: int, noise: Noise, margin: float, difference: float, *, theirs: float = 0.0, alpha: float = ALPHA
) -> float:
    """Of *contradicted*, when the printed number is this far from our true mean; `margin` = D + h.

        E_s P[|d| >= D + h + t s sqrt(k (1/n + theirs))],   d ~ N(delta, sigma^2 k / n),   t = t_{1-alpha/2}

    `theirs` is what a paper of m runs, with an SD of kappa times ours, adds: kappa^2 / m."""
    predicted = math.sqrt(noise.arms * (1.0 / n + theirs))
    return _over_sd(
        lambda t_s: 1.0 - _within(margin + t_s * predicted, difference, noise, n), n, noise, alpha / 2.0
    )


def _within(bound: Floats, difference: float, noise: Noise, n: int) -> Floats:
    """P[|d| <= bound] where d is normal around the difference."""
    from scipy import special

    se = noise.sd * noise.root(n)
    p: Floats = special.ndtr((bound - difference) / se) - special.ndtr((-bound - difference) / se)
    return p


def order_power(n: int, noise: Noise, gap: float, *, alpha: float = ALPHA) -> float:
    """Of a one-sided t test of two arms of n seeds each: P[t'_nu(gap / (sigma r)) >= t_{1-alpha}], t'
    noncentral. Reversing a claim is two-sided: `alpha` / 2 with the gap the other way round."""
    from scipy import special

    root = noise.root(n)
    return _over_sd(lambda t_s: special.ndtr((gap - t_s * root) / (noise.sd * root)), n, noise, alpha)


def seeds_needed(
    power: Callable[[int], float], *, target: float, fewest: int = 3, most: int = MOST
) -> int | None:
    """The smallest n in `fewest`..`most` with power(n) >= target, or None. The power must not fall with n."""
    n = fewest + bisect_left(range(fewest, most + 1), target, key=power)
    return n if n <= most else None


def _over_sd(
    given: Callable[[Floats], Floats], n: int, noise: Noise, tail: float, most: float = math.inf
) -> float:
    """Mean of `given`(t s~) over the law of s, t s~ r <= `most`, by quadrature; beyond t is `tail`."""
    import numpy as np
    from scipy import special

    sd, df, prior = noise.sd, noise.arms * (n - 1), noise.arms * noise.prior_df
    t = quantile(1.0 - tail, df + prior)
    low = math.sqrt(float(special.chdtri(df, 1.0 - _TAIL)) / df)
    widest = most / noise.root(n) / (t * sd) if t > 0.0 else math.inf
    room = max(0.0, (widest**2 * (prior + df) - prior) / df)
    high = min(math.sqrt(float(special.chdtri(df, _TAIL)) / df), math.sqrt(room))
    if high <= low:
        return 0.0
    nodes, weights = _legendre()
    u = (high - low) / 2.0 * nodes + (high + low) / 2.0
    constant = math.log(2.0) + df / 2.0 * math.log(df / 2.0) - math.lgamma(df / 2.0)
    log_density = constant + (df - 1) * np.log(u) - df * u * u / 2.0
    moderated = sd * np.sqrt((prior + df * u * u) / (prior + df))
    total = (high - low) / 2.0 * float(np.sum(weights * np.exp(log_density) * given(t * moderated)))
    return min(1.0, max(0.0, total))


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    import numpy as np

    return np.polynomial.legendre.leggauss(_NODES)


class Levels(NamedTuple):
    """What a claim's own p-values must reach beside the other claims of the paper."""

    reproduce: float
    contradict: float


class Needed(NamedTuple):
    """Seeds an arm, those already run included; None where there is no such number up to `MOST`."""

    seeds_80: int | None
    seeds_90: int | None


FULL = Levels(ALPHA, ALPHA)
NONE = Needed(None, None)


def _needed(power: Callable[[int, Noise, float], float], noise: Noise, alpha: float) -> Needed:
    return Needed(*(seeds_needed(lambda n: power(n, noise, alpha), target=goal) for goal in (0.80, 0.90)))


def _fewest(needed: Sequence[Needed]) -> Needed:
    each = zip(*needed, strict=True) if needed else ((), ())
    return Needed(*(min((n for n in seeds if n is not None), default=None) for seeds in each))


@dataclass(frozen=True)
class Plan:
    reproduce: Needed
    contradict: Needed
    hopeless: bool = field(default=False, compare=False)
    """Whether more seeds than `MOST` would not do either."""
    holds: bool = field(default=True, compare=False)  # False where more seeds could only contradict.

    @property
    def fewest(self) -> int | None:
        """Seeds an arm for 80 %, whichever way it goes."""
        return _fewest([self.reproduce, self.contradict]).seeds_80

    @property
    def obstacle(self) -> Literal["too_many_seeds", "no_number_of_our_seeds"] | None:
        """None where one of the two is reached with 80 % power; else whether the authors' seeds would settle
        it (the noise is the paper's own run, or the difference lies on the margin), or more than `MOST`."""
        if self.fewest is not None:
            return None
        return "no_number_of_our_seeds" if self.hopeless else "too_many_seeds"


@dataclass(frozen=True)
class Distance:
    """Is the difference within a margin? Values, gaps and equivalence. With ever more of our seeds a claim is
    reproduced iff |delta| < D - h, and contradicted iff |delta| > D + h + z_.975 sigma sqrt(k theirs):
    between the two no number of our seeds settles it."""

    difference: float
    noise: Noise
    margin: float
    half_unit: float = 0.0
    theirs: float = 0.0  # kappa^2 / m; 0 where no printed number enters.

    def plan(self, levels: Levels) -> Plan:
        noise, distance = self.noise.upper, abs(self.difference)
        luck = quantile(1.0 - levels.contradict / 2.0, math.inf) * math.sqrt(noise.arms * self.theirs)
        if distance < self.margin - self.half_unit:
            return Plan(_needed(self._inside, noise, levels.reproduce), NONE)
        if distance <= self.margin + self.half_unit + luck * noise.sd:
            return Plan(NONE, NONE, hopeless=True)
        return Plan(NONE, _needed(self._outside, noise, levels.contradict), holds=False)

    def chance(self, seeds: int, levels: Levels) -> float:
        inside = self._inside(seeds, self.noise, levels.reproduce)
        return min(1.0, inside + self._outside(seeds, self.noise, levels.contradict))

    def _inside(self, seeds: int, noise: Noise, alpha: float) -> float:
        return tost_power(seeds, noise, self.margin - self.half_unit, self.difference, alpha=alpha)

    def _outside(self, seeds: int, noise: Noise, alpha: float) -> float:
        far = self.margin + self.half_unit
        return contradiction_power(seeds, noise, far, self.difference, theirs=self.theirs, alpha=alpha)


@dataclass(frozen=True)
class Direction:
    """Is the difference above a bar, or below a floor? Orders, significance, "no loss". Of orders the floor
    is the negligible size, above the bar of 0: in between is a negligible gain."""

    difference: float
    noise: Noise
    bar: float = 0.0  # Reproduced above it.
    floor: float = 0.0  # Contradicted below it.
    small: float | None = None  # One within it and not above 0 contradicts too; None where none does.

    @property
    def strength(self) -> float:
        """Of the evidence for it, in SDs."""
        return (self.difference - self.bar) / self.noise.sd

    def plan(self, levels: Levels) -> Plan:
        noise, beyond = self.noise.upper, self.difference - self.floor
        holds, falls = self.difference > self.bar, beyond < 0.0 or (self.small is not None and beyond == 0.0)
        if holds and falls:
            return Plan(NONE, NONE, hopeless=True)
        up = _needed(self.above, noise, levels.reproduce) if holds else NONE
        down = _needed(self.broken, noise, levels.contradict) if falls else NONE
        return Plan(up, down, hopeless=not (holds or falls), holds=holds)

    def chance(self, seeds: int, levels: Levels) -> float:
        """Of one without the other: where the floor is above the bar, both decide nothing."""
        either = self.above(seeds, self.noise, levels.reproduce)
        either += self.broken(seeds, self.noise, levels.contradict)
        return min(either, 2.0 - either) if self.floor > self.bar else min(1.0, either)

    def above(self, seeds: int, noise: Noise, alpha: float) -> float:
        return order_power(seeds, noise, self.difference - self.bar, alpha=alpha)

    def broken(self, seeds: int, noise: Noise, alpha: float) -> float:
        off = self.difference - self.floor
        below = order_power(seeds, noise, -off, alpha=alpha / 2.0)
        if self.small is None or off > 0.0:
            return below
        return max(below, tost_power(seeds, noise, self.small, off, alpha=alpha))


@dataclass(frozen=True)
class Several:
    """Do all orders hold? Rankings, trends, optima and dominance; one that is reversed breaks them."""

    parts: tuple[Direction, ...]
    shared: bool
    """Whether Holm's rule is applied inside: the weakest part has the whole level, the next one half, ..."""
    one_of: tuple[Direction, ...] = ()  # One of these must hold as well.
    sweep: bool = False
    """Whether Page's exact test is made too: with m levels and n seeds its p is at least (1 / m!)^n."""
    one_sided: bool = False  # Whether a reversal has the whole level, and not half of it.
    names: tuple[str, ...] = ()  # Of the parts.

    @property
    def weakest(self) -> str:
        return self.names[min(range(len(self.parts)), key=lambda i: self.parts[i].strength)]

    def _shares(self, alpha: float) -> list[tuple[Direction, float]]:
        ordered = sorted(self.parts, key=lambda part: part.strength)
        return [(part, alpha / rank if self.shared else alpha) for rank, part in enumerate(ordered, start=1)]

    def _reversing(self, alpha: float) -> float:
        """The two-sided level at which one part breaks them all."""
        return (2.0 if self.one_sided else 1.0) * alpha / len(self.parts)

    def _blocks(self, alpha: float) -> int:
        """The fewest seeds with which Page's test can reach the level at all."""
        return math.ceil(math.log(1.0 / alpha) / math.log(math.factorial(len(self.parts) + 1)))

    def plan(self, levels: Levels) -> Plan:
        every = [part.plan(Levels(alpha, 1.0)).reproduce for part, alpha in self._shares(levels.reproduce)]
        if self.one_of:
            alone = Levels(levels.reproduce / len(self.one_of), 1.0)
            every.append(_fewest([part.plan(alone).reproduce for part in self.one_of]))
        if self.sweep:
            blocks = self._blocks(levels.reproduce)
            every.append(Needed(blocks, blocks))
        share = Levels(0.5, self._reversing(levels.contradict))
        most = (None if None in seeds else max(n for n in seeds if n) for seeds in zip(*every, strict=True))
        holds = [part.difference > part.bar for part in self.parts]
        one = not self.one_of or any(part.difference > part.bar for part in self.one_of)
        reversing = _fewest([part.plan(share).contradict for part in self.parts])
        return Plan(Needed(*most), reversing, holds=all(holds) and one)

    def chance(self, seeds: int, levels: Levels) -> float:
        """At most: the parts are taken to fail together."""
        holds = min(part.above(seeds, part.noise, alpha) for part, alpha in self._shares(levels.reproduce))
        if self.one_of:
            alone = levels.reproduce / len(self.one_of)
            holds = min(holds, max(part.above(seeds, part.noise, alone) for part in self.one_of))
        if self.sweep and seeds < self._blocks(levels.reproduce):
            holds = 0.0
        broken = max(
            part.broken(seeds, part.noise, self._reversing(levels.contradict)) for part in self.parts
        )
        return min(1.0, holds + broken)


#: What a test asks of the means: `plan` the seeds for an answer, and the `chance` to have one with so many.
Question = Distance | Direction | Several
