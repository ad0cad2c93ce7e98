"""Each claim with its verdict in the words of the page: what every export says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import Audit, ClaimRecord, Verdict
from reports import wording
from reports.lookup import Lookup, lookup
from reports.sentences import sentence
from reports.strings import visible
from reports.wording import Status

#: What needs a reader's eye comes first.
PRESSING: tuple[Status, ...] = ("contradicted", "inconclusive", "reproduced", "not_tested")


@dataclass(frozen=True)
class Told:
    claim: ClaimRecord
    verdict: Verdict | None
    status: Status
    title: str
    subject: str
    """The metric, or what stands in its place."""
    sentence: str
    where: str
    """`section 3.2, page 1991`; empty where the claim file does not say."""

    imported: bool
    """Whether its numbers were imported, not verified here."""

    @property
    def word(self) -> str:
        return wording.STATUS_WORDS[self.status]


def told(audit: Audit) -> tuple[Told, ...]:
    """All claims in the order of the record; a claim without a verdict is not tested."""
    found = lookup(audit)
    return tuple(_told(claim, found) for claim in audit.claims)


def _told(claim: ClaimRecord, found: Lookup) -> Told:
    verdict, names = found.verdicts.get(claim.id), found.names(claim)
    place = claim.where
    where = (
        f"section {place.section}" if place.section else "",
        place.label or "",
        "" if place.page is None else f"page {place.page}",
    )
    return Told(
        claim=claim,
        verdict=verdict,
        status=wording.status_of(verdict),
        title=wording.claim_title(claim, names),
        subject=wording.subject(claim),
        sentence=sentence(claim, found),
        where=", ".join(part for part in where if part),
        imported=found.imported(claim),
    )


def by_claim(claims: Sequence[Told]) -> list[list[Told]]:
    """Neighbours that are one claim of the file, over its metrics."""
    return [list(members) for _, members in groupby(claims, key=lambda it: it.claim.claim)]


def most_pressing(claims: Sequence[Told]) -> Told:
    """Of one claim's metrics, the first with the verdict that most needs a reader's eye."""
    return min(claims, key=lambda it: PRESSING.index(it.status))


def line(text: str) -> str:
    """Text from outside on one line, with what would steer its neighbours written out."""
    return " ".join(visible(text).split())
