"""What changed between two audits of one paper: verdicts, claims and findings, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.record import Audit, Finding
from reports import wording
from reports.causes import Side, causes, numbers
from reports.lookup import lookup
from reports.sentences import sentence
from reports.strings import moment
from reports.wording import Status
from reports.wording import changes as words


@dataclass(frozen=True)
class Change:
    """One claim that came out otherwise, is new, or is gone."""

    claim: str
    of: str
    """Id in the claim file, which the changes of its metrics share."""
    subject: str
    """The metric, or what stands in its place."""
    title: str
    before: Status | None
    """None where it was not there."""
    after: Status | None
    flip: str
    """`inconclusive, now reproduced`"""
    causes: str
    """`with 5 seeds, before 3 seeds`; empty for what is new or gone."""
    sentence: str
    """The verdict as it is now, or as it was for a claim that is gone."""


@dataclass(frozen=True)
class FindingChange:
    id: str
    flip: str
    sentence: str
    worse: bool
    """Inconsistent now, and was not."""


@dataclass(frozen=True)
class Changes:
    paper: str
    before: str
    after: str
    counts: str
    flipped: tuple[Change, ...]
    """What became contradicted comes first."""
    added: tuple[Change, ...]
    gone: tuple[Change, ...]
    findings: tuple[FindingChange, ...]

    @property
    def worse(self) -> bool:
        """Whether something is contradicted or inconsistent now that was not."""
        claims = any(it.after == "contradicted" for it in (*self.flipped, *self.added))
        return claims or any(it.worse for it in self.findings)


def changes(old: Audit, new: Audit) -> Changes:
    """The two are of one paper; claims are known by their ids, findings by theirs."""
    before, after = _sides(old), _sides(new)
    both = [name for name in after if name in before]
    flipped = [
        _change(before[name], after[name]) for name in both if _status(before[name]) != _status(after[name])
    ]
    flipped.sort(key=lambda it: it.after != "contradicted")
    names = {it.claim for it in flipped}
    moved = sum(
        name not in names and numbers(before[name].verdict) != numbers(after[name].verdict) for name in both
    )
    added = tuple(_change(None, side) for name, side in after.items() if name not in before)
    gone = tuple(_change(side, None) for name, side in before.items() if name not in after)
    return Changes(
        paper=new.paper.title or new.paper.key,
        before=words.version_line(old.tool_version, moment(old.created), len(old.claims)),
        after=words.version_line(new.tool_version, moment(new.created), len(new.claims)),
        counts=words.counts(
            flipped=len(flipped), both=len(both), moved=moved, added=len(added), gone=len(gone)
        ),
        flipped=tuple(flipped),
        added=added,
        gone=gone,
        findings=_findings(old.findings, new.findings),
    )


def _sides(audit: Audit) -> dict[str, Side]:
    return {
        claim.id: Side(audit, claim, verdict)
        for claim, verdict in zip(audit.claims, audit.verdicts, strict=True)
    }


def _status(side: Side) -> Status:
    return wording.status_of(side.verdict)


def _change(old: Side | None, new: Side | None) -> Change:
    side = new or old
    assert side is not None
    found = lookup(side.audit)
    before, after = (None if it is None else _status(it) for it in (old, new))
    return Change(
        claim=side.claim.id,
        of=side.claim.claim,
        subject=wording.subject(side.claim),
        title=wording.claim_title(side.claim, found.names(side.claim)),
        before=before,
        after=after,
        flip=words.flip(before, after),
        causes=words.with_these(causes(old, new)) if old and new else "",
        sentence=sentence(side.claim, found),
    )


def _findings(old: Sequence[Finding], new: Sequence[Finding]) -> tuple[FindingChange, ...]:
    """Those of another result, new ones and gone ones; consistent ones come and go unsaid."""
    before, after = _by_id(old), _by_id(new)
    found = []
    for name in dict.fromkeys([*after, *before]):
        was, now = before.get(name), after.get(name)
        results = (was.result if was else None, now.result if now else None)
        said = now or was
        if results[0] != results[1] and "inconsistent" in results and said is not None:
            worse = results[1] == "inconsistent"
            flip = words.finding_flip(*results)
            found.append(FindingChange(name, flip, wording.finding_sentence(said), worse))
    return tuple(sorted(found, key=lambda it: not it.worse))


def _by_id(findings: Sequence[Finding]) -> Mapping[str, Finding]:
    return {it.id or f"{it.check}: {' '.join(it.cells)}": it for it in findings}
