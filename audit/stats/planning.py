"""How many seeds would settle a claim, if the mean that was seen is right; or that no number of ours does.

The SD is planned with at its upper 80 % limit, since that of a few seeds is unsure (Browne 1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

from audit.stats.decision import ALPHA
from audit.stats.power import contradiction_power, order_power, seeds_needed, tost_power
from audit.stats.student import quantile

MOST = 100
"""Seeds beyond which no plan looks."""

Obstacle = Literal["too_many_seeds", "no_number_of_our_seeds"]


@dataclass(frozen=True)
class Needed:
    """Seeds an arm, those already run included; None where there is no such number up to `MOST`."""

    seeds_80: int | None
    seeds_90: int | None


@dataclass(frozen=True)
class Plan:
    sd: float
    """The SD planned with: the upper 80 % limit of the one that was seen."""
    reproduce: Needed
    contradict: Needed
    obstacle: Obstacle | None
    """None where one of the two is reached with 80 % power.

    `no_number_of_our_seeds`: the paper's own run is the noise, or the difference lies on the margin; the
    authors' seeds would settle it. `too_many_seeds`: more than `MOST` of ours would.
    """

    @property
    def fewest(self) -> int | None:
        """Seeds an arm for 80 %, whichever way it goes."""
        return min((n for n in (self.reproduce.seeds_80, self.contradict.seeds_80) if n), default=None)


def upper_sd(sd: float, df: float, *, level: float = 0.80) -> float:
    """Upper confidence limit of sigma, s sqrt(nu / chi2_{1-level,nu}): 2.12 s at three seeds, 1.56 s at five.

    The SD of a few runs is too small more often than not, and a plan made with it falls short.
    Raises ValueError for an SD that is not above 0, or no degree of freedom.
    """
    from scipy import special  # not at the top, as in `student`

    if not (math.isfinite(sd) and sd > 0.0 and df >= 1.0):
        raise ValueError(f"planning needs an SD above 0 with a degree of freedom, got {sd!r} with {df!r}")
    return sd if math.isinf(df) else sd * math.sqrt(df / float(special.chdtri(df, level)))


def plan(
    *,
    difference: float,
    sd: float,
    df: float,
    margin: float,
    half_unit: float = 0.0,
    arms: int = 1,
    paper_runs: int | None = 1,
    paper_sd_ratio: float = 1.0,
    prior_df: float = 0.0,
    alpha: float = ALPHA,
) -> Plan:
    """For value claims (one arm), gap claims (two), and equivalence (two, `paper_runs` None).

    With ever more of our seeds a claim is reproduced iff |delta| < D - h, and contradicted iff
    |delta| > D + h + z_.975 sigma r sqrt(k / m), r = `paper_sd_ratio`, since the paper's m runs remain as
    noisy as they are. Between the two no number of our seeds settles it. Raises ValueError as `upper_sd`.
    """
    sigma, distance = upper_sd(sd, df), abs(difference)
    inside = partial(
        tost_power,
        sd=sigma,
        margin=margin - half_unit,
        difference=difference,
        arms=arms,
        prior_df=prior_df,
        alpha=alpha,
    )
    outside = partial(
        contradiction_power,
        sd=sigma,
        margin=margin,
        difference=difference,
        half_unit=half_unit,
        arms=arms,
        paper_runs=paper_runs,
        paper_sd_ratio=paper_sd_ratio,
        prior_df=prior_df,
        alpha=alpha,
    )
    luck = paper_sd_ratio * sigma * math.sqrt(arms / paper_runs) if paper_runs else 0.0
    never = (
        margin - half_unit <= distance <= margin + half_unit + quantile(1.0 - alpha / 2.0, math.inf) * luck
    )
    none = Needed(None, None)
    reproduce = _needed(inside) if distance < margin - half_unit else none
    contradict = none if never or distance < margin - half_unit else _needed(outside)
    return _plan(sigma, reproduce, contradict, never=never)


def plan_order(
    *,
    gap: float,
    sd: float,
    df: float,
    printed_gap: float | None = None,
    negligible: float = 0.1,
    arms: int = 2,
    prior_df: float = 0.0,
    alpha: float = ALPHA,
) -> Plan:
    """Is the difference of two arms of SD `sd` each above 0, or below it? It is `gap`, better minus worse.

    A difference within `negligible` counts as below where the printed gap is more than twice that. One arm:
    pairs, with the SD of their differences. Raises ValueError as `upper_sd`.
    """
    sigma, none = upper_sd(sd, df), Needed(None, None)
    power = partial(order_power, sd=sigma, arms=arms, prior_df=prior_df)
    reproduce = _needed(partial(power, gap=gap, alpha=alpha)) if gap > 0.0 else none
    routes = []
    if gap < 0.0:
        routes.append(_needed(partial(power, gap=-gap, alpha=alpha / 2.0)))
    if printed_gap is not None and printed_gap > 2.0 * negligible and abs(gap) < negligible:
        routes.append(
            _needed(
                partial(
                    tost_power,
                    sd=sigma,
                    margin=negligible,
                    difference=gap,
                    arms=arms,
                    prior_df=prior_df,
                    alpha=alpha,
                ),
            )
        )
    contradict = Needed(
        _least([route.seeds_80 for route in routes]), _least([route.seeds_90 for route in routes])
    )
    return _plan(sigma, reproduce, contradict, never=gap <= 0.0 and not routes)


def _needed(power: partial[float]) -> Needed:
    return Needed(*(seeds_needed(power, target=target, most=MOST) for target in (0.80, 0.90)))


def _least(seeds: list[int | None]) -> int | None:
    return min((n for n in seeds if n is not None), default=None)


def _plan(sigma: float, reproduce: Needed, contradict: Needed, *, never: bool) -> Plan:
    settled = reproduce.seeds_80 is not None or contradict.seeds_80 is not None
    obstacle: Obstacle | None = None
    if not settled:
        obstacle = "no_number_of_our_seeds" if never else "too_many_seeds"
    return Plan(sigma, reproduce, contradict, obstacle)
