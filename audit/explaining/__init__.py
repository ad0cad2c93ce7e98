"""One verdict taken apart: every number of its derivation, with the formula that gives it.

    derivation(audit, "kim-words:P@1").steps

Each step is worked out anew from the claim and the runs by the formulas of `audit.stats`, with its numbers
filled in; a test holds the last ones against the verdict, and works all out once more from their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from audit.comparator import case_of
from audit.evidence import priors_of
from audit.explaining.costs import convergence_steps, cost_steps
from audit.explaining.differences import equivalent_steps, gap_steps, order_steps, significant_steps
from audit.explaining.documents import document_steps
from audit.explaining.family import Family, Standing, family, standing
from audit.explaining.growing import complexity_steps
from audit.explaining.several import dominance_steps, optimum_steps, ranking_steps, trend_steps
from audit.explaining.step import Step
from audit.explaining.values import value_steps
from audit.judging import JUDGES
from audit.judging.case import Case
from audit.record import Audit, ClaimRecord, Margin, Verdict
from audit.stats.decision import Decidable, Decision, Outcome
from audit.stats.margin import SHOWN

__all__ = ["AtMargin", "Derivation", "Family", "Standing", "Step", "derivation"]

_STEPS: Mapping[str, Callable[[Case], Iterator[Step]]] = {
    "value": value_steps,
    "order": order_steps,
    "gap": gap_steps,
    "equivalent": equivalent_steps,
    "significant": significant_steps,
    "ranking": ranking_steps,
    "trend": trend_steps,
    "optimum": optimum_steps,
    "dominance": dominance_steps,
    "cost": cost_steps,
    "convergence": convergence_steps,
    "complexity": complexity_steps,
}

#: Reasons for which the judges were never asked, or asked in vain: there is nothing to derive.
_NOTHING = frozenset({
    "not_run", "run_failed", "not_measured", "same_runs", "mixed_evidence", "different_data", "no_margin",
    "no_printed_number", "kind_not_judged", "no_target_score", "different_machines", "too_many_levels",
    "place_always_held", "absolute_cost", "no_sizes", "counted_exactly", "not_one_size",
})  # fmt: skip


@dataclass(frozen=True)
class AtMargin:
    margin: float
    name: str
    """`as fixed, by rule field`, `the least that field gives`, `half of it`, ..."""
    alone: Decision
    """By the raw p-values."""
    together: Outcome | None
    """Beside the paper's other claims as they are; None for a claim that belongs to no family."""


@dataclass(frozen=True)
class Derivation:
    claim: ClaimRecord
    verdict: Verdict
    at: Standing
    steps: tuple[Step, ...]
    family: Family | None
    documents: tuple[Step, ...]
    """What single documents say, beside the verdict."""
    at_margins: tuple[AtMargin, ...]
    """What the claim would come to at its own and other margins; empty for one that is judged without."""
    about_looks: tuple[str, ...] = ()
    """How often the claims were judged, and what that did to the error."""


def derivation(audit: Audit, claim: str) -> Derivation:
    """Of the claim with that id (`claimid:metric`). Raises KeyError for an id that there is not."""
    verdicts = {it.claim: it for it in audit.verdicts}
    record = {it.id: it for it in audit.claims}[claim]
    verdict, at = verdicts[claim], standing(audit, claim)
    priors = priors_of(audit.claims, at.experiments, audit.test_sizes)
    case = case_of(record, at.experiments, test_sizes=audit.test_sizes, alpha=at.level, priors=priors)
    together = family(audit, record, at)
    if together is not None:
        case = replace(case, needed=(together.reproduced.threshold, together.contradicted.threshold))
    lacking = all(arm.lacks for arm in case.arms) or (
        record.kind != "dominance" and any(arm.lacks for arm in case.arms)
    )
    judged = verdict.reason not in _NOTHING and record.kind in _STEPS and not lacking
    return Derivation(
        claim=record,
        verdict=verdict,
        at=at,
        steps=tuple(dict.fromkeys(_STEPS[record.kind](case))) if judged else (),
        family=together,
        documents=tuple(document_steps(audit.instances[claim])) if claim in audit.instances else (),
        at_margins=tuple(_at_margins(case, verdict.barred)) if judged else (),
        about_looks=audit.about_looks,
    )


def _at_margins(case: Case, bar: str | None) -> Iterator[AtMargin]:
    """The claim's own margin and others around it, with the same caps."""
    fixed = case.claim.margin
    for shown, name in _named(fixed) if fixed else ():
        claim = replace(case.claim, margin=replace(fixed, value=shown) if fixed else None)
        test = JUDGES[claim.kind](replace(case, claim=claim)).test
        if test is not None:
            alone, among = test.decide(alpha=case.alpha), _together(test, case)
            if bar and alone.outcome == "contradicted":
                alone = Decision("inconclusive", bar)
            yield AtMargin(shown, name, alone, "inconclusive" if bar and among == "contradicted" else among)


def _named(fixed: Margin) -> list[tuple[float, str]]:
    """By size, each once; half and twice the fixed margin lie around it whatever it is."""
    own = {fixed.value: f"as fixed, by rule {fixed.rule}"}
    rules = ("rule field on a large test set", "rule field", "rule lenient")
    others = dict(zip(map(float, SHOWN), rules, strict=True))
    around = {fixed.value / 2.0: "half of it", fixed.value * 2.0: "twice it"}
    return sorted({**around, **others, **own}.items())


def _together(test: Decidable, case: Case) -> Outcome | None:
    if case.needed is None or not test.testable:
        return None
    return test.decide_by(*case.needed, alpha=case.alpha).outcome
