"""What the tests of a claim ask of the means, as the power functions take it.

Every question plans with the upper limit of the SD (`stats.planning`), and tells the chance to be decided
with the SD as it was seen: a plan must not fall short, and seeds must not be called futile too soon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from audit.stats.decision import ALPHA
from audit.stats.difference import paired, welch
from audit.stats.moderated import Moderated
from audit.stats.planning import Needed, Plan, plan, plan_order
from audit.stats.power import contradiction_power, order_power, tost_power
from audit.stats.sample import sample
from audit.stats.target import KAPPA

NONE = Needed(None, None)


class Levels(NamedTuple):
    """What a claim's own p-values must reach beside the other claims of the paper."""

    reproduce: float
    contradict: float


FULL = Levels(ALPHA, ALPHA)


class Question(Protocol):
    def plan(self, levels: Levels) -> Plan:
        """Seeds an arm to reproduce and to contradict, if the means are as they are now."""
        ...

    def chance(self, seeds: int, levels: Levels) -> float:
        """To be decided either way with so many seeds an arm, if means and SD are as they are now."""
        ...


@dataclass(frozen=True)
class Noise:
    sd: float
    """Of one seed in each arm, moderated; of the differences where seeds are pairs (one arm)."""
    df: float
    arms: int
    prior_df: float = 0.0
    """Degrees of freedom that the prior adds to each arm."""


def noise_of(first: Sequence[float], second: Sequence[float], *, pair: bool) -> Noise | None:
    """Of two arms; None where it cannot be estimated. Raises ValueError as `stats.difference`."""
    difference = (paired if pair else welch)(first, second)
    if not difference.estimated or difference.se is None or difference.df is None:
        return None
    if pair:
        return Noise(difference.se * math.sqrt(len(first)), difference.df, arms=1)
    both = (sample(first).variance + sample(second).variance) / 2.0
    prior = sum(it.prior.df for it in (first, second) if isinstance(it, Moderated)) / 2.0
    return Noise(math.sqrt(both), difference.df, arms=2, prior_df=prior)


@dataclass(frozen=True)
class Distance:
    """Is the difference within a margin? Values, gaps and equivalence."""

    difference: float
    noise: Noise
    margin: float
    half_unit: float = 0.0
    paper_runs: int | None = None
    kappa: float = KAPPA

    def plan(self, levels: Levels) -> Plan:
        return _both(
            lambda alpha: plan(
                difference=self.difference,
                sd=self.noise.sd,
                df=self.noise.df,
                margin=self.margin,
                half_unit=self.half_unit,
                arms=self.noise.arms,
                paper_runs=self.paper_runs,
                paper_sd_ratio=self.kappa,
                prior_df=self.noise.prior_df,
                alpha=alpha,
            ),
            levels,
        )

    def chance(self, seeds: int, levels: Levels) -> float:
        inside = tost_power(
            seeds,
            sd=self.noise.sd,
            margin=self.margin - self.half_unit,
            difference=self.difference,
            arms=self.noise.arms,
            prior_df=self.noise.prior_df,
            alpha=levels.reproduce,
        )
        outside = contradiction_power(
            seeds,
            sd=self.noise.sd,
            margin=self.margin,
            difference=self.difference,
            half_unit=self.half_unit,
            arms=self.noise.arms,
            paper_runs=self.paper_runs,
            paper_sd_ratio=self.kappa,
            prior_df=self.noise.prior_df,
            alpha=levels.contradict,
        )
        return min(1.0, inside + outside)


@dataclass(frozen=True)
class Direction:
    """Is the difference above a bar, or below a floor? Orders, significance, "no loss".

    Of orders the floor is the negligible size, above the bar of 0: in between is a negligible gain.
    """

    difference: float
    noise: Noise
    bar: float = 0.0
    """Reproduced above it."""
    floor: float = 0.0
    """Contradicted below it."""
    printed_gap: float | None = None
    negligible: float = 0.1

    @property
    def strength(self) -> float:
        """Of the evidence for it, in SDs."""
        return (self.difference - self.bar) / self.noise.sd

    def plan(self, levels: Levels) -> Plan:
        plan_of = partial(
            plan_order,
            sd=self.noise.sd,
            df=self.noise.df,
            arms=self.noise.arms,
            prior_df=self.noise.prior_df,
        )
        up = plan_of(gap=self.difference - self.bar, alpha=levels.reproduce)
        if self.bar < self.difference < self.floor:
            return Plan(up.sd, NONE, NONE, "no_number_of_our_seeds")
        down = plan_of(
            gap=self.difference - self.floor,
            printed_gap=self.printed_gap,
            negligible=self.negligible,
            alpha=levels.contradict,
        )
        return _joined(up, down)

    def chance(self, seeds: int, levels: Levels) -> float:
        """Of one without the other: where the floor is above the bar, both decide nothing."""
        either = self.holds(seeds, levels.reproduce) + self.broken(seeds, levels.contradict)
        return min(either, 2.0 - either) if self.floor > self.bar else min(1.0, either)

    def holds(self, seeds: int, alpha: float) -> float:
        """Chance to be shown."""
        gap = self.difference - self.bar
        return self._power(seeds, gap=gap, alpha=alpha)

    def broken(self, seeds: int, alpha: float) -> float:
        """Chance to be contradicted."""
        down = self._power(seeds, gap=self.floor - self.difference, alpha=alpha / 2.0)
        if self.printed_gap is None or self.printed_gap <= 2.0 * self.negligible:
            return down
        small = tost_power(
            seeds,
            sd=self.noise.sd,
            margin=self.negligible,
            difference=self.difference,
            arms=self.noise.arms,
            prior_df=self.noise.prior_df,
            alpha=alpha,
        )
        return max(down, small)

    def _power(self, seeds: int, *, gap: float, alpha: float) -> float:
        noise = self.noise
        return order_power(seeds, sd=noise.sd, gap=gap, arms=noise.arms, prior_df=noise.prior_df, alpha=alpha)


