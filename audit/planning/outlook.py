"""The open claims of an audit, and for each how many seeds would settle it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from audit.evidence import gather, one_test, priors_of
from audit.judging.measured import reaches_of
from audit.looks import first_seeds, furthest, next_level
from audit.manifest import NOT_IN_STORE
from audit.planning.ask import Evidence, ask
from audit.planning.question import FULL, NONE, Levels, Question
from audit.planning.run_time import RunTime, RunTimes
from audit.record import Audit, ClaimRecord, ExperimentRecord, Run, Verdict
from audit.runner.plan import LEFT_OUT
from audit.stats.planning import Needed
from audit.stats.threshold import threshold_bh, threshold_holm

#: Seeds an arm from which on claims are decided.
LEAST = 3

#: `ExperimentRecord.not_run` where an experiment could be run and has not been.
NOT_YET = "nothing of it was run yet"

#: Of these no more is to be told than that seeds are to be had.
_MERELY_NOT_RUN = (NOT_YET, LEFT_OUT, NOT_IN_STORE)

#: Kinds that are about printed numbers, which are judged on the paper's own data only.
_OF_PRINTED = ("value", "gap")

_SEEDS_HELP = frozenset({
    "not_run", "no_variance_estimate", "too_few_seeds", "within_seed_spread", "straddles_margin",
    "ambiguous_spread", "hangs_on_spread", "undecided", "multiplicity", "tied", "partly_run",
})  # fmt: skip
"""Reasons of *inconclusive* that further seeds can lift."""


_OBSTACLES = ("no_rule", "coarse_steps", "too_many_seeds", "no_number_of_our_seeds", "no_number_of_seeds")
"""Why no number of seeds can be named, though seeds are what the claim lacks."""


@dataclass(frozen=True)
class Outlook:
    """What it would take to settle one open claim."""

    claim: str
    kind: str
    reason: str
    """Reason code of the verdict as it is."""
    seeds_now: Mapping[str, int]
    """Experiment -> seeds that count."""
    reproduce: Needed = NONE
    contradict: Needed = NONE
    seeds: int | None = None
    """An arm, those already run included: for 80 %, whichever way it goes."""
    first: bool = False
    """Nothing can be said of it before `seeds` seeds."""
    time: RunTime | None = None
    """Of the runs that are missing; None where nothing tells."""
    part: str | None = None
    """The comparison that decides how many."""
    why_not: str | None = None
    """Code or sentence: why there is no number of seeds."""
    question: Question | None = field(default=None, compare=False)
    levels: Levels = FULL
    imported: bool = False
    """Whether it rests on imported runs, which no command of ours adds to."""

    @property
    def missing(self) -> Mapping[str, int]:
        """Experiment -> runs that are still to be had."""
        return {name: max(0, (self.seeds or 0) - n) for name, n in self.seeds_now.items()}

    @property
    def by_seeds(self) -> bool:
        """Whether more seeds are any use at all; how much, `chance` tells."""
        return self.reason in _SEEDS_HELP and self.why_not in (None, *_OBSTACLES)

    def chance(self, seeds: int) -> float | None:
        """To be decided with `seeds` seeds an arm, if all is as it is now; None where that is not known."""
        if self.question is None or self.first:
            return None
        return self.question.chance(seeds, self.levels)


def outlooks(audit: Audit, *, alpha: float | None = None) -> tuple[Outlook, ...]:
    """One for each inconclusive claim, in the order of the claims; `alpha`: of the look that is to come."""
    level = next_level(audit.looks) if alpha is None else alpha
    experiments = {it.id: it for it in audit.experiments}
    if audit.looks:
        seeds = furthest(audit.looks).seeds
        experiments = {name: first_seeds(it, seeds) for name, it in experiments.items()}
    evidence = Evidence(experiments, priors_of(audit.claims, experiments, audit.test_sizes), audit.test_sizes)
    times = RunTimes(audit.experiments)
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    found = []
    for claim, verdict in pairs:
        if verdict.outcome == "inconclusive":
            levels = _levels(claim, verdict, pairs, experiments, alpha=level)
            outlook = _outlook(claim, verdict, evidence, levels)
            imported = any(r.imported for name in claim.experiments for r in _runs(experiments, name))
            time = times.of(outlook.missing) if outlook.seeds and not imported else None
            found.append(replace(outlook, time=time, imported=imported))
    return tuple(found)


def _runs(experiments: Mapping[str, ExperimentRecord], name: str) -> Sequence[Run]:
    return experiments[name].runs if name in experiments else ()


def _levels(
    claim: ClaimRecord,
    own: Verdict,
    pairs: Sequence[tuple[ClaimRecord, Verdict]],
    experiments: Mapping[str, ExperimentRecord],
    *,
    alpha: float,
) -> Levels:
    """What the claim's p-values must reach, the others staying as they are; open ones count as not shown.

    What is the same test of the same runs counts once.
    """
    once: dict[str, tuple[ClaimRecord, Verdict]] = {}
    for it, v in pairs:
        if _tested(v) or v.reason in _SEEDS_HELP:
            once.setdefault(one_test(it, v, (v.p_reproduced, v.p_contradicted), experiments), (it, v))
    once.pop(one_test(claim, own, (own.p_reproduced, own.p_contradicted), experiments), None)
    others = list(once.values())
    shown = [(v.p_reproduced, v.p_contradicted) if _tested(v) else (1.0, 1.0) for _, v in others]
    return Levels(
        threshold_bh([1.0 if p is None else p for p, _ in shown], alpha=alpha),
        threshold_holm(
            [1.0 if p is None else p for _, p in shown],
            primary=[it.primary for it, _ in others],
            is_primary=claim.primary,
            alpha=alpha,
        ),
    )


def _tested(verdict: Verdict) -> bool:
    return verdict.p_reproduced_adjusted is not None


def _outlook(claim: ClaimRecord, verdict: Verdict, evidence: Evidence, levels: Levels) -> Outlook:
    experiments = evidence.experiments
    counted = zip(claim.experiments, verdict.n, strict=False)  # of a deterministic experiment one run is all
    held = ((name, n, experiments.get(name)) for name, n in counted)
    seeds = {name: n for name, n, it in held if not (it and it.runs and it.deterministic)}
    plain = Outlook(claim.id, claim.kind, verdict.reason, seeds, levels=levels)
    if verdict.reason not in _SEEDS_HELP:
        return replace(plain, why_not=verdict.reason)
    if claim.kind == "complexity" and _tested(verdict):
        return replace(plain, why_not="needs_sizes")
    if why := _cannot_run(claim, experiments):
        return replace(plain, why_not=why)
    if claim.kind in _OF_PRINTED and _on_other_data(claim, experiments):
        return replace(plain, why_not="other_data")
    if min(seeds.values(), default=LEAST) < LEAST:
        return replace(plain, seeds=LEAST, first=True)
    asked = ask(claim, verdict, evidence)
    if asked is None:
        coarse = claim.kind == "convergence" and _tied_steps(claim, experiments)
        return replace(plain, why_not="coarse_steps" if coarse else "no_rule")
    planned = asked.question.plan(levels)
    why_not: str | None = planned.obstacle
    if why_not == "no_number_of_our_seeds" and claim.kind not in ("value", "gap"):
        why_not = "no_number_of_seeds"
    return replace(
        plain,
        reproduce=planned.reproduce,
        contradict=planned.contradict,
        seeds=_more(planned.fewest, seeds),
        part=asked.part,
        why_not=why_not,
        question=asked.question,
    )


def _on_other_data(claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> bool:
    """Whether it is known that its runs are not on the paper's data, so that no printed number is judged.

    What was never planned for a corpus has neither runs nor a configuration: there nothing is known.
    """
    known = [experiments[name] for name in claim.experiments if name in experiments]
    return any(it.scope == "other_data" and (it.runs or it.config) for it in known)


def _tied_steps(claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> bool:
    """Whether of most pairs of runs, one of each side, both reach the score at the same evaluation."""
    sides = [gather(name, experiments, metric=claim.metric, cost=_any_run) for name in claim.experiments[:2]]
    target = float(claim.details.get("target") or 0.0)
    first, second = (list(reaches_of(it, claim.metric, target).values()) for it in sides)
    ties = sum(a == b for a in first for b in second)
    return 2 * ties > len(first) * len(second)


def _any_run(run: Run, metric: str) -> float:
    """Curves are read from every run that came to its end, whatever it measured."""
    return 0.0


def _more(fewest: int | None, seeds: Mapping[str, int]) -> int | None:
    """At least one more than there are: what is open is not settled by what there is."""
    return None if fewest is None else max(fewest, min(seeds.values()) + 1)


def _cannot_run(claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> str | None:
    """Why an experiment of the claim can have no runs, or None."""
    if not claim.experiments:
        return "no experiment stands behind it"
    for name in claim.experiments:
        record = experiments.get(name)
        if record is None:
            return f"there is no experiment {name!r}"
        if record.not_run and not record.config and record.not_run not in _MERELY_NOT_RUN:
            begins = "cannot be run" if record.unavailable else "not run"
            return f"{begins}: {record.not_run.rstrip('.')}"
    return None
