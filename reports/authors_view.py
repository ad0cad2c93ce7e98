"""What the authors said, and the history of each claim over the audits of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Audit
from reports import wording
from reports.history import Point, timelines
from reports.lookup import Lookup
from reports.wording import authors as words


@dataclass(frozen=True)
class AuthorSlot:
    """Empty texts where there is nothing."""

    sentence: str
    answer: str
    effect: str


@dataclass(frozen=True)
class ClaimHistory:
    title: str
    metric: str
    href: str
    points: tuple[Point, ...]
    """Oldest first; the last is this audit."""


@dataclass(frozen=True)
class History:
    sentence: str
    claims: tuple[ClaimHistory, ...]
    """Those whose verdict was another once."""


def author_slot(found: Lookup) -> AuthorSlot:
    """Also where nobody asked: that is said."""
    said = found.audit.author_response
    answered = said is not None and said.answer is not None
    return AuthorSlot(
        sentence=words.asked(said),
        answer=(said.answer or "") if said else "",
        effect=(said.effect or words.NO_EFFECT) if said and answered else "",
    )


def claim_history(found: Lookup, previous: Sequence[Audit]) -> History | None:
    """None where no earlier audit was given."""
    if not previous:
        return None
    lines = timelines(found.audit, previous)
    claims = {it.id: it for it in found.audit.claims}
    changed = [it for it in lines.values() if it.changed]
    return History(
        sentence=words.history(len(changed), len(lines), len(previous)),
        claims=tuple(
            ClaimHistory(
                title=wording.claim_title(claims[it.claim], found.names(claims[it.claim])),
                metric=wording.subject(claims[it.claim]),
                href=f"#{found.anchors[it.claim]}",
                points=it.points,
            )
            for it in changed
        ),
    )
