"""One claim with the runs that bear on it, and the verdict that it comes to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from audit.evidence import Arm, Priors, by_seed, common_seeds, gather
from audit.record import ClaimRecord, ExperimentRecord, Verdict
from audit.stats.decision import ALPHA, Decidable
from audit.stats.printed import gap, printed
from audit.stats.target import KAPPA


@dataclass(frozen=True)
class Case:
    """A claim, its arms in the order in which the kind reads them, and the verdict as far as it is known."""

    claim: ClaimRecord
    arms: tuple[Arm, ...]
    plain: Verdict
    """Without outcome: scope, counts, values and badges."""
    experiments: Mapping[str, ExperimentRecord] = field(default_factory=dict)
    """All experiments of the paper."""
    test_sizes: Mapping[str, int] = field(default_factory=dict)
    """Data set id -> test documents as printed."""
    alpha: float = ALPHA
    """Level of this look: 0.05, or its share where seeds are added look by look."""
    needed: tuple[float, float] | None = None
    """p-values to reproduce and to contradict that the paper's other claims leave; None while unknown."""
    priors: Priors = field(default_factory=dict)
    kappa: float = KAPPA

    @property
    def pair(self) -> bool:
        """Whether runs of one seed are pairs: declared of our runs, and unknown of imported ones."""
        return self.claim.paired is not None and not any(r.imported for arm in self.arms for r in arm.runs)

    @property
    def deterministic(self) -> bool:
        """Whether arms without spread have none since nothing is random: declared by models or the claim."""
        still = [arm for arm in self.arms if len(arm.values) > 1 and min(arm.values) == max(arm.values)]
        return self.claim.deterministic or (bool(still) and all(arm.deterministic for arm in still))

    @property
    def margin(self) -> float:
        """The claim's margin; the comparator has seen to it that there is one."""
        assert self.claim.margin is not None
        return self.claim.margin.value

    @property
    def printed_gap(self) -> float | None:
        """First printed minus second, exact in decimals; None when the table prints only one or none."""
        if len(self.claim.printed) != 2:
            return None
        first, second = map(printed, self.claim.printed)
        return float(gap(first, second))

    def arm(self, experiment: str, metric: str) -> Arm:
        """The evidence of any experiment of the paper."""
        return gather(
            experiment,
            self.experiments,
            metric=metric,
            priors=self.priors,
            test_sizes=self.test_sizes,
        )

    def badge(self, *texts: str) -> Case:
        """The case with warnings beside its verdict."""
        return replace(self, plain=badged(self.plain, *texts))


@dataclass(frozen=True)
class Judged:
    """A verdict with all its numbers but no outcome yet, and the test that will give one."""

    verdict: Verdict
    test: Decidable | None = None
    """None where the reason in `verdict` is final."""


class Interval(Protocol):
    """What tests of one comparison have in common."""

    @property
    def se(self) -> float | None: ...
    @property
    def df(self) -> float | None: ...
    @property
    def ci90(self) -> tuple[float, float] | None: ...
    @property
    def ci95(self) -> tuple[float, float] | None: ...


def with_interval(verdict: Verdict, test: Interval) -> Verdict:
    df = test.df if test.df is not None and math.isfinite(test.df) else None  # JSON has no infinity
    return replace(verdict, se=test.se, df=df, ci90=test.ci90, ci95=test.ci95)


def with_band(verdict: Verdict, test: Decidable | None, *, alpha: float) -> Verdict:
    """Where another margin would change the verdict, the claim taken alone."""
    if test is None or test.margins is None or not test.testable:
        return verdict
    band = test.margins.band(alpha, alpha)
    return replace(
        verdict,
        margin_reproduced_from=band.reproduced_from,
        margin_reproduced_up_to=band.reproduced_up_to,
        margin_contradicted_from=band.contradicted_from,
        margin_contradicted_up_to=band.contradicted_up_to,
    )


def badged(verdict: Verdict, *texts: str) -> Verdict:
    return replace(verdict, badges=(*verdict.badges, *texts))


def final(case: Case, reason: str) -> Judged:
    """Inconclusive for a reason that no test can lift."""
    return Judged(replace(case.plain, reason=reason))


def aligned(case: Case) -> tuple[Case, list[Sequence[float]]] | None:
    """The arms' values; of paired claims those of the seeds that all arms have. None where there are none."""
    for arm in case.arms:
        if len(arm.values) > 2 and max(arm.values) == min(arm.values) and not arm.deterministic:
            case = case.badge(f"{arm.experiment}: no spread")
    if not case.pair:
        return case, [arm.values for arm in case.arms]
    common = common_seeds(case.arms)
    case = case.badge(f"{len(common)} pairs of seeds")
    return (case, [by_seed(arm, common) for arm in case.arms]) if common else None
