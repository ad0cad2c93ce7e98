"""The numbers of a comparison in a few signs: what the paper prints, and ours, for claims of every kind.

A record's `target` is a printed difference for some kinds only: of a convergence claim it is the score to be
reached, of a complexity claim the exponent. Beside a number stands what it is a number of.
"""

from __future__ import annotations

from audit.record import ClaimRecord, Verdict
from reports import digits, wording
from reports.wording import beside
from reports.wording.fields import medians


def about(claim: ClaimRecord, verdict: Verdict) -> str:
    """The metric, or what stands in its place: `P@1`, `training time`, `epochs to 57.70 nDCG@5`."""
    subject = wording.subject(claim)
    if claim.kind == "convergence" and verdict.target is not None:
        return beside.epochs_to(digits.points(verdict.target), subject)
    return subject


def printed(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number, the printed difference with its sign, or the claimed exponent; else a dash."""
    if claim.kind == "value":
        return claim.printed[0] if claim.printed else digits.points(verdict.target)
    if claim.kind in wording.DIFFERENCES:
        return digits.signed(verdict.target)
    if claim.kind == "complexity" and verdict.target is not None:
        return beside.power(digits.points(verdict.target))
    return digits.ABSENT


def ours(claim: ClaimRecord, verdict: Verdict) -> str:
    """`+1.66 (1.10 to 2.22)`, `× 1.62 (...)`, `power 1.05 (...)`, `11.49 / not reached`, or a share."""
    if claim.kind in wording.COMPARISONS:
        return wording.held(claim, verdict) or digits.ABSENT
    if claim.kind == "convergence":
        return " / ".join(medians(verdict)) or digits.ABSENT
    marks = wording.edges(claim, verdict)
    if claim.kind == "value":
        return digits.mean_sd(verdict.estimate, verdict.sd, beside=marks)
    if verdict.estimate is None:
        return digits.ABSENT
    number = digits.points(verdict.estimate, beside=marks)
    text = {"cost": beside.times(number), "complexity": beside.power(number)}.get(claim.kind)
    text = text or digits.signed(verdict.estimate, beside=marks)
    return f"{text} ({digits.interval(verdict.ci95, beside=marks)})" if verdict.ci95 else text
