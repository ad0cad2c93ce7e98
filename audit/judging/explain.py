"""One verdict taken apart: every number of its derivation, with the formula that gives it.

    derivation(audit, "kim-words:P@1").steps

The steps are those that the claim's test returned; a test works all out once more from their text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.judging.assemble import judge_of
from audit.judging.evidence import priors_of
from audit.judging.looks import first_seeds, furthest
from audit.judging.verdicts import case_of, obstacle, one_test, test_of, thresholds
from audit.kinds import Case
from audit.record import (
    Audit,
    ClaimRecord,
    Estimate,
    ExperimentRecord,
    InstanceEvidence,
    Look,
    Margin,
    Verdict,
)
from audit.stats.decision import ALPHA, Decision, Outcome, Step, Steps
from audit.stats.margin import SHOWN


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
class Standing:
    """The evidence that gave a claim its verdict."""

    look: Look | None
    """None where none is on record."""
    level: float
    experiments: Mapping[str, ExperimentRecord]
    """As they stood at the look."""
    verdicts: tuple[Verdict, ...]
    """All claims' verdicts at that look."""


@dataclass(frozen=True)
class Place:
    """One p-value among those of the family."""

    raw: float
    adjusted: float
    rank: int
    """1 for the smallest."""
    threshold: float
    """The largest raw p that would do, the others being as they are."""


@dataclass(frozen=True)
class Family:
    """All tests of a paper that could be made, of which this is one; the same of the same runs is one."""

    size: int
    primaries: int
    reproduced: Place
    contradicted: Place


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
    record = {it.id: it for it in audit.claims}[claim]
    verdict = {it.claim: it for it in audit.verdicts}[claim]
    at = standing(audit, claim)
    priors = priors_of(audit.claims, at.experiments, audit.test_sizes)
    case = case_of(record, at.experiments, test_sizes=audit.test_sizes, alpha=at.level, priors=priors)
    together = family(audit, record, at)
    tested = not obstacle(case)
    steps = {
        str(step): step for step in (test_of(case).steps if tested else ())
    }  # arms stand in several parts
    return Derivation(
        claim=record,
        verdict=verdict,
        at=at,
        steps=tuple(steps.values()),
        family=together,
        documents=tuple(_of_documents(audit.instances[claim])) if claim in audit.instances else (),
        at_margins=tuple(_at_margins(case, together, verdict.barred)) if tested else (),
        about_looks=audit.about_looks,
    )


def standing(audit: Audit, claim: str) -> Standing:
    """The first look that decided the claim, or that of most seeds."""
    experiments = {it.id: it for it in audit.experiments}
    found = Standing(None, ALPHA, experiments, audit.verdicts)
    judge = judge_of(audit)
    for look in audit.looks:
        seen = {name: first_seeds(it, look.seeds) for name, it in experiments.items()}
        here = Standing(look, look.level, seen, judge(seen, look.level))
        if any(it.claim == claim and it.outcome != "inconclusive" for it in here.verdicts):
            return here
        if look == furthest(audit.looks):
            found = here
    return found


def family(audit: Audit, claim: ClaimRecord, at: Standing) -> Family | None:
    """None for a claim that belongs to no family: not tested, capped, or exact."""
    once: dict[str, Verdict] = {}
    primary: set[str] = set()
    mine, own = "", None
    for it, verdict in zip(audit.claims, at.verdicts, strict=True):
        if verdict.p_reproduced_adjusted is None:
            continue
        key = one_test(it, verdict, (verdict.p_reproduced, verdict.p_contradicted), at.experiments)
        once[key] = verdict
        primary |= {key} if it.primary else set()
        if it.id == claim.id:
            mine, own = key, verdict
    if own is None:
        return None
    others = [
        (it.p_reproduced or 0.0, it.p_contradicted or 0.0, key in primary)
        for key, it in once.items()
        if key != mine
    ]
    to_reproduce, to_contradict = thresholds(others, is_primary=mine in primary, alpha=at.level)

    def place(raw: float | None, adjusted: float | None, of: Sequence[float], threshold: float) -> Place:
        raw, adjusted = raw or 0.0, adjusted or 0.0
        return Place(raw, adjusted, 1 + sum(p < raw for p in of), threshold)

    return Family(
        size=len(once),
        primaries=len(primary),
        reproduced=place(
            own.p_reproduced, own.p_reproduced_adjusted, [p for p, _, _ in others], to_reproduce
        ),
        contradicted=place(
            own.p_contradicted, own.p_contradicted_adjusted, [p for _, p, _ in others], to_contradict
        ),
    )


