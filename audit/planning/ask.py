"""From a claim with its verdict to the question that its test asks, one function a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from audit.evidence import Arm, Priors, by_seed, common_seeds, gather
from audit.planning.question import Direction, Distance, Noise, Question, Several, noise_of
from audit.record import ClaimRecord, ExperimentRecord, Scatter, Verdict
from audit.stats.printed import printed


@dataclass(frozen=True)
class Evidence:
    """What further seeds are planned by."""

    experiments: Mapping[str, ExperimentRecord]
    priors: Priors
    test_sizes: Mapping[str, int]

    def arm(self, name: str, metric: str) -> Arm:
        sizes = self.test_sizes
        return gather(name, self.experiments, metric=metric, priors=self.priors, test_sizes=sizes)


@dataclass(frozen=True)
class Asked:
    question: Question
    part: str | None = None
    """The comparison on which it hangs, where there are several."""


def ask(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    """None where there is no rule to plan such a claim, or no estimate of the noise to plan it with."""
    rule = _RULES.get(claim.kind)
    return rule(claim, verdict, evidence) if rule else None


def _value(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    if not verdict.sd or verdict.df is None or verdict.margin is None or verdict.estimate is None:
        return None
    number = printed(claim.printed[0])
    scatter = verdict.scatter[0] if verdict.scatter else Scatter(verdict.sd)
    return Asked(
        Distance(
            verdict.estimate - float(number.value),
            Noise(scatter.moderated or verdict.sd, verdict.df, arms=1, prior_df=scatter.prior_df),
            verdict.margin,
            float(number.half_unit),
            claim.runs_behind,
        )
    )


def _gap(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    noise = _noise(claim, claim.experiments, claim.metric, evidence)
    if noise is None or verdict.margin is None or verdict.estimate is None:
        return None
    first, second = map(printed, claim.printed[:2])
    claimed, half_unit = float(first.value - second.value), float(first.half_unit + second.half_unit)
    return Asked(Distance(verdict.estimate - claimed, noise, verdict.margin, half_unit, claim.runs_behind))


def _equivalent(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    noise = _noise(claim, claim.experiments, claim.metric, evidence)
    if noise is None or verdict.margin is None or verdict.estimate is None:
        return None
    if claim.details.get("no_loss"):
        return Asked(Direction(verdict.estimate, noise, bar=-verdict.margin, floor=-verdict.margin))
    return Asked(Distance(verdict.estimate, noise, verdict.margin))


def _order(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    noise = _noise(claim, claim.experiments, claim.metric, evidence)
    if noise is None or verdict.estimate is None:
        return None
    gap, least = verdict.target, claim.negligible
    floor = 0.0 if gap is not None and gap <= 2.0 * least else least
    return Asked(Direction(verdict.estimate, noise, floor=floor))


def _significant(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    noise = _noise(claim, claim.experiments, claim.metric, evidence)
    if noise is None or verdict.estimate is None or claim.margin is None:
        return None
    margin = claim.margin.value
    return Asked(
        Direction(verdict.estimate, noise, bar=margin, printed_gap=verdict.target, negligible=margin)
    )


def _ranking(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    found = _directions(claim, list(pairwise(claim.experiments)), evidence)
    return _several(found, shared=True)


def _trend(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    """By its steps, which is more than the trend needs: no step back, and Page's test."""
    rising = claim.details.get("direction", "rising") == "rising"
    climb = claim.experiments if rising else claim.experiments[::-1]
    found = _directions(claim, [(after, before) for before, after in pairwise(climb)], evidence)
    return _several(found, shared=True, sweep=True)


def _optimum(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    best, *others = dict.fromkeys(claim.experiments)
    found = _directions(claim, [(best, name) for name in others], evidence)
    if claim.details.get("strength", "unique") == "unique":
        return _several(found, shared=True)
    if claim.margin is None:
        return None
    margin = -claim.margin.value
    within = {
        name: Direction(it.difference, it.noise, bar=margin, floor=margin) for name, it in found.items()
    }
    return _several(within, shared=False, one_of=tuple(found.values()))


def _dominance(claim: ClaimRecord, verdict: Verdict, evidence: Evidence) -> Asked | None:
    """Only of "the best everywhere"; for counts of data sets there is no rule."""
    if claim.details.get("place", 1) != 1 or claim.details.get("at_least") is not None:
        return None
    found: dict[str, Direction] = {}
    for line in claim.details.get("lines", ()):
        pairs = [(line["winner"], rival) for rival in line["rivals"]]
        held = _directions(claim, pairs, evidence, metric=line["metric"])
        if len(held) < len(pairs):
            return None
        found |= {f"{line['dataset']} {line['metric']}: {name}": it for name, it in held.items()}
    return _several(found, shared=False)


def _several(
    found: Mapping[str, Direction], *, shared: bool, one_of: tuple[Direction, ...] = (), sweep: bool = False
) -> Asked | None:
    if not found:
        return None
    question = Several(tuple(found.values()), shared=shared, one_of=one_of, sweep=sweep)
    return Asked(question, list(found)[question.weakest])


def _directions(
    claim: ClaimRecord,
    pairs: list[tuple[str, str]],
    evidence: Evidence,
    *,
    metric: str | None = None,
) -> dict[str, Direction]:
    """Each pair as an order claim; none at all where the noise of one cannot be estimated."""
    metric = claim.metric if metric is None else metric
    found = {}
    for first, second in pairs:
        noise = _noise(claim, (first, second), metric, evidence)
        values = [evidence.arm(name, metric).values for name in (first, second)]
        if noise is None or not all(values):
            return {}
        means = [sum(it) / len(it) for it in values]
        found[f"{first} > {second}"] = Direction(means[0] - means[1], noise)
    return found


def _noise(claim: ClaimRecord, names: tuple[str, ...], metric: str, evidence: Evidence) -> Noise | None:
    if len(names) != 2:
        return None
    arms = [evidence.arm(name, metric) for name in names]
    values = [arm.values for arm in arms]
    if claim.paired:
        common = common_seeds(arms)
        values = [by_seed(arm, common) for arm in arms]
    return noise_of(*values, pair=bool(claim.paired)) if all(len(it) > 1 for it in values) else None


#: Kinds that can be planned.
_RULES: Mapping[str, Callable[[ClaimRecord, Verdict, Evidence], Asked | None]] = {
    "value": _value,
    "gap": _gap,
    "equivalent": _equivalent,
    "order": _order,
    "significant": _significant,
    "ranking": _ranking,
    "trend": _trend,
    "optimum": _optimum,
    "dominance": _dominance,
}
