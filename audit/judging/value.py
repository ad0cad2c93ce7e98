"""Value claims: the metric of an experiment is the printed number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.evidence import Arm
from audit.judging.case import Case, Judged, badged, with_interval
from audit.stats.instance import OtherSplit
from audit.stats.printed import printed
from audit.stats.sample import PooledSD, pool
from audit.stats.spread import Spread
from audit.stats.value import value

#: From so many seeds on, an experiment speaks by its own SD even where pooling is declared.
OWN_SD_FROM = 4


def judge_value(case: Case) -> Judged:
    (arm,) = case.arms
    claim, plain = case.claim, case.plain
    reported = printed(claim.printed[0])
    split = other_split_of(case, arm, target=float(reported.value))
    pooled = pooled_of(case, arm)
    test = value(
        arm.values,
        reported=reported,
        margin=case.margin,
        paper_runs=claim.runs_behind,
        spread=spread_of(case),
        pooled=pooled,
        deterministic=case.deterministic,
        other_split=split,
        alpha=case.alpha,
    )
    shown = replace(
        with_interval(plain, test),
        estimate=test.mean,
        target=float(reported.value),
        margin=test.margin,
        sd=test.sd,
        pi95=test.pi95,
    )
    if claim.deterministic and not arm.deterministic and test.n > 1 and test.sd != 0.0:
        shown = badged(shown, "declared deterministic, but the runs differ")
    if pooled is not None:
        shown = badged(shown, _about(pooled, len(claim.details["pool"])))
    if split is not None:
        shown = badged(shown, "noise of two test sets included")
    if plain.scope == "other_data" or (plain.scope == "other_split" and split is None):
        # the runs are shown, but p-values against a number of other data would mean nothing
        return Judged(replace(shown, reason=plain.scope))
    return Judged(shown, test)


def other_split_of(case: Case, arm: Arm, *, target: float) -> OtherSplit | None:
    """Sizes of both test sets, where the evidence is another split and a binomial error is to be had."""
    ours, documents = arm.runs[0].data.n_test, case.test_sizes.get(case.claim.dataset)
    percent = all(0.0 <= x <= 100.0 for x in (*arm.values, target))
    if case.plain.scope != "other_split" or not documents or ours < 1 or not percent:
        return None
    return OtherSplit(documents_paper=documents, documents_ours=ours)


def pooled_of(case: Case, arm: Arm) -> PooledSD | None:
    """The SD over the experiments that the claim file declares, where this one has few seeds of its own."""
    names = case.claim.details.get("pool")
    if not names or len(arm.values) >= OWN_SD_FROM:
        return None
    arms = [case.arm(name, case.claim.metric) for name in names]
    alike = {
        (it.record.model, run.spec.model, run.data.name, run.data.n_test)
        for it in arms
        if it.record
        for run in it.runs
    }
    groups = distinct_groups(arms)
    if len(alike) > 1 or not any(len(values) > 1 for values in groups):
        return PooledSD(0.0, 0)  # declared, and not to be used
    return pool(groups)


def _about(pooled: PooledSD, experiments: int) -> str:
    if pooled.usable:
        return f"pooled SD over {experiments} experiments, {pooled.df} df"
    larger = "; the larger of its own and the pooled SD counts" if pooled.sd > 0.0 else ""
    return f"SDs too unlike, or too few runs, to be pooled{larger}"


def distinct_groups(arms: Sequence[Arm]) -> list[list[float]]:
    """The values of each arm, each run once: two experiments of one configuration are the same runs, and add
    no degree of freedom.
    """
    seen: set[str] = set()
    groups = []
    for arm in arms:
        new = {run.key: x for run, x in zip(arm.runs, arm.values, strict=True) if run.key not in seen}
        seen.update(new)
        groups += [list(new.values())] if new else []
    return groups


def spread_of(case: Case) -> Spread | None:
    """What the paper prints after the plus-minus sign, if it says over how many runs."""
    held = case.claim.details.get("spread")
    if not held or case.claim.runs_behind < 2:
        return None
    return Spread(printed(held["size"]), held.get("reading"))
