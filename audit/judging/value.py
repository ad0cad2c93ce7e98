"""Value claims: the metric of an experiment is the printed number."""

from __future__ import annotations

from dataclasses import replace

from audit.evidence import Arm
from audit.judging.case import Case, Judged, badged, with_interval
from audit.stats.instance import OtherSplit
from audit.stats.printed import printed
from audit.stats.spread import Spread
from audit.stats.value import value


def judge_value(case: Case) -> Judged:
    (arm,) = case.arms
    claim, plain = case.claim, case.plain
    reported = printed(claim.printed[0])
    split = other_split_of(case, arm, target=float(reported.value))
    test = value(
        arm.values,
        reported=reported,
        margin=case.margin,
        paper_runs=claim.runs_behind,
        paper_sd_ratio=case.kappa,
        spread=spread_of(case),
        deterministic=case.deterministic,
        other_split=split,
        alpha=case.alpha,
    )
    shown = replace(
        with_interval(plain, test),
        estimate=test.mean,
        target=float(reported.value),
        margin=test.margin,
        sd=arm.scatter.sd,
        pi95=test.pi95,
    )
    if claim.deterministic and not arm.deterministic and test.n > 1 and test.sd != 0.0:
        shown = badged(shown, "declared deterministic, but the runs differ")
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


def spread_of(case: Case) -> Spread | None:
    """What the paper prints after the plus-minus sign, if it says over how many runs."""
    held = case.claim.details.get("spread")
    if not held or case.claim.runs_behind < 2:
        return None
    return Spread(printed(held["size"]), held.get("reading"))
