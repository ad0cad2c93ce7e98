"""How each claim came out over the audits of a paper: a timeline with what differed at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Audit
from reports import digits, wording
from reports.causes import Side, causes
from reports.strings import moment
from reports.wording import Status
from reports.wording import changes as words


@dataclass(frozen=True)
class Point:
    """A claim in one audit; all texts are ready to be shown."""

    date: str
    """Of the newest run; empty where there was none."""
    version: str
    """Of the tool."""
    status: Status
    word: str
    seeds: str
    """`3 seeds each`; empty where nothing was run."""
    margin: str
    """Empty where the claim has none."""
    causes: str
    """`with 5 seeds, before 3 seeds`, where the status is another than at the point before; else empty."""


@dataclass(frozen=True)
class Timeline:
    """Oldest first; the last point is the audit that is shown."""

    claim: str
    points: tuple[Point, ...]

    @property
    def changed(self) -> bool:
        """Whether it ever came out otherwise."""
        return len({point.status for point in self.points}) > 1


def timelines(now: Audit, previous: Sequence[Audit]) -> dict[str, Timeline]:
    """Claim id -> its timeline, for every claim of `now` in its order.

    `previous` are audits of the same paper in any order: they are put in that of their newest runs, the order
    given deciding between equal ones. A claim has a point for each audit that it is in.
    """
    audits = [*sorted(previous, key=lambda it: it.created), now]
    sides = [{c.id: Side(it, c, v) for c, v in zip(it.claims, it.verdicts, strict=True)} for it in audits]
    found = {}
    for claim in now.claims:
        own = [held[claim.id] for held in sides if claim.id in held]
        steps = zip([None, *own[:-1]], own, strict=True)
        found[claim.id] = Timeline(claim.id, tuple(_point(before, side) for before, side in steps))
    return found


def _point(before: Side | None, side: Side) -> Point:
    status = wording.status_of(side.verdict)
    flipped = before is not None and wording.status_of(before.verdict) != status
    return Point(
        date=moment(side.audit.created),
        version=side.audit.tool_version,
        status=status,
        word=wording.STATUS_WORDS[status],
        seeds=wording.seeds(side.verdict.n, side.verdict.attempts) if side.verdict.n else "",
        margin="" if side.verdict.margin is None else digits.margin_size(side.verdict.margin),
        causes=words.with_these(causes(before, side)) if before is not None and flipped else "",
    )