@dataclass(frozen=True)
class Several:
    """Do all orders hold? Rankings, trends, optima and dominance; one that is reversed breaks them."""

    parts: tuple[Direction, ...]
    shared: bool
    """Whether Holm's rule is applied inside: the weakest part has the whole level, the next one half, ..."""
    one_of: tuple[Direction, ...] = ()
    """One of these must hold as well."""
    sweep: bool = False
    """Whether Page's exact test is made too: with m levels and n seeds its p is at least (1 / m!)^n."""

    @property
    def weakest(self) -> int:
        """Which part is the hardest to show."""
        return min(range(len(self.parts)), key=lambda i: self.parts[i].strength)

    def _shares(self, alpha: float) -> list[tuple[Direction, float]]:
        ordered = sorted(self.parts, key=lambda it: it.strength)
        return [(it, alpha / rank if self.shared else alpha) for rank, it in enumerate(ordered, start=1)]

    def plan(self, levels: Levels) -> Plan:
        k = len(self.parts)
        up = [it.plan(Levels(alpha, alpha)) for it, alpha in self._shares(levels.reproduce)]
        alone = Levels(levels.reproduce / max(1, len(self.one_of)), 1.0)
        any_up = [it.plan(alone).reproduce for it in self.one_of]
        down = [it.plan(Levels(0.5, levels.contradict / k)).contradict for it in self.parts]
        every = [it.reproduce for it in up] + ([_fewest(any_up)] if any_up else [])
        if self.sweep:
            blocks = self._blocks(levels.reproduce)
            every.append(Needed(blocks, blocks))
        together = Plan(max(it.sd for it in up), _most(every), _fewest(down), None)
        return _joined(together, together)

    def _blocks(self, alpha: float) -> int:
        """The fewest seeds with which Page's test can reach the level at all."""
        return math.ceil(math.log(1.0 / alpha) / math.log(math.factorial(len(self.parts) + 1)))

    def chance(self, seeds: int, levels: Levels) -> float:
        """At most: the parts are taken to fail together."""
        holds = min(it.holds(seeds, alpha) for it, alpha in self._shares(levels.reproduce))
        if self.one_of:
            alone = levels.reproduce / len(self.one_of)
            holds = min(holds, max(it.holds(seeds, alone) for it in self.one_of))
        if self.sweep and seeds < self._blocks(levels.reproduce):
            holds = 0.0
        broken = max(it.broken(seeds, levels.contradict / len(self.parts)) for it in self.parts)
        return min(1.0, holds + broken)


def _both(make: Callable[[float], Plan], levels: Levels) -> Plan:
    return _joined(make(levels.reproduce), make(levels.contradict))


def _joined(up: Plan, down: Plan) -> Plan:
    """Reproducing at one level, contradicting at another."""
    if up.reproduce.seeds_80 is not None or down.contradict.seeds_80 is not None:
        return Plan(up.sd, up.reproduce, down.contradict, None)
    return Plan(up.sd, up.reproduce, down.contradict, down.obstacle or "too_many_seeds")


def _most(needed: Sequence[Needed]) -> Needed:
    """Of all that must be had."""
    return Needed(
        *(_max(values) for values in zip(*((it.seeds_80, it.seeds_90) for it in needed), strict=True))
    )


def _fewest(needed: Sequence[Needed]) -> Needed:
    """Of those of which one will do."""
    return Needed(
        *(_min(values) for values in zip(*((it.seeds_80, it.seeds_90) for it in needed), strict=True))
    )


def _max(values: Sequence[int | None]) -> int | None:
    there = [n for n in values if n is not None]
    return max(there) if len(there) == len(values) else None


def _min(values: Sequence[int | None]) -> int | None:
    return min((n for n in values if n is not None), default=None)
