"""The verdicts as plain text for a terminal: a line a claim, in the words of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby

from audit.record import IMPORTED, Audit, ClaimRecord, ExperimentRecord, Verdict
from reports import digits
from reports.fields import COMPARISONS, edges, share_held, subject_of
from reports.notes import epochs_needed, unjudged
from reports.text import plural
from reports.verdicts import unrun_lines
from reports.words import STATUS_WORDS, STATUSES, Status, status_of

_ICONS: dict[Status, str] = {"reproduced": "✓", "contradicted": "✗", "inconclusive": "◐", "not_tested": "–"}


def summary(audit: Audit) -> str:
    """Kind of evidence, a line for each claim that could be judged, one for each reason of the rest, sums."""
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    judged = [(claim, verdict) for claim, verdict in pairs if verdict.p_reproduced is not None]
    judged += [(c, v) for c, v in pairs if v.p_reproduced is None and v.outcome != "inconclusive"]
    lines = list(_claim_lines(judged, {it.id: it for it in audit.experiments}))
    counts: Counter[str] = Counter(status_of(verdict) for _, verdict in pairs)
    others = Counter(verdict.reason for claim, verdict in pairs if (claim, verdict) not in judged)
    for code, number in others.items():
        if code == "not_run":
            lines += unrun_lines(pairs, lambda claim: [f"`{name}`" for name in claim.experiments])
        else:
            lines.append(unjudged(number, code=code))
    numbers = ", ".join(f"{counts[key]} {STATUS_WORDS[key].lower()}" for key in STATUSES)
    return "\n".join([*lines, "", f"{plural(len(pairs), 'claim')}: {numbers}"])


def _claim_lines(
    pairs: list[tuple[ClaimRecord, Verdict]], experiments: Mapping[str, ExperimentRecord]
) -> Iterator[str]:
    """What most of them rest on, such as made data, stands above them; behind those that do not, theirs."""
    width = max((len(claim.claim) for claim, _ in pairs), default=0)
    groups = [(name, list(group)) for name, group in groupby(pairs, key=lambda pair: pair[0].claim)]
    evidence = [_evidence(group, experiments) for _, group in groups]
    usual, number = Counter(evidence).most_common(1)[0] if evidence else ("", 0)
    if usual:
        but = "" if number == len(evidence) else ", but where another stands in brackets"
        yield f"evidence: {usual}{but}"
    for (name, group), marks in zip(groups, evidence, strict=True):
        cells = [f"{_ICONS[status_of(verdict)]} {_shown_number(claim, verdict)}" for claim, verdict in group]
        own = "" if marks == usual else f"   [{marks or 'as in the paper'}]"
        yield f"{name:{width}}  {'   '.join(cells)}".rstrip() + own
        yield from (f"{'':{width}}    {line}" for pair in group if (line := _of_readings(*pair)))


def _of_readings(claim: ClaimRecord, verdict: Verdict) -> str:
    """`P@1: 5 of 15 readings contradict it, nearest mean 66.93`, where readings do not agree."""
    number = sum(it.outcome == "contradicted" for it in verdict.readings)
    if verdict.reason != "ambiguous_description" or not number:
        return ""
    does = "contradicts" if number == 1 else "contradict"
    said = f"{subject_of(claim)}: {number} of {len(verdict.readings)} readings {does} it"
    means = [it.estimate for it in verdict.readings if it.estimate is not None]
    if claim.kind != "value" or verdict.target is None or not means:
        return said
    nearest = min(means, key=lambda mean: abs(mean - (verdict.target or 0.0)))
    return f"{said}, nearest mean {digits.points(nearest)}, printed {digits.points(verdict.target)}"


def _evidence(group: list[tuple[ClaimRecord, Verdict]], experiments: Mapping[str, ExperimentRecord]) -> str:
    """In what ways the runs behind a claim are not the paper's own, each in two words."""
    names = dict.fromkeys(name for claim, _ in group for name in claim.experiments)
    records = [experiments[name] for name in names if name in experiments]
    scopes = {verdict.scope for _, verdict in group}
    found = {
        "stand-in data": "other_data" in scopes,
        "another split": "other_split" in scopes,
        "reduced protocol": any(f"-{it.protocol}".endswith("-small") for it in records),
        "imported, not verified here": any(it.protocol == IMPORTED for it in records),
    }
    return ", ".join(words for words, so in found.items() if so)


def _shown_number(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the claim is about, and the mean, signed difference, ratio or share of comparisons."""
    subject = subject_of(claim)
    if claim.kind in COMPARISONS:
        return f"{subject} {share_held(claim, verdict)}".rstrip()
    if claim.kind == "convergence":
        return f"{subject} {epochs_needed(verdict)}".rstrip()
    if verdict.estimate is None:
        return subject
    marks = edges(claim, verdict)
    if claim.kind == "cost":
        return f"{subject} x {digits.points(verdict.estimate, beside=marks)}"
    if claim.kind == "complexity":
        return f"{subject} ^ {digits.points(verdict.estimate, beside=marks)}"
    signed = claim.kind != "value"
    return f"{subject} {(digits.signed if signed else digits.points)(verdict.estimate, beside=marks)}"
