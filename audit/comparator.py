"""Claims and evidence to verdicts: what the runs say about each claim, all claims of a paper taken together.

The statistics are in `audit.stats`; here is what they may be applied to. Reason codes beside those of the
tests:

    not_run, run_failed             no value to judge by
    same_runs, different_data       two arms that cannot be compared
    other_data, other_split         a printed number is not about the data that was run
    unverified_reimplementation     a contradiction, but the model has not passed its own checks
    no_margin, no_printed_number    the claim does not say what to judge by
    kind_not_judged                 no rule for this kind of claim
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audit.evidence import Arm, badges, by_seed, gather, same_test_set, share_runs, worst_scope
from audit.record import ClaimRecord, ExperimentRecord, Verdict
from audit.stats.decision import ALPHA, Decidable
from audit.stats.equivalence import EquivalenceTest, equivalence
from audit.stats.instance import OtherSplit
from audit.stats.multiplicity import benjamini_hochberg, holm
from audit.stats.order import OrderTest, order
from audit.stats.printed import gap, printed
from audit.stats.value import ValueTest, value

_ARMS = {"value": 1, "order": 2, "equivalent": 2}


@dataclass(frozen=True)
class _Judged:
    """A verdict with all its numbers but no outcome yet, and the test that will give one."""

    verdict: Verdict
    test: Decidable | None = None
    """None where the reason in `verdict` is final."""


def compare(
    claims: Sequence[ClaimRecord],
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Mapping[str, bool],
    margins: tuple[str, str] | None = None,
    test_sizes: Mapping[str, int] | None = None,
    alpha: float = ALPHA,
) -> tuple[Verdict, ...]:
    """One verdict for each of a paper's claims, in their order.

    `fidelity` says for each model whether it passed its own checks; without that a contradiction is not
    given out. `margins` is the paper's key and the present hash of its margins, to be held against the run
    records. `test_sizes` gives the number of test documents that the paper prints for a dataset; evidence of
    another split needs it, and stays inconclusive without.
    """
    judged = [_judge(claim, experiments, margins=margins, test_sizes=test_sizes or {}) for claim in claims]
    adjusted = _adjusted([it.test for it in judged])
    settled = []
    for claim, it, (p_reproduced, p_contradicted) in zip(claims, judged, adjusted, strict=True):
        verified = all(fidelity.get(experiments[name].model) is True for name in claim.experiments if it.test)
        settled.append(_settle(it, p_reproduced, p_contradicted, verified=verified, alpha=alpha))
    return tuple(settled)


def _adjusted(tests: Sequence[Decidable | None]) -> list[tuple[float | None, float | None]]:
    """(p_reproduced, p_contradicted) of each claim, adjusted over all claims that could be tested.

    Holm over the contradictions (any dependence), Benjamini-Hochberg over the reproductions. One family a
    paper; headline claims first would be another partition of `family`, here and nowhere else.
    """
    family = [
        (i, test.p_reproduced, test.p_contradicted)
        for i, test in enumerate(tests)
        if test is not None and test.testable
    ]
    reproduced = benjamini_hochberg([p for _, p, _ in family if p is not None])
    contradicted = holm([p for _, _, p in family if p is not None])
    adjusted: list[tuple[float | None, float | None]] = [(None, None)] * len(tests)
    for (i, _, _), p_reproduced, p_contradicted in zip(family, reproduced, contradicted, strict=True):
        adjusted[i] = (p_reproduced, p_contradicted)
    return adjusted


def _settle(
    judged: _Judged, p_reproduced: float | None, p_contradicted: float | None, *, verified: bool, alpha: float
) -> Verdict:
    if judged.test is None:
        return judged.verdict
    decision = judged.test.decide(p_reproduced=p_reproduced, p_contradicted=p_contradicted, alpha=alpha)
    outcome, reason = decision.outcome, decision.reason
    if outcome == "contradicted" and not verified:
        outcome, reason = "inconclusive", "unverified_reimplementation"
    return replace(
        judged.verdict,
        outcome=outcome,
        reason=reason,
        p_reproduced=judged.test.p_reproduced,
        p_contradicted=judged.test.p_contradicted,
        p_reproduced_adjusted=p_reproduced,
        p_contradicted_adjusted=p_contradicted,
    )


# --------------------------------------------------------------------------- one claim


def _judge(
    claim: ClaimRecord,
    experiments: Mapping[str, ExperimentRecord],
    *,
    margins: tuple[str, str] | None,
    test_sizes: Mapping[str, int],
) -> _Judged:
    arms = [gather(name, experiments, metric=claim.metric) for name in claim.experiments]
    plain = Verdict(
        claim=claim.id,
        outcome="inconclusive",
        reason="",
        scope=worst_scope(arms),
        n=tuple(len(arm.runs) for arm in arms),
        attempts=tuple(arm.attempts for arm in arms),
        values=tuple(arm.values for arm in arms),
        seeds=tuple(arm.seeds for arm in arms),
        badges=badges(arms, margins=margins),
    )
    obstacle = _obstacle(claim, arms)
    if obstacle is not None:
        return _Judged(replace(plain, reason=obstacle))
    if claim.kind == "value":
        return _judge_value(claim, arms[0], plain, documents=test_sizes.get(claim.dataset))
    return _judge_pair(claim, arms[0], arms[1], plain)


def _obstacle(claim: ClaimRecord, arms: Sequence[Arm]) -> str | None:
    """Reason code why the claim cannot be judged at all, or None."""
    if claim.kind not in _ARMS:
        return "kind_not_judged"
    lacking = {arm.lacks for arm in arms}
    if len(arms) != _ARMS[claim.kind] or "not_run" in lacking:
        return "not_run"
    if "run_failed" in lacking:
        return "run_failed"
    if share_runs(arms):
        return "same_runs"
    if not same_test_set(arms):
        return "different_data"
    if claim.kind == "value" and not claim.printed:
        return "no_printed_number"
    return "no_margin" if claim.kind != "order" and claim.margin is None else None


def _judge_value(claim: ClaimRecord, arm: Arm, plain: Verdict, *, documents: int | None) -> _Judged:
    assert claim.margin is not None
    reported = printed(claim.printed[0])
    split = _other_split(arm, plain, documents, target=float(reported.value))
    test = value(
        arm.values,
        reported=reported,
        margin=claim.margin.value,
        paper_runs=claim.runs_behind,
        deterministic=claim.deterministic,
        other_split=split,
    )
    shown = replace(
        _with_interval(plain, test),
        estimate=test.mean,
        target=float(reported.value),
        margin=test.margin,
        sd=test.sd,
        pi95=test.pi95,
    )
    if claim.deterministic and test.n > 1 and test.sd != 0.0:
        shown = _badge(shown, "declared deterministic, but the runs differ")
    if split is not None:
        shown = _badge(shown, "noise of two test sets included")
    if plain.scope == "other_data" or (plain.scope == "other_split" and split is None):
        # the runs are shown, but p-values against a number of other data would mean nothing
        return _Judged(replace(shown, reason=plain.scope))
    return _Judged(_with_bands(shown, test), test)


def _other_split(arm: Arm, plain: Verdict, documents: int | None, *, target: float) -> OtherSplit | None:
    """Sizes of both test sets, where the evidence is another split and a binomial error is to be had."""
    ours = arm.runs[0].data.n_test
    percent = all(0.0 <= x <= 100.0 for x in (*arm.values, target))
    if plain.scope != "other_split" or not documents or ours < 1 or not percent:
        return None
    return OtherSplit(documents_paper=documents, documents_ours=ours)


def _judge_pair(claim: ClaimRecord, first: Arm, second: Arm, plain: Verdict) -> _Judged:
    """Order and equivalence: first minus second, on any scope."""
    pair = claim.paired is not None
    shown = replace(plain, target=_printed_gap(claim))
    for arm in (first, second):
        if len(arm.values) > 2 and max(arm.values) == min(arm.values):
            shown = _badge(shown, f"{arm.experiment}: no spread")
    a, b = first.values, second.values
    if pair:
        common = sorted(set(first.seeds) & set(second.seeds))
        shown = _badge(shown, f"{len(common)} pairs of seeds")
        if not common:
            return _Judged(replace(shown, reason="too_few_seeds"))
        a, b = by_seed(first, common), by_seed(second, common)
    if claim.kind == "equivalent":
        assert claim.margin is not None
        same = equivalence(a, b, margin=claim.margin.value, pair=pair, deterministic=claim.deterministic)
        shown = replace(_with_interval(shown, same), estimate=same.difference, margin=same.margin)
        return _Judged(_with_bands(shown, same), same)
    better = order(
        a,
        b,
        printed_gap=shown.target,
        negligible=claim.negligible,
        pair=pair,
        deterministic=claim.deterministic,
    )
    shown = replace(_with_interval(shown, better), estimate=better.difference)
    return _Judged(_badge(shown, "difference negligible") if _small(better) else shown, better)


# --------------------------------------------------------------------------- pieces of a verdict


def _with_interval(verdict: Verdict, test: ValueTest | OrderTest | EquivalenceTest) -> Verdict:
    df = test.df if test.df is not None and math.isfinite(test.df) else None  # JSON has no infinity
    return replace(verdict, se=test.se, df=df, ci90=test.ci90, ci95=test.ci95)


def _with_bands(verdict: Verdict, test: ValueTest | EquivalenceTest) -> Verdict:
    return replace(
        verdict,
        margin_reproduced_from=test.reproduced_from,
        margin_contradicted_up_to=test.contradicted_up_to,
    )


def _printed_gap(claim: ClaimRecord) -> float | None:
    """First printed minus second, exact in decimals; None when the table prints only one or none."""
    if len(claim.printed) != 2:
        return None
    first, second = map(printed, claim.printed)
    return float(gap(first, second))


def _small(test: OrderTest) -> bool:
    """A direction that may hold, by a difference that hardly matters."""
    return test.testable and test.difference > 0.0 and (test.p_negligible or 0.0) <= ALPHA


def _badge(verdict: Verdict, text: str) -> Verdict:
    return replace(verdict, badges=(*verdict.badges, text))