# --------------------------------------------------------------------------- other margins


def _at_margins(case: Case, among: Family | None, bar: str | None) -> Iterator[AtMargin]:
    """The claim's own margin and others around it, with the same caps."""
    fixed = case.claim.margin
    for shown, name in _named(fixed) if fixed else ():
        claim = replace(case.claim, margin=replace(fixed, value=shown) if fixed else None)
        test = test_of(replace(case, claim=claim))
        if test.untested:
            continue
        alone, together = test.decide(alpha=case.alpha), None
        if among and test.testable:
            needed = among.reproduced.threshold, among.contradicted.threshold
            together = test.decide_by(*needed, alpha=case.alpha).outcome
        if bar and alone.outcome == "contradicted":
            alone = Decision("inconclusive", bar)
        yield AtMargin(shown, name, alone, "inconclusive" if bar and together == "contradicted" else together)


def _named(fixed: Margin) -> list[tuple[float, str]]:
    """By size, each once; half and twice the fixed margin lie around it whatever it is."""
    own = {fixed.value: f"as fixed, by rule {fixed.rule}"}
    rules = ("rule field on a large test set", "rule field", "rule lenient")
    others = dict(zip(map(float, SHOWN), rules, strict=True))
    around = {fixed.value / 2.0: "half of it", fixed.value * 2.0: "twice it"}
    return sorted({**around, **others, **own}.items())


# --------------------------------------------------------------------------- single documents


def _of_documents(found: InstanceEvidence) -> Steps:
    """Errors and intervals of the two estimands, the draws of documents, and McNemar's test of each pair."""
    steps, d, s, n = Steps(), found.difference, found.sd_documents, found.documents
    steps.note("d", "mean over documents of (mean over seeds of A - mean over seeds of B)", d)
    steps.note("s_d", "SD over documents of the same differences", s)
    steps.note("N, documents", "", float(n))
    if found.texts < n:
        steps.note("different texts among them", "", float(found.texts))
    if found.these is not None:
        steps.note("se, these documents", "of the verdict: seeds alone vary", found.these.se)
        _interval(steps, "these documents", d, found.these)
    if found.these is not None and found.new is not None:
        new, own, v = found.new, found.these.se, s * s / n
        steps.note("se, new documents", "sqrt(se^2 + s_d^2 / N)", new.se, se=own, s_d=s, N=n)
        pattern = "(se^2 + v)^2 / (se^4 / df + v^2 / (N - 1))" if own else "N - 1"  # Satterthwaite
        numbers = {"se": own, "v": v, "df": found.these.df or 0.0, "N": n} if v else {}
        steps.append(Step("df, new documents", pattern, _finite(new.df), numbers))
        _interval(steps, "new documents", d, new)
    if found.bootstrap is not None:
        how = f"{found.replicates} draws of documents, one for all seeds, numpy seed {found.rng_seed}"
        for end, share, value in zip(("from", "to"), ("2.5 %", "97.5 %"), found.bootstrap, strict=True):
            steps.note(f"95 % by drawing documents, {end}", f"{share} quantile of {how}", value)
    for pair in found.pairs:
        b, c = pair.first_only, pair.second_only
        name = f"McNemar's p of seeds {pair.seeds[0]} and {pair.seeds[1]}, b = {b} and c = {c}"
        formula, filled = (
            "min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)])",
            f"min(1, 2 * Bin({b + c}; {min(b, c)}))",
        )
        steps.append(Step(name, formula, pair.p, text=lambda filled=filled: filled))  # type: ignore[misc]
    return steps


def _finite(df: float | None) -> float:
    return math.inf if df is None else df


def _interval(steps: Steps, of: str, d: float, it: Estimate) -> None:
    for end, sign, value in zip(("from", "to"), "-+", it.ci95, strict=True):
        name = f"95 % interval, {of}, {end}"
        steps.note(name, f"d {sign} t(0.975) * se", value, df=_finite(it.df), d=d, se=it.se)
