"""Claims with runs of ours on one side and imported ones on the other, and what would judge them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.judging.imported import EVIDENCE, Evidence
from audit.record import Audit, ClaimRecord, ExperimentRecord

_NAMED = 4
"""Longer lists of names help nobody."""


def advice(audit: Audit) -> tuple[str, ...]:
    """A sentence for each way out, with the claims that it is for; none where all claims are of one kind."""
    records = {it.id: it for it in audit.experiments}
    reasons = {it.claim: it.reason for it in audit.verdicts}
    mixed = [it for it in audit.claims if reasons.get(it.id) == "mixed_evidence"]
    said: list[str] = []
    for kind in EVIDENCE:
        if found := [it for it in mixed if not _lacking(it, kind, records)]:
            others = [it for it in audit.claims if it not in mixed and _mixed_by(it, kind, records)]
            said.append(_switch(kind, found, others))
    return (*said, *_missing(mixed, records))


def _switch(kind: Evidence, found: Sequence[ClaimRecord], others: Sequence[ClaimRecord]) -> str:
    runs = {"ours": "our runs", "imported": "imported runs"}[kind]
    text = f"{_claims(found)}: `audit judge --evidence {kind}` judges by {runs} throughout"
    if not others:
        return text
    return f"{text}; {_claims(others)} would then be open, so give another --out to keep both reports"


def _missing(mixed: Sequence[ClaimRecord], records: Mapping[str, ExperimentRecord]) -> Iterator[str]:
    """What has to be run or imported, once for all claims that lack the same."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[ClaimRecord]] = {}
    for claim in mixed:
        lacking = _lacking(claim, "ours", records), _lacking(claim, "imported", records)
        if all(lacking):
            groups.setdefault(lacking, []).append(claim)
    for (ours, theirs), claims in groups.items():
        yield f"{_claims(claims)}: run {_listed(ours)} here too, or import results of {_listed(theirs)}"


def _mixed_by(claim: ClaimRecord, kind: Evidence, records: Mapping[str, ExperimentRecord]) -> bool:
    """Whether it would have runs of two kinds, were those of `kind` preferred."""
    return 0 < len(_lacking(claim, kind, records)) < len(set(claim.experiments))


def _lacking(claim: ClaimRecord, kind: Evidence, records: Mapping[str, ExperimentRecord]) -> tuple[str, ...]:
    """The claim's experiments without a run of that kind, judged or not."""
    return tuple(name for name in dict.fromkeys(claim.experiments) if kind not in _kinds(records.get(name)))


def _kinds(record: ExperimentRecord | None) -> set[Evidence]:
    runs = (*record.runs, *record.unjudged) if record else ()
    return {"imported" if run.imported else "ours" for run in runs}


def _claims(claims: Sequence[ClaimRecord]) -> str:
    """Their names, each once though it is about several metrics."""
    return _listed(list(dict.fromkeys(it.claim for it in claims)))


def _listed(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
