"""Claims about two experiments: better, better by so much, as good as, significantly better."""

from __future__ import annotations

from dataclasses import replace

from audit.judging.case import Case, Judged, aligned, badged, final, with_interval
from audit.record import Verdict
from audit.stats.equivalence import equivalence, no_loss
from audit.stats.gap import gap_size
from audit.stats.order import OrderTest, order
from audit.stats.printed import printed
from audit.stats.significant import significant


def judge_order(case: Case) -> Judged:
    found = aligned(case)
    if found is None:
        return final(_with_target(case), "too_few_seeds")
    case, (better, worse) = _with_target(found[0]), found[1]
    test = order(
        better,
        worse,
        printed_gap=case.printed_gap,
        negligible=case.claim.negligible,
        pair=case.pair,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    shown = _difference(case, test)
    return Judged(badged(shown, "difference negligible") if _small(test, case.alpha) else shown, test)


def judge_gap(case: Case) -> Judged:
    """The printed difference is about the paper's data; on other documents nothing is judged by it."""
    found = aligned(case)
    if found is None:
        return final(_with_target(case), "too_few_seeds")
    case, (better, worse) = _with_target(found[0]), found[1]
    first, second = map(printed, case.claim.printed)
    test = gap_size(
        better,
        worse,
        printed_better=first,
        printed_worse=second,
        margin=case.margin,
        paper_runs=case.claim.runs_behind,
        paper_sd_ratio=case.kappa,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    shown = replace(with_interval(case.plain, test), estimate=test.gap, margin=test.margin, pi95=test.pi95)
    if case.plain.scope != "same_data":
        return Judged(replace(shown, reason=case.plain.scope or "other_data"))
    return Judged(shown, test)


def judge_equivalent(case: Case) -> Judged:
    found = aligned(case)
    if found is None:
        return final(_with_target(case), "too_few_seeds")
    case, (left, right) = _with_target(found[0]), found[1]
    compare = no_loss if case.claim.details.get("no_loss") else equivalence
    test = compare(
        left,
        right,
        margin=case.margin,
        pair=case.pair,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    shown = replace(with_interval(case.plain, test), estimate=test.difference, margin=test.margin)
    return Judged(shown, test)


def judge_significant(case: Case) -> Judged:
    """Better, and by more than the margin; what the table alone could support stands beside it."""
    found = aligned(case)
    if found is None:
        return final(_with_target(case), "too_few_seeds")
    case, (better, worse) = _with_target(found[0]), found[1]
    test = significant(
        better,
        worse,
        margin=case.margin,
        printed_gap=case.printed_gap,
        pair=case.pair,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    named = case.claim.details.get("test")
    shown = replace(_difference(case, test), margin=case.margin)
    return Judged(shown if named else badged(shown, "no test is named in the paper"), test)


def _with_target(case: Case) -> Case:
    return replace(case, plain=replace(case.plain, target=case.printed_gap))


def _difference(case: Case, test: OrderTest) -> Verdict:
    return replace(with_interval(case.plain, test), estimate=test.difference)


def _small(test: OrderTest, alpha: float) -> bool:
    """A direction that may hold, by a difference that hardly matters."""
    return test.testable and test.difference > 0.0 and (test.p_negligible or 0.0) <= alpha
