"""One verdict taken apart: every number of its derivation, with the formula that gives it.

    derivation(audit, "kim-words:P@1").steps

The steps are those that the claim's test returned; a test works all out once more from their text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from audit.judging.assemble import judge_of
from audit.judging.evidence import Evidence
from audit.judging.looks import at_look, furthest
from audit.judging.verdicts import case_of, family_of, obstacle
from audit.kinds import KINDS
from audit.record import Audit, ClaimRecord, ExperimentRecord, InstanceEvidence, Look, Verdict
from audit.stats.decision import ALPHA, Step, Steps


class Place(NamedTuple):
    """One p-value among those of the family."""

    raw: float
    adjusted: float
    rank: int  # 1 for the smallest.
    threshold: float  # The largest raw p that would do, the others being as they are.


class AmongOthers(NamedTuple):
    """All tests of a paper that could be made, of which this is one; the same of the same runs is one."""

    size: int
    primaries: int
    reproduced: Place
    contradicted: Place


@dataclass(frozen=True)
class Derivation:
    claim: ClaimRecord
    verdict: Verdict
    look: Look | None  # That gave the verdict; None where none is on record.
    level: float
    experiments: Mapping[str, ExperimentRecord]  # As they stood at the look.
    steps: tuple[Step, ...]
    family: AmongOthers | None  # None for a claim of no family: not tested, capped, or exact.
    documents: tuple[Step, ...]  # What single documents say, beside the verdict.


def derivation(audit: Audit, claim: str) -> Derivation:
    """Of the claim with that id (`claimid:metric`). Raises ValueError for an id that there is not."""
    k = [record.id for record in audit.claims].index(claim)
    record, verdict = audit.claims[k], audit.verdicts[k]
    experiments, judge = {of.id: of for of in audit.experiments}, judge_of(audit)
    look, level, records, verdicts = None, ALPHA, experiments, audit.verdicts
    for taken in audit.looks:  # the first that decided the claim, or that of most seeds
        seen = at_look(experiments, audit.looks, taken)
        judged = judge(seen, taken.level)
        decided = judged[k].outcome != "inconclusive"
        if decided or taken == furthest(audit.looks):
            look, level, records, verdicts = taken, taken.level, seen, judged
        if decided:
            break
    evidence = Evidence.of(audit.claims, records, audit.test_sizes)
    case = case_of(record, evidence, alpha=level)
    tested = () if obstacle(case) else KINDS[record.kind].judge(case).steps
    steps = {str(step): step for step in tested}  # arms stand in several parts
    documents = tuple(_of_documents(audit.instances[claim])) if claim in audit.instances else ()
    family = _family(audit, k, verdicts, records, level)
    return Derivation(record, verdict, look, level, records, tuple(steps.values()), family, documents)


def _family(
    audit: Audit, k: int, verdicts: Sequence[Verdict], records: Mapping[str, ExperimentRecord], level: float
) -> AmongOthers | None:
    """The place of the audit's claim `k`."""
    family, own = family_of(audit, verdicts, records), verdicts[k]
    if (mine := family.ps[k]) is None or own.p_reproduced_adjusted is None:
        return None
    others, needed = family.others(k), family.needed(k, alpha=level)
    adjusted = own.p_reproduced_adjusted, own.p_contradicted_adjusted or 0.0
    reproduced, contradicted = (
        Place(mine[i], adjusted[i], 1 + sum(other[i] < mine[i] for other in others), needed[i])
        for i in (0, 1)
    )
    primaries = family.primary[k] + sum(primary for _, _, primary in others)
    return AmongOthers(1 + len(others), primaries, reproduced, contradicted)


def _of_documents(found: InstanceEvidence) -> Steps:
    """Errors and intervals of the two estimands, and McNemar's test of each pair."""
    steps, n = Steps(), float(found.documents)
    mean = "mean over documents of (mean over seeds of A - mean over seeds of B)"
    d = steps.note("d", mean, found.difference)
    s = steps.note("s_d", "SD over documents of the same differences", found.sd_documents)
    steps.note("N, documents", "", n)
    if found.these is not None:
        steps.note("se, these documents", "of the verdict: seeds alone vary", found.these.se)
    if found.these is not None and found.new is not None:
        steps.note("se, new documents", "sqrt(se^2 + s_d^2 / N)", found.new.se, se=found.these.se, s_d=s, N=n)
    for name, estimate in (("these", found.these), ("new", found.new)):
        if estimate is not None:
            df = math.inf if estimate.df is None else estimate.df
            for end, sign, value in zip(("from", "to"), "-+", estimate.ci95, strict=True):
                of = f"95 % interval, {name} documents, {end}"
                steps.note(of, f"d {sign} t(0.975) * se", value, df=df, d=d, se=estimate.se)
    for pair in found.pairs:
        b, c = pair.first_only, pair.second_only
        name = f"McNemar's p of seeds {pair.seeds[0]} and {pair.seeds[1]}, b = {b} and c = {c}"
        filled = partial("min(1, 2 * Bin({}; {}))".format, b + c, min(b, c))
        steps.note(name, "min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)])", pair.p, text=filled)
    return steps
