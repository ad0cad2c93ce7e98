"""The verdicts as plain text for a terminal: a line a claim, in the words of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from audit.record import Audit, ClaimRecord, Verdict
from reports import digits, wording

_ICONS: dict[wording.Status, str] = {
    "reproduced": "✓",
    "contradicted": "✗",
    "inconclusive": "◐",
    "not_tested": "–",
}


def summary(audit: Audit) -> str:
    """A line for each claim that could be judged, one for each reason of the rest, and four numbers."""
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    judged = [(claim, verdict) for claim, verdict in pairs if verdict.p_reproduced is not None]
    judged += [(c, v) for c, v in pairs if v.p_reproduced is None and v.outcome != "inconclusive"]
    lines = list(_lines(judged))
    counts: Counter[str] = Counter(wording.status_of(verdict) for _, verdict in pairs)
    others = Counter(verdict.reason for claim, verdict in pairs if (claim, verdict) not in judged)
    for code, number in others.items():
        lines.append(wording.unjudged(number, code=code))
    numbers = ", ".join(f"{counts[key]} {wording.STATUS_WORDS[key].lower()}" for key in wording.STATUSES)
    return "\n".join([*lines, "", f"{wording.plural(len(pairs), 'claim')}: {numbers}"])


def _lines(pairs: list[tuple[ClaimRecord, Verdict]]) -> Iterator[str]:
    width = max((len(claim.claim) for claim, _ in pairs), default=0)
    for name, group in groupby(pairs, key=lambda pair: pair[0].claim):
        cells = [f"{_ICONS[wording.status_of(verdict)]} {_shown(claim, verdict)}" for claim, verdict in group]
        yield f"{name:{width}}  {'   '.join(cells)}".rstrip()


def _shown(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the claim is about, and the mean, signed difference, ratio or share of comparisons."""
    subject = wording.subject(claim)
    if claim.kind in wording.COMPARISONS:
        return f"{subject} {wording.held(claim, verdict)}".rstrip()
    if verdict.estimate is None:
        return subject
    marks = wording.edges(claim, verdict)
    if claim.kind == "cost":
        return f"{subject} x {digits.points(verdict.estimate, beside=marks)}"
    if claim.kind == "complexity":
        return f"{subject} ^ {digits.points(verdict.estimate, beside=marks)}"
    signed = claim.kind != "value"
    return f"{subject} {(digits.signed if signed else digits.points)(verdict.estimate, beside=marks)}"
