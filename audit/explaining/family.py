"""A claim among the others of its paper: at which look it was judged, and what its p-values had to reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.assemble import judge_of
from audit.evidence import one_test
from audit.looks import first_seeds, furthest
from audit.record import Audit, ClaimRecord, ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA
from audit.stats.threshold import threshold_bh, threshold_holm


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


def family(audit: Audit, claim: ClaimRecord, at: Standing) -> Family | None:
    """None for a claim that belongs to no family: not tested, capped, or exact."""
    tested = [
        (it, verdict)
        for it, verdict in zip(audit.claims, at.verdicts, strict=True)
        if verdict.p_reproduced_adjusted is not None
    ]
    own = next((verdict for it, verdict in tested if it.id == claim.id), None)
    if own is None:
        return None

    def same(it: ClaimRecord, verdict: Verdict) -> str:
        return one_test(it, verdict, (verdict.p_reproduced, verdict.p_contradicted), at.experiments)

    once = {same(it, verdict): (it, verdict) for it, verdict in tested}
    primary = {same(it, verdict) for it, verdict in tested if it.primary}
    mine = same(claim, own)
    others = {key: verdict for key, (_, verdict) in once.items() if key != mine}
    rep = [verdict.p_reproduced or 0.0 for verdict in others.values()]
    con = [verdict.p_contradicted or 0.0 for verdict in others.values()]
    flags = [key in primary for key in others]
    to_contradict = threshold_holm(con, primary=flags, is_primary=mine in primary, alpha=at.level)
    return Family(
        size=len(once),
        primaries=len(primary),
        reproduced=_place(
            own.p_reproduced, own.p_reproduced_adjusted, rep, threshold_bh(rep, alpha=at.level)
        ),
        contradicted=_place(own.p_contradicted, own.p_contradicted_adjusted, con, to_contradict),
    )


def _place(raw: float | None, adjusted: float | None, others: Sequence[float], threshold: float) -> Place:
    assert raw is not None
    assert adjusted is not None
    return Place(raw, adjusted, 1 + sum(p < raw for p in others), threshold)
